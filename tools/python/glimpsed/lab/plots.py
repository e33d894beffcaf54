"""Pictures by matplotlib, as SVG and PNG. The colours are those of Okabe & Ito, which people tell apart whatever their eyes."""

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure as Picture

from .experiment import Point

COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9", "#7F7F7F", "#8B5A2B")
MARKERS = "os^vDPX*<>"


def picture(columns: int = 1, rows: int = 1, width: float = 9.0, height: float = 5.4) -> tuple[Picture, Any]:
    """A figure and its axes, one or an array."""
    made = Picture(figsize=(width, height), layout="constrained")
    return made, made.subplots(rows, columns)


def save(made: Picture, path: Path) -> None:
    """PATH.svg and PATH.png. The same numbers give the same bytes: no date, and the names of SVG's parts are fixed."""
    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "glimpsed", "svg.fonttype": "none"}):
        made.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    short = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", re.sub(r"\n\s*", "\n", text.getvalue()))
    path.with_name(path.name + ".svg").write_text(short)
    made.savefig(path.with_name(path.name + ".png"), dpi=150, metadata={"Software": None})


def curves(path: Path, title: str, x_label: str, summary: dict[str, list[Point]], against_examples: bool = False,
           logarithmic: bool = False) -> None:
    """Losses against attributes or examples, with a band of a standard deviation."""
    made, axes = picture()
    draw_curves(axes, title, x_label, summary, against_examples, logarithmic)
    save(made, path)


def panels(path: Path, x_label: str, summaries: dict[str, dict[str, list[Point]]]) -> None:
    """Curves of several figures beside each other, by their titles."""
    rows = (len(summaries) + 1) // 2
    made, axes = picture(2, rows, 11, 4 * rows)
    for axis in axes.flat[len(summaries):]:
        axis.set_visible(False)
    for axis, (title, summary) in zip(axes.flat, summaries.items()):
        draw_curves(axis, title, x_label, summary)
    save(made, path)


def draw_curves(axes: Any, title: str, x_label: str, summary: dict[str, list[Point]], against_examples: bool = False, logarithmic: bool = False) -> None:
    for c, (label, points) in enumerate(summary.items()):
        x = [point.examples if against_examples else point.attributes for point in points]
        colour = COLOURS[c % len(COLOURS)]
        axes.plot(x, [point.mean for point in points], label=label, color=colour, marker=MARKERS[c % len(MARKERS)], markersize=4, linewidth=1.4)
        axes.fill_between(x, *([point.mean + sign * point.deviation for point in points] for sign in (-1, 1)), color=colour, alpha=0.15, linewidth=0)
    highest = max((point.mean for points in summary.values() for point in points), default=1.0)
    axes.set(title=title, xlabel=x_label, ylabel="test loss / loss of the zero predictor", ylim=(0, min(highest * 1.1, 1.3)))
    if logarithmic:
        axes.set_xscale("log")
    finish(axes)


def finish(axes: Any) -> None:
    axes.grid(alpha=0.4)
    axes.legend(fontsize="small")


def bars(path: Path, names: Sequence[str], series: dict[str, list[float]], y_label: str, colours: dict[str, str],
         logarithmic: bool, in_row: int = 9) -> None:
    """Groups of bars, `in_row` of them beside each other."""
    rows = max((len(names) + in_row - 1) // in_row, 1)
    made, axes = picture(1, rows, 11, 3.2 * rows)
    width = 0.8 / max(len(series), 1)
    for r, axis in enumerate(axes if rows > 1 else [axes]):
        shown = names[r * in_row:(r + 1) * in_row]
        for s, (label, values) in enumerate(series.items()):
            places = [i + (s - (len(series) - 1) / 2) * width for i in range(len(shown))]
            axis.bar(places, values[r * in_row:r * in_row + len(shown)], width, label=label, color=colours.get(label, "#7F7F7F"))
        axis.set_xticks(range(len(shown)), shown, rotation=20)
        axis.set_ylabel(y_label)
        if logarithmic:
            axis.set_yscale("log")
        axis.grid(axis="y", alpha=0.4)
        if r == 0:
            axis.legend(fontsize="small", ncols=4)
    save(made, path)
