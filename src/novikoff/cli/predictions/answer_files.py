"""Files that answers are written to, block by block: CSV, a JSON object a line, or Parquet.

A file appears under its name when it is complete, never before. Standard output gets every block at
once.
"""

import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from decimal import Decimal
from itertools import chain
from json.encoder import encode_basestring
from typing import IO, Any

import numpy as np

from novikoff.cli.predictions.answer_columns import Column
from novikoff.data.compression import ENDINGS, compressed
from novikoff.data.formats import missing
from novikoff.errors import DataError
from novikoff.files import STDOUT, replacing

Write = Callable[[list[Column]], None]
"""Writes the answer about a block."""

ROWS = 2**14
"""So many become text at a time."""
GROUP_ROWS, GROUP_BYTES = 2**17, 2**24
"""So many, or so much, make a row group."""
MANY = 256
"""So many small blocks are held as one."""
SPECIAL = re.compile('[",\r\n]')
"""What a field of CSV has to be in quotes for."""


@contextmanager
def answer_file(path: str, kind: str) -> Iterator[Write]:
    """What writes answers into a file of that kind, "-" being standard output."""
    with bytes_into(path) as file, WRITERS[kind](file, path) as write:

        def write_through(columns: list[Column]) -> None:
            write(columns)
            file.flush()

        yield write_through if path == STDOUT else write


@contextmanager
def bytes_into(path: str) -> Iterator[IO[bytes]]:
    """A file that is replaced if all goes well, perhaps compressed; or standard output."""
    if path == STDOUT:
        sys.stdout.flush()
        yield sys.stdout.buffer
        return
    packed = ENDINGS.get(os.path.splitext(path.lower())[1])
    with replacing(path) as raw, compressed(raw, packed, path) as file:
        yield file


# ------------------------------------------------------------- text


@contextmanager
def csv_into(file: IO[bytes], path: str) -> Iterator[Write]:
    """A line of names, and a line for each example, as RFC 4180 has them."""
    begun = False

    def write(columns: list[Column]) -> None:
        nonlocal begun
        names = [[column.name] for column in columns]
        for values in chain([] if begun else [names], parts(columns)):
            cells = [[*map(quoted, column)] for column in values]
            put_lines(file, map(",".join, zip(*cells, strict=True)))
        begun = True

    yield write


def quoted(value: Any) -> str:
    """A field of CSV."""
    if value is None:
        return ""
    text = json_of(value) if isinstance(value, list | dict) else str(value)
    return '"' + text.replace('"', '""') + '"' if SPECIAL.search(text) else text


@contextmanager
def jsonl_into(file: IO[bytes], path: str) -> Iterator[Write]:
    """A JSON object for each example."""

    def write(columns: list[Column]) -> None:
        keys = [json_of(column.name).replace("%", "%%") for column in columns]
        line = "{" + ", ".join(f"{key}: %s" for key in keys) + "}"
        for values in parts(columns):
            cells = [[*map(json_of, column)] for column in values]
            put_lines(file, map(line.__mod__, zip(*cells, strict=True)))

    yield write


def json_of(value: Any) -> str:
    """A value as JSON, which has no NaN: that is null. Infinity is a number past all doubles."""
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, float):
        if math.isinf(value):
            return "1e999" if value > 0 else "-1e999"
        return "null" if math.isnan(value) else repr(value)
    if type(value) is int or isinstance(value, Decimal):
        return str(value)
    return ENCODER.encode(value)


ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)


def put_lines(file: IO[bytes], lines: Iterator[str]) -> None:
    """Write lines of text."""
    file.write(("\n".join(lines) + "\n").encode())


def parts(columns: list[Column]) -> Iterator[list[list[Any]]]:
    """The values of columns, some rows at a time."""
    for first in range(0, len(columns[0].values), ROWS):
        yield [plain(column.values[first : first + ROWS]) for column in columns]


def plain(values: Any) -> list[Any]:
    """Values as Python has them; dates and the like as text."""
    if isinstance(values, list):
        return values
    if isinstance(values, np.ndarray):
        return list(values.tolist())
    from pyarrow import ArrowException, string, types  # which made them

    if types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if types.is_temporal(values.type) or types.is_binary(values.type):
        try:
            values = values.cast(string())
        except ArrowException:  # there is no such text
            return [None if value is None else str(value) for value in values.to_pylist()]
    return list(values.to_pylist())


# ------------------------------------------------------------- Parquet


@contextmanager
def parquet_into(file: IO[bytes], path: str) -> Iterator[Write]:
    """A table by columns, row group by row group."""
    try:
        groups = RowGroups(file)
    except ImportError as error:
        raise missing(error, path, "parquet files") from error
    try:
        yield groups.add
    except BaseException:
        groups.abandon()
        raise
    groups.close()


class Sink:
    """What Parquet is written into, without being closed; if abandoned, it takes no more.

    The end of a file, which is written in any case, would make half of one look whole.
    """

    closed = False

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.abandoned = file, False

    def write(self, data: Any) -> int:
        """Write some bytes."""
        if not self.abandoned:
            self.file.write(data)
        return len(data)

    def flush(self) -> None:
        """There is nothing to do."""

    close = flush


class RowGroups:
    """A Parquet file that is being written."""

    def __init__(self, file: IO[bytes]) -> None:
        import pyarrow
        from pyarrow import parquet

        self.pyarrow, self.parquet = pyarrow, parquet
        self.sink = Sink(file)
        self.writer: Any = None
        self.held: Any = None

    def add(self, columns: list[Column]) -> None:
        """Write the answer about a block, or hold it until there is enough."""
        arrays = [self._array(column) for column in columns]
        new = self.pyarrow.table(arrays, [column.name for column in columns])
        if self.writer is None:
            self._open(new.schema)
        tables = [new] if self.held is None else [self.held, new]
        self.held = self.pyarrow.concat_tables(tables)
        if self.held.num_rows >= GROUP_ROWS or self.held.nbytes >= GROUP_BYTES:
            self._write()
        elif self.held.column(0).num_chunks >= MANY:
            self.held = self.held.combine_chunks()

    def close(self) -> None:
        """Write what is held, and the end of the file."""
        self._write()
        self.writer.close()

    def abandon(self) -> None:
        """Write no more."""
        self.sink.abandoned = True
        if self.writer is not None:
            self.writer.close()

    def _array(self, column: Column) -> Any:
        if isinstance(column.values, list | np.ndarray):
            return self.pyarrow.array(column.values, column.kind)
        return column.values

    def _open(self, schema: Any) -> None:
        try:
            self.writer = self.parquet.ParquetWriter(self.sink, schema)
        except self.pyarrow.ArrowNotImplementedError as error:
            told = f"Parquet has no place for a kept column: {error}. Leave it out of {{keep}}."
            raise DataError(told, keep=None) from error

    def _write(self) -> None:
        if self.held is not None:
            self.writer.write_table(self.held, row_group_size=GROUP_ROWS)
        self.held = None


WRITERS: dict[str, Callable[[IO[bytes], str], AbstractContextManager[Write]]] = {
    "csv": csv_into,
    "jsonl": jsonl_into,
    "parquet": parquet_into,
}
