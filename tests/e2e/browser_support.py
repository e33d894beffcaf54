"""A browser for tests of the page: tests/e2e/page/look.js in node, with Debian's chromium."""

import atexit
import contextlib
import json
import os
import shutil
import subprocess
import time

from harness import DEADLINE, binary, until

MODULES = os.environ.get("GLIMPSE_BROWSER_MODULES", "")
SOURCES = binary("GLIMPSE_SOURCE_DIR")
REASON = "" if os.path.isdir(MODULES) else "GLIMPSE_BROWSER_MODULES does not name a folder"
for program in ("node", "chromium"):
    REASON = REASON or ("" if shutil.which(program) else f"there is no {program}")


class Browser:
    """A process of look.js, which opens pages one after another."""

    started = None

    def __init__(self):
        self.process = subprocess.Popen(
            ["node", os.path.join(SOURCES, "tests", "e2e", "page", "look.js"), os.path.abspath(MODULES),
             shutil.which("chromium"), os.environ.get("GLIMPSE_SCREENSHOTS", "")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        atexit.register(self.end)

    @classmethod
    def of_all(cls):
        """The one that the tests of this process share."""
        if cls.started is None or cls.started.process.poll() is not None:
            cls.started = cls()
        return cls.started

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def end(self):
        with contextlib.suppress(OSError):  # it may have ended by itself
            self.process.stdin.close()
        try:
            self.process.wait(DEADLINE)
        finally:
            self.process.kill()
            self.process.stdout.close()


class Look:
    """A page in a window of its own, of which nothing is kept."""

    def __init__(self, port, token="", scheme="light", width=1600):
        self.browser = Browser.of_all()
        self.say(f"open http://127.0.0.1:{port}/ {scheme} {width} {token}")

    def say(self, command):
        self.browser.say(command)

    def answer(self, command):
        self.say(command)
        return json.loads(self.browser.process.stdout.readline())

    def state(self):
        """What is shown."""
        return self.answer("state")

    def violations(self):
        """Of axe-core's rules; takes half a second of a processor."""
        return self.answer("violations")

    def until(self, condition, what):
        """The state behind the first that meets the condition: within one, the page may change."""
        until(lambda: condition(self.state()) or time.sleep(0.2), what)  # a state costs more than an answer of a daemon
        return self.state()

    def end(self):
        self.say("end")
