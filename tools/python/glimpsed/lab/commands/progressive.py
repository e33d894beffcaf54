"""What a learner says of its own loss within its budget, beside the truth: one CSV row a seed and prefix, with the
progressive loss of the prefix's last half, its standard error and the loss on the test set, all over the zero predictor's.

The progressive loss of pairwise is that of the models solved for at powers of two, which judge once the examples are a
quarter more: at a prefix n that is one, mostly of the model after n/2 examples. That of the gradient learners is that of
their iterates, before averaging.

  python -m glimpsed.lab progressive --data mnist:3,5 --scale none --algorithm pairwise --budget 57 --bias on \\
    --prefixes 1024,2048,4096,8192 --seeds 3
"""

import numpy as np

from ..arguments import Arguments, Parser, add_data, add_method, add_runs, data_options, method_of, run_prefixes, write
from ..data import load
from ..experiment import prepared, to_csv
from ..learners import Method, loss_ratio, predictions, run
from ..xoshiro import draws_seed


def add_arguments(parser: Parser) -> None:
    add_data(parser)
    add_method(parser)
    add_runs(parser, 1)


def measure(seed: int, method: Method, prefixes: list[int]) -> list[list[float]]:
    """The job of a seed. Every prefix is a run of its own, as the half that counts is another one."""
    sets, order = prepared(seed)
    zero = float(np.square(sets.test.y).mean())
    rows = []
    for n in prefixes:
        snapshot = next(run(method, sets.train, order, [n], draws_seed(seed), recent=n * method.passes // 2))
        assert snapshot.session is not None
        mean, error, _ = snapshot.session.recent_loss()
        rows.append([seed, n, mean / zero, error / zero,
                     loss_ratio(predictions(snapshot.weights, snapshot.bias, sets.test.x), sets.test.y)])
    return rows


def main(given: Arguments) -> None:
    method = method_of(given)
    if method.is_offline:
        raise ValueError(f"--algorithm {method.algorithm}: has no progressive loss")
    write(to_csv(["seed", "examples", "progressive_loss", "standard_error", "test_loss"], run_prefixes(given, measure, load(data_options(given)), method)))
