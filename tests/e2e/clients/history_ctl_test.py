"""glimpsectl plot and watch, against the real daemon."""

import os
import pty
import subprocess
import unittest
import xml.etree.ElementTree

from harness import DEADLINE, TestCase, binary, examples, ndjson

OPTIONS = ("--dimension", 4, "--budget", 3, "--seed", 7, "--algorithm", "pairwise")
SVG = "{http://www.w3.org/2000/svg}"


class HistoryCtl(TestCase):
    def setUp(self):
        super().setUp()
        self.daemon = self.start(*OPTIONS, "--state-directory", self.path("state"))

    def command(self, *arguments):
        return [binary("GLIMPSECTL_BIN"), "--server", f"unix:{self.daemon.http_path}", *map(str, arguments)]

    def ctl(self, *arguments, expect=0):
        done = subprocess.run(self.command(*arguments), capture_output=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, expect, (done.stdout, done.stderr))
        return done.stdout.decode(), done.stderr.decode()

    def learn(self):
        rows = examples(600)
        self.daemon.post("/v1/learn", ndjson(rows[:300]))
        self.daemon.post("/v1/freeze")
        self.daemon.post("/v1/unfreeze")
        self.daemon.post("/v1/learn", ndjson(rows[300:]))

    def on_terminal(self, locale):
        """What watch draws on a terminal."""
        ours, its = pty.openpty()
        with subprocess.Popen(self.command("watch", "--count", 2, "--every", "10ms"), stdin=subprocess.DEVNULL, stdout=its,
                              stderr=its, env={**os.environ, "LC_ALL": locale}) as process:
            os.close(its)
            drawn = b""
            try:
                while piece := os.read(ours, 4096):
                    drawn += piece
            except OSError:  # its end
                pass
            self.assertEqual(process.wait(DEADLINE), 0, drawn)
        os.close(ours)
        return drawn.decode()

    def test_the_picture_has_the_curve_its_band_and_what_happened(self):
        self.assertIn("nothing was learned yet", self.ctl("plot", expect=1)[1])
        self.learn()
        for arguments, words in ((("--of", "r2"), "R²"), (("--of", "loss"), "mean squared error")):
            self.assertEqual(self.ctl("plot", *arguments, "--output", self.path("curve.svg")), ("", ""))
            picture = xml.etree.ElementTree.parse(self.path("curve.svg")).getroot()
            texts = [text.text for text in picture.iter(SVG + "text")]
            self.assertIn(words, texts)
            self.assertIn("freeze", texts)
            self.assertTrue(list(picture.iter(SVG + "polygon")))
            line = next(picture.iter(SVG + "polyline")).get("points").split()
            self.assertGreater(len(line), 40)
        self.assertIn("--hold-out", self.ctl("plot", "--of", "wrong", expect=1)[1])

    def test_watch_draws_blocks_on_a_terminal_of_utf8_and_ascii_elsewhere(self):
        self.learn()
        drawn = self.on_terminal("C.UTF-8")
        self.assertIn("█", drawn)
        self.assertRegex(drawn, "\\r\\x1b\\[\\d+A\\x1b\\[J")
        self.assertIn("unfreeze at 300", drawn)
        self.assertNotIn("█", self.on_terminal("C"))
        file = self.ctl("watch", "--count", "2", "--every", "10ms")[0]
        self.assertNotIn("█", file)
        self.assertEqual(file.count("R2  "), 1)
        self.assertIn("unfreeze at 300", file)


if __name__ == "__main__":
    unittest.main()
