"""Products of attributes: --algorithm apple beside Vowpal Wabbit's --stage_poly, on the tables of GLIMPSE_DATA.

A random 80 % of a table is learned in one pass, the rest predicted. Both read the same VW text. Vowpal Wabbit has the
paper's six epochs, and of five learning rates the one with the lowest progressive loss; glimpsed's options are its
defaults. Each program is timed with products and without. Classes are ±1 with the error of the sign; other labels are
brought to lie from 0 to 1 and have the squared error. Times are with the programs' own starts."""

import gzip
import os
import random
import re
import statistics
from pathlib import Path

from .report import middle_and_spread
from .runs import in_turns, stop

RATES = (0.125, 0.25, 0.5, 1, 2)
# File, label of the class that is +1 ("≥ 14": from there on), or None for a regression.
TABLES = {"covtype": ("covtype.csv.gz", "2"), "letter": ("letter.csv.gz", "≥14"), "a9a": ("a9a_adult.svm.gz", "1"),
          "cpu_small": ("cpu_small.csv.gz", None), "cal_housing": ("cal_housing.csv.gz", None),
          "mushroom": ("mushroom.csv.gz", "1"), "shuttle": ("shuttle.csv.gz", "1"), "w8a": ("w8a.svm.gz", "1"),
          "abalone": ("abalone.csv.gz", None), "eeg_eye_state": ("eeg_eye_state.csv.gz", "1"),
          "titanic": ("titanic.csv.gz", "1"), "bike_hour": ("bike_hour.csv.gz", None)}


def label_of(text, positive):
    if positive is None:
        return float(text)
    number = float(text)
    return 1 if (number >= float(positive[1:]) if positive[0] == "≥" else number == float(positive)) else -1


class Table:
    """The two parts of a table as VW text, in a random order that is the same each time."""

    def __init__(self, bench, folder, name):
        file, positive = TABLES[name]
        self.binary = positive is not None
        rows = [self.row(line.strip(), file, positive) for line in gzip.open(folder / file, "rt") if line.strip()]
        if not self.binary:
            least, most = min(row[0] for row in rows), max(row[0] for row in rows)
            rows = [((label - least) / (most - least), given) for label, given in rows]
        random.Random(1).shuffle(rows)
        rows = rows[:max(1000, int(len(rows) * min(bench.options.scale, 1)))]
        self.learned = len(rows) * 4 // 5
        self.dimension = 1 + max(int(i) for _, given in rows for i in re.findall(r"(\d+):", given))
        self.labels = [label for label, _ in rows[self.learned:]]
        self.train, self.both = (bench.streams.directory / f"{name}-{part}.vw" for part in ("train", "both"))
        lines = [f"{label:.9g} |{given}\n" for label, given in rows[:self.learned]]
        self.train.write_text("".join(lines))
        self.both.write_text("".join(lines + [f"|{given}\n" for _, given in rows[self.learned:]]))

    @staticmethod
    def row(line, file, positive):
        if ".svm" in file:
            label, *pairs = line.split()
            given = "".join(f" {int(i) - 1}:{x}" for i, x in (pair.split(":") for pair in pairs))
        else:
            label, *fields = line.split(",")
            given = "".join(f" {i}:{x}" for i, x in enumerate(fields) if float(x) != 0)
        return label_of(label, positive), given

    def error(self, predictions):
        guesses = [float(text.split()[0]) for text in predictions if text.strip()]
        if len(guesses) != len(self.labels):
            stop(f"{len(guesses)} predictions for {len(self.labels)} questions")
        if self.binary:
            return sum((g >= 0) != (y > 0) for g, y in zip(guesses, self.labels)) / len(guesses)
        return sum((g - y) ** 2 for g, y in zip(guesses, self.labels)) / len(guesses)


class Vw:
    """Vowpal Wabbit, with products or without, at the rate that suits it best."""

    def __init__(self, bench, table, products):
        self.bench, self.table = bench, table
        epoch = max(1, table.learned // 6)
        self.more = ("--stage_poly", "--batch_sz", epoch, "--batch_sz_no_doubling") if products else ()
        self.rate = min(RATES, key=self.progressive)

    def progressive(self, rate):
        out = self.bench.streams.directory / "products-progressive"
        self.bench.others.vw(self.table.train, "-l", rate, *self.more, "-p", out)
        labels = (float(line.split()[0]) for line in self.table.train.open())
        return statistics.fmean((float(p.split()[0]) - y) ** 2 for p, y in zip(out.open(), labels))

    def seconds(self):
        return self.bench.others.vw(self.table.train, "-l", self.rate, *self.more)[1]

    def error(self):
        out = self.bench.streams.directory / "products-predictions"
        self.bench.others.vw(self.table.both, "-l", self.rate, *self.more, "-p", out)
        return self.table.error(out.read_text().splitlines()[self.table.learned:])


class Apple:
    """glimpsed --algorithm apple with the paper's epochs, or with none: it is lin then."""

    def __init__(self, bench, table, products):
        self.bench, self.table = bench, table
        self.more = ("--algorithm", "apple", "--horizon", table.learned if products else 1)

    def run(self, path, replies):
        return self.bench.glimpse.file(path, self.table.dimension, 1, "vw", *self.more, replies=replies)

    def seconds(self):
        return self.run(self.table.train, "none").seconds

    def error(self):
        return self.table.error(self.run(self.table.both, "unlabelled").out.splitlines())


def run(bench):
    folder = Path(os.environ.get("GLIMPSE_DATA", ""))
    tables = [name for name, (file, _) in TABLES.items() if (folder / file).is_file()]
    bench.report.heading("Products of attributes: apple beside Vowpal Wabbit's --stage_poly")
    if not tables:
        bench.report.line("skipped: GLIMPSE_DATA names no folder with the tables")
        return
    rows = []
    for name in tables:
        table = Table(bench, folder, name)
        bench.report.progress(f"{name}: learning rates")
        programs = {(who.__name__, products): who(bench, table, products)
                    for who in (Vw, Apple) for products in (False, True)}
        ratios = {"Vw": [], "Apple": []}
        for turn in bench.rounds(name):
            took = dict(zip(programs, in_turns(turn, *(program.seconds for program in programs.values()))))
            for who, notes in ratios.items():
                notes.append(took[who, True] / took[who, False])
        errors = {key: program.error() for key, program in programs.items()}
        rows.append([name, table.learned, *(f"{errors[key]:.4f}" for key in programs), programs["Vw", True].rate,
                     middle_and_spread(ratios["Apple"]), middle_and_spread(ratios["Vw"])])
    bench.report.table(("table", "learned", "vw", "vw --stage_poly", "apple without products", "apple", "vw's rate",
                        "apple: time over without", "vw: time over without"), rows)
