"""From an estimator's parameters to what a session is begun with."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

from .. import _core

#: Algorithms that choose among attributes, of which there must be two, and what takes their place where there is one.
_OF_ONE = {"auto": "online-ridge", "pairwise": "online-ridge", "pairwise-screened": "online-ridge", "aerr": "online-ridge",
           "two-phase-ddaerr": "online-ridge", "aelr": "online-lasso", "two-phase-ddaelr": "online-lasso"}


def beginning_of(estimator: Any, dimension: int, names: Sequence[str] | None, word_attributes: Sequence[int],
                 classes: Sequence[str] | None) -> _core.Beginning:
    """The daemon's options of the same names, and what is known of the attributes."""
    beginning = _core.Beginning()
    algorithm = _OF_ONE.get(estimator.algorithm, estimator.algorithm) if dimension == 1 else estimator.algorithm
    options = {"algorithm": algorithm, "dimension": dimension, "budget": min(_whole(estimator.budget, "budget"), dimension),
               "seed": estimator.seed if estimator.seed is not None else int.from_bytes(os.urandom(6), "little")}
    if estimator.budget_cost is not None:
        options["budget-cost"] = estimator.budget_cost
    for name, value in (estimator.options or {}).items():
        options[name.replace("_", "-")] = value
    beginning.max_categories = _whole(options.pop("max-categories", beginning.max_categories), "max_categories")
    beginning.options = {name: _text(value) for name, value in options.items()}
    beginning.names = list(names or ())
    beginning.word_attributes = list(word_attributes)
    beginning.classes = None if classes is None else list(classes)
    if classes is not None:
        beginning.max_classes = max(beginning.max_classes, len(classes))
    beginning.costs = costs_text(estimator.costs, dimension, names)
    beginning.process = int.from_bytes(os.urandom(3), "little")
    return beginning


def clip_of(clip: Any) -> tuple[tuple[float, float] | None, bool]:
    """The range, or none, and whether it is that of the labels."""
    if isinstance(clip, str):
        if clip not in ("auto", "off"):
            raise ValueError(f"clip={clip!r}: must be 'auto', 'off' or (low, high)")
        return None, clip == "auto"
    low, high = (float(bound) for bound in clip)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"clip={clip!r}: must be two finite numbers, the lower one first")
    return (low, high), False


def costs_text(costs: Any, dimension: int, names: Sequence[str] | None) -> str:
    """The daemon's file of costs: a sequence of prices; or by name or number, {"bilirubin": (7.27, "blood"),
    "@blood": 2.10, "*": 1}."""
    if costs is None:
        return ""
    if not isinstance(costs, Mapping):
        prices = list(costs)
        if len(prices) != dimension:
            raise ValueError(f"costs has {len(prices)} prices, and X has {dimension} attributes")
        return "".join(f"{place} {_money(price)}\n" for place, price in enumerate(prices))
    places = {name: place for place, name in enumerate(names or ())}
    groups: dict[str, str] = {}
    lines = []
    for name, price in costs.items():
        if isinstance(name, str) and name.startswith("@"):
            lines.append(f"@{groups.setdefault(name[1:], f'g{len(groups)}')} {_money(price)}")
            continue
        place = name if isinstance(name, int) or name == "*" else places.get(name)
        if place is None:
            raise ValueError(f"costs: X has no attribute {name!r}")
        group = ""
        if isinstance(price, (tuple, list)):
            price, shared = price
            group = f" {groups.setdefault(shared, f'g{len(groups)}')}"
        lines.append(f"{place} {_money(price)}{group}")
    return "\n".join(lines) + "\n"


def _money(price: Any) -> str:
    text = f"{price:.6f}" if isinstance(price, float) else str(price)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _whole(value: Any, name: str) -> int:
    if isinstance(value, bool) or int(value) != value:
        raise ValueError(f"{name}={value!r}: must be a whole number")
    return int(value)


def _text(value: Any) -> str:
    """As on the daemon's command line."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
