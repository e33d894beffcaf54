"""How B and the step of a method are chosen: by cross-validation on the training set, or in hindsight.

Every pair of given grids is tried. Where a grid is not given, B and step are powers of two: a coarse grid of factors of
four comes first (B = 2^-1 to 2^7, step = 2^-15 to 2^3), then the neighbours of the best by a factor of two, for as long as
one of them is better, beyond the coarse grid's edges too. Offline solvers try B = 2^-6 to 2^12, all on one path.

Learners of two phases get a choice for each phase, as in KS15 section 5: the first for the uniform algorithm (AERR, AELR;
the library's for those as written, too) on the first m1 rows. It is then fixed, and the second phase's is made on all rows.
"""

import math
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from . import references
from .data import DataSource
from .jobs import Progress, Workers, shared
from .learners import IN_L1_BALL, Method, Order, loss_ratio, models, predictions
from .xoshiro import Random, draws_seed, shuffled

_COARSE = (range(-1, 8, 2), range(-15, 4, 2))  # exponents of B and of the step
_LARGEST_EXPONENT = 40
_OFFLINE_RADII = tuple(2.0 ** e for e in range(-6, 13))


@dataclass(frozen=True)
class Tuning:
    """What is chosen from."""
    folds: int = 10
    repeats: int = 1  # runs a fold, each with draws of its own
    radii: tuple[float, ...] = ()  # empty: powers of two
    steps: tuple[float, ...] = ()
    step_prefix: str = ""  # as "adagrad:"
    in_hindsight: bool = False  # by the loss on the test set of `folds` runs: what nobody can do


@dataclass(frozen=True)
class Choice:
    """What was chosen; options that are None are not set."""
    radius: str | None
    step: str | None
    phase1_radius: str | None = None
    phase1_step: str | None = None
    loss: float = 0.0  # the mean held-out loss over the zero predictor's

    def apply(self, method: Method) -> Method:
        given = {"radius": self.radius, "step": self.step, "phase1_radius": self.phase1_radius, "phase1_step": self.phase1_step}
        return method.having(**{name: value for name, value in given.items() if value is not None})


def folds_of(rows: Order, count: int) -> list[tuple[Order, Order]]:
    """Fold f holds rows f, f + count, ... out: (those to learn from, those held out)."""
    places = np.arange(len(rows)) % count
    return [(rows[places != f], rows[places == f]) for f in range(count)]


# Jobs: shared() is the data source.


def _held_out_loss(method: Method, tuning: Tuning, split_seed: int, rows: int, seed: int) -> float:
    """The mean over folds and repeats; infinite where most examples of a run were skipped."""
    source: DataSource = shared()
    sets = source.prepare(split_seed)
    order = shuffled(len(sets.train), split_seed)[:rows]
    if tuning.in_hindsight:
        learned, tests = [shuffled(len(sets.train), split_seed + r)[:rows] for r in range(tuning.folds)], [sets.test] * tuning.folds
    else:
        folds = folds_of(order, tuning.folds) * tuning.repeats
        learned, tests = [part for part, _ in folds], [sets.train.rows(held_out) for _, held_out in folds]
    seeds = [Random(seed + r).bits() for r in range(len(learned))]
    losses = [math.inf if snapshot.mostly_skipped else loss_ratio(predictions(snapshot.weights, snapshot.bias, test.x), test.y)
              for snapshot, test in zip(models(method, sets.train, learned, seeds), tests)]
    return float(np.mean(losses))


def _offline_losses(method: Method, tuning: Tuning, split_seed: int, rows: int, radii: tuple[float, ...]) -> list[float]:
    """Of each radius the mean held-out loss over the folds."""
    source: DataSource = shared()
    train = source.prepare(split_seed).train
    order = shuffled(len(train), split_seed)[:rows]
    whole = references.normal_equations(train, order, method.has_bias)
    losses = []
    for _, held_out in folds_of(order, tuning.folds):
        part = references.normal_equations(train, held_out, method.has_bias)
        losses.append([part.loss_ratio(w) for w in references.solve(method.algorithm, whole.without(part), radii)])
    return [float(mean) for mean in np.mean(losses, axis=0)]


# The choice.


def choose(method: Method, tuning: Tuning, source: DataSource, split_seed: int, rows: int, workers: Workers, progress: Progress) -> Choice:
    """B and step for `method` on the first `rows` rows of the order of `split_seed`. The same for any number of workers.
    Raises ValueError where there are too few rows, and where every choice diverges."""
    if not tuning.in_hindsight and min(tuning.folds, rows) < 2:
        raise ValueError(f"--cv {tuning.folds}: needs at least 2 examples and folds, not {rows} examples")
    tuning = replace(tuning, folds=min(tuning.folds, rows))
    phase1: dict[str, str | None] = {}
    fixed = not method.has_phases or {"phase1-radius", "phase1-step"} & set(method.options)
    first = 0 if fixed else method.examples_of_phase1(int(method.options.get("horizon", rows))) or 0
    if min(first, rows) >= 2 and not tuning.in_hindsight:
        uniform = Method("aelr" if method.algorithm in IN_L1_BALL else "aerr",
                         {name: value for name, value in method.options.items() if not name.startswith("phase1")})
        chosen = _choose(uniform, tuning, source, split_seed, min(first, rows), workers, progress)
        phase1 = {"phase1_radius": chosen.radius, "phase1_step": (chosen.step or "").removeprefix(tuning.step_prefix)}
        method = method.having(**phase1)
    choice = _choose(method, tuning, source, split_seed, rows, workers, progress)
    return replace(choice, phase1_radius=phase1.get("phase1_radius"), phase1_step=phase1.get("phase1_step"))


def _choose(method: Method, tuning: Tuning, source: DataSource, split_seed: int, rows: int, workers: Workers, progress: Progress) -> Choice:
    about = source.describe()
    if method.is_offline:
        radii = tuple(sorted(tuning.radii)) or _OFFLINE_RADII
        losses = workers.map(_offline_losses, [(method, tuning, split_seed, rows, radii)], about, progress)[0]
        best_radius = int(np.argmin(losses))
        return Choice(repr(radii[best_radius]), None, loss=losses[best_radius])
    seed = draws_seed(split_seed)
    # Places in the grids of B and of the step; without a grid the exponent of 2.
    grids = (tuning.radii, tuning.steps if method.has_step else (1.0,))
    known: dict[tuple[int, ...], float] = {}

    def choice(point: tuple[int, ...]) -> Choice:
        radius, step = (grid[place] if grid else 2.0 ** place for grid, place in zip(grids, point))
        return Choice(repr(radius), f"{tuning.step_prefix}{step!r}" if method.has_step else None)

    def best_of(*places: range) -> tuple[int, ...]:
        missing = [point for point in product(*places) if point not in known]
        jobs: list[tuple[Any, ...]] = [(choice(point).apply(method), tuning, split_seed, rows, seed) for point in missing]
        known.update(zip(missing, workers.map(_held_out_loss, jobs, about, progress)))
        return min(sorted(known), key=lambda point: known[point])

    best, last = best_of(*(range(len(grid)) or coarse for grid, coarse in zip(grids, _COARSE))), None
    while best != last and sum(map(abs, best)) < _LARGEST_EXPONENT:
        last = best
        best = best_of(*(range(place, place + 1) if grid else range(place - 1, place + 2) for grid, place in zip(grids, best)))
    if not math.isfinite(known[best]):
        raise ValueError(f"--cv {tuning.folds}: every choice of radius and step diverges")
    return replace(choice(best), loss=known[best])
