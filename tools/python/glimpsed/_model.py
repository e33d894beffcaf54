"""Models that others learned: glimpsed.read(PATH)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from decimal import Decimal
from math import isnan
from typing import Any

import numpy as np

from . import _core, arrow
from ._checkpoints import labels_of, read_bytes, word_of
from ._hints import did_you_mean


def read(path: str | os.PathLike[str]) -> Model:
    """The model of a file of `glimpsectl fit`, of a checkpoint, or of a state directory's newest one.

    Raises FileNotFoundError, and ValueError for a file that is no checkpoint.
    """
    return Model(read_bytes(path))


class Model:
    """A model to predict with. Its tables are a DataFrame of pandas, a table of Arrow or the path of a file of it, a
    mapping of columns, or an array with a column for each attribute.

    Columns are found by their names, and read as glimpsed reads tables: dates, currencies, decimal commas and marks
    for missing values as in the table that the model has learned. Columns that the model does not know are passed over.
    One that lacks is an error, and with missing_columns="allow" unknown in all rows. Threads may share a model; copies and
    pickles are of their own.

    With several labels predict() has a column for each of `labels`, coef_ a row, and `weights` and `importances` a dict;
    explain() and plot() are of one label: the first, unless `label` names another.
    """

    def __init__(self, checkpoint: bytes) -> None:
        described = _core.describe(checkpoint)
        beginning = _core.Beginning()
        beginning.classes = [] if described["is_classifier"] else None
        beginning.labels = described["labels"]
        self._session = _core.Session.restore(checkpoint, beginning)
        count = max(1, len(described["labels"]))
        self._history = _history_of(checkpoint, count)
        noted = json.loads(described["noted"] or "{}")
        #: What each attribute is called; of a model without names its number from 0.
        self.names: list[str] = described["names"] or [str(place) for place in range(self._session.dimension)]
        self._are_named = bool(described["names"])
        self._takes_numbers = [*self._session.take_numbers(), *[False] * count]
        #: The columns of the labels in the table that was learned; empty: not known.
        self.labels: list[str] = [name for name in self._session.label_names() if name]
        #: The first of them, and most often the only one; empty: not known.
        self.label: str = self.labels[0] if self.labels else ""
        #: Of a classifier its classes, in the order of predict_proba(); else None.
        self.classes: np.ndarray | None = None
        if described["is_classifier"]:
            self.classes = labels_of(self._session.classes(), noted.get("classes"), None)

    def __repr__(self) -> str:
        what = "numbers" if self.classes is None else f"{len(self.classes)} classes"
        of = f" of {', '.join(map(repr, self.labels))}" if self.labels else ""
        return f"<glimpsed.Model{of}: {what} from {len(self.names)} attributes, {self.examples:,} examples learned>"

    def __reduce__(self) -> tuple[type[Model], tuple[bytes]]:
        return Model, (self._session.save(),)

    @property
    def examples(self) -> int:
        """How many examples were learned from."""
        return self._session.examples

    @property
    def weights(self) -> dict[str, Any]:
        """The weight of each attribute, category ('sky=rain'), part of a date ('day: Monday') and product; of two classes
        for the second one. Raises ValueError for more classes."""
        features = self._session.features()
        return self._by_label([{name: float(row[slot]) for slot, name, _ in features} for row, _ in self._linear()])

    @property
    def coef_(self) -> np.ndarray:
        """The numbers of `weights`, shaped as scikit-learn's: a row for each of several labels, one row for two classes."""
        slots = [slot for slot, _, _ in self._session.features()]
        rows = np.array([row[slots] for row, _ in self._linear()])
        return rows if len(rows) > 1 or self.classes is not None else rows[0]

    @property
    def intercept_(self) -> Any:
        """What belongs to coef_ where all attributes are 0: a number, of several labels and of two classes an array."""
        biases = np.array([bias for _, bias in self._linear()])
        return biases if len(biases) > 1 or self.classes is not None else float(biases[0])

    def _linear(self) -> list[tuple[np.ndarray, float]]:
        """The weights by slots, and the bias, of each label."""
        if self.classes is None:
            return [self._session.model(place) for place in range(len(self._history))]
        scores = self._session.class_model()
        if scores is None or len(self.classes) != 2:
            raise ValueError("weights are of numbers and of two classes: of more each class has its own")
        (first, second), (one, other) = scores[0].T, scores[1]
        return [(self._session.slope * (second - first), self._session.slope * (other - one))]

    @property
    def importances(self) -> dict[str, Any]:
        """What each attribute is worth, the largest first: how much larger the expected squared error were without it,
        as a share of the label's variance. Empty: not known."""
        return self._by_label([self._importances(place) for place in range(len(self._history))])

    def _importances(self, place: int) -> dict[str, float]:
        worth = self._session.importances(place)[0][:len(self.names)]  # behind them those of single categories
        return {self.names[i]: float(worth[i]) for i in np.argsort(-worth, kind="stable")}

    def _by_label(self, each: list[dict[str, float]]) -> dict[str, Any]:
        return dict(zip(self.labels, each)) if len(each) > 1 else each[0]

    def _label(self, label: Any) -> int:
        """The place of a label."""
        if label is None:
            return 0
        if not isinstance(label, str) or label not in self.labels:
            raise ValueError(f"label={label!r}: must be one of {', '.join(map(repr, self.labels))}"
                             f"{did_you_mean(str(label), self.labels)}")
        return self.labels.index(label)

    def predict(self, table: Any, *, return_std: bool = False, missing_columns: str = "refuse") -> Any:
        """The prediction of each row, that of glimpsed to the bit; of a classifier the likeliest class. `return_std`: and
        its standard error, where values are missing with what is not known of them; NaN: not known yet."""
        if self.classes is not None:
            if return_std:
                raise ValueError("return_std is for numbers: predict_proba() says how sure a class is")
            return self.classes[np.argmax(self.predict_proba(table, missing_columns=missing_columns), axis=1)]
        return self._session.predict(self._rows(table, missing_columns), None, True, return_std)

    def predict_proba(self, table: Any, *, missing_columns: str = "refuse") -> np.ndarray:
        """The probability of each of `classes`, a row for each of the table."""
        if self.classes is None:
            raise ValueError("the model is of numbers, which have no probabilities: predict(table, return_std=True)")
        return np.asarray(self._session.probabilities(self._rows(table, missing_columns), True))

    def explain(self, table: Any, *, missing_columns: str = "refuse", label: str | None = None) -> Any:
        """What each attribute adds to each prediction, beside the one at the means: the columns 'at means', the
        attributes, 'unknown' (of missing values) and 'clipped' (by the range of the labels) sum up to 'prediction', to
        rounding. Of a classifier that is log p('class') / p('next'). A DataFrame where `table` is one, else a dict of
        arrays."""
        rows = self._rows(table, missing_columns)
        predictions, at_means, amounts, unknown, clipped, classes = self._session.explain(rows, None, True, self._label(label))
        columns: dict[str, Any] = {"at means": at_means}
        for slot, name, attributes in self._session.features():
            if slot < amounts.shape[1]:
                name = self.names[attributes[0]] if len(attributes) == 1 else name
                columns[name] = columns[name] + amounts[:, slot] if name in columns else amounts[:, slot]
        columns.update({"unknown": unknown, "clipped": clipped, "prediction": predictions})
        if self.classes is not None:
            columns.update({"class": self.classes[classes[:, 0]], "next": self.classes[classes[:, 1]]})
        return type(table)(columns, index=table.index) if hasattr(table, "iloc") else columns

    def plot(self, table: Any = None, label: Any = None, *, most: int = 15) -> Any:
        """Draws how learning went and the `most` attributes that matter; with a table and its `label` (a column's name, or
        values) what is predicted against what is true. With several labels `label` is the name of one, without a table too.
        Returns matplotlib's figure, for savefig()."""
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise ImportError("plot() draws with matplotlib, which is not installed: pip install matplotlib") from error
        place = self._label(label) if len(self._history) > 1 else 0
        if label is None and table is not None or label is not None and table is None and len(self._history) == 1:
            raise ValueError("plot() takes a table and its label, the name of a column or values, or neither")
        count = 2 if table is None else 3
        figure, axes = pyplot.subplots(1, count, figsize=(4.5 * count, 4), layout="constrained")
        self._plot_history(axes[0])
        worth = list(self._importances(place).items())[:most][::-1]
        axes[1].barh([name for name, _ in worth], [share for _, share in worth])
        axes[1].set(title="what matters", xlabel=f"share of the variance of {label if len(self._history) > 1 and label else 'the label'}")
        if table is not None:
            self._plot_predictions(axes[2], table, label, place)
        return figure

    def _plot_history(self, axes: Any) -> None:
        for place, told in enumerate(self._history):
            if self.classes is None and told:
                axes.semilogx(told["examples"], 1 - told["recent_loss"] / told["recent_baseline"], label=self.labels[place:place + 1])
            elif told:
                axes.semilogx(told["examples"], told["recent_loss"])
        if len(self._history) > 1:
            axes.legend()
        axes.set(title="learning", xlabel="examples", ylabel="R²" if self.classes is None else "loss")

    def _plot_predictions(self, axes: Any, table: Any, label: Any, place: int) -> None:
        if isinstance(label, str):
            columns = _columns(table)
            if label not in columns:
                raise ValueError(f"the table has no column {label!r}{did_you_mean(label, columns)}")
            label = columns[label]
        if self.classes is None:
            true = self._numbers(len(self.names) + place, label if hasattr(label, "dtype") else np.asarray(label))
            axes.plot(true, self.predict(table).reshape(len(true), -1)[:, place], ".", markersize=3)
            axes.axline((0, 0), slope=1, color="gray")
            axes.set(title="predictions", xlabel="true", ylabel="predicted")
            return
        codes, words = _coded(label)
        shares, names = self.predict_proba(table), [word_of(one) for one in self.classes]
        true = np.array([*(names.index(word) if word in names else -1 for word in words), -1])[codes]
        axes.boxplot([shares[true == place, place] for place in range(len(names))], tick_labels=names)
        axes.set(title="predictions", xlabel="true class", ylabel="its probability")

    # Rows.

    def _rows(self, table: Any, missing_columns: str) -> _core.Rows:
        """All attributes of all rows as numbers: words by their codes, NaN where they are not known."""
        if missing_columns not in ("refuse", "allow"):
            raise ValueError(f"missing_columns={missing_columns!r}: must be 'refuse' or 'allow'")
        columns = _columns(table)
        if not self._are_named or 0 in columns:
            if len(columns) != len(self.names):
                raise ValueError(f"the table has {len(columns)} columns, and the model {len(self.names)} attributes: where "
                                 "either has no names, columns are attributes in their order")
            columns = dict(zip(self.names, columns.values()))
        lacking = [name for name in self.names if name not in columns]
        if len(lacking) == len(self.names) or (lacking and missing_columns == "refuse"):
            shown = ", ".join(repr(name) for name in lacking[:8]) + (f" and {len(lacking) - 8} more" if lacking[8:] else "")
            allow = ", which missing_columns='allow' takes for unknown in all rows" if len(lacking) < len(self.names) else ""
            raise ValueError(f"the table has no column {shown}{allow}{did_you_mean(lacking[0], columns)}")
        length = len(next(iter(columns.values())))
        matrix = np.full((length, len(self.names)), np.nan)
        for place, name in enumerate(self.names):
            if name in columns:
                matrix[:, place] = self._numbers(place, columns[name])
        return _core.Rows.matrix(matrix)

    def _numbers(self, place: int, column: Any) -> np.ndarray:
        """A column as the numbers that the model has of an attribute; of the places behind all attributes, of its labels."""
        numbers = _numbers_of(column)
        if numbers is None or not self._takes_numbers[place]:
            codes, words = _coded(column)
            return np.asarray(np.append(self._session.read_cells(place, words, numbers is not None), np.nan)[codes])
        is_infinite = np.isinf(numbers)
        if is_infinite.any():
            raise ValueError(f"column {self.names[place]!r} has an infinite number: row {int(is_infinite.argmax())}")
        return numbers


def _columns(table: Any) -> dict[Any, Any]:
    """The columns of a table by name, of an array by number; all of one length."""
    if arrow.is_file(table):
        table = arrow.read(table)
    if hasattr(table, "iloc") and hasattr(table, "columns"):
        columns: dict[Any, Any] = {str(name).strip(): table.iloc[:, place] for place, name in enumerate(table.columns)}
    elif arrow.is_table(table):
        import pyarrow as pa

        table = pa.table(table)
        columns = dict(zip(table.column_names, (column.to_numpy() for column in table.columns)))
    elif isinstance(table, Mapping):
        columns = {str(name): column if hasattr(column, "dtype") else np.asarray(column)
                   for name, column in table.items()}
    else:
        array = np.asarray(table)
        if array.dtype.names is not None:
            columns = {name: array[name] for name in array.dtype.names}
        elif array.ndim == 2:
            columns = {place: array[:, place] for place in range(array.shape[1])}
        else:
            raise ValueError(f"a table of type {type(table).__name__} has no columns: give a DataFrame, a mapping of columns, "
                             "or an array with a row for each example")
    if hasattr(table, "columns") and len(columns) != len(table.columns):
        called = [str(name).strip() for name in getattr(table, "column_names", table.columns)]
        twice = next(name for name in called if called.count(name) > 1)
        raise ValueError(f"the table has a column {twice!r} twice")
    lengths = {name: np.shape(column)[0] if np.ndim(column) == 1 else -1 for name, column in columns.items()}
    if not columns or len(set(lengths.values())) > 1 or -1 in lengths.values():
        raise ValueError(f"columns of a table are sequences of one length; these have: {lengths}")
    return columns


def _numbers_of(column: Any) -> np.ndarray | None:
    """A column of numbers and truth values, with NaN where they are missing; None: it holds others."""
    if column.dtype.kind == "O":
        if not all(isinstance(value, (int, float, np.number, Decimal)) or _text_of(value) is None for value in column):
            return None
        return np.array([np.nan if _text_of(value) is None else float(value) for value in column])
    if column.dtype.kind not in "biuf":
        return None
    if hasattr(column, "to_numpy"):  # pandas has types of numbers that may be missing
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.asarray(column, dtype=np.float64)


def _coded(column: Any) -> tuple[np.ndarray, list[str]]:
    """What a column says, as a table of text would, each once; and of each row which it is, -1: it is missing."""
    if hasattr(column, "iloc"):
        import pandas as pd

        codes, values = pd.factorize(column)
        return codes, [_text_of(value) for value in values]
    places: dict[str | None, int] = {None: -1}
    array = np.asarray(column)
    array = array.astype(str) if array.dtype.kind == "M" else array  # dates of other units than microseconds
    codes = np.fromiter((places.setdefault(text, len(places) - 1) for text in map(_text_of, array.tolist())),
                        dtype=np.int64, count=len(array))
    return codes, [text for text in places if text is not None]


def _text_of(value: Any) -> Any:
    """A value as a table of text has it; None where it is missing."""
    if value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and isnan(value)):
        return None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value if isinstance(value, str) else word_of(value)


def _history_of(checkpoint: bytes, labels: int) -> list[dict[str, np.ndarray]]:
    """Of each label the columns of the samples of how learning went (lib/checkpoint/FORMAT.md); empty: there are none."""
    begin = 8 + int.from_bytes(checkpoint[:8], "little")
    header = json.loads(checkpoint[8:begin])
    names = json.loads(header["__metadata__"]["glimpse"])["texts"].get("history.columns", "").split(",")
    arrays = [np.frombuffer(checkpoint[begin + first:begin + last], dtype="<f8") for first, last in (
        header.get(name, {"data_offsets": (0, 0)})["data_offsets"] for name in ("history.samples", "history.labels"))]
    samples = arrays[0].reshape(-1, len(names))
    if not len(samples):
        return [{}] * labels
    history = [dict(zip(names, samples.T))]
    for place in range(labels - 1):  # of each label the columns that labels have of their own, kLabelColumns
        own = arrays[1].reshape(len(samples), labels - 1, -1)[:, place]
        history.append({**history[0], "recent_loss": own[:, 3], "recent_baseline": own[:, 9] if own.shape[1] > 9 else own[:, 3] * np.nan})
    return history
