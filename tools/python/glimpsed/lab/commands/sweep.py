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

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from .. import references
from ..arguments import Arguments, Parser, add_runs, add_sets, numbers, seeds_of, sets_of, words, write
from ..data import DataOptions, DataSource, Sets, load
from ..experiment import Points, markdown, prepared, to_csv
from ..jobs import Store, run_jobs
from ..learners import FULL_INFORMATION, OFFLINE, Method, Snapshot, answers, loss_ratio, parse_named, run
from ..xoshiro import draws_seed

OFFLINE_RIDGE = "offline ridge"
HARMFUL, VERY_HARMFUL = 1.02, 1.1  # of the mean's loss
PREFIXES = "50,100,200,500,1000,2000,5000,all"
FORMS = ("exported", "clipped")
_LEAST_LOSS = 1e-9

Cell = dict[str, Any]  # a column of --rows each


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
    parser.add_argument("--best", type=numbers, default=(), metavar="F,...", help="multiples of the rule's lambda, of which pairwise is compared with the best in hindsight")
    parser.add_argument("--offline", default="prefix", choices=("prefix", "training", "none"), help="what offline ridge is trained on (prefix)")
    parser.add_argument("--mean-of", default="training", choices=("training", "prefix"), help="the mean that losses are over (of the training set)")
    parser.add_argument("--output", metavar="FILE", help="the page; standard output by default")
    parser.add_argument("--rows", metavar="FILE", help="write a CSV row for each cell")
    parser.add_argument("--runs", metavar="FILE", help="write a CSV row for each seed of each cell")
    add_runs(parser, 5, PREFIXES)


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
    sets, order = prepared(seed)
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
    def snapshot(seen: int) -> Snapshot:
        return Snapshot(seen, seen * sets.train.dimension, *references.leave_one_out_ridge(sets.train.rows(order[:seen])))
    return [snapshot(len(sets.train))] * len(row_prefixes) if offline == "training" else [snapshot(n) for n in row_prefixes]


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


def quotient(loss: float, other: float) -> float:
    return max(loss, _LEAST_LOSS) / max(other, _LEAST_LOSS)


def cells_of(rows: Sequence[dict[str, Any]], factors: Sequence[float], mean_of: str) -> list[Cell]:
    """One for each data set, learner, K and prefix, in the order in which they come: a row of --rows."""
    cells = []
    for _, group in pd.DataFrame(rows).groupby(["data", "learner", "budget", "examples"], sort=False):
        own = group.to_dict("records")
        cell = {name: own[0][name] for name in ("data", "dimension", "learner", "budget", "K", "prefix", "examples")}
        cells.append({**cell, "attributes": float(group.attributes.mean()), "seeds": len(own), **_form(own, "exported", factors, mean_of),
                      **_form(own, "clipped", factors, mean_of)})
    return cells


def _form(rows: list[dict[str, Any]], form: str, factors: Sequence[float], mean_of: str) -> Cell:
    """A cell's loss in one form; error: the standard error of the mean over the seeds; worst_seed: over the mean's loss."""
    losses = np.array([row[form] for row in rows])
    means = np.array([row["prefix_mean"] if mean_of == "prefix" else 1.0 for row in rows])
    loss, mean = float(losses.mean()), float(means.mean())
    over = losses / mean
    offline = [row[f"offline_{form}"] for row in rows]
    best_factor = over_best = None
    if factors and all(len(row["trials"]) == len(factors) for row in rows):
        trials = np.mean([row["trials"] for row in rows], axis=0)[:, FORMS.index(form)]
        best_factor, over_best = factors[int(trials.argmin())], quotient(loss, float(trials.min()))
    values = {"loss": loss, "over_mean": quotient(loss, mean), "error": float(over.std(ddof=1) / len(over) ** 0.5) if len(over) > 1 else 0.0,
              "worst_seed": max(map(quotient, losses.tolist(), means.tolist())), "best_factor": best_factor, "over_best": over_best,
              "over_offline": None if pd.isna(offline).any() else quotient(loss, float(np.mean(offline)))}
    return {f"{form}_{name}": value for name, value in values.items()}


def runs_csv(rows: Sequence[dict[str, Any]]) -> str:
    names = ["data", "dimension", "learner", "budget", "K", "prefix", "examples", "attributes", "seed"]
    losses = ["exported", "clipped", "offline_exported", "offline_clipped", "prefix_mean"]
    return to_csv([*names, *(f"{name}_loss" for name in losses)], [[row[name] for name in (*names, *losses)] for row in rows])


# The page.


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if value < 100 else f"{value:.3g}"


def _geometric(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.exp(np.mean(np.log(known)))) if known else None


def page_of(cells: Sequence[Cell], sets: Sequence[tuple[str, int, int, int]], skipped: Sequence[str], title: str, mean_of: str) -> str:
    text = (f"# A sweep over {len(sets)} data sets\n\n{title}\n\nA cell is a data set, learner, K and prefix; its loss is the mean over the seeds, on the test "
            f"set, over that of predicting the mean label of the {'prefix' if mean_of == 'prefix' else 'training set'}. Means of cells are geometric. Exported: the "
            "model's predictions as they are. Clipped: as the daemon answers by default, with the labels seen as bounds and, for pairwise learners and offline "
            "ridge, attributes within 1.5 times the largest value seen. Single cells: `--rows`.\n\n")
    text += markdown(["data", "d", "training examples", "test examples"], sets)
    if skipped:
        text += "\nLeft out:\n\n" + "".join(f"- {line}\n" for line in skipped)
    keys: dict[str, Callable[[Cell], str]] = {"learner": lambda cell: "all sets, K and prefixes", "K": lambda cell: str(cell["budget"]),
                                              "prefix": lambda cell: str(cell["prefix"]), "data set": lambda cell: str(cell["data"])}
    for name, key in keys.items() if cells else ():
        text += f"\n## By {name}\n\n" + _groups(cells, "cells of" if name == "learner" else name, key)
    return text


def _groups(cells: Sequence[Cell], name: str, key: Callable[[Cell], str]) -> str:
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell["learner"], key(cell)), []).append(cell)
    rows = []
    for ((learner, group), own), form in product(groups.items(), FORMS):
        over = np.array([cell[f"{form}_over_mean"] for cell in own])
        harmful = int((over > HARMFUL).sum())
        rows.append([learner, group, form, len(own), *(_ratio(_geometric([cell[f"{form}_{what}"] for cell in own])) for what in ("over_mean", "over_best", "over_offline")),
                     f"{harmful} ({100 * harmful / len(own):.1f} %)", (over > VERY_HARMFUL).sum(), _ratio(over.max())])
    return markdown(["learner", name, "answers", "cells", "loss over the mean's", "over the best λ's", "over offline ridge's", f"cells above {HARMFUL}",
                     f"above {VERY_HARMFUL}", "worst"], rows)


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
        write(to_csv(cells[0] if cells else [], [cell.values() for cell in cells]), given.rows)
    if given.runs:
        write(runs_csv(rows), given.runs)
    write(page_of(cells, sets, skipped, title, given.mean_of), given.output)
