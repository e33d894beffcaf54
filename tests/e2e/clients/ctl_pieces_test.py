"""glimpsectl learn and predict of files beyond one request: what goes out in pieces is read as one body would be."""

import functools
import gzip
import json
import random
import shutil
import subprocess
import unittest

from harness import DEADLINE, TestCase, binary

COLUMNS = ["rides", "hour", "temperature", "wind", "weather"]
WORDS = ["clear", "cloudy", "rain"]
ROWS = 30000  # of some 110 bytes: 3 MB
FEW = 12000  # two pieces


@functools.lru_cache(maxsize=None)
def rows(count, seed):
    generator = random.Random(seed)
    made = []
    for _ in range(count):
        hour, temperature, wind = generator.randrange(24), generator.randrange(300) / 8, generator.randrange(200) / 8
        weather = generator.randrange(3)
        label = 90 + 3 * hour + 8 * temperature - wind - 25 * weather
        made.append([label, hour, temperature, wind, WORDS[weather]])
    return made


def table(count, columns, delimiter=",", header=True, end="\n", seed=1, padding=30):
    """Lines of a table with these of the columns, in this order; numbers are padded with zeros to make it long."""
    places = [COLUMNS.index(column) for column in columns]
    lines = [delimiter.join(columns) + end] if header else []
    for row in rows(count, seed):
        cells = [row[i] if isinstance(row[i], str) else f"{row[i]:.{padding}f}" for i in places]
        lines.append(delimiter.join(cells) + end)
    return lines


def second_piece(lines):
    """The place of the line with which the second piece begins."""
    size = 0
    for n, line in enumerate(lines):
        size += len(line)
        if size > 1_000_000:
            return n
    raise AssertionError("all fits into one piece")


class Pieces(TestCase):
    def begin(self, *arguments):
        return self.start("--dimension", 4, "--budget", 2, "--seed", 7, "--label", "rides", *arguments)

    def ctl(self, daemon, *arguments, stdin=b"", expect=0):
        """(standard output, standard error)."""
        done = subprocess.run([binary("GLIMPSECTL_BIN"), "--server", f"unix:{daemon.http_path}", *map(str, arguments)],
                              input=stdin, capture_output=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, expect, done.stderr[-500:])
        return done.stdout.decode(), done.stderr.decode()

    def learned(self, *arguments):
        """A daemon that knows the columns from a first table."""
        daemon = self.begin(*arguments)
        first = "".join(table(3000, COLUMNS)).encode()
        self.assertEqual(daemon.post("/v1/learn?format=csv", first).json()["accepted"], 3000)
        return daemon

    @staticmethod
    def predictions(daemon, body, **query):
        query = "".join(f"&{key}={value}" for key, value in query.items())
        answer = daemon.post(f"/v1/predict?format=csv{query}", body)
        assert answer.status == 200, answer.body
        return list(map(float, answer.json()["predictions"]))

    def test_reversed_columns_are_predicted_for_as_in_one_body(self):
        daemon = self.learned()
        text = "".join(table(ROWS, COLUMNS[:0:-1], seed=2)).encode()
        self.assertGreater(len(text), 3_000_000)
        whole = self.predictions(daemon, text)
        self.assertEqual(len(whole), ROWS)
        file = self.write("rides.csv", text)
        sent = {"file": (file, b""), "pipe": ("-", text), "gzip": (self.write("rides.csv.gz", gzip.compress(text, 1)), b""),
                "gzip in a pipe": ("-", gzip.compress(text, 1))}
        if shutil.which("zstd"):
            sent["zstd"] = ("-", subprocess.run(["zstd", "-q", "-c"], input=text, stdout=subprocess.PIPE, check=True).stdout)
        for name, (source, stdin) in sent.items():
            out, _ = self.ctl(daemon, "predict", "--format", "csv", source, stdin=stdin)
            self.assertEqual(list(map(float, out.split())), whole, name)

    def test_headers_of_every_writing_are_repeated(self):
        daemon = self.learned()
        columns = COLUMNS[:0:-1]
        mark = b"\xef\xbb\xbf"
        quoted = [",".join(f'"{column}"' for column in columns) + "\n", *table(FEW, columns, header=False, seed=2)]
        texts = {
            "CRLF": "".join(table(FEW, columns, end="\r\n", seed=2)).encode(),
            "byte order mark": mark + "".join(table(FEW, columns, seed=2)).encode(),
            "quotes": "".join(quoted).encode(),
            "behind comments and blank lines": ("# rides\n\n" + "".join(table(FEW, columns, seed=2))).encode(),
            "tabs": "".join(table(FEW, columns, delimiter="\t", seed=2)).encode(),
            "semicolons": "".join(table(FEW, columns, delimiter=";", seed=2)).encode(),
            "blanks": "".join(table(FEW, columns, delimiter=" ", seed=2)).encode(),
            "no newline at the end": "".join(table(FEW, columns, seed=2)).rstrip("\n").encode(),
        }
        whole = self.predictions(daemon, texts["CRLF"])
        for name, text in texts.items():
            out, _ = self.ctl(daemon, "predict", "--format", "csv", "-", stdin=text)
            self.assertEqual(list(map(float, out.split())), whole, name)

    def test_predictions_of_tables_with_the_label_are_those_without_it(self):
        daemon = self.learned()
        whole = self.predictions(daemon, "".join(table(ROWS, COLUMNS[:0:-1], seed=2)).encode())
        for columns in (COLUMNS[::-1], [*COLUMNS[2:], *COLUMNS[:2]]):
            out, _ = self.ctl(daemon, "predict", "--format", "csv", "-", stdin="".join(table(ROWS, columns, seed=2)).encode())
            self.assertEqual(list(map(float, out.split())), whole, columns)
        for columns in (COLUMNS, COLUMNS[1:]):
            text = "".join(table(ROWS, columns, header=False, seed=2)).encode()
            out, _ = self.ctl(daemon, "predict", "--format", "csv", "-", stdin=text)
            self.assertEqual(list(map(float, out.split())), whole, columns)

    def test_bars_divide_all_pieces_where_glimpsed_was_told_so(self):
        daemon = self.learned()
        whole = self.predictions(daemon, "".join(table(ROWS, COLUMNS[:0:-1], seed=2)).encode())
        bars = self.begin("--delimiter", "|")
        first = "".join(table(3000, COLUMNS, delimiter="|")).encode()
        self.assertEqual(bars.post("/v1/learn?format=csv", first).json()["table"], {"delimiter": "|", "header_line": 1})
        text = "".join(table(ROWS, COLUMNS[:0:-1], delimiter="|", seed=2)).encode()
        out, _ = self.ctl(bars, "predict", "--format", "csv", "-", stdin=text)
        self.assertEqual(list(map(float, out.split())), whole)

    def test_rows_without_a_header_are_never_taken_for_one(self):
        # The first row of the second piece has a word that no row before had, in a column that held numbers.
        daemon = self.learned("--validate", "full")
        lines = table(FEW, COLUMNS, header=False, seed=3)
        n = second_piece(lines)
        lines[n] = "1,2,3,windy,clear\n"
        out, _ = self.ctl(daemon, "learn", "--format", "csv", "-", stdin="".join(lines).encode())
        self.assertEqual(out, f"{FEW:,} examples learned\n")
        self.assertEqual((daemon.status()["parse_errors"], daemon.status()["odd_values"]), (0, 1))
        daemon.wait_log("'windy' is none: it counts as missing")

    def test_the_delimiter_of_the_first_row_divides_all(self):
        # In the second piece the first row has more commas than semicolons.
        daemon = self.learned()
        lines = table(FEW, COLUMNS[1:], delimiter=";", header=False, seed=3)
        lines[second_piece(lines)] = "1;2;3;a,b,c,d,e\n"
        text = "".join(lines).encode()
        out, _ = self.ctl(daemon, "predict", "--format", "csv", "-", stdin=text)
        # Where a value is missing, as one of a word that nobody knows, standard errors stand behind.
        self.assertEqual([float(line.split()[0]) for line in out.splitlines()], self.predictions(daemon, text))

    def test_the_model_is_that_of_one_body(self):
        columns = list(reversed(COLUMNS))
        text = "".join(table(ROWS, columns, seed=4)).encode()
        whole, pieces = self.learned(), self.learned()
        self.assertEqual(whole.post("/v1/learn?format=csv", text).json()["accepted"], ROWS)
        for arguments in (("--format", "csv"), ()):
            out, _ = self.ctl(pieces, "learn", *arguments, self.write("rides.csv", text))
            self.assertEqual(out, f"{ROWS:,} examples learned\n")
            if arguments:
                self.assertEqual(pieces.model(), whole.model())

    def test_lines_of_errors_are_those_of_the_file(self):
        daemon = self.learned()
        lines = table(ROWS, COLUMNS[::-1], seed=5)
        for n in (5, 15001, 29999):
            lines[n] = "clear,,1,2,many\n"
        text = "".join(lines).encode()
        _, error = self.ctl(daemon, "learn", "--format", "csv", "-", stdin=text, expect=1)
        self.assertEqual([line.split(":")[1] for line in error.splitlines()[:3]],
                         [f" '-' line {n + 1}" for n in (5, 15001, 29999)])
        out, _ = self.ctl(daemon, "learn", "--json", "--format", "csv", "-", stdin=text, expect=1)
        told = [error["line"] for answer in out.splitlines() for error in json.loads(answer)["errors"]]
        self.assertEqual(told, [6, 15002, 30000])
        lines = table(ROWS, COLUMNS[:0:-1], seed=5)
        lines[29999] = "clear,1,2\n"
        _, error = self.ctl(daemon, "predict", "--format", "csv", "-", stdin="".join(lines).encode(), expect=1)
        self.assertIn("example 30000: row has 3 fields", error)

    def test_a_header_that_fills_a_piece_is_sent_with_a_row(self):
        names = [f"attribute-{n:080d}" for n in range(12000)]
        daemon = self.start("--dimension", len(names), "--budget", 2, "--algorithm", "aerr", "--seed", 7)
        row = ",".join(["1"] + ["0.5"] * len(names)) + "\n"
        text = (",".join(["y", *names]) + "\n" + row * 50).encode()
        out, _ = self.ctl(daemon, "learn", "--format", "csv", "-", stdin=text)
        self.assertEqual(out, "50 examples learned\n")
        out, _ = self.ctl(daemon, "predict", "--format", "csv", "-", stdin=text)
        self.assertEqual(len(out.split()), 50)

    def test_a_header_of_two_lines_is_refused_as_in_one_body(self):
        daemon = self.learned()
        text = ('weather,"wind\nspeed",temperature,hour\n' + "".join(table(FEW, COLUMNS[:0:-1], header=False))).encode()
        _, error = self.ctl(daemon, "predict", "--format", "csv", "-", stdin=text, expect=1)
        answer = daemon.post("/v1/predict?format=csv", text)
        self.assertEqual(answer.status, 400)
        self.assertIn(answer.json()["error"]["message"], error)

    def test_lines_of_other_formats_keep_theirs(self):
        # A line of svmlight without attributes looks like a table of one column.
        daemon = self.start("--dimension", 4, "--budget", 2, "--seed", 7)
        line = "1 1:0.500000 2:0.250000 3:0.125000 4:0.062500\n"
        head = 1_000_000 // len(line)
        lines = [line] * head + ["1\n"] + [line] * 10
        out, _ = self.ctl(daemon, "learn", "-", stdin="".join(lines).encode())
        self.assertEqual(out, f"{head + 11:,} examples learned\n")

    def test_packed_bytes_that_are_cut_short_are_named(self):
        daemon = self.learned()
        packed = gzip.compress("".join(table(ROWS, COLUMNS)).encode(), 1)
        file = self.write("cut.csv.gz", packed[:len(packed) // 2])
        _, error = self.ctl(daemon, "learn", "--format", "csv", file, expect=1)
        self.assertIn(f"glimpsectl: '{file}': ends amid its gzip data: it is cut short\n", error)


class Parameters(TestCase):
    def test_a_body_says_how_its_rows_are_to_be_read_and_is_told_how_they_were(self):
        daemon = self.start("--dimension", 2, "--budget", 2, "--seed", 7)
        learn = "/v1/learn?format=csv"
        for query, body, table in (("", b"1,2,3\n", {"delimiter": ",", "header_line": None}),
                                   ("", b"# rides\ny,a,b\n1,2,3\n", {"delimiter": ",", "header_line": 2}),
                                   ("&first_line=41", b"\ny\ta\tb\n1\t2\t3\n", {"delimiter": "tab", "header_line": 42}),
                                   ("&header=no&delimiter=%3B", b"1;2;3\n", {"delimiter": ";", "header_line": None}),
                                   ("&delimiter=space", b"1 2 3\n", {"delimiter": "space", "header_line": None}),
                                   ("&header=yes", b"y,a,b\n1,2,3\n", {"delimiter": ",", "header_line": 1})):
            self.assertEqual(daemon.post(learn + query, body).json()["table"], table)
            self.assertEqual(daemon.post(learn.replace("learn", "predict") + query, body).json()["table"], table)
        self.assertNotIn("table", daemon.post("/v1/learn?format=auto", b"1 1:2\n").json())
        self.assertNotIn("table", daemon.post("/v1/learn", b'{"label": 1, "values": [1, 2]}').json())
        answer = daemon.post(learn + "&header=no&first_line=100", b"1,2,3\ny,a,b\n").json()
        self.assertEqual((answer["accepted"], answer["errors"][0]["line"]), (1, 101))

    def test_what_cannot_be_said_is_refused_with_what_can(self):
        daemon = self.start("--dimension", 2, "--budget", 2, "--state-directory", self.path("state"))
        for path in ("/v1/learn", "/v1/predict"):
            for query, says in (("format=csv&header=maybe", "header 'maybe' must be yes, no or auto"),
                                ("format=csv&delimiter=x", "delimiter 'x' must be ',', ';', '|', tab or space"),
                                ("format=csv&first_line=0", "first_line '0' must be a whole number from 1 to "),
                                ("format=csv&first_line=18446744073709551615", "must be a whole number from 1 to "),
                                ("format=vw&header=yes", "header is for tables (format=csv), and the format is vw"),
                                ("delimiter=tab", "delimiter is for tables (format=csv), and the format is ndjson"),
                                ("format=csv&heading=yes", f"{path} has no parameter 'heading'; there are format, ")):
                answer = daemon.post(f"{path}?{query}", b"1,2,3\n" if "csv" in query else b"{}")
                self.assertEqual(answer.status, 400, query)
                self.assertIn(says, answer.json()["error"]["message"])
        answer = daemon.post("/v1/learn?format=csv&source=a&from=0&header=no", b"1,2,3\n")
        self.assertIn("header is for bodies without a source", answer.json()["error"]["message"])


class Unlabelled(TestCase):
    def test_records_without_labels_are_told_and_nothing_learned_is_an_error(self):
        daemon = self.start("--dimension", 4, "--budget", 2, "--seed", 7)

        def learn(text, *arguments):
            done = subprocess.run([binary("GLIMPSECTL_BIN"), "--server", f"unix:{daemon.http_path}", "learn", *arguments],
                                  input=text.encode(), capture_output=True, timeout=DEADLINE, check=False)
            return done.returncode, done.stdout.decode(), done.stderr.decode()

        status, out, error = learn(" 1:1\n 2:1\n")
        self.assertEqual((status, out), (1, "0 examples learned, 2 without a label\n"))
        self.assertRegex(error, "^glimpsectl: '-': nothing was learned: 2 of 2 examples had no label; .*predict.*\n$")
        self.assertEqual(learn("1 1:1\n 2:1\n"), (0, "1 example learned, 1 without a label\n", ""))
        self.assertEqual(learn(""), (0, "0 examples learned\n", ""))
        self.assertEqual(learn('[{"values": [1, 2, 3, 4]}]')[0], 1)
        self.assertEqual(json.loads(learn(" 1:1\n", "--json")[1])["unlabelled"], 1)
        for body, told in ((b'{"values":[1,2,3,4]}', 1), (b'[{"values":[1,2,3,4]}, {"label":1,"values":[1,2,3,4]}]', 1),
                           (b'{"label":1,"values":[1,2,3,4]}', None)):
            answer = daemon.post("/v1/learn", body)
            self.assertEqual((answer.status, answer.json().get("unlabelled")), (200, told))


if __name__ == "__main__":
    unittest.main()
