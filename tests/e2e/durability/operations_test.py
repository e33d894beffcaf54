"""What an operator does: signals, the configuration file, help."""

import os
import re
import resource
import signal
import subprocess
import unittest

from harness import SMALL, TestCase, binary, examples, ndjson


def say(*arguments):
    return subprocess.run([binary("GLIMPSE_BIN"), *arguments], capture_output=True, text=True, timeout=60, check=False)


class Signals(TestCase):
    def test_sighup_applies_what_can_change_and_names_what_cannot(self):
        file = self.write("glimpsed.conf", "log-level = info\nmax-connections = 1000\nqueue = 1MiB\n")
        daemon = self.start(*SMALL, "--config", file, "--state-directory", self.path("state"), "--listen",
                            "tcp:127.0.0.1:0")
        self.assertNotIn(" debug ", daemon.stderr)
        self.write("glimpsed.conf", "log-level = debug\nmax-connections = 1\nqueue = 2MiB\ncheckpoint-examples = 10\n"
                                    "strict = on\n")
        daemon.send_signal(signal.SIGHUP)
        daemon.wait_log("SIGHUP: the configuration was read again")
        daemon.wait_log("SIGHUP: queue cannot change while running; restart to apply it")
        daemon.wait_log("SIGHUP: strict cannot change while running")
        self.assertNotIn("SIGHUP: log-level", daemon.stderr)
        self.assertNotIn("SIGHUP: budget", daemon.stderr)
        daemon.post("/v1/learn", ndjson(examples(50)))
        daemon.wait_log(r"debug checkpoint checkpoint-\d+-\d+\.safetensors")  # by examples, and logged now
        connection = daemon.connection()
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        with daemon.client() as turned_away:  # one is open already
            self.assertEqual(turned_away.line(), "")
        connection.close()
        self.assertEqual(daemon.stop(), 0)

    def test_a_configuration_is_checked_without_a_start(self):
        names = self.write("names.txt", "a\nb\n")
        file = self.write("glimpsed.conf", f"# two lines\nattributes = {names}\nbudget = 2\n")
        checked = say("--config", file, "--check-config")
        self.assertEqual((checked.returncode, checked.stdout), (0, "the configuration is fine\n"))
        os.remove(names)
        checked = say("--config", file, "--check-config")
        self.assertEqual((checked.returncode, checked.stderr),
                         (2, f"glimpsed: {file}: line 2: --attributes {names}: cannot open {names}: "
                             "No such file or directory\n"))
        names = self.write("names.txt", "a\na\n")
        checked = say("--config", file, "--check-config")
        self.assertEqual(checked.returncode, 2)
        self.assertIn(f"{file}: line 2: --attributes {names}: ", checked.stderr)
        for line, wrong in (("budget = few", "--budget few: must be"), ("bugdet = 3", "unrecognised option 'bugdet'"),
                            ("serve = maybe", "serve = maybe: must be on or off")):
            self.write("glimpsed.conf", f"# two lines\n\n{line}\n")
            checked = say("--config", file, "--check-config")
            self.assertEqual(checked.returncode, 2)
            self.assertIn(f"{file}: line 3: {wrong}", checked.stderr)

    def test_a_configuration_that_cannot_start_is_no_fine_one(self):
        for lines, wrong in (("budget = 2\nhttp = 127.0.0.1:0", "--dimension: is needed"),
                             ("dimension = 4\nbudget = 2\nhttp = 0.0.0.0:9911", "--http tcp:0.0.0.0:9911: cannot listen: is no "
                              "loopback address"),
                             ("dimension = 4\nbudget = 2\nalgorithm = ddaerr", "--moments"),
                             ("dimension = 4\nbudget = 2\nalgorithm = aelr", "--radius"),
                             ("dimension = 4\nbudget = 9", "--budget 9: must be at most --dimension 4"),
                             ("dimension = 4\nbudget = 2\nhttp = unix:h.sock\nsocket-group = nosuch", "--socket-group nosuch: "),
                             ("dimension = 4\nbudget = 2\nlisten = unix:/nonexistent/x.sock", "/nonexistent/: No such file"),
                             ("dimension = 4\nbudget = 2\nrestore = /nonexistent", "--restore /nonexistent: "),
                             ("dimension = 4\nbudget = 2\nstate-directory = /dev/null/x", "--state-directory /dev/null/x: ")):
            with self.subTest(lines):
                checked = say("--config", self.write("glimpsed.conf", lines + "\n"), "--check-config")
                self.assertIn(wrong, checked.stderr)
                self.assertIn(checked.returncode, (1, 2))
        fine = "dimension = 4\nbudget = 2\nhttp = 127.0.0.1:0\n"
        self.assertEqual(say("--config", self.write("glimpsed.conf", fine), "--check-config").returncode, 0)

    def test_sighup_with_a_bad_file_changes_nothing(self):
        file = self.write("glimpsed.conf", "log-level = info\n")
        daemon = self.start(*SMALL, "--config", file)
        self.write("glimpsed.conf", "log-level = loud\n")
        daemon.send_signal(signal.SIGHUP)
        daemon.wait_log("error SIGHUP: nothing was changed: .*glimpsed.conf: line 1: --log-level loud: must be one of")
        daemon.wait_ready()

    def test_sighup_amid_learning_loses_nothing(self):
        daemon = self.start(*SMALL, "--state-directory", self.path("state"), "--checkpoint-examples", 100)
        for seed in range(20):
            daemon.send_signal(signal.SIGHUP)
            self.assertEqual(daemon.post("/v1/learn", ndjson(examples(500, seed=seed))).json()["accepted"], 500)
        self.assertEqual(daemon.status()["examples"], 10000)
        self.assertEqual(daemon.stop(), 0)

    def test_sigint_and_sigterm_end_with_status_0(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            daemon = self.start(*SMALL, "--state-directory", self.path("state"))
            self.assertEqual(daemon.stop(number), 0)
            daemon.wait_text(f"stopping: {signal.Signals(number).name}")
            daemon.wait_text("finished: 0 examples")

    def test_a_terminal_end_while_standard_input_is_open(self):
        daemon = self.start(*SMALL, "--input", "-", stdin=subprocess.PIPE)
        daemon.process.stdin.write(b"1 1:1\n1 1:1")
        daemon.process.stdin.flush()
        daemon.wait_examples(1)
        self.assertEqual(daemon.stop(signal.SIGINT), 0)


class Manual(TestCase):
    def options(self):
        return [name for name in re.findall(r"^\s+--([a-z0-9-]+)", say("--help", "all").stdout, flags=re.MULTILINE)
                if name not in ("help", "version", "config", "check-config", "dry-run", "json", "rows")]

    def test_help_and_version(self):
        self.assertEqual(say("--help").returncode, 0)
        self.assertGreater(len(self.options()), 30)
        self.assertRegex(say("--version").stdout, r"^glimpsed \d+\.\d+\.\d+\n$")

    def manual(self):
        path = os.path.join(binary("GLIMPSE_SOURCE_DIR"), "conf", "glimpsed.conf")
        if not os.path.exists(path):
            self.skipTest("conf/glimpsed.conf is not there")
        return path

    def test_the_example_configuration_mentions_every_option(self):
        with open(self.manual(), encoding="utf-8") as file:
            mentioned = set(re.findall(r"^#? ?([a-z][a-z0-9-]*) =", file.read(), flags=re.MULTILINE))
        self.assertEqual(sorted(set(self.options()) - mentioned), [])
        self.assertEqual(sorted(mentioned - set(self.options())), [])

    def test_the_example_configuration_is_read(self):
        checked = say("--config", self.manual(), "--version")
        self.assertEqual(checked.returncode, 0, checked.stderr)
        # And every option that it shows commented out is one that glimpsed takes.
        with open(self.manual(), encoding="utf-8") as file:
            text = re.sub(r"^# ?(?=[a-z][a-z0-9-]* =)", "", file.read(), flags=re.MULTILINE)
        everything = self.write("everything.conf", text)
        checked = say("--config", everything, "--version")
        self.assertEqual(checked.returncode, 0, checked.stderr)


class Readiness(TestCase):
    def test_a_checkpoint_that_cannot_be_written_shows_and_stops_nothing(self):
        daemon = self.start(*SMALL, "--state-directory", self.path("state"))
        os.rename(self.path("state"), self.path("away"))
        self.write("state", "a file in the way")
        answer = daemon.post("/v1/checkpoint")
        self.assertEqual((answer.status, answer.error()), (500, "system"))
        ready = daemon.get("/readyz?for=learning")
        self.assertEqual((ready.status, ready.error()), (503, "checkpoint_failed"))
        for path in ("/readyz", "/readyz?for=predictions"):
            self.assertEqual(daemon.get(path).status, 200)
        self.assertEqual(daemon.get("/readyz?for=tea").status, 400)
        self.assertEqual(daemon.status()["checkpoint_failures"], 1)
        metrics = daemon.get("/metrics").body.decode()
        for line in ("glimpse_checkpoint_failures_total 1\n", 'glimpse_ready{for="predictions"} 1\n',
                     'glimpse_ready{for="learning"} 0\n'):
            self.assertIn(line, metrics)
        daemon.wait_log("error checkpoint failed, learning goes on: ")
        self.assertEqual(daemon.post("/v1/learn", ndjson(examples(10))).json()["accepted"], 10)
        os.remove(self.path("state"))
        os.rename(self.path("away"), self.path("state"))
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        daemon.wait_log("checkpoints succeed again")
        self.assertEqual(daemon.get("/readyz").status, 200)

    def test_a_checkpoint_over_the_file_size_limit_shows_and_stops_nothing(self):
        # Names of attributes make the checkpoints grow.
        lines = "".join(f"1 | {'x' * 200}{i}:1\n" for i in range(1000))
        size = os.path.getsize(self.checkpoint("1000", "small"))
        limit = size + 20000
        daemon = self.start("--dimension", 1000, "--budget", 3, "--state-directory", self.path("state"),
                            preexec=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(daemon.post("/v1/learn?format=vw", lines).json()["accepted"], 1000)
        answer = daemon.post("/v1/checkpoint")
        self.assertEqual((answer.status, answer.error()), (500, "system"))
        self.assertIn("File too large", answer.json()["error"]["message"])
        self.assertEqual(daemon.status()["checkpoint_failures"], 1)
        self.assertEqual(daemon.get("/readyz?for=learning").status, 503)
        self.assertEqual(daemon.post("/v1/learn?format=vw", lines).json()["accepted"], 1000)
        self.assertEqual(daemon.stop(), 1)  # its last checkpoint fails as well
        daemon.wait_log(r"error the last checkpoint failed, so that what was learned since \S+ is lost: .*File too large")
        daemon.wait_text("finished: 2000 examples")

    def checkpoint(self, dimension, name):
        """The first checkpoint of a daemon that has learned nothing."""
        status, _, log = self.run_to_end("--dimension", dimension, "--budget", 3, "--state-directory", self.path(name))
        self.assertEqual(status, 1, log)  # as it learned nothing
        return self.path(name, re.search(r"state kept in (\S+)", log).group(1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
