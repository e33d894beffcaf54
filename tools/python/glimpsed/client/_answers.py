"""What the daemon answered, understood."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Callable, TypeVar

from ._errors import GlimpseError

_Row = TypeVar("_Row")


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


def rows(answer: Mapping[str, Any], name: str, make: Callable[[Any], _Row]) -> list[_Row]:
    """What `make` makes of each element of the list `name`."""
    try:
        return [make(row) for row in answer[name]]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise GlimpseError(200, "invalid_answer", f"'{name}' cannot be understood: {error!r}") from error
