"""Learning curves: methods on one data source, over seeds, measured along the training set."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .. import _core
from .data import DataSource, Sets
from .jobs import Progress, Store, Workers, shared
from .learners import Method, Order, classification_error, loss_ratio, predictions, run
from .tuning import Choice, Tuning, choose
from .xoshiro import draws_seed, shuffled


@dataclass(frozen=True)
class Curve:
    """A method with a name; B and step as given, or to be chosen."""
    label: str
    method: Method
    tuning: Tuning | None = None


@dataclass(frozen=True)
class Points:
    """Where along the training set models are measured: after so many examples, or where an algorithm may have looked at
    so many attributes; `all`: and after the whole set."""
    counts: tuple[int, ...] = ()
    in_attributes: bool = False
    all: bool = False

    def prefixes(self, attributes_each: int, n: int) -> list[int]:
        """Ascending numbers of examples, each once, from 1 to n."""
        counts = [max(count // attributes_each, 1) if self.in_attributes else count for count in self.counts]
        return sorted({count for count in counts if 1 <= count <= n} | ({n} if self.all else set()))


@dataclass(frozen=True)
class Row:
    """A model of one run."""
    algorithm: str
    seed: int
    examples: int
    attributes: int
    test_loss_ratio: float  # over the zero predictor's
    classification_error: float  # of labels -1 and 1, else NaN


@dataclass(frozen=True)
class Outcome:
    rows: list[Row]  # by curve, seed, examples
    chosen: dict[tuple[str, int], Choice]  # by curve, and the seed of the split
    warnings: list[str]


def prepared(seed: int) -> tuple[Sets, Order]:
    """For the job of a seed, of shared() data: the sets, and the order in which the training set is learned."""
    sets = shared().prepare(seed)
    return sets, shuffled(len(sets.train), seed)


def _run(method: Method, seed: int, prefixes: list[int]) -> dict[str, Any]:
    sets, order = prepared(seed)
    rows = []
    given = skipped = 0
    for snapshot in run(method, sets.train, order, prefixes, draws_seed(seed)):
        session = snapshot.session
        predicted = (session.predict(_core.Rows.matrix(sets.test.x), None, False, False)
                     if session is not None and len(snapshot.weights) > sets.test.dimension
                     else predictions(snapshot.weights, snapshot.bias, sets.test.x))
        rows.append([snapshot.examples, snapshot.attributes, loss_ratio(predicted, sets.test.y),
                     classification_error(predicted, sets.test.y)])
        given, skipped = snapshot.given, snapshot.skipped
    return {"rows": rows, "given": given, "skipped": skipped}


def run_experiment(curves: Sequence[Curve], source: DataSource, points: Points, seeds: Sequence[int], store: Store,
                   processes: int, quiet: bool) -> Outcome:
    """Runs what `store` does not have yet. What is to be chosen is chosen once for each curve and split, on the longest
    prefix that the curve is measured at, from the training set alone. Seeds give the order of the training set (the same
    for all curves), the learner's draws, and the split where each seed has another one."""
    lengths = {}
    for curve in curves:
        curve.method.check(source.dimension) if curve.tuning is None else None
        lengths[curve.label] = points.prefixes(curve.method.attributes_each(source.dimension), source.training_size)
        if not lengths[curve.label]:
            raise ValueError(f"--prefixes: none is from 1 to {source.training_size}, the number of training examples")
    chosen: dict[tuple[str, int], Choice] = {}
    with Workers(processes, source, store) as workers:
        progress = Progress("choosing B and step", quiet)
        for split_seed in seeds if source.resplits else [1]:
            for curve in curves:
                if curve.tuning is not None:
                    chosen[curve.label, split_seed] = choose(curve.method, curve.tuning, source, split_seed, lengths[curve.label][-1], workers, progress)
        progress.finish()
        # Seed after seed, so that what was done when it is stopped is of use for every curve.
        jobs = [(curve.method if curve.tuning is None else chosen[curve.label, seed if source.resplits else 1].apply(curve.method), seed,
                 lengths[curve.label]) for seed in seeds for curve in curves]
        progress = Progress("running", quiet)
        results = workers.map(_run, jobs, source.describe(), progress)
        progress.finish()
    rows: list[Row] = []
    warnings = []
    for c, curve in enumerate(curves):
        own = results[c::len(curves)]
        rows += [Row(curve.label, seed, *values) for seed, result in zip(seeds, own) for values in result["rows"]]
        skipped, given = (sum(result[name] for result in own) for name in ("skipped", "given"))
        if skipped:
            warnings.append(f"{curve.label}: {skipped} of {given} examples were not learned from, most because a step diverged")
    return Outcome(rows, chosen, warnings)


# Summaries.


@dataclass(frozen=True)
class Point:
    """The mean of a curve's runs after so many examples."""
    examples: int
    attributes: float
    mean: float
    deviation: float  # standard deviation over the runs
    classification_error: float
    runs: int


def summarise(rows: Iterable[Row]) -> dict[str, list[Point]]:
    """By curve, in the order in which they come, and number of examples."""
    frame = pd.DataFrame([vars(row) for row in rows])
    points = frame.groupby(["algorithm", "examples"]).agg(
        attributes=("attributes", "mean"), mean=("test_loss_ratio", "mean"), deviation=("test_loss_ratio", "std"),
        classification_error=("classification_error", "mean"), runs=("seed", "size"))
    points.loc[points.runs == 1, "deviation"] = 0.0
    return {label: [Point(**point) for point in points.loc[label].reset_index().to_dict("records")] for label in frame.algorithm.unique()}


def to_csv(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """CSV as RFC 4180 has it, with \\n. Nothing for NaN and None, whole numbers without a point."""
    return str(pd.DataFrame([list(row) for row in rows], columns=list(header)).to_csv(index=False, float_format="%.10g", lineterminator="\n"))


def markdown(header: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """A table."""
    lines = [" | ".join(map(str, cells)) for cells in (header, *rows)]
    return f"| {lines[0]} |\n|" + "---|" * (lines[0].count(" | ") + 1) + "\n" + "".join(f"| {line} |\n" for line in lines[1:])


def rows_csv(rows: Iterable[Row]) -> str:
    return to_csv(list(Row.__dataclass_fields__), [list(vars(row).values()) for row in rows])


def summary_csv(curves: dict[str, list[Point]]) -> str:
    return to_csv(["algorithm", "examples", "attributes", "test_loss_ratio", "standard_deviation", "classification_error", "runs"],
                  [[label, *vars(point).values()] for label, points in curves.items() for point in points])


def choices_csv(chosen: Mapping[tuple[str, int], Choice]) -> str:
    return to_csv(["algorithm", "seed", "radius", "step", "phase1_radius", "phase1_step", "held_out_loss_ratio"],
                  [[*key, *vars(choice).values()] for key, choice in chosen.items()])


def attributes_needed(points: Sequence[Point], loss: float) -> float | None:
    """How many attributes a curve has revealed when its loss is first at most `loss`, between two points on a line in the
    logarithm of the attributes. None: never."""
    at = next((i for i, point in enumerate(points) if point.mean <= loss), None)
    if not at:
        return None if at is None else points[0].attributes
    before, now = points[at - 1], points[at]
    return float(before.attributes * (now.attributes / before.attributes) ** ((before.mean - loss) / (before.mean - now.mean)))
