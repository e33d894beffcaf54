"""glimpsectl send as a process of a test."""

import subprocess

from harness import binary


class Sending:
    """For test cases: what sends, and is ended with the test."""

    def sending(self, *arguments, to, stdin=subprocess.DEVNULL):
        process = subprocess.Popen([binary("GLIMPSECTL_BIN"), "send", *map(str, arguments), "--to", to], stdin=stdin,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()
