"""How the time of an example grows with d: dense CSV of 100 … 10,000 attributes, less the scanning of its bytes.

Times are differences: of a stream and of its first quarter, so that start-up and the first touches of memory do not count.
"Scanning" is `glimpse-bench --scan`: the same bytes, in the same blocks, framed into lines and divided into fields by the
kernel that the daemon uses, in memory, on one thread, and nothing else. Beside it stand a plain read and `wc -l`.

What the thread that learns takes of a processor is what its last words say (--log-level debug)."""

import re
import statistics

from .report import count
from .runs import Run
from .streams import count_lines, plain_read

DIMENSIONS = (100, 316, 1000, 3162, 10_000)
BYTES, LEAST = 300e6, 20_000  # bytes of a stream, and examples at least
BACKGROUND = ("--algorithm", "pairwise", "--solver", "background")  # what learning costs beside solving
CONFIGURATIONS = {f"{name}, K = {budget}": (budget, options)
                  for name, options in (("pairwise", ("--algorithm", "pairwise")),
                                        ("the same, solver background", BACKGROUND),
                                        ("two-phase-ddaerr", ("--algorithm", "two-phase-ddaerr")))
                  for budget in (5, 57)}
MOST_PAIRS = 8189  # attributes whose pairs fit into --pair-memory


def head(path, examples):
    def write(out):
        with open(path, "rb") as lines:
            for _ in range(examples):
                out.write(next(lines))
    return write


def scan(bench, path):
    """Seconds; glimpse-bench prints lines, bytes, seconds."""
    return float(Run([bench.options.bench, "--scan", path]).out.split()[2])


def one_dimension(bench, dimension):
    """{what: median microseconds an example}, and bytes of a line."""
    examples = bench.scaled(max(LEAST, BYTES / (9.41 * dimension)))
    path = bench.streams.stream("dense", dimension, examples, "csv")
    quarter = examples // 4
    part = bench.streams.make(f"dense-{dimension}-{examples}-quarter.csv", head(path, quarter))
    times, learning = {}, {}

    def note(name, seconds):
        whole, first = seconds(path, examples), seconds(part, quarter)
        if isinstance(whole, tuple):
            (whole, of_learning), (first, of_first) = whole, first
            learning.setdefault(name, []).append(1e6 * (of_learning - of_first) / (examples - quarter))
        times.setdefault(name, []).append(1e6 * (whole - first) / (examples - quarter))

    def learn(budget, more, file, n):
        run = bench.glimpse.file(file, dimension, budget, "csv", *more, "--log-level", "debug", examples=n)
        return run.seconds, float(re.search(r"the thread that learns took (\S+) s", run.errors).group(1))

    for _ in bench.rounds(f"growth, d = {dimension}"):
        note("plain read", lambda file, _: plain_read(file))
        note("wc -l", lambda file, _: count_lines(file))
        note("scan", lambda file, _: scan(bench, file))
        for name, (budget, more) in CONFIGURATIONS.items():
            if "pairwise" in more and dimension > MOST_PAIRS:
                continue
            note(name, lambda file, n: learn(budget, more, file, n))
    size = path.stat().st_size / examples
    bench.streams.drop(path, part)
    return middles(times), middles(learning), size


def middles(numbers):
    return {name: statistics.median(each) for name, each in numbers.items()}


def run(bench):
    measured = {dimension: one_dimension(bench, dimension) for dimension in DIMENSIONS}
    report = bench.report
    report.heading("Growth with d: microseconds an example, dense CSV from a file")
    names = list(CONFIGURATIONS)
    rows, beyond, learned = [], [], []
    for dimension, (times, learning, size) in measured.items():
        rows.append([f"{dimension:,}", count(size), *(f"{times[name]:.2f}" for name in ("plain read", "wc -l", "scan")),
                     *(f"{times[each]:.2f}" if each in times else "" for each in CONFIGURATIONS)])
        beyond.append([f"{dimension:,}", *(f"{times[each] - times['scan']:.2f} / {times[each] - times['wc -l']:.2f}"
                                           if each in times else "" for each in CONFIGURATIONS)])
        learned.append([f"{dimension:,}", *(f"{learning[each]:.2f}" if each in learning else "" for each in CONFIGURATIONS)])
    report.table(("d", "bytes", "plain read", "`wc -l`", "scan", *names), rows)
    report.line("\nBeyond scanning: less the scan / less `wc -l`.\n")
    report.table(("d", *names), beyond)
    report.line("\nOf a processor, by the thread that learns alone; finding lines and fields of short lines is among it.\n")
    report.table(("d", *names), learned)
