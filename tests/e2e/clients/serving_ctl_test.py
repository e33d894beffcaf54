"""glimpsectl freeze, unfreeze, checkpoints, promote, and --checkpoint of what reads, against the real daemon."""

import json
import subprocess
import unittest

from harness import DEADLINE, TestCase, binary, examples, ndjson

OPTIONS = ("--dimension", 4, "--budget", 3, "--seed", 7, "--algorithm", "pairwise", "--checkpoint-every", 0,
           "--checkpoint-examples", 10**9, "--checkpoint-keep", 10)


class ServingCtl(TestCase):
    def setUp(self):
        super().setUp()
        self.daemon = self.start(*OPTIONS, "--state-directory", self.path("state"))

    def ctl(self, *arguments, stdin="", expect=0):
        done = subprocess.run([binary("GLIMPSECTL_BIN"), "--server", f"unix:{self.daemon.http_path}",
                               *map(str, arguments)], input=stdin.encode(), capture_output=True, timeout=DEADLINE,
                              check=False)
        self.assertEqual(done.returncode, expect, (done.stdout, done.stderr))
        return done.stdout.decode(), done.stderr.decode()

    def learned(self):
        rows = examples(300)
        self.daemon.post("/v1/learn", ndjson(rows[:100]))
        name = self.daemon.post("/v1/checkpoint").json()["name"]
        self.daemon.post("/v1/learn", ndjson(rows[100:]))
        return name

    def test_freezing_ends_learning_until_it_is_undone(self):
        self.learned()
        out, _ = self.ctl("freeze")
        self.assertRegex(out, r"^frozen +yes\nexamples +300\ncheckpoint +checkpoint-\d{12}-300\.safetensors\n$")
        file = self.write("more", ndjson(examples(10)))
        _, error = self.ctl("learn", file, expect=1)
        self.assertIn("nothing was learned: the model is frozen; glimpsectl unfreeze ends that", error)
        self.assertEqual(self.daemon.status()["frozen_examples"], 10)
        self.assertRegex(self.ctl("status")[0], r"\nfrozen +yes\nfrozen_examples +10\n")
        self.assertIs(json.loads(self.ctl("unfreeze", "--json")[0])["frozen"], False)
        self.assertIn("10 examples learned", self.ctl("learn", file)[0])

    def test_checkpoints_are_listed_asked_and_promoted(self):
        name = self.learned()
        title, newest, first = self.ctl("checkpoints")[0].splitlines()
        self.assertRegex(title, r"^checkpoint +examples +size +written$")
        self.assertRegex(newest, rf"^{name} +100 +[\d.]+ KiB  \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d UTC$")
        self.assertRegex(first, r"^checkpoint-000000000001-0\.safetensors +0 +")
        row = '{"values": [1, 0.5, 0, 0.25]}\n'
        by_newest = self.ctl("predict", stdin=row)[0]
        for text in (name, "100"):
            self.assertEqual(json.loads(self.ctl("model", "--json", "--checkpoint", text)[0])["examples"], 100)
            self.assertRegex(self.ctl("model", "--checkpoint", text)[0], r"(?m)^examples +100$")
            self.assertRegex(self.ctl("status", "--checkpoint", text)[0], r"(?m)^examples +100$")
            moments = json.loads(self.ctl("moments", "--json", "--checkpoint", text)[0])["moments"]
            self.assertLessEqual(max(moment["count"] for moment in moments), 100)
            by_older = self.ctl("predict", "--checkpoint", text, stdin=row)[0]
            self.assertNotEqual(by_older, by_newest)
            self.assertIn(by_older.strip(), self.daemon.post("/v1/predict?checkpoint=100", row).body.decode())
        self.assertEqual(self.ctl("predict", stdin=row)[0], by_newest)
        out, _ = self.ctl("promote", name)
        self.assertRegex(out, rf"^promoted +{name}\nexamples +100\nreplaced_examples +300\nreplaced_checkpoint +\S+\nfrozen +no\ncheckpoint +\S+\n$")
        self.assertEqual(self.ctl("predict", stdin=row)[0], by_older)

    def test_what_is_wrong_is_told_before_or_by_the_daemon(self):
        for arguments, words in ((("promote",), "promote needs one checkpoint, not 0 (glimpsectl checkpoints lists them)"),
                                 (("promote", "1", "2"), "promote needs one checkpoint, not 2"),
                                 (("promote", "state/x"), "promote 'state/x' must be a checkpoint's name without a folder"),
                                 (("model", "--checkpoint", ""), "--checkpoint '' must be a checkpoint's name"),
                                 (("model", "--checkpoint", "1&fresh=true"), "--checkpoint '1&fresh=true' must be"),
                                 (("learn", "--checkpoint", "1"), "--checkpoint is not an option of learn")):
            _, error = self.ctl(*arguments, expect=2)
            self.assertIn(words, error)
        _, error = self.ctl("promote", "77", expect=1)
        self.assertIn("unknown_checkpoint", error)
        self.assertIn("no checkpoint of 77 examples is there", error)


if __name__ == "__main__":
    unittest.main()
