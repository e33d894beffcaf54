"""From an estimator's parameters to what a session is begun with."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from .. import _core
from .._hints import did_you_mean

#: Algorithms that choose among attributes, of which there must be two, and what takes their place where there is one.
_OF_ONE = {"auto": "online-ridge", "pairwise": "online-ridge", "pairwise-screened": "online-ridge", "aerr": "online-ridge",
           "two-phase-ddaerr": "online-ridge", "aelr": "online-lasso", "two-phase-ddaelr": "online-lasso"}

_OPTIONS = {*_core.options(), "moments", "max-categories"} - {"dimension"}


def beginning_of(estimator: Any, dimension: int, names: Sequence[str] | None, word_attributes: Sequence[int],
                 classes: Sequence[str] | None, is_restored: bool = False) -> _core.Beginning:
    """The daemon's options of the same names, and what is known of the attributes. `is_restored`: a checkpoint has the
    numbers that files are named for."""
    clip_of(estimator.clip)
    beginning = _core.Beginning()
    algorithm = _OF_ONE.get(estimator.algorithm, estimator.algorithm) if dimension == 1 else estimator.algorithm
    options = {"algorithm": algorithm, "dimension": dimension, "budget": min(whole(estimator.budget, "budget"), dimension),
               "seed": estimator.seed if estimator.seed is not None else int.from_bytes(os.urandom(6), "little")}
    if estimator.budget_cost is not None:
        options["budget-cost"] = estimator.budget_cost
    for name, value in options_of(estimator.options).items():
        if name not in _OPTIONS:
            called = name.replace("-", "_")
            raise ValueError(f"options: there is no {called!r}"
                             + did_you_mean(called, (one.replace("-", "_") for one in _OPTIONS)))
        options[name] = value
    moments = options.pop("moments", None)
    if moments is not None and not is_restored:
        with open(moments, encoding="utf-8") as file:
            beginning.moments = file.read()
    beginning.max_categories = whole(options.pop("max-categories", beginning.max_categories), "max_categories")
    beginning.options = {name: _text(value) for name, value in options.items()}
    beginning.names = list(names or ())
    beginning.word_attributes = list(word_attributes)
    beginning.classes = None if classes is None else list(classes)
    if classes is not None:
        beginning.max_classes = max(beginning.max_classes, len(classes))
    beginning.costs = costs_text(estimator.costs, dimension, names)
    beginning.process = int.from_bytes(os.urandom(3), "little")
    return beginning


def session_of(beginning: _core.Beginning, saved: bytes | None = None) -> _core.Session:
    """A session that begins, or goes on from a checkpoint. Errors of options are of parameters: half_life=-3, and not
    --half-life -3."""
    try:
        return _core.Session.begin(beginning) if saved is None else _core.Session.restore(saved, beginning)
    except ValueError as error:
        text = re.sub(r"^--(\S+) (\S+): ", lambda said: f"--{said[1]}={told_value(said[2])!r}: ", str(error))
        text = re.sub(r"--([a-z][a-z0-9-]*)(?: FILE)?", lambda said: said[1].replace("-", "_"), text)
        choice = re.fullmatch(r"\w+='(.*)': must be one of (.*)", text)
        raise ValueError(text + (did_you_mean(choice[1], choice[2].split(", ")) if choice else "")) from None


def options_of(options: Any) -> dict[str, Any]:
    """Options by the daemon's names, which have hyphens."""
    if options is None:
        return {}
    if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
        raise ValueError(f"options={options!r}: must be a dictionary of options by name, as {{'half_life': 10000}}")
    return {name.replace("_", "-"): value for name, value in options.items()}


def clip_of(clip: Any) -> tuple[tuple[float, float] | None, bool]:
    """The range, or none, and whether it is that of the labels."""
    if isinstance(clip, str):
        if clip not in ("auto", "off"):
            raise ValueError(f"clip={clip!r}: must be 'auto', 'off' or (low, high)")
        return None, clip == "auto"
    try:
        low, high = (float(bound) for bound in clip)
    except (TypeError, ValueError):
        raise ValueError(f"clip={clip!r}: must be 'auto', 'off' or (low, high)") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"clip={clip!r}: must be two finite numbers, the lower one first")
    return (low, high), False


def costs_text(costs: Any, dimension: int, names: Sequence[str] | None) -> str:
    """The daemon's file of costs: a sequence of prices; or by name or number, {"bilirubin": (7.27, "blood"),
    "@blood": 2.10, "*": 1}."""
    if costs is None:
        return ""
    if not isinstance(costs, Mapping):
        try:
            prices = None if isinstance(costs, str) else list(costs)
        except TypeError:
            prices = None
        if prices is None:
            raise ValueError(f"costs={costs!r}: must be a price for each attribute, or prices by name or number")
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
        place = int(name) if isinstance(name, Integral) else name if name == "*" else places.get(name)
        if place is None:
            raise ValueError(f"costs: X has no attribute {name!r}{did_you_mean(name, places)}")
        group = ""
        if isinstance(price, (tuple, list)):
            if len(price) != 2:
                raise ValueError(f"costs: {price!r} must be a price and the group that shares another")
            price, shared = price
            group = f" {groups.setdefault(shared, f'g{len(groups)}')}"
        lines.append(f"{place} {_money(price)}{group}")
    return "\n".join(lines) + "\n"


def _money(price: Any) -> str:
    if isinstance(price, bool) or not isinstance(price, (Real, Decimal)) or not math.isfinite(price):
        raise ValueError(f"costs: the price {price!r} must be a finite number")
    text = str(int(price)) if isinstance(price, Integral) else f"{price if isinstance(price, Decimal) else float(price):.6f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def whole(value: Any, name: str) -> int:
    """A whole number, or ValueError."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if isinstance(value, bool) or number is None or number != value:
        raise ValueError(f"{name}={value!r}: must be a whole number")
    return number


def told_value(text: str) -> Any:
    """A number where it is one: of an option that a checkpoint tells."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def is_same(value: Any, told: str) -> bool:
    """Whether an option that was given is what a checkpoint tells."""
    return bool(_text(value) == told or told_value(_text(value)) == told_value(told))


def is_none(value: Any) -> bool:
    """Whether an option that a checkpoint does not tell was given as what it then is."""
    return value is None or _text(value) in ("0", "off", "none", "unknown", "auto")


def _text(value: Any) -> str:
    """As on the daemon's command line."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
