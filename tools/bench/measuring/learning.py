"""The cases in which each program learns from a file or a pipe as fast as it can."""

import dataclasses

from .cases import Rates
from .glimpse import own_memory
from .report import count, middle_and_spread
from .runs import in_turns
from .streams import Limits

COLUMNS = ("program", "examples/s", "MB/s", "of plain read", "of `wc -l`", "over vw: median (lowest – highest)", "peak MiB",
           "of it not the learner's")
VW_CSV = "vw --csv, glimpsed's file"
LONG_EXAMPLES = 2_000_000  # of --long
# Of the examples so many are learned from in Python: each in a time like the others'.
PARTS, MOST_IN_PYTHON = {"sgd": 10, "river": 50}, 20_000


def name_of(budget, threads):
    return f"glimpsed, K = {budget}" + (f", --threads {threads}" if threads else "")


@dataclasses.dataclass
class Learning:
    """A stream in two texts: what glimpsed reads, and what the others do (VW text)."""
    title: str
    kind: str
    dimension: int
    examples: int
    form: str
    budgets: tuple = (5, 57)
    door: str = "file"
    others_examples: int = 0  # 0: as many

    def run(self, bench):
        is_long = bench.options.long
        examples = bench.scaled(LONG_EXAMPLES if is_long else self.examples)
        others_examples = bench.scaled(LONG_EXAMPLES if is_long else self.others_examples or self.examples)
        path = bench.streams.stream(self.kind, self.dimension, examples, self.form)
        others_path = bench.streams.stream(self.kind, self.dimension, others_examples, "vw")
        limits, rates = Limits(path, examples), Rates()
        learn = bench.glimpse.pipe if self.door == "pipe" else bench.glimpse.file

        def glimpsed(budget, threads):
            more = ("--threads", threads) if threads else ()
            run = learn(path, self.dimension, budget, self.form, *more, examples=examples)
            rates.note(name_of(budget, threads), examples, run.seconds, run.memory)
            return examples / run.seconds

        def vw():
            run, took = bench.others.vw(others_path)
            rates.note("vw", others_examples, took, run.memory)
            return others_examples / took

        def vw_csv():
            names = ",".join(("_label", *(f"|{i}" for i in range(self.dimension))))
            run, took = bench.others.vw(path, "--csv", "--csv_no_file_header", "--csv_header", names)
            rates.note(VW_CSV, examples, took, run.memory)
            return examples / took

        def in_python(which, name):
            most = min(others_examples // PARTS[which], MOST_IN_PYTHON)
            run, took, learned, _ = bench.others.python_learner(which, others_path, self.dimension, most)
            rates.note(name, learned, took, run.memory)
            return learned / took

        programs = {name_of(budget, threads): lambda budget=budget, threads=threads: glimpsed(budget, threads)
                    for budget in self.budgets for threads in bench.options.threads or [0]}
        programs["vw"] = vw
        if self.form == "csv":
            programs[VW_CSV] = vw_csv
        programs["SGDRegressor"] = lambda: in_python("sgd", "SGDRegressor")
        programs["River"] = lambda: in_python("river", "River")
        for turn in bench.rounds(self.title):
            limits.take()
            measured = dict(zip(programs, in_turns(turn, *programs.values())))
            for name, rate in measured.items():
                if name != "vw":
                    rates.compare(name, rate / measured["vw"])
        self.print(bench.report, limits, rates, others_path.stat().st_size / others_examples)
        self.print_threads(bench.report, rates, bench.options.threads)
        if is_long:
            bench.streams.drop(path, others_path)

    def print_threads(self, report, rates, threads):
        """What more threads are worth, round by round."""
        for budget in self.budgets if len(threads) > 1 else ():
            first = rates.seconds[name_of(budget, threads[0])]
            gains = [f"{more}: {middle_and_spread([one / other for one, other in zip(first, rates.seconds[name_of(budget, more)])])}"
                     for more in threads[1:]]
            report.line(f"\nK = {budget}, rate over that with --threads {threads[0]}, by threads: {'; '.join(gains)}.")

    def print(self, report, limits, rates, others_size):
        report.heading(f"{self.title} ({limits.examples:,} examples, {limits.size / 1e6:,.0f} MB)")
        rows = limits.rows(5)
        for name, seconds in rates.seconds.items():
            mine = name.startswith("glimpsed")
            size = limits.size / limits.examples if mine or name == VW_CSV else others_size
            shares = [middle_and_spread(limits.share(seconds, of)) if mine and (self.form != "f32" or of is limits.reads)
                      else "" for of in (limits.reads, limits.counts)]
            memory = rates.memory[name]
            rows.append([name, count(rates.rate(name)), count(rates.rate(name) * size / 1e6), *shares,
                         middle_and_spread(rates.ratios.get(name)), count(memory),
                         count(memory - own_memory(self.dimension)) if mine else ""])
        report.table(COLUMNS, rows)


CASES = {
    "dense": Learning("Dense CSV, d = 500, from a file", "dense", 500, 100_000, "csv"),
    "pictures": Learning("Sparse text (VW), pictures, d = 784, from a file", "pictures", 784, 100_000, "vw"),
    "pictures-pipe": Learning("The same from a pipe", "pictures", 784, 100_000, "vw", door="pipe"),
    "sparse": Learning("Sparse text (VW), 100 of 10^6, from a file", "sparse", 1_000_000, 100_000, "vw"),
    "f32": Learning("f32 rows, d = 784, mapped (the others: the same as VW text)", "pictures", 784, 400_000, "f32",
                    others_examples=100_000),
}
