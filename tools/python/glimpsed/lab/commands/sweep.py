"""Runs learners on every table of a folder (*.csv, *.csv.gz, *.svm, *.svm.gz) and on further data sets, for several K and
prefixes, beside offline ridge, and writes one page of Markdown: how often and by how much a learner is worse than predicting
the mean, and what its loss is over the best lambda in hindsight and over offline ridge's. Labels are standardised. Files
that cannot be read are left out, and the page says why.

Every loss has two forms: of the exported model's predictions, and of the daemon's answers with its default, --clip auto. A
cell is a data set, learner, K and prefix; its loss is the mean over the seeds. K that a data set has too few attributes for
and prefixes beyond its training set are left out. Learners of whole examples (online-ridge, ...) run once, with K = d.

  python -m glimpsed.lab sweep tables --only abalone,cal_housing --budgets 2,5 --seeds 5 --best 0.25,0.5,1,2,4
  python -m glimpsed.lab sweep tables --data simulated:factors:3:1000 --data mnist:0,1 --largest-training 5000
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import references
from ..arguments import Arguments, Parser, add_execution, add_sets, numbers, prefixes, seeds_of, sets_of, whole, words, write
from ..data import DataOptions, DataSource, Sets, load
from ..experiment import Points, to_csv
from ..jobs import Store, run_jobs, shared
from ..learners import FULL_INFORMATION, OFFLINE, Method, Snapshot, answers, loss_ratio, parse_named, run
from ..xoshiro import draws_seed, shuffled

OFFLINE_RIDGE = "offline ridge"
HARMFUL, VERY_HARMFUL = 1.02, 1.1  # of the mean's loss
PREFIXES = "50,100,200,500,1000,2000,5000,all"
FORMS = ("exported", "clipped")
_LEAST_LOSS = 1e-9


def budgets(text: str) -> tuple[str, ...]:
    for part in text.split(","):
        if not re.fullmatch(r"d|d/[1-9]\d*|[2-9]|[1-9]\d+", part):
            raise argparse.ArgumentTypeError(f"'{part}' must be a number of attributes from 2, d, or a part of d as d/10")
    return tuple(text.split(","))


def budget_of(text: str, d: int) -> int | None:
    """K of data of d attributes; None: there is no such K from 2 to d."""
    k = d if text == "d" else d // int(text[2:]) if text.startswith("d/") else int(text)
    return k if 2 <= k <= d else None


def add_arguments(parser: Parser) -> None:
    add_sets(parser)
    parser.add_argument("--algorithms", type=words, default=("pairwise",), metavar="NAME[:...],...", help="learners, each with options behind colons: radius=B, step=S, "
                        "phase1=N, active=A, products=2 (pairwise)")
    parser.add_argument("--budgets", type=budgets, default=budgets("2,5,20,d/10,d"), metavar="K,...", help="attributes drawn from each example; d/10: a part of all")
    parser.add_argument("--prefixes", type=prefixes, default=prefixes(PREFIXES), metavar="N,...", help=f"after how many training examples to measure ({PREFIXES})")
    parser.add_argument("--best", type=numbers, default=(), metavar="F,...", help="multiples of the rule's lambda, of which pairwise is compared with the best in hindsight")
    parser.add_argument("--offline", default="prefix", choices=("prefix", "training", "none"), help="what offline ridge is trained on (prefix)")
    parser.add_argument("--mean-of", default="training", choices=("training", "prefix"), help="the mean that losses are over (of the training set)")
    parser.add_argument("--seeds", type=whole(1), default=5, metavar="N", help="runs (5)")
    parser.add_argument("--first-seed", type=whole(0), default=1, metavar="N", help="seed of the first run (1)")
    parser.add_argument("--output", metavar="FILE", help="the page; standard output by default")
    parser.add_argument("--rows", metavar="FILE", help="write a CSV row for each cell")
    parser.add_argument("--runs", metavar="FILE", help="write a CSV row for each seed of each cell")
    add_execution(parser)


# Runs.


def source_of(options: DataOptions, seed: int) -> DataSource:
    """Seed S of a simulated set has hidden weights and a stream of its own."""
    source = load(replace(options, data_seed=seed) if options.data.startswith("simulated:") else options)
    if not source.prepare(seed).train.y.any():
        raise ValueError("all labels are the same")
    return source


class Source:
    """The data of every seed."""

    def __init__(self, options: DataOptions, first_seed: int) -> None:
        self.options = options
        self.first = source_of(options, first_seed)

    def prepare(self, seed: int) -> Sets:
        if not self.options.data.startswith("simulated:"):
            return self.first.prepare(seed)
        return source_of(self.options, seed).prepare(seed)


def run_part(seed: int, label: str, budget: str, points: Points, factors: tuple[float, ...], offline: str, row_prefixes: list[int]) -> list[dict[str, Any]]:
    """The job of a learner with one K and a seed, or of offline ridge: a row a prefix."""
    source: Source = shared()
    sets = source.prepare(seed)
    order = shuffled(len(sets.train), seed)
    d = sets.train.dimension
    each = budget_of(budget, d) or d
    rows: list[dict[str, Any]] = []
    for snapshot in (_offline_ridge(sets, order, row_prefixes, offline) if label == OFFLINE_RIDGE
                     else run(method_of(label, each), sets.train, order, row_prefixes, draws_seed(seed))):
        n = row_prefixes[len(rows)]
        losses = answers(snapshot, sets.train, order, sets.test)
        exported, clipped = losses(snapshot.weights, snapshot.bias)
        trials: list[tuple[float, float]] = []
        if factors and snapshot.session is not None and snapshot.session.algorithm == "pairwise" and ":radius" not in label:
            trials = [losses(weights, bias) for weights, bias in snapshot.session.try_ridges(list(factors))[2]]
        mean = float(sets.train.y[order[:n]].mean())
        rows.append({"learner": label, "budget": budget, "K": each, "prefix": str(n) if n in points.counts else "all", "examples": n,
                     "attributes": snapshot.attributes, "seed": seed, "dimension": d, "exported": exported, "clipped": clipped, "trials": trials,
                     "prefix_mean": loss_ratio(np.full(len(sets.test), mean), sets.test.y)})
    return rows


def method_of(label: str, budget: int) -> Method:
    method = parse_named(label, "algorithms")
    return method if method.algorithm in (*FULL_INFORMATION, *OFFLINE) else method.having(budget=str(budget))


def _offline_ridge(sets: Sets, order: Any, row_prefixes: list[int], offline: str) -> list[Snapshot]:
    snapshots: list[Snapshot] = []
    for n in row_prefixes:
        if offline == "training" and snapshots:
            snapshots.append(snapshots[0])
            continue
        seen = len(sets.train) if offline == "training" else n
        weights, bias = references.leave_one_out_ridge(sets.train.rows(order[:seen]))
        snapshots.append(Snapshot(seen, seen * sets.train.dimension, weights, bias))
    return snapshots


def run_set(name: str, options: DataOptions, given: Arguments) -> list[dict[str, Any]]:
    """Rows of one data set. Raises ValueError where it cannot be."""
    seeds = seeds_of(given)
    source = Source(options, seeds[0])
    d, n = source.first.dimension, source.first.training_size
    row_prefixes = given.prefixes.prefixes(d, n)
    if not row_prefixes:
        raise ValueError(f"no prefix is from 1 to {n}, the number of training examples")
    parts: dict[tuple[str, int], str] = {}
    for label in given.algorithms:
        own = ["d"] if parse_named(label, "algorithms").algorithm in (*FULL_INFORMATION, *OFFLINE) else given.budgets
        for budget in own:
            if (k := budget_of(budget, d)) is not None:
                parts.setdefault((label, k), budget)
                method_of(label, k).check(d)
    if not parts:
        raise ValueError(f"no K of --budgets is from 2 to {d}, its attributes")
    jobs = [(seed, label, budget, given.prefixes, given.best, given.offline, row_prefixes) for seed in seeds
            for label, budget in [*((label, budget) for (label, _), budget in parts.items()), *([(OFFLINE_RIDGE, "d")] if given.offline != "none" else [])]]
    results = run_jobs(run_part, jobs, source.first.describe(), source, given.jobs, Store(given.output_directory), name, given.quiet)
    rows = [{"data": name, **row} for result in results for row in result]
    offline = {(row["seed"], row["examples"]): row for row in rows if row["learner"] == OFFLINE_RIDGE}
    for row in rows:
        reference = offline.get((row["seed"], row["examples"])) if row["learner"] != OFFLINE_RIDGE else None
        row.update({f"offline_{form}": None if reference is None else reference[form] for form in FORMS})
    return rows


# Cells.


@dataclass(frozen=True)
class Form:
    """A cell's loss in one form."""
    loss: float
    over_mean: float
    error: float  # standard error of the mean over the seeds
    worst: float  # of the seeds, over the mean's loss
    best_factor: float | None
    over_best: float | None
    over_offline: float | None


Cell = dict[str, Any]


def quotient(loss: float, other: float) -> float:
    return max(loss, _LEAST_LOSS) / max(other, _LEAST_LOSS)


def cells_of(rows: Sequence[dict[str, Any]], factors: Sequence[float], mean_of: str) -> list[Cell]:
    """One for each data set, learner, K and prefix, in the order in which they come."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["data"], row["learner"], row["budget"], row["examples"]), []).append(row)
    cells = []
    for own in groups.values():
        cell = {name: own[0][name] for name in ("data", "dimension", "learner", "budget", "K", "prefix", "examples")}
        cell["attributes"] = float(np.mean([row["attributes"] for row in own]))
        cell["seeds"] = len(own)
        for form in FORMS:
            cell[form] = _form(own, form, factors, mean_of)
        cells.append(cell)
    return cells


def _form(rows: list[dict[str, Any]], form: str, factors: Sequence[float], mean_of: str) -> Form:
    losses = np.array([row[form] for row in rows])
    means = np.array([row["prefix_mean"] if mean_of == "prefix" else 1.0 for row in rows])
    loss, mean = float(losses.mean()), float(means.mean())
    over = losses / mean
    offline = [row[f"offline_{form}"] for row in rows]
    best_factor = over_best = None
    if factors and all(len(row["trials"]) == len(factors) for row in rows):
        trials = np.mean([row["trials"] for row in rows], axis=0)[:, FORMS.index(form)]
        best_factor, over_best = factors[int(trials.argmin())], quotient(loss, float(trials.min()))
    return Form(loss, quotient(loss, mean), float(over.std(ddof=1) / len(over) ** 0.5) if len(over) > 1 else 0.0,
                max(quotient(one, other) for one, other in zip(losses.tolist(), means.tolist())), best_factor, over_best,
                None if None in offline else quotient(loss, float(np.mean(offline))))


def cells_csv(cells: Sequence[Cell]) -> str:
    plain = ["data", "dimension", "learner", "budget", "K", "prefix", "examples", "attributes", "seeds"]
    names = [name if name != "worst" else "worst_seed" for name in Form.__dataclass_fields__]
    return to_csv([*plain, *(f"{form}_{name}" for form in FORMS for name in names)],
                  [[*(cell[name] for name in plain), *(value for form in FORMS for value in vars(cell[form]).values())] for cell in cells])


def runs_csv(rows: Sequence[dict[str, Any]]) -> str:
    names = ["data", "dimension", "learner", "budget", "K", "prefix", "examples", "attributes", "seed", "exported", "clipped", "offline_exported",
             "offline_clipped", "prefix_mean"]
    header = [f"{name}_loss" if name in (*names[9:],) else name for name in names]
    return to_csv(header, [[row[name] for name in names] for row in rows])


# The page.


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if value < 100 else f"{value:.3g}"


def _geometric(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.exp(np.mean(np.log(known)))) if known else None


def _line(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def page_of(cells: Sequence[Cell], sets: Sequence[tuple[str, int, int, int]], skipped: Sequence[str], title: str, mean_of: str) -> str:
    text = (f"# A sweep over {len(sets)} data sets\n\n{title}\n\nA cell is a data set, learner, K and prefix; its loss is the mean over the seeds, on the test "
            f"set, over that of predicting the mean label of the {'prefix' if mean_of == 'prefix' else 'training set'}. Means of cells are geometric. Exported: the "
            "model's predictions as they are. Clipped: as the daemon answers by default, with the labels seen as bounds and, for pairwise learners and offline "
            "ridge, attributes within 1.5 times the largest value seen. Single cells: `--rows`.\n\n")
    text += _line("data", "d", "training examples", "test examples") + "|---|---|---|---|\n" + "".join(_line(*one) for one in sets)
    if skipped:
        text += "\nLeft out:\n\n" + "".join(f"- {line}\n" for line in skipped)
    keys: dict[str, Callable[[Cell], str]] = {"learner": lambda cell: "all sets, K and prefixes", "K": lambda cell: str(cell["budget"]),
                                              "prefix": lambda cell: str(cell["prefix"]), "data set": lambda cell: str(cell["data"])}
    for name, key in keys.items() if cells else ():
        text += f"\n## By {name}\n\n" + _groups(cells, "cells of" if name == "learner" else name, key)
    return text


def _groups(cells: Sequence[Cell], name: str, key: Callable[[Cell], str]) -> str:
    text = _line("learner", name, "answers", "cells", "loss over the mean's", "over the best λ's", "over offline ridge's", f"cells above {HARMFUL}",
                 f"above {VERY_HARMFUL}", "worst") + "|---" * 10 + "|\n"
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell["learner"], key(cell)), []).append(cell)
    for (learner, group), own in groups.items():
        for form in FORMS:
            forms = [cell[form] for cell in own]
            harmful = sum(one.over_mean > HARMFUL for one in forms)
            text += _line(learner, group, form, len(own), *(_ratio(_geometric([getattr(one, what) for one in forms])) for what in ("over_mean", "over_best", "over_offline")),
                          f"{harmful} ({100 * harmful / len(own):.1f} %)", sum(one.over_mean > VERY_HARMFUL for one in forms), _ratio(max(one.over_mean for one in forms)))
    return text


def main(given: Arguments) -> None:
    rows: list[dict[str, Any]] = []
    sets, skipped = [], []
    for name, options in sets_of(given):
        try:
            own = run_set(name, options, given)
        except ValueError as error:
            if given.directory is None:
                raise ValueError(f"{name}: {error}") from None
            skipped.append(f"{name}: {error}")
            print(f"glimpsed.lab sweep: left out: {skipped[-1]}", file=sys.stderr)
            continue
        source = Source(options, given.first_seed).first
        sets.append((name, source.dimension, source.training_size, len(source.prepare(given.first_seed).test)))
        rows += own
    cells = cells_of(rows, given.best, given.mean_of)
    counts = ",".join([*map(str, given.prefixes.counts), *(["all"] if given.prefixes.all else [])])
    title = (f"Learners {','.join(given.algorithms)}; K {','.join(given.budgets)}; prefixes {counts}; seeds {given.first_seed} to "
             f"{given.first_seed + given.seeds - 1}; offline ridge: {given.offline}; factors of λ: {','.join(f'{f:g}' for f in given.best) or 'none'}.")
    if given.rows:
        write(cells_csv(cells), given.rows)
    if given.runs:
        write(runs_csv(rows), given.runs)
    write(page_of(cells, sets, skipped, title, given.mean_of), given.output)
