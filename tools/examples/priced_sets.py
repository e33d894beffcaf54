"""Sets of patients whose tests have prices: read from a file of examples and a file of prices."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

UNIT = 1_000_000  # amounts are whole millionths, as in glimpsed, so that sums and limits are exact

# What COSTS.tsv says in its column 'source' alone: the members' prices contain a shared amount.
_SHARED_BY_NAME = {"hepatitis": (Decimal("2.10"), {"bilirubin", "alk_phosphate", "sgot", "albumin", "protime"})}
# What is asked of a set with more than two labels: these are 1, the others 0.
_ILL = {"ann_thyroid": ("1", "2")}
NAMED = ("heart_cleveland", "pima", "ann_thyroid", "hepatitis")


class InputError(Exception):
    """What is wrong with a file, or that it is not there."""


def amount(text: str) -> int:
    try:
        value = Decimal(text) * UNIT
    except InvalidOperation:
        raise InputError(f"'{text}' is not a price") from None
    if not value.is_finite() or value < 0 or value != int(value):
        raise InputError(f"price {text} must be at least 0, with at most six digits after the point")
    return int(value)


def decimal(millionths: int) -> str:
    return f"{Decimal(millionths) / UNIT:f}"


class Prices:
    """own[i] is what test i costs once the shared cost of its group (or None), shared[group], is paid."""

    def __init__(self, own: list[int], group: list[str | None], shared: dict[str, int]) -> None:
        self.own, self.group, self.shared = own, group, shared

    def alone(self, test: int) -> int:
        return self.own[test] + self.shared.get(self.group[test] or "", 0)

    def bill(self, tests: list[int]) -> int:
        groups = {self.group[test] for test in tests} - {None}
        return sum(self.own[test] for test in tests) + sum(self.shared[group] for group in groups)

    def total(self) -> int:
        return self.bill(list(range(len(self.own))))

    def apart(self) -> Prices:
        """The same tests, each at its full price whatever else is bought."""
        return Prices([self.alone(test) for test in range(len(self.own))], [None] * len(self.own), {})

    def text(self, names: list[str]) -> str:
        """In the format of glimpsed's --costs."""
        lines = [f"{name}\t{decimal(self.own[i])}\t{self.group[i] or ''}".rstrip() for i, name in enumerate(names)]
        return "\n".join(lines + [f"@{group}\t{decimal(price)}" for group, price in self.shared.items()]) + "\n"


@dataclass
class PricedSet:
    name: str
    question: str  # what the label says
    tests: list[str]
    prices: Prices
    patients: list[tuple[float, list[float]]]  # label, a value a test
    binary: bool  # labels are 0 and 1
    left_out: list[str]  # attributes that have no price


def _read(path: str) -> str:
    try:
        with open(path, "rb") as file:
            data = file.read()
        return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read_examples(path: str) -> tuple[list[str] | None, list[list[str]]]:
    """The names of a header, or None; rows of text, label first."""
    rows = [[field.strip() for field in row] for row in csv.reader(io.StringIO(_read(path))) if row]
    header = None
    if rows and not any(_is_number(field) for field in rows[0]):
        header = rows.pop(0)[1:]
    if len(rows) < 10 or len(rows[0]) < 2:
        raise InputError(f"{path}: needs ten rows of a label and a value a test, at least")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]) or not all(map(_is_number, row)):
            raise InputError(f"{path}: row {number} is not {len(rows[0])} numbers with commas between")
    return header, rows


def _make(name: str, names: list[str], rows: list[list[str]], prices: Prices, kept: list[int],
          ill: tuple[str, ...] | None) -> PricedSet:
    labels = sorted({float(row[0]) for row in rows})
    if ill is None and len(labels) == 2:
        ill = (f"{labels[1]:g}",)
    one = {float(text) for text in ill} if ill else set()
    if ill and not (one & set(labels) and set(labels) - one):
        raise InputError(f"{name}: of the labels {', '.join(f'{v:g}' for v in labels)} some must be ill "
                         f"({', '.join(ill)}) and some not")

    def label(text: str) -> float:
        return float(float(text) in one) if ill else float(text)

    patients = [(label(row[0]), [float(row[1 + i]) for i in kept]) for row in rows]
    question = "the label, a number"
    if ill:
        count = sum(y for y, _ in patients)
        question = f"label {' or '.join(ill)} (ill, {count:.0f} of {len(rows)} patients) or not"
    return PricedSet(name, question, [names[i] for i in kept], prices, patients, bool(ill),
                     [n for i, n in enumerate(names) if i not in kept])


def read_named(name: str, directory: str) -> PricedSet:
    """NAME.csv.gz of `directory`, names from COLUMNS.tsv, prices from COSTS.tsv.

    COSTS.tsv has two prices where tests share a cost (blood is drawn once): the full one, and what the test costs once
    another one has paid the shared cost. Their difference is what is shared, and tests of a set with the same
    difference are one group. An attribute without a price (it is computed from others) cannot be bought, and is
    left out for everybody.
    """
    table: dict[str, tuple[str, str]] = {}
    for line in _read(os.path.join(directory, "COSTS.tsv")).splitlines()[1:]:
        fields = line.split("\t") + [""] * 4
        if fields[0] == name and fields[2]:
            table[fields[1]] = (fields[2], fields[3] or fields[2])
    columns = dict(line.split("\t")[:2] for line in _read(os.path.join(directory, "COLUMNS.tsv")).splitlines())
    if not table or name not in columns:
        raise InputError(f"COSTS.tsv or COLUMNS.tsv in {directory} says nothing of {name}")
    names = columns[name].split(",")
    kept = [i for i, attribute in enumerate(names) if attribute in table]
    own: list[int] = []
    group: list[str | None] = []
    shared: dict[str, int] = {}
    by_name = _SHARED_BY_NAME.get(name)
    for i in kept:
        full, discounted = map(amount, table[names[i]])
        if by_name and names[i] in by_name[1]:
            discounted = full - amount(str(by_name[0]))
        own.append(discounted)
        group.append(f"shares_{decimal(full - discounted)}" if full > discounted else None)
        if full > discounted:
            shared[group[-1] or ""] = full - discounted
    rows = _read_examples(os.path.join(directory, f"{name}.csv.gz"))[1]
    if len(rows[0]) != len(names) + 1:
        raise InputError(f"{name}: COLUMNS.tsv names {len(names)} columns, the file has {len(rows[0]) - 1}")
    return _make(name, names, rows, Prices(own, group, shared), kept, _ILL.get(name))


def parse_prices(text: str, names: list[str]) -> Prices:
    """The format of glimpsed's --costs (lib/learn/options/prices.h)."""
    listed: dict[int, tuple[int, str | None]] = {}
    shared: dict[str, int] = {}
    other: int | None = None
    for number, line in enumerate(text.splitlines(), 1):
        fields = [field for field in re.split(r"[,\s]+", line) if field]
        if not fields or fields[0].startswith("#"):
            continue
        try:
            if fields[0].startswith("@"):
                shared[fields[0][1:]] = amount(fields[1])
            elif fields[0] == "*":
                other = amount(fields[1])
            else:
                index = names.index(fields[0]) if fields[0] in names else int(fields[0])
                names[index]  # a number beyond the last one is an IndexError
                listed[index] = (amount(fields[1]), fields[2] if len(fields) > 2 else None)
        except (IndexError, ValueError):
            raise InputError(f"prices, line {number}: not a test of the set and its price: {line}") from None
    own: list[int] = []
    group: list[str | None] = []
    for i, name in enumerate(names):
        if i not in listed and other is None:
            raise InputError(f"prices: {name} has none")
        price, of = listed.get(i, (other or 0, None))
        if of is not None and of not in shared:
            raise InputError(f"prices: no line @{of} says what group {of} shares")
        own.append(price)
        group.append(of)
    return Prices(own, group, shared)


def read_own(data: str, costs: str, attributes: str | None, ill: str | None) -> PricedSet:
    """A user's files: CSV with the label first, prices as for --costs, a name a line."""
    header, rows = _read_examples(data)
    names = header or [f"test{i}" for i in range(len(rows[0]) - 1)]
    if attributes:
        names = _read(attributes).split()
    if len(names) != len(rows[0]) - 1 or len(set(names)) != len(names):
        raise InputError(f"{attributes or data}: {len(set(names))} different names for {len(rows[0]) - 1} tests")
    return _make(os.path.basename(data).split(".")[0], names, rows, parse_prices(_read(costs), names),
                 list(range(len(names))), tuple(ill.split(",")) if ill else None)
