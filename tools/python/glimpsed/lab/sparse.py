"""Sets of ABHLT14 as sparse examples: what a reader of svmlight sees."""

import gzip
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .. import _core
from .data import read_svmlight, rows_of_papers

POKER_HANDS = 946799  # as in the paper


@dataclass(frozen=True)
class SparseSet:
    """A set of the paper, or beside it; how labels are taken is of ours where the paper does not say it."""
    set: str
    file: str  # below a folder of tables; empty: random poker hands
    label: str  # a column of CSV: first or last
    kind: str  # class: 1 for `value`, else -1; at least: 1 from `value` on; unit: from 0 to 1; number: as it is
    value: str
    words: str  # yes: every value of an attribute is a category

    @property
    def is_binary(self) -> bool:
        return self.kind in ("class", "at least")


def sparse_sets() -> list[SparseSet]:
    return [SparseSet(**row) for row in rows_of_papers("ablht14_sets.csv")]


@dataclass(frozen=True)
class Examples:
    """Lines in memory, and their labels."""
    text: _core.ExampleText
    labels: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.labels)

    def describe(self) -> str:
        return f"examples={len(self)} attributes={self.text.dimension} labels={float(self.labels.sum())!r}"


def load_sparse(of: SparseSet, folders: Sequence[str]) -> Examples | None:
    """None: no folder has it."""
    if not of.file:
        return poker_hands(POKER_HANDS, 1)
    path = next((Path(folder) / of.file for folder in folders if os.path.exists(f"{folder}/{of.file}")), None)
    if path is None:
        return None
    if ".svm" in path.name:
        table = read_svmlight(gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes())
        rows, columns = np.nonzero(table.x)
        return _examples(rows, columns, table.x[rows, columns].astype(np.float64), labels_of(of, table.y))
    frame = pd.read_csv(path, header="infer" if has_header(path) else None, skipinitialspace=True, na_values=["?"])
    place = 0 if of.label == "first" else frame.shape[1] - 1
    label = frame.iloc[:, place]
    y = label.to_numpy(np.float64) if pd.api.types.is_numeric_dtype(label) else pd.factorize(label)[0].astype(np.float64)
    return _examples(*entries_of(frame.drop(columns=frame.columns[place]), of.words == "yes"), labels_of(of, y))


def has_header(path: Path) -> bool:
    """Whether no cell of the first line is a number."""
    first = pd.read_csv(path, header=None, nrows=1, dtype=str, keep_default_na=False)
    return bool(pd.to_numeric(first.iloc[0], errors="coerce").isna().all())


def entries_of(frame: pd.DataFrame, all_are_words: bool = False) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """Rows, attributes and values of what is neither 0 nor missing. Every word of a column is an attribute of its own, and
    attributes are numbered in the order in which they come."""
    codes, values = np.zeros(frame.shape, dtype=np.int64), np.zeros(frame.shape)
    for j in range(frame.shape[1]):
        column = frame.iloc[:, j]
        if not all_are_words and pd.api.types.is_numeric_dtype(column):
            values[:, j] = column.fillna(0).to_numpy(np.float64)
        else:
            codes[:, j] = pd.factorize(column)[0] + 1
            values[:, j] = codes[:, j] > 0
    rows, columns = np.nonzero(values)
    keys = columns * (codes.max() + 1) + codes[rows, columns]
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), dtype=np.intp)
    numbers[np.argsort(first)] = np.arange(len(first))
    attributes = numbers[inverse]
    order = np.lexsort((attributes, rows))
    return rows[order], attributes[order], values[rows, columns][order]


def _examples(rows: NDArray[np.intp], columns: NDArray[np.intp], values: NDArray[np.float64], labels: NDArray[np.float64]) -> Examples:
    begins = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(labels))))).astype(np.int64)
    return Examples(_core.ExampleText.sparse(begins, columns.astype(np.uint32), values, labels), labels)


def labels_of(of: SparseSet, y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Raises ValueError where all are the same."""
    if of.is_binary:
        y = np.where(y == float(of.value) if of.kind == "class" else y >= float(of.value), 1.0, -1.0)
    elif of.kind == "unit":
        y = (y - y.min()) / (y.max() - y.min())
    if y.min() == y.max():
        raise ValueError(f"{of.set}: all {len(y)} labels are the same")
    return y


def poker_hands(hands: int, seed: int) -> Examples:
    """Five cards each, as suit and rank; the label is 1 for a hand of nothing."""
    random = np.random.default_rng(seed)
    deck = np.tile(np.arange(52, dtype=np.int8), (hands, 1))
    every = np.arange(hands)
    for c in range(5):
        other = c + random.integers(0, 52 - c, hands)
        deck[every, c], deck[every, other] = deck[every, other], deck[every, c].copy()
    ranks, suits = deck[:, :5] % 13, deck[:, :5] // 13
    cells = np.stack((suits + 1, ranks + 1), axis=2).reshape(hands, 10).astype(np.float64)
    rows, columns = np.nonzero(cells)
    return _examples(rows, columns, cells[rows, columns], np.where(is_nothing(ranks, suits), 1.0, -1.0))


def is_nothing(ranks: NDArray[np.int8], suits: NDArray[np.int8]) -> NDArray[np.bool_]:
    """No two of a rank, no five of a suit, no five ranks in a row, where an ace is below and above all."""
    order = np.sort(ranks, axis=1)
    distinct = (np.diff(order, axis=1) > 0).all(axis=1)
    straight = (order[:, 4] - order[:, 0] == 4) | ((order[:, 0] == 0) & (order[:, 1] == 9))
    flush = (suits == suits[:, :1]).all(axis=1)
    return np.asarray(distinct & ~straight & ~flush)
