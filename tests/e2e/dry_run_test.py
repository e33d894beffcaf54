"""--dry-run: how a table would be read, and --rows: all its records as they are read."""

import csv
import io
import json
import os
import random
import re
import subprocess
import tarfile
import unittest
from collections import Counter, defaultdict

from harness import TestCase, binary, without_sanitizers

POLLOCK = os.path.join(os.environ.get("GLIMPSE_DATA", ""), "pollock", "polluted.tar.xz")
TABLE = "id;größe;preis;tag\n1;2,5;$1.50;2026-01-01\n2;3,5;$2.50;2026-01-02\n3;None;$0.50;2026-01-03\n"


class DryRun(TestCase):
    def run_dry(self, *arguments, stdin=b""):
        return subprocess.run([binary("GLIMPSE_BIN"), *map(str, arguments)], input=stdin, capture_output=True, check=False)

    def described(self, *arguments, **keywords):
        ran = self.run_dry("--dry-run", "--json", *arguments, **keywords)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads(ran.stdout)

    def rows(self, text, *arguments):
        ran = self.run_dry("--rows", *arguments, stdin=text if isinstance(text, bytes) else text.encode())
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return list(csv.reader(io.StringIO(ran.stdout.decode())))

    def test_a_table_is_described_for_people_and_for_programs(self):
        sales = self.write("sales.csv", "id,colour,amount\n" + "".join(f"{n},{'red' if n % 2 else 'blue'},{n}.5\n" for n in range(20)))
        told = self.run_dry("--dry-run", "--input", sales, "--label", "amount", "--ignore", "id").stdout.decode()
        self.assertIn(f"{sales}: csv in utf-8, fields divided by ',', the header in line 1\n", told)
        lines = {line.split()[1]: line for line in told.splitlines() if re.match(r" +\d+  ", line)}
        self.assertTrue(lines["id"].endswith("ignored"))
        self.assertTrue(lines["colour"].endswith("attribute, categories"))
        self.assertTrue(lines["amount"].endswith("label"))
        learned = "csv: header, 1 attribute, label 'amount' (column #3), 1 category: colour, 1 column ignored"
        self.assertIn(f"\nread as {learned}\n", told)
        self.assertIn(learned, self.run_to_end("--input", sales, "--label", "amount", "--ignore", "id", "--budget", 1)[2])
        self.assertEqual(self.described("--input", sales)["columns"][0]["use"], "label (--label NAME chooses another)")
        first = self.write("first.csv", "y,a\n1,None\n" + "".join(f"{n},{n}.5\n" for n in range(20)))
        column = self.described("--input", first)["columns"][1]
        self.assertEqual((column["type"], column["missing"], column["use"]), ("number", 1, "attribute"))
        path = self.write("preise.csv", TABLE)
        told = self.run_dry("--dry-run", "--input", path).stdout.decode()
        self.assertIn("\nread as csv: header, divided by ';', 3 attributes, label 'id' (column #1)", told)
        self.assertIn("numbers are written as 1234,5 with a decimal comma", told)
        self.assertIn("numbers stand beside '$'", told)
        self.assertIn('  3,None,$0.50,2026-01-03\n', told)
        said = self.described("--input", path)
        self.assertEqual([column["name"] for column in said["columns"]], ["id", "größe", "preis", "tag"])
        self.assertEqual([column["type"] for column in said["columns"]], ["number", "number", "number", "date"])
        self.assertEqual(said["columns"][1]["missing"], 1)
        self.assertEqual(said["sample_records"], 3)

    def test_arff_is_described_and_its_rows_are_csv(self):
        text = ("% c\n@relation r\n@attribute 'a b' real\n@attribute c {x,'y, z'}\n@attribute class {no,yes}\n@data\n"
                "1.5,'y, z',yes\n{0 2}\n% c\n?,x,?\n")
        self.assertEqual(self.rows(text), [["a b", "c", "class"], ["1.5", "y, z", "yes"], ["2", "x", "no"], ["?", "x", "?"]])
        for arguments in ((), ("--format", "arff")):
            for path in (("--input", self.write("x.arff", text)), ()):
                said = self.described(*path, *arguments, stdin=text.encode())
                self.assertEqual((said["format"], said["sample_records"]), ("arff", 3))
                self.assertEqual([(column["name"], column["type"], column["use"]) for column in said["columns"]],
                                 [("a b", "number", "attribute"), ("c", "words", "attribute, categories"),
                                  ("class", "words", "label, classes (--label NAME chooses another)")])
        told = self.run_dry("--dry-run", stdin=text.encode()).stdout.decode()
        self.assertIn("arff in utf-8\n", told)
        self.assertIn("read as arff: header, 2 attributes, label 'class' (column #3) of words", told)

    def test_a_pipe_is_described_by_the_sample_that_learning_has(self):
        rows = "y,a\n" + "".join(f"{n}.5,{n}\n" for n in range(500))
        self.assertEqual(self.described(stdin=rows.encode())["sample_records"], 99)
        self.assertEqual(self.described("--sample-records", 300, stdin=rows.encode())["sample_records"], 299)
        asked = rows.replace("\n20.5,", "\n,", 1)
        self.assertEqual(self.described(stdin=asked.encode())["sample_records"], 21)
        said = self.described("--input", self.write("t.csv", asked))
        self.assertEqual((said["sample_records"], said["sample_is_whole"]), (500, True))

    def test_encodings_are_known_and_rows_are_utf_8(self):
        want = [["id", "größe", "preis", "tag"], ["1", "2,5", "$1.50", "2026-01-01"]]
        for encoding, name in (("utf-8", "utf-8"), ("utf-8-sig", "utf-8"), ("utf-16", "utf-16le"), ("utf-16-be", "utf-16be"),
                               ("latin-1", "latin-1"), ("cp1252", "latin-1")):
            with self.subTest(encoding):
                self.assertEqual(self.rows(TABLE.encode(encoding))[:2], want)
                self.assertEqual(self.described(stdin=TABLE.encode(encoding))["encoding"], name)
        self.assertEqual(self.rows("y,a\n1,\x80\n".encode("latin-1"))[1], ["1", "€"])

    def test_rows_are_read_on_behind_the_sample(self):
        source = random.Random(7)
        rows = [[f"{source.uniform(-9, 9):.3f}", f'a "{n}",\nb' if n % 3 == 0 else "\U0001f600" * (n % 5) + "w", str(n)] for n in range(40000)]
        out = io.StringIO()
        csv.writer(out, lineterminator="\r\n").writerows([["y", "word", "n"], *rows])
        self.assertEqual(self.rows(out.getvalue()), [["y", "word", "n"], *rows])
        self.assertEqual(self.rows(out.getvalue().encode("utf-16")), [["y", "word", "n"], *rows])

    def test_objects_of_json_are_described_as_a_table_is(self):
        flat = '{"y":1.5,"a":2,"b":"red","d":"2024-01-05"}\n\n{"y":2,"a":-9,"b":"blue","d":"2024-02-06"}\n'
        for path in (("--input", self.write("x.ndjson", flat)), ()):
            said = self.described("--label", "y", "--missing=a=-9", *path, stdin=flat.encode())
            self.assertEqual([(column["name"], column["type"], column["missing"], column["use"]) for column in said["columns"]],
                             [("a", "number", 1, "attribute"), ("b", "words", 0, "attribute, categories"),
                              ("d", "date", 0, "attribute, with day of week, month"), ("y", "number", 0, "label")])
            self.assertEqual([column["examples"] for column in said["columns"]],
                             [["2", "-9"], ["red", "blue"], ["2024-01-05", "2024-02-06"], ["1.5", "2"]])
            self.assertEqual((said["sample_records"], [json.loads(line)["a"] for line, in said["first_records"]]), (2, [2, -9]))
        self.assertIn("no object has the key 'label'", self.described(stdin=flat.encode())["refused"])
        nested = self.run_dry("--dry-run", stdin=b'{"label":1,"values":[1,"x"]}\n').stdout.decode()
        self.assertIn("   3  label  number", nested)
        self.assertIn('\nthe first records:\n  {"label":1,"values":[1,"x"]}\n', nested)
        self.assertIn("\nread as ndjson: 2 attributes, by number, 1 category: attribute 1\n", nested)

    def test_lines_of_svmlight_are_shown_with_what_is_made_of_them(self):
        lines = b"1 1:2 3:4\n# none\n2 1:1\n"
        self.assertEqual(self.described("--dimension", 3, stdin=lines)["first_records"], [["1 1:2 3:4"], ["2 1:1"]])
        self.assertIn("it would be refused: svmlight does not tell", self.run_dry("--dry-run", stdin=lines).stdout.decode())

    def test_what_is_no_table_is_said(self):
        self.assertEqual(self.described(stdin=b"1 1:2 2:3\n2 1:3\n")["format"], "svmlight")
        ran = self.run_dry("--rows", stdin=b"1 1:2 2:3\n2 1:3\n")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("--rows: stdin is svmlight, and rows are printed of tables: --dry-run describes it", ran.stderr.decode())
        for arguments, told in ((("--json",), "--json: is of --dry-run, which is not given"),
                                (("--rows", "--dry-run", "--json"), "give one of them"),
                                (("--dry-run", "--input", self.path("none.csv")), "none.csv")):
            ran = self.run_dry(*arguments)
            self.assertNotEqual(ran.returncode, 0)
            self.assertIn(told, ran.stderr.decode())

    def test_nonsense_is_described_or_refused_and_never_ends_the_program(self):
        source = random.Random(11)
        for size in (0, 1, 7, 100, 5000):
            for alphabet in (bytes(range(256)), b'",;\n\r\t 1a', b"\x00\xff\xfe\n,"):
                text = bytes(source.choices(alphabet, k=size))
                for arguments in (("--dry-run",), ("--dry-run", "--json"), ("--rows",)):
                    self.assertIn(self.run_dry(*arguments, stdin=text).returncode, (0, 1), text)


def cells(text):
    """The records of a table, where blanks and the way to write a number do not count."""

    def plain(cell):
        cell = re.sub(r"\s+", " ", cell.strip())
        try:
            return repr(float(cell))
        except ValueError:
            return cell

    return [tuple(map(plain, record)) for record in csv.reader(io.StringIO(text, newline=""))]


def precision_recall_f1(got, want):
    got, want = Counter(got), Counter(want)
    if not got and not want:
        return 3.0
    hits = sum((got & want).values())
    precision = hits / sum(got.values()) if got else 0
    recall = hits / sum(want.values()) if want else 0
    return precision + recall + (2 * precision * recall / (precision + recall) if hits else 0)


def pollock_score(got, want):
    """The sum of ten measures of Vitagliano et al., "Pollock: A Data Loading Benchmark", PVLDB 16(8), 2023."""
    flat = [[cell for record in part for cell in record] for part in (got[:1], want[:1], got[1:], want[1:])]
    return (1 + precision_recall_f1(flat[0], flat[1]) + precision_recall_f1(got[1:], want[1:])
            + precision_recall_f1(flat[2], flat[3]))


class Pollock(TestCase):
    @unittest.skipUnless(os.path.isfile(POLLOCK), "no GLIMPSE_DATA")
    @without_sanitizers
    def test_polluted_tables_are_read_by_themselves(self):
        """All kinds of pollution, and of those that stand in one row each at 1/GLIMPSE_POLLOCK_SHARE of the rows."""
        share = int(os.environ.get("GLIMPSE_POLLOCK_SHARE", "12"))
        with tarfile.open(POLLOCK) as archive:
            files = {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}
        named = {name.rpartition("/csv/")[2]: name for name in files if "/csv/" in name}
        weights = json.loads(next(text for name, text in files.items() if name.endswith("pollock_weights.json")))
        kinds = defaultdict(list)
        for name in sorted(named):
            kinds[re.sub(r"(row\d+|\d+)(_col\d+)?", "N", name) if name.startswith("row_") else name].append(name)
        simple = weighted = weight_of_all = 0
        for kind, members in kinds.items():
            chosen = random.Random(kind).sample(members, -(-len(members) // share))
            scores = []
            for name in chosen:
                ran = subprocess.run([binary("GLIMPSE_BIN"), "--rows"], input=files[named[name]], capture_output=True, check=False)
                want = cells(files[named[name].replace("/csv/", "/clean/")].decode())
                scores.append(pollock_score(cells(ran.stdout.decode()), want) if ran.returncode == 0 else 0)
            mean = sum(scores) / len(scores)
            weight = sum(weights.get(name, 0) for name in members)
            simple += mean * len(members)
            weighted += mean * weight
            weight_of_all += weight
        simple /= len(named)
        weighted /= weight_of_all
        print(f"Pollock: simple {simple:.3f}, weighted {weighted:.3f}")
        self.assertGreater(simple, 9.9)
        self.assertGreater(weighted, 9.85)


if __name__ == "__main__":
    unittest.main()
