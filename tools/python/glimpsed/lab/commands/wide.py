"""Learns from simulated streams of very many attributes, some of which matter. Values are computed when a learner asks for
them, so that no example is held, and losses are exact expectations. Prints CSV: loss is over that of always predicting 0,
unexplained over that of the best constant (1: nothing learned).

x_i is 1 with the chance chance*i^alpha, else 0; y is the sum of the relevant ones with signs. Attributes come in groups of
neighbours, with a correlation of agreement^2 within one; relevant ones come by whole groups. Known moments are the true ones;
the horizon is the last count.

  python -m glimpsed.lab wide --relevant 50 --budget 20 --counts 100000,1000000 --seeds 5 \\
    --learner pairwise-screened --learner two-phase-ddaelr:radius=20
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arguments import Arguments, Parser, add_execution, counts, whole, write
from ..experiment import to_csv
from ..jobs import Store, run_jobs
from ..learners import KNOWS_MOMENTS, Method, moments_csv, parse_named
from ..xoshiro import Random, draws_seed, mix

HEADER = ["learner", "seed", "examples", "attributes", "loss", "unexplained"]
_STEP = np.uint64(0x9E3779B97F4A7C15)


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--learner", action="append", required=True, metavar="NAME[:...]", help="with radius=B, step=S, phase1=N, active=A behind colons; may be "
                        "repeated: all learn from the same streams")
    parser.add_argument("--budget", type=whole(1), default=20, metavar="K", help="attributes looked at in each example (20)")
    group = parser.add_argument_group("stream")
    group.add_argument("--dimension", type=whole(1), default=100000, metavar="D", help="attributes of an example (100000)")
    group.add_argument("--relevant", type=whole(1), default=50, metavar="R", help="attributes that matter, with weights -1 and 1 (50)")
    for name, value, sentence in (("chance", 0.5, "of the first attribute to be 1"), ("alpha", 0.0, "how fast the chances fall"),
                                  ("agreement", 0.0, "the root of the correlation within a group"), ("noise", 0.0, "standard deviation of the labels' noise")):
        group.add_argument(f"--{name}", type=float, default=value, metavar="X", help=f"{sentence} ({value:g})")
    group.add_argument("--group", type=whole(1), default=1, metavar="G", help="size of a group (1)")
    parser.add_argument("--counts", type=counts, default=(100000,), metavar="N,...", help="after how many examples to measure (100000)")
    parser.add_argument("--seeds", type=whole(1), default=1, metavar="N", help="streams: seeds 1 to N (1)")
    add_execution(parser)


@dataclass(frozen=True)
class Wide:
    """An endless stream: example n, and a value of it, depend on the seed, n and the attribute alone."""
    dimension: int
    relevant: int
    chance: float
    alpha: float
    group: int
    agreement: float
    noise: float
    seed: int

    def check(self) -> None:
        rules = [("chance", 0 < self.chance <= 1, "above 0 and at most 1"), ("alpha", -16 <= self.alpha <= 0, "from -16 to 0"),
                 ("agreement", 0 <= self.agreement <= 1, "from 0 to 1"), ("noise", 0 <= self.noise <= 1e6, "from 0 to 1e6"),
                 ("group", self.group <= self.dimension, "from 1 to the dimension"),
                 ("relevant", self.relevant % self.group == 0 and self.relevant // self.group <= self.dimension // self.group,
                  "from 1 to the dimension, and a multiple of --group"),
                 ("agreement", self.agreement == 0 or self.alpha == 0, "0 where --alpha is not 0")]
        for name, holds, rule in rules:
            if not holds:
                raise ValueError(f"--{name} is {getattr(self, name)}; it must be {rule}")

    @property
    def chances(self) -> NDArray[np.float64]:
        """u: of each attribute the mean, and the second moment as well."""
        return np.asarray(self.chance * np.power(np.arange(1, self.dimension + 1, dtype=np.float64), self.alpha))

    @property
    def weights(self) -> NDArray[np.float64]:
        """w*. Each group in turn is taken with the chance that makes every set of groups equally likely."""
        random, weights = Random(self.seed), np.zeros(self.dimension)
        groups, wanted = self.dimension // self.group, self.relevant // self.group
        for g in range(groups):
            if random.below(groups - g) < wanted:
                wanted -= 1
                for i in range(g * self.group, (g + 1) * self.group):
                    weights[i] = -1 if random.uniform() < 0.5 else 1
        return weights

    def examples(self, begin: int, end: int) -> NDArray[np.uint64]:
        """What values of the examples are computed from."""
        return mix(np.uint64(draws_seed(self.seed)) + np.arange(begin, end, dtype=np.uint64) * _STEP)

    def values(self, example: NDArray[np.uint64] | np.uint64, attributes: NDArray[np.uint64], chances: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Values 0 and 1: the high half of a word chooses whose value it is, the low half what value."""
        words = mix(example + attributes * _STEP)
        if self.agreement > 0:
            agrees = (words >> np.uint64(32)) < np.uint64(int(self.agreement * 2 ** 32))
            words = np.where(agrees, mix(example + (np.uint64(1 << 32) + attributes // np.uint64(self.group)) * _STEP), words)
        return np.asarray((words & np.uint64(0xFFFFFFFF)).astype(np.float64) < chances[attributes] * 2.0 ** 32)

    def risk(self, weights: NDArray[np.float64], bias: float) -> float:
        """The mean of (bias + <weights, x> - y)^2 over all examples that there could be."""
        u, c2 = self.chances, self.agreement ** 2
        off = weights - self.weights
        spread = off * np.sqrt(u * (1 - u))
        begins = np.arange(0, self.dimension, self.group)
        within = (1 - c2) * np.square(spread).sum() + c2 * np.square(np.add.reduceat(spread, begins)).sum()
        return float(within + (bias + off @ u) ** 2 + self.noise ** 2)

    @property
    def variance(self) -> float:
        """Of the labels: the loss of the best constant."""
        return self.risk(np.zeros(self.dimension), float(self.weights @ self.chances))


def run_stream(stream: Wide, label: str, budget: int, at: tuple[int, ...]) -> list[list[float | str]]:
    """The job of a seed and learner: a row a count."""
    method = method_of(label, budget)
    u, weights = stream.chances, stream.weights
    relevant = np.flatnonzero(weights).astype(np.uint64)
    session = method.session(stream.dimension, at[-1], stream.seed, moments_csv(u, u, np.ones(len(u))) if method.algorithm in KNOWS_MOMENTS else "")
    noise = np.random.default_rng(stream.seed)
    zero, variance = stream.risk(np.zeros(stream.dimension), 0), stream.variance
    rows: list[list[float | str]] = []
    done = 0
    for count in at:
        while done < count:
            words = stream.examples(done, min(done + 4096, count))
            y = stream.values(words[:, None], relevant[None, :], u) @ weights[relevant] + stream.noise * noise.standard_normal(len(words))
            for word, label_ in zip(words, y.tolist()):
                plan, attributes, _ = session.ask([], 0.0, 1.0)
                values = stream.values(word, np.array(attributes, dtype=np.uint64), u)
                session.tell(plan, values.astype(np.float64).tolist(), label_, 1.0, 0.0)
            done += len(words)
        found, bias = session.model()
        risk = stream.risk(found, bias)
        rows.append([label, stream.seed, count, session.attributes_revealed, risk / zero, risk / variance])
    return rows


def method_of(label: str, budget: int) -> Method:
    method = parse_named(label, "learner", budget)
    if "products" in method.options:
        raise ValueError(f"--learner {label}: models of attributes alone are measured here: leave products out")
    return method


def main(given: Arguments) -> None:
    streams = [Wide(**{name: getattr(given, name) for name in Wide.__dataclass_fields__ if name != "seed"}, seed=seed) for seed in range(1, given.seeds + 1)]
    streams[0].check()
    at = tuple(sorted(given.counts))
    for label in given.learner:
        method_of(label, given.budget).check(given.dimension)
    jobs = [(stream, label, given.budget, at) for stream in streams for label in given.learner]
    results = run_jobs(run_stream, jobs, "", None, given.jobs, Store(given.output_directory), "running", given.quiet)
    write(to_csv(HEADER, [row for rows in results for row in rows]))
