"""Apple and its rivals: figures and tables of Agarwal, Beygelzimer, Hsu, Langford & Telgarsky, NIPS 2014 (ABHLT14).

lin, quad and cubic have all monomials up to degree 1, 2 and 3; bigram has products of neighbours; apple and ssm find products
while they learn, by weights and by residuals. All have one base learner. As in the paper 80 % of a set are learned in one
pass, and the rest is predicted; the learning rate of each method and set is the one with the least progressive loss. Times
are of the processor, for reading lines of svmlight and learning.
"""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from . import plots, shards
from .data import PAPERS
from .experiment import to_csv
from .jobs import Store, run_jobs, shared
from .sparse import Examples, SparseSet, load_sparse, sparse_sets
from .xoshiro import shuffled

EXPONENTS = (0.125, 0.25, 0.5, 0.75, 1)
BASELINES = ("lin", "quad", "cubic")
METHODS = (*BASELINES, "bigram", *(f"{name}-{exponent:g}" for name in ("apple", "ssm") for exponent in EXPONENTS))
COLOURS = {"lin": "#000000", "quad": "#E69F00", "cubic": "#D55E00", "apple-0.125": "#A6D8F0", "apple-0.25": "#56B4E9", "apple-0.5": "#2A8CCB",
           "apple-0.75": "#0072B2", "apple-1": "#00456B", "apple-best": "#009E73", "ssm-1": "#CC79A7", "ssm-best": "#F0A8D0"}
_TRAINING_SHARE = 0.8
_TOP_SETS = 6  # of Figure 4


@dataclass(frozen=True)
class Study:
    """How the figures are made."""
    directory: Path
    tables: Sequence[str] = ()  # folders beside GLIMPSE_DATA
    only: Sequence[str] = ()
    rates: Sequence[float] = (0.25, 0.5, 1, 2, 4, 8)
    seeds: int = 3
    examples: int | None = None
    jobs: int = 1
    quiet: bool = False

    def sets(self) -> list[SparseSet]:
        known = sparse_sets()
        for name in set(self.only) - {one.set for one in known}:
            raise ValueError(f"--only {name}: there is no such set in these figures: {', '.join(one.set for one in known)}")
        return [one for one in known if not self.only or one.set in self.only]

    def load(self, of: SparseSet) -> Examples | None:
        examples = load_sparse(of, [folder for folder in (os.environ.get("GLIMPSE_DATA"), *self.tables) if folder])
        if examples is None:
            print(f"left out: {of.set}: no folder has {of.file}", file=sys.stderr)
        return examples


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


@dataclass(frozen=True)
class Means:
    runs: int
    error: float
    error_deviation: float
    seconds: float
    reading_seconds: float
    features: float


@dataclass(frozen=True)
class Summary:
    """Of a set the means of each method's runs."""
    set: str
    methods: dict[str, Means]

    def find(self, method: str) -> Means | None:
        """"apple-best" is the one of apple's with the least error."""
        if not method.endswith("-best"):
            return self.methods.get(method)
        own = [means for name, means in self.methods.items() if name.startswith(method.removesuffix("best"))]
        return min(own, key=lambda means: means.error, default=None)

    def relative_error(self, method: str) -> float | None:
        """0: the best of lin, quad and cubic; 1: the worst. None: they are equal, or not all there."""
        own, baselines = self.find(method), [self.methods.get(name) for name in BASELINES]
        errors = [means.error for means in baselines if means is not None]
        if own is None or len(errors) < 3 or not max(errors) > min(errors):
            return None
        return (own.error - min(errors)) / (max(errors) - min(errors))

    def relative_time(self, method: str) -> float | None:
        own, lin = self.find(method), self.find("lin")
        return own.seconds / lin.seconds if own is not None and lin is not None and lin.seconds > 0 else None


def summarise(runs: Sequence[Run]) -> list[Summary]:
    groups: dict[str, dict[str, list[Run]]] = {}
    for run in runs:
        groups.setdefault(run.set, {}).setdefault(run.method, []).append(run)
    return [Summary(name, {method: _means(own) for method, own in methods.items()}) for name, methods in groups.items()]


def _means(runs: list[Run]) -> Means:
    errors = np.array([run.error for run in runs])
    return Means(len(runs), float(errors.mean()), float(errors.std(ddof=1)) if len(runs) > 1 else 0.0,
                 *(float(np.mean([getattr(run, name) for run in runs])) for name in ("seconds", "reading_seconds", "features")))


@dataclass(frozen=True)
class Paper:
    """What the paper says of a set: errors and seconds of lin, quad, cubic and apple by alpha. Its columns of alpha are
    reversed here: times rise from the first to the last, where alpha falls by their heads."""
    examples: int
    errors: dict[str, float]
    seconds: dict[str, float]

    def reversed(self, values: dict[str, float]) -> dict[str, float]:
        """As the columns are headed."""
        exponents = [f"apple-{exponent:g}" for exponent in EXPONENTS]
        return {**values, **dict(zip(exponents, [values[name] for name in exponents[::-1]]))}


def papers() -> dict[str, Paper]:
    with (PAPERS / "ablht14.csv").open() as file:
        return {row["set"]: Paper(int(row["examples"]), _numbers(row, "error "), _numbers(row, "seconds ")) for row in csv.DictReader(file)}


def _numbers(row: dict[str, str], start: str) -> dict[str, float]:
    return {name.removeprefix(start): float(value) for name, value in row.items() if name.startswith(start)}


def columns_nearer(summary: Summary, paper: Paper | None, what: str) -> bool | None:
    """Whether apple's times ("seconds") or errors over lin's are nearer to the paper's with its columns of alpha reversed."""
    lin = summary.find("lin")
    own = [summary.find(f"apple-{exponent:g}") for exponent in EXPONENTS]
    if paper is None or lin is None or None in own:
        return None
    name, values = ("error", paper.errors) if what == "errors" else ("seconds", paper.seconds)
    ratios = [getattr(means, name) / getattr(lin, name) if getattr(lin, name) else np.nan for means in own]

    def distance(of: dict[str, float]) -> float:
        with np.errstate(divide="ignore"):
            return float(np.mean([abs(np.log(ratio / (of[f"apple-{exponent:g}"] / of["lin"]))) for ratio, exponent in zip(ratios, EXPONENTS)]))
    return distance(values) < distance(paper.reversed(values))


# Making them.


def make(names: Sequence[str], study: Study) -> None:
    """Writes ablht.csv, ablht-summary.csv and of each figure NAME.svg and NAME.png, of each table NAME.md."""
    if "ablht-table-1" in names:
        make_shards_table(study)
    others = [name for name in names if name != "ablht-table-1"]
    if not others:
        return
    runs = run_sets(study)
    summaries = summarise(runs)
    (study.directory / "ablht.csv").write_text(to_csv(list(Run.__dataclass_fields__), [list(vars(run).values()) for run in runs]))
    (study.directory / "ablht-summary.csv").write_text(summary_csv(summaries))
    for name in others:
        path = study.directory / name
        if name == "ablht-table-2":
            path.with_suffix(".md").write_text(page(summaries))
        else:
            draw(name, path, summaries)


def run_sets(study: Study) -> list[Run]:
    store = Store(study.directory / "ablht.jobs")
    runs: list[Run] = []
    for of in study.sets():
        examples = study.load(of)
        if examples is None:
            continue
        jobs = [(of, method, seed, tuple(study.rates), study.examples) for seed in range(1, study.seeds + 1) for method in METHODS]
        runs += [Run(**result) for result in run_jobs(run_method, jobs, examples.describe(), examples, study.jobs, store, of.set, study.quiet)]
    if not runs:
        raise ValueError("none of the sets was found: GLIMPSE_DATA or --tables names their folder")
    return runs


def summary_csv(summaries: Sequence[Summary]) -> str:
    known, rows = papers(), []
    for summary in summaries:
        paper = known.get(summary.set)
        for method, means in summary.methods.items():
            theirs: list[float | None] = [None, None, None, None]
            if paper is not None and method in paper.errors:
                theirs = [paper.errors[method], paper.reversed(paper.errors)[method], paper.seconds[method] / paper.seconds["lin"],
                          paper.reversed(paper.seconds)[method] / paper.seconds["lin"]]
            rows.append([summary.set, method, means.runs, means.error, means.error_deviation, summary.relative_error(method), means.seconds,
                         means.reading_seconds, summary.relative_time(method), means.features, *theirs])
    return to_csv(["set", "method", "runs", "error", "error_deviation", "relative_error", "seconds", "reading_seconds", "relative_time", "features",
                   "paper_error", "paper_error_as_headed", "paper_relative_time", "paper_relative_time_as_headed"], rows)


def draw(name: str, path: Path, summaries: list[Summary]) -> None:
    apples = [f"apple-{exponent:g}" for exponent in EXPONENTS]
    if name == "ablht-1":
        _draw_tradeoff(path, summaries, [*BASELINES, *apples, "apple-best"])
    elif name == "ablht-2":
        _draw_distribution(path, summaries, [*BASELINES, "apple-1", "apple-best", "ssm-1", "ssm-best"])
    elif name == "ablht-3":  # of the sets where quad takes twice lin's time
        slow = [summary for summary in summaries if (summary.relative_time("quad") or 0) >= 2]
        _draw_bars(path, slow, Summary.relative_error, "relative error", False)
    elif name == "ablht-4":
        top = sorted(summaries, key=lambda summary: -getattr(summary.find("lin"), "features", 0))[:_TOP_SETS]
        _draw_bars(path, top, Summary.relative_error, "relative error", False)
        _draw_bars(path.with_name(path.name + "-time"), top, Summary.relative_time, "training time over that of lin", True)
    elif name == "ablht-5":
        _draw_bars(path, summaries, Summary.relative_error, "relative error", False)
    elif name == "ablht-6":
        _draw_bars(path, summaries, Summary.relative_time, "training time over that of lin", True)
    else:
        _draw_bars(path, summaries, lambda summary, method: getattr(summary.find(method), "features", None), "features an example", True)


def _draw_bars(path: Path, summaries: Sequence[Summary], value: Callable[[Summary, str], float | None], label: str, logarithmic: bool) -> None:
    methods = [*BASELINES, *(f"apple-{exponent:g}" for exponent in EXPONENTS)]
    series = {method: [float("nan") if (v := value(summary, method)) is None else v for summary in summaries] for method in methods}
    plots.bars(path, [summary.set for summary in summaries], series, label, COLOURS, logarithmic)


def _draw_tradeoff(path: Path, summaries: Sequence[Summary], methods: Sequence[str]) -> None:
    made, axes = plots.picture(width=7.6, height=4.8)
    for m, method in enumerate(methods):
        both = [(summary.relative_error(method), summary.relative_time(method)) for summary in summaries]
        x, y = (np.array(values) for values in zip(*[pair for pair in both if None not in pair] or [(np.nan, np.nan)]))
        (low_x, mid_x, high_x), (low_y, mid_y, high_y) = (np.quantile(values.astype(float), [0.25, 0.5, 0.75]) for values in (x, y))
        axes.errorbar([mid_x], [mid_y], [[mid_y - low_y], [high_y - mid_y]], [[mid_x - low_x], [high_x - mid_x]], label=method,
                      color=COLOURS[method], marker=plots.MARKERS[m % len(plots.MARKERS)], capsize=2)
    axes.set(xlabel="relative error: 0 the best of lin, quad and cubic, 1 the worst", ylabel="training time over that of lin", yscale="log")
    plots.finish(axes)
    plots.save(made, path)


def _draw_distribution(path: Path, summaries: Sequence[Summary], methods: Sequence[str]) -> None:
    made, (left, right) = plots.picture(2, 1, 10, 4.4)
    for axes, value, label in ((left, Summary.relative_error, "relative error"), (right, Summary.relative_time, "training time over that of lin")):
        for method in methods:
            values = sorted(v for summary in summaries if (v := value(summary, method)) is not None)
            axes.step(values, range(1, len(values) + 1), where="post", label=method, color=COLOURS[method])
        axes.set(xlabel=label, ylabel="sets with at most so much")
        plots.finish(axes)
    left.set_xlim(-1, 2)
    right.set_xscale("log")
    plots.save(made, path)


# Pages.


def page(summaries: Sequence[Summary]) -> str:
    """Tables 2 and 3, and what the paper says of them, in Markdown."""
    known = papers()
    error: Callable[[Summary, str], float | None] = lambda summary, method: getattr(summary.find(method), "error", None)  # noqa: E731
    features: Callable[[Summary, str], float | None] = lambda summary, method: getattr(summary.find(method), "features", None)  # noqa: E731
    return ("The paper's columns of alpha are reversed here.\n\n### Claims\n\n" + claims(summaries) + "\n### Test errors\n\n"
            + _table(summaries, error, {name: paper.errors for name, paper in known.items()})
            + "\n### Relative errors\n\n" + _table(summaries, Summary.relative_error, {})
            + "\n### Times over lin's\n\n" + _table(summaries, Summary.relative_time, {})
            + "\n### Features an example\n\n" + _table(summaries, features, {}) + "\n### The paper's thirty sets\n\n" + sets_table(summaries))


def _table(summaries: Sequence[Summary], value: Callable[[Summary, str], float | None], theirs: dict[str, dict[str, float]]) -> str:
    methods = [*BASELINES, "bigram", *(f"apple-{exponent:g}" for exponent in EXPONENTS), "ssm-1"]
    text = "| set | " + " | ".join(methods) + " |\n|---" * 1 + "|---" * len(methods) + "|\n"
    text = "| set | " + " | ".join(methods) + " |\n" + "|---" * (len(methods) + 1) + "|\n"
    for summary in summaries:
        text += f"| {summary.set} | " + " | ".join(_cell(value(summary, method)) for method in methods) + " |\n"
        if summary.set in theirs:
            text += "| *paper* | " + " | ".join(_cell(theirs[summary.set].get(method)) for method in methods) + " |\n"
    return text


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def claims(summaries: Sequence[Summary]) -> str:
    """On how many sets what the paper says is so."""
    known = papers()

    def count(holds: Callable[[Summary], bool | None]) -> str:
        found = [held for summary in summaries if (held := holds(summary)) is not None]
        return f"{sum(found)} of {len(found)}"

    def below(value: Callable[[Summary, str], float | None], method: str, bound: float, or_equal: bool = False) -> str:
        return count(lambda s: None if (v := value(s, method)) is None else v <= bound if or_equal else v < bound)

    def ssm_is_better(summary: Summary) -> bool | None:
        ssm, apple = summary.find("ssm-1"), summary.find("apple-1")
        return None if ssm is None or apple is None else ssm.error < apple.error
    rows = [("relative error below .5, alpha = 1", "26", below(Summary.relative_error, "apple-1", 0.5)),
            ("... with the best alpha", "27", below(Summary.relative_error, "apple-best", 0.5)),
            ("... below 0 with alpha = 1", "12", below(Summary.relative_error, "apple-1", 0)),
            ("time at most 10 times lin's, alpha = 1", "25", below(Summary.relative_time, "apple-1", 10, True)),
            ("ssm's error below apple's, both alpha = 1", "", count(ssm_is_better)),
            ("apple's times are nearer to the paper's with its columns of alpha reversed", "",
             count(lambda s: columns_nearer(s, known.get(s.set), "seconds"))),
            ("... its errors", "", count(lambda s: columns_nearer(s, known.get(s.set), "errors")))]
    return "| | the paper, 30 sets | ours |\n|---|---|---|\n" + "".join(f"| {what} | {theirs} | {own} |\n" for what, theirs, own in rows)


def sets_table(summaries: Sequence[Summary]) -> str:
    """Each of the paper's sets with what stands for it here."""
    own = {of.set: of for of in sparse_sets()}
    made = {summary.set for summary in summaries}
    text = "| the paper's set | examples | here | label |\n|---|---|---|---|\n"
    for name, paper in papers().items():
        of = own.get(name)
        here = "not at hand" if of is None else f"{of.file or 'random hands'}{'' if name in made else ' (not run)'}"
        label = "" if of is None else {"class": f"{of.value} is 1, others -1", "at least": f"1 from {of.value} on", "unit": "from 0 to 1",
                                       "number": "as it is"}[of.kind]
        text += f"| {name} | {paper.examples:,} | {here} | {label} |\n"
    return text


# Table 1.


def make_shards_table(study: Study) -> None:
    """ablht-table-1.csv and .md: of covtype, or of the binary sets that `only` names."""
    wanted = [of for of in study.sets() if (of.is_binary if study.only else of.set == "covtype")]
    store = Store(study.directory / "ablht.jobs")
    rows = []
    for of in wanted:
        examples = study.load(of)
        if examples is None:
            continue
        jobs = [(of.set, *job, study.examples) for job in shards.JOBS]
        rows += run_jobs(shards.run, jobs, examples.describe(), examples, study.jobs, store, "ablht-table-1", study.quiet)
    if not rows:
        raise ValueError("ablht-table-1 needs covtype or --only with binary sets: GLIMPSE_DATA or --tables names the folder")
    (study.directory / "ablht-table-1.csv").write_text(to_csv(shards.HEADER, rows))
    text = "| " + " | ".join(shards.HEADER) + " |\n" + "|---" * len(shards.HEADER) + "|\n"
    text += "".join("| " + " | ".join(_cell(value) if isinstance(value, float) else str(value) for value in row) + " |\n" for row in rows)
    (study.directory / "ablht-table-1.md").write_text(text)
