"""Options that commands share, and what they become."""

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from .data import SCALINGS, DataOptions, DataSource
from .experiment import Points
from .jobs import Result, Store, run_jobs
from .learners import ALGORITHMS, Method
from .tuning import Tuning

Item = TypeVar("Item")
Parser = argparse.ArgumentParser
Arguments = argparse.Namespace


def whole(least: int, most: int = 1 << 60) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"'{text}' must be a whole number from {least} on")
        return int(text)
    return read


def number(text: str) -> float:
    try:
        read = float(text)
    except ValueError:
        read = 0
    if not read > 0:
        raise argparse.ArgumentTypeError(f"'{text}' must be a number above 0")
    return read


def share(text: str) -> float:
    """As 30%."""
    if not text.endswith("%") or not number(text[:-1]) < 100:
        raise argparse.ArgumentTypeError(f"'{text}' must be a share between 0% and 100%, as 30%")
    return float(text[:-1]) / 100


def between_commas(read: Callable[[str], Item]) -> Callable[[str], tuple[Item, ...]]:
    return lambda text: tuple(read(part) for part in text.split(",") if part)


numbers, counts, words, shares = between_commas(number), between_commas(whole(1)), between_commas(str), between_commas(share)


def prefixes(text: str) -> Points:
    parts = text.split(",")
    return Points(tuple(sorted(whole(1)(part) for part in parts if part != "all")), all="all" in parts)


def split_seed(text: str) -> int | None:
    return None if text == "each" else whole(0)(text)


# Data.


def add_data(parser: Parser) -> None:
    group = parser.add_argument_group("data")
    group.add_argument("--data", required=True, metavar="DATA",
                       help="mnist:A,B[:DIR] (digit A is -1, B is 1), mnist:all, simulated:ridge|lasso:ALPHA[:D], simulated:factors:F[:D], or a file, "
                       "also one of GLIMPSE_DATA: CSV without a header or svmlight, gzip-ed or not")
    _add_reading(group)
    group.add_argument("--positive", type=float, metavar="LABEL", help="files: this label is 1, all others -1")
    group.add_argument("--standardise-labels", action="store_true", help="labels less their mean, over their deviation")
    group.add_argument("--split-seed", type=split_seed, default=0, metavar="N|each", help="which test set --test-share draws (0)")
    group.add_argument("--examples", type=whole(1), metavar="M", help="at most so many to train with; simulated: exactly (20000)")
    group.add_argument("--test-examples", type=whole(1), default=2000, metavar="M", help="simulated: length of the test set (2000)")
    group.add_argument("--dimension", type=whole(1), default=500, metavar="D", help="simulated: attributes (500)")
    group.add_argument("--data-seed", type=whole(0), default=1, metavar="N", help="simulated: which hidden weights and stream (1)")


def _add_reading(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--label-column", default="first", metavar="WHICH", help="CSV: first, last, or a number from 1 as #5")
    group.add_argument("--scale", choices=SCALINGS, help="norm: largest ||x|| is 1; maxabs: largest |x_i| is 1; centred: less the means (norm for MNIST, else none)")
    group.add_argument("--test-share", type=share, metavar="SHARE", help="draw a test set of this share, as 30%% (10%% of a file, else the data's own)")


def data_options(given: Arguments) -> DataOptions:
    return DataOptions(**{name: getattr(given, name) for name in DataOptions.__dataclass_fields__ if hasattr(given, name)})


def add_sets(parser: Parser) -> None:
    """Every table of a folder, and further data."""
    group = parser.add_argument_group("data")
    group.add_argument("directory", nargs="?", metavar="DIRECTORY", help="of tables: NAME.csv, NAME.svm, gzip-ed or not")
    group.add_argument("--data", action="append", default=[], metavar="DATA", help="further data, as `run --help` has it; may be repeated. Seed S of a "
                       "simulated set has hidden weights and a stream of its own")
    group.add_argument("--only", type=words, metavar="NAME,...", help="of the folder only these, without their endings")
    _add_reading(group)
    group.add_argument("--largest-training", dest="examples", type=whole(1), metavar="M", help="training sets are cut down to so many examples")
    group.add_argument("--largest-dimension", type=whole(1), default=2000, metavar="D", help="files with more attributes are left out (2000)")


def sets_of(given: Arguments) -> list[tuple[str, DataOptions]]:
    """Names and data. Labels are standardised, and every seed has a split of its own."""
    common = replace(data_options(argparse.Namespace(**{**vars(given), "data": ""})), standardise_labels=True, split_seed=None)
    sets = []
    if given.directory is not None:
        folder = Path(given.directory)
        files = sorted(path for path in folder.iterdir() if path.is_file() and _table_name(path.name))
        names = [_table_name(path.name) for path in files]
        names = [path.name if names.count(name) > 1 else name for name, path in zip(names, files)]
        for missing in set(given.only or ()) - set(names):
            raise ValueError(f"--only {missing}: no table in {folder} has this name")
        sets = [(name, replace(common, data=str(path))) for name, path in zip(names, files) if not given.only or name in given.only]
    elif given.only:
        raise ValueError(f"--only {given.only[0]}: needs a DIRECTORY")
    for data in given.data:
        built_in = data.startswith(("mnist:", "simulated:"))
        sets.append((data, replace(common, data=data, test_share=None if built_in else common.test_share)))
    if not sets:
        raise ValueError("--data or a DIRECTORY of tables is needed")
    return sets


def _table_name(file: str) -> str:
    name = file.removesuffix(".gz")
    return name[:-4] if name.endswith((".csv", ".svm")) else ""


# Methods.

_LEARNER = ("radius", "step", "horizon", "phase1", "phase1-radius", "phase1-step", "delta", "confidence", "half-norm", "split", "inner-sampling",
            "draws", "control-variates", "budget-cost", "active", "look-at-best", "products", "bias", "looks", "ball", "half-life", "outliers")


def add_method(parser: Parser) -> None:
    group = parser.add_argument_group("learner", "Options are those of `glimpsed --help`; what is not given is as the papers have it: no bias, "
                                      "separate draws without control variates, phase 1 of 10 %.")
    group.add_argument("--algorithm", default="two-phase-ddaerr", choices=ALGORITHMS, metavar="NAME", help=f"one of {', '.join(ALGORITHMS)}. Known moments "
                       "are those of the training set")
    group.add_argument("--budget", metavar="K", help="attributes drawn from each example; not for full information")
    for name in _LEARNER:
        group.add_argument(f"--{name}", metavar="X", help=argparse.SUPPRESS)
    group.add_argument("--passes", type=whole(1), default=1, metavar="N", help="how often to go over the examples, with new draws (1)")
    group.add_argument("--costs", metavar="FILE", help="what attributes cost: lib/learn/draws/COSTS.md")
    group.add_argument("--buying", default="priced", choices=("priced", "moments", "uniform"), help="with --budget-cost: by moments and prices, by moments "
                       "alone, or all alike")


def method_of(given: Arguments) -> Method:
    options = {name: getattr(given, name.replace("-", "_")) for name in ("budget", *_LEARNER)}
    costs = Path(given.costs).read_text() if given.costs else ""
    return Method(given.algorithm, {name: value for name, value in options.items() if value is not None}, given.passes, costs, given.buying)


def add_tuning(parser: Parser) -> None:
    group = parser.add_argument_group("choosing B and the step")
    group.add_argument("--cv", type=whole(2), metavar="FOLDS", help="by cross-validation on the training set, for each of two phases; the papers: 10 folds")
    group.add_argument("--cv-repeats", type=whole(1), default=1, metavar="N", help="runs a fold, each with other draws")
    group.add_argument("--radii", type=numbers, default=(), metavar="B,B,...", help="candidates; powers of two by default")
    group.add_argument("--steps", type=numbers, default=(), metavar="S,S,...", help="the same for the step's number")


def tuning_of(given: Arguments, method: Method) -> Tuning | None:
    if given.cv is None:
        return None
    step = method.options.get("step", "")
    prefix = "adagrad:" if step.startswith("adagrad") else ""
    number = step.removeprefix("adagrad").removeprefix(":")
    radii = given.radii or ((float(method.options["radius"]),) if "radius" in method.options else ())
    return Tuning(given.cv, given.cv_repeats, radii, given.steps or ((float(number),) if number not in ("", "auto", "theory") else ()), prefix)


# Runs.


def add_runs(parser: Parser, seeds: int, points: str | None = "all") -> None:
    if points is not None:
        parser.add_argument("--prefixes", type=prefixes, default=prefixes(points), metavar="N,N,...", help=f"after how many training examples to measure ({points})")
    parser.add_argument("--seeds", type=whole(1), default=seeds, metavar="N", help=f"runs ({seeds})")
    parser.add_argument("--first-seed", type=whole(0), default=1, metavar="N", help="seed of the first run (1)")
    add_execution(parser)


def add_execution(parser: Parser) -> None:
    parser.add_argument("--jobs", type=whole(1), default=len(os.sched_getaffinity(0)), metavar="N", help="processes; all processors by default. Changes no result")
    parser.add_argument("--quiet", action="store_true", help="no progress on standard error")
    if not any(action.dest == "output_directory" for action in parser._actions):
        parser.add_argument("--output-directory", type=Path, metavar="DIR", help="keep the result of every finished job there; a later call does only what is missing")


def seeds_of(given: Arguments) -> range:
    return range(given.first_seed, given.first_seed + given.seeds)


def run_seeds(given: Arguments, function: Callable[..., Result], source: DataSource, *arguments: Any) -> list[Result]:
    """function(seed, *arguments) of each of the command's seeds, in their order; shared() is the source."""
    return run_jobs(function, [(seed, *arguments) for seed in seeds_of(given)], source.describe(), source, given.jobs, Store(given.output_directory),
                    "running", given.quiet)


def run_prefixes(given: Arguments, function: Callable[..., Result], source: DataSource, method: Method) -> list[Result]:
    """Rows that function(seed, method, prefixes) gives, seed after seed. Raises ValueError for what the learner cannot have."""
    method.check(source.dimension)
    prefixes = given.prefixes.prefixes(method.attributes_each(source.dimension), source.training_size)
    return [row for rows in run_seeds(given, function, source, method, prefixes) for row in rows]


def write(text: str, path: str | Path | None = None) -> None:
    """To a file, or to standard output."""
    if path is None:
        sys.stdout.write(text)
        return
    temporary = Path(f"{path}.part")
    temporary.write_text(text)
    temporary.replace(path)
