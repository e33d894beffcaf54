"""glimpsectl plot and watch, against the real daemon."""

import collections
import os
import pty
import random
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

    def run_ctl(self, *arguments):
        given = self.command(*arguments)
        if "fit" in arguments or "--model" in arguments:
            del given[1:3]
        path = os.path.dirname(binary("GLIMPSE_BIN")) + os.pathsep + os.environ["PATH"]
        return subprocess.run(given, capture_output=True, timeout=DEADLINE, env={**os.environ, "PATH": path}, check=False)

    def ctl(self, *arguments, expect=0):
        done = self.run_ctl(*arguments)
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

    def plotted(self, *arguments):
        """The texts of a picture, its elements by class, and what was said beside it."""
        said = self.ctl("plot", *arguments, "--output", self.path("p.svg"))
        picture = xml.etree.ElementTree.parse(self.path("p.svg")).getroot()
        by_class = collections.defaultdict(list)
        for element in picture.iter():
            by_class[element.get("class", "")].append(element)
        return [text.text or "" for text in picture.iter(SVG + "text")], by_class, "".join(said)

    def test_the_picture_has_importances_and_a_tables_rows_against_what_is_predicted(self):
        source = random.Random(1)
        made = [[source.randrange(100) for _ in range(3)] for _ in range(500)]
        names = ["rain & wind", "long" * 30, "c", "word"]
        label = lambda a, b, n: f"{3 * a - 2 * b + 200 * (n % 3 == 0):,}"
        header = ",".join([*names, "y"]) + "\n"
        table = header + "".join(f'{a},{b},{c},{"xyz"[n % 3]},"{label(a, b, n)}"\n' for n, (a, b, c) in enumerate(made))
        lacking = self.write("lacking.csv", table + "1,2,3,x,\n1,2,3,x,unknown\n")
        table = self.write("table.csv", table)
        fit = lambda model, *arguments: self.assertEqual(self.run_ctl("fit", *arguments, "-o", self.path(model)).returncode, 0)
        fit("number", table, "--label", "y")
        texts, by_class, said = self.plotted(table, "--model", self.path("number"))
        self.assertEqual(said, "")
        shown = [text for text in texts if text.startswith(("rain", "long", "c (", "word"))]
        self.assertEqual(shown[:3], ["word", "rain & wind (+)", "long" * 16 + "l… (-)"])
        self.assertEqual(len([rect for rect in by_class["dot c0"] if rect.tag == SVG + "circle"]), 500)
        self.assertTrue([text for text in texts if text.startswith("Predicted against true: 500 rows; R² 0.9") or text.endswith("R² 1.000")], texts)
        # A row whose label is none is left out, and the output says so.
        texts, by_class, said = self.plotted(lacking, "--model", self.path("number"))
        self.assertIn("2 rows left out", said)
        self.assertEqual(len([rect for rect in by_class["dot c0"] if rect.tag == SVG + "circle"]), 500)
        # Classes, and one of several labels.
        fit("classes", table, "--label", "word")
        texts, by_class, _ = self.plotted(table, "--model", self.path("classes"))
        self.assertEqual([text for text in texts if text.endswith(" rows)")], ["x (167 rows)", "y (167 rows)", "z (166 rows)"])
        fit("several", table, "--label", "y,c")
        for label, drawn in (((), "y"), (("--label", "c"), "c")):
            texts = self.plotted(table, *label, "--model", self.path("several"))[0]
            self.assertIn(f"{drawn}: R²: the share of the labels' variance that is predicted", texts)
        self.assertIn("did you mean 'y'", self.ctl("plot", table, "--label", "yy", "--model", self.path("number"), expect=1)[1])
        self.assertIn("plot draws of tables", self.ctl("plot", self.write("a.vw", "1 | a:1\n2 | a:2\n" * 9), "--model", self.path("number"), expect=1)[1])

    def test_without_a_choice_the_column_that_the_model_names_is_the_true_one(self):
        made = [(n % 31, n % 17) for n in range(400)]
        table = self.write("table.csv", "id,a,y,b,note\n" + "".join(f"{n},{a},{2 * a - b},{b},x{n % 3}\n" for n, (a, b) in enumerate(made)))
        plain = self.write("plain.csv", "".join(f"{2 * a - b},{a},{b}\n" for a, b in made))
        other = self.write("other.csv", "id,a,z,b\n1,2,3,4\n")
        drawn = "Predicted against true: 400 rows; R² 1.000"
        for model, file, options in (("first", table, ("--label", "y", "--", "--ignore", "id,note")), ("last", plain, ("--label", "#1"))):
            with self.subTest(model):
                self.assertEqual(self.run_ctl("fit", file, "-o", self.path(model), *options).returncode, 0)
                self.assertIn(drawn, self.plotted(file, "--model", self.path(model))[0])
        self.assertIn("--label NAME says which column of", self.ctl("plot", other, "--model", self.path("first"), expect=2)[1])
        self.assertIn("--label NAME says which column of", self.ctl("plot", table, "--model", self.path("last"), expect=2)[1])

    def test_of_many_attributes_those_that_matter_most_are_drawn(self):
        source = random.Random(1)
        made = [[source.gauss(0, 1) for _ in range(60)] for _ in range(400)]
        table = ",".join(["y", *(f"a{k}" for k in range(60))]) + "\n"
        table += "".join(f"{sum((60 - k) * value for k, value in enumerate(row)):.3f}," + ",".join(f"{value:.3f}" for value in row) + "\n" for row in made)
        self.assertEqual(self.run_ctl("fit", self.write("wide.csv", table), "--label", "y", "-o", self.path("wide")).returncode, 0)
        texts, by_class, said = self.plotted("--model", self.path("wide"))
        self.assertIn("predicted against true is drawn of a table with labels: plot FILE", said)
        self.assertIn("What matters: importances ± standard errors (20 of 60 attributes)", texts)
        names = [text for text in texts if text.endswith("(+)")]
        self.assertEqual(len(names), 20)
        self.assertLess(sum(int(name[1:-4]) for name in names), 20 * 20)
        self.assertEqual(len([rect for rect in by_class["dot c0"] if rect.tag == SVG + "rect"]), 20)

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
