"""The papers' figures as data: what is run, and how it is drawn. And how one is made.

KS15: Kukliansky & Shamir, ICML 2015. KS14: its long version, arXiv 2014; KS15's figures 1 to 4 are KS14's as well. CSS10:
Cesa-Bianchi, Shalev-Shwartz & Shamir, ICML 2010. How long the simulated training sets were, none says ("a different m to
emphasise the interesting regime"); these lengths show it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from . import plots
from .data import DataOptions, load
from .experiment import (Chosen, Curve, Outcome, Point, Points, Row, attributes_needed, choices_csv, rows_csv, run_experiment,
                         summarise, summary_csv, to_csv)
from .jobs import Store
from .learners import Method
from .tuning import Tuning


@dataclass(frozen=True)
class Figure:
    """A figure or table of a paper, or a comparison of our own with the family "pairwise"."""

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


FIGURES = (
    Figure("ks15-1a", "Simulated, ridge, rho = 1 (alpha = 0)", "KS15 Figure 1 (a)", "simulated:ridge:0", "none", "ridge", 5, 40000),
    Figure("ks15-1b", "Simulated, ridge, rho = 0.91 (alpha = -0.5)", "KS15 Figure 1 (b)", "simulated:ridge:-0.5", "none", "ridge", 5, 40000),
    Figure("ks15-1c", "Simulated, ridge, rho = 0.55 (alpha = -1)", "KS15 Figure 1 (c)", "simulated:ridge:-1", "none", "ridge", 5, 20000),
    Figure("ks15-1d", "Simulated, ridge, rho = 0.05 (alpha = -2)", "KS15 Figure 1 (d)", "simulated:ridge:-2", "none", "ridge", 5, 10000),
    Figure("ks15-2a", "Simulated, lasso, rho = 1 (alpha = 0)", "KS15 Figure 2 (a)", "simulated:lasso:0", "none", "lasso", 5, 40000),
    Figure("ks15-2b", "Simulated, lasso, rho = 0.086 (alpha = -0.5)", "KS15 Figure 2 (b)", "simulated:lasso:-0.5", "none", "lasso", 5, 20000),
    Figure("ks15-2c", "Simulated, lasso, rho = 0.014 (alpha = -1)", "KS15 Figure 2 (c)", "simulated:lasso:-1", "none", "lasso", 5, 20000),
    Figure("ks15-2d", "Simulated, lasso, rho = 0.0033 (alpha = -2)", "KS15 Figure 2 (d)", "simulated:lasso:-2", "none", "lasso", 5, 10000),
    Figure("ks15-3", "MNIST 3 against 5, ridge, K = 57", "KS15 Figure 3", "mnist:3,5", "norm", "ridge", 57),
    Figure("ks15-4", "MNIST 3 against 5, lasso, K = 5", "KS15 Figure 4", "mnist:3,5", "none", "lasso", 5),
    Figure("ks14-5", "Covertype, class 2 against the rest, ridge, K = 5", "KS14 Figure 5", "covtype", "maxabs-norm", "ridge", 5, 100000),
    Figure("ks14-6", "Covertype, class 2 against the rest, lasso, K = 5", "KS14 Figure 6", "covtype", "maxabs", "lasso", 5, 100000),
    Figure("ks14-7", "Simulated, ridge, alpha = -2, with and without AdaGrad", "KS14 Figure 7", "simulated:ridge:-2", "none", "ridge-adagrad", 5, 10000),
    Figure("ks14-8", "MNIST 3 against 5, ridge, K = 57, with and without AdaGrad", "KS14 Figure 8", "mnist:3,5", "norm", "ridge-adagrad", 57),
    Figure("css10-2", "MNIST 3 against 5, four pixels an image", "CSS10 Figure 2", "mnist:3,5", "none", "css10", 4, seeds=10),
    Figure("css10-table", "MNIST, all 45 pairs of digits, four pixels an image", "CSS10, table of section 4", "mnist", "none", "css10", 4, seeds=10),
    Figure("pairwise-mnist-57", "MNIST 3 against 5, K = 57", "attributes needed", "mnist:3,5", "norm", "pairwise", 57, seeds=10),
    Figure("pairwise-mnist-5", "MNIST 3 against 5, K = 5", "attributes needed", "mnist:3,5", "norm", "pairwise", 5, seeds=10),
    *(Figure(f"pairwise-{name}", f"{title}, K = 5", "attributes needed", name, "maxabs", "pairwise", 5, examples, 10, True)
      for name, title, examples in (("cal_housing", "cal_housing", None), ("ailerons", "ailerons", None), ("bike_hour", "bike_hour", None),
                                    ("cpu_act", "cpu_act", None), ("abalone", "abalone", None),
                                    ("covtype", "Covertype, class 2 against the rest", 100000))),
    *(Figure(f"pairwise-ridge{alpha}", f"Simulated, ridge, alpha = {alpha}, K = 5", "attributes needed", f"simulated:ridge:{alpha}",
             "none", "pairwise", 5, examples, 10) for alpha, examples in ((-0.5, 40000), (-1, 20000), (-2, 10000))),
)

# Of each family the curves: label, algorithm, and what the step is called before its number.
_RIDGE = (("AERR", "aerr"), ("Two-Phased DDAERR", "two-phase-ddaerr"), ("DDAERR", "ddaerr"), ("Online ridge", "online-ridge"))
CURVES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "ridge": (*((label, algorithm, "") for label, algorithm in _RIDGE), ("Offline ridge", "offline-ridge", "")),
    "lasso": (("AELR", "aelr", ""), ("Two-Phased DDAELR", "two-phase-ddaelr", ""), ("DDAELR", "ddaelr", ""),
              ("Online lasso", "online-lasso", ""), ("Offline lasso", "offline-lasso", "")),
    "ridge-adagrad": (*((f"{label}{suffix}", algorithm, prefix) for label, algorithm in _RIDGE
                        for suffix, prefix in (("", ""), (" AdaGrad", "adagrad:"))), ("Offline ridge", "offline-ridge", "")),
    "css10": (("Baseline", "baseline", ""), ("AER", "aer", ""), ("AER 30 passes", "aer", ""), ("Lasso", "offline-lasso", ""),
              ("Ridge", "offline-ridge", "")),
    "pairwise": (("Pairwise", "pairwise", ""), ("DDAERR in hindsight", "ddaerr", ""), ("Online ridge in hindsight", "online-ridge", "")),
}
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
    for label, algorithm, prefix in CURVES[figure.family]:
        options = {"budget": str(figure.budget)}
        if figure.family == "pairwise":
            if figure.standardised or label == "Pairwise":
                options["bias"] = "on"
            chosen = None if label == "Pairwise" else Tuning(folds=_HINDSIGHT_RUNS, in_hindsight=True)
            curves.append(Curve(label, Method(algorithm, options), chosen))
        elif label == "AER 30 passes":
            curves.append(Curve(label, Method(algorithm, {**options, "radius": "8", "step": "0.5"}, passes=30)))
        else:
            curves.append(Curve(label, Method(algorithm, options), replace(tuning, step_prefix=prefix)))
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
    """How figures are made; but for seeds, examples and tuning it changes no result."""

    directory: Path
    seeds: int | None = None
    examples: int | None = None
    tuning: Tuning = Tuning()
    jobs: int = 1
    quiet: bool = False


def make(figure: Figure, making: Making) -> None:
    """Writes NAME.csv (every run), NAME-summary.csv, NAME-choices.csv, NAME.svg and NAME.png, and keeps jobs in NAME.jobs/."""
    figure = replace(figure, seeds=making.seeds or figure.seeds, examples=making.examples or figure.examples)
    store = Store(making.directory / f"{figure.name}.jobs")
    outcome = Outcome([], [], [])
    for data, curves, suffix in _parts(figure, making.tuning):
        source = load(data)
        one = run_experiment(curves, source, points_of(figure, source.training_size), range(1, figure.seeds + 1), store,
                             making.jobs, making.quiet)
        outcome.rows.extend(replace(row, algorithm=row.algorithm + suffix) for row in one.rows)
        outcome.chosen.extend(Chosen(chosen.algorithm + suffix, chosen.seed, chosen.choice) for chosen in one.chosen)
        outcome.warnings.extend(f"{line.partition(':')[0]}{suffix}:{line.partition(':')[2]}" for line in one.warnings)
    for line in outcome.warnings:
        print(f"warning: {line}", file=sys.stderr)
    summary = summarise(outcome.rows)
    path = making.directory / figure.name
    _write(path, ".csv", rows_csv(outcome.rows))
    _write(path, "-summary.csv", summary_csv(summary))
    _write(path, "-choices.csv", choices_csv(outcome.chosen))
    _draw(figure, path, summary, outcome.rows)


def _write(path: Path, suffix: str, text: str) -> None:
    path.with_name(path.name + suffix).write_text(text)


def _parts(figure: Figure, tuning: Tuning) -> list[tuple[DataOptions, list[Curve], str]]:
    """Data, curves and what is put behind their labels."""
    data, curves = data_of(figure), curves_of(figure, tuning)
    if figure.name == "css10-table":
        return [(replace(data, data=f"mnist:{a},{b}"), curves, f" {a}-{b}") for a in range(10) for b in range(a + 1, 10)]
    if figure.family == "pairwise":  # the pairwise learner has the data in its own units
        return [(replace(data, scale="none"), curves[:1], ""), (data, curves[1:], "")]
    return [(data, curves, "")]


def _draw(figure: Figure, path: Path, summary: dict[str, list[Point]], rows: Sequence[Row]) -> None:
    title = f"{figure.title}; {figure.seeds} runs"
    if figure.name == "css10-table":
        ranked = by_rank(summary)
        _write(path, "-table.csv", pairs_csv(ranked))
        plots.curves(path, title, "pairs of digits, sorted for each algorithm", ranked, against_examples=True)
        return
    if figure.family == "pairwise":
        _write(path, "-attributes.csv", attributes_csv(summary))
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
