"""How good the pairwise learner's predictions are where only a random part of an example's attributes is known, how honest
their standard errors, and what its choice of further attributes is worth. Prints one CSV row a prefix, share and rule: the
root mean squared error, the same over that of the model with all attributes, the mean of error^2 / standard error^2 (1 is
right), and the share of errors within two standard errors.

Rules: full, all attributes known; mean, unknown ones by their means; conditional, by their means given the known ones, as the
daemon predicts; exact, the same with the covariances of the whole training set. With attributes bought, all predict as
conditional, and choose at random, by weight times standard deviation, greedily, or greedily with the covariances of the
whole training set.

  python -m glimpsed.lab partial --data cal_housing.csv.gz --budget 5 --prefixes 1000,all --seeds 5
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ... import _core
from ..arguments import Arguments, Parser, add_data, add_runs, counts, data_options, numbers, run_seeds, whole, write
from ..data import load
from ..experiment import prepared, to_csv
from ..learners import Method, Snapshot, run
from ..xoshiro import draws_seed

Numbers = NDArray[np.float64]
Known = NDArray[np.bool_]
HEADER = ["examples", "known", "bought", "rule", "rmse", "over_full", "honesty", "within_two"]
_RIDGE = 1e-6  # of each variance: equal attributes would make covariances singular


def add_arguments(parser: Parser) -> None:
    add_data(parser)
    parser.add_argument("--budget", type=whole(2), required=True, metavar="K", help="attributes drawn from each example")
    parser.add_argument("--known", type=numbers, default=(0.2, 0.5, 0.8), metavar="SHARE,...", help="which part of a test example's attributes is known (0.2,0.5,0.8)")
    parser.add_argument("--buy", type=counts, default=(1, 2, 4), metavar="N,...", help="how many further ones to choose, from the first share (1,2,4)")
    parser.add_argument("--predictions", type=whole(1), default=400, metavar="N", help="examples of each test set, or as many as it has (400)")
    add_runs(parser, 5)


class Conditional:
    """Predictions of a linear model where attributes that are not known count as normal with these means and covariances."""

    def __init__(self, weights: Numbers, bias: float, means: Numbers, covariances: Numbers, noise: float) -> None:
        self.weights, self.bias, self.means, self.covariances, self.noise = weights, bias, means, covariances, noise

    def _pull(self, known: Known, others: Known) -> tuple[Numbers, Numbers]:
        """Covariances of the known with others, and the same after division by those among the known."""
        a = self.covariances[np.ix_(known, known)]
        a[np.diag_indices(len(a))] += np.diag(a) <= 0  # constant attributes, which tell nothing
        both = self.covariances[np.ix_(known, others)]
        return both, np.asarray(np.linalg.solve(a, both) if known.any() else both, np.float64)

    def predict(self, x: Numbers, known: Known) -> tuple[float, float]:
        """The prediction and its standard error."""
        rest = ~known
        both, pull = self._pull(known, rest)
        w = self.weights[rest]
        expected = self.means[rest] + (x[known] - self.means[known]) @ pull
        variance = float(w @ (self.covariances[np.ix_(rest, rest)] @ w - both.T @ (pull @ w)))
        return float(self.weights[known] @ x[known] + w @ expected + self.bias), float(np.sqrt(max(self.noise, 0) + max(variance, 0)))

    def choose(self, known: Known, count: int) -> list[int]:
        """Further attributes, each the one that lowers the expected squared error most, whatever its value will be."""
        both, pull = self._pull(known, np.full(len(known), True))
        rows, chosen = self.covariances - both.T @ pull, []
        target = rows @ self.weights
        for _ in range(count):
            variances = np.diag(rows)
            gains = np.where(known | (variances <= 1e-12 * np.diag(self.covariances)), 0, np.square(target) / np.maximum(variances, 1e-300))
            i = int(gains.argmax())
            if not gains[i] > 0:
                break
            known = known | (np.arange(len(known)) == i)
            chosen.append(i)
            column = rows[:, i] / rows[i, i]
            target = target - column * target[i]
            rows = rows - np.outer(column, rows[i])
        return chosen


def measure(seed: int, budget: int, prefixes: list[int], known_shares: tuple[float, ...], buy: tuple[int, ...], most: int) -> list[list[Any]]:
    """The job of a seed: of each prefix, share, number bought and rule the sums of squared errors, of their ratios to what was
    told, of those within two standard errors, and how many."""
    sets, order = prepared(seed)
    x = sets.train.x.astype(np.float64)
    exact = np.cov(x.T, bias=True).reshape(x.shape[1], -1)
    exact[np.diag_indices(len(exact))] *= 1 + _RIDGE
    means = x.mean(axis=0)
    sums: list[list[Any]] = []
    method = Method("pairwise", {"budget": str(budget), "bias": "on"})
    for snapshot in run(method, sets.train, order, prefixes, draws_seed(seed)):
        assert snapshot.session is not None
        error_of_whole = snapshot.session.predict(_core.Rows.matrix(x[:1].copy()), None, False, True)[1][0]
        _measure_one(snapshot, sets.test.x[:most], sets.test.y[:most], Conditional(snapshot.weights, snapshot.bias, means, exact, error_of_whole ** 2),
                     known_shares, buy, np.random.default_rng(seed), sums)
    return sums


def _measure_one(snapshot: Snapshot, x: NDArray[np.float32], y: Numbers, exact: Conditional, known_shares: tuple[float, ...], buy: tuple[int, ...],
                 random: np.random.Generator, sums: list[list[Any]]) -> None:
    session = snapshot.session
    assert session is not None
    d = x.shape[1]
    covariances = session.covariances()
    weights, bias = snapshot.weights[:d], snapshot.bias
    # The diagonal of `covariances` has the ridge of a solution, which is far above the variance of a rare attribute.
    independent = Conditional(weights, bias, session.means(), np.diag(np.diag(exact.covariances)), exact.noise)
    greedy = Conditional(weights, bias, session.means(), covariances, exact.noise)

    def note(share: float, bought: int, rule: str, predicted: Numbers, errors: Numbers) -> None:
        off = np.square(predicted - y)
        told = np.square(errors)
        ratios = np.divide(off, told, out=np.zeros_like(off), where=told > 0)
        sums.append([snapshot.examples, float(share), bought, rule, float(off.sum()), float(ratios.sum()), float((off <= 4 * told).sum()), len(y)])

    def as_daemon(known: Known) -> tuple[Numbers, Numbers]:
        predicted, errors = session.predict(_core.Rows.matrix(np.where(known, x, np.nan).astype(np.float32)), None, False, True)
        return predicted, errors

    note(1, 0, "full", *as_daemon(np.ones(x.shape, dtype=bool)))
    for s, share in enumerate(known_shares):
        count = d if share >= 1 else int(np.clip(round(share * d), 1, max(d - 1, 1)))
        known = random.random(x.shape).argsort(axis=1) < count
        for rule, predictor in (("mean", independent), ("exact", exact)):
            both = np.array([predictor.predict(row.astype(np.float64), of) for row, of in zip(x, known)])
            note(share, 0, rule, both[:, 0], both[:, 1])
        note(share, 0, "conditional", *as_daemon(known))
        if s == 0 and buy and count < d:
            most = min(max(buy), d - count)
            choices = {"greedy": [greedy.choose(of, most) for of in known], "weights": [independent.choose(of, most) for of in known],
                       "greedy-exact": [exact.choose(of, most) for of in known],
                       "random": [random.permutation(np.flatnonzero(~of))[:most].tolist() for of in known]}
            for rule, chosen in choices.items():
                for bought in buy:
                    more = known.copy()
                    for row, own in enumerate(chosen):
                        more[row, own[:bought]] = True
                    note(share, bought, rule, *as_daemon(more))


def main(given: Arguments) -> None:
    source = load(data_options(given))
    if max(given.known) > 1:
        raise ValueError(f"--known: {max(given.known)} is above 1")
    prefixes = given.prefixes.prefixes(given.budget, source.training_size)
    runs = run_seeds(given, measure, source, given.budget, prefixes, given.known, given.buy, given.predictions)
    sums = pd.DataFrame([row for own in runs for row in own]).groupby([0, 1, 2, 3]).sum()
    means = sums[[4, 5, 6]].div(sums[7], axis=0)
    full = {examples: means.loc[(examples, 1, 0, "full"), 4] for examples in prefixes}
    write(to_csv(HEADER, [[*key, np.sqrt(square), np.sqrt(square / full[key[0]]), honesty, within] for key, square, honesty, within in means.itertuples()]))
