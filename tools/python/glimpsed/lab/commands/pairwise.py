"""How well the pairwise learner chooses lambda: runs it, and solves at every prefix with the lambda that its rule gives and
with multiples of it. One CSV row a prefix: the mean test loss over the zero predictor's, the best in hindsight (the factor
whose mean over the seeds is least), and the loss of predicting the mean of the labels so far. reach: of the daemon's
answers, for which values count up to 1.5 times the largest revealed, and labels are clipped.

--rows prints every run and factor; with a factor alpha is 1: weights are not drawn towards 0 where there may be no signal.

  python -m glimpsed.lab pairwise --data mnist:3,5 --scale none --budget 57 --prefixes 200,1000,all --seeds 10
"""

from typing import Any

import numpy as np

from ..arguments import Arguments, Parser, add_data, add_runs, data_options, numbers, run_seeds, whole, write
from ..data import load
from ..experiment import prepared, to_csv
from ..learners import Method, answers, loss_ratio, predictions, run
from ..xoshiro import draws_seed

FACTORS = "0.125,0.177,0.25,0.354,0.5,0.707,1,1.414,2,2.828,4,5.657,8"


def add_arguments(parser: Parser) -> None:
    add_data(parser)
    parser.add_argument("--budget", type=whole(2), required=True, metavar="K", help="attributes drawn from each example")
    parser.add_argument("--ridge-factors", type=numbers, default=numbers(FACTORS), metavar="F,...", help=f"of the rule's lambda ({FACTORS})")
    parser.add_argument("--rows", action="store_true", help="every run and factor in place of the summary")
    add_runs(parser, 10)


def scan(seed: int, budget: int, prefixes: list[int], factors: tuple[float, ...]) -> list[dict[str, Any]]:
    """The job of a seed: of each prefix what the rule gave, and what other lambdas would have given."""
    sets, order = prepared(seed)
    points = []
    for snapshot in run(Method("pairwise", {"budget": str(budget), "bias": "on"}), sets.train, order, prefixes, draws_seed(seed)):
        assert snapshot.session is not None
        exported, reach = answers(snapshot, sets.train, order, sets.test)(snapshot.weights, snapshot.bias)
        ridge, shrink, models = snapshot.session.try_ridges(list(factors))
        trials = [loss_ratio(predictions(weights, bias, sets.test.x), sets.test.y) for weights, bias in models]
        mean = float(sets.train.y[order[:snapshot.examples]].mean())
        points.append({"seed": seed, "examples": snapshot.examples, "attributes": snapshot.attributes, "ridge": ridge, "shrink": shrink, "loss": exported,
                       "trials": trials, "mean": loss_ratio(np.full(len(sets.test), mean), sets.test.y), "reach": reach})
    return points


def summary(points: list[dict[str, Any]], factors: tuple[float, ...]) -> str:
    """A row a prefix."""
    header = ["examples", "runs", "test_loss_ratio", "deviation", "best_factor", "best_in_hindsight", "best_of_each_seed", "over_best", "mean_predictor",
              "over_mean", "worst_over_mean", "reach_over_mean", "worst_reach_over_mean"]
    rows = []
    for examples in sorted({point["examples"] for point in points}):
        own = [point for point in points if point["examples"] == examples]
        loss, mean, reach = (np.array([point[name] for point in own]) for name in ("loss", "mean", "reach"))
        trials = np.array([point["trials"] for point in own])
        of_factors = trials.mean(axis=0)
        best = int(of_factors.argmin())
        rows.append([examples, len(own), loss.mean(), loss.std(ddof=1) if len(own) > 1 else 0.0, factors[best], of_factors[best],
                     trials.min(axis=1).mean(), loss.mean() / of_factors[best], mean.mean(), loss.mean() / mean.mean(), (loss / mean).max(),
                     reach.mean() / mean.mean(), (reach / mean).max()])
    return to_csv(header, rows)


def every_row(points: list[dict[str, Any]], factors: tuple[float, ...]) -> str:
    rows: list[list[Any]] = []
    for p in points:
        start = [p["seed"], p["examples"], p["attributes"]]
        rows.append([*start, "rule", p["ridge"], p["shrink"], p["loss"], p["mean"]])
        rows += [[*start, f"{factor:.10g}", factor * p["ridge"], 1, loss, p["mean"]] for factor, loss in zip(factors, p["trials"])]
    return to_csv(["seed", "examples", "attributes", "ridge_factor", "ridge", "shrink", "test_loss_ratio", "mean_predictor"], rows)


def main(given: Arguments) -> None:
    source = load(data_options(given))
    prefixes = given.prefixes.prefixes(given.budget, source.training_size)
    runs = run_seeds(given, scan, source, given.budget, prefixes, given.ridge_factors)
    points = [point for own in runs for point in own]
    write((every_row if given.rows else summary)(points, given.ridge_factors))
