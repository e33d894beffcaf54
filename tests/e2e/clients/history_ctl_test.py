"""glimpsectl plot and watch, against the real daemon."""

import os
import pty
import re
import signal
import subprocess
import termios
import unittest
import xml.etree.ElementTree

from harness import DEADLINE, TestCase, binary, examples, ndjson, until

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

    def on_terminal(self, locale, columns=0):
        """What watch draws on a terminal of so many columns; 0: it does not tell."""
        ours, its = pty.openpty()
        termios.tcsetwinsize(its, (24, columns))
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

    @staticmethod
    def lines(drawn):
        """Each as it stands on the screen, without what steers the terminal."""
        return [re.sub(r"\x1b\[\d*[A-Z]", "", line) for line in re.split(r"[\r\n]+", drawn)]

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
        for drawn in (self.on_terminal("C"), self.on_terminal("C.UTF-8")):
            self.assertLessEqual(max(map(len, self.lines(drawn))), 79)
        file = self.ctl("watch", "--count", "2", "--every", "10ms")[0]
        self.assertNotIn("█", file)
        self.assertEqual(file.count("R2  "), 1)
        self.assertIn("unfreeze at 300", file)

    def test_watch_fits_narrow_terminals_and_cuts_no_number(self):
        self.learn()
        status = self.daemon.status()
        r2 = f"{status['recent_r2']:.3f}"
        rows = lambda: self.daemon.get("/v1/history?columns=examples,recent_r2,recent_r2_error").json()["columns"]
        until(lambda: rows()["examples"][-1] == 600, "a row of all examples")  # which comes by the clock
        history = rows()
        newest = rf" {history['recent_r2'][-1]:.4g} (±|\+-) {history['recent_r2_error'][-1]:.2g}$"
        for columns, titles in ((80, "time examples ex/s phase loss ± error R2 ± error queue ckpt"), (79, "time examples ex/s phase loss ± error R2 ± error queue"),
                                (60, "examples ex/s phase loss ± error R2 ± error"), (40, "examples ex/s R2 ± error")):
            for locale in ("C.UTF-8", "C"):
                with self.subTest(columns=columns, locale=locale):
                    lines = self.lines(self.on_terminal(locale, columns))
                    self.assertLess(max(map(len, lines)), columns)
                    shown = [line.replace("+-", "± ").split() for line in lines]
                    self.assertIn(titles.split(), shown)
                    last = [words for words in shown if "600" in words and r2 in words and "±" in words]
                    self.assertTrue(last, lines)
                    curve = next(line for line in lines if line.startswith("R2 "))
                    self.assertRegex(curve, newest)
                    self.assertRegex(lines[[line.startswith("R2 ") for line in lines].index(True) + 4], "unfreeze at 300$")

    def test_watch_fits_a_terminal_whose_size_changes(self):
        self.learn()
        ours, its = pty.openpty()
        self.addCleanup(os.close, ours)
        termios.tcsetwinsize(its, (24, 80))
        with subprocess.Popen(self.command("watch", "--every", "10ms"), stdin=subprocess.DEVNULL, stdout=its, stderr=its,
                              env={**os.environ, "LC_ALL": "C.UTF-8"}) as process:
            self.addCleanup(process.kill)
            self.read_until(ours, "ckpt")
            termios.tcsetwinsize(its, (24, 40))
            self.read_until(ours, r"\n +examples +ex/s +R2 ± error\r")
            lines = self.lines(self.read_until(ours, r"(\n +examples +ex/s +R2 ± error\r[^\n]*\n.*){3}"))
            self.assertLess(max(map(len, lines)), 40)
            termios.tcsetwinsize(its, (24, 80))
            self.read_until(ours, "ckpt")
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(DEADLINE), 0)
        os.close(its)

    @staticmethod
    def read_until(terminal, pattern):
        drawn = ""
        while not re.search(pattern, drawn, re.DOTALL):
            drawn += os.read(terminal, 4096).decode(errors="replace")
        return drawn


if __name__ == "__main__":
    unittest.main()
