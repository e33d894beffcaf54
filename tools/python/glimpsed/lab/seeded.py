"""Commands whose jobs are seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .arguments import Arguments, seeds_of
from .data import DataSource
from .jobs import Result, Store, run_jobs


def run_seeds(given: Arguments, function: Callable[..., Result], source: DataSource, arguments: Sequence[Any],
              key: str = "") -> list[Result]:
    """function(seed, *arguments) of each of the command's seeds, in their order; shared() is the source. `key`: what else
    decides the result, beside the data and arguments whose repr() says it all."""
    seeds = list(seeds_of(given))
    whole = f"{function.__module__} {source.describe()} {key or repr(tuple(arguments))}"
    return run_jobs(function, [(seed, *arguments) for seed in seeds], [f"seed {seed}" for seed in seeds],
                    [f"{whole} seed={seed}" for seed in seeds], source, given.jobs, Store(given.output_directory), "running", given.quiet)
