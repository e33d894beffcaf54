"""Values and lines as the daemon reads them."""

from __future__ import annotations

import difflib
import json
import math
import numbers
import operator
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Optional, Union

Attribute = Union[int, str]
Value = Union[float, str]  # a number, or a category by its name
# By attribute (the keys are not Attribute, as mypy takes no dict of names and numbers for such a Mapping), or all.
Values = Union[Mapping[Any, Optional[Value]], Sequence[Optional[Value]]]
Known = Mapping[Any, Optional[Value]]
Label = Union[Value, Mapping[str, float]]  # of several labels all, by name
ToldLabel = Union[Value, Mapping[str, Optional[float]]]  # of several labels those that are known, by name
LabelledExample = Union[tuple[Label, Values], tuple[Label, Values, float]]


def is_truth_value(value: Any) -> bool:
    """Also numpy's, which is no bool."""
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")


def number_of(value: Any) -> float:
    """A whole number stays one: among categories it is the word 1, and 1.0 would be another."""
    if is_truth_value(value):
        raise ValueError(f"{value!r} is a truth value, neither a number nor a word; say 1 or 0, or a category's name")
    number = int(value) if isinstance(value, numbers.Integral) else float(value)
    try:
        is_finite = math.isfinite(number)
    except OverflowError:  # a whole number beyond the largest double
        is_finite = False
    if not is_finite:
        raise ValueError(f"{value!r} is not a finite number; None is what is refused or missing")
    return number


def value_of(value: Any) -> float | str:
    """Of a string itself: the daemon knows which attributes hold words."""
    return value if isinstance(value, str) else number_of(value)


def attribute_of(attribute: Any) -> Attribute:
    if isinstance(attribute, str):
        return attribute
    if is_truth_value(attribute) or not hasattr(attribute, "__index__"):
        raise ValueError(f"{attribute!r} calls no attribute; say its number, a whole one from 0, or its name")
    return operator.index(attribute)


def attributes_of(attributes: Iterable[Attribute]) -> list[Attribute]:
    return [attribute_of(attribute) for attribute in attributes]


def optional_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"{value!r} is no text")


def optional_numbers(value: Any) -> tuple[float | None, ...]:
    return tuple(map(optional_number, value))


def optional_number(value: Any) -> float | None:
    return None if value is None else float(value)


def key_of(attribute: Attribute) -> str:
    """A number has a 0 in front: so it is never taken for an attribute that is called by a number."""
    return attribute if isinstance(attribute, str) else f"0{attribute_of(attribute)}"


def values_of(values: Values) -> Any:
    def one(value: Any) -> float | str | None:
        return None if value is None else value_of(value)

    if isinstance(values, Mapping):
        return {key_of(attribute): one(value) for attribute, value in values.items()}
    return [one(value) for value in values]


def is_frame(value: Any) -> bool:
    """Whether it is a DataFrame of pandas, or what has columns and places as one."""
    return hasattr(value, "iloc") and hasattr(value, "columns")


def cell_of(value: Any) -> Any:
    """A value of a DataFrame as JSON has it: dates are text, and truth values 1 and 0, as in tables of CSV."""
    if value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and math.isnan(value)):
        return None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    is_whole = is_truth_value(value) or (isinstance(value, float) and value.is_integer())
    return int(value) if is_whole else value  # 3.0 is the word 3 where it is a category


def rows_of(frame: Any) -> Iterator[dict[Any, Any]]:
    """The rows of a DataFrame, by the names of its columns."""
    names = [name.strip() if isinstance(name, str) else name for name in frame.columns]
    columns = [frame.iloc[:, place].tolist() for place in range(len(names))]
    return (dict(zip(names, map(cell_of, row))) for row in zip(*columns))


def labelled(frame: Any, y: Any) -> Iterator[LabelledExample]:
    """Labels and rows of a DataFrame; `y` are the labels, or the name of the column that has them."""
    if isinstance(y, str):
        if y not in frame.columns:
            near = difflib.get_close_matches(y, map(str, frame.columns), 1)
            raise ValueError(f"the table has no column {y!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        frame, y = frame.drop(columns=[y]), frame[y]
    if y is None or len(y) != len(frame):
        raise ValueError("learn(table, y): y is the name of the label's column, or a label for each row")
    labels = [cell_of(label) for label in (y.tolist() if hasattr(y, "tolist") else y)]
    if None in labels:
        raise ValueError(f"the label of row {labels.index(None)} is missing: leave rows without one out, as with dropna()")
    return zip(labels, rows_of(frame))


def dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def label_of(label: Any) -> float | str:
    if label is None:
        raise ValueError("the label is None: an example that is learned from has one")
    return value_of(label)


def labels_of(labels: Mapping[Any, Any]) -> dict[str, float]:
    missing = [str(name) for name, label in labels.items() if label is None]
    if missing:
        raise ValueError(f"the label {missing[0]!r} is None: an example that is learned from has all of its labels")
    return {str(name): number_of(label) for name, label in labels.items()}


def example_line(example: LabelledExample) -> str:
    label = example[0]
    named = ("labels", labels_of(label)) if isinstance(label, Mapping) else ("label", label_of(label))
    fields: dict[str, Any] = dict([named, ("values", values_of(example[1]))])
    if len(example) == 3:
        fields["importance"] = number_of(example[2])
    return dump(fields)


def batches(lines: Iterable[str], most: int, count: int = 1 << 62) -> Iterator[list[str]]:
    """Lines, `count` at a time, or as many as fit into `most` bytes; at least one."""
    batch: list[str] = []
    size = 0
    for line in lines:
        if batch and (size + len(line) + 1 > most or len(batch) == count):
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += len(line) + 1
    if batch:
        yield batch


def checked_absent(absent: str | None) -> str | None:
    if absent not in (None, "unknown", "zero"):
        raise ValueError(f"absent must be 'unknown' or 'zero', not {absent!r}")
    return absent


def target_of(path: str, **parameters: str | None) -> str:
    given = {name: value for name, value in parameters.items() if value is not None}
    return path + ("?" + urllib.parse.urlencode(given) if given else "")


def name_of_checkpoint(checkpoint: str | int | None) -> str | None:
    return checkpoint if checkpoint is None else str(checkpoint)
