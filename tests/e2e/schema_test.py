"""--schema FILE: what a sample decides is written, may be edited, and says how every input is read."""

import json
import os
import random
import subprocess
import unittest

from any_table_test import INLINE, table, text_of
from doors_formats_test import state_of
from harness import TestCase, binary

COLUMNS = ("y", "a", "b", "word")


class Schema(TestCase):
    def setUp(self):
        super().setUp()
        self.runs = 0
        self.file = self.path("table.schema.json")

    def learn(self, content, *arguments, door="file", state=None):
        """The log, and the state that is left."""
        self.runs += 1
        folder = state or self.path(f"state-{self.runs}")
        options = (*INLINE, "--state-directory", folder, *arguments)
        content = content if isinstance(content, bytes) else content.encode()
        if door == "file":
            status, _, log = self.run_to_end(*options, "--input", self.write(f"table-{self.runs}", content))
        elif door == "pipe":
            status, _, log = self.run_to_end(*options, "--input", "-", stdin=content)
        else:
            daemon = self.start(*options, *(("--listen", "tcp:127.0.0.1:0") if door == "stream" else ()))
            if door == "stream":
                with daemon.client() as client:
                    client.send(content)
                    client.finish()
            else:
                answer = daemon.request("POST", "/v1/learn" + ("" if content.startswith(b"{") else "?format=csv"), content)
                self.assertEqual(answer.status, 200, answer.body)
            status, log = daemon.stop(), daemon.stderr
        self.assertEqual(status, 0, log)
        return log, state_of(folder)

    def dry_run(self, content, *arguments):
        ran = subprocess.run([binary("GLIMPSE_BIN"), "--dry-run", "--json", "--schema", self.file, *map(str, arguments)],
                             input=content if isinstance(content, bytes) else content.encode(), capture_output=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads(ran.stdout)

    def schema(self):
        with open(self.file, encoding="utf-8") as file:
            return json.load(file)

    def edit(self, column=None, **changes):
        """Of the whole, or of the column of that name."""
        schema = self.schema()
        one = schema if column is None else next(each for each in schema["columns"] if each["name"] == column)
        one.update({key.replace("_", "-"): value for key, value in changes.items()})
        self.write("table.schema.json", json.dumps(schema))

    def test_what_a_sample_decides_is_written_and_is_read_to_the_same_state(self):
        rows = [[row[0], row[1].replace(".", ","), row[2] + " kg", row[3]] for row in table(300)]
        text = "A title\n\n" + text_of(rows, ";")
        _, plain = self.learn(text, "--label", "y", "--ignore", "word")
        for door in ("file", "pipe"):
            with self.subTest(door):
                if os.path.exists(self.file):
                    os.remove(self.file)
                log, state = self.learn(text, "--label", "y", "--ignore", "word", "--schema", self.file, door=door)
                self.assertEqual(state, plain, log)
                written = self.schema()
                self.assertEqual((written["delimiter"], written["header-records"], written["preamble-lines"]), (";", 1, 2))
                self.assertEqual([(c["name"], c["use"], c["type"], c["form"], c["unit"]) for c in written["columns"]],
                                 [("y", "label", "number", "plain", ""), ("a", "attribute", "number", "decimal-comma", ""),
                                  ("b", "attribute", "number", "plain", "kg"), ("word", "ignored", "auto", "plain", "")])
                self.assertEqual(os.listdir(self.folder).count("table.schema.json"), 1)
                self.assertFalse([name for name in os.listdir(self.folder) if name.endswith(".tmp")])
                # With nothing but the file, and with the command line that wrote it.
                for given in ((), ("--label", "y", "--ignore", "word")):
                    log, state = self.learn(text, "--schema", self.file, *given, door=door)
                    self.assertEqual(state, plain, log)
        self.assertNotIn("certainty", log)

    def test_the_decision_is_there_before_the_first_example_is_learned(self):
        daemon = self.start(*INLINE, "--label", "y", "--schema", self.file, "--input", "-", "--listen", "tcp:127.0.0.1:0",
                            http=None, stdin=subprocess.PIPE)
        daemon.process.stdin.write(text_of(table(120)).encode())  # the sample of a pipe is 100
        daemon.process.stdin.flush()
        daemon.wait_log("stream door open")
        self.assertEqual([column["name"] for column in self.schema()["columns"]], list(COLUMNS))
        folder = self.path("missing")
        status, error = self.refused(*INLINE, "--schema", os.path.join(folder, "file"), "--input", self.write("t", text_of(table(9))))
        self.assertIn(f"--schema {folder}/file: ", error)
        self.assertIn("No such file", error)
        self.assertNotEqual(status, 0)

    def test_a_dry_run_writes_it_and_shows_what_an_edited_one_says(self):
        text = text_of(table(60))
        self.assertEqual([c["type"] for c in self.dry_run(text, "--label", "y")["columns"]], ["number", "number", "number", "words"])
        self.edit("b", type="words")
        self.edit("word", use="ignored")
        described = self.dry_run(text)
        self.assertEqual([(c["type"], c["use"]) for c in described["columns"]],
                         [("number", "label"), ("number", "attribute"), ("words", "attribute, categories"), ("words", "ignored")])
        self.assertEqual(described["sample_records"], 60)
        self.assertEqual(described["first_records"][0], table(60)[0])

    def test_each_edit_is_what_options_would_say(self):
        rows = [[row[0], row[1], row[3], row[2]] for row in table(200)]
        for n in range(0, 200, 7):
            rows[n][1] = "-999"
        text = text_of(rows, header=("y", "a", "word", "b"))
        edits = {
            "a category": (("--categories", "b"), "b", {"type": "words"}),
            "ignored": (("--ignore", "b"), "b", {"use": "ignored"}),
            "a mark of one column": (("--missing", "a=-999"), "a", {"missing": ["-999"]}),
            "a weight": (("--weight", "b"), "b", {"use": "weight"}),
        }
        for name, (options, column, change) in edits.items():
            with self.subTest(name):
                _, wanted = self.learn(text, "--label", "y", *options)
                if os.path.exists(self.file):
                    os.remove(self.file)
                self.dry_run(text, "--label", "y")
                self.edit(column, **change)
                for door in ("file", "pipe"):
                    log, state = self.learn(text, "--schema", self.file, door=door)
                    self.assertEqual(state, wanted, log)

    def test_another_label_and_several_in_an_order(self):
        text = text_of([[*row[:3], str(n % 7)] for n, row in enumerate(table(100))])
        _, wanted = self.learn(text, "--label", "b,y")
        self.learn(text, "--label", "b,y", "--schema", self.file)
        self.assertEqual([column["use"] for column in self.schema()["columns"]], ["label 2", "attribute", "label", "attribute"])
        self.assertEqual(self.learn(text, "--schema", self.file)[1], wanted)
        self.edit("y", use="attribute")
        self.edit("b", use="label")
        self.assertEqual(self.learn(text, "--schema", self.file)[1], self.learn(text, "--label", "b")[1])

    def test_renamed_columns_are_read_below_the_header_as_it_is_in_any_order(self):
        rows = table(150)
        _, wanted = self.learn(text_of(rows, header=("y", "alpha", "b", "kind")), "--label", "y")
        self.dry_run(text_of(rows), "--label", "y")
        self.edit("a", name="alpha")
        self.edit("word", name="kind")
        order = [3, 0, 2, 1]
        turned = text_of([[row[i] for i in order] for row in rows], header=[COLUMNS[i] for i in order])
        renamed = text_of(rows, header=("y", "alpha", "b", "kind"))
        for name, text in (("as it was", text_of(rows)), ("turned", turned), ("renamed", renamed)):
            for door in ("file", "pipe"):
                with self.subTest(name, door=door):
                    log, state = self.learn(text, "--schema", self.file, door=door)
                    self.assertEqual(state, wanted, log)
        status, _, log = self.run_to_end(*INLINE, "--schema", self.file, "--input", self.write("other", text_of(rows, header=("y", "c", "b", "word"))))
        self.assertIn("the header has no column 'alpha'", log)  # nor 'a', as it was called: its rows are refused
        self.assertIn("0 examples", log)

    def test_columns_without_a_header_get_names(self):
        rows = table(100)
        _, wanted = self.learn(text_of(rows, header=COLUMNS), "--label", "y")
        bare = "".join(",".join(row) + "\n" for row in rows)
        self.dry_run(bare)
        schema = self.schema()
        self.assertEqual([column["name"] for column in schema["columns"]], [""] * 4)
        for column, name in zip(schema["columns"], COLUMNS):
            column["name"] = name
        self.write("table.schema.json", json.dumps(schema))
        self.assertEqual(self.learn(bare, "--schema", self.file)[1], wanted)

    def test_dates_are_read_day_first_or_not_as_the_file_says(self):
        source = random.Random(4)
        days = [(source.randrange(1, 13), source.randrange(1, 13)) for _ in range(200)]
        text_with = lambda form: "y,day\n" + "".join(f"{d + m / 8},{form(d, m)}\n" for d, m in days)
        ambiguous = text_with(lambda d, m: f"{d}/{m}/2024")
        self.dry_run(ambiguous.replace("\n", "\n1,13/1/2024\n", 1))
        self.assertTrue(self.schema()["columns"][1]["day-first"])
        self.assertEqual(self.learn(ambiguous, "--schema", self.file)[1], self.learn(text_with(lambda d, m: f"2024-{m:02}-{d:02}"))[1])
        self.edit("day", day_first=False)
        self.assertEqual(self.learn(ambiguous, "--schema", self.file)[1], self.learn(text_with(lambda d, m: f"2024-{d:02}-{m:02}"))[1])

    def test_the_label_of_arff_is_the_last_column_in_the_file_too(self):
        text = "@relation r\n@attribute a real\n@attribute c {red,'dark blue'}\n@attribute y real\n@data\n" + "".join(
            f"{n * 7 % 31},{('red', chr(39) + 'dark blue' + chr(39))[n % 2]},{n * 7 % 31 * 2 + n % 2 * 9}\n" for n in range(80))
        wanted = self.learn(text)[1]
        self.dry_run(text)
        self.assertEqual([column["use"] for column in self.schema()["columns"]], ["attribute", "attribute", "label"])
        self.assertEqual(self.learn(text, "--schema", self.file)[1], wanted)

    def test_no_file_is_written_of_lines_of_svmlight(self):
        path = self.write("lines", "".join(f"{n * 3} 1:{n} 2:{n * n % 17}\n" for n in range(60)))
        ran = subprocess.run([binary("GLIMPSE_BIN"), "--dry-run", "--schema", self.file, "--dimension", "2", "--input", path],
                             capture_output=True, check=False)
        self.assertEqual(ran.returncode, 1)
        self.assertIn(b"shows no table", ran.stderr)
        self.assertIn("no table to decide by", self.refused(*INLINE, "--schema", self.file, "--dimension", 2, "--input", path)[1])
        self.assertFalse(os.path.exists(self.file))

    def test_every_door_reads_as_the_file_says(self):
        rows = [[row[0], row[1], row[2] + " kg", str(n % 3)] for n, row in enumerate(table(150))]
        text = text_of(rows, ";")
        self.dry_run(text, "--label", "y")
        self.edit("word", type="words")
        self.edit("a", missing=["-999"])
        _, wanted = self.learn(text, "--schema", self.file)
        for door in ("pipe", "stream", "http"):
            with self.subTest(door):
                log, state = self.learn(text, "--schema", self.file, door=door)
                self.assertEqual(state, wanted, log)

    def test_connections_bring_the_tables_encoding_or_utf_8(self):
        rows = [[row[0], row[1], row[2], ("Köln", "10 €", "w")[n % 3]] for n, row in enumerate(table(150))]
        text = text_of(rows, ";")
        self.dry_run(text.encode("cp1252"), "--label", "y")
        _, wanted = self.learn(text.encode("cp1252"), "--schema", self.file)
        for door in ("stream", "http"):
            for encoding in ("cp1252", "utf-8"):
                with self.subTest(door=door, encoding=encoding):
                    log, state = self.learn(text.encode(encoding), "--schema", self.file, door=door)
                    self.assertEqual(state, wanted, log)

    def test_rows_that_end_with_a_delimiter_are_read_as_the_file_says(self):
        text = text_of([[*row, ""] for row in table(150)], header=(*COLUMNS, ""))
        self.dry_run(text, "--label", "y")
        self.assertEqual((self.schema()["width"], len(self.schema()["columns"])), (5, 4))
        self.assertEqual(self.learn(text, "--schema", self.file)[1], self.learn(text_of(table(150)), "--label", "y")[1])

    def test_all_inputs_are_read_as_the_first_one_decided(self):
        first = text_of([row[:3] for row in table(60)], header=COLUMNS[:3])
        words = "y,a,b\n" + "".join(f"{n},x{n % 2},{n}\n" for n in range(60))
        options = (*INLINE, "--label", "y", "--schema", self.file)
        _, _, log = self.run_to_end(*options, "--input", self.write("one", first), "--input", self.write("two", words))
        self.assertIn("120 examples", log)
        self.assertEqual([column["type"] for column in self.schema()["columns"]], ["number"] * 3)

    def test_options_that_contradict_the_file_are_refused_with_both(self):
        path = self.write("table", text_of(table(60)))
        self.dry_run(text_of(table(60)), "--label", "y", "--ignore", "word")
        for given, both in (
                (("--label", "a"), ['"use": "label"', '"use": "attribute"']), (("--ignore", "b"), ['"use": "ignored"']),
                (("--weight", "b"), ['"use": "weight"']), (("--delimiter", "tab"), ['"delimiter": ","', '"delimiter": "\\t"']),
                (("--header", "no"), ['"header-records": 1', '"header-records": 0']), (("--encoding", "latin-1"), ['"utf-8"', '"latin-1"']),
                (("--missing", "a=-999"), ['"missing": []', '"missing": ["-999"]']), (("--categories", "b"), ['"number"', '"words"']),
                (("--decimal-comma", "--delimiter", ";"), ['"delimiter": ";"'])):
            with self.subTest(given):
                status, error = self.refused(*INLINE, "--schema", self.file, "--input", path, *given)
                self.assertEqual(status, 2)
                self.assertIn(f"contradicts --schema {self.file}", error)
                for text in both:
                    self.assertIn(text, error)
        status, error = self.refused(*INLINE, "--schema", self.file, "--input", path, "--dimension", 7)
        self.assertIn("--dimension 7: contradicts --schema", error)
        self.learn(text_of(table(60)), "--schema", self.file, "--label", "#1", "--ignore", "word", "--delimiter", ",", "--header", "yes")

    def test_a_value_that_breaks_its_rule_is_named_with_its_line(self):
        self.dry_run(text_of(table(60)), "--label", "y")
        with open(self.file, encoding="utf-8") as file:
            lines = file.read().splitlines()
        first = next(n for n, line in enumerate(lines) if '"name": "y"' in line)

        def broken(line, before, after):
            changed = list(lines)
            self.assertIn(before, changed[line])
            changed[line] = changed[line].replace(before, after)
            self.write("table.schema.json", "\n".join(changed))
            status, error = self.refused("--check-config", "--schema", self.file, "--input", "-")
            self.assertEqual(status, 2)
            self.assertTrue(error.startswith(f"glimpsed: --schema {self.file}: "), error)
            return error

        at = lambda key: next(n for n, line in enumerate(lines) if f'"{key}":' in line)
        for line, before, after, wanted in (
                (first, '"number"', '"nubmer"', 'column #1: "type": "nubmer" must be one of auto, number, words, date, time'),
                (first + 3, '"words"', '7', 'column #4: "type": 7 must be one of'),
                (first + 1, '"use"', '"uses"', "column #2: \"uses\" is no key of this; did you mean 'use'?"),
                (first + 1, '"attribute"', '"lable"', 'column #2 (\'a\'): "use": "lable" must be attribute, ignored'),
                (first + 1, '"attribute"', '"label"', '"use": "label" must be attribute, ignored, or once'),
                (first + 2, '[]', '"-1"', 'column #3: "missing": "-1" must be an array of texts'),
                (first + 2, '"plain"', '"plan"', '"form": "plan" must be one of plain, decimal-comma'),
                (at("encoding"), '"utf-8"', '"utf8"', '"encoding": "utf8" must be one of utf-8, utf-16le'),
                (at("quote"), '"\\""', '"ab"', '"quote": "ab" must be one ASCII character, or empty for none'),
                (at("preamble-lines"), "0", "-1", '"preamble-lines": -1 must be a whole number from 0 on'),
                (at("by-runs"), "false", "0", '"by-runs": 0 must be true or false'),
                (at("decimal-comma"), "false", '"no"', '"decimal-comma": must be true or false'),
                (at("format"), '"csv"', '"json"', '"format" must be "csv"'),
                (at("escape"), '"",', '""', "not valid JSON")):
            with self.subTest(wanted):
                error = broken(line, before, after)
                number = line + (2 if wanted == "not valid JSON" else 1)
                self.assertIn(f": line {number}: ", error)
                self.assertIn(wanted, error)
        self.assertIn("the label must be a column", broken(first, '"label"', '"attribute"'))
        self.assertIn("has a text with a tab or a NUL", broken(first, '"unit": ""', '"unit": "\\t"'))
        for key, before, after, wanted in (
                ("width", '"width": 4', '"width": 6', '"width" is 6, and "columns" has 4'),
                ("header-records", '"header-records": 1', '"header-records": 101', '"header-records" must be at most 100'),
                ("preamble-lines", '"preamble-lines": 0', '"preamble-lines": 1000001', '"preamble-lines" must be at most 1000000'),
                ("delimiter", '"delimiter": ","', '"delimiter": "7"', '"delimiter" must be neither empty nor a part of cells')):
            self.assertIn(wanted, broken(at(key), before, after))
        self.assertIn('"header" must stand in all columns', broken(first + 1, '"header": "a", ', ""))

    def test_a_checkpoint_that_was_read_otherwise_is_refused(self):
        text, state = text_of(table(200)), self.path("state")
        self.learn(text, "--label", "y", state=state)
        # Of a checkpoint that knows no file its decision is written, whatever the input shows now.
        self.learn("y,a,b,word\n1,x,y,z\n2,x,y,z\n", "--schema", self.file, state=state)
        self.assertEqual([column["type"] for column in self.schema()["columns"]], ["number", "number", "number", "words"])
        self.assertEqual([column["use"] for column in self.schema()["columns"]], ["label", *["attribute"] * 3])
        self.learn(text, "--schema", self.file, state=state)
        options = (*INLINE, "--state-directory", state, "--schema", self.file, "--input", self.write("more", text))
        for column, change in (("b", {"type": "words"}), ("a", {"missing": ["-1"]}), ("word", {"use": "ignored"}), ("a", {"name": "alpha"})):
            with self.subTest(change):
                before = self.schema()
                self.edit(column, **change)
                status, error = self.refused(*options)
                self.assertEqual(status, 2)
                self.assertIn("and the checkpoint's records were read with {", error)
                self.assertIn("--schema-change allow", error)
                self.write("table.schema.json", json.dumps(before))
        self.assertEqual(self.run_to_end(*options)[0], 0)

    def test_how_many_records_decided_is_in_the_state_and_in_the_status(self):
        def of_input(daemon):
            return next(source["sample_records"] for source in daemon.status()["sources"] if source["kind"] in ("file", "stdin"))

        objects = "".join(json.dumps({"label": n, "values": {"a": n, "b": n % 5}}) + "\n" for n in range(40))
        # A question ends the sample of a pipe, with itself; a file's goes on to its end.
        asks = text_of([*table(30), ["", "1", "2", "w0"], *table(30)])
        for name, content, door, wanted in (("table", text_of(table(300)), "file", 300), ("table", text_of(table(300)), "pipe", 99),
                                            ("question", asks, "pipe", 31), ("question", asks, "file", 61), ("json", objects, "pipe", 40)):
            with self.subTest(name, door=door):
                state = self.path(f"state-{name}-{door}")
                options = (*INLINE, "--state-directory", state, "--serve", *(() if name == "json" else ("--label", "y")))
                if door == "file":
                    daemon = self.start(*options, "--input", self.write(name, content))
                else:
                    path = self.write(name, content)
                    with open(path, "rb") as file:
                        pipe = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
                    self.addCleanup(pipe.wait)
                    self.addCleanup(pipe.stdout.close)
                    daemon = self.start(*options, "--input", "-", stdin=pipe.stdout)
                self.assertEqual(of_input(daemon), wanted)
                daemon.wait_examples(1)
                self.assertEqual(daemon.stop(), 0)
                with open(max(os.path.join(state, each) for each in os.listdir(state) if each.endswith(".safetensors")), "rb") as file:
                    self.assertIn(f"\0sample-records={wanted}\0".encode(), file.read())
                if door == "file":
                    self.assertEqual(of_input(self.start(*options, "--input", self.write(name, content))), wanted)

    def test_objects_have_a_schema_that_can_be_edited_and_used_elsewhere(self):
        rows = table(200)
        text = lambda unit, odd=None: "".join(json.dumps({
            "a": "k.A." if n == odd else row[1] + unit, "b": float(row[2]), "word": row[3], "y": float(row[0])}) + "\n"
                                              for n, row in enumerate(rows))
        self.dry_run(text(" kg"), "--label", "y")
        columns = self.schema()["columns"]
        self.assertEqual([(each["name"], each["type"], each["unit"], each["use"]) for each in columns],
                         [("a", "number", "kg", "attribute"), ("b", "number", "", "attribute"),
                          ("word", "words", "", "attribute"), ("y", "number", "", "label")])
        schema = ("--schema", self.file)
        plain = self.learn(text(""), *schema)[1]
        for odd in (0, 100, 199, None):  # of which the first value alone would make words
            states = []
            for door in ("file", "pipe", "stream", "body") if odd in (0, None) else ("file",):
                with self.subTest(odd=odd, door=door):
                    log, state = self.learn(text(" kg", odd), *schema, door=door)
                    self.assertIn("finished: 200 examples", log)
                    self.assertIn("1 category: word", log)
                    self.assertNotIn("holds categories", log)
                    states.append(state)
                    self.assertEqual(state, states[0])
                    if odd is None:
                        self.assertEqual(state, plain)
        # A restart reads as before, and another file is refused.
        folder = self.path("again")
        self.learn(text(" kg"), *schema, state=folder)
        self.learn(text(" kg"), *schema, state=folder)
        self.edit("a", type="words")
        status, error = self.refused(*INLINE, "--state-directory", folder, *schema, "--input", self.write("more", text(" kg")))
        self.assertEqual(status, 2)
        self.assertIn("and the checkpoint's records were read with {", error)
        log, _ = self.learn(text(" kg"), *schema)
        self.assertIn("2 categories", log)
        # The label may stand anywhere, and arrays have places alone.
        columns = self.schema()["columns"]
        self.write("table.schema.json", json.dumps({"format": "ndjson", "columns": [columns[3], *columns[:3]]}))
        self.assertIn("label 'y'", self.learn(text(" kg"), *schema)[0])
        self.write("table.schema.json", json.dumps({"format": "ndjson", "columns": [
            {"use": "attribute", "type": "number", "unit": "kg"}, {"use": "attribute", "type": "words"}, {"use": "label", "type": "number"}]}))
        arrays = "".join(json.dumps({"label": float(row[0]), "values": [row[1] + " kg", row[3]]}) + "\n" for row in rows)
        log, _ = self.learn(arrays, *schema)
        self.assertIn("finished: 200 examples, 400 attributes revealed, 0 predictions, 0 lines that could not be read", log)
        for wrong, why in (({"format": "json"}, '"format" must be "csv" or "ndjson"'), ({"delimiter": ","}, '"delimiter" is no key of this'),
                           ({"columns": columns[:3]}, "the label must be a column"), ({"columns": columns[3:]}, "of objects one column is the label"),
                           ({"columns": [{**columns[0], "name": ""}, *columns[1:]]}, '"name" must stand in all columns, or in none')):
            with self.subTest(wrong):
                self.write("table.schema.json", json.dumps({"format": "ndjson", "columns": columns, **wrong}))
                status, error = self.refused(*INLINE, *schema, "--input", self.write("more", text(" kg")))
                self.assertEqual(status, 2)
                self.assertIn(why, error)

    def test_where_nothing_can_decide_the_way_to_a_file_is_named(self):
        for options in (("--dimension", 3, "--listen", "tcp:127.0.0.1:0"), ("--dimension", 3, "--input", self.write("lines", "1 1:2\n2 2:3\n"))):
            status, error = self.refused(*INLINE, "--schema", self.file, *options)
            self.assertEqual(status, 2)
            self.assertIn(f"there is no such file, and no table to decide by: glimpsed --dry-run --schema {self.file} --input SAMPLE", error)
            self.assertFalse(os.path.exists(self.file))


if __name__ == "__main__":
    unittest.main()
