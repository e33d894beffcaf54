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
        examples = bench.scaled(self.examples)
        others_examples = bench.scaled(self.others_examples or self.examples)
        path = bench.streams.stream(self.kind, self.dimension, examples, self.form)
        others_path = bench.streams.stream(self.kind, self.dimension, others_examples, "vw")
        limits, rates = Limits(path, examples), Rates()
        learn = bench.glimpse.pipe if self.door == "pipe" else bench.glimpse.file

        for turn in bench.rounds(self.title):
            limits.take()

            def vw():
                run, took = bench.others.vw(others_path)
                rates.note("vw", others_examples, took, run.memory)
                return others_examples / took

            for budget in self.budgets:
                name = f"glimpsed, K = {budget}"

                def glimpsed():
                    run = learn(path, self.dimension, budget, self.form, examples=examples)
                    rates.note(name, examples, run.seconds, run.memory)
                    return examples / run.seconds

                mine, theirs = in_turns(turn, glimpsed, vw)
                rates.compare(name, mine / theirs)
            if self.form == "csv":
                names = ",".join(("_label", *(f"|{i}" for i in range(self.dimension))))
                run, took = bench.others.vw(path, "--csv", "--csv_no_file_header", "--csv_header", names)
                rates.note(VW_CSV, examples, took, run.memory)
            for which, name, part in (("sgd", "SGDRegressor", 10), ("river", "River", 50)):
                run, took, learned, _ = bench.others.python_learner(which, others_path, self.dimension,
                                                                    others_examples // part)
                rates.note(name, learned, took, run.memory)
                rates.compare(name, learned / took / theirs)
        self.print(bench.report, limits, rates, others_path.stat().st_size / others_examples)

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
