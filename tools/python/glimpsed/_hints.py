"""Errors in Python's words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


def did_you_mean(name: Any, names: Iterable[Any]) -> str:
    """What to say behind an error of a name that is not known: the nearest one, or nothing."""
    near = difflib.get_close_matches(str(name), [str(one) for one in names], 1)
    return f"; did you mean {near[0]!r}?" if near else ""
