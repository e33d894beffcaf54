"""Commands whose jobs are seeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .arguments import Arguments, seeds_of
from .data import DataSource
from .jobs import Result, Store, run_jobs
from .learners import Method


def run_seeds(given: Arguments, function: Callable[..., Result], source: DataSource, *arguments: Any) -> list[Result]:
    """function(seed, *arguments) of each of the command's seeds, in their order; shared() is the source."""
    return run_jobs(function, [(seed, *arguments) for seed in seeds_of(given)], source.describe(), source, given.jobs, Store(given.output_directory),
                    "running", given.quiet)


def run_prefixes(given: Arguments, function: Callable[..., Result], source: DataSource, method: Method) -> list[Result]:
    """Rows that function(seed, method, prefixes) gives, seed after seed."""
    prefixes = given.prefixes.prefixes(method.attributes_each(source.dimension), source.training_size)
    return [row for rows in run_seeds(given, function, source, method, prefixes) for row in rows]
