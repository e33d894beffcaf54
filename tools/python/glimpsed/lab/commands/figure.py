"""Makes a figure or table of the papers. NAME is one that `list` names, the beginning of several, or all.

Of each it writes NAME.csv (every run), NAME-summary.csv (means and standard deviations), NAME-choices.csv (what
cross-validation chose), NAME.svg and NAME.png, and keeps finished jobs in NAME.jobs/, so that a call that was stopped goes
on where it was. The figures ablht-... share their runs, in ablht.jobs/.

  python -m glimpsed.lab figure ks15-3 --seeds 20 --output-directory figures
"""

import sys
from pathlib import Path

from .. import figures, plots
from ..arguments import Arguments, Parser, add_execution, numbers, whole, words
from ..tuning import Tuning


def add_arguments(parser: Parser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--seeds", type=whole(1), metavar="N", help="runs of every curve (as many as in the paper: 100, CSS10 10, ABHLT14 3)")
    parser.add_argument("--examples", type=whole(1), metavar="M", help="at most so many training examples; simulated: exactly")
    parser.add_argument("--cv", type=whole(2), default=10, metavar="FOLDS", help="folds of the cross-validation (10)")
    parser.add_argument("--cv-repeats", type=whole(1), default=1, metavar="N", help="runs a fold, each with other draws (1)")
    parser.add_argument("--radii", type=numbers, default=(), metavar="B,...", help="candidates for B in place of powers of two")
    parser.add_argument("--steps", type=numbers, default=(), metavar="S,...", help="the same for the step's number")
    parser.add_argument("--output-directory", type=Path, default=Path("figures"), metavar="DIR", help="where to write (figures)")
    group = parser.add_argument_group("ablht-...")
    group.add_argument("--tables", type=words, default=(), metavar="DIR,...", help="folders with further sets, beside GLIMPSE_DATA")
    group.add_argument("--only", type=words, default=(), metavar="SET,...", help="these sets alone")
    group.add_argument("--rates", type=numbers, default=(0.25, 0.5, 1, 2, 4, 8), metavar="N,...", help="learning rates, of which progressive loss chooses")
    add_execution(parser)


def main(given: Arguments) -> None:
    from .. import products

    wanted = figures.find(given.name)
    others = [name for name in figures.PRODUCTS if given.name == "all" or name.startswith(given.name)]
    if not wanted and not others:
        raise ValueError(f"'{given.name}' is no figure: `python -m glimpsed.lab list` names them")
    given.output_directory.mkdir(parents=True, exist_ok=True)
    tuning = Tuning(given.cv, given.cv_repeats, given.radii, given.steps)
    making = figures.Making(given.output_directory, given.seeds, given.examples, tuning, given.jobs, given.quiet, given.tables, given.only, given.rates)
    made = {}
    for figure in wanted:
        if not given.quiet:
            print(f"{figure.name}: {figure.title} ({figure.source})", file=sys.stderr)
        made[figure.title] = figures.make(figure, making)
    if len(made) > 1 and wanted[0].family in ("ridge", "lasso") and len({figure.name.rpartition("-")[2][:-1] for figure in wanted}) == 1:
        plots.panels(given.output_directory / given.name, "attributes looked at", made)  # (a) to (d) of one figure
    if others:
        products.make(others, making)
