"""Names the figures and tables that `figure` makes."""

from ..arguments import Arguments, Parser
from ..figures import FIGURES, PRODUCTS


def add_arguments(_: Parser) -> None:
    """It has none."""


def main(_: Arguments) -> None:
    for name, title in ({figure.name: f"{figure.title} ({figure.source})" for figure in FIGURES} | PRODUCTS).items():
        print(f"{name:<20}  {title}")
