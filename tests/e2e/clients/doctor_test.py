"""glimpsectl doctor over prepared folders: what it finds, with which status it ends."""

import json
import os
import resource
import subprocess
import time
import unittest

from harness import DEADLINE, TestCase, binary

STATUS = {"ok": 0, "warning": 1, "error": 2}


class Doctor(TestCase):
    def setUp(self):
        super().setUp()
        self.state = self.path("state")
        self.daemon = self.start("--dimension", "4", "--budget", "3", "--state-directory", self.state)
        self.conf = self.write("glimpsed.conf", "dimension = 4\nbudget = 3\n")

    def examine(self, state=None, config=None, daemon=None, **keywords):
        """{what: finding}; the exit status is the worst verdict."""
        done = subprocess.run(
            [binary("GLIMPSECTL_BIN"), "--server", f"unix:{self.daemon.http_path}", "doctor", "--json", "--daemon",
             daemon or binary("GLIMPSE_BIN"), "--state-directory", state or self.state, "--config", config or self.conf],
            capture_output=True, text=True, timeout=DEADLINE, check=False, **keywords)
        answer = json.loads(done.stdout)
        self.assertEqual(done.returncode, STATUS[answer["verdict"]], done.stderr)
        self.assertEqual(answer["verdict"], max((found["verdict"] for found in answer["findings"]), key=STATUS.get))
        for found in answer["findings"]:
            self.assertTrue(found["what"] and found["value"] and found["constraint"], found)
            self.assertEqual(found["mend"] == "", found["verdict"] == "ok", found)
        return {found["what"]: found for found in answer["findings"]}

    def verdict(self, what, **keywords):
        return self.examine(**keywords)[what]["verdict"]

    def newest(self):
        return os.path.join(self.state, max(name for name in os.listdir(self.state) if name.startswith("checkpoint-")))

    def test_nothing_is_wrong_with_a_daemon_that_runs_but_what_the_machine_lacks(self):
        found = self.examine()
        wrong = {what for what, finding in found.items() if finding["verdict"] != "ok"}
        self.assertEqual(wrong - {"clock", "open files", "size of files", "addresses", "memory of the control group",
                                  "glimpsed.service", "glimpsed.socket"}, set())
        self.assertIn("the one that runs", found["versions"]["value"])
        self.assertIn("open files", found)

    def test_a_door_that_nobody_answers(self):
        self.daemon.send_signal(15)
        self.daemon.wait()
        found = self.examine()
        self.assertEqual(found["door"]["verdict"], "error")
        self.assertEqual(found["newest checkpoint"]["verdict"], "ok")

    def test_a_damaged_checkpoint_and_one_that_was_set_aside(self):
        with open(self.newest(), "r+b") as file:
            file.seek(2000)
            file.write(b"damage")
        with open(self.newest() + ".bad", "w", encoding="ascii"):
            pass
        found = self.examine()
        self.assertEqual(found["newest checkpoint"]["verdict"], "error")
        self.assertEqual(found["checkpoints set aside"]["verdict"], "warning")

    def test_a_checkpoint_of_the_future(self):
        ahead = time.time() + 86400
        os.utime(self.newest(), (ahead, ahead))
        self.assertEqual(self.verdict("times of checkpoints"), "warning")

    def test_a_state_directory_that_anybody_may_change_that_is_a_file_or_not_there(self):
        os.chmod(self.state, 0o777)
        self.assertEqual(self.verdict("state directory"), "error")
        os.chmod(self.state, 0o750)
        self.assertEqual(self.verdict("state directory"), "ok")
        self.assertEqual(self.verdict("state directory", state=self.conf), "error")
        self.assertEqual(self.verdict("state directory", state=self.path("none")), "warning")
        os.mkdir(self.path("empty"))
        self.assertEqual(self.verdict("newest checkpoint", state=self.path("empty")), "warning")

    def test_a_disk_without_room_for_further_checkpoints(self):
        size = os.statvfs(self.state).f_bavail * os.statvfs(self.state).f_frsize
        os.makedirs(self.path("large"))
        with open(self.path("large", "checkpoint-000000000001-5.safetensors"), "wb") as file:
            file.truncate(min(size // 2, 1 << 43))  # a hole: it takes no room
        self.assertEqual(self.verdict("room for checkpoints", state=self.path("large")), "warning")

    def test_a_configuration_that_is_wrong_or_not_there(self):
        self.write("glimpsed.conf", "dimension = 4\nbudget = 1\n")
        found = self.examine()["configuration"]
        self.assertEqual(found["verdict"], "error")
        self.assertIn("glimpsed.conf: line 2: --budget 1", found["value"])
        self.assertEqual(self.verdict("configuration", config=self.path("none")), "warning")

    def test_a_token_file_that_anybody_may_read(self):
        tokens = self.write("tokens", "write a-token-that-is-long-enough-for-it\n")
        self.write("glimpsed.conf", f"dimension = 4\nbudget = 3\nhttp = 127.0.0.1:0\ntoken-file = {tokens}\n")
        os.chmod(tokens, 0o644)
        self.assertEqual(self.verdict("token-file"), "error")
        os.chmod(tokens, 0o640)
        self.assertEqual(self.verdict("token-file"), "ok")
        self.assertEqual(self.verdict("configuration"), "ok")

    def test_another_version_of_the_daemon(self):
        other = self.write("glimpsed", "#!/bin/sh\necho glimpsed 9.9\n")
        os.chmod(other, 0o755)
        found = self.examine(daemon=other)["versions"]
        self.assertEqual(found["verdict"], "warning")
        self.assertIn("glimpsed 9.9", found["value"])

    def test_limits_are_those_of_the_daemon_where_its_door_is_a_socket(self):
        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
        before = self.examine()["open files"]["value"]
        self.assertEqual(self.examine(preexec_fn=few)["open files"]["value"], before)
        self.daemon.send_signal(15)
        self.daemon.wait()
        self.assertEqual(self.verdict("open files", preexec_fn=few), "warning")

    def test_people_are_told_what_is_wanted_and_what_to_do(self):
        os.chmod(self.state, 0o777)
        done = subprocess.run(
            [binary("GLIMPSECTL_BIN"), "doctor", "--state-directory", self.state, "--config", self.conf],
            capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stdout, r"(?m)^error +state directory .*mode 0777.*\n +wanted: .*\n +mend: chmod o-w ")


if __name__ == "__main__":
    unittest.main(verbosity=2)
