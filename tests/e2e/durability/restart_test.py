"""Restarts: the same model comes back, and whatever is wrong with the checkpoints is told."""

import os
import re
import shutil
import signal
import socket
import unittest

from harness import SMALL, TestCase, examples, ndjson, svmlight, until


class Restart(TestCase):
    def setUp(self):
        super().setUp()
        self.state = self.path("state")

    def begin(self, *arguments, model=SMALL, **keywords):
        return self.start(*model, "--state-directory", self.state, *arguments, **keywords)

    def checkpoints(self):
        """Names, the newest last."""
        return sorted(name for name in os.listdir(self.state) if name.endswith(".safetensors"))

    def learned(self, count=500):
        """Learns in two steps with a checkpoint after each, ends, and returns the two models."""
        daemon = self.begin("--checkpoint-keep", 10)
        models = []
        for seed in (1, 2):
            daemon.post("/v1/learn", ndjson(examples(count, seed=seed)))
            models.append((daemon.model(), daemon.get("/v1/moments").body))
            self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        daemon.kill()
        return models

    def newest(self):
        return os.path.join(self.state, self.checkpoints()[-1])

    def test_after_sigterm_the_model_and_the_moments_are_the_same_bytes(self):
        daemon = self.begin()
        daemon.post("/v1/learn", ndjson(examples(700)))
        before = [daemon.get(path).body for path in ("/v1/model", "/v1/moments", "/v1/model?format=safetensors")]
        self.assertEqual(daemon.stop(signal.SIGTERM), 0)
        daemon = self.begin()
        daemon.wait_log(r"restored checkpoint-\d+-700\.safetensors: 700 examples")
        after = [daemon.get(path).body for path in ("/v1/model", "/v1/moments", "/v1/model?format=safetensors")]
        self.assertEqual(before, after)
        # And it goes on as one that never stopped.
        daemon.post("/v1/learn", ndjson(examples(300, seed=2)))
        self.assertEqual(daemon.stop(), 0)
        restarted = self.begin().model()
        straight = self.start(*SMALL)
        straight.post("/v1/learn", ndjson(examples(700)) + ndjson(examples(300, seed=2)))
        self.assertEqual(straight.model(), restarted)

    def test_sigint_keeps_the_model_too(self):
        daemon = self.begin()
        daemon.post("/v1/learn", ndjson(examples(100)))
        model = daemon.model()
        self.assertEqual(daemon.stop(signal.SIGINT), 0)
        self.assertEqual(self.begin().model(), model)

    def test_after_kill_9_the_last_checkpoint_is_there(self):
        _, (model, _) = self.learned()
        daemon = self.begin()
        self.assertEqual(daemon.model(), model)

    def test_that_nothing_more_is_bought_is_told_again(self):
        options = (*SMALL, "--total-budget", 100, "--state-directory", self.path("state"))
        for begin, learned in ((0, 33), (500, 33)):
            path = self.write(f"examples-{begin}", svmlight(examples(100, seed=begin)))
            _, _, log = self.run_to_end(*options, "--input", path)
            self.assertIn("the budget is spent: 99 attributes", log)
            self.assertIn(f"finished: {learned} examples", log)

    def test_restore_never_starts_from_nothing(self):
        self.learned()
        self.assertEqual(self.begin("--restore", "never").status()["examples"], 0)

    def test_restore_of_a_named_file(self):
        (model, _), _ = self.learned()
        name = next(name for name in self.checkpoints() if name.endswith("-500.safetensors"))
        copy = shutil.copy(os.path.join(self.state, name), self.path("copy"))
        shutil.rmtree(self.state)
        self.assertEqual(self.begin("--restore", copy).model(), model)
        status, line = self.refused(*SMALL, "--restore", self.path("nothing"))
        self.assertEqual(status, 1)
        self.assertIn("--restore " + self.path("nothing"), line)

    def damage(self, path, how):
        with open(path, "rb") as file:
            content = bytearray(file.read())
        if how == "truncated":
            content = content[:len(content) // 2]
        elif how == "empty":
            content = b""
        else:
            content[len(content) // 2] ^= 4
        with open(path, "wb") as file:
            file.write(content)

    def test_a_damaged_newest_checkpoint_is_set_aside_and_the_one_before_restored(self):
        for how in ("truncated", "flipped", "empty"):
            with self.subTest(how):
                shutil.rmtree(self.state, True)
                (model, _), _ = self.learned()
                # Every checkpoint of the second model is damaged.
                bad = [name for name in self.checkpoints() if name.endswith("-1000.safetensors")]
                for name in bad:
                    self.damage(os.path.join(self.state, name), how)
                daemon = self.begin()
                self.assertEqual(daemon.model(), model)
                for name in bad:
                    daemon.wait_log(rf"error an older checkpoint is used, as a newer one is damaged and was set aside: {re.escape(name)}")
                    self.assertTrue(os.path.exists(os.path.join(self.state, name + ".bad")))
                daemon.stop()

    def test_when_no_checkpoint_verifies_it_does_not_start_again_and_again(self):
        self.learned()
        for name in self.checkpoints():
            self.damage(os.path.join(self.state, name), "flipped")
        for _ in range(2):
            status, line = self.refused(*SMALL, "--state-directory", self.state)
            self.assertEqual(status, 1)
            self.assertRegex(line, rf"--state-directory {re.escape(self.state)}: no checkpoint .*verifies.*--restore never")

    def test_checkpoints_of_other_options_are_refused_by_name(self):
        self.learned()
        cases = (("--dimension", 3, "dimension=4", "dimension=3"), ("--algorithm", "aerr", "algorithm=pairwise",
                 "algorithm=aerr"), ("--half-life", 100, "default options", "half-life=100"))
        for option, value, theirs, ours in cases:
            options = dict(zip(SMALL[::2], SMALL[1::2])) | {option: value}
            status, line = self.refused(*[word for pair in options.items() for word in pair],
                                        "--state-directory", self.state)
            self.assertEqual(status, 1)
            self.assertIn(theirs, line)
            self.assertIn(ours, line)
        self.assertEqual(self.begin().status()["examples"], 1000)  # they were left alone

    def test_without_dimension_the_checkpoint_tells_it(self):
        _, (model, _) = self.learned()
        self.assertEqual(self.begin(model=("--budget", 3)).model(), model)

    def test_a_state_directory_that_cannot_be_written_is_refused(self):
        file = self.write("file", "x")
        for place in (os.path.join(file, "sub"), "/proc/glimpse"):
            status, line = self.refused(*SMALL, "--state-directory", place)
            self.assertEqual(status, 1)
            self.assertIn(f"--state-directory {place}: ", line)

    def test_a_start_that_fails_writes_no_checkpoint(self):
        rows = svmlight(examples(50))
        file = self.write("seen.svm", rows)
        self.assertEqual(self.run_to_end(*SMALL, "--state-directory", self.state, "--input", file)[0], 0)
        before = {name: os.stat(os.path.join(self.state, name)).st_ino for name in self.checkpoints()}
        os.mkdir(self.path("folder"))
        other = self.write("other.svm", rows)
        taken = socket.socket()
        self.addCleanup(taken.close)
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        used = f"127.0.0.1:{taken.getsockname()[1]}"
        missing = self.path("missing")
        for name, arguments, content in (
                ("missing", ("--input", missing), rows),
                ("the second is missing", ("--input", other, "--input", missing), rows),
                ("a directory", ("--input", self.path("folder")), rows),
                ("cannot be read", ("--input", "/proc/self/mem"), rows),
                ("another file", ("--input", file), rows.replace("1", "2")),
                ("shorter", ("--input", file), rows[:100]),
                ("no npy", ("--input", other, "--format", "npy"), rows),
                ("given twice", ("--input", other, "--input", other), rows),
                ("a stream door that is in use", ("--listen", f"tcp:{used}"), rows),
                ("an HTTP door that is in use", ("--http", used), rows),
                ("no TLS files", ("--http", "127.0.0.1:0", "--tls-cert", missing, "--tls-key", missing), rows),
                ("no tokens", ("--http", "127.0.0.1:0", "--token-file", missing), rows),
                ("no names", ("--input", other, "--attributes", missing), rows)):
            self.write("seen.svm", content)
            for attempt in range(4):
                with self.subTest(name, attempt=attempt):
                    status, _, error = self.run_to_end(*SMALL, "--state-directory", self.state, *arguments)
                    self.assertIn(status, (1, 2), error)
                    after = {name: os.stat(os.path.join(self.state, name)).st_ino for name in self.checkpoints()}
                    self.assertEqual(after, before)
        self.write("seen.svm", rows)
        self.assertEqual(self.run_to_end(*SMALL, "--state-directory", self.state, "--input", file)[0], 0)

    def test_a_second_daemon_on_the_same_state_directory_is_refused(self):
        first = self.begin()
        first.post("/v1/learn", ndjson(examples(100)))
        os.symlink(self.state, self.path("link"))
        for place in (self.state, self.path("link")):
            status, line = self.refused(*SMALL, "--state-directory", place)
            self.assertEqual(status, 1)
            self.assertRegex(line, rf"--state-directory {place}: .*lock is held by another process: another glimpsed runs on it")
        self.assertEqual(first.post("/v1/checkpoint").status, 200)  # and the first goes on
        first.kill()  # kill -9 leaves no lock behind
        self.assertEqual(self.begin().status()["examples"], 100)

    def test_only_so_many_checkpoints_are_kept(self):
        daemon = self.begin("--checkpoint-keep", 2)
        for seed in range(5):
            daemon.post("/v1/learn", ndjson(examples(10, seed=seed)))
            daemon.post("/v1/checkpoint")
        self.assertEqual(len(self.checkpoints()), 2)

    def test_checkpoints_come_by_time_when_something_came_in(self):
        daemon = self.begin("--checkpoint-every", "50ms", "--checkpoint-keep", 100)
        daemon.post("/v1/learn", ndjson(examples(10)))
        until(lambda: any(name.endswith("-10.safetensors") for name in self.checkpoints()), "one was written by the clock")
        count = len(self.checkpoints())
        daemon.post("/v1/learn", ndjson(examples(10)))
        until(lambda: any(name.endswith("-20.safetensors") for name in self.checkpoints()), "and another")
        self.assertLessEqual(len(self.checkpoints()), count + 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
