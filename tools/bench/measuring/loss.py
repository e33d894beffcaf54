"""The time and the attributes with which each program comes to a given held-out loss, on MNIST's digits 3 and 5.

All clip predictions to the labels seen, as Vowpal Wabbit and glimpsed do unless told otherwise; rows that say so do not.
Times are glimpsed's with its start, Vowpal Wabbit's with its own, and the others' without imports."""

import os
import statistics
from pathlib import Path

from .others import UNCLIPPED
from .report import count
from .runs import Run

DIMENSION, BUDGETS, TARGETS = 784, (5, 57), (0.6, 0.45, 0.35, 0.3)
FETCH = Path(__file__).resolve().parents[2] / "fetch-mnist"


class Digits:
    def __init__(self, bench):
        folder = os.environ.get("GLIMPSE_MNIST") or Run([FETCH]).out.strip()
        command = [bench.options.mnist, "--directory", folder, "--format", "vw", "--seed", 1]
        self.train = Run([*command, "--set", "train"]).out.splitlines(True)
        held = Run([*command, "--set", "test"]).out.splitlines(True)
        self.given = sum(row.count(":") for row in self.train) / len(self.train)
        self.labels = [float(row.split("|")[0]) for row in held]
        mean = sum(self.labels) / len(self.labels)
        self.variance = sum((y - mean) ** 2 for y in self.labels) / len(self.labels)
        self.questions = "".join("|" + row.split("|", 1)[1] for row in held)
        self.test = bench.streams.directory / "digits-test.vw"
        self.test.write_text("".join(held))

    def loss(self, texts):
        """The squared loss of these predictions, a line each, over that of predicting the mean."""
        guesses = [float(text.split()[0]) for text in texts if text.strip()]
        assert len(guesses) == len(self.labels), len(guesses)
        return sum((g - y) ** 2 for g, y in zip(guesses, self.labels)) / len(guesses) / self.variance


def middle(bench, seconds):
    return statistics.median(seconds() for _ in range(bench.options.rounds))


def run(bench):
    digits = Digits(bench)
    directory = bench.streams.directory
    only, part, predictions = (directory / name for name in ("digits-only.vw", "digits-part.vw", "digits-predictions"))
    curves = {}

    def note(name, examples, attributes, seconds, loss):
        curves.setdefault(name, []).append((examples, attributes, seconds, loss))

    most = len(digits.train)
    for n in [100 * 2 ** k for k in range(11) if 100 * 2 ** k < most] + [most]:
        bench.report.progress(f"held-out loss after {n} examples")
        only.write_text("".join(digits.train[:n]))
        part.write_text("".join(digits.train[:n]) + digits.questions)
        for budget in BUDGETS:
            seconds = middle(bench, lambda: bench.glimpse.file(only, DIMENSION, budget, "vw", examples=n).seconds)
            for more, words in ((), ""), (("--clip", "off"), ", not clipped"):
                out = bench.glimpse.file(part, DIMENSION, budget, "vw", *more, replies="unlabelled").out
                note(f"glimpsed, K = {budget}{words}", n, n * budget, seconds, digits.loss(out.splitlines()))
        seconds = middle(bench, lambda: bench.others.vw(only)[1])
        for more, words in ((), ""), (UNCLIPPED, ", not clipped"):
            bench.others.vw(part, "-p", predictions, *more)
            note(f"vw{words}", n, n * digits.given, seconds, digits.loss(predictions.read_text().splitlines()[n:]))
        for which, name in (("sgd", "SGDRegressor (never clips)"), ("river", "River (never clips)")):
            _, took, _, loss = bench.others.python_learner(which, only, DIMENSION, -1, digits.test)
            note(name, n, n * digits.given, took, loss / digits.variance)

    bench.report.heading(f"Held-out loss over predicting the mean (MNIST, 3 against 5; d = {DIMENSION}, "
                         f"{digits.given:.0f} of them given in a line)")
    bench.report.line("To reach a loss: examples; attributes; milliseconds.\n")
    rows = []
    for name, curve in curves.items():
        cells = []
        for target in TARGETS:
            hit = next((point for point in curve if point[3] <= target), None)
            cells.append(f"{hit[0]:,}; {count(hit[1])}; {count(1e3 * max(hit[2], 0))}" if hit else "–")
        lowest = min(curve, key=lambda point: point[3])
        rows.append([name, *cells, f"{lowest[3]:.3f} after {lowest[0]:,}"])
    bench.report.table(("program", *map(str, TARGETS), "lowest"), rows)
