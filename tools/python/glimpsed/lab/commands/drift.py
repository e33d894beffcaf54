"""After how many examples a change is noticed in a stream that P learners learn in turn: by all of them together, as in a
fleet, and by each alone. One CSV row a seed and P, in examples of all.

Labels are the sum of D values of -1 or 1, and noise; from one example on some of them count with the other sign.

  python -m glimpsed.lab drift --dimension 40 --budget 8 --changed 4 --parts 1,4,16 --seeds 10
"""

import numpy as np

from ... import _core
from ..arguments import Arguments, Parser, add_runs, counts, seeds_of, whole, write
from ..experiment import to_csv
from ..jobs import Store, run_jobs
from ..learners import BUDGETED, Method, as_the_daemon
from ..xoshiro import Random

HEADER = ["seed", "parts", "together", "first_alone", "middle_alone", "last_alone", "false_alarms"]


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--dimension", type=whole(2), required=True, metavar="D", help="attributes")
    parser.add_argument("--budget", type=whole(2), required=True, metavar="K", help="attributes drawn from each example")
    parser.add_argument("--algorithm", default="pairwise", choices=(*BUDGETED, "online-ridge", "online-lasso", "pairwise", "pairwise-screened"), metavar="NAME",
                        help="one that knows --drift auto (pairwise)")
    parser.add_argument("--parts", type=counts, default=(1, 4, 16), metavar="P,...", help="how many parts (1,4,16)")
    parser.add_argument("--before", type=whole(1), default=20000, metavar="N", help="examples before the change (20000)")
    parser.add_argument("--after", type=whole(1), default=100000, metavar="N", help="at most so many behind it (100000)")
    parser.add_argument("--changed", type=whole(0), default=1, metavar="N", help="attributes that change their sign (1)")
    parser.add_argument("--every", type=whole(1), default=100, metavar="N", help="examples of all between two observations of all together (100)")
    add_runs(parser, 5, None)


def measure(seed: int, method: Method, dimension: int, parts: int, before: int, after: int, changed: int, every: int) -> list[int]:
    """The job of a seed and a number of parts. What is not noticed counts as after + 1."""
    random = Random(seed)
    seeds = [random.bits() for _ in range(parts)]
    alone = [method.session(dimension, 1, one) for one in seeds]
    together = [method.session(dimension, 1, one) for one in seeds]  # until one forgets, their plans are the same
    for session in together:
        session.watch_together()
    stream = np.random.default_rng(random.bits())
    noticed: list[int | None] = [None] * parts
    together_at, false_alarms = after + 1, 0
    for n in range(0, before + after, every):
        x = stream.integers(0, 2, (min(every, before + after - n), dimension)).astype(np.float32) * 2 - 1
        signs = np.where((np.arange(n, n + len(x)) >= before)[:, None] & (np.arange(dimension) < changed), -1.0, 1.0)
        y = stream.uniform(-1, 1, len(x)) + (x * signs).sum(axis=1)
        for i in range(len(x)):
            part, row = (n + i + 1) % parts, _core.Rows.matrix(x[i:i + 1])
            if together_at > after:
                together[part].learn(row, y[i:i + 1], None)
            if noticed[part] is None:
                alarms = alone[part].alarms
                alone[part].learn(row, y[i:i + 1], None)
                if n + i >= before and alone[part].alarms > alarms:
                    noticed[part] = n + i + 1 - before
        if together_at > after and _core.losses_rose(together):
            if n + len(x) > before:
                together_at = n + len(x) - before
            else:
                false_alarms += 1
        if together_at <= after and None not in noticed:
            break
    own = sorted(after + 1 if at is None else at for at in noticed)
    return [seed, parts, together_at, own[0], own[(len(own) - 1) // 2], own[-1], false_alarms]


def main(given: Arguments) -> None:
    for count in given.parts:
        if count > given.before:
            raise ValueError(f"--parts {count}: must be from 1 to the {given.before} examples before the change")
    method = as_the_daemon(given.algorithm, {"budget": str(given.budget), "drift": "auto"})
    jobs = [(seed, method, given.dimension, parts, given.before, given.after, given.changed, given.every) for seed in seeds_of(given) for parts in given.parts]
    write(to_csv(HEADER, run_jobs(measure, jobs, "", None, given.jobs, Store(given.output_directory), "running", given.quiet)))
