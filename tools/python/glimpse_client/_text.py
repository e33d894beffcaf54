"""Values and lines as the daemon reads them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Optional, Union

Attribute = Union[int, str]
Value = Union[float, str]  # a number, or a category by its name
# By attribute (the keys are not Attribute, as mypy takes no dict of names and numbers for such a Mapping), or all.
Values = Union[Mapping[Any, Optional[Value]], Sequence[Optional[Value]]]
Known = Mapping[Any, Optional[Value]]
LabelledExample = Union[tuple[Value, Values], tuple[Value, Values, float]]


def number_of(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value!r} is not a finite number; None is what is refused or missing")
    return number


def value_of(value: Any) -> float | str:
    """Of a string itself: the daemon knows which attributes hold words."""
    return value if isinstance(value, str) else number_of(value)


def attributes_of(attributes: Iterable[Attribute]) -> list[Attribute]:
    return [attribute if isinstance(attribute, str) else int(attribute) for attribute in attributes]


def optional_number(value: Any) -> float | None:
    return None if value is None else float(value)


def values_of(values: Values) -> Any:
    def one(value: Any) -> float | str | None:
        return None if value is None else value_of(value)

    if isinstance(values, Mapping):
        return {str(attribute): one(value) for attribute, value in values.items()}
    return [one(value) for value in values]


def dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def batches(lines: Iterable[str], most: int) -> Iterator[list[str]]:
    """Lines, as many at a time as fit into `most` bytes; at least one."""
    batch: list[str] = []
    size = 0
    for line in lines:
        if batch and size + len(line) + 1 > most:
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += len(line) + 1
    if batch:
        yield batch
