"""What every case of peers is given: what it runs, and how the peers' rates become ratios."""

import dataclasses
import statistics

from .glimpse import Glimpse
from .others import Others
from .report import Report
from .streams import Streams


@dataclasses.dataclass
class Bench:
    options: object  # of the command line
    report: Report
    streams: Streams
    glimpse: Glimpse
    others: Others

    def scaled(self, examples):
        return max(1000, int(examples * self.options.scale))

    def rounds(self, title):
        """The rounds' numbers; says how far it is."""
        for turn in range(self.options.rounds):
            self.report.progress(f"{title}: round {turn + 1} of {self.options.rounds}")
            yield turn

    def glimpsed_start(self, dimension, budget):
        """Seconds that glimpsed takes to learn from one example without values: none is an error."""
        return self.glimpse.file(self.streams.one(), dimension, budget, "vw").seconds


class Rates:
    """Runs of several programs, a list each: seconds, examples, memory."""

    def __init__(self):
        self.seconds, self.examples, self.memory, self.ratios = {}, {}, {}, {}

    def note(self, name, examples, seconds, memory):
        self.seconds.setdefault(name, []).append(seconds)
        self.examples[name] = examples
        self.memory[name] = max(self.memory.get(name, 0), memory.peak)

    def rate(self, name, turn=None):
        """Examples a second: the median, or those of one round."""
        took = statistics.median(self.seconds[name]) if turn is None else self.seconds[name][turn]
        return self.examples[name] / took

    def compare(self, name, ratio):
        """Keeps the ratio of a pair of runs."""
        self.ratios.setdefault(name, []).append(ratio)
