"""What the daemon answered, understood."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Mapping
from typing import Any, Callable, TypeVar

from ._errors import GlimpseError

_Row = TypeVar("_Row")
# What a number is by its name: the least, the most, and whether it is a count, where it is no element of a list.
_RULES = (
    (re.compile("(?:^|_)(?:abandoned|accepted|beyond_budget|bytes|count|durable|examples|expired|failures|frozen|given|"
                "held_out|inside|learned|open|predictions|promotions|records|skipped|unlabelled|values)$"),
     0.0, math.inf, True),
    (re.compile("(?:_loss|rmse|brier|(?:^|_)(?:errors?|cost))$"), 0.0, math.inf, False),
    (re.compile("(?:^|_)probabilit(?:y|ies)$"), 0.0, 1.0, False),
    (re.compile("(?:^|_)r2$"), -math.inf, 1.0, False),
)


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


def _finite(digits: str) -> float:
    """1e999 is a number of JSON, but none of a float."""
    number = float(digits)
    if not math.isfinite(number):
        _refuse(digits)
    return number


def parse(data: bytes) -> dict[str, Any] | None:
    """The JSON object that `data` is; None where it is none, holds NaN or an infinity, or is nested too deeply."""
    try:
        answer = json.loads(data, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def reason(answer: dict[str, Any] | None, data: bytes) -> tuple[str, str]:
    """Code and message of an error."""
    error = (answer or {}).get("error")
    if isinstance(error, dict):
        return str(error.get("code")), str(error.get("message"))
    return "invalid_answer", repr(data[:200])


@functools.lru_cache(1000)
def _rule_of(name: str) -> tuple[float, float, bool]:
    return next((rule[1:] for rule in _RULES if rule[0].search(name)), (-math.inf, math.inf, False))


def check(answer: dict[str, Any]) -> None:
    """Raises GlimpseError for a number that cannot be, as a count of -1 or a probability of 7.5."""
    left: list[tuple[str, Any]] = [("", answer)]
    while left:
        name, value = left.pop()
        in_list = isinstance(value, list)
        members = [(name, one) for one in value] if in_list else value.items()
        if not in_list and name in ("predictions", "standard_errors"):  # by label, whatever that is called
            members = [(name, one) for one in value.values()]
        for key, member in members:
            if isinstance(member, (dict, list)):
                left.append((key, member))
            elif isinstance(member, (int, float)) and not isinstance(member, bool):
                least, most, is_count = _rule_of(key)
                if is_count and in_list:
                    continue  # predictions, not their number
                if not least <= member <= most or (is_count and member != int(member)):
                    raise GlimpseError(200, "invalid_answer", f"'{key}' is {member!r}, which cannot be")


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def check_size(name: str, size: int, count: int, noun: str) -> None:
    if size != count:
        raise GlimpseError(200, "invalid_answer", f"'{name}' has {size} of {counted(count, noun)}")


def rows(answer: Mapping[str, Any], name: str, make: Callable[[Any], _Row]) -> list[_Row]:
    """What `make` makes of each element of the list `name`."""
    try:
        return [make(row) for row in answer[name]]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise GlimpseError(200, "invalid_answer", f"'{name}' cannot be understood: {error!r}") from error
