"""glimpsectl describe and fit: a table, a model and a report without a daemon of one's own."""

import datetime
import gzip
import json
import math
import os
import pty
import random
import re
import resource
import shlex
import subprocess
import unittest

from harness import DEADLINE, TestCase, binary


def table(count, seed=1, classes=False):
    """Rows of a label, two numbers of which one is missing at times, a word, a date and an id."""
    source = random.Random(seed)
    lines = ["amount,units,price,region,day,id\n"]
    for n in range(count):
        units, price, region, day = source.randrange(50), source.randrange(900) / 10, source.choice("nsew"), source.randrange(28)
        amount = 3 * units + 2 * price + (20 if region == "n" else 0) + source.gauss(0, 5)
        label = ("high" if amount > 160 else "low") if classes else f"{amount:.2f}"
        lines.append(f"{label},{units},{price if n % 7 else ''},{region},2024-03-{day + 1:02},{n}\n")
    return "".join(lines)


class Fit(TestCase):
    def ctl(self, *arguments, expect=0, stdin=b"", programs=None):
        """(standard output, standard error)."""
        path = (programs or os.path.dirname(binary("GLIMPSE_BIN"))) + os.pathsep + os.environ["PATH"]
        scratch = self.path("scratch")
        os.makedirs(scratch, exist_ok=True)
        done = subprocess.run([binary("GLIMPSECTL_BIN"), *map(str, arguments)], capture_output=True, timeout=DEADLINE, input=stdin,
                              cwd=self.folder, env={**os.environ, "PATH": path, "TMPDIR": scratch}, check=False)
        self.assertEqual(done.returncode, expect, done.stderr[-500:])
        self.assertEqual(os.listdir(scratch), [])
        return done.stdout.decode(), done.stderr.decode()

    def test_a_table_and_the_name_of_its_label_make_a_model_and_a_report(self):
        self.write("sales.csv", table(2000))
        told, _ = self.ctl("fit", "sales.csv", "--label", "amount")
        self.assertIn("learned 2,000 rows, all of 5 attributes of each\n", told)
        self.assertIn("note: sales.csv: dates and times are numbers of days in column #5 ('day')", told)
        self.assertRegex(told, r"rows +\d\d\d\nR2 +0\.9\d\d ± ")
        self.assertRegex(told, r"price \(\+\) +#{40} 0\.\d+\nunits \(\+\) +#+ 0\.\d+\nregion +#* ?0\.\d+\n")
        self.assertIn("glimpsectl predict NEW.csv --model sales.glimpsed -o predictions.csv\n", told)
        self.assertLess(len(told.splitlines()), 24)
        self.assertIn("2,000", self.ctl("model", "--model", "sales.glimpsed")[0])
        self.assertEqual(len(self.ctl("predict", "sales.csv", "--model", "sales.glimpsed")[0].splitlines()), 2001)

    def test_the_saved_model_is_that_of_glimpsed_and_all_rows(self):
        path = self.write("sales.csv", table(1500))
        self.ctl("fit", "sales.csv", "--label", "amount", "-o", "fitted", "--", "--seed", 7, "--ignore", "id")
        status, _, log = self.run_to_end(path, "--label", "amount", "--budget", "all", "--seed", 7, "--ignore", "id",
                                         "--state-directory", self.path("state"))
        self.assertEqual(status, 0, log)
        models = [self.ctl("model", "--format", "csv", "--model", where)[0] for where in ("fitted", "state")]
        self.assertEqual(models[0], models[1])

    def test_files_patterns_packed_ones_and_standard_input_make_the_same_model(self):
        text = table(900)
        self.write("one.csv", text)
        self.ctl("fit", "one.csv", "--label", "amount", "-o", "wanted")
        wanted = self.ctl("model", "--model", "wanted", "--format", "csv")[0]
        self.write("one.csv.gz", gzip.compress(text.encode()))
        self.ctl("fit", "one.csv.gz", "--label", "amount", "-o", "packed")
        told, _ = self.ctl("fit", "-", "--label", "amount", stdin=gzip.compress(text.encode()))
        self.assertIn("stdin: gzip, csv: header, 5 attributes, label 'amount'", told)
        self.assertIn("\nmodel.glimpsed has learned all rows\n", told)
        lines = text.splitlines(keepends=True)
        self.write("part-1.csv", "".join(lines[:301]))
        self.write("part-2.csv", lines[0] + "".join(lines[301:]))
        self.ctl("fit", "part-?.csv", "--label", "amount", "-o", "parts")
        for model in ("packed", "model.glimpsed", "parts"):
            self.assertEqual(self.ctl("model", "--model", model, "--format", "csv")[0], wanted)
        self.assertEqual(self.ctl("describe", "-", "--label", "amount", stdin=text.encode())[0].splitlines()[2:],
                         self.ctl("describe", "one.csv", "--label", "amount")[0].splitlines()[2:])

    def test_what_can_be_read_once_is_learned_and_predicted_as_a_file_is(self):
        text = table(900)
        self.write("one.csv", text)
        wanted = self.ctl("fit", "one.csv", "--label", "amount", "-o", "wanted")[0]
        os.mkfifo(self.path("pipe.csv"))

        def piped(*arguments):
            with subprocess.Popen(["cp", self.path("one.csv"), self.path("pipe.csv")]):
                return self.ctl(*arguments)[0]

        told = piped("fit", "pipe.csv", "--label", "amount", "-o", "piped")
        self.assertEqual(told.replace("pipe.csv", "one.csv").replace("piped", "wanted"), wanted)
        models = [self.ctl("model", "--model", model, "--format", "csv")[0] for model in ("wanted", "piped")]
        self.assertEqual(models[0], models[1])
        self.assertEqual(piped("predict", "pipe.csv", "--model", "piped"), self.ctl("predict", "one.csv", "--model", "wanted")[0])

    def test_standard_input_that_does_not_fit_into_the_folder_of_temporary_files_is_refused_whole(self):
        scratch = self.path("scratch")
        os.mkdir(scratch)
        # Behind 100,000 bytes each write fails, as on a full disk: SIGXFSZ stays ignored.
        done = subprocess.run([binary("GLIMPSECTL_BIN"), "fit", "-", "--label", "amount", "-o", "model"], capture_output=True, check=False,
                              timeout=DEADLINE, input=table(9000).encode(), cwd=self.folder, env={**os.environ, "TMPDIR": scratch},
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)), restore_signals=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.decode(), "^glimpsectl: stdin must be copied to be read twice: cannot write .*: File too large; TMPDIR=FOLDER")
        self.assertEqual((os.listdir(scratch), os.path.exists(self.path("model"))), ([], False))

    def test_the_report_says_which_rows_were_ignored_and_what_five_attributes_reach(self):
        source = random.Random(3)
        rows = [[source.gauss(0, 1) for _ in range(9)] for _ in range(4000)]
        lines = [f"{4 * x[2] + 2 * x[7] + sum(x[i] for i in (0, 4, 5)) + source.gauss(0, 1):.3f},{','.join(f'{value:.3f}' for value in x)}\n"
                 for x in rows]
        lines[0:0] = [",1,1,1,1,1,1,1,1,1\n"] * 2  # without a label at the beginning
        lines[2000:2000] = ["1,2,3\n"]             # with too few fields in the middle
        lines += [",2,2,2,2,2,2,2,2,2\n"]          # and at the end
        self.write("wide.csv", "y," + ",".join(f"x{i}" for i in range(9)) + "\n" + "".join(lines))
        told, _ = self.ctl("fit", "wide.csv", "--label", "y")
        self.assertIn("learned 4,000 rows, all of 9 attributes of each\nignored: 3 rows without a label, 1 row that could not be read\n", told)
        self.assertRegex(told, r"note: .*line 2002: row has 3 fields")
        few = re.search(r"5 attributes alone \((.*)\): R2 (0\.\d+) ± 0\.\d+\n", told)
        self.assertEqual(set(few[1].split(", ")), {"x0", "x2", "x4", "x5", "x7"})
        whole = float(re.search(r"R2 +(0\.\d+) ", told)[1])
        self.assertAlmostEqual(float(few[2]), whole, delta=0.02)
        self.assertAlmostEqual(whole, 23 / 24, delta=0.02)  # the labels' variance, and that of the noise

    def test_what_five_attributes_reach_is_of_rows_that_they_were_not_chosen_by(self):
        source = random.Random(4)
        for form in ("csv", "ndjson"):
            with self.subTest(form):
                names = ["y", *(f"x, {i}" for i in range(60))]
                rows = [[source.gauss(0, 1) for _ in names] for _ in range(150)]  # noise
                self.write("noise", "\n".join([json.dumps(dict(zip(names, row))) for row in rows] if form == "ndjson" else
                                              [",".join(f'"{name}"' for name in names), *(",".join(map(str, row)) for row in rows)]) + "\n")
                told, _ = self.ctl("fit", "noise", "--label", "y", "-o", "model")
                self.assertLess(float(re.search(r"\n5 attributes alone \((?:x, \d+(?:, )?){5}\): R2 (-?\d\.\d+) ± ", told)[1]), 0.3)

    def test_five_attributes_are_tested_of_classes_and_of_the_first_of_several_labels(self):
        source = random.Random(6)
        rows = [[source.gauss(0, 1) for _ in range(7)] for _ in range(600)]
        self.write("classes.csv", "kind," + ",".join(f"x{i}" for i in range(7)) + "\n" + "".join(
            ",".join(["yes" if 2 * x[1] + source.gauss(0, 1) > 0 else "no", *(f"{value:.3f}" for value in x)]) + "\n" for x in rows))
        self.assertRegex(self.ctl("fit", "classes.csv", "--label", "kind")[0], r"\n5 attributes alone \(x1, .*\): R2 0\.\d+ ± \d")
        self.write("labels.csv", "a,b," + ",".join(f"x{i}" for i in range(7)) + "\n" + "".join(
            ",".join(f"{value:.3f}" for value in (x[1] + x[2], x[3], *x)) + "\n" for x in rows))
        told = self.ctl("fit", "labels.csv", "--label", "a,b")[0]
        self.assertRegex(told, r"\n5 attributes alone \(x., x., .*\) for 'a': R2 (1\.000|0\.99\d) ± \d")

    def test_a_column_matters_as_a_whole_under_its_own_name(self):
        source = random.Random(8)
        begin = datetime.date(2026, 1, 1)
        text = "y,when: UTC,a=b,a\n"
        for day in range(1500):
            when, number, word = begin + datetime.timedelta(days=day % 700), source.gauss(0, 1), source.choice("bcd")
            y = 5 * (when.weekday() >= 5) + 2 * (when.month == 7) + number + (word == "b")
            text += f"{y:.3f},{when},{number:.3f},{word}\n"
        self.write("dates.csv", text)
        told = self.ctl("fit", "dates.csv", "--label", "y", "-o", "model")[0]
        shares = dict(re.findall(r"^(when: UTC|a=b \(\+\)|a) +#+ (\d\.\d+)$", told, re.MULTILINE))
        model = json.loads(self.ctl("model", "--model", "model", "--format", "json")[0])
        of_features = [model["importances"][model["names"].index(name)] for name in ("when: UTC", "a=b")]
        self.assertEqual(shares, dict(zip(("when: UTC", "a=b (+)", "a"),
                                          (f"{share:.3f}" for share in (*of_features, model["categories"][0]["importance"])))))
        self.assertLess(sum(map(float, shares.values())), 1.01)

    def test_of_very_many_rows_the_moments_tell_what_five_attributes_would_reach(self):
        source = random.Random(3)
        rows = [[source.gauss(0, 1) for _ in range(6)] for _ in range(14_000)]
        text = "".join(f"{3 * x[0] + x[3] + x[5] + source.gauss(0, 1):.2f},{','.join(f'{value:.2f}' for value in x)}\n" for x in rows)
        self.write("long.csv", "y,a,b,c,d,e,f\n" + 10 * text)
        told, _ = self.ctl("fit", "long.csv", "--label", "y")
        self.assertAlmostEqual(float(re.search(r"5 attributes alone \(.*\): R2 about (0\.\d+)\n", told)[1]), 11 / 12, delta=0.01)

    def test_a_long_fit_shows_its_rate_on_a_terminal_alone(self):
        self.write("sales.csv", table(400))
        os.mkdir(self.path("programs"))
        real = binary("GLIMPSE_BIN")  # which has another row to wait for, where it learns
        slow = self.write("programs/glimpsed", f'#!/bin/sh\ncase "$*" in *--state-directory*) more="{self.folder}/more-$$"; mkfifo "$more"; '
                                               f'(sleep 3; echo 1,2,3,n,2024-03-01,4) > "$more" & exec "{real}" "$@" --input "$more";; '
                                               f'*) exec "{real}" "$@";; esac\n')
        os.chmod(slow, 0o755)
        path = self.path("programs") + os.pathsep + os.environ["PATH"]
        terminal, end = pty.openpty()
        process = subprocess.Popen([binary("GLIMPSECTL_BIN"), "fit", "sales.csv", "--label", "amount", "-o", "model"], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=end, cwd=self.folder, env={**os.environ, "PATH": path})
        os.close(end)
        shown = b""
        try:
            while piece := os.read(terminal, 4096):
                shown += piece
        except OSError:  # the other end was closed
            pass
        os.close(terminal)
        self.assertEqual(process.wait(DEADLINE), 0, shown[-500:])
        self.assertRegex(shown, rb"\r\[#+ *\] [0-9,]+ rows, [0-9,]+/s ")
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown[-50:])

    def test_the_rows_of_the_report_are_those_that_its_model_has_not_learned(self):
        halves = self.write("first.csv", table(1000)), self.write("second.csv.gz", gzip.compress(table(1000, 2).encode()))
        for files in (halves[:1], halves):
            report = json.loads(self.ctl("fit", *files, "--label", "amount", "--json", "-o", "model")[0])
            test = report["test"]
            self.assertGreater(test["frozen_examples"], 60 * len(files))
            # The same rows gave as many values when they were held out.
            self.assertEqual((test["frozen_examples"], test["frozen_values"]), (test["held_out_examples"], test["held_out_values"]))
            self.assertEqual(test["examples"] + test["frozen_examples"], report["learned"]["examples"])
            self.assertEqual(report["learned"]["examples"], 1000 * len(files))

    def test_the_report_is_of_the_last_model_and_not_of_those_on_the_way(self):
        path = self.write("sales.csv", table(1200))
        status, _, log = self.run_to_end(path, "--label", "amount", "--budget", "all", "--hold-out", "30%", "--learn", "test",
                                         "--state-directory", self.path("state"))
        self.assertEqual(status, 0, log)
        told = json.loads(self.ctl("status", "--json", "--model", "state")[0])
        self.write("fresh.csv", table(4000, seed=5))
        fresh = json.loads(self.ctl("test", "fresh.csv", "--json", "--model", "state")[0])
        self.assertGreater(told["frozen_examples"], 300)
        self.assertLess(told["frozen_rmse"], 0.95 * told["held_out_rmse"])
        self.assertAlmostEqual(told["frozen_rmse"], fresh["rmse"], delta=0.2 * fresh["rmse"])

    def test_classes_are_reported_as_such(self):
        self.write("sales.csv", table(2000, classes=True))
        told, _ = self.ctl("fit", "sales.csv", "--label", "amount")
        self.assertRegex(told, r"wrong +\d+\.\d % ± .*\nlog loss +0\.\d+.*\nBrier score +0\.\d+.*\ncalibration error +0\.\d+")

    def test_one_attribute_is_learned_from_in_any_order_of_rows(self):
        rows = [(i / 1000, 3 * i / 1000 + 2 + (i * 7919 % 13 - 6) / 20) for i in range(5000)]
        for order in (rows, rows[::-1], sorted(rows, key=lambda row: row[1] * 1e4 % 7)):
            self.write("one.csv", "x,y\n" + "".join(f"{x},{y}\n" for x, y in order))
            told, _ = self.ctl("fit", "one.csv", "--label", "y")
            self.assertGreater(float(re.search(r"^R2 +(\S+)", told, re.M)[1]), .99, told)

    def test_of_several_labels_each_is_reported_with_its_errors(self):
        source = random.Random(1)
        rows = [(n % 40, n % 31) for n in range(1500)]
        self.write("two.csv", "first,a,second,b\n" + "".join(f"{2 * a + b + source.gauss(0, 3)},{a},{b - a + source.gauss(0, 9)},{b}\n" for a, b in rows))
        told, _ = self.ctl("fit", "two.csv", "--label", "first,second")
        self.assertRegex(told, r"on the others, in the unit of each label\nrows .*\nR2 of 'first' +0\.9\d\d ± .*\nerror of 'first' +root mean square [23]\.\d+, "
                               r"mean 2\.\d+, .*\nR2 of 'second' +0\.[67]\d\d ± .*\nerror of 'second' +root mean square [89]\.\d+, mean [67]\.\d+, ")
        self.assertIn("\nwhat matters for 'first' ", told)

    def test_a_table_is_observed_in_part_only_where_that_takes_long(self):
        source = random.Random(1)
        rows = [["y", *(f"x{i}" for i in range(300))], *([str(source.randrange(9)) for _ in range(301)] for _ in range(50))]
        text = "".join(",".join(row) + "\n" for row in rows)
        self.write("wide.csv", text)
        for budget in ((), ("--budget", "auto")):
            told = self.ctl("fit", "wide.csv", "--label", "y", *budget)[0]
            self.assertIn("learned 50 rows, all of 300 attributes of each\n", told)
            self.assertNotIn("--budget", told)
        self.write("long.csv", text + "\n" * 700_000)  # which count as rows before they are read
        told = self.ctl("fit", "long.csv", "--label", "y")[0]
        self.assertIn("learned 50 rows, 292 of 300 attributes of each\n"
                      "chosen by --budget auto: all of about 700,051 rows would take about 1 min 03 s of one core (--budget all)\n", told)
        self.assertNotIn("--budget auto", self.ctl("fit", "long.csv", "--label", "y", "--budget", 20)[0])

    def test_where_the_mean_of_the_labels_answers_the_report_says_why_and_what_to_type(self):
        source = random.Random(3)
        rows = []
        for _ in range(3000):
            x = [source.gauss(0, 1) for _ in range(5)]
            rows.append([round(math.exp(1.2 * x[0] + .6 * source.gauss(0, 1))), *x])
        text = lambda made: "y,a,b,c,d,e\n" + "".join(",".join(f"{value:.4f}" for value in row) + "\n" for row in made)
        self.write("in order.csv", text(sorted(rows, reverse=True)))
        cause = "the mean of the labels answers in place of the model, which predicted later rows worse"
        told, _ = self.ctl("fit", "in order.csv", "--label", "y", "-o", "m")
        self.assertEqual(told.count(cause), 1, told)
        self.assertIn(cause, self.ctl("test", "in order.csv", "--model", "m")[0])
        command = re.search(r"(?m)^\(head .*$", told)[0]
        self.assertEqual(command, "(head -n 1 'in order.csv'; tail -n +2 'in order.csv' | shuf) | glimpsectl fit - --label y -o m")
        shuffled = subprocess.run(["sh", "-c", command.split(" | glimpsectl")[0]], cwd=self.folder, capture_output=True, check=True).stdout
        told, _ = self.ctl(*shlex.split(command.split(" | glimpsectl ")[1]), stdin=shuffled)
        self.assertNotIn(cause, told)
        self.assertNotIn(cause, self.ctl("test", "in order.csv", "--model", "m")[0])

    def test_a_table_of_any_width_and_without_names_is_fitted(self):
        source = random.Random(1)
        for width, header in ((2, False), (1500, True)):  # what glimpsed says of 1,500 columns is over 64 KiB
            with self.subTest(width):
                rows = [["y", *(f"attribute{i}" for i in range(width))]] if header else []
                rows += [[str(source.randrange(9)) for _ in range(width + 1)] for _ in range(40)]
                self.write("table.csv", "".join(",".join(row) + "\n" for row in rows))
                label = "y" if header else "#1"
                told, _ = self.ctl("fit", "table.csv", f"--label={label}")
                self.assertIn(f"learned 40 rows, all of {width:,} attributes of each\n", told)
                self.assertRegex(told, r"\nattribute ?\d+")
                wanted = subprocess.run([binary("GLIMPSE_BIN"), "--dry-run", "--input", "table.csv", f"--label={label}"], cwd=self.folder,
                                        capture_output=True, timeout=DEADLINE, check=True).stdout.decode()
                self.assertEqual(self.ctl("describe", "table.csv", f"--label={label}")[0], wanted)

    def test_lines_that_do_not_say_their_attributes_need_a_budget(self):
        self.write("lines.svmlight", "".join(f"{n % 5} 1:{n % 5} 2:{n % 3}\n" for n in range(100)))
        arguments = ("fit", "lines.svmlight", "--label", "y")
        self.assertIn("--budget says how many", self.ctl(*arguments, "--", "--dimension", 2, expect=2)[1])
        self.assertIn("--dimension", self.ctl(*arguments, "--budget", "all", expect=2)[1])
        told, _ = self.ctl(*arguments, "--budget", "all", "--", "--dimension", 2)
        self.assertIn("learned 100 rows, all of 2 attributes of each\n", told)

    def test_describe_says_what_dry_run_says(self):
        path = self.write("sales.csv", table(300))
        for form in ((), ("--json",)):
            wanted = subprocess.run([binary("GLIMPSE_BIN"), "--dry-run", *form, "--input", path, "--label", "amount", "--ignore", "id"],
                                    capture_output=True, timeout=DEADLINE, check=True).stdout.decode()
            self.assertEqual(self.ctl("describe", path, *form, "--label", "amount", "--", "--ignore", "id")[0], wanted)

    def test_describe_fails_where_it_says_that_a_file_would_be_refused(self):
        for name, text in (("a.csv", table(30)), ("b.csv", table(30)), ("no.svm", "1 1:2 3:4\n2 1:1\n"), ("no.ndjson", '{"a":1,"b":2}\n' * 9)):
            self.write(name, text)
        for names, refused in ((("a.csv", "b.csv"), ()), (("no.svm", "a.csv"), ("no.svm",)), (("a.csv", "no.svm", "b.csv"), ("no.svm",)),
                               (("a.csv", "no.ndjson"), ("no.ndjson",)), (("no.svm", "none", "no.ndjson"), ("no.svm", "none", "no.ndjson"))):
            for options in ((), ("--json",)):
                with self.subTest(names=names, options=options):
                    told, error = self.ctl("describe", *names, *options, expect=1 if refused else 0)
                    self.assertEqual(told.count('"refused":' if options else "\nit would be refused: "), len(set(refused) - {"none"}))
                    self.assertEqual(re.findall(r"(?m)^glimpsectl: (?:--input )?'?([\w.]+)'?(?: would be refused$|: No such file)", error), list(refused))

    def test_describe_describes_every_file_and_fails_where_one_cannot_be_read(self):
        for name, count in (("a.csv", 100), ("b.csv", 150), ("c.csv", 200)):
            self.write(name, table(count))
        with open(self.path("model"), "wb") as file:
            file.write(b"\x40\x01\0\0\0\0\0\0{\"__metadata__\":{}}")
        alone = {name: self.ctl("describe", name, "--label", "amount")[0] for name in ("a.csv", "b.csv", "c.csv")}
        self.assertEqual(self.ctl("describe", "a.csv", "b.csv", "c.csv", "--label", "amount")[0], "\n".join(alone.values()))
        self.assertEqual(self.ctl("describe", "?.csv", "--label", "amount")[0], "\n".join(alone.values()))
        documents = self.ctl("describe", "c.csv", "a.csv", "--label", "amount", "--json")[0].splitlines()
        self.assertEqual([json.loads(line)["input"] for line in documents], ["c.csv", "a.csv"])
        for names, reason in ((("none", "a.csv", "b.csv"), "none: No such file"), (("a.csv", "none", "b.csv"), "none: No such file"),
                              (("a.csv", "b.csv", "none"), "none: No such file"), (("a.csv", ".", "b.csv"), ".: is a directory"),
                              (("model", "a.csv", "b.csv"), "this is a checkpoint of glimpsed")):
            with self.subTest(names):
                told, error = self.ctl("describe", *names, "--label", "amount", expect=1)
                self.assertEqual(told, alone["a.csv"] + "\n" + alone["b.csv"])
                self.assertRegex(error, f"^glimpsectl: .*{reason}")
        _, error = self.ctl("describe", "none", "a.csv", "never", "--label", "amount", expect=1)
        self.assertRegex(error, "none: No such file.*\n.*never: No such file")

    def test_a_mark_for_missing_values_in_many_columns_is_one_note(self):
        source = random.Random(1)
        cell = lambda: -999 if source.random() < .05 else source.randrange(50)
        self.write("far.csv", ",".join(["y", *(f"c{k}" for k in range(40))]) + "\n" + "".join(
            ",".join(map(str, [n % 7, *(cell() for _ in range(40))])) + "\n" for n in range(400)))
        wanted = "-999 stands in 40 columns, 'c0', 'c1', 'c2', …, far from all others: -- --missing=-999 where"
        for command in ("describe", "fit"):
            told = self.ctl(command, "far.csv", "--label", "y")[0]
            self.assertEqual((told.count("far from all others"), told.count(wanted)), (1, 1), told)
        told = self.ctl("describe", "far.csv", "--label", "y", "--", "--ignore", ",".join(f"c{k}" for k in range(1, 40)))[0]
        self.assertIn("far from all others: -- --missing c0=-999", told)

    def test_what_is_wrong_is_told_and_leaves_nothing(self):
        for name, text in (("sales.csv", table(100)), ("header.csv", "y,a,b\n"), ("empty.csv", "")):
            self.write(name, text)
        os.mkdir(self.path("folder"))
        with open(self.path("model.glimpsed"), "wb") as file:
            file.write(b"\x40\x01\0\0\0\0\0\0{\"__metadata__\":{}}")
        for arguments, status, told in (
                (("sales.csv",), 2, "fit needs --label NAME"), ((), 2, "fit needs a file"),
                (("-", "--label", "amount"), 1, "'-' has no row to learn from"),
                (("header.csv", "--label", "y"), 1, "'header.csv' has no row to learn from"), (("empty.csv", "--label", "y"), 1, "'empty.csv' has no row to learn from"),
                (("model.glimpsed", "--label", "y"), 1, "this is a checkpoint of glimpsed"), (("folder", "--label", "y"), 1, "folder: is a directory"),
                (("no*.csv", "--label", "y"), 1, "no file matches 'no*.csv'"),
                (("sales.csv", "--label", "nope"), 2, "the header has no such column; it has 'amount'"),
                (("no.csv", "--label", "y"), 1, "no.csv: No such file or directory"),
                (("sales.csv", "--label", "amount", "--budget", "some"), 2, "--budget some: must be a whole number"),
                (("sales.csv", "--label", "amount", "--", "--no-such"), 2, "unrecognised option '--no-such'"),
                (("sales.csv", "--label", "amount", "--", "--budget", "3"), 2, "--budget is an option of fit itself: it stands in front of --"),
                (("sales.csv", "--label", "amount", "--", "--state-directory", "x"), 2, "--state-directory behind -- is decided by fit itself: leave it out"),
                (("sales.csv", "--label", "amount", "--", "--clip", "off"), 2, "--clip behind -- is decided by fit itself: leave it out"),
                (("sales.csv", "--label", "amount", "--", "--hold-out=20%"), 2, "--hold-out behind -- is decided by fit itself: leave it out"),
                (("sales.csv", "--label", "amount", "-o", "nowhere/model"), 1, "nowhere/model")):
            with self.subTest(arguments):
                self.assertIn(told, self.ctl("fit", *arguments, expect=status)[1])
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith("glimpsed")], ["model.glimpsed"])
        self.write("same.glimpsed", table(100))
        for arguments in (("sales.csv", "-o", "sales.csv"), ("same.glimpsed",)):
            told = self.ctl("fit", *arguments, "--label", "amount", expect=2)[1]
            self.assertIn(f"'{arguments[-1]}' is '{arguments[0]}' itself, which is read: name another file", told)
        self.write("unlabelled.csv", "y,a\n,1\n,2\n")
        told = self.ctl("fit", "unlabelled.csv", "--label", "y", expect=1)[1]
        self.assertNotIn("state kept", told)

    def test_why_it_failed_is_told_and_no_note_in_its_place(self):
        self.write("dates.csv", table(100))  # whose note says how dates are read
        self.write("others.csv", "amount,other\n" + "1,2\n" * 50)
        for arguments, status, told in (
                (("dates.csv", "--label", "amount", "--", "--costs", "none"), 2, "glimpsectl: --costs none: "),
                (("dates.csv", "others.csv", "--label", "amount"), 1,
                 "glimpsectl: others.csv: nothing of it was learned: all of its records were refused: line 1: ")):
            with self.subTest(arguments):
                self.assertIn(told, self.ctl("fit", *arguments, expect=status)[1])
        os.mkdir(self.path("programs"))
        os.chmod(self.write("programs/glimpsed", "#!/bin/sh\nkill -9 $$\n"), 0o755)
        told = self.ctl("fit", "dates.csv", "--label", "amount", expect=1, programs=self.path("programs"))[1]
        self.assertIn("glimpsed was ended by signal 9 (Killed)", told)

    def test_commands_that_are_printed_can_be_pasted(self):
        name = "it's $HOME & more.csv"
        quoted = '"paid, in ""$"""'
        rows = "".join(f"{n % 7},{n % 9 if n % 20 else 'odd'},{n % 5},{n % 9 if n % 20 else 'odd'}\n" for n in range(400))
        self.write(name, f'{quoted},"a code, ""x""",w,plain code\n{rows}')
        told, _ = self.ctl("fit", name, "--label", quoted)
        command = re.search(r"(?m)^glimpsectl (predict NEW\.csv --model .*)$", told)[1]
        self.write("NEW.csv", f'"a code, ""x""",w,plain code\n3,4,5\n')
        self.assertEqual(self.ctl(*shlex.split(command)), ("", ""))
        advised = [shlex.split(words) for words in re.findall(r"-- (--categories .*?) takes all as words", told)]
        self.assertEqual(len(advised), 2, told)
        told, _ = self.ctl("fit", name, "--label", quoted, "--", *advised[0], *advised[1])
        self.assertNotIn("--categories", told)

    def test_a_report_says_where_nothing_can_be_learned_or_tested(self):
        self.write("alike.csv", "y,a\n" + "".join(f"5,{n}\n" for n in range(100)))
        told, _ = self.ctl("fit", "alike.csv", "--label", "y")
        self.assertIn("the label is 5 in every row: nothing can be learned of what decides it\n", told)
        self.assertNotIn("held out", told)
        self.write("one.csv", "y,a\n1,2\n")
        self.assertIn("no row was held out, as there are too few: the model is not tested\n", self.ctl("fit", "one.csv", "--label", "y")[0])

    def test_a_model_of_a_part_of_the_rows_is_not_taken_for_one_of_all(self):
        os.mkdir(self.path("programs"))
        real = binary("GLIMPSE_BIN")
        slow = self.write("programs/glimpsed", f'#!/bin/sh\ncase "$*" in *--state-directory*) "{real}" "$@" --serve --http "unix:{self.folder}/$$" & sleep 1; kill -TERM $!; wait $!;; '
                                               f'*) exec "{real}" "$@";; esac\n')
        os.chmod(slow, 0o755)
        self.write("sales.csv", table(100))
        _, told = self.ctl("fit", "sales.csv", "--label", "amount", expect=1, programs=self.path("programs"))
        self.assertIn("a signal ended glimpsed before it had read all: stopping: SIGTERM", told)
        self.assertFalse(os.path.exists(self.path("sales.glimpsed")))


    def test_what_a_note_advises_stands_where_it_is_taken(self):
        lines = ["y,code,w\n", *(f"{n % 7},{n % 9 if n % 20 else 'odd'},{n % 5}\n" for n in range(400))]
        self.write("codes.csv", "".join(lines))
        told, _ = self.ctl("fit", "codes.csv", "--label", "y")
        advised = re.search(r"(-- --categories code) ", told)
        self.assertTrue(advised, told)
        self.assertNotIn("--categories", self.ctl("fit", "codes.csv", "--label", "y", *advised[1].split())[0])
        self.assertIn("-- --categories code", self.ctl("describe", "codes.csv", "--label", "y")[0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
