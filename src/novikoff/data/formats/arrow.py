"""Arrow (Feather) files, or streams: tables by columns, through pyarrow; parquet.py shares this.

What becomes of the columns, a `TablePlan` says. Labels are numbers or strings. The line of a
message is the number of the row, from 1 on.

References
----------
Apache Arrow, "IPC file format", https://arrow.apache.org/docs/format/Columnar.html.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import IO

import numpy as np
import pyarrow
import pyarrow.ipc
from scipy import sparse

from novikoff.data.formats import Handler
from novikoff.data.opener import Opened
from novikoff.data.reader_options import Leader, Options
from novikoff.data.results import Blocks, Data, Place
from novikoff.data.tables.columns import PlannedColumn
from novikoff.data.tables.dataframes import raw_of
from novikoff.data.tables.encode import Raw, encoded
from novikoff.data.tables.layout import LABEL, Table, layout_of, leading, title
from novikoff.data.tables.look import is_text
from novikoff.data.tables.numerals import Numbers
from novikoff.data.tables.soundness import examples_of
from novikoff.errors import FileError, ParameterError
from novikoff.inputs.doubles import EXACT, rounded
from novikoff.typing import Array

LOOK = 2**22
"""From a batch of so many bytes the plan of a table is settled."""
MOST_DENSE = 1 << 31
"""How many bytes a sparse matrix may take as a table."""


Stored = Callable[[IO[bytes], Options], Iterator[pyarrow.RecordBatch]]


def settle_batches(stored: Stored, source: Opened, options: Options) -> Options:
    """The options, with the plan that the first rows of a table settle."""
    if options.settled_plan is not None and options.leader is None:
        return options
    look = replace(options, block_bytes=LOOK)
    for batch in batches_of(stored, source, look):
        layout = layout_of(list(batch.schema.names), batch.num_columns, options, source.name)
        table = Table.settled(layout, batch.columns, options, source.name)
        if options.leader is not None:
            options = leading(options, layout, Leader(source.name, has_rows=True))
        return replace(options, plan=table.plan)
    return options


def stream_batches(stored: Stored, source: Opened, options: Options, start: Place) -> Blocks:
    """A table, block by block, from a place on: each is a batch of what is stored in a file."""
    at = 0
    for batch in batches_of(stored, source, options):
        if at >= start.offset:
            yield as_data(batch, options, source.name, at)
        at += batch.num_rows


def batches_of(stored: Stored, source: Opened, options: Options) -> Iterator[pyarrow.RecordBatch]:
    """What is stored in a file."""
    try:
        file = source.as_file()
        file.seek(0)
        for batch in stored(file, options):
            batch.schema.names  # noqa: B018  # which may be no text
            yield batch
    except (pyarrow.ArrowException, OSError, UnicodeError) as error:
        raise FileError(source.name, f"found damaged {options.format} data: {error}") from error


def stored(file: IO[bytes], options: Options) -> Iterator[pyarrow.RecordBatch]:
    """The batches of an Arrow file, or of an Arrow stream, cut to the size of a block."""
    magic = file.read(6)
    file.seek(0)
    if magic == b"ARROW1":
        table = pyarrow.ipc.open_file(file)
        batches = map(table.get_batch, range(table.num_record_batches))
    else:
        batches = iter(pyarrow.ipc.open_stream(file))
    for batch in batches:
        batch.validate(full=True)  # its offsets may point anywhere
        size = rows_of_block(batch.num_columns, options)
        for first in range(0, batch.num_rows, size):
            yield batch.slice(first, size)


def rows_of_block(n_columns: int, options: Options) -> int:
    """How many rows make a block."""
    return max(options.block_bytes // (8 * max(n_columns, 1)), 1)


def as_data(batch: pyarrow.RecordBatch, options: Options, name: str, at: int) -> Data:
    """A batch that starts at row `at` as examples."""
    layout = layout_of(list(batch.schema.names), batch.num_columns, options, name)
    table = Table.settled(layout, batch.columns, options, name)

    def own(j: int) -> Array:
        if j == layout.label:
            return labels_of(batch.column(j), name)
        return numbers_of(batch.column(j), title(layout, j), name, at)

    def raw(column: PlannedColumn, j: int) -> Raw:
        stored = None if j < 0 else batch.column(j)
        if column.kind == "number" and stored is not None and not is_text(stored.type):
            return numbers_of(stored, title(layout, j), name, at)
        return raw_of(stored, column, Numbers(table.plan.decimal_))

    columns = [raw(c, j) for c, j in zip(table.plan.columns_, table.places, strict=True)]
    kept, place = layout.kept_of(batch.column), Place(at, at + 1)
    made = encoded(table.plan, columns, batch.num_rows, options.float_type)
    return examples_of(made, own, table, options, name, place, kept)


def numbers_of(column: pyarrow.Array, called: str, name: str, at: int) -> Array:
    """A column as doubles, NaN where something is missing."""
    types = pyarrow.types
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    if types.is_boolean(kind):
        column = column.cast(pyarrow.uint8())
    elif not (types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)):
        raise FileError(name, f"found column {called} of type {kind}, expected numbers")
    doubles: Array = column.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False)
    if not types.is_floating(kind):
        far = np.flatnonzero(np.abs(doubles) >= EXACT)
        values = column.take(far).to_numpy(zero_copy_only=False)
        value = rounded(values)
        if value is not None:
            line = at + 1 + int(far[list(values).index(value)])
            what = f"found {value} in column {called}, expected a number that a double holds"
            todo = "leave it out ({ignore=}), or write doubles"
            raise FileError(name, f"{what}: {todo}", line=line, ignore=called)
    return doubles


def labels_of(column: pyarrow.Array, name: str) -> Array:
    """A column as labels: strings, "" where one is missing, or numbers, NaN where one is."""
    if pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pyarrow.types.is_string(column.type) or pyarrow.types.is_large_string(column.type):
        texts = [value or "" for value in column.to_pylist()]
        if "\0" in "".join(texts):
            raise FileError(name, "found a label with a NUL in it, expected text")
        return np.array(texts, str)
    labels: Array = column.to_numpy(zero_copy_only=False)
    return labels


# ------------------------------------------------------------- and back


def write(data: Data, file: IO[bytes]) -> None:
    """Examples as an Arrow file."""
    table = table_of(data, "arrow")
    with pyarrow.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def table_of(data: Data, kind: str, lost: str = "\0") -> pyarrow.Table:
    """Examples as Arrow's table, the label last. No label may have a character that gets lost."""
    X, y = data.X, data.y
    if sparse.issparse(X) and (size := 8 * X.shape[0] * X.shape[1]) > MOST_DENSE:
        raise ParameterError(
            f"As {kind}, which has a place for every zero, {X.shape[0]:,} rows of {X.shape[1]:,} "
            f"features would take {size / 1e9:,.1f} GB: write .npz, svmlight or Vowpal Wabbit text."
        )
    dense = X.toarray() if sparse.issparse(X) else X
    titles = [f"x{j}" for j in range(X.shape[1])] if data.names is None else [*map(str, data.names)]
    repeated = next((title for title, times in Counter(titles).items() if times > 1), None)
    if repeated is not None:
        raise ParameterError(f"Two features are called {repeated!r}: give each a name of its own.")
    columns = {title: np.ascontiguousarray(dense[:, j]) for j, title in enumerate(titles)}
    for role, values in (("weight", data.weight), (LABEL, y)):
        if values is not None:
            if role in columns:
                raise ParameterError(f"A feature is called {role!r}, as the {role} itself is.")
            columns[role] = np.asarray(values)
    if y is not None:
        require_readable(columns[LABEL], kind, lost)
        if columns[LABEL].dtype.kind == "f":  # a null is no label, a NaN is text
            columns[LABEL] = pyarrow.array(columns[LABEL], from_pandas=True)
    return pyarrow.table(columns)


def require_readable(y: Array, kind: str, lost: str) -> None:
    """Raise an error for labels that a table would give back as others, or not at all."""
    for i, label in enumerate(y.tolist() if y.dtype.kind in "OU" else ()):
        if label == "" or (isinstance(label, str) and any(c in label for c in lost)):
            raise ParameterError(
                f"The label of row {i} is {label!r}, which {kind} would not give back: give it "
                f"some text, without any of {', '.join(map(repr, lost))}."
            )


HANDLER = Handler(
    partial(stream_batches, stored), settle=partial(settle_batches, stored), write=write
)
