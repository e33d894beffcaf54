"""The options that peers, end_to_end and profile have in common."""

import argparse
import os
from pathlib import Path

LONG_ROUNDS = 10  # of --long
BUILD = Path(__file__).resolve().parents[3] / "build" / "release"


def parser(description, rounds):
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--glimpsed", default=BUILD / "daemon" / "glimpsed", help="the program (default: of build/release)")
    made.add_argument("--bench", default=BUILD / "tools" / "bench" / "glimpse-bench",
                      help="glimpse-bench, which writes the streams")
    made.add_argument("--directory", help="keep the streams here (default: a folder that is removed)")
    made.usual_rounds = rounds
    made.add_argument("--rounds", type=int, help=f"runs of each program (default: {rounds})")
    made.add_argument("--scale", type=float, default=1, help="times the examples of each case (default: 1)")
    made.add_argument("--markdown", metavar="FILE", help="write the tables here as well")
    made.add_argument("--verbose", action="store_true", help="show progress when standard error is no terminal, too")
    return made


def numbers(text):
    """Of "1,2,4": a list of them, each above 0 and once."""
    found = [int(word) for word in text.split(",")]
    if min(found) < 1 or len(set(found)) < len(found):
        raise ValueError
    return found


def need(made, *programs):
    """Refuses to begin without these programs, or without a round."""
    for program in programs:
        if not os.access(program, os.X_OK):
            made.error(f"{program} is not there: build it first (cmake --build build/release)")


def read(made, *programs):
    """The options; `programs`: the names of further options whose programs are needed."""
    options = made.parse_args()
    if options.rounds is None:
        options.rounds = LONG_ROUNDS if getattr(options, "long", False) else made.usual_rounds
    need(made, options.glimpsed, options.bench, *(getattr(options, name) for name in programs))
    if options.rounds < 1 or options.scale <= 0:
        made.error("--rounds and --scale must be above 0")
    return options
