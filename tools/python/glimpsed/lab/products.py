"""Apple and its rivals: figures and tables of Agarwal, Beygelzimer, Hsu, Langford & Telgarsky, NIPS 2014 (ABHLT14).

lin, quad and cubic have all monomials up to degree 1, 2 and 3; bigram has products of neighbours; apple and ssm find products
while they learn, by weights and by residuals. All have one base learner. As in the paper 80 % of a set are learned in one
pass, and the rest is predicted; the learning rate of each method and set is the one with the least progressive loss. Times
are of the processor, for reading lines of svmlight and learning.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .. import _core
from . import plots, shards
from .data import rows_of_papers
from .experiment import markdown, to_csv
from .figures import Making
from .jobs import Store, run_jobs, shared
from .sparse import Examples, SparseSet, load_sparse, sparse_sets
from .xoshiro import shuffled

EXPONENTS = (0.125, 0.25, 0.5, 0.75, 1)
APPLES = [f"apple-{exponent:g}" for exponent in EXPONENTS]
BASELINES = ("lin", "quad", "cubic")
METHODS = (*BASELINES, "bigram", *(f"{name}-{exponent:g}" for name in ("apple", "ssm") for exponent in EXPONENTS))
COLOURS = {"lin": "#000000", "quad": "#E69F00", "cubic": "#D55E00", "apple-0.125": "#A6D8F0", "apple-0.25": "#56B4E9", "apple-0.5": "#2A8CCB",
           "apple-0.75": "#0072B2", "apple-1": "#00456B", "apple-best": "#009E73", "ssm-1": "#CC79A7", "ssm-best": "#F0A8D0"}
_TRAINING_SHARE = 0.8
_TOP_SETS = 6  # of Figure 4
_TIME = "training time over that of lin"


def sets_of(making: Making, wanted: Callable[[SparseSet], bool]) -> Iterator[tuple[SparseSet, Examples]]:
    """Those that are wanted and at hand, one after the other, as they are large; of all, or of those that --only names."""
    known = sparse_sets()
    for name in set(making.only) - {one.set for one in known}:
        raise ValueError(f"--only {name}: there is no such set in these figures: {', '.join(one.set for one in known)}")
    for of in known:
        if (making.only and of.set not in making.only) or not wanted(of):
            continue
        examples = load_sparse(of, [folder for folder in (os.environ.get("GLIMPSE_DATA"), *making.tables) if folder])
        if examples is None:
            print(f"left out: {of.set}: no folder has {of.file}", file=sys.stderr)
        else:
            yield of, examples


@dataclass(frozen=True)
class Run:
    """A pass of a method over 80 % of a set in random order, and the others predicted."""
    set: str
    method: str
    seed: int
    rate: float
    error: float  # of the test set: the share of wrong signs, or the mean square
    progressive_loss: float  # the mean square of predictions before each training example
    seconds: float  # of the pass, reading among them
    reading_seconds: float
    features: float  # the mean number of an example
    slots: int
    parents: int


def parse_method(name: str) -> tuple[str, float, bool]:
    """Expander, exponent and whether there are bigrams, of "quad", "bigram", "apple-0.5" or "bigram+apple-1"."""
    if name == "bigram":
        return "lin", 1.0, True
    own = name.removeprefix("bigram+")
    expander, _, exponent = own.partition("-")
    return expander, float(exponent or 1), own != name


def split(examples: Examples, seed: int, most: int | None) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Rows to train and to test with."""
    if len(examples) < 10:
        raise ValueError(f"{len(examples)} examples are too few: at least 10")
    order = shuffled(len(examples), seed)
    training = int(_TRAINING_SHARE * len(examples))
    return order[:training][:most], order[training:]


def run_method(of: SparseSet, method: str, seed: int, rates: Sequence[float], most: int | None) -> dict[str, Any]:
    """The job of a method: with each rate. Predictions are clipped to the training labels."""
    examples: Examples = shared()
    train, test = split(examples, seed, most)
    labels = examples.labels
    low, high = float(labels[train].min()), float(labels[train].max())
    idempotent = examples.text.idempotent(train)
    best: Run | None = None
    for rate in rates:
        learner = _core.PolynomialLearner(*parse_method(method), idempotent, len(train), rate)
        before, seconds = learner.learn(examples.text, train)
        loss = float(np.square(_clipped(before, low, high) - labels[train]).mean())
        if best is not None and not loss < best.progressive_loss:
            continue
        predicted = _clipped(learner.predict(examples.text, test), low, high)
        error = (float(np.mean((predicted >= 0) != (labels[test] > 0))) if of.is_binary
                 else float(np.square(predicted - labels[test]).mean()))
        best = Run(of.set, method, seed, rate, error, loss, seconds, 0.0, learner.mean_features, learner.slots, len(learner.parents()))
    assert best is not None
    return {**vars(best), "reading_seconds": examples.text.reading_seconds(train)}


def _clipped(x: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    return np.clip(np.where(np.isnan(x), low, x), low, high)


# Summaries.


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Means over the runs by set and method, in the order in which they come; "apple-best" is the one of apple's with the
    least error. relative_error: 0 is the best of lin, quad and cubic, 1 the worst; NaN where they are equal, or not all there.
    relative_time: seconds over lin's."""
    means = runs.groupby(["set", "method"], sort=False).agg(runs=("error", "size"), error=("error", "mean"), error_deviation=("error", "std"),
                                                            **{name: (name, "mean") for name in ("seconds", "reading_seconds", "features")})
    means["error_deviation"] = means.error_deviation.fillna(0)
    for start in ("apple", "ssm"):
        own = means[means.index.get_level_values("method").str.startswith(f"{start}-")]
        best = own.loc[own.groupby("set", sort=False).error.idxmin()]
        means = pd.concat([means, best.rename(index=dict.fromkeys(best.index.unique("method"), f"{start}-best"), level="method")])
    baselines = by_method(means, "error", BASELINES)
    low, high = baselines.min(axis=1, skipna=False), baselines.max(axis=1, skipna=False)
    means["relative_error"] = means.error.sub(low, level="set").div((high - low).where(high > low), level="set")
    lin = by_method(means, "seconds", ["lin"]).lin
    means["relative_time"] = means.seconds.div(lin.where(lin > 0), level="set")
    return means


def by_method(summary: pd.DataFrame, what: str, methods: Sequence[str]) -> pd.DataFrame:
    """A row a set, a column a method; NaN where there is no run."""
    return summary[what].unstack("method").reindex(index=summary.index.unique("set"), columns=list(methods))


@dataclass(frozen=True)
class Paper:
    """What the paper says of a set: errors and seconds of lin, quad, cubic and apple by alpha. Its columns of alpha are
    reversed here: times rise from the first to the last, where alpha falls by their heads."""
    examples: int
    errors: dict[str, float]
    seconds: dict[str, float]

    def reversed(self, values: dict[str, float]) -> dict[str, float]:
        """As the columns are headed."""
        return {**values, **dict(zip(APPLES, [values[name] for name in APPLES[::-1]]))}


def papers() -> dict[str, Paper]:
    def numbers(row: dict[str, str], start: str) -> dict[str, float]:
        return {name.removeprefix(start): float(value) for name, value in row.items() if name.startswith(start)}
    return {row["set"]: Paper(int(row["examples"]), numbers(row, "error "), numbers(row, "seconds ")) for row in rows_of_papers("ablht14.csv")}


def columns_nearer(own: pd.DataFrame, paper: Paper | None, what: str) -> bool | None:
    """Whether apple's times ("seconds") or errors ("error") over lin's are nearer to the paper's with its columns of alpha
    reversed. `own`: of a set, by method."""
    if paper is None or not {"lin", *APPLES} <= set(own.index):
        return None
    values = paper.errors if what == "error" else paper.seconds
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = (own[what][APPLES] / own[what]["lin"]).to_numpy()
        distances = [np.abs(np.log(ratios / np.array([of[name] / of["lin"] for name in APPLES]))).mean() for of in (values, paper.reversed(values))]
    return bool(distances[0] < distances[1])


# Making them.


def make(names: Sequence[str], making: Making) -> None:
    """Writes ablht.csv, ablht-summary.csv and of each figure NAME.svg and NAME.png, of each table NAME.md."""
    if "ablht-table-1" in names:
        make_shards_table(making)
    others = [name for name in names if name != "ablht-table-1"]
    if not others:
        return
    runs = run_sets(making)
    summary = summarise(runs)
    (making.directory / "ablht.csv").write_text(to_csv(list(runs), runs.itertuples(index=False)))
    (making.directory / "ablht-summary.csv").write_text(summary_csv(summary))
    for name in others:
        path = making.directory / name
        if name == "ablht-table-2":
            path.with_suffix(".md").write_text(page(summary))
        else:
            draw(name, path, summary)


def run_sets(making: Making) -> pd.DataFrame:
    """A row a Run."""
    store = Store(making.directory / "ablht.jobs")
    runs: list[dict[str, Any]] = []
    for of, examples in sets_of(making, lambda of: True):
        jobs = [(of, method, seed, tuple(making.rates), making.examples) for seed in range(1, (making.seeds or 3) + 1) for method in METHODS]
        runs += run_jobs(run_method, jobs, examples.describe(), examples, making.jobs, store, of.set, making.quiet)
    if not runs:
        raise ValueError("none of the sets was found: GLIMPSE_DATA or --tables names their folder")
    return pd.DataFrame(runs)


def summary_csv(summary: pd.DataFrame) -> str:
    known, rows = papers(), []
    columns = ["runs", "error", "error_deviation", "relative_error", "seconds", "reading_seconds", "relative_time", "features"]
    for (name, method), *means in summary[~summary.index.get_level_values("method").str.endswith("-best")][columns].itertuples():
        paper = known.get(name)
        theirs: list[float | None] = [None, None, None, None]
        if paper is not None and method in paper.errors:
            theirs = [paper.errors[method], paper.reversed(paper.errors)[method], paper.seconds[method] / paper.seconds["lin"],
                      paper.reversed(paper.seconds)[method] / paper.seconds["lin"]]
        rows.append([name, method, *means, *theirs])
    return to_csv(["set", "method", *columns, "paper_error", "paper_error_as_headed", "paper_relative_time", "paper_relative_time_as_headed"], rows)


def draw(name: str, path: Path, summary: pd.DataFrame) -> None:
    if name == "ablht-1":
        _draw_tradeoff(path, summary, [*BASELINES, *APPLES, "apple-best"])
    elif name == "ablht-2":
        _draw_distribution(path, summary, [*BASELINES, "apple-1", "apple-best", "ssm-1", "ssm-best"])
    elif name == "ablht-3":  # of the sets where quad takes twice lin's time
        slow = by_method(summary, "relative_time", ["quad"]).quad >= 2
        _draw_bars(path, summary, "relative_error", slow.index[slow])
    elif name == "ablht-4":
        top = by_method(summary, "features", ["lin"]).lin.sort_values(ascending=False, kind="stable").index[:_TOP_SETS]
        _draw_bars(path, summary, "relative_error", top)
        _draw_bars(path.with_name(path.name + "-time"), summary, "relative_time", top)
    else:
        _draw_bars(path, summary, {"ablht-5": "relative_error", "ablht-6": "relative_time", "ablht-7": "features"}[name], summary.index.unique("set"))


def _draw_bars(path: Path, summary: pd.DataFrame, what: str, sets: Sequence[str]) -> None:
    label = {"relative_error": "relative error", "relative_time": _TIME, "features": "features an example"}[what]
    plots.bars(path, list(sets), by_method(summary, what, [*BASELINES, *APPLES]).loc[sets].to_dict("list"), label, COLOURS, what != "relative_error")


def _draw_tradeoff(path: Path, summary: pd.DataFrame, methods: Sequence[str]) -> None:
    made, axes = plots.picture(width=7.6, height=4.8)
    for m, method in enumerate(methods):
        both = pd.concat([by_method(summary, what, methods)[method] for what in ("relative_error", "relative_time")], axis=1).dropna()
        (low_x, low_y), (mid_x, mid_y), (high_x, high_y) = both.quantile([0.25, 0.5, 0.75]).to_numpy()
        axes.errorbar([mid_x], [mid_y], [[mid_y - low_y], [high_y - mid_y]], [[mid_x - low_x], [high_x - mid_x]], label=method,
                      color=COLOURS[method], marker=plots.MARKERS[m % len(plots.MARKERS)], capsize=2)
    axes.set(xlabel="relative error: 0 the best of lin, quad and cubic, 1 the worst", ylabel=_TIME, yscale="log")
    plots.finish(axes)
    plots.save(made, path)


def _draw_distribution(path: Path, summary: pd.DataFrame, methods: Sequence[str]) -> None:
    made, (left, right) = plots.picture(2, 1, 10, 4.4)
    for axes, what, label in ((left, "relative_error", "relative error"), (right, "relative_time", _TIME)):
        for method, values in by_method(summary, what, methods).items():
            known = sorted(values.dropna())
            axes.step(known, range(1, len(known) + 1), where="post", label=method, color=COLOURS[method])
        axes.set(xlabel=label, ylabel="sets with at most so much")
        plots.finish(axes)
    left.set_xlim(-1, 2)
    right.set_xscale("log")
    plots.save(made, path)


# Pages.


def page(summary: pd.DataFrame) -> str:
    """Tables 2 and 3, and what the paper says of them, in Markdown."""
    return ("The paper's columns of alpha are reversed here.\n\n### Claims\n\n" + claims(summary) + "\n### Test errors\n\n"
            + _table(summary, "error", {name: paper.errors for name, paper in papers().items()})
            + "\n### Relative errors\n\n" + _table(summary, "relative_error", {})
            + "\n### Times over lin's\n\n" + _table(summary, "relative_time", {})
            + "\n### Features an example\n\n" + _table(summary, "features", {}) + "\n### The paper's thirty sets\n\n" + sets_table(summary))


def _table(summary: pd.DataFrame, what: str, theirs: dict[str, dict[str, float]]) -> str:
    methods = [*BASELINES, "bigram", *APPLES, "ssm-1"]
    rows = []
    for name, *values in by_method(summary, what, methods).itertuples():
        rows.append([name, *map(_cell, values)])
        if name in theirs:
            rows.append(["*paper*", *(_cell(theirs[name].get(method)) for method in methods)])
    return markdown(["set", *methods], rows)


def _cell(value: float | None) -> str:
    return "" if value is None or np.isnan(value) else f"{value:.3g}"


def claims(summary: pd.DataFrame) -> str:
    """On how many sets what the paper says is so."""
    known = papers()

    def count(values: pd.Series, holds: Callable[[Any], Any]) -> str:
        held = [bool(holds(value)) for value in values.dropna()]
        return f"{sum(held)} of {len(held)}"

    def nearer(what: str) -> str:
        return count(pd.Series([columns_nearer(own.droplevel("set"), known.get(name), what) for name, own in summary.groupby("set")], dtype=object), bool)

    errors, times = (by_method(summary, f"relative_{what}", ["apple-1", "apple-best"]) for what in ("error", "time"))
    both = by_method(summary, "error", ["ssm-1", "apple-1"])
    rows = [("relative error below .5, alpha = 1", "26", count(errors["apple-1"], lambda error: error < 0.5)),
            ("... with the best alpha", "27", count(errors["apple-best"], lambda error: error < 0.5)),
            ("... below 0 with alpha = 1", "12", count(errors["apple-1"], lambda error: error < 0)),
            ("time at most 10 times lin's, alpha = 1", "25", count(times["apple-1"], lambda time: time <= 10)),
            ("ssm's error below apple's, both alpha = 1", "", count(both["ssm-1"] - both["apple-1"], lambda off: off < 0)),
            ("apple's times are nearer to the paper's with its columns of alpha reversed", "", nearer("seconds")),
            ("... its errors", "", nearer("error"))]
    return markdown(["", "the paper, 30 sets", "ours"], rows)


def sets_table(summary: pd.DataFrame) -> str:
    """Each of the paper's sets with what stands for it here."""
    own, rows = {of.set: of for of in sparse_sets()}, []
    for name, paper in papers().items():
        of = own.get(name)
        here = "not at hand" if of is None else f"{of.file or 'random hands'}{'' if name in summary.index.unique('set') else ' (not run)'}"
        label = "" if of is None else {"class": f"{of.value} is 1, others -1", "at least": f"1 from {of.value} on", "unit": "from 0 to 1",
                                       "number": "as it is"}[of.kind]
        rows.append([name, f"{paper.examples:,}", here, label])
    return markdown(["the paper's set", "examples", "here", "label"], rows)


# Table 1.


def make_shards_table(making: Making) -> None:
    """ablht-table-1.csv and .md: of covtype, or of the binary sets that `only` names."""
    store = Store(making.directory / "ablht.jobs")
    rows = []
    for of, examples in sets_of(making, lambda of: of.is_binary if making.only else of.set == "covtype"):
        jobs = [(of.set, *job, making.examples) for job in shards.JOBS]
        rows += run_jobs(shards.run, jobs, examples.describe(), examples, making.jobs, store, "ablht-table-1", making.quiet)
    if not rows:
        raise ValueError("ablht-table-1 needs covtype or --only with binary sets: GLIMPSE_DATA or --tables names the folder")
    (making.directory / "ablht-table-1.csv").write_text(to_csv(shards.HEADER, rows))
    cells = [[_cell(value) if isinstance(value, float) else value for value in row] for row in rows]
    (making.directory / "ablht-table-1.md").write_text(markdown(shards.HEADER, cells))
