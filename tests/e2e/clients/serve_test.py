"""glimpsectl serve runs glimpsed on a model in a file: it answers and learns nothing, or learns on from a copy."""

import os
import re
import signal
import subprocess
import unittest

from harness import DEADLINE, TestCase, binary, until


def table(count, factor=2):
    return "y,a\n" + "".join(f"{factor * (n % 29)},{n % 29}\n" for n in range(count))


class Serve(TestCase):
    def setUp(self):
        super().setUp()
        path = os.path.dirname(binary("GLIMPSE_BIN")) + os.pathsep + os.environ["PATH"]
        self.environment = {**os.environ, "PATH": path, "TMPDIR": self.folder}
        self.ctl("fit", self.write("table.csv", table(400)), "--label", "y", "-o", self.path("model"))
        self.address = f"unix:{self.path('http.sock')}"

    def ctl(self, *arguments, expect=0):
        done = subprocess.run([binary("GLIMPSECTL_BIN"), *map(str, arguments)], capture_output=True, timeout=DEADLINE,
                              env=self.environment, check=False)
        self.assertEqual(done.returncode, expect, done.stderr[-500:])
        return (done.stdout + done.stderr).decode()

    def serve(self, *arguments):
        """The process and its first lines, once it answers."""
        with open(self.path("told"), "wb") as told:
            process = subprocess.Popen([binary("GLIMPSECTL_BIN"), "serve", self.path("model"), "--http", self.address, *arguments],
                                       stdout=told, stderr=subprocess.DEVNULL, env=self.environment)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        until(lambda: os.path.exists(self.path("http.sock")), "it answers")
        until(lambda: subprocess.run([binary("GLIMPSECTL_BIN"), "status", "--server", self.address], capture_output=True,
                                     timeout=DEADLINE, check=False).returncode == 0, "it is ready")
        return process, until(self.told, "it is announced")

    def told(self):
        with open(self.path("told"), encoding="utf-8") as told:
            return told.read()

    def end(self, process):
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(DEADLINE), 0)

    def learned(self):
        return int(self.ctl("model", "--format", "json", "--server", self.address).split('"examples":')[1].split(",")[0])

    def test_a_model_answers_and_learns_nothing(self):
        with open(self.path("model"), "rb") as file:
            before = file.read()
        process, told = self.serve()
        self.assertEqual(told, f"serving {self.path('model')} at {self.address}, reading only; --state-directory DIR learns on from a copy\n"
                               f"next: glimpsectl predict NEW.csv --server {self.address} -o predictions.csv\n")
        asked = self.write("asked.csv", table(20))
        self.assertEqual(self.ctl("predict", asked, "--keep", "a", "--server", self.address),
                         self.ctl("predict", asked, "--keep", "a", "--model", self.path("model")))
        self.assertIn("nothing was learned", self.ctl("learn", asked, "--format", "csv", "--server", self.address, expect=1))
        self.assertEqual(self.learned(), 400)
        self.end(process)
        with open(self.path("model"), "rb") as file:
            self.assertEqual(file.read(), before)

    def test_with_a_state_directory_it_learns_on_from_a_copy_also_when_it_is_started_again(self):
        with open(self.path("model"), "rb") as file:
            before = file.read()
        for times in (1, 2):
            process, told = self.serve("--state-directory", self.path("state"), "--", "--seed", "1")
            self.assertIn("and learning on from a copy in " + self.path("state") if times == 1 else "and learning on there", told)
            self.ctl("learn", self.write("more.csv", table(100, 3)), "--format", "csv", "--server", self.address)
            self.assertEqual(self.learned(), 400 + 100 * times)
            self.end(process)
        with open(self.path("model"), "rb") as file:
            self.assertEqual(file.read(), before)

    def test_the_address_is_announced_once_it_answers_with_the_port_that_was_chosen(self):
        self.address = "127.0.0.1:0"
        with open(self.path("told"), "wb") as told:
            process = subprocess.Popen([binary("GLIMPSECTL_BIN"), "serve", self.path("model"), "--http", self.address],
                                       stdout=told, stderr=subprocess.DEVNULL, env=self.environment)
        self.addCleanup(process.kill)
        told = until(self.told, "it is announced")
        self.address = re.search(r" at (tcp:127\.0\.0\.1:[1-9]\d*), reading only", told)[1]
        self.assertTrue(told.endswith(f" --server {self.address} -o predictions.csv\n"))
        self.assertEqual(self.learned(), 400)  # it answers at once
        def children():
            with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
                return file.read().split()
        until(lambda: not children(), "who announced it has ended")
        taken = self.ctl("serve", self.path("model"), "--http", self.address, expect=1)
        self.assertIn("cannot listen: Address already in use", taken)
        self.assertNotIn("serving ", taken)
        self.end(process)

    def test_what_cannot_be_served_is_told(self):
        for arguments, status, told in (((), 2, "serve needs a file"), (("a", "b"), 2, "serve takes one model"),
                                        ((self.path("none"),), 2, f"'{self.path('none')}' is not there"),
                                        ((self.path("model"), "--http", "nowhere:x:y"), 2, "--http"),
                                        ((self.path("model"), "--", "--learn", "on"), 2, "--learn behind -- is decided by serve itself: leave it out"),
                                        ((self.path("model"), "--", "--state-directory=x"), 2, "--state-directory is an option of serve itself: it stands"),
                                        ((self.path("table.csv"),), 1, "not a glimpse checkpoint")):
            with self.subTest(arguments):
                self.assertIn(told, self.ctl("serve", *arguments, expect=status))


if __name__ == "__main__":
    unittest.main(verbosity=2)
