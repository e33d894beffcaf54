#!/usr/bin/env python3
"""Tables as anybody may write them: delimiters, quotes, encodings, headers, odd cells, ragged rows, ARFF and JSON.

    dialects.py [--daemons 200] [--seed 1] [--keep-going]     so many tables, each in a daemon of its own
    dialects.py --scenario N                                  one of them again, as a failure names it

A scenario draws a table and a way to write it. The model that it leaves must be, to the bit, that of the same table as plain
CSV, whichever door it comes by and wherever a daemon is killed between. GLIMPSE_BIN names the binary; ctest sets it.
"""

import argparse
import concurrent.futures
import csv
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
sys.dont_write_bytecode = True

from doors_formats_test import state_of  # noqa: E402

DELIMITERS = (",", ",", ";", ";", "\t", "|", "::", "\x01", "~", "^", "runs")
ENCODINGS = ("utf-8",) * 6 + ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252")
DOORS = ("file", "file", "pipe", "pieces", "killed", "second")
MISSING = ("", "NA", "N/A", "null", "?", "-", "None", "nan", "\\N", "#N/A", "n.a.", "NaT")
ODD = ("<5", "abc", "1.2.3", "1.5ml", "l2", "see note", "#DIV/0!", "2026-01-01")
WORDS = ("red", "blue", "dark blue", "w1", "grün", "Zoë", "O'Brien", 'say "x"', "a,b", "c;d", "e|f", "two\nlines", "x: y", "n/m")
FORMS = ("plain", "plain", "plain", "comma", "comma groups", "point groups", "blank groups", "unit", "currency", "percent",
         "parentheses", "apostrophes")


class Column:
    def __init__(self, chance, name):
        self.name = name
        self.kind = chance.choice(["decimal", "decimal", "whole", "large", "word"])
        self.form = chance.choice(FORMS) if self.kind in ("decimal", "large") else "plain"
        self.words = chance.sample(WORDS, chance.randrange(2, 6))
        self.missing = chance.choice([0, 0, .05, .3])
        self.unit = chance.choice(["kg", "km/h", "EUR", "°C"])

    def draw(self, chance):
        if chance.random() < self.missing:
            return None
        if self.kind == "word":
            return chance.choice(self.words)
        if self.kind == "whole":
            return str(chance.randrange(1, 999))
        return f"{chance.uniform(-1, 1) * (100 if self.kind == 'decimal' else 1e5):.2f}"

    def written(self, text):
        """A number in the column's form."""
        swap = lambda group, point: f"{float(text):,.2f}".translate(str.maketrans(",.", group + point))
        return {"plain": lambda: text, "comma": lambda: text.replace(".", ","), "comma groups": lambda: swap(",", "."),
                "point groups": lambda: swap(".", ","), "blank groups": lambda: swap("\u00a0", "."),
                "apostrophes": lambda: swap("'", "."), "unit": lambda: f"{text} {self.unit}", "currency": lambda: "$" + text,
                "percent": lambda: text + "%", "parentheses": lambda: f"({text[1:]})" if text[0] == "-" else text}[self.form]()


class Table:
    """Everything follows from `seed`."""

    def __init__(self, seed):
        chance = self.chance = random.Random(seed)
        self.door = chance.choice(DOORS)
        self.kind = chance.choice(["csv"] * 7 + ["arff", "sparse arff", "ndjson", "ndjson values"])
        self.columns = [Column(chance, name) for name in ("a", "b size", "größe", "d")[:chance.randrange(2, 5)]]
        self.count = 4000 if self.door == "killed" else chance.choice([40, 120, 400])
        self.options = ["--label", "y", "--algorithm", "pairwise", "--budget", str(chance.choice([2, 3])), "--seed", str(chance.randrange(8))]
        self.encoding = "utf-8" if self.kind.startswith("ndjson") else chance.choice(ENCODINGS)
        self.delimiter = chance.choice(DELIMITERS)
        self.quote = chance.choice(['"', '"', '"', "'"])
        self.quotes = chance.choice(["needed", "needed", "words", "all"])
        self.escape = chance.choice(["doubled", "doubled", "\\"])
        self.line_end = chance.choice(["\n", "\n", "\n", "\r\n", "\r"])
        self.title = chance.choice(["", "", "", "Report of May\n\n", "\n", "Sales\nby region, all\n"])
        self.ragged = chance.choice([0, 0, 0, .03])
        self.noise = chance.choice([0, 0, .02])
        self.mark = chance.choice(MISSING)
        if self.escape == "\\" and self.mark == "\\N":
            self.mark = "NA"  # else its escape is escaped
        self.odd = chance.choice([0, 0, 1, 2])
        if self.quote == "'" and self.kind == "csv":  # beside others it may be an apostrophe
            for column in self.columns:
                column.words = [word for word in column.words if '"' not in word]
        if self.kind != "csv":
            self.ragged = self.noise = 0
            self.title = ""
        if self.kind.startswith("ndjson"):
            self.line_end = "\n"
            for column in self.columns:  # of which names may have line ends
                column.words = [word for word in column.words if "\n" not in word]
            for column in self.columns:  # which are refused
                column.form = "comma" if column.form == "point groups" else column.form
        if self.encoding.startswith("utf-16") or self.door != "file":
            self.line_end = "\n" if self.line_end == "\r" and self.door != "file" else self.line_end
        for column in self.columns:
            if self.delimiter == "runs" and self.kind == "csv":
                column.form = "plain"
                column.missing = 0
            if self.line_end == "\r" or self.delimiter == "runs" or self.encoding in ("latin-1", "cp1252"):
                column.words = ["red", "blue", "größer"]
        if self.delimiter == "runs":
            self.columns[1].name = "b_size"
            self.ragged = self.odd = 0
            self.mark = self.mark or "NA"
        self.rows = []
        for _ in range(self.count):
            cells = [column.draw(chance) for column in self.columns]
            label = sum(float(c) for c, column in zip(cells, self.columns) if c and column.kind != "word") / 100
            self.rows.append([f"{label + chance.gauss(0, 1):.2f}", *cells])
        self.lay_down()

    def lay_down(self):
        """Rows as they are learned, and as they are written."""
        chance = self.chance
        self.plain, self.cells = [], []
        odd = set()
        for _ in range(self.odd):
            numbers = [i for i, column in enumerate(self.columns) if column.kind != "word" and column.missing < .3]
            if numbers and self.kind in ("csv", "ndjson") and self.delimiter != "runs":
                odd.add((chance.randrange(self.count), chance.choice(numbers)))
        used = [set() for _ in self.columns]
        for n, row in enumerate(self.rows):
            plain, cells = [row[0]], [row[0]]
            cut = self.ragged and chance.random() < self.ragged and n > 0
            kept = chance.randrange(1, len(self.columns) + 1) if cut else len(self.columns)
            for i, (cell, column) in enumerate(zip(row[1:], self.columns)):
                if (n, i) in odd:
                    plain.append("")
                    cells.append(chance.choice(ODD))
                elif cell is None:
                    plain.append("")
                    cells.append("?" if "arff" in self.kind else "" if column.kind == "word" else self.mark)
                elif column.kind == "word":
                    plain.append(cell.replace("\n", " "))
                    cells.append(cell)
                    used[i].add(cell)
                else:
                    plain.append(cell)
                    cells.append(column.written(cell) if "arff" not in self.kind else cell)
                if i >= kept:
                    plain[-1] = ""
            self.plain.append(plain)
            self.cells.append(cells[:kept + 1])
        if self.ragged:
            self.options += ["--short-rows", "missing"]

    def describe(self):
        columns = ", ".join(f"{c.kind} as {c.form}" for c in self.columns)
        return (f"{self.count} rows of {columns}; {self.kind} by {self.door} in {self.encoding}, {self.delimiter!r}, quotes "
                f"{self.quote} {self.quotes} {self.escape}, ends {self.line_end!r}, title {self.title!r}, ragged {self.ragged}, "
                f"noise {self.noise}, missing {self.mark!r}, odd {self.odd}; {' '.join(self.options)}")

    def plain_text(self, rows):
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([["y", *(c.name for c in self.columns)], *rows])
        return out.getvalue().encode()

    def field(self, text, is_word):
        delimiter = "  " if self.delimiter == "runs" else self.delimiter
        needs = any(c in text for c in (delimiter[0], self.quote, "\n", "\r")) or text.startswith("#") and is_word
        if not needs and self.quotes == "needed" or (self.quotes == "words" and not is_word and not needs):
            return text
        inner = text if self.escape == "doubled" else text.replace("\\", "\\\\")
        return self.quote + inner.replace(self.quote, (self.quote if self.escape == "doubled" else "\\") + self.quote) + self.quote

    def csv(self):
        chance = self.chance
        delimiter = "   " if self.delimiter == "runs" else self.delimiter
        kinds = [False, *(column.kind == "word" for column in self.columns)]
        names = ["y", *(c.name for c in self.columns)]
        header = delimiter.join(self.field(name, True) for name in names)
        lines = [header]
        for cells in self.cells:
            lines.append(delimiter.join(self.field(c, w) for c, w in zip(cells, kinds)))
            if self.noise and chance.random() < self.noise:
                lines.append(chance.choice(["", header, delimiter * (len(names) - 1) if len(names) > 2 else ""]))
        return self.title.replace("\n", self.line_end) + self.line_end.join(lines) + self.line_end

    def arff(self, is_sparse):
        quoted = lambda text: "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"
        lines = ["% made by a monkey", "@RELATION 'a table'", "@attribute y real"]
        first = []
        for i, column in enumerate(self.columns):
            words = [word for word in dict.fromkeys(cells[i + 1] for cells in self.cells) if word != "?"]
            first.append(words[0] if words else "")
            values = ", ".join(map(quoted, words)) if column.kind == "word" else ""
            lines.append(f"@attribute {quoted(column.name)} " + (f"{{{values}}}" if values else "numeric"))
        lines.append("@data")
        for cells in self.cells:
            shown = [cells[0], *(quoted(c) if column.kind == "word" and c != "?" else c
                                 for c, column in zip(cells[1:], self.columns))]
            zero = ["0.00", *(word if column.kind == "word" else "0" for word, column in zip(first, self.columns))]
            if is_sparse:
                given = [f"{i} {text}" for i, text in enumerate(shown) if cells[i] != zero[i]]
                lines.append("{" + ", ".join(given) + "}")
            else:
                lines.append(",".join(shown))
        return self.line_end.join(lines) + self.line_end

    def json(self, has_values):
        lines = []
        for cells in self.cells:
            value = lambda text, column: (None if text == "" else text if column.kind == "word" or column.form != "plain" else
                                          float(text) if re.fullmatch(r"-?\d+\.?\d*", text) else text)
            values = {column.name: value(c, column) for c, column in zip(cells[1:], self.columns)}
            said = {"label": float(cells[0]), "values": values} if has_values else {"y": float(cells[0]), **values}
            lines.append(json.dumps(said, ensure_ascii=False))
        return "\n".join(lines) + "\n"

    def content(self):
        text = {"csv": self.csv, "arff": lambda: self.arff(False), "sparse arff": lambda: self.arff(True),
                "ndjson": lambda: self.json(False), "ndjson values": lambda: self.json(True)}[self.kind]()
        return text.encode(self.encoding)


class Runs:
    def __init__(self, table, folder):
        self.table, self.folder = table, folder
        self.log = ""

    def command(self, state, *arguments):
        options = [option for option in self.table.options]
        if self.table.kind == "ndjson values" and state != "plain":
            options = options[2:]  # "label" is the key there
        return [os.environ["GLIMPSE_BIN"], "--solver", "inline", "--state-directory", os.path.join(self.folder, state), *options,
                *arguments]

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def end(self, command, content=None, pieces=None):
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            if pieces:
                for piece in pieces:
                    process.stdin.write(piece)
                    process.stdin.flush()
            _, log = process.communicate(content, timeout=120)
        self.log = log.decode(errors="replace")
        return process.returncode

    def plain(self, inputs):
        arguments = []
        for n, rows in enumerate(inputs):
            arguments += ["--input", self.write(f"plain{n}", self.table.plain_text(rows))]
        if self.end(self.command("plain", *arguments)) != 0:
            raise RuntimeError("the plain table is refused: " + self.log)
        return state_of(os.path.join(self.folder, "plain"))

    def odd(self):
        """Complaints."""
        table, chance = self.table, self.table.chance
        content = table.content()
        inputs = [table.plain]
        if table.door == "second":
            inputs = [table.plain, table.plain]
        wanted = self.plain(inputs)
        path = self.write("table", content)
        if table.door in ("file", "killed", "second"):
            arguments = ["--input", path]
            if table.door == "second":
                first = table.kind == "ndjson values"  # of which the label is called otherwise in tables
                arguments = ["--input", path if first else self.write("first", table.plain_text(table.plain)),
                             "--input", self.write("again", content) if first else path]
            for _ in range(2 if table.door == "killed" else 0):
                with subprocess.Popen(self.command("odd", *arguments, "--serve", "--checkpoint-examples", "100"),
                                      stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
                    time.sleep(chance.uniform(.05, .4))
                    process.kill()
            status = self.end(self.command("odd", *arguments))
        else:
            pieces = None
            if table.door == "pieces":
                pieces, at = [], 0
                while at < len(content):
                    size = chance.choice([1, 7, 100, 5000])
                    pieces.append(content[at:at + size])
                    at += size
            status = self.end(self.command("odd", "--input", "-"), None if pieces else content, pieces)
        if status != 0:
            return [f"exit status {status}"]
        return [] if state_of(os.path.join(self.folder, "odd")) == wanted else ["the model is not that of the plain table"]


def play(seed):
    """None, or a report."""
    folder = tempfile.mkdtemp(prefix="glimpse-dialects-")
    table = Table(seed)
    runs = Runs(table, folder)
    try:
        wrong = runs.odd()
        if not wrong:
            return None
        shown = table.content()[:600].decode(table.encoding if "16" not in table.encoding else "utf-16", errors="replace")
        return (f"scenario {seed}: {table.describe()}\n  {'; '.join(wrong)}\n"
                + "".join(f"  {line}\n" for line in runs.log.splitlines()[:12]) + "".join(f"  > {line}\n" for line in
                                                                                       shown.splitlines()[:6]))
    except Exception:  # a daemon that died, or the monkey's own mistake, with the seed that shows it
        return f"scenario {seed}: {table.describe()}\n{traceback.format_exc()}\n{runs.log[:2000]}"
    finally:
        shutil.rmtree(folder, True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daemons", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenario", type=int, help="this one alone")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep-going", action="store_true")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    seeds = [arguments.scenario] if arguments.scenario is not None else [chance.randrange(10 ** 9) for _ in range(arguments.daemons)]
    begin, failed, done = time.monotonic(), 0, 0
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        for report in pool.map(play, seeds):
            done += 1
            if report:
                failed += 1
                print(report, flush=True)
                if not arguments.keep_going:
                    pool.shutdown(cancel_futures=True)
                    break
    print(f"{done} tables in {time.monotonic() - begin:.1f} s: " +
          (f"{failed} failed" if failed else "every model that of the plain table"))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
