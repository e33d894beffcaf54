"""Names the figures and tables that `figure` makes."""

from __future__ import annotations

from ..arguments import Arguments, Parser
from ..figures import FIGURES, PRODUCTS


def add_arguments(parser: Parser) -> None:
    del parser


def main(given: Arguments) -> None:
    del given
    for figure in FIGURES:
        print(f"{figure.name:<20}  {figure.title} ({figure.source})")
    for name, title in PRODUCTS.items():
        print(f"{name:<20}  {title}")
