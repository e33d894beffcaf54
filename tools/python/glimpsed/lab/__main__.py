"""python -m glimpsed.lab COMMAND: see --help."""

import argparse
import sys
from importlib import import_module

COMMANDS = {
    "figure": "make a figure or table of the papers: CSV, SVG and PNG",
    "list": "name the figures",
    "run": "print CSV rows of one method on one data set",
    "sweep": "write a page on learners over every table of a folder, beside offline ridge",
    "buying": "write a page on what planning by price is worth beside simple rules",
    "partial": "print how good predictions from a part of the attributes are, and the choice of further ones",
    "classes": "print how well classifiers do, beside LDA and logistic regression",
    "pairwise": "print what the pairwise learner's rule for lambda gives beside the best lambda in hindsight",
    "progressive": "print learners' progressive losses beside those on the test set",
    "small-models": "print how good models of few attributes are, and what the learner reports of them",
    "merging": "print what learning in parts that are merged costs",
    "drift": "print after how many examples parts notice a change, together and alone",
    "wide": "print CSV rows of learners on simulated streams of very many attributes",
    "rho": "print the two improvement ratios of a data set",
}


def parser_of(command: str) -> argparse.ArgumentParser:
    """The parser of a command; its defaults hold `main`, which takes what was parsed."""
    module = import_module(f".commands.{command.replace('-', '_')}", __package__)
    parser = argparse.ArgumentParser(prog=f"python -m glimpsed.lab {command}", description=module.__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    module.add_arguments(parser)
    parser.set_defaults(main=module.main)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """0: done, 1: failed, 2: wrong options, 130: stopped."""
    arguments = sys.argv[1:] if arguments is None else arguments
    width = max(map(len, COMMANDS))
    usage = "\n".join(["usage: python -m glimpsed.lab COMMAND [options]", "", "Figures of the papers, and studies of the learners. Commands:", "",
                       *(f"  {name:<{width}}  {sentence}" for name, sentence in COMMANDS.items()), "",
                       "`python -m glimpsed.lab COMMAND --help` has the options of one. MNIST is found by GLIMPSE_MNIST, tables by GLIMPSE_DATA."])
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(usage, file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    command = arguments[0]
    if command not in COMMANDS:
        print(f"glimpsed.lab: '{command}' is no command: must be one of {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    try:
        given = parser_of(command).parse_args(arguments[1:])
        given.main(given)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("glimpsed"):
            raise
        print(f"glimpsed.lab: {error}: pip install 'glimpsed[lab]'", file=sys.stderr)
        return 1
    except (ValueError, OSError) as error:
        print(f"glimpsed.lab {command}: {error}", file=sys.stderr)
        return 2 if isinstance(error, ValueError) else 1
    except KeyboardInterrupt:
        print(f"\nglimpsed.lab {command}: stopped; with an output directory the same command goes on from here", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
