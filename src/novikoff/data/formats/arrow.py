"""Parquet and Arrow (Feather) files: tables by columns, through pyarrow.

Features are columns of numbers or booleans, labels of numbers or strings. A row with something
missing in it is a bad line. The line of a message is the number of the row, from 1 on.

References
----------
Apache Parquet, https://parquet.apache.org/docs/file-format/.
Apache Arrow, "IPC file format", https://arrow.apache.org/docs/format/Columnar.html.
"""

import io
from collections.abc import Iterator
from typing import Any

import numpy as np

from novikoff.data.compression import missing
from novikoff.data.pipes import Pipe
from novikoff.data.plain_file import PlainFile
from novikoff.data.reader_options import Options
from novikoff.data.results import Blocks, Data, Place, Skipped, require_examples
from novikoff.data.tables import joined, layout_of, sound, title
from novikoff.doubles import EXACT, rounded
from novikoff.errors import FileError


def read_columns(source: PlainFile | Pipe, options: Options) -> Data:
    """All of a table."""
    return joined(stream_columns(source, options, Place()))


def stream_columns(source: PlainFile | Pipe, options: Options, start: Place) -> Blocks:
    """A table, block by block."""
    try:
        import pyarrow
    except ImportError as error:
        raise missing("pyarrow", "arrow", source.name, "Parquet and Arrow files") from error
    file = source.file if isinstance(source, PlainFile) else io.BytesIO(bytes(source.read_all()))
    n_rows, skipped, at = 0, Skipped(), 0
    try:
        for batch in batches(pyarrow, file, options):
            if at >= start.offset:
                data = as_data(pyarrow, batch, options, source.name, at)
                yield data
                n_rows, skipped = n_rows + len(data.X), skipped + data.skipped
            at += batch.num_rows
    except (pyarrow.ArrowException, OSError, UnicodeError) as error:
        raise FileError(source.name, f"found damaged {options.format} data: {error}") from error
    if isinstance(source, PlainFile):
        source.require_unchanged()
    if start.offset == 0:
        require_examples(source.name, n_rows, skipped)


def batches(pyarrow: Any, file: Any, options: Options) -> Iterator[Any]:
    """The rows of a table, as many at a time as fit a block."""
    if options.format == "parquet":
        from pyarrow.parquet import ParquetFile

        table = ParquetFile(file)
        size = rows_of_block(len(table.schema_arrow.names), options)
        for batch in table.iter_batches(batch_size=size):
            batch.validate(full=True)
            yield batch
        return
    for whole in stored_batches(pyarrow, file):
        whole.validate(full=True)  # its offsets may point anywhere
        size = rows_of_block(whole.num_columns, options)
        for first in range(0, whole.num_rows, size):
            yield whole.slice(first, size)


def stored_batches(pyarrow: Any, file: Any) -> Iterator[Any]:
    """The batches of an Arrow file, or of an Arrow stream, as they are stored."""
    magic = file.read(6)
    file.seek(0)
    if magic != b"ARROW1":
        yield from pyarrow.ipc.open_stream(file)
        return
    table = pyarrow.ipc.open_file(file)
    for i in range(table.num_record_batches):
        yield table.get_batch(i)


def rows_of_block(n_columns: int, options: Options) -> int:
    """How many rows make a block."""
    return max(options.block_bytes // (8 * max(n_columns, 1)), 1)


def as_data(pyarrow: Any, batch: Any, options: Options, name: str, at: int) -> Data:
    """A batch that starts at row `at` as examples."""
    layout = layout_of(list(batch.schema.names), batch.num_columns, options, name)
    X = np.empty((batch.num_rows, len(layout.features)), options.float_type)
    with np.errstate(over="ignore"):
        for k, j in enumerate(layout.features):
            X[:, k] = numbers_of(pyarrow, batch.column(j), title(layout, j), name, at)
    y = None if layout.label is None else labels_of(pyarrow, batch.column(layout.label), name)
    weight = None
    if layout.weight is not None:
        column = batch.column(layout.weight)
        weight = numbers_of(pyarrow, column, title(layout, layout.weight), name, at)
    return sound(X, y, weight, layout, options, name, Place(at, at + 1))


def numbers_of(pyarrow: Any, column: Any, called: str, name: str, at: int) -> Any:
    """A column as doubles, NaN where something is missing."""
    types = pyarrow.types
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    if types.is_boolean(kind):
        column = column.cast(pyarrow.uint8())
    elif not (types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)):
        raise FileError(name, f"found column {called} of type {kind}, expected numbers")
    doubles = column.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False)
    if not types.is_floating(kind):
        far = np.flatnonzero(np.abs(doubles) >= EXACT)
        values = column.take(far).to_numpy(zero_copy_only=False)
        value = rounded(values)
        if value is not None:
            line = at + 1 + int(far[list(values).index(value)])
            what = f"found {value} in column {called}, expected a number that a double holds"
            raise FileError(
                name, f"{what}: leave it out (ignore={called}), or write doubles", line=line
            )
    return doubles


def labels_of(pyarrow: Any, column: Any, name: str) -> Any:
    """A column as labels: strings, "" where one is missing, or numbers, NaN where one is."""
    if pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pyarrow.types.is_string(column.type) or pyarrow.types.is_large_string(column.type):
        texts = [value or "" for value in column.to_pylist()]
        if "\0" in "".join(texts):
            raise FileError(name, "found a label with a NUL in it, expected text")
        return np.array(texts, str)
    return column.to_numpy(zero_copy_only=False)
