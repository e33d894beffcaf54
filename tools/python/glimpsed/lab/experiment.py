"""Learning curves: methods on one data source, over seeds, measured along the training set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .. import _core
from .data import DataSource
from .jobs import Progress, Store, Workers, shared
from .learners import Method, classification_error, loss_ratio, predictions, run
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
class Chosen:
    algorithm: str
    seed: int
    choice: Choice


@dataclass(frozen=True)
class Outcome:
    rows: list[Row]  # by curve, seed, examples
    chosen: list[Chosen]
    warnings: list[str]


def _run(method: Method, seed: int, prefixes: list[int]) -> dict[str, Any]:
    source: DataSource = shared()
    sets = source.prepare(seed)
    rows = []
    given = skipped = 0
    for snapshot in run(method, sets.train, shuffled(len(sets.train), seed), prefixes, draws_seed(seed)):
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
    chosen: list[Chosen] = []
    methods: dict[tuple[str, int], Method] = {}
    with Workers(processes, source, store) as workers:
        progress = Progress("choosing B and step", quiet)
        for seed in seeds:
            split_seed = seed if source.resplits else 1
            for curve in curves:
                if curve.tuning is None:
                    methods[curve.label, seed] = curve.method
                elif not source.resplits and seed != seeds[0]:
                    methods[curve.label, seed] = methods[curve.label, seeds[0]]
                else:
                    choice = choose(curve.method, curve.tuning, source, split_seed, lengths[curve.label][-1],
                                    workers, progress)
                    chosen.append(Chosen(curve.label, split_seed, choice))
                    methods[curve.label, seed] = choice.apply(curve.method)
        progress.finish()
        # Seed after seed, so that what was done when it is stopped is of use for every curve.
        jobs = [(methods[curve.label, seed], seed, lengths[curve.label]) for seed in seeds for curve in curves]
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
    groups: dict[str, dict[int, list[Row]]] = {}
    for row in rows:
        groups.setdefault(row.algorithm, {}).setdefault(row.examples, []).append(row)
    return {label: [_point(examples, own) for examples, own in sorted(points.items())] for label, points in groups.items()}


def _point(examples: int, rows: list[Row]) -> Point:
    losses = np.array([row.test_loss_ratio for row in rows])
    return Point(examples, float(np.mean([row.attributes for row in rows])), float(losses.mean()),
                 float(losses.std(ddof=1)) if len(rows) > 1 else 0.0,
                 float(np.mean([row.classification_error for row in rows])), len(rows))


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


def choices_csv(chosen: Iterable[Chosen]) -> str:
    return to_csv(["algorithm", "seed", "radius", "step", "phase1_radius", "phase1_step", "held_out_loss_ratio"],
                  [[one.algorithm, one.seed, *vars(one.choice).values()] for one in chosen])


def attributes_needed(points: Sequence[Point], loss: float) -> float | None:
    """How many attributes a curve has revealed when its loss is first at most `loss`, between two points on a line in the
    logarithm of the attributes. None: never."""
    for i, now in enumerate(points):
        if not now.mean <= loss:
            continue
        if i == 0:
            return now.attributes
        before = points[i - 1]
        return float(before.attributes * (now.attributes / before.attributes) ** ((before.mean - loss) / (before.mean - now.mean)))
    return None
