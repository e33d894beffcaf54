"""Examples as the extension reads them: where they lie, where that is possible."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core, arrow
from .._checkpoints import word_of
from .._hints import did_you_mean
from ._sklearn import check_numbers


class Examples:
    """`rows`, the `shape` of them, `names` of their attributes (or none), and which of these hold words."""

    def __init__(self, rows: _core.Rows, names: list[str] | None, word_attributes: list[int], shape: tuple[int, int],
                 checked: Any) -> None:
        self.rows = rows
        self.names = names
        self.word_attributes = word_attributes
        self.shape = shape
        self.checked = checked  # what scikit-learn's checks of weights and lengths are asked of

    def refuse_infinite(self) -> None:
        """Raises ValueError where a number is infinite."""
        place = self.rows.find_infinite()
        if place is not None:
            row, column = place
            called = column if self.names is None else repr(self.names[column])
            raise ValueError(f"Input X contains infinity: row {row}, attribute {called}")


def examples_of(X: Any, estimator: Any) -> Examples:
    """What `X` holds: an array, or a table of pandas, Arrow or whatever exports Arrow's streams."""
    if _is_pandas(X):
        return _of_pandas(X, estimator)
    if arrow.is_table(X):  # not a Series, of which scikit-learn says what it misses
        return _of_arrow(X, estimator)
    array = check_numbers(X, estimator)
    return Examples(_core.Rows.matrix(array), None, [], array.shape, array)


def opened(X: Any, y: Any) -> tuple[Any, Any]:
    """X and y as they are; where X is the path of a Parquet or Arrow file, its table, and where y is the name of a column of a
    Parquet or Arrow table, that column, which X is then without."""
    if arrow.is_file(X):
        X = arrow.read(X)
    if not isinstance(y, str) or not arrow.is_table(X):
        return X, y
    table = _table_of(X)
    if table.column_names.count(y) != 1:
        raise ValueError(f"y={y!r}: X has no column, or several, of this name{did_you_mean(y, table.column_names)}")
    return table.drop_columns([y]), table.column(y).to_numpy()


def with_attributes(X: Any, names: Any) -> Any:
    """Of the path of a file: its columns of these names, where all are there. It may have the label as well."""
    if not arrow.is_file(X):
        return X
    table = arrow.read(X)
    return table.select(list(names)) if names is not None and set(names) <= set(table.column_names) else table


def _is_pandas(X: Any) -> bool:
    return hasattr(X, "iloc") and hasattr(X, "columns") and hasattr(X, "dtypes")


def _named(columns: list[Any], names: list[str], rows: int, estimator: Any) -> Examples:
    """Columns that lie apart: an array of numbers, or codes and their words."""
    if rows == 0 or not columns:
        what, count = ("sample", rows) if columns else ("feature", len(columns))
        raise ValueError(f"Found array with {count} {what}(s) (shape=({rows}, {len(columns)})) while a minimum of 1 is "
                         f"required by {type(estimator).__name__}.")
    table = _core.Columns()
    word_attributes = []
    for place, column in enumerate(columns):
        if isinstance(column, tuple):
            table.add_words(*column)
            word_attributes.append(place)
        else:
            table.add(column)
    return Examples(_core.Rows.table(table), names, word_attributes, (rows, len(columns)), np.empty((rows, 1)))


def _of_pandas(X: Any, estimator: Any) -> Examples:
    names = [str(name) for name in X.columns]
    given = names if all(isinstance(name, str) for name in X.columns) else None
    kinds = set(X.dtypes)
    if len(kinds) == 1 and next(iter(kinds)) in (np.dtype("float32"), np.dtype("float64")):
        array = check_numbers(X.to_numpy(), estimator)
        return Examples(_core.Rows.matrix(array), given, [], array.shape, array)
    columns = [_pandas_column(X.iloc[:, place], names[place]) for place in range(len(names))]
    examples = _named(columns, names, len(X), estimator)
    examples.names = given
    return examples


def _pandas_column(series: Any, name: str) -> Any:
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        codes = np.asarray(series.cat.codes, dtype=np.int32)
        return codes, [word_of(word) for word in series.cat.categories]
    if pd.api.types.is_bool_dtype(series.dtype) or pd.api.types.is_numeric_dtype(series.dtype):
        if pd.api.types.is_complex_dtype(series.dtype):
            raise ValueError("Complex data not supported")
        if series.dtype in (np.dtype("float32"), np.dtype("float64")):
            return series.to_numpy()
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    if not (pd.api.types.is_object_dtype(series.dtype) or pd.api.types.is_string_dtype(series.dtype)):
        raise ValueError(f"column {name!r} is of type {series.dtype}: numbers, words and categories can be learned from")
    known = [value for value in series if not pd.isna(value) and not _says_missing(value)]
    if known and all(isinstance(value, (int, float, np.number)) for value in known):
        return pd.to_numeric(series.where(series.map(lambda value: not _says_missing(value))), errors="raise").to_numpy(
            dtype=np.float64, na_value=np.nan)
    if not all(isinstance(value, str) for value in known):
        raise ValueError(f"column {name!r}: argument must be a string or a number")
    codes, words = pd.factorize(series)
    return codes.astype(np.int32), [str(word) for word in words]


def _says_missing(value: Any) -> bool:
    """Whether it is a word that stands for a missing value, as '?'. The extension looks for them among categories."""
    return isinstance(value, str) and _core.is_missing_word(value)


def _table_of(X: Any) -> Any:
    import pyarrow as pa

    try:
        return X if isinstance(X, pa.Table) else pa.table(X)
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError) as error:
        raise ValueError(f"X, of type {type(X).__name__}, cannot be read as a table: {error}") from error


def _of_arrow(X: Any, estimator: Any) -> Examples:
    table = _table_of(X)
    columns = [_arrow_column(table.column(place), name) for place, name in enumerate(table.column_names)]
    return _named(columns, list(table.column_names), table.num_rows, estimator)


def _arrow_column(chunks: Any, name: str) -> Any:
    import pyarrow as pa

    array = chunks.combine_chunks() if chunks.num_chunks != 1 else chunks.chunk(0)
    if isinstance(array, pa.ChunkedArray):  # of none
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    kind = array.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        array = array.dictionary_encode()
        kind = array.type
    if pa.types.is_dictionary(kind):
        codes = array.indices.cast(pa.int32()).fill_null(-1).to_numpy(zero_copy_only=False)
        return codes, [word_of(word) for word in array.dictionary.to_pylist()]
    if pa.types.is_float32(kind) or pa.types.is_float64(kind):
        return array.to_numpy(zero_copy_only=False)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_decimal(kind):
        return array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    raise ValueError(f"column {name!r} is of type {kind}: numbers, words and categories can be learned from")
