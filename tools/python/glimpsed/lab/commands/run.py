"""Prints CSV rows of one method on one data set: of each seed and prefix the attributes revealed, and the test loss over
that of always predicting 0.

  python -m glimpsed.lab run --data mnist:3,5 --algorithm two-phase-ddaerr --budget 57 --cv 10 --seeds 10 \\
    --prefixes 1000,2000,4000,8000,all --output-directory results
"""

import sys

from ..arguments import (Arguments, Parser, add_data, add_method, add_runs, add_tuning, data_options, method_of, seeds_of, tuning_of,
                         write)
from ..data import load
from ..experiment import Curve, rows_csv, run_experiment
from ..jobs import Store


def add_arguments(parser: Parser) -> None:
    add_data(parser)
    add_method(parser)
    add_tuning(parser)
    add_runs(parser, 1)


def main(given: Arguments) -> None:
    source = load(data_options(given))
    method = method_of(given)
    curve = Curve(method.algorithm, method, tuning_of(given, method))
    longest = max(given.prefixes.counts, default=0)
    if longest > source.training_size:
        raise ValueError(f"--prefixes: {longest} is more than {source.training_size}, the number of training examples")
    outcome = run_experiment([curve], source, given.prefixes, seeds_of(given), Store(given.output_directory), given.jobs, given.quiet)
    for c in outcome.chosen.values():
        phase1 = f", in the uniform phase radius {c.phase1_radius}, step {c.phase1_step}" if c.phase1_radius else ""
        print(f"{method.algorithm}: cross-validation chose radius {c.radius}, step {c.step}{phase1}, held-out loss ratio {c.loss:.4f}",
              file=sys.stderr)
    for line in outcome.warnings:
        print(f"warning: {line}", file=sys.stderr)
    write(rows_csv(outcome.rows))
