"""CSV: values between commas, semicolons, tabs or bars, one example a record.

The first record has the names of the columns if none of its words is a number, if one is "label",
or if a column is asked for by name; not if one of its words comes again in its own column. What
becomes of the columns, a `TablePlan` says, which is settled from the first megabytes. Labels are
numbers if the first label is one, else strings. Blank lines are no examples. Text is in UTF-8,
without NUL bytes.

A kernel parses blocks with nothing out of the ordinary, Arrow the others, and those with columns to
keep; what it does not like is looked at again, record by record.

References
----------
Y. Shafranovich, RFC 4180, 2005.
"""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import IO, Any

import numpy as np
import pyarrow
import pyarrow.csv

from novikoff.data.delimited.careful import careful_block, raw_of
from novikoff.data.delimited.fast import Fast
from novikoff.data.delimited.head import Sheet, arrow_table, beginning, sheet_of, sniffed
from novikoff.data.delimited.records import ends_of, is_regular
from novikoff.data.formats import Handler
from novikoff.data.formats.arrow import table_of
from novikoff.data.lines import count_newlines
from novikoff.data.opener import Opened
from novikoff.data.reader_options import Leader, Options
from novikoff.data.results import Blocks, Data, Place
from novikoff.data.tables.columns import PlannedColumn
from novikoff.data.tables.encode import Encoded, encoded
from novikoff.data.tables.layout import leading
from novikoff.data.tables.numerals import numbers_of
from novikoff.data.tables.soundness import examples_of
from novikoff.data.text_blocks import Ends, blocks
from novikoff.errors import FileError
from novikoff.typing import Array

DOUBLES, WORDS = pyarrow.float64(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string())


def settle(source: Opened, options: Options) -> Options:
    """The options, with delimiter, decimal mark and plan as the beginning of the file says."""
    sheet = sheet_of(source, options)
    delimiter, decimal = sheet.delimiter.decode(), sheet.numbers.decimal
    if options.leader is not None:
        has_names = sheet.table.layout.names is not None
        leader = Leader(source.name, sheet.has_rows, has_names, sheet.text_labels)
        options = leading(options, sheet.table.layout, leader)
    return replace(options, delimiter=delimiter, decimal=decimal, plan=sheet.table.plan)


def cuts(source: Opened) -> Ends:
    """Where records end in a file."""
    return ends_of(sniffed(beginning(source, Options(), whole_look=True), 0, source.name).encode())


def stream(source: Opened, options: Options, start: Place) -> Blocks:
    """A CSV file, block by block."""
    sheet = sheet_of(source, options)
    fast = Fast(sheet)

    def work() -> Iterator[Callable[[], Data]]:
        line, ends = start.line, ends_of(sheet.delimiter)
        for text, first, stop in blocks(source, options.block_bytes, start, ends):
            window = text.window(first, stop)
            here, after = Place(first, line), Place(stop, line + int(count_newlines(window)))
            block = window.tobytes()
            if first < sheet.header:
                block = block[sheet.header - first :]
                line += sheet.header_lines
            yield partial(parsed, block, line, fast, options, source.name, here, after)
            line = after.line

    may_wait = source.path is None  # for whoever writes the other end
    yield from in_order(work(), 1 if may_wait else options.threads)


def in_order(work: Iterator[Callable[[], Data]], threads: int) -> Blocks:
    """What several threads make, each of one block, in the order of the blocks."""
    if threads == 1:
        yield from (make() for make in work)
        return
    pool, coming = ThreadPoolExecutor(threads), deque[Future[Data]]()
    try:
        for make in work:
            coming.append(pool.submit(make))
            if len(coming) > threads:
                yield coming.popleft().result()
        yield from (block.result() for block in coming)
    finally:
        pool.shutdown(cancel_futures=True)


def parsed(
    block: bytes, line: int, fast: Fast, options: Options, name: str, start: Place, after: Place
) -> Data:
    """A block in the first of three ways that can read it."""
    data = fast_block(block, after.line - start.line, fast, options)
    if data is None:
        data = arrow_block(block, fast.sheet, options)
        if data is None:
            data = careful_block(block, line, fast.sheet, options, name)
    return data._replace(start=start, next=after)


def kind_of(column: PlannedColumn) -> Any:
    """The type of Arrow's that a column is read as."""
    if column.kind == "number" and not column.form:
        return DOUBLES
    return pyarrow.string() if column.kind in ("text", "number", "date") else WORDS


def texts_of(column: Any) -> Array:
    """A column of few different texts."""
    parts = []
    for chunk in column.chunks:
        words = np.array(chunk.dictionary.to_pylist(), str)
        parts.append(words[chunk.indices.to_numpy()])
    return np.concatenate(parts) if parts else np.empty(0, str)


def arrow_block(block: bytes, sheet: Sheet, options: Options) -> Data | None:
    """A block as Arrow reads it; None if there is anything that is not as it should be."""
    layout, plan, places = sheet.table
    names = [str(j) for j in range(layout.n_columns)]
    kinds = dict.fromkeys(names, pyarrow.string())
    for column, j in zip(plan.columns_, places, strict=True):
        if column.kind != "ignored":
            kinds[str(j)] = kind_of(column)
    for own in (layout.label, layout.weight):
        if own is not None:
            kinds[str(own)] = WORDS if own == layout.label and sheet.text_labels else DOUBLES
    kinds |= dict.fromkeys(map(str, layout.kept), pyarrow.string())
    if not block.strip() or not is_regular(block, sheet.delimiter):
        return None
    try:
        table = arrow_table(block, sheet.delimiter, names, kinds, sheet.numbers.decimal)
    except pyarrow.ArrowInvalid:
        return None

    def label_or_weight(j: int) -> Array:
        values = table.column(j)
        if values.type == pyarrow.string():  # it is kept as well
            if j == layout.label and sheet.text_labels:
                return np.array(values.to_pylist(), str)
            return numbers_of(values, sheet.numbers)
        return texts_of(values) if values.type == WORDS else values.to_numpy()

    raw = [
        raw_of(table.column(j), column, sheet.numbers)
        for column, j in zip(plan.columns_, places, strict=True)
    ]
    kept = layout.kept_of(lambda j: table.column(j).combine_chunks())
    made = encoded(plan, raw, table.num_rows, options.float_type)
    return if_sound(made, label_or_weight, sheet, options, kept)


def fast_block(block: bytes, n_lines: int, fast: Fast, options: Options) -> Data | None:
    """A block as the kernel reads it; None if there is anything out of the ordinary."""
    found = fast.rows(block, n_lines, options.float_type)
    return None if found is None else if_sound(*found, fast.sheet, options)


def if_sound(
    made: Encoded,
    own: Callable[[int], Array],
    sheet: Sheet,
    options: Options,
    kept: dict[str, Any] | None = None,
) -> Data | None:
    """The examples that these rows are, if nothing is wrong with any."""
    strict = replace(options, labels="required", bad_lines="error")
    try:
        return examples_of(made, own, sheet.table, strict, "", Place(), kept)
    except FileError:
        return None


def write(data: Data, file: IO[bytes]) -> None:
    """Examples as a table with a line of names."""
    if data.X.dtype == np.float32:  # the text of a single is not its double's
        data = data._replace(X=data.X.astype(np.float64))
    pyarrow.csv.write_csv(table_of(data, "csv", lost="\0\r"), file)


HANDLER = Handler(stream, settle=settle, cuts=cuts, check=sheet_of, write=write)
