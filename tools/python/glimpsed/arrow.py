"""Parquet and Arrow IPC files (.parquet, .arrow, .feather), which pyarrow reads.

The estimators take the path of one in place of a table, and `Source.send_table` takes one as well. For a daemon

    python3 -m glimpsed.arrow rides.parquet | glimpsed --label rides

writes the rows as CSV below a header; several files of the same columns come one behind the other.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

_ENDINGS = (".parquet", ".arrow", ".feather")


def is_file(value: Any) -> bool:
    """Whether it is the path of a file that is read here."""
    return isinstance(value, (str, os.PathLike)) and os.fspath(value).lower().endswith(_ENDINGS)


def is_table(value: Any) -> bool:
    """Whether it is a table of Arrow's, or of whoever exports Arrow's streams, as Polars does."""
    is_arrow = hasattr(value, "__arrow_c_stream__") or type(value).__module__.startswith("pyarrow")
    return is_arrow and getattr(value, "ndim", 2) == 2


def read(path: Any) -> Any:
    """The whole file as a pyarrow.Table. Raises ImportError without pyarrow, and ValueError for a file of another kind."""
    schema, batches = _open(path)
    return _pyarrow().Table.from_batches(batches, schema)


def csv_pieces(source: Any, header: bool = True) -> Iterator[bytes]:
    """Lines of CSV, many at a time, of a path or a table; first the columns' names. Categories are written as words, and
    what is null as an empty field. Raises as read(); ValueError as well for a column of lists or structures."""
    pa = _pyarrow()
    if isinstance(source, (str, os.PathLike)):
        schema, batches = _open(source)
    else:
        table = source if isinstance(source, pa.Table) else pa.table(source)
        schema, batches = table.schema, iter(table.to_batches(max_chunksize=65536))
    plain = pa.schema([pa.field(field.name, field.type.value_type if pa.types.is_dictionary(field.type) else field.type)
                       for field in schema])
    try:
        if header:
            yield _written(plain.empty_table(), True)
        for batch in batches:
            columns = [column.cast(field.type) for column, field in zip(batch.columns, plain)]
            yield _written(pa.table(columns, schema=plain), False)
    except pa.ArrowException as error:
        raise ValueError(f"a column cannot be written as CSV: {error}") from error


def _written(table: Any, header: bool) -> bytes:
    import pyarrow.csv

    piece = io.BytesIO()
    pyarrow.csv.write_csv(table, piece, pyarrow.csv.WriteOptions(include_header=header))
    return piece.getvalue()


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("Parquet and Arrow files are read by pyarrow, which is not installed: pip install pyarrow") from error
    return pyarrow


def _open(path: Any) -> tuple[Any, Iterator[Any]]:
    """The schema, and the rows batch by batch."""
    pa = _pyarrow()
    name = os.fspath(path)
    try:
        with open(name, "rb") as begun:
            is_parquet = begun.read(4) == b"PAR1"
        if is_parquet:
            import pyarrow.parquet

            file = pyarrow.parquet.ParquetFile(name)
            return file.schema_arrow, file.iter_batches()
        mapped = pa.memory_map(name)
        try:
            ipc = pa.ipc.open_file(mapped)
        except pa.ArrowInvalid:  # no file with its schema at the end, but a stream
            mapped.seek(0)
            stream = pa.ipc.open_stream(mapped)
            return stream.schema, iter(stream)
        return ipc.schema, (ipc.get_batch(i) for i in range(ipc.num_record_batches))
    except pa.ArrowException as error:
        raise ValueError(f"{name}: {error}") from error


def main(arguments: Sequence[str] | None = None) -> int:
    paths = sys.argv[1:] if arguments is None else list(arguments)
    if not paths or paths[0].startswith("-"):
        print("usage: python3 -m glimpsed.arrow FILE... (of Parquet or Arrow IPC): writes CSV", file=sys.stderr)
        return 2
    try:
        names = None
        for path in paths:
            found = _open(path)[0].names
            if names is not None and found != names:
                raise ValueError(f"{path}: its columns are {found}, and those of {paths[0]} are {names}")
            for piece in csv_pieces(path, header=names is None):
                sys.stdout.buffer.write(piece)
            names = found
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # who reads it has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ImportError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
