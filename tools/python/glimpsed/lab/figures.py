"""The papers' figures as data: what is run, and how it is drawn. And how one is made.

KS15: Kukliansky & Shamir, ICML 2015. KS14: its long version, arXiv 2014; KS15's figures 1 to 4 are KS14's as well. CSS10:
Cesa-Bianchi, Shalev-Shwartz & Shamir, ICML 2010. How long the simulated training sets were, none says ("a different m to
emphasise the interesting regime"); these lengths show it.
"""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import median

from . import plots
from .arguments import write
from .data import DataOptions, load, rows_of_papers
from .experiment import (Curve, Outcome, Point, Points, attributes_needed, choices_csv, rows_csv, run_experiment,
                         summarise, summary_csv, to_csv)
from .jobs import Store
from .learners import Method
from .tuning import Tuning


@dataclass(frozen=True)
class Figure:
    """A figure or table of a paper, or a comparison of our own with the family "pairwise": a row of papers/figures.csv."""

    name: str
    title: str
    source: str
    data: str  # as --data; a name alone is NAME.csv.gz of GLIMPSE_DATA
    scale: str
    family: str
    budget: int
    examples: int | None = None  # training examples; None: all there are
    seeds: int = 100  # what the paper ran
    standardised: bool = False  # labels; learners have an intercept


FIGURES = tuple(Figure(row["name"], row["title"], row["source"], row["data"], row["scale"], row["family"], int(row["budget"]), int(row["examples"] or 0) or None,
                       int(row["seeds"]), row["standardised"] == "yes") for row in rows_of_papers("figures.csv") if row["family"] != "products")
#: Of ABHLT14: products.py makes them.
PRODUCTS = {row["name"]: f"{row['title']} ({row['source']})" for row in rows_of_papers("figures.csv") if row["family"] == "products"}
#: Of each family of figures the curves. tuning: by folds, in hindsight, or none; step_prefix: before the step's number.
CURVES = rows_of_papers("curves.csv")
_HINDSIGHT_RUNS = 3
_SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)


def find(name: str) -> list[Figure]:
    """The figure of that name, or those whose names begin so; "all": all."""
    exact = [figure for figure in FIGURES if figure.name == name]
    return exact or [figure for figure in FIGURES if name == "all" or (name and figure.name.startswith(name))]


def data_of(figure: Figure) -> DataOptions:
    """Raises ValueError where a folder is needed that no variable of the environment names."""
    options = DataOptions(figure.data, scale=figure.scale, standardise_labels=figure.standardised, examples=figure.examples)
    if ":" not in figure.data and figure.data != "mnist":
        folder = os.environ.get("GLIMPSE_DATA")
        if not folder:
            raise ValueError(f"{figure.name}: GLIMPSE_DATA must name the folder of {figure.data}.csv.gz (label first)")
        options = replace(options, data=f"{folder}/{figure.data}.csv.gz", positive=2.0 if figure.data == "covtype" else None)
    if figure.family == "css10":  # the test set is a tenth of everything, drawn again with every seed
        options = replace(options, test_share=0.1, split_seed=None)
    return options


def curves_of(figure: Figure, tuning: Tuning) -> list[Curve]:
    """"AER 30 passes" is not cross-validated, which would cost thirty times as much: B = 8 and S = .5 were chosen by hand on
    five pairs of digits. It looks at up to 30 K attributes of each example, and is no result for a budget of K."""
    curves = []
    for row in [row for row in CURVES if row["family"] == figure.family]:
        options = dict(option.split("=") for option in row["options"].split()) | {"budget": str(figure.budget)}
        if figure.standardised:
            options["bias"] = "on"
        tunings = {"folds": replace(tuning, step_prefix=row["step_prefix"]), "hindsight": Tuning(folds=_HINDSIGHT_RUNS, in_hindsight=True)}
        curves.append(Curve(row["label"], Method(row["algorithm"], options, int(row["passes"])), tunings.get(row["tuning"])))
    return curves


def points_of(figure: Figure, m: int) -> Points:
    """On a training set of m examples. KS15's and KS14's have shares of the K*m attributes that budgeted learners may look
    at, so that full information stops after K*m/d examples. CSS10's have numbers of examples, its table the end."""
    if figure.name == "css10-table":
        return Points(all=True)
    if figure.family == "css10":
        return Points(tuple(n for n in (10, 20, 40, 62, 125, 250, 500, 1000, 2000, 4000, 8000) if n < m), all=True)
    attributes = m * figure.budget
    if figure.family == "pairwise":  # from all downwards by factors of the root of 2
        return Points(tuple(int(attributes * 0.5 ** (0.5 * e)) for e in range(26)), in_attributes=True)
    return Points(tuple(int(share * attributes) for share in _SHARES), in_attributes=True)


# Making one.


@dataclass(frozen=True)
class Making:
    """How figures are made: options of `figure`."""
    directory: Path
    seeds: int | None  # None: as many as the paper
    examples: int | None
    tuning: Tuning
    jobs: int
    quiet: bool
    tables: Sequence[str]  # of ablht-...: folders beside GLIMPSE_DATA
    only: Sequence[str]
    rates: Sequence[float]


def make(figure: Figure, making: Making) -> dict[str, list[Point]]:
    """Writes NAME.csv (every run), NAME-summary.csv, NAME-choices.csv, NAME.svg and NAME.png, and keeps jobs in NAME.jobs/."""
    figure = replace(figure, seeds=making.seeds or figure.seeds, examples=making.examples or figure.examples)
    store = Store(making.directory / f"{figure.name}.jobs")
    outcome = Outcome([], {}, [])
    for data, curves in _parts(figure, making.tuning):
        source = load(data)
        one = run_experiment(curves, source, points_of(figure, source.training_size), range(1, figure.seeds + 1), store,
                             making.jobs, making.quiet)
        outcome = Outcome(outcome.rows + one.rows, outcome.chosen | one.chosen, outcome.warnings + one.warnings)
    for line in outcome.warnings:
        print(f"warning: {line}", file=sys.stderr)
    summary = summarise(outcome.rows)
    path = making.directory / figure.name
    write(rows_csv(outcome.rows), f"{path}.csv")
    write(summary_csv(summary), f"{path}-summary.csv")
    write(choices_csv(outcome.chosen), f"{path}-choices.csv")
    _draw(figure, path, summary)
    return summary


def _parts(figure: Figure, tuning: Tuning) -> list[tuple[DataOptions, list[Curve]]]:
    data, curves = data_of(figure), curves_of(figure, tuning)
    if figure.name == "css10-table":
        return [(replace(data, data=f"mnist:{a},{b}"), [replace(curve, label=f"{curve.label} {a}-{b}") for curve in curves])
                for a, b in combinations(range(10), 2)]
    if figure.family == "pairwise":  # the pairwise learner has the data in its own units
        return [(replace(data, scale="none"), curves[:1]), (data, curves[1:])]
    return [(data, curves)]


def _draw(figure: Figure, path: Path, summary: dict[str, list[Point]]) -> None:
    title = f"{figure.title}; {figure.seeds} runs"
    if figure.name == "css10-table":
        ranked = by_rank(summary)
        write(pairs_csv(ranked), f"{path}-table.csv")
        plots.curves(path, title, "pairs of digits, sorted for each algorithm", ranked, against_examples=True)
        return
    if figure.family == "pairwise":
        write(attributes_csv(summary), f"{path}-attributes.csv")
    logarithmic = figure.family in ("pairwise", "css10")
    plots.curves(path, title, "attributes looked at", summary, logarithmic=logarithmic)
    if figure.family == "css10":  # which shows both
        plots.curves(path.with_name(path.name + "-examples"), title, "examples", summary, against_examples=True, logarithmic=True)


def by_rank(summary: dict[str, list[Point]]) -> dict[str, list[Point]]:
    """The pairs' mean losses of each algorithm, sorted: `examples` is the rank."""
    ranked: dict[str, list[Point]] = {}
    for label, points in summary.items():
        ranked.setdefault(label.rpartition(" ")[0], []).append(points[-1])
    return {label: [replace(point, examples=rank + 1) for rank, point in enumerate(sorted(points, key=lambda p: p.mean))]
            for label, points in ranked.items()}


def pairs_csv(ranked: dict[str, list[Point]]) -> str:
    return to_csv(["algorithm", "median_test_loss", "median_classification_error", "pairs"],
                  [[label, median(p.mean for p in points), median(p.classification_error for p in points), len(points)]
                   for label, points in ranked.items()])


def attributes_csv(summary: dict[str, list[Point]]) -> str:
    """How many attributes the first curve needs for the loss that each other one ends with."""
    (_, own), *rivals = summary.items()
    rows: list[list[float | str | None]] = []
    for label, points in rivals:
        needed = attributes_needed(own, points[-1].mean)
        rows.append([label, points[-1].attributes, points[-1].mean, needed,
                     None if needed is None else needed / points[-1].attributes, own[-1].mean])
    return to_csv(["rival", "attributes", "loss", "attributes_needed", "ratio", "loss_at_the_end"], rows)
