"""How good models of the 1 to 20 best attributes are, and what the learner reports of them: one CSV row a seed, prefix and
number of attributes. Losses are over that of the mean of the test set's labels.

told: the expected loss; exported: that of the model on the test set; clipped: of the daemon's answers. chosen: least squares
on the chosen attributes, by the whole training set; best: the same of the best subset, of up to 12 attributes.

  python -m glimpsed.lab small-models --data ailerons.csv.gz --algorithm pairwise --budget 5 --bias on
"""

from itertools import combinations

import numpy as np

from ..arguments import Arguments, Parser, add_data, add_method, add_runs, data_options, method_of, run_prefixes, write
from ..data import Table, load
from ..experiment import prepared, to_csv
from ..learners import Method, answers, run
from ..xoshiro import draws_seed

MOST = 20  # attributes of a model
ENUMERATED = 12  # attributes of which every subset is tried
HEADER = ["seed", "examples", "attributes", "added", "told", "told_error", "exported", "clipped", "told_over_clipped", "chosen", "best", "over_best"]


def add_arguments(parser: Parser) -> None:
    add_data(parser)
    add_method(parser)
    add_runs(parser, 1)


class Subsets:
    """Least squares on every subset of the attributes, by a whole training set."""

    def __init__(self, train: Table) -> None:
        x = train.x.astype(np.float64)
        x -= x.mean(axis=0)
        y = train.y - train.y.mean()
        self._covariances = x.T @ x / len(y)
        self._covariances[np.diag_indices(len(self._covariances))] *= 1 + 1e-9
        self._covariances[np.diag_indices(len(self._covariances))] += 1e-300
        self._target = y @ x / len(y)
        self.variance = float(y @ y / len(y))

    def error(self, subset: list[int] | tuple[int, ...]) -> float:
        """The mean squared error of these attributes over the label's variance."""
        chosen = list(subset)
        b = self._target[chosen]
        return 1 - float(b @ np.linalg.solve(self._covariances[np.ix_(chosen, chosen)], b)) / self.variance

    def best(self, size: int) -> float:
        """The least of that size; NaN where there are too many."""
        d = len(self._target)
        return float("nan") if d > ENUMERATED else min(self.error(subset) for subset in combinations(range(d), size))


def measure(seed: int, method: Method, prefixes: list[int]) -> list[list[float]]:
    """The job of a seed."""
    sets, order = prepared(seed)
    test = sets.test
    subsets = Subsets(sets.train)
    unit = float(test.y.var())
    over = float(np.square(test.y).mean()) / unit
    rows = []
    for snapshot in run(method, sets.train, order, prefixes, draws_seed(seed)):
        session = snapshot.session
        assert session is not None
        losses = answers(snapshot, sets.train, order, test)
        for k in range(1, min(MOST, test.dimension) + 1):
            small = session.small_model(k)
            if small is None:
                break
            (weights, bias), chosen, added, told, told_error = small
            exported, clipped = (loss * over for loss in losses(weights, bias))
            of_chosen, best = subsets.error(chosen), subsets.best(k)
            rows.append([seed, snapshot.examples, k, added, told / unit, told_error / unit, exported, clipped, told / unit / clipped, of_chosen, best,
                         of_chosen / best])
    return rows


def main(given: Arguments) -> None:
    write(to_csv(HEADER, run_prefixes(given, measure, load(data_options(given)), method_of(given))))
