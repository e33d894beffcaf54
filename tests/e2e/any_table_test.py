"""Tables as people have them leave the state that the plain table leaves, bit for bit, and odd cells are missing."""

import json
import os
import random
import re
import socket
import struct
import subprocess
import unittest

from doors_formats_test import state_of
from harness import TestCase, until

COLUMNS = ("y", "a", "b", "word")
INLINE = ("--solver", "inline", "--budget", 2)


def table(count, seed=1):
    """Rows of texts: a label, a number with two decimals, a whole number, and a word."""
    source = random.Random(seed)
    rows = []
    for n in range(count):
        a, b = source.randrange(-99999, 99999) / 100, source.randrange(1, 999)
        rows.append([f"{2 * a + b / 4:.2f}", f"{a:.2f}", str(b), f"w{n % 3}"])
    return rows


def text_of(rows, delimiter=",", header=COLUMNS):
    return "".join(delimiter.join(row) + "\n" for row in [header, *rows] if row)


class AnyTable(TestCase):
    def setUp(self):
        super().setUp()
        self.runs = 0

    def learn(self, content, *arguments, door="file", state=None):
        """The log, and the state that is left."""
        self.runs += 1
        folder = state or self.path(f"state-{self.runs}")
        options = (*(INLINE[:2] if "--budget" in arguments else INLINE), "--state-directory", folder, *arguments)
        content = content if isinstance(content, bytes) else content.encode()
        if door in ("stream", "body"):
            return self.send(content, door, folder, options)
        if door == "file":
            status, _, log = self.run_to_end(*options, "--input", self.write("table", content))
        else:
            status, _, log = self.run_to_end(*options, "--input", "-", stdin=content)
        self.assertEqual(status, 0, log)
        return log, state_of(folder)

    def send(self, content, door, folder, options):
        """The same over a connection, in small pieces, or as a body of HTTP."""
        daemon = self.start(*options, "--listen", "tcp:127.0.0.1:0")
        if door == "body":
            daemon.post("/v1/learn?format=csv", content)
        else:
            client = daemon.client()
            for begin in range(0, len(content), 1000):
                client.send(content[begin:begin + 1000])
            client.finish()
        self.assertEqual(daemon.stop(), 0)
        return daemon.stderr, state_of(folder)

    def learn_with_kills(self, path, *arguments):
        """The state that is left in the folder "killed" behind two kills."""
        options = (*INLINE, *arguments, "--state-directory", self.path("killed"), "--checkpoint-examples", 300)
        for target in (400, 7000):
            daemon = self.start(*options, "--input", path, "--serve")
            until(lambda: int(re.findall(r"\d+", daemon.status()["checkpoint_name"])[1]) >= target, f"{target} examples are kept")
            daemon.kill()
        status, _, log = self.run_to_end(*options, "--input", path)
        self.assertEqual(status, 0, log)
        self.assertRegex(log, r"resuming at byte \d+, after \d+ records")
        return state_of(self.path("killed"))

    def test_each_way_to_write_a_table_leaves_the_state_of_the_plain_one(self):
        rows = table(300)
        _, plain = self.learn(text_of(rows), "--label", "y")
        cells = lambda change: [[row[0], change(row[1]), *row[2:]] for row in rows]
        grouped = lambda text, group, point: f"{float(text):,.2f}".translate(str.maketrans(",.", group + point))
        ways = {
            "tabs": text_of(rows, "\t"), "bars": text_of(rows, "|"), "two colons": text_of(rows, "::"),
            "0x01": text_of(rows, "\x01"), "blanks": text_of(rows, "   "), "CR": text_of(rows).replace("\n", "\r"),
            "a title": "Sales of May\n\n" + text_of(rows), "units below": text_of([["EUR", "kg", "m", ""], *rows]),
            "quotes": text_of([[f'"{cell}"' for cell in row] for row in rows]),
            "the header again": text_of([*rows[:100], list(COLUMNS), *rows[100:]]),
            "delimiters alone": text_of([*rows[:9], ["", "", "", ""], *rows[9:], ["", "", "", ""]]),
            "decimal commas": text_of([[cell.replace(".", ",") for cell in row] for row in rows], ";"),
            "points in groups": text_of(cells(lambda cell: grouped(cell, ".", ",")), ";"),
            "commas in groups": text_of(cells(lambda cell: grouped(cell, ",", ".")), ";"),
            "blanks in groups": text_of(cells(lambda cell: grouped(cell, "\u00a0", ",")), ";"),
            "a unit": text_of(cells(lambda cell: cell + " kg")), "a currency": text_of(cells(lambda cell: "$" + cell)),
            "percent": text_of(cells(lambda cell: cell + "%")),
            "parentheses": text_of(cells(lambda cell: f"({cell[1:]})" if cell.startswith("-") else cell)),
            "a true minus": text_of(cells(lambda cell: cell.replace("-", "\u2212"))),
        }
        for name, text in ways.items():
            for door in ("file", "pipe"):
                with self.subTest(name, door=door):
                    log, state = self.learn(text, "--label", "y", door=door)
                    self.assertEqual(state, plain, log)

    def test_each_encoding_leaves_the_state_of_utf_8(self):
        rows = [[*row[:3], ("größe", "größé", "klein")[n % 3]] for n, row in enumerate(table(300))]
        text = text_of(rows, header=("y", "grün", "b", "wörter"))
        log, plain = self.learn(text, "--label", "y")
        self.assertIn("wörter", log)
        for encoding in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252"):
            for door in ("file", "pipe"):
                with self.subTest(encoding, door=door):
                    log, state = self.learn(text.encode(encoding), "--label", "y", door=door)
                    self.assertEqual(state, plain, log)

    def test_records_over_lines_are_whole_also_behind_the_sample(self):
        rows = table(3000)
        text = lambda end: text_of([[*row[:3], f'"{row[3]}{end}more, {n % 2}"'] for n, row in enumerate(rows)])
        _, plain = self.learn(text(" "), "--label", "y")
        for door in ("file", "pipe"):
            for end in ("\n", "\r\n"):
                log, state = self.learn(text(end), "--label", "y", "--sample-records", 50, door=door)
                self.assertEqual(state, plain, log)

    def test_a_record_over_lines_is_one_also_where_attributes_are_told(self):
        rows = [f"{n % 9}.5,{n % 7},{n % 5}\n" for n in range(20000)]
        parts = ['1,2,"first\n', *["1000000,8,9\n"] * 5000, '7,8,second"\n']
        for place in (0, 10000, 20000):
            text = "".join([*rows[:place], *parts, *rows[place:]])
            for door in ("pipe", "stream", "body"):
                with self.subTest(place=place, door=door):
                    log, _ = self.learn(text, "--dimension", 2, door=door)
                    self.assertIn("finished: 20001 examples,", log)
                    self.assertIn(" 0 lines that could not be read", log)

    def test_no_part_of_a_record_over_lines_is_learned_from_where_lines_are_records(self):
        rows = [f"{n % 9}.5,{n % 7},{n % 5}\n" for n in range(2000)]
        parts = ['1,2,"first\n', *["1000000,8,9\n"] * 500, '7,8,second"\n']
        for place in (0, 1000, 2000):
            with self.subTest(place=place):
                text = "".join([*rows[:place], *parts, *rows[place:]])
                log, _ = self.learn(text, "--dimension", 2, "--replies", "all", door="pipe")
                self.assertIn("finished: 2000 examples,", log)
                self.assertIn("502 lines that could not be read", log)
                self.assertIn("the quote of column #3 does not end in the line: where each line is answered ", log)

    def test_quotes_that_do_not_end_or_are_not_doubled_are_text_and_cost_no_time(self):
        for cell in ('"5 in', '"say "hi" now"', '"say \\"hi\\" now"'):
            with self.subTest(cell=cell):
                log, _ = self.learn("y,a,b\n" + f".1,.2,{cell}\n" * 60000)
                self.assertIn("finished: 60000 examples,", log)
                self.assertIn(" 0 lines that could not be read", log)

    def test_a_line_end_in_a_name_is_a_blank(self):
        rows = "".join(",".join(row[:3]) + "\n" for row in table(300))
        _, plain = self.learn('y,a,"net weight"\n' + rows, "--label", "y")
        for name in ('y,a,"net\nweight"\n', 'y,a,"net\r\nweight"\n'):
            log, state = self.learn(name + rows, "--label", "y")
            self.assertEqual(state, plain, log)

    def test_each_beginning_is_read(self):
        count = 60
        numbers = "".join(f"{n % 7}.5,{n % 5},{n % 3}\n" for n in range(count))
        wide = "".join("1.5," + ",".join(f"{n * i % 7}.2345" for i in range(12000)) + "\n" for n in range(count))
        inputs = {
            "long rows": wide, "JSON above": '{"made": "2024"}\ny,a,b\n' + numbers, "[2024]": "[2024] Sales\ny,a,b\n" + numbers,
            "hashes": "".join(f"#ff{n:04x},{n % 5}.5,{n % 3}\n" for n in range(count)),
            "commas first": "[" + "\n,".join(f'{{"y": {n % 7}, "a": {n % 5}, "b": {n % 3}}}' for n in range(count)) + "\n]\n",
            "CR": "y,a,b\r" + "".join(f'{n % 7},{n % 5},"x\ny{n % 3}"\r' for n in range(count)),
        }
        for name, text in inputs.items():
            with self.subTest(name):
                label = "last" if name == "hashes" else "y" if "y" in text[:80] else "#1"
                log, _ = self.learn(text, f"--label={label}")
                self.assertIn(f"finished: {count} examples,", log)
        status, _, log = self.run_to_end(*INLINE, "--sample-bytes", 1, "--input", self.write("table", numbers.encode()))
        self.assertNotEqual(status, 0)
        self.assertIn("the first record is longer than the sample of 1 bytes: --sample-bytes", log)

    def test_an_odd_cell_is_missing_wherever_it_stands_for_every_seed_and_budget(self):
        count = 60
        for odd in ("None", "\\N", "<5", "1.5kg", "l2", "#DIV/0!"):
            for at in (0, count // 2, count - 1):
                rows = table(count)
                rows[at][1] = odd
                missing = table(count)
                missing[at][1] = ""
                for budget, door in ((2, "file"), (3, "file"), (2, "pipe"), (3, "pipe"), (2, "told"), (2, "stream"), (3, "body")):
                    with self.subTest(odd, at=at, budget=budget, door=door):
                        seed = ("--seed", at % 8, "--budget", budget, "--label", "y")
                        if door in ("told", "stream", "body"):
                            seed += ("--dimension", 3)
                        log, state = self.learn(text_of(rows), *seed, door=door)
                        self.assertNotIn("a' holds categories", log)
                        self.assertEqual(state, self.learn(text_of(missing), *seed, door=door)[1], log)

    def test_a_restart_takes_columns_for_what_they_were(self):
        state = self.path("state")
        self.learn(text_of(table(60)), "--label", "y", state=state)
        # Of this table alone a would be words, and word numbers.
        other = [[row[0], f"w{n}", row[2], str(n)] for n, row in enumerate(table(60, 2))]
        status, _, log = self.run_to_end(*INLINE, "--state-directory", state, "--input", "-", stdin=text_of(other).encode())
        self.assertEqual(status, 0, log)
        self.assertIn("'a' holds numbers, and 'w", log)
        self.assertIn("finished: 120 examples", log)

    def test_a_kill_amid_utf_16_changes_no_bit(self):
        rows = table(20000)
        text = text_of([[*row[:3], f'"{row[3]}\nü"'] for row in rows]).encode("utf-16-be")
        path = self.write("table", text)
        _, straight = self.learn(text, "--label", "y")
        self.assertEqual(self.learn_with_kills(path, "--label", "y"), straight)

    def test_marks_for_missing_values_hold_for_all_columns_or_for_one(self):
        rows, missing = table(80), table(80)
        for n in range(0, 80, 9):
            rows[n][1], missing[n][1] = "-999", ""
            rows[n + 1][2], missing[n + 1][2] = "k.A.", ""
            rows[n + 2][2] = missing[n + 2][2] = "-999"  # a value of this column
        log, plain = self.learn(text_of(missing), "--label", "y")
        for given in (("--missing", "a=-999,k.A."), ("--missing", "#2=-999.0", "--missing", "b=k.A.")):
            log, state = self.learn(text_of(rows), "--label", "y", *given)
            self.assertEqual(state, plain, log)
        self.assertIn("--missing as=-1: there is no column 'as'",
                      self.refused(*INLINE, "--label", "y", "--missing", "as=-1", stdin=text_of(rows).encode())[1])
        far = [[row[0], "-99999" if n % 5 == 0 else row[1], *row[2:]] for n, row in enumerate(rows)]
        log, _ = self.learn(text_of(far), "--label", "y", "--outliers", "keep")
        self.assertIn("stands there 16 times, far from all others: --missing a=-99999", log)

    def test_marks_for_missing_values_hold_in_objects_of_json(self):
        def lines(a, b, label):
            return "".join(f'{{"y":{label if n == 90 else n % 7},"a":{a if n % 5 == 1 else n % 7},"b":{b if n % 4 == 2 else n % 3}}}\n'
                           for n in range(100))
        for door in ("file", "pipe"):
            _, plain = self.learn(lines("null", "null", "null"), "--label", "y", door=door)
            log, state = self.learn(lines("-999", '"k.A."', "-1"), "--label", "y", "--missing", "-999.0,k.A.", "--missing=y=-1", door=door)
            self.assertEqual(state, plain, log)
            self.assertNotIn("k.A.", log)

    def test_a_later_table_in_another_unit_is_told_and_not_mixed_in(self):
        def of(unit, name):
            return self.write(name, "y,w\n" + "".join(f"{n},{n}{unit}\n" for n in range(1, 41)))
        first = of(" kg", "first.csv")
        for unit, told, odd in ((" lb", "beside 'lb', and in the table before beside 'kg': they count as missing", 40),
                                ("", "beside nothing, and in the table before beside 'kg': both are taken for the same", 0)):
            _, _, log = self.run_to_end(*INLINE, "--input", first, "--input", of(unit, "second.csv"))
            self.assertIn(f"second.csv: column #2 ('w'): its numbers stand {told}", log)
            self.assertEqual(f"words where numbers are, which counted as missing: {odd}" in log, odd > 0)

    def test_a_mark_for_a_missing_value_makes_no_words_of_a_column_without_a_sample(self):
        rows = "".join(f"{n},{'None' if n == 1 else n}\n" for n in range(1, 41))
        plain = self.learn(rows.replace("None", ""), "--dimension", 1, door="pipe")[1]
        self.assertEqual(self.learn(rows, "--dimension", 1, door="pipe")[1], plain)

    def test_rows_that_lack_fields_are_refused_or_have_missing_values(self):
        rows, missing = table(60), table(60)
        for n in (0, 30, 59):
            rows[n] = rows[n][:3]
            missing[n][3] = ""
        status, out, log = self.run_to_end(*INLINE, "--label", "y", stdin=text_of(rows).encode())
        self.assertEqual((status, out), (0, b"" if isinstance(out, bytes) else ""), log)
        self.assertIn("finished: 57 examples, 114 attributes revealed, 0 predictions, 3 lines that could not be read", log)
        log, state = self.learn(text_of(rows), "--label", "y", "--short-rows", "missing")
        self.assertEqual(state, self.learn(text_of(missing), "--label", "y")[1], log)
        self.assertIn("rows that lacked fields at their end, which counted as missing (--short-rows missing): 3", log)
        daemon = self.start(*INLINE, "--label", "y", "--short-rows", "missing", "--serve", "--input", self.write("table", text_of(rows)))
        daemon.wait_examples(60)
        status = daemon.status()
        self.assertEqual((status["filled_records"], max(source["filled_records"] for source in status["sources"])), (3, 3))
        self.assertRegex(daemon.get("/metrics").body.decode(), r'glimpse_filled_records_total\{source="[^"]*table"\} 3')

    def test_a_row_of_a_file_without_header_that_lacks_its_label_is_no_question(self):
        for label, place in (("last", -1), ("#1", 0)):
            rows = [[*row[1:3], row[0]] if place else row[:3] for row in table(60)]
            plain = self.learn(text_of([row for n, row in enumerate(rows) if n not in (0, 30, 59)], header=()), "--label", label)[1]
            short = [row[:2] if n in (0, 30, 59) else row for n, row in enumerate(rows)]
            for more in ((), ("--dimension", 2), ("--short-rows", "missing")):
                with self.subTest(label, more=more):
                    log, state = self.learn(text_of(short, header=()), "--label", label, *more)
                    if more[:1] == ("--short-rows",) and not place:
                        self.assertIn("finished: 60 examples, 117 attributes revealed, 0 predictions, 0 lines", log)
                        continue
                    self.assertEqual(state, plain, log)
                    self.assertIn(" 0 predictions, 3 lines that could not be read", log)
                    self.assertRegex(log, "line 31: row has 2 fields, and the other rows 3; a question has an empty label: "
                                     "(--short-rows missing takes|the label is one)")
        asked = self.run_to_end(*INLINE, "--label", "last", "--input", "-", stdin=text_of(short, header=()).encode())[1]
        self.assertEqual(len(asked.split()), 3)  # a pipe may leave it out

    def test_strings_of_objects_are_read_in_the_form_of_the_sample_also_where_attributes_are_counted(self):
        rows = table(150)
        def text(unit, day):
            return "".join(json.dumps({"y": float(row[0]), "a": row[1] + unit, "b": float(row[2]), "d": day.format(n % 28 + 1)}) + "\n"
                           for n, row in enumerate(rows))
        plain = self.learn(text("", "2026-03-{:02}"), "--label", "y")[1]
        for door in ("file", "pipe", "stream"):
            with self.subTest(door):
                log, state = self.learn(text(" kg", "{:02}.03.2026"), "--label", "y", "--dimension", 3, door=door)
                self.assertEqual(state, plain, log)
                self.assertIn("numbers stand beside 'kg'", log)
                self.assertNotIn("counted as missing", log)

    def test_arff_leaves_the_state_of_the_plain_table(self):
        rows = [[*row[1:], row[0]] for row in table(300)]  # the label is the last
        for row in rows[::9]:
            row[0] = ""
        header = ("a", "b in m", "word", "y")
        _, plain = self.learn(text_of(rows, header=header), "--label", "y")
        head = ("% c\n@RELATION 'a table'\n\n@attribute a REAL\n@Attribute 'b in m' integer\n@attribute word {w0, 'w1', w2}\n"
                "@attribute y numeric\n@DATA\n")
        dense = "".join(",".join(cell or "?" for cell in row) + "\n% c\n" for row in rows)
        sparse = "".join("{" + ", ".join(f"{i} {cell or '?'}" for i, cell in enumerate(row) if cell not in ("0", "0.00", "w0")) + "}\n"
                         for row in rows)
        quoted = "".join("\t".join(f"'{cell}'" if n % 2 else f'"{cell}"' for n, cell in enumerate(c or "?" for c in row)) + "\r\n"
                         for row in rows)
        for name, text in (("dense", head + dense), ("sparse", head + sparse), ("quoted", head + quoted),
                           ("utf-16", (head + dense).encode("utf-16")), ("CR", (head + dense).replace("\n", "\r"))):
            for door in ("file", "pipe"):
                for given in ((), ("--format", "arff"), ("--format", "csv", "--label", "y")):
                    if door == "pipe" and name in ("utf-16", "CR") and given:
                        continue
                    with self.subTest(name, door=door, given=given):
                        log, state = self.learn(text, *given, door=door)
                        self.assertEqual(state, plain, log)
                        self.assertIn("arff: ", log)
                        if not given:
                            self.assertIn("label 'y' (column #4), as --label is left out and ARFF has it last", log)

    def test_arff_goes_on_behind_a_kill_and_is_read_from_bodies_and_streams(self):
        rows = [[*row[1:], row[0]] for row in table(20000)]
        head = "@relation r\n@attribute a real\n@attribute b real\n@attribute word {w0,w1,w2}\n@attribute y real\n@data\n"
        text = head + "".join(("{%s}" % ",".join(f"{i} {cell}" for i, cell in enumerate(row)) if n % 3 else ",".join(row)) + "\n"
                              for n, row in enumerate(rows))
        path = self.write("table.arff", text)
        _, straight = self.learn(text)
        self.assertEqual(self.learn_with_kills(path), straight)
        daemon = self.start(*INLINE, "--state-directory", self.path("killed"))
        asked = [row for row in rows[:20] if row[2] != "w9"]
        wanted = [daemon.post("/v1/predict", f'{{"values": {{"a": {row[0]}, "b": {row[1]}, "word": "{row[2]}"}}}}')
                  .json()["predictions"][0] for row in asked]
        question = head + "".join(f"{row[0]},{row[1]},{row[2]},?\n" for row in asked)
        turned = ("@relation r\n@attribute word string\n@attribute y real\n@attribute b real\n@attribute a real\n@data\n"
                  + "".join(f"{{0 {row[2]},1 ?,2 {row[1]}, 3 {row[0]}}}\n" for row in asked))
        for form in ("csv", "arff"):
            for body in (question, turned):
                self.assertEqual(daemon.post(f"/v1/predict?format={form}", body).json()["predictions"], wanted)
        self.assertEqual(daemon.post("/v1/learn?format=arff", head + ",".join(rows[0]) + "\n").json()["accepted"], 1)
        self.assertEqual(daemon.status()["examples"], 20001)

    def test_what_is_wrong_in_arff_is_said_with_its_line(self):
        head = "@relation r\n@attribute a real\n@attribute y real\n@data\n"
        good = "".join(f"{n},{n}\n" for n in range(20))
        for text, told in ((head + good + "{2 1}\n", "line 25: a sparse row has {index value"),
                           (head + "1,2,{5}\n" + good, "line 5: weights of rows, as '{5}', are not read"),
                           (head + "1,'2\n" + good, "line 5: a value in quotes ends with the quote")):
            log, _ = self.learn(text)
            self.assertIn(told, log)
            self.assertIn("finished: 20 examples", log)
        self.assertIn("line 2: 'a' has the type 'blob': numeric, real,",
                      self.refused(*INLINE, stdin=(head.replace("real", "blob", 1) + good).encode())[1])
        _, plain = self.learn(head + good)
        self.assertEqual(self.learn(head + good, "--dimension", 1, door="pipe")[1], plain)
        status, _, log = self.run_to_end(*INLINE, "--dimension", 1, "--replies", "all", stdin=(head + good).encode())
        self.assertIn("begins a table of ARFF", log)

    def test_strings_of_json_are_read_as_the_cells_of_tables(self):
        rows = table(300)
        for row in rows[::7]:
            row[1] = ""
        days = [10957 + n * 13 % 9000 for n in range(300)]
        date = lambda day: subprocess.run(["date", "-u", "-d", f"@{day * 86400}", "+%d.%m.%Y"], capture_output=True, text=True,
                                          check=True).stdout.strip()
        _, plain = self.learn(text_of(rows), "--label", "y")
        flat = lambda a, y=lambda text: text: "".join(
            f'{{"y": {y(row[0])}, "a": {a(row[1]) if row[1] else "null"}, "b": {row[2]}, "word": "{row[3]}"}}\n' for row in rows)
        ways = {"plain": flat(lambda text: f'"{text}"'), "a unit": flat(lambda text: f'"{text} kg"'),
                "a currency": flat(lambda text: f'"${text}"'), "percent": flat(lambda text: f'"{text} %"'),
                "decimal commas": flat(lambda text: f'"{text.replace(".", ",")}"'),
                "commas in groups": flat(lambda text: f'"{float(text):,.2f}"'),
                "parentheses": flat(lambda text: f'"({text[1:]})"' if text.startswith("-") else f'"{text}"'),
                "labels": flat(lambda text: text, lambda text: f'"{text} EUR"')}
        for name, text in ways.items():
            for door in ("file", "pipe"):
                with self.subTest(name, door=door):
                    log, state = self.learn(text, "--label", "y", door=door)
                    self.assertEqual(state, plain, log)
        values = text_of([[row[0], date(day), *row[2:]] for row, day in zip(rows, days)])
        _, wanted = self.learn(values, "--label", "y")
        dated = "".join(f'{{"y": {row[0]}, "a": "{date(day)}", "b": {row[2]}, "word": "{row[3]}"}}\n' for row, day in zip(rows, days))
        log, state = self.learn(dated, "--label", "y")
        self.assertEqual(state, wanted, log)
        self.assertIn("dates and times are numbers of days in 'a'", log)
        # A restart reads on, and so do bodies.
        folder = self.path("kept")
        self.learn(ways["a unit"], "--label", "y", state=folder)
        daemon = self.start(*INLINE, "--state-directory", folder)
        ask = lambda a: daemon.post("/v1/predict", f'{{"values": {{"a": {a}, "b": 7, "word": "w1"}}}}').json()["predictions"]
        self.assertEqual(ask('"12.5 kg"'), ask("12.5"))
        self.assertNotEqual(ask('"12.5 kg"'), ask("99"))

    def test_bodies_are_read_as_the_table_that_was_learned_from(self):
        commas = lambda rows: [[cell.replace(".", ",") for cell in row] for row in rows]
        text = text_of(commas(table(400)), ";")
        daemon = self.start(*INLINE, "--label", "y", "--serve", "--input", self.write("table", text))
        daemon.wait_examples(400)
        rows = table(20, 5)
        wanted = [daemon.post("/v1/predict", f'{{"values": {{"a": {row[1]}, "b": {row[2]}, "word": "{row[3]}"}}}}')
                  .json()["predictions"][0] for row in rows]
        for columns in ((1, 2, 3), (3, 1, 2)):
            body = text_of([[row[c] for c in columns] for row in commas(rows)], ";", [COLUMNS[c] for c in columns])
            self.assertEqual(daemon.post("/v1/predict?format=csv", body).json()["predictions"], wanted)
        for encoding in ("utf-16", "utf-16-le", "utf-16-be"):  # of which the last two have no mark
            self.assertEqual(daemon.post("/v1/predict?format=csv", body.encode(encoding)).json()["predictions"], wanted)
        for encoding in ("utf-8", "utf-16", "utf-16-le", "utf-16-be"):
            labelled = text_of(commas(rows), ";").encode(encoding)
            self.assertEqual(daemon.post("/v1/learn?format=csv", labelled).json()["accepted"], 20)
        self.assertEqual(daemon.status()["examples"], 480)

    def test_a_question_that_only_the_sample_shows_is_answered_at_the_end_of_its_connection(self):
        rows = [[str(n), str(n % 7), str(n % 5)] for n in range(30)]
        for mark, delimiter, options in (("k.A.", ",", ("--missing", "k.A.")), ("", "::", ())):
            question = text_of([[mark, "1", "2"]], delimiter, header=())
            options = (*INLINE, "--label", "#1", "--dimension", 2, *options)
            door = ("--listen", "tcp:127.0.0.1:0")
            daemon = self.start(*options, *door)
            with daemon.client() as client:
                client.send(text_of(rows, delimiter, header=()) + question)
                daemon.wait_text("wait for each other")
                self.assertEqual(len(client.finish().split()), 1)
            self.assertEqual(daemon.status()["examples"], 30)
            schema = ("--schema", self.path(f"{len(mark)}.json"))
            sample = self.write("sample", text_of(rows, delimiter, header=()))
            self.run_to_end(*options, *schema, "--dry-run", "--input", sample)
            with self.start(*options, *door, *schema).client() as client:
                client.send(text_of(rows, delimiter, header=()) + question)
                self.assertTrue(client.line().strip())

    def test_who_waits_for_an_answer_gets_it_before_the_sample_is_full(self):
        rows = table(40)
        for replies, asked in (("all", rows[:3]), ("unlabelled", [["", *row[1:]] for row in rows[:3]])):
            for header in ((), COLUMNS):
                with self.subTest(replies, header=header):
                    daemon = self.start(*INLINE, "--label", "y" if header else "#1", "--header", "yes" if header else "no",
                                        "--replies", replies, http=None, stdin=subprocess.PIPE)
                    pipe = daemon.process.stdin
                    lines = [header] if header else []
                    if replies == "unlabelled":
                        lines += rows[3:]
                    pipe.write(text_of(lines, header=()).encode())
                    for row in asked:
                        pipe.write(text_of([row], header=()).encode())
                        pipe.flush()
                        self.assertTrue(daemon.process.stdout.readline().strip())
                    pipe.close()
                    self.assertEqual(daemon.wait(), 0)

    def test_where_lines_are_answered_or_counted_the_log_says_that_no_sample_decides(self):
        text = "y,a,b\n" + "".join(f"{n},{n % 7},{n % 5}\n" for n in range(20))
        schema = self.write("columns.json", json.dumps({"format": "csv", "width": 3, "columns": [
            {"name": name, "use": use, "type": "number"} for name, use in (("y", "label"), ("a", "attribute"), ("b", "attribute"))]}))
        for options, head, why in ((("--replies", "all"), "", "every line is answered (--replies all)"),
                                   ((), "#glimpse source=s\n", "the client of a named source counts records"), ((), "", None)):
            for decided in ((), ("--schema", schema)):
                daemon = self.start(*INLINE, "--label", "y", "--dimension", 2, *options, *decided,
                                    "--state-directory", self.path(f"s{len(options)}{len(head)}{len(decided)}"),
                                    "--listen", "tcp:127.0.0.1:0")
                with daemon.client() as client:
                    client.send(head + text)
                    client.finish()
                until(lambda daemon=daemon: daemon.status()["examples"] == 20, "all examples")
                daemon.stop()
                said = f"no sample decides how it is read, as {why}: the first value of each column does; --schema FILE"
                self.assertEqual(daemon.stderr.count(said), int(why is not None and not decided), daemon.stderr)
                self.assertEqual(daemon.stderr.count("no sample decides"), int(why is not None and not decided), daemon.stderr)

    def test_the_sample_of_a_connection_ends_with_it_with_a_question_and_with_glimpsed(self):
        rows = table(40)
        rows[0][1] = "1.5kg"
        text = text_of(rows)
        question = text_of([["", *row[1:]] for row in table(1, 3)], header=())
        started = lambda name: self.start(*INLINE, "--label", "y", "--dimension", 3, "--listen", "tcp:127.0.0.1:0",
                                          "--state-directory", self.path(name))

        def closed(client, daemon):
            client.finish()
            daemon.wait_examples(40)

        def broken_off(client, daemon):
            daemon.wait_text("wait for each other")
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()
            daemon.wait_examples(40)

        def asked(client, daemon):
            self.assertNotIn("error", client.ask(question))
            self.assertEqual(daemon.status()["examples"], 40)

        def asked_by_another(client, daemon):
            daemon.wait_text("wait for each other")
            self.assertEqual(daemon.status()["examples"], 0)
            self.assertEqual(len(daemon.post("/v1/predict?format=csv", question).json()["predictions"]), 1)
            self.assertEqual(daemon.status()["examples"], 40)

        states = []
        for end in (closed, broken_off, asked, asked_by_another, lambda client, daemon: daemon.wait_text("wait for each other")):
            name = f"ended-{len(states)}"
            daemon = started(name)
            with daemon.client() as client:
                client.send(text)
                end(client, daemon)
                if end == asked:  # the next connection is read as the first one
                    with daemon.client() as other:
                        self.assertNotIn("error", other.ask(text_of([]) + '"",1.5kg,"2","a\nb"\n'))
                self.assertEqual(daemon.stop(), 0)
            self.assertIn("finished: 40 examples", daemon.stderr)
            self.assertRegex(daemon.stderr, "column #2 .'a'.: 1 of 4[01] values is not of its type")
            states.append(state_of(self.path(name)))
        self.assertEqual(states[0], states[1])
        self.assertEqual(states[0], states[4])

    def test_who_asks_on_a_new_connection_is_answered_at_once(self):
        named = ("--attributes", self.write("names", "a\nb\nc\n"), "--label", "y")
        for options, asked in ((("--dimension", 3), "1,2,3\n"), (("--dimension", 3), "1 2 3\n"), (named, "a,b,c\n1,2,3\n"),
                               (named, '{"a": 1, "b": 2, "c": 3}\n'), (named, '{"y": null, "a": 1, "b": 2, "c": 3}\n')):
            with self.subTest(asked):
                daemon = self.start(*INLINE, *options, "--listen", "tcp:127.0.0.1:0")
                with daemon.client() as client:
                    self.assertEqual(client.ask(asked), "0\n")

    def test_a_bad_row_of_a_sample_that_another_client_ends_is_its_own(self):
        rows = text_of(table(40)).splitlines(keepends=True)
        for bad in ("1,2\n", "1,kg,2,w1\n"):
            daemon = self.start(*INLINE, "--label", "y", "--dimension", 3, "--listen", "tcp:127.0.0.1:0")
            with daemon.client() as client:
                client.send("".join(rows[:11]) + bad + "".join(rows[11:]))
                daemon.wait_text("wait for each other")
                answer = daemon.post("/v1/predict?format=csv", text_of([["", "1", "2", "w1"]]))
                self.assertEqual((answer.status, answer.json()["examples"]), (200, 40 + bad.count("kg")))
                if "kg" not in bad:
                    self.assertIn("line 12", client.line())
        daemon = self.start(*INLINE, "--label", "y", "--dimension", 3, "--listen", "tcp:127.0.0.1:0", "--strict")
        client = daemon.client()
        client.send("".join(rows[:11]) + "1,2\n" + "".join(rows[11:]))
        daemon.wait_text("wait for each other")
        self.assertEqual(daemon.post("/v1/predict?format=csv", text_of([["", "1", "2", "w1"]])).json()["examples"], 0)
        client.close()
        self.assertEqual(daemon.wait(), 1)
        self.assertIn("finished: 10 examples", daemon.stderr)

    def test_what_a_body_or_a_connection_decided_holds_for_the_next(self):
        comma = text_of([[cell.replace(".", ",") for cell in row] for row in table(150)], ";")
        quoted = text_of([]) + '1,2,3,"w\n1"\n'
        for body, later in ((comma, comma), (text_of(table(150)), quoted)):
            daemon = self.start(*INLINE, "--label", "y", "--dimension", 3, "--state-directory", self.path(f"held-{len(later)}"))
            first = daemon.post("/v1/learn?format=csv", body).json()
            self.assertEqual((first["accepted"], first["error_count"]), (150, 0))
            for _ in range(2):
                again = daemon.post("/v1/learn?format=csv", later).json()
                self.assertEqual((again["accepted"], again["error_count"]), (1 if later == quoted else 150, 0))
                daemon.stop()
                daemon = self.start(*INLINE, "--label", "y", "--dimension", 3, "--state-directory", self.path(f"held-{len(later)}"))
        # A named source counts lines, and goes on in the order of its own header.
        daemon = self.start(*INLINE, "--label", "y", "--dimension", 3, "--state-directory", self.path("sourced"))
        daemon.post("/v1/learn?format=csv", text_of(table(120)))
        turned = [list(reversed(row)) for row in table(60, 3)]
        for begin, header in ((0, COLUMNS[::-1]), (31, ())):
            part = turned[:30] if header else turned[30:]
            answer = daemon.post(f"/v1/learn?format=csv&source=s&from={begin}", text_of(part, header=header)).json()
            self.assertEqual(answer["accepted"], 30)
        plain = self.start(*INLINE, "--label", "y", "--serve", "--input", self.write("both", text_of(table(120) + table(60, 3))))
        plain.wait_examples(180)
        weights = [json.loads(one.model())["weights"] for one in (plain, daemon)]
        self.assertEqual(weights[0], weights[1])

    def test_lines_behind_a_quote_that_never_ends_are_read_at_the_end_of_a_connection(self):
        rows = text_of(table(60)).splitlines(keepends=True)
        text = "".join(rows[:21]) + '1,2,3,"w5 in\n' + "".join(rows[21:51])
        for end in ("closed", "cut off", "stopped"):
            for before in ("", "".join(rows[1:]) * 3):  # in the sample, and behind it
                with self.subTest(end, behind=bool(before)):
                    daemon = self.start(*INLINE, "--label", "y", "--dimension", 3, "--listen", "tcp:127.0.0.1:0")
                    client = daemon.client()
                    client.send(rows[0] + before + text[len(rows[0]):] + ("1,2" if end == "cut off" else ""))
                    if end == "stopped":
                        until(lambda: sum(source["bytes"] for source in daemon.status()["sources"]) > 0 or not before, "sent")
                        daemon.wait_text("wait for each other" if not before else "csv: header")
                    else:
                        client.finish()
                    self.assertEqual(daemon.stop(), 0)
                    self.assertIn(f"finished: {51 + before.count(chr(10))} examples", daemon.stderr)

    def test_connections_have_the_encodings_and_delimiters_of_files(self):
        text = text_of(table(150))
        wanted = self.learn(text, "--label", "y", "--dimension", 3)[1]
        for sent in (text.encode("utf-16-le"), text.encode("utf-16"), text.replace(",", "|").encode()):
            for door in ("stream", "told", "body"):
                with self.subTest(sent[:4], door=door):
                    if door == "body" and sent[1] in (0, 0xfe):
                        continue  # refused
                    log, state = self.learn(sent, "--label", "y", "--dimension", 3, door=door)
                    self.assertEqual(state, wanted, log)

    def test_connections_that_wait_are_read_as_the_first_that_decides(self):
        daemon = self.start(*INLINE, "--label", "y", "--dimension", 3, "--listen", "tcp:127.0.0.1:0")
        comma = [[cell.replace(".", ",") for cell in row] for row in table(200)]
        with daemon.client() as waiting, daemon.client() as deciding:
            waiting.send(text_of(comma[:50], ";"))
            daemon.wait_text("wait for each other")
            self.assertEqual(daemon.status()["examples"], 0)
            deciding.send(text_of(comma[50:], ";"))
            daemon.wait_examples(200)
        self.assertEqual(daemon.stop(), 0)
        self.assertIn(" 0 lines that could not be read", daemon.stderr)

    def test_a_first_line_that_looks_like_another_format_does_not_decide(self):
        times = [[row[0], f"{n % 24:02}:{n % 60:02}", row[2], row[3]] for n, row in enumerate(table(150))]
        comma = [[cell.replace(".", ",") for cell in row] for row in table(150)]
        for text in (text_of(times, "\t", ()), text_of(times, " ", ()), text_of(comma, "|"), text_of(comma, "|", ())):
            label = "y" if text.startswith("y") else "#1"
            wanted = self.learn(text, f"--label={label}", "--dimension", 3)[1]
            for door in ("stream", "told"):
                with self.subTest(text[:30], door=door):
                    log, state = self.learn(text, f"--label={label}", "--dimension", 3, door=door)
                    self.assertEqual(state, wanted, log)

    def test_who_asks_ends_no_sample_that_has_no_example(self):
        text = text_of([[row[0], row[1] + " kg", *row[2:]] for row in table(150)], ";")
        wanted = self.learn(text, "--label", "y", "--dimension", 3)[1]
        header, rows = text.split("\n", 1)
        for begin in (header + "\n", "\n" + header + "\n", "# sent by hand\n" + header + "\n"):
            with self.subTest(begin):
                self.runs += 1
                daemon = self.start(*INLINE, "--label", "y", "--dimension", 3, "--listen", "tcp:127.0.0.1:0",
                                    "--state-directory", self.path(f"asked-{self.runs}"))
                with daemon.client() as client:
                    client.send(begin)
                    daemon.wait_text("wait for each other") if begin[0] == "y" else None
                    daemon.post("/v1/predict", '{"values": [1, 2, 3]}')
                    client.send(rows)
                    daemon.wait_examples(150)
                self.assertEqual(daemon.stop(), 0)
                self.assertRegex(daemon.stderr, "numbers stand beside 'kg'")

    def test_dates_are_numbers_of_days(self):
        rows = table(200)
        days = [random.Random(n).randrange(10000, 20000) for n in range(200)]
        plain = text_of([[row[0], str(day), *row[2:]] for row, day in zip(rows, days)])
        # Under a ball dates are numbers alone (dates_test: what else they are).
        _, wanted = self.learn(plain, "--label", "y", "--radius", 5)
        for form in ("+%Y-%m-%d", "+%d.%m.%Y", "+%m/%d/%Y", "+%d %b %Y"):
            made = subprocess.run(["date", "-u", "-f", "-", form], input="".join(f"@{day * 86400}\n" for day in days),
                                  capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C"})
            dates = made.stdout.splitlines()
            with self.subTest(form):
                log, state = self.learn(text_of([[row[0], date, *row[2:]] for row, date in zip(rows, dates)]), "--label", "y",
                                        "--radius", 5)
                self.assertEqual(state, wanted, log)


if __name__ == "__main__":
    unittest.main()
