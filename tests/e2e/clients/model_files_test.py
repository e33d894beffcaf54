"""glimpsectl --model asks a checkpoint or a state directory as it would ask a daemon, and leaves nothing behind."""

import glob
import json
import os
import random
import signal
import subprocess
import unittest

from harness import DEADLINE, TestCase, binary, until


def rows(count, seed, classes=False):
    source = random.Random(seed)
    made = []
    for n in range(count):
        a, b, word = source.randrange(100), source.randrange(100), ("red", "blue")[n % 2]
        label = ("yes" if a > b else "no") if classes else str(2 * a - b + (30 if word == "red" else 0))
        made.append((label, str(a), str(b), word))
    return made


def table(made):
    return "".join(",".join(row) + "\n" for row in [("y", "a", "b", "word"), *made])


class ModelFiles(TestCase):
    def learned(self, name="state", classes=False):
        folder = self.path(name)
        status, _, log = self.run_to_end("--budget", "all", "--label", "y", "--state-directory", folder,
                                         "--input", self.write(f"{name}.csv", table(rows(400, 1, classes))))
        self.assertEqual(status, 0, log)
        return folder

    def ctl(self, *arguments, expect=0, model=None, environment=None):
        """(standard output, standard error)."""
        given = ("--model", model) if model else ()
        path = os.path.dirname(binary("GLIMPSE_BIN")) + os.pathsep + os.environ["PATH"]
        done = subprocess.run([binary("GLIMPSECTL_BIN"), *map(str, (*arguments, *given))], capture_output=True, timeout=DEADLINE,
                              env={**os.environ, "PATH": path, "TMPDIR": self.folder, **(environment or {})}, check=False)
        self.assertEqual(done.returncode, expect, done.stderr[-500:])
        self.assertEqual(glob.glob(os.path.join(self.folder, "glimpsectl-*")), [])
        return done.stdout.decode(), done.stderr.decode()

    def test_a_folder_its_newest_checkpoint_and_a_daemon_on_it_answer_the_same(self):
        folder = self.learned()
        newest = max(glob.glob(os.path.join(folder, "checkpoint-*")))
        asked = self.write("asked.csv", table([("", *row[1:]) for row in rows(30, 2)]))
        daemon = self.start("--restore", newest, "--learn", "off")
        server = ("--server", f"unix:{daemon.http_path}")
        for command in (("model", "--format", "csv"), ("moments",), ("predict", asked, "--format", "csv"),
                        ("predict", asked, "--format", "csv", "--explain"), ("plot",),
                        ("ask", "--for", "prediction", "--known", "a=3")):
            with self.subTest(command[0]):
                wanted = self.ctl(*command, *server)
                self.assertEqual(self.ctl(*command, model=folder), wanted)
                self.assertEqual(self.ctl(*command, model=newest), wanted)
        self.assertEqual(self.ctl("explain", asked, model=folder), self.ctl("predict", asked, "--format", "csv", "--explain", *server))
        self.assertEqual(self.ctl("predict", asked, model=folder), self.ctl("predict", asked, "--format", "csv", *server))
        self.assertIn("frozen", self.ctl("status", "--brief", model=folder)[0])

    def test_a_folder_that_a_daemon_works_on_is_read_and_left_alone(self):
        folder = self.learned()
        daemon = self.start("--state-directory", folder)
        before = {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in os.listdir(folder)}
        self.assertIn("400", self.ctl("model", model=folder)[0])
        self.assertEqual({name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in os.listdir(folder)}, before)
        self.assertEqual(daemon.stop(), 0)

    def test_a_test_says_how_well_rows_with_labels_are_predicted(self):
        folder = self.learned()
        held = rows(100, 3)
        told, _ = self.ctl("test", self.write("held.csv", table(held)), model=folder)
        self.assertRegex(told, r"rows +100\nR2 +0\.9\d+ ± ")
        report = json.loads(self.ctl("test", self.path("held.csv"), "--json", model=folder)[0])
        predicted = [float(line.split()[0]) for line in self.ctl("predict", self.path("held.csv"), model=folder)[0].splitlines()]
        errors = [abs(float(row[0]) - value) for row, value in zip(held, predicted)]
        self.assertEqual(report["examples"], 100)
        self.assertAlmostEqual(report["rmse"], (sum(e * e for e in errors) / 100) ** .5, places=6)
        self.assertAlmostEqual(report["mean_absolute_error"], sum(errors) / 100, places=6)
        bad = self.write("bad.csv", table([*held[:5], ("1", "2"), *held[5:]]))
        told, error = self.ctl("test", bad, model=folder, expect=1)
        self.assertIn("rows   100\n", told)
        self.assertIn("'" + bad + "' line 7: row has 2 fields", error)
        told, _ = self.ctl("test", self.write("classes.csv", table(rows(200, 5, True))), model=self.learned("classes", True))
        self.assertRegex(told, r"wrong +\d+\.\d % ± .*\nlog loss +0\.\d+.*\nBrier score +0\.\d+")

    def test_what_cannot_be_read_is_told_with_what_is_wrong(self):
        folder = self.learned()
        empty = self.path("empty")
        os.mkdir(empty)
        asked = self.write("asked.csv", table(rows(3, 2)))
        for arguments, model, status, told in (
                (("model",), self.path("nowhere"), 2, f"--model '{self.path('nowhere')}' is not there"),
                (("model",), empty, 2, f"--model '{empty}' is a folder without a checkpoint"),
                (("model",), asked, 1, "not a glimpse checkpoint"),
                (("freeze",), folder, 2, "is of commands that read a model: freeze needs a running daemon"),
                (("ask",), folder, 2, "ask needs a running daemon"),
                (("model", "--server", "unix:/x"), folder, 2, "are two models: give one of them"),
                (("test", asked), None, 2, "test needs --model PATH"),
                (("test",), folder, 2, "test needs a file"),
                (("predict", self.path("no.csv")), folder, 1, "no.csv")):
            with self.subTest(arguments):
                self.assertIn(told, self.ctl(*arguments, model=model, expect=status)[1])
        self.assertIn("cannot run glimpsed", self.ctl("model", model=folder, expect=1, environment={"PATH": "/nowhere"})[1])

    def test_its_daemon_ends_with_a_command_that_is_killed(self):
        folder = self.learned()
        read, write = os.pipe()
        path = os.path.dirname(binary("GLIMPSE_BIN")) + os.pathsep + os.environ["PATH"]
        command = subprocess.Popen([binary("GLIMPSECTL_BIN"), "predict", "-", "--model", folder], stdin=read,
                                   stdout=subprocess.DEVNULL, env={**os.environ, "PATH": path, "TMPDIR": self.folder})
        os.close(read)
        sockets = lambda: glob.glob(os.path.join(self.folder, "glimpsectl-*", "http.sock"))
        until(sockets, "its daemon answers")
        children = lambda: open(f"/proc/{command.pid}/task/{command.pid}/children", encoding="ascii").read().split()
        child = until(children, "it has a daemon")[0]
        command.send_signal(signal.SIGKILL)
        command.wait()
        os.close(write)
        until(lambda: not os.path.exists(f"/proc/{child}"), "the daemon has ended")


if __name__ == "__main__":
    unittest.main(verbosity=2)
