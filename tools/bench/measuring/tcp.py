"""One connection on loopback that sends VW text: glimpsed's TCP and Unix doors beside its own pipe and vw --daemon.

Where there is a door, glimpsed solves for models in the background, from a pipe alone it does so while learning waits
(--solver auto). So the ratio is to a pipe that solves in the background, too; the pipe's rate by default stands beside."""

from .cases import Rates
from .glimpse import Served, check_learned, own_memory
from .others import VwDaemon
from .report import count, middle_and_spread
from .runs import in_turns

DIMENSION, EXAMPLES = 784, 100_000


def run(bench):
    examples = bench.scaled(EXAMPLES)
    path = bench.streams.stream("pictures", DIMENSION, examples, "vw")
    rates, over_vw = Rates(), {}

    def pipe(budget, *more):
        run_ = bench.glimpse.pipe(path, DIMENSION, budget, "vw", *more, examples=examples)
        took = run_.seconds - bench.glimpsed_start(DIMENSION, budget)
        rates.note(f"glimpsed, pipe, K = {budget}" + (", " + " ".join(more) if more else ""), examples, took, run_.memory)
        return took

    def door(kind, budget):
        with Served(bench.glimpse, DIMENSION, budget, "vw", "--replies", "none") as served:
            took = served.feed(kind, path)
        check_learned(served.last_words, examples)
        rates.note(f"glimpsed, {kind}, K = {budget}", examples, took, served.memory)
        return took

    def vw():
        with VwDaemon(bench.others) as daemon:
            took = daemon.feed(path, examples)
            rates.note("vw --daemon, tcp (it answers every line)", examples, took, daemon.memory)
        return took

    for turn in bench.rounds("one connection"):
        for budget in (5, 57):
            pipe(budget)
            for kind in ("tcp", "unix"):
                name = f"glimpsed, {kind}, K = {budget}"
                through_pipe, mine = in_turns(turn, lambda: pipe(budget, "--solver", "background"),
                                              lambda: door(kind, budget))
                rates.compare(name, through_pipe / mine)
                if kind == "tcp":
                    over_vw.setdefault(name, []).append(vw() / mine)

    size = path.stat().st_size / examples
    bench.report.heading(f"One connection on loopback, VW text, pictures, d = {DIMENSION} ({examples:,} examples)")
    bench.report.table(
        ("program", "examples/s", "MB/s", "over glimpsed's pipe, solver background: median (lowest – highest)",
         "over vw --daemon", "peak MiB", "of it not the learner's"),
        [[name, count(rates.rate(name)), count(rates.rate(name) * size / 1e6), middle_and_spread(rates.ratios.get(name)),
          middle_and_spread(over_vw.get(name)), count(rates.memory[name]),
          count(rates.memory[name] - own_memory(DIMENSION)) if "glimpsed" in name else ""]
         for name in sorted(rates.seconds)])
