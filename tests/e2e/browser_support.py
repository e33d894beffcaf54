"""A browser for tests of the page: tests/e2e/page/look.js in node, with Debian's chromium."""

import json
import os
import shutil
import subprocess

from harness import DEADLINE, binary, until

MODULES = os.environ.get("GLIMPSE_BROWSER_MODULES", "")
SOURCES = binary("GLIMPSE_SOURCE_DIR")
REASON = "" if os.path.isdir(MODULES) else "GLIMPSE_BROWSER_MODULES does not name a folder"
for program in ("node", "chromium"):
    REASON = REASON or ("" if shutil.which(program) else f"there is no {program}")


class Look:
    """A browser that looks at a page."""

    def __init__(self, port, token="", scheme="light", width=1600):
        self.process = subprocess.Popen(
            ["node", os.path.join(SOURCES, "tests", "e2e", "page", "look.js"), os.path.abspath(MODULES),
             shutil.which("chromium"), f"http://127.0.0.1:{port}/", token, scheme, str(width),
             os.environ.get("GLIMPSE_SCREENSHOTS", "")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def state(self):
        self.say("state")
        return json.loads(self.process.stdout.readline())

    def until(self, condition, what):
        until(lambda: condition(self.state()), what)
        return self.state()

    def end(self):
        self.say("end")
        self.process.stdin.close()
        self.process.wait(DEADLINE)
        self.process.stdout.close()
