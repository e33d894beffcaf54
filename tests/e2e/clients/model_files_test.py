"""glimpsectl --model asks a checkpoint or a state directory as it would ask a daemon, and leaves nothing behind."""

import csv
import glob
import gzip
import io
import json
import os
import random
import re
import signal
import statistics
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

    @staticmethod
    def read(path):
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()

    def predicted(self, *arguments, **keywords):
        return list(csv.DictReader(io.StringIO(self.ctl("predict", *arguments, **keywords)[0])))

    def test_a_folder_its_newest_checkpoint_and_a_daemon_on_it_answer_the_same(self):
        folder = self.learned()
        newest = max(glob.glob(os.path.join(folder, "checkpoint-*")))
        asked = self.write("asked.csv", table([("", *row[1:]) for row in rows(30, 2)]))
        daemon = self.start("--restore", newest, "--learn", "off")
        server = ("--server", f"unix:{daemon.http_path}")
        for command in (("model", "--format", "csv"), ("moments",), ("predict", asked, "--keep", "a"),
                        ("plot",), ("ask", "--for", "prediction", "--known", "a=3")):
            with self.subTest(command[0]):
                wanted = self.ctl(*command, *server)
                if command == ("plot",):  # a picture of a file says what a table would add
                    wanted = (wanted[0], "glimpsectl: predicted against true is drawn of a table with labels: plot FILE\n")
                self.assertEqual(self.ctl(*command, model=folder), wanted)
                self.assertEqual(self.ctl(*command, model=newest), wanted)
        of_server = self.ctl("predict", asked, "--format", "csv", "--explain", *server)[0]
        wanted = re.sub(r"(?m)^example (\d+)", lambda found: f"line {int(found[1]) + 1}", of_server)
        for command in (("explain", asked), ("predict", asked, "--explain")):
            self.assertEqual(self.ctl(*command, model=folder), (wanted, ""))
        # Without one of its options the command prints to a daemon's user what it always did.
        lines = self.ctl("predict", asked, "--format", "csv", *server)[0].splitlines()
        told = self.ctl("predict", asked, model=folder)[0].splitlines()
        self.assertEqual([line.split(",")[0] for line in told], ["prediction", *lines])
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
        self.assertRegex(told, r"rows +100\nR2 +1\.000 ± ")
        report = json.loads(self.ctl("test", self.path("held.csv"), "--json", model=folder)[0])
        predicted = [row["prediction"] for row in self.predicted(self.path("held.csv"), model=folder)]
        errors = [abs(float(row[0]) - float(value)) for row, value in zip(held, predicted)]
        self.assertEqual(report["examples"], 100)
        self.assertAlmostEqual(report["rmse"], (sum(e * e for e in errors) / 100) ** .5, places=6)
        self.assertAlmostEqual(report["mean_absolute_error"], sum(errors) / 100, places=6)
        spread = statistics.pvariance([float(row[0]) for row in held])  # as scikit-learn's r2_score
        self.assertAlmostEqual(report["r2"], 1 - sum(e * e for e in errors) / 100 / spread, places=9)
        bad = self.write("bad.csv", table([*held[:5], ("1", "2"), *held[5:]]))
        told, error = self.ctl("test", bad, model=folder, expect=1)
        self.assertIn("rows   100\n", told)
        self.assertIn("'" + bad + "' line 7: row has 2 fields", error)
        told, _ = self.ctl("test", self.write("classes.csv", table(rows(200, 5, True))), model=self.learned("classes", True))
        self.assertRegex(told, r"wrong +\d+\.\d % ± .*\nlog loss +0\.\d+.*\nBrier score +0\.\d+")

    def test_a_table_is_predicted_as_csv_beside_the_columns_that_are_kept(self):
        folder = self.learned()
        made = rows(300, 2)
        names = [f"row {n}, \"{n}\"" for n in range(300)]
        asked = self.write("asked.csv", "name;word;b;note;a\n" + "".join(
            f"\"{name.replace(chr(34), chr(34) * 2)}\";{word};{b};{n};{a}\n" for n, (name, (_, a, b, word)) in enumerate(zip(names, made))))
        told = self.predicted(asked, "--keep", "name,note,a", model=folder)
        self.assertEqual([list(row) for row in told], [["name", "note", "a", "prediction", "lower", "upper"]] * 300)
        self.assertEqual([(row["name"], row["note"], row["a"]) for row in told], [(name, str(n), row[1]) for n, (name, row) in enumerate(zip(names, made))])
        plain = self.predicted(self.write("plain.csv", table(made)), model=folder)
        self.assertEqual([row["prediction"] for row in plain], [row["prediction"] for row in told])
        inside = sum(float(row["lower"]) <= float(label[0]) <= float(row["upper"]) for row, label in zip(told, made))
        self.assertGreater(inside, 250)
        for row in told:
            self.assertAlmostEqual(float(row["upper"]) + float(row["lower"]), 2 * float(row["prediction"]), places=5)
        # Packed, from standard input, into a file, and again: the same.
        packed = self.write("packed.csv.gz", gzip.compress(self.read(asked).encode()))
        again = self.predicted(packed, "--keep", "name,#4,a", model=folder)
        self.assertEqual([row["prediction"] for row in again], [row["prediction"] for row in told])
        wanted = self.ctl("predict", asked, "--keep", "name,note", model=folder)[0]
        path = os.path.dirname(binary("GLIMPSE_BIN")) + os.pathsep + os.environ["PATH"]
        with open(asked, "rb") as source:
            done = subprocess.run([binary("GLIMPSECTL_BIN"), "predict", "-", "--keep", "name,note", "--model", folder, "-o", self.path("out.csv")],
                                  stdin=source, capture_output=True, timeout=DEADLINE, env={**os.environ, "PATH": path}, check=True)
        self.assertEqual((done.stdout, done.stderr), (b"", b""))
        self.assertEqual(self.read(self.path("out.csv")), wanted)

    def test_a_table_of_several_pieces_is_predicted_row_by_row(self):
        folder = self.learned()
        made = rows(60000, 4)
        asked = self.write("asked.csv", table([("", *row[1:-1], row[-1] + " " * 15) for row in made]))
        self.assertGreater(os.path.getsize(asked), 1_300_000)
        told = self.predicted(asked, "--keep", "a,b", model=folder)
        self.assertEqual([(row["a"], row["b"]) for row in told], [row[1:3] for row in made])
        for n in (0, 30000, 59999):
            alone = self.predicted(self.write("alone.csv", table([made[n]])), model=folder)
            self.assertEqual(alone[0]["prediction"], told[n]["prediction"])

    def test_classes_are_predicted_with_a_probability_of_each(self):
        folder = self.learned("classes", classes=True)
        made = rows(50, 2, classes=True)
        asked = self.write("asked.csv", table(made))
        told = self.predicted(asked, "--keep", "a", model=folder)
        self.assertEqual(set(told[0]), {"a", "prediction", "probability_yes", "probability_no"})
        for row in told:
            chances = {name: float(row[f"probability_{name}"]) for name in ("yes", "no")}
            self.assertAlmostEqual(sum(chances.values()), 1)
            self.assertEqual(row["prediction"], max(chances, key=chances.get))
        self.assertGreater(sum(row["prediction"] == label[0] for row, label in zip(told, made)), 40)
        likeliest = self.predicted(asked, "--predict", "label", model=folder)
        self.assertEqual([row["probability"] for row in likeliest], [row[f"probability_{row['prediction']}"] for row in told])

    def test_of_several_labels_each_has_a_prediction_and_an_interval(self):
        lines = "".join(f"{n % 17},{n % 23},{n % 17 * 2 + n % 23},{n % 23 - 1}\n" for n in range(300))
        path, folder = self.write("table.csv", "a,b,first,second\n" + lines), self.path("state")
        self.assertEqual(self.run_to_end("--budget", "all", "--label", "first,second", "--state-directory", folder, "--input", path)[0], 0)
        told = self.predicted(path, "--keep", "second", model=folder)
        self.assertEqual(list(told[0]), ["second", *(f"{what}_{label}" for label in ("first", "second") for what in ("prediction", "lower", "upper"))])
        self.assertTrue(all(abs(float(row["second"]) - float(row["prediction_second"])) < 1 for row in told))
        one = self.predicted(path, "--label", "second", model=folder)
        self.assertEqual([row["prediction"] for row in one], [row["prediction_second"] for row in told])

    def test_of_several_labels_each_is_tested_and_one_is_explained(self):
        lines = [f"{n % 17},{n % 23},{n % 17 * 2 + n % 23 + n % 3},{n % 23 - n % 5}\n" for n in range(300)]
        path, folder = self.write("table.csv", 'a,b,first,"sec,ond"\n' + "".join(lines)), self.path("state")
        self.assertEqual(self.run_to_end("--budget", "all", "--label", 'first,"sec,ond"', "--state-directory", folder, "--input", path)[0], 0)
        told, _ = self.ctl("test", path, model=folder)
        predicted = self.predicted(path, model=folder)
        for of in json.loads(self.ctl("test", path, "--json", model=folder)[0])["labels"]:
            errors = [float(row["prediction_" + of["name"]]) - float(line.split(",")[2 if of["name"] == "first" else 3]) for row, line in zip(predicted, lines)]
            self.assertAlmostEqual(of["rmse"], (sum(e * e for e in errors) / 300) ** .5, places=6)
            self.assertAlmostEqual(of["mean_absolute_error"], sum(map(abs, errors)) / 300, places=6)
            self.assertRegex(told, rf"R2 of '{of['name']}' +{of['r2']:.3f} ± .*\nerror of '{of['name']}' +root mean square {of['rmse']:.3f}, mean ")
        # A table of questions may have some of the labels, which nobody asks for.
        some = self.write("some.csv", 'a,"sec,ond",b\n' + "".join(f"{line.split(',')[0]},odd,{line.split(',')[1]}\n" for line in lines))
        self.assertEqual(self.predicted(some, model=folder), predicted)
        self.assertIn("has no column 'first', the label that test", self.ctl("test", some, model=folder, expect=1)[1])
        self.assertIn("the model has columns 'first', 'sec,ond': give --label NAME", self.ctl("explain", path, model=folder, expect=2)[1])
        self.assertIn("line 301: ", self.ctl("explain", path, "--label", "sec,ond", model=folder)[0])

    def test_an_explanation_is_of_the_line_on_which_its_row_begins(self):
        folder = self.learned()
        made = [",".join(map(str, row[1:])) for row in rows(2000, 2)]
        text = "\n".join(["a,b,word", made[0], "", *made[1:1000], "", "", *made[1000:]]) + "\n"
        places = lambda text: [int(found) for found in re.findall(r"(?m)^line (\d+): ", self.ctl("explain", self.write("asked.csv", text), model=folder)[0])]
        self.assertEqual(places(text), [2, *range(4, 1003), *range(1005, 2005)])
        self.assertEqual(places("\n".join(made) + "\n"), [*range(1, 2001)])
        self.assertEqual(places(f"a,b,word\n\n{made[0]}\n"), [3])

    def test_units_and_dates_are_read_as_they_were_learned_in_any_piece(self):
        lines = [f"{2 * n % 77},${n % 50}.5,2024-{n % 12 + 1:02}-{n % 28 + 1:02},{'x' * 20}\n" for n in range(40000)]
        header = "y,price,day,word\n"
        path = self.write("table.csv", header + "".join(lines))
        folder = self.path("state")
        self.assertEqual(self.run_to_end("--budget", "all", "--label", "y", "--state-directory", folder, "--input", path)[0], 0)
        told = [row["prediction"] for row in self.predicted(path, model=folder)]
        self.assertEqual(len(told), 40000)
        self.assertEqual(self.ctl("predict", path, model=folder)[1], "")
        for n in (0, 39999):
            self.assertEqual(self.predicted(self.write("one.csv", header + lines[n]), model=folder)[0]["prediction"], told[n])
        self.assertEqual(json.loads(self.ctl("test", path, "--json", model=folder)[0])["examples"], 40000)

    def test_numbers_of_any_form_are_those_that_were_learned(self):
        made = [(12345.5 + 17 * n, n % 40 - 20.25, f"{n % 28 + 1:02}.03.2024") for n in range(300)]
        forms = {"plain": (",", lambda x: f"{x}"), "comma": (";", lambda x: f"{x}".replace(".", ",")), "points": (";", lambda x: f"{x:,}".translate({44: ".", 46: ","})),
                 "groups": (";", lambda x: f"{x:,}"), "blanks": (";", lambda x: f"{x:,}".translate({44: " ", 46: ","})),
                 "euros": (";", lambda x: f"{x:,} €".translate({44: ".", 46: ","}))}
        text = lambda divider, form: "".join(divider.join(row) + "\n" for row in [("y", "a", "b", "day"), *(
            (form(round(a / 1000 + b, 3)), form(a), form(b), day) for a, b, day in made)])
        told = {}
        for name in forms:
            path, folder = self.write(f"{name}.csv", text(*forms[name])), self.path(f"state-{name}")
            self.assertEqual(self.run_to_end("--budget", "all", "--label", "y", "--state-directory", folder, "--input", path)[0], 0)
            out, err = self.ctl("predict", path, model=folder)
            self.assertEqual(err, "")
            told[name] = out
            self.assertEqual(json.loads(self.ctl("test", path, "--json", model=folder)[0])["examples"], 300)
        self.assertEqual(set(told.values()), {told["plain"]})
        for name in ("plain", "comma", "points", "groups", "blanks"):
            for of in ("plain", "comma", "points", "groups", "blanks"):
                with self.subTest((name, of)):
                    self.assertEqual(self.ctl("predict", self.path(f"{name}.csv"), model=self.path(f"state-{of}")), (told["plain"], ""))

    def test_dates_in_another_order_and_columns_that_cannot_be_read_are_refused(self):
        days = [(n % 12 + 1, n * 5 % 28 + 1) for n in range(300)]
        text = lambda form, cell="{}": "y,day,a\n" + "".join(f"{10 * m + d},{form.format(d=d, m=m)},{cell.format(n % 9)}\n" for n, (m, d) in enumerate(days))
        forms = {"month": "{m:02}/{d:02}/2024", "day": "{d:02}/{m:02}/2024", "iso": "2024-{m:02}-{d:02}"}
        for name, form in forms.items():
            status, _, log = self.run_to_end("--budget", "all", "--label", "y", "--state-directory", self.path(name), "--input", self.write(f"{name}.csv", text(form)))
            self.assertEqual(status, 0, log)
        told = {name: self.ctl("predict", self.path("iso.csv"), model=self.path(name))[0] for name in forms}
        for name, other in (("month", "day"), ("day", "month"), ("iso", "day")):
            for command in ("predict", "test", "explain"):
                with self.subTest(name=name, command=command):
                    out, err = self.ctl(command, self.path(f"{other}.csv"), model=self.path(name), expect=1)
                    self.assertEqual(out, "")
                    self.assertRegex(err, rf"{other}.csv' line \d+: dates in column #2 \('day'\) begin with the {other}, as '\d\d/\d\d/2024', and with the "
                                          rf"{'day' if name == 'day' else 'month'} in the tables .* -- --ignore day\n$")
            self.ctl_of(self.path(name), "predict", self.path(f"{other}.csv"), "--", "--ignore", "day")
        self.assertEqual(self.ctl("predict", self.path("month.csv"), model=self.path("iso")), (told["iso"], ""))
        # Where nothing decides, dates are read as the model's.
        unclear = "day,a\n" + "03/04/2024,1\n" * 9
        for name, plain in (("month", "2024-03-04"), ("day", "2024-04-03")):
            self.assertEqual(self.ctl("predict", self.write("unclear.csv", unclear), model=self.path(name)),
                             self.ctl("predict", self.write("clear.csv", unclear.replace("03/04/2024", plain)), model=self.path(name)))
        daemon = self.start("--restore", max(glob.glob(os.path.join(self.path("day"), "checkpoint-*"))), "--learn", "off")
        server = ("--keep", "a", "--server", f"unix:{daemon.http_path}")
        self.assertIn("begin with the month", self.ctl("predict", self.path("month.csv"), *server, expect=1)[1])
        for form, cell in (("Q{m} of {d}", "{}"), (forms["month"], "{} or so")):
            column = "day" if cell == "{}" else "a"
            for command in ("predict", "test", "explain"):
                out, err = self.ctl(command, self.write("odd.csv", text(form, cell)), model=self.path("month"), expect=1)
                self.assertEqual(out, "")
                self.assertRegex(err, rf"odd.csv' line 2: \d+ of \d+ values in column #\d \('{column}'\) cannot be read as those that the model was learned "
                                      rf"from, the first is '.*': .* -- --ignore {column}; -- --missing MARK")

    def test_predictions_take_the_place_of_neither_their_table_nor_their_model(self):
        folder = self.learned()
        model = max(glob.glob(f"{folder}/*.safetensors"))
        asked = self.write("asked.csv", table(rows(5, 2)))
        for output in (model, asked):
            with open(output, "rb") as file:
                before = file.read()
            _, err = self.ctl("predict", asked, "--output", output, model=model, expect=2)
            self.assertIn("itself, which is read: name another file", err)
            with open(output, "rb") as file:
                self.assertEqual(file.read(), before)

    def test_a_link_to_a_pipe_or_to_nothing_stays_a_link(self):
        folder = self.learned()
        wanted = self.ctl("model", "--format", "csv", model=folder)[0]
        for name, target in (("out", "/proc/self/fd/1"), ("new", self.path("made"))):
            os.symlink(target, self.path(name))
            told, _ = self.ctl("model", "--format", "csv", "-o", self.path(name), model=folder)
            self.assertEqual(told or self.read(self.path("made")), wanted)
            self.assertTrue(os.path.islink(self.path(name)))

    def test_what_is_written_leaves_other_files_and_the_state_directory_alone(self):
        folder = self.learned()
        path = self.write("p.csv.tmp", table(rows(20, 2)))
        os.chmod(self.write("p.csv", "old"), 0o604)
        self.ctl("predict", path, "-o", self.path("p.csv"), model=folder)
        self.assertEqual(self.read(path), table(rows(20, 2)))
        self.assertEqual(len(self.read(self.path("p.csv")).splitlines()), 21)
        self.assertEqual(os.stat(self.path("p.csv")).st_mode & 0o777, 0o604)
        newest = max(glob.glob(os.path.join(folder, "checkpoint-*")))
        before = self.ctl("model", model=folder)
        for arguments in (["model"], ["moments"], ["predict", path], ["plot"]):
            for given in (folder, newest):
                _, told = self.ctl(*arguments, "-o", newest, model=given, expect=2)
                self.assertRegex(told, "--output '.*' (is '.*' itself, which is read|lies in the state directory '.*'): name ")
        self.assertIn("--svg '", self.ctl("model", "--attributes", 1, "--svg", newest, model=folder, expect=2)[1])
        self.assertEqual(self.ctl("model", model=folder), before)
        self.assertIn("there is no folder '", self.ctl("model", "-o", self.path("none/m.csv"), model=folder, expect=1)[1])

    def test_a_word_where_numbers_are_counts_as_missing_as_it_does_in_what_is_learned(self):
        folder, made = self.learned(), rows(60, 9)
        odd = [(y, "k.A." if n in (0, 30, 59) else a, b, word) for n, (y, a, b, word) in enumerate(made)]
        missing = [(y, "" if n in (0, 30, 59) else a, b, word) for n, (y, a, b, word) in enumerate(made)]
        out, err = self.ctl("predict", self.write("odd.csv", table(odd)), "--keep", "b", model=folder)
        self.assertRegex(err, "odd.csv': 3 values where numbers are expected could not be read, and counted as missing: "
                              r"3 in column #2 \('a'\), the first 'k.A.' in line 2\n$")
        self.assertEqual(out, self.ctl("predict", self.write("missing.csv", table(missing)), "--keep", "b", model=folder)[0])
        # Also where rows are read in a form of their own.
        status, _, log = self.run_to_end("--budget", "all", "--label", "y", "--state-directory", self.path("units"), "--input",
                                         self.write("units.csv", table([(y, a + " kg", b, word) for y, a, b, word in rows(400, 1)])))
        self.assertEqual(status, 0, log)
        odd = [(y, a if a == "k.A." else a + " kg", b, word) for y, a, b, word in odd]
        _, err = self.ctl("predict", self.write("odd.csv", table(odd)), model=self.path("units"))
        self.assertRegex(err, "3 values where numbers are expected could not be read")

    def test_a_table_that_cannot_be_mapped_is_refused_with_the_column(self):
        folder = self.learned()
        refused = lambda text, *options: self.ctl("predict", self.write("asked.csv", text), *options, model=folder, expect=1)[1]
        self.assertIn("asked.csv' has no column 'b', which the model has; did you mean 'B'?", refused("a,B,word\n1,2,red\n"))
        self.assertIn("asked.csv' line 3: row has 2 fields", refused("a,b,word\n1,2,red\n1,2\n1,2,blue\n"))
        self.assertIn("has no column 'words'; did you mean 'word'?", refused("a,b,word\n1,2,red\n", "--keep", "words"))
        self.assertIn("--keep is for tables", refused('{"values": {"a": 1}}\n', "--keep", "a"))
        told, note = self.predict_allowed(folder, self.write("asked.csv", "a,word\n1,red\n"))
        self.assertIn("it lacks column 'b': the values count as missing", note)
        self.assertEqual(len(told.splitlines()), 2)
        self.assertIn("leave out --json", self.ctl("predict", self.path("asked.csv"), "--json", "--keep", "a", model=folder, expect=2)[1])

    def predict_allowed(self, folder, path, command="predict"):
        return self.ctl_of(folder, command, path, "--", "--missing-columns", "allow")

    def ctl_of(self, folder, command, *arguments, **keywords):
        """The model stands in front of what is behind --."""
        return self.ctl(command, "--model", folder, *arguments, **keywords)

    def test_every_row_has_one_line_also_where_all_its_cells_are_empty(self):
        folder = self.learned()
        text = "a,b,word,note\n,,,\n1,2,red,x\n\n# a remark\n,,,kept\na,b,word,note\n,,,\n3,4,blue,#y\n,,\n\n\n"
        out, err = self.ctl("predict", self.write("asked.csv", text), "--keep", "note", model=folder)
        told = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual([row["note"] for row in told], ["", "x", "kept", "", "#y", ""])
        self.assertEqual({told[i]["prediction"] for i in (0, 2, 3, 5)}, {told[0]["prediction"]})
        self.assertNotIn("", [row["prediction"] for row in told])
        self.assertIn("asked.csv': 3 lines between rows are blank, a comment or the header again, and no row\n", err)
        alone = self.predicted(self.write("alone.csv", "a,b,word\n1,2,red\n"), model=folder)
        self.assertEqual(alone[0]["prediction"], told[1]["prediction"])
        # Also where the row's first cell seems a comment, and where columns that the model does not have are alone filled.
        told = self.predicted(self.write("asked.csv", "note,a,b,word\n#1,1,2,red\n#2,,,\n"), model=folder)
        self.assertEqual([row["prediction"] for row in told], [alone[0]["prediction"], self.predicted(
            self.write("empty.csv", "a,b,word\n,,\n"), model=folder)[0]["prediction"]])

    def test_a_header_alone_gives_the_header_of_predictions(self):
        header = self.write("asked.csv", "b,a,word,id\n")
        self.assertEqual(self.ctl("predict", header, "--keep", "id", model=self.learned()), ("id,prediction,lower,upper\n", ""))
        self.assertEqual(self.ctl("predict", self.write("asked.csv", "b,a,word"), model=self.learned("classes", classes=True))[0],
                         "prediction,probability_no,probability_yes\n")
        folder = self.path("state")
        told = self.ctl("test", self.write("asked.csv", "y,a,b,word\n,1,2,red\n"), model=folder, expect=1)[1]
        self.assertIn("asked.csv': 1 row without a label was not tested\n", told)
        self.assertIn("asked.csv' has no row that could be tested", told)
        for command in ("predict", "test", "explain"):
            for text in ("", "\n\n"):
                self.assertIn("asked.csv' is empty", self.ctl(command, self.write("asked.csv", text), model=folder, expect=1)[1])

    def test_predict_test_and_explain_treat_columns_alike(self):
        folder, made = self.learned(), rows(40, 9)
        more = [("y", "x1", "a", "b", "word", "x2"), *((y, "?", "k.A." if n in (3, 39) else a, b, word, "k.A.") for n, (y, a, b, word) in enumerate(made))]
        more = self.write("more.csv", "".join(",".join(row) + "\n" for row in more))
        less = self.write("less.csv", "y,b,word\n" + "".join(f"{y},{b},{word}\n" for y, _, b, word in made))
        for command in ("predict", "test", "explain"):
            with self.subTest(command):
                self.assertEqual(self.ctl(command, more, model=folder)[1],
                                 f"glimpsectl: '{more}': the model does not have columns 'x1', 'x2', which are passed over\n"
                                 f"glimpsectl: '{more}': 2 values where numbers are expected could not be read, and counted as missing: "
                                 "2 in column #3 ('a'), the first 'k.A.' in line 5\n")
                self.assertEqual(self.ctl(command, less, model=folder, expect=1), (
                    "", f"glimpsectl: '{less}' has no column 'a', which the model has; -- --missing-columns allow takes the values as missing\n"))
                out, err = self.predict_allowed(folder, less, command)
                self.assertNotEqual(out, "")
                self.assertEqual(err, f"glimpsectl: '{less}': it lacks column 'a': the values count as missing in each row\n")
        none = self.write("none.csv", "y,c\n1,2\n")
        for command in ("predict", "test", "explain"):
            self.assertIn("none.csv' has none of the attributes of the model, which are columns 'a', 'b', 'word'", self.ctl_of(
                folder, command, none, "--", "--missing-columns", "allow", expect=1)[1])
        out, err = self.ctl("test", self.write("less.csv", "a,b,word\n1,2,red\n"), model=folder, expect=1)
        self.assertIn("has no column 'y', the label that test compares predictions with", err)

    def test_options_behind_two_dashes_say_how_a_table_is_read(self):
        folder = self.learned()
        made = [(y, f"{a}.5", b, word) for y, a, b, word in rows(30, 9)]
        plain = self.write("plain.csv", table(made))
        without_lines = lambda told: re.sub(r"(?m)^line \d+", "line", told)
        wanted = {command: without_lines(self.ctl(command, plain, model=folder)[0]) for command in ("predict", "test", "explain")}
        comma = lambda divider: "".join(divider.join(cell.replace(".", ",") for cell in row) + "\n" for row in [("y", "a", "b", "word"), *made])
        whole = table(made).splitlines()
        for name, text, options in (
                ("comma", comma(";"), ("--decimal-comma",)), ("comma found", comma(";"), ()), ("bars", comma("|"), ("--delimiter", "|", "--decimal-comma")),
                ("no header", "\n".join(whole[1:]), ("--header", "no")), ("utf-16", "\n".join(whole).encode("utf-16-le"), ("--encoding", "utf-16le")),
                ("marks", "\n".join([whole[0], *whole[1:], "-999,-999,-999,-999"]), ("--missing", "-999"))):
            for command, told in wanted.items():
                if (name, command) == ("marks", "explain"):
                    continue  # a row that lacks values gives all of them errors
                with self.subTest((name, command)):
                    out = without_lines(self.ctl_of(folder, command, self.write("asked.csv", text), "--", *options)[0])
                    self.assertEqual(out[:len(told)] if name == "marks" and command != "test" else out, told)
        ignored = self.ctl_of(folder, "predict", plain, "--", "--ignore", "a")
        self.assertEqual(ignored[0], self.predict_allowed(folder, self.write("less.csv", "\n".join(
            ",".join(row[:1] + row[2:]) for row in [("y", "a", "b", "word"), *made]) + "\n"))[0])
        for options, told in ((("--ignore", "aa"), "--ignore aa: '"), (("--task", "classes"), "unrecognised option '--task'"),
                              (("--header", "perhaps"), "--header perhaps: must be")):
            with self.subTest(options):
                self.assertIn(told, self.ctl_of(folder, "test", plain, "--", *options, expect=2 if options[0] != "--ignore" else 1)[1])
        self.assertIn("--decimal-comma is for tables, and", self.ctl_of(
            folder, "predict", self.write("asked.ndjson", '{"values": {"a": 1}}\n'), "--", "--decimal-comma", expect=2)[1])

    def test_what_a_message_advises_works_as_it_stands_there(self):
        folder = self.learned()
        short = self.write("short.csv", "y,a,b,word\n1,2,3,red\n1,2\n")
        for command, status in (("predict", 1), ("test", 1), ("explain", 1)):
            with self.subTest(command):
                err = self.ctl(command, short, model=folder, expect=status)[1]
                self.assertIn("short.csv' line 3: row has 2 fields, and the header 4: -- --short-rows missing takes", err)
                self.ctl_of(folder, command, short, "--", "--short-rows", "missing")
        bare = self.write("bare.csv", "1,2,3,red\n2,3\n2,3,4,blue\n")
        for command in ("predict", "test", "explain"):
            self.assertIn("bare.csv' line 2: row has 2 fields", self.ctl(command, bare, model=folder, expect=1)[1])
            self.ctl_of(folder, command, bare, "--", "--short-rows", "missing")
        # A column whose numbers are of several forms.
        mixed = self.write("mixed.csv", "a;b;word\n1,5;1;red\n1.5;1;red\n2;1;red\n2.5;1;blue\n")
        err = self.ctl("predict", mixed, model=folder)[1]
        self.assertIn("1 in column #1 ('a'), the first '1,5' in line 2: -- --decimal-comma where the comma is decimal\n", err)
        err = self.ctl_of(folder, "predict", mixed, "--", "--decimal-comma")[1]
        self.assertIn("2 in column #1 ('a'), the first '1.5' in line 3\n", err)
        odd = self.write("odd.csv", "y,a,b,word\nred,1,2,red\n1,1,2,red\n")
        self.assertNotIn("--task", self.ctl("test", odd, model=folder, expect=1)[1])

    def test_places_in_messages_are_those_of_the_file(self):
        folder = self.learned()
        made = [("", a, b, word, " " * 4 + "x" * 40) for _, a, b, word in rows(40000, 4)]
        lines = ["# remarks\n", "y;a;b;word;note\n", *(";".join(row) + "\n" for row in made)]
        lines[20] = "\"\";1;2;red;\"two\nlines\"\n"
        place = 39000
        asked = lambda line: self.write("asked.csv", "".join([*lines[:place], line, *lines[place:]]))
        self.assertIn(f"asked.csv' line {place + 2}: row has 2 fields, and the header 5", self.ctl("predict", asked(";1\n"), model=folder, expect=1)[1])
        self.assertIn(f"1 in column #3 ('b'), the first 'odd' in line {place + 2}\n", self.ctl("predict", asked(";1;odd;red;\n"), model=folder)[1])
        self.assertIn(f"asked.csv' line {place + 2}: column #1 ('y'): label 'odd'", self.ctl("test", asked("odd;1;2;red;\n"), model=folder, expect=1)[1])

    def test_columns_that_are_kept_may_have_any_name(self):
        folder = self.learned()
        asked = self.write("asked.csv", 'a,"b, or c",b,#2,"say ""x""",word\n1,comma,2,sign,quote,red\n')
        keep = lambda text: self.ctl("predict", asked, "--keep", text, model=folder)[0].splitlines()
        self.assertTrue(keep('"b, or c",a')[1].startswith("comma,1,"))
        self.assertEqual(keep('"b, or c",#6')[0], '"b, or c",word,prediction,lower,upper')
        self.assertTrue(keep("#2,#3")[1].startswith("sign,2,"))
        self.assertEqual(keep("#2,#3")[0], "#2,b,prediction,lower,upper")
        self.assertTrue(keep('"say ""x""", last')[1].startswith("quote,red,"))
        self.assertIn("must be a list", self.ctl("predict", asked, "--keep", "a,,b", model=folder, expect=2)[1])

    def test_what_cannot_be_read_is_told_with_what_is_wrong(self):
        folder = self.learned()
        empty = self.path("empty")
        os.mkdir(empty)
        asked = self.write("asked.csv", table(rows(3, 2)))
        for arguments, model, status, told in (
                (("model",), self.path("nowhere"), 2, f"--model '{self.path('nowhere')}' is not there"),
                (("model",), empty, 2, f"--model '{empty}' is a folder without a checkpoint"),
                (("model",), asked, 1, f"--model '{asked}' is not a glimpse checkpoint: glimpsectl fit makes one of a table"),
                (("predict", empty), folder, 1, f"'{empty}' is a directory: name a file"),
                (("freeze",), folder, 2, "is of commands that read a model: freeze needs a running daemon"),
                (("ask",), folder, 2, "ask needs a running daemon"),
                (("model", "--server", "unix:/x"), folder, 2, "are two models: give one of them"),
                (("test", asked), None, 2, "test needs --model PATH"),
                (("test",), folder, 2, "test needs a file"),
                (("predict", self.path("no.csv")), folder, 1, "no.csv")):
            with self.subTest(arguments):
                self.assertIn(told, self.ctl(*arguments, model=model, expect=status)[1])
        self.assertIn("cannot run glimpsed", self.ctl("model", model=folder, expect=1, environment={"PATH": "/nowhere"})[1])

    def begin(self, *arguments, program=None, **keywords):
        """A command that has a folder of its own, and the programs that it runs."""
        path = (program or os.path.dirname(binary("GLIMPSE_BIN"))) + os.pathsep + os.environ["PATH"]
        command = subprocess.Popen([binary("GLIMPSECTL_BIN"), *map(str, arguments)], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, "PATH": path, "TMPDIR": self.folder}, **{"stdout": subprocess.PIPE, **keywords})
        self.addCleanup(command.wait)
        self.addCleanup(command.kill)
        for pipe in (command.stdin, command.stdout, command.stderr):
            if pipe:
                self.addCleanup(pipe.close)
        return command

    def folders(self):
        return glob.glob(os.path.join(self.folder, "glimpsectl-*"))

    @staticmethod
    def children(command):
        found = []
        for thread in os.listdir(f"/proc/{command.pid}/task"):
            with open(f"/proc/{command.pid}/task/{thread}/children", encoding="ascii") as file:
                found += file.read().split()
        return found

    def test_a_signal_ends_a_command_as_signals_do_and_nothing_is_left(self):
        folder = self.learned()
        os.mkdir(self.path("programs"))
        slow = self.write("programs/glimpsed", f'#!/bin/sh\ncase "$*" in *--state-directory*) exec sleep 1000;; *) exec "{binary("GLIMPSE_BIN")}" "$@";; esac\n')
        os.chmod(slow, 0o755)
        os.mkfifo(self.path("pipe"))
        sales = self.write("sales.csv", table(rows(30, 2)))
        for arguments, children, program in ((("fit", sales, "--label", "y", "-o", self.path("out")), 2, self.path("programs")),
                                             (("fit", "-", "--label", "y"), 0, None), (("predict", "-", "--model", folder), 1, None),
                                             (("test", self.path("pipe"), "--model", folder), 1, None)):
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                with self.subTest((arguments[:2], number)):
                    command = self.begin(*arguments, program=program)
                    until(self.folders, "it has a folder")
                    until(lambda: len(self.children(command)) == children, "its programs run")
                    started = self.children(command)
                    command.send_signal(number)
                    self.assertEqual(command.wait(DEADLINE), -number)
                    self.assertEqual((command.stdout.read(), command.stderr.read()), (b"", b""))
                    self.assertEqual(self.folders(), [])
                    until(lambda: not any(os.path.exists(f"/proc/{child}") for child in started), "they have ended")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_a_reader_that_goes_away_ends_a_command_quietly_and_nothing_is_left(self):
        folder = self.learned()
        asked = self.write("asked.csv", table(rows(60000, 4)))
        for arguments in (("predict", asked, "--model", folder), ("explain", asked, "--model", folder),
                          ("fit", self.path("state.csv"), "--label", "y", "-o", self.path("out")), ("describe", asked), ("test", asked, "--model", folder)):
            with self.subTest(arguments[0]):
                read, write = os.pipe()
                command = self.begin(*arguments, stdout=write)
                os.close(write)
                if arguments[0] in ("predict", "explain"):
                    self.assertNotEqual(os.read(read, 10), b"")
                os.close(read)
                self.assertEqual((command.wait(DEADLINE), command.stderr.read()), (-signal.SIGPIPE, b""))
                self.assertEqual(self.folders(), [])

    def test_its_programs_end_with_a_fit_that_is_killed(self):
        os.mkdir(self.path("programs"))
        slow = self.write("programs/glimpsed", f'#!/bin/sh\ncase "$*" in *--state-directory*) exec sleep 1000;; *) exec "{binary("GLIMPSE_BIN")}" "$@";; esac\n')
        os.chmod(slow, 0o755)
        command = self.begin("fit", self.write("sales.csv", table(rows(30, 2))), "--label", "y", "-o", self.path("out"), program=self.path("programs"))
        until(lambda: len(self.children(command)) == 2, "its programs run")
        started = self.children(command)
        command.kill()
        until(lambda: not any(os.path.exists(f"/proc/{child}") for child in started), "they have ended")

    def test_the_folders_of_a_command_that_was_killed_go_with_the_next_command_and_no_others_do(self):
        folder, asked = self.learned(), self.write("asked.csv", "a,b,word\n1,2,red\n")
        earlier = self.path("glimpsectl-abcdef")  # of an earlier release
        os.mkdir(earlier)
        killed = self.begin("predict", "-", "--model", folder)

        def stopped_with_a_folder():
            killed.send_signal(signal.SIGSTOP)
            until(lambda: self.read(f"/proc/{killed.pid}/stat").rsplit(")", 1)[1].split()[0] == "T", "it has stopped")
            its = set(self.folders()) - {earlier}
            if its and all(name.endswith(".locked") for name in its):
                return its
            killed.send_signal(signal.SIGCONT)
            return None

        its = until(stopped_with_a_folder, "it has a folder")
        killed.kill()
        killed.wait(DEADLINE)
        running = self.begin("predict", "-", "--model", folder)
        until(lambda: self.children(running), "it waits for its input")
        self.assertEqual(self.begin("predict", asked, "--model", folder).wait(DEADLINE), 0)
        self.assertTrue(its.isdisjoint(self.folders()), (its, self.folders()))
        with open(asked, "rb") as file:
            told, errors = running.communicate(file.read())
        self.assertEqual((running.returncode, told.count(b"\n"), errors), (0, 2, b""))
        self.assertEqual(self.folders(), [earlier])

    def test_its_daemon_ends_with_a_command_that_is_killed(self):
        folder = self.learned()
        read, write = os.pipe()
        path = os.path.dirname(binary("GLIMPSE_BIN")) + os.pathsep + os.environ["PATH"]
        command = subprocess.Popen([binary("GLIMPSECTL_BIN"), "predict", "-", "--model", folder], stdin=read,
                                   stdout=subprocess.DEVNULL, env={**os.environ, "PATH": path, "TMPDIR": self.folder})
        os.close(read)
        sockets = lambda: glob.glob(os.path.join(self.folder, "glimpsectl-*", "http.sock"))
        until(sockets, "its daemon answers")
        children = lambda: self.read(f"/proc/{command.pid}/task/{command.pid}/children").split()
        child = until(children, "it has a daemon")[0]
        command.send_signal(signal.SIGKILL)
        command.wait()
        os.close(write)
        until(lambda: not os.path.exists(f"/proc/{child}"), "the daemon has ended")


if __name__ == "__main__":
    unittest.main(verbosity=2)
