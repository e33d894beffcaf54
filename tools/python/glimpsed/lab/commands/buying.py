"""What the pairwise learner's choice of attributes under prices is worth: its loss after the whole training set, for a share
of what all attributes cost, beside that of the same learner with sets that simple rules buy for the same money. Prices are
log-normal. Writes one page of Markdown. Labels are standardised.

Rules: uniform, 1/sqrt(price) and 1/price draw one attribute after another, and pass over what no longer fits until nothing
fits; cheapest first buys the same set of every example. A cell is a data set and a share, its loss the mean over the draws
of the prices; draw R has the split and the order of seed R.

  python -m glimpsed.lab buying tables --only abalone,letter --shares 10%,20%,50% --draws 10
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arguments import Arguments, Parser, add_execution, add_sets, sets_of, shares, whole, write
from ..experiment import markdown, prepared
from ..jobs import Store, run_jobs
from ..learners import Method, learn, loss_ratio, predictions
from ..xoshiro import draws_seed
from .sweep import Source

BUYERS = ("planned", "uniform", "1/√price", "1/price", "cheapest first")
_TRIES = 1000


def add_arguments(parser: Parser) -> None:
    add_sets(parser)
    parser.add_argument("--shares", type=shares, default=shares("10%,20%,50%"), metavar="SHARE,...", help="limits, as shares of what all attributes cost together (10%%,20%%,50%%)")
    parser.add_argument("--spread", type=float, default=1.0, metavar="S", help="standard deviation of the logarithms of the prices (1)")
    parser.add_argument("--draws", type=whole(1), default=10, metavar="N", help="of the prices (10)")
    parser.add_argument("--first-draw", type=whole(0), default=1, metavar="N", help="seed of the first (1)")
    parser.add_argument("--output", metavar="FILE", help="the page; standard output by default")
    add_execution(parser)


def prices_of(dimension: int, spread: float, least_share: float, seed: int) -> NDArray[np.float64]:
    """The first prices of the draw of whose total the least share buys two attributes, without which there are no products."""
    random = np.random.default_rng(seed)
    for _ in range(_TRIES if dimension >= 2 else 0):
        prices = np.maximum(np.round(np.exp(spread * random.standard_normal(dimension)), 6), 1e-6)
        if np.sort(prices)[:2].sum() <= least_share * prices.sum():
            return prices
    raise ValueError(f"{least_share:.6%} of the price of all {dimension} attributes hardly ever buy two")


def draw_set(prices: NDArray[np.float64], limit: float, rule: str, random: np.random.Generator) -> list[int]:
    """What a rule buys. Draws without replacement with chances in proportion to q_i come in the order of exponential times
    of rates q_i."""
    keys = prices.copy()
    if rule != "cheapest first":
        keys = random.exponential(size=len(prices)) * prices ** {"uniform": 0, "1/√price": 0.5, "1/price": 1}[rule]
    chosen, left = [], limit
    for i in np.argsort(keys, kind="stable").tolist():
        if prices[i] <= left:
            left -= prices[i]
            chosen.append(i)
    return sorted(chosen)


def run_buyer(seed: int, share: float, buyer: str, spread: float, least_share: float) -> list[float]:
    """The job of a draw, share and buyer: the loss, attributes an example, and money over the limit."""
    sets, order = prepared(seed)
    train = sets.train
    d, n = train.dimension, len(train)
    prices = prices_of(d, spread, least_share, seed)
    limit = float(np.floor(share * prices.sum() * 1e6) / 1e6)
    options = {"budget": str(d), "bias": "on"}
    if buyer == "planned":
        costs = "".join(f"{i},{price:.6f}\n" for i, price in enumerate(prices.tolist()))
        session = Method("pairwise", {**options, "budget-cost": f"{limit:.6f}"}, costs=costs).session(d, n, draws_seed(seed))
        learn(session, train, order)
        money = session.spent
    else:
        session = Method("pairwise", options).session(d, n, draws_seed(seed))
        random = np.random.default_rng(draws_seed(seed))
        money = 0.0
        for row in order.tolist():
            plan, attributes, _ = session.ask(draw_set(prices, limit, buyer, random), 0.0, 1.0)
            money += float(prices[attributes].sum())
            session.tell(plan, train.x[row, attributes].tolist(), float(train.y[row]), 1.0, 0.0)
    weights, bias = session.model()
    return [loss_ratio(predictions(weights, bias, sets.test.x), sets.test.y), session.attributes_revealed / n, money / (n * limit)]


@dataclass(frozen=True)
class Cell:
    """A data set and a share: of each buyer and draw the loss, attributes and money."""
    data: str
    share: float
    results: NDArray[np.float64]  # buyers x draws x 3

    @property
    def losses(self) -> NDArray[np.float64]:
        return np.asarray(self.results[:, :, 0].mean(axis=1))

    @property
    def best_rule(self) -> int:
        return 1 + int(self.losses[1:].argmin())

    def over(self, rule: int) -> float:
        """The planned buyer's loss over the rule's."""
        return float(self.losses[0] / self.losses[rule])

    def error(self, rule: int) -> float:
        """The standard error of that, from the draws."""
        off = self.results[0, :, 0] - self.results[rule, :, 0]
        return float(off.std(ddof=1) / len(off) ** 0.5 / self.losses[rule]) if len(off) > 1 else 0.0


def page_of(cells: Sequence[Cell], title: str) -> str:
    text = (f"# Buying for a share of the full price\n\n{title}\n\nLosses are those on the test set over that of the mean label, means over the draws; in brackets "
            "how many attributes of an example were bought. Means of cells are geometric.\n\n")
    rows = []
    for cell in cells:
        attributes, best = cell.results[:, :, 1].mean(axis=1), cell.best_rule
        rows.append([cell.data, f"{100 * cell.share:.6g} %", *(f"{loss:.4f} ({bought:.1f})" for loss, bought in zip(cell.losses, attributes)),
                     f"{cell.over(best):.3f} ± {cell.error(best):.3f} ({BUYERS[best]})"])
    text += markdown(["data", "share", *BUYERS, "planned over the best rule"], rows)
    keys: dict[str, Callable[[Cell], str]] = {"share": lambda cell: f"{100 * cell.share:.6g} %", "data set": lambda cell: cell.data}
    for name, key in keys.items():
        rows = []
        groups: dict[str, list[Cell]] = {}
        for cell in cells:
            groups.setdefault(key(cell), []).append(cell)
        for group, own in groups.items():
            worst = max(own, key=lambda cell: cell.over(cell.best_rule))
            rules = [float(np.exp(np.mean([np.log(cell.over(rule or cell.best_rule)) for cell in own]))) for rule in (1, 2, 3, 4, 0)]
            rows.append([group, *(f"{rule:.3f}" for rule in rules[:-1]), f"**{rules[-1]:.3f}**",
                         f"{worst.over(worst.best_rule):.3f} ({worst.data}, {100 * worst.share:.6g} %)"])
        text += "\n" + markdown([f"by {name}: over", *BUYERS[1:], "the best rule", "worst cell over its best rule"], rows)
    return text


def main(given: Arguments) -> None:
    draws = range(given.first_draw, given.first_draw + given.draws)
    cells = []
    for name, options in sets_of(given):
        source = Source(options, draws[0])
        jobs = [(seed, share, buyer, given.spread, min(given.shares)) for seed in draws for share in given.shares for buyer in BUYERS]
        results: list[Any] = run_jobs(run_buyer, jobs, source.first.describe(), source, given.jobs, Store(given.output_directory), name, given.quiet)
        whole_ = np.array(results).reshape(len(draws), len(given.shares), len(BUYERS), 3)
        cells += [Cell(name, share, whole_[:, s].transpose(1, 0, 2)) for s, share in enumerate(given.shares)]
    title = f"Shares {','.join(f'{100 * share:g}%' for share in given.shares)}; prices exp({given.spread:g}·z); draws {draws[0]} to {draws[-1]}."
    write(page_of(cells, title), given.output)
