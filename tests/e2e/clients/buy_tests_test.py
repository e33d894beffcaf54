"""tools/examples/buy_tests: patients who arrive, tests that cost money, and what is said of both."""

import csv
import os
import random
import re
import subprocess
import sys
import unittest

from harness import TestCase

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "examples")
sys.dont_write_bytecode = True
sys.path.insert(0, EXAMPLES)
import patients_game  # noqa: E402
import priced_sets  # noqa: E402

COSTS = "# prices\n*\t1\nscan 30\nblood1 5.17 blood\nblood2\t3.1,blood\n@blood 2.10\n"
NAMES = ["age", "weight", "blood1", "blood2", "scan", "mood"]


def patients(count, labels=("0", "1")):
    """A CSV with a header; ill are those with a high blood1 and weight; the rest is noise."""
    source = random.Random(3)
    lines = ["ill," + ",".join(NAMES)]
    for _ in range(count):
        x = [round(source.uniform(0, 10), 2) for _ in NAMES]
        ill = x[2] + x[1] + source.gauss(0, 1) > 10
        lines.append(",".join([labels[ill], *map(str, x)]))
    return "\n".join(lines) + "\n"


class Helpers(TestCase):
    def run_it(self, *arguments, status=0, **environment):
        done = subprocess.run([sys.executable, os.path.join(EXAMPLES, "buy_tests"), *map(str, arguments)],
                              env={**os.environ, **environment}, capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def own(self, count=90):
        return ("--data", self.write("own.csv", patients(count)), "--costs", self.write("costs.txt", COSTS))

    def curves(self, folder):
        with open(os.path.join(folder, "buy_tests.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


class WithOwnData(Helpers):
    def test_a_set_of_ones_own(self):
        out = self.path("out")
        done = self.run_it(*self.own(), "--orders", 2, "--share", 0.5, "--no-picture", "--output", out)
        # 3 + 30 + 5.17 + 3.1 + 2.1 = 43.37, and of that the half.
        self.assertIn("own: label 1 (ill", done.stdout)
        self.assertIn("everything costs 43.37 dollars a patient, C is 21.68", done.stdout)
        self.assertIn("dearer than C alone, so never bought within it: scan\n", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^scan +30.00 +0.0% +0.0%$")
        rows = self.curves(out)
        last = {row["method"]: row for row in rows}
        self.assertEqual({row["patients"] for row in last.values()}, {"60"})
        self.assertAlmostEqual(float(last["everything"]["dollars"]), 60 * 43.37, places=6)
        # All tests except the scan fit together: 13.37 a patient, with both methods.
        for method in ("glimpse", "uniform"):
            self.assertAlmostEqual(float(last[method]["dollars"]), 60 * 13.37, places=6)
        # Something was learned: less than a model of the mean alone has.
        self.assertLess(float(last["everything"]["error"]), 0.7)
        self.assertIn("order 2 of 2: everything", done.stderr)
        again = self.path("again")
        self.run_it(*self.own(), "--orders", 2, "--share", 0.5, "--no-picture", "--output", again)
        self.assertEqual(self.curves(again), rows)

    def test_no_patient_costs_more_than_the_limit(self):
        data, costs = self.own(300)[1::2]
        own = priced_sets.read_own(data, costs, None, None)
        limit = priced_sets.amount("9.5")
        for method in ("glimpse", "uniform"):
            course = patients_game.play(method, os.environ["GLIMPSE_BIN"], own, limit, 1, 0, None)
            dollars = [0.0, *(point.dollars for point in course.points)]
            counts = [0, *(point.patients for point in course.points)]
            for i in range(1, len(dollars)):
                self.assertLessEqual(dollars[i] - dollars[i - 1], 9.5 * (counts[i] - counts[i - 1]) + 1e-9)
            # The limit bites: not everybody had every test, and blood was drawn for some.
            self.assertLess(dollars[-1], 9.5 * 200)
            self.assertTrue(0 < course.bought[2] < 200 and 0 < course.bought[3] < 200, course.bought)
            self.assertEqual(course.bought[4], 0)
        source = random.Random(5)
        seen = set()
        for _ in range(200):
            bought = patients_game.uniform_purchase(own.prices, limit, source)
            self.assertLessEqual(own.prices.bill(bought), limit)
            for test in set(range(len(NAMES))) - set(bought):
                self.assertGreater(own.prices.bill([*bought, test]), limit)  # nothing that fits was left
            seen.add(frozenset(bought))
        self.assertGreater(len(seen), 3)

    def test_the_picture(self):
        out = self.path("out")
        arguments = (*self.own(40), "--orders", 1, "--share", 0.5, "--output", out)
        try:
            subprocess.run(["gnuplot", "--version"], check=True, capture_output=True)
        except OSError:
            self.assertIn("gnuplot", self.run_it(*arguments, status=1).stderr)
            self.skipTest("gnuplot is not there")
        self.run_it(*arguments)
        with open(os.path.join(out, "buy_tests.svg"), encoding="utf-8") as file:
            picture = file.read()
        for words in ("glimpse", "uniform buying", "buying everything", "C = 21.68 dollars a patient"):
            self.assertIn(words, picture)

    def test_what_is_missing_or_wrong_is_said(self):
        data, costs = self.own(40)[1::2]
        own = ("--data", data, "--no-picture", "--orders", 1)
        self.assertIn("a SET or --data", self.run_it(status=2).stderr)
        self.assertIn("GLIMPSE_DATA", self.run_it("pima", "--no-picture", status=1, GLIMPSE_DATA="").stderr)
        self.assertIn("COSTS.tsv", self.run_it("pima", "--no-picture", status=1, GLIMPSE_DATA=self.folder).stderr)
        self.assertIn("GLIMPSE_BIN", self.run_it(*own, "--costs", costs, status=1, GLIMPSE_BIN="/nowhere").stderr)
        self.assertIn("no test is so cheap", self.run_it(*own, "--costs", costs, "--limit", 0.5, status=1).stderr)
        for text, what in (("age 1\n", "weight has none"), ("* 1\nage 1 blood\n", "@blood"),
                           ("* 1\nagee 1\n", "line 2"), ("* -1\n", "at least 0"), ("* x\n", "not a price")):
            bad = self.write("bad.txt", text)
            self.assertIn(what, self.run_it(*own, "--costs", bad, status=1).stderr)
        short = self.write("short.csv", patients(40) + "1,2\n")
        self.assertIn("row 41", self.run_it("--data", short, "--costs", costs, status=1).stderr)


@unittest.skipUnless(os.environ.get("GLIMPSE_DATA"), "GLIMPSE_DATA is not set")
class WithTheData(Helpers):
    def test_groups_are_what_tests_share(self):
        heart = priced_sets.read_named("heart_cleveland", os.environ["GLIMPSE_DATA"])
        self.assertEqual(heart.prices.total(), priced_sets.amount("323.97"))
        self.assertEqual(heart.prices.apart().total(), priced_sets.amount("600.57"))
        members = {}
        for name, group in zip(heart.tests, heart.prices.group):
            members.setdefault(group, []).append(name)
        self.assertEqual(sorted(names for group, names in members.items() if group),
                         [["chol", "fbs"], ["exang", "oldpeak", "slope"], ["thalach", "thal"]])
        hepatitis = priced_sets.read_named("hepatitis", os.environ["GLIMPSE_DATA"])
        self.assertEqual(hepatitis.prices.total(), priced_sets.amount("42.98"))
        thyroid = priced_sets.read_named("ann_thyroid", os.environ["GLIMPSE_DATA"])
        self.assertEqual((thyroid.left_out, sum(y for y, _ in thyroid.patients)), (["FTI"], 534))

    def test_heart_cleveland(self):
        out = self.path("out")
        done = self.run_it("heart_cleveland", "--list-prices", "--orders", 2, "--no-picture", "--output", out)
        self.assertIn("everything costs 600.57 dollars a patient, C is 120.11", done.stdout)
        last = {row["method"]: row for row in self.curves(out)}
        self.assertEqual(last["everything"]["patients"], "198")
        self.assertAlmostEqual(float(last["everything"]["dollars"]), 198 * 600.57, places=6)
        money = float(last["glimpse"]["dollars"]) / float(last["everything"]["dollars"])
        self.assertTrue(0.19 < money <= 0.2, money)
        self.assertLess(float(last["everything"]["error"]), 0.6)
        self.assertLess(float(last["glimpse"]["error"]), 0.7)
        self.assertTrue(re.search(r"it was worse in \d of 2 orders", done.stdout), done.stdout)


if __name__ == "__main__":
    unittest.main()
