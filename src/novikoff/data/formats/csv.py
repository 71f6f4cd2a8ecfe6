"""CSV: values between commas, one example a line.

The first line has the names of the columns if none of its words is a number, if one is "label",
or if a column is asked for by name. Features are numbers. Labels are numbers if the
first label is one, else strings. Every newline ends a line, in quotes too. Blank lines are no
examples. Text is in UTF-8, without NUL bytes.

Arrow parses. What it does not like is looked at again, line by line, here.

References
----------
Y. Shafranovich, RFC 4180, 2005.
"""

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import IO, NamedTuple

import numpy as np
import pyarrow
import pyarrow.csv

from novikoff.data.formats import Handler
from novikoff.data.formats.arrow import table_of
from novikoff.data.opener import Opened
from novikoff.data.reader_options import Options
from novikoff.data.results import MESSAGES_KEPT, Blocks, Data, Place, Skipped
from novikoff.data.tables import LABEL, Layout, examples_of, layout_of, other_separator, said, title
from novikoff.data.text_blocks import blocks
from novikoff.errors import FileError
from novikoff.typing import Array

NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
FIELD = re.compile(rb'"((?:[^"]|"")*)"(?=,|$)|([^,]*)')
LONE_RETURN = re.compile(rb"\r(?!\n|$)")
STRAY_QUOTE = re.compile(rb'(?<![,\n"])"(?![,\r\n"])')  # inside a word, where readers differ
MARK = b"\xef\xbb\xbf"  # of UTF-8, which some programs put first
DOUBLE = np.dtype(np.float64)
ALONE = 2**20
"""Up to so many bytes are parsed by one thread: Arrow's others may outlive a short command."""


class Sheet(NamedTuple):
    """What is known of a CSV file from its first lines."""

    layout: Layout
    header: int
    """How many bytes the names take, with all before them; 0 without names."""
    header_lines: int
    text_labels: bool


def stream(source: Opened, options: Options, start: Place) -> Blocks:
    """A CSV file, block by block."""
    sheet = sheet_of(source, options)
    line = start.line
    for text, first, stop in blocks(source, options.block_bytes, start):
        block = text.window(first, stop).tobytes()
        here, stop_at = Place(first, line), Place(stop, line + block.count(b"\n"))
        if first < sheet.header:
            block = block[sheet.header - first :]
            line += sheet.header_lines
        data = arrow_block(block, sheet, options)
        if data is None:
            data = careful_block(block, line, sheet, options, source.name)
        yield data._replace(start=here, next=stop_at)
        line = stop_at.line


def sheet_of(source: Opened, options: Options) -> Sheet:
    """What the first two lines that are not blank say."""
    head = source.peek_until(has_two_lines, sys.maxsize)
    mark = len(MARK) if head.startswith(MARK) else 0
    every = head[mark:].split(b"\n")
    lines = [(i, line) for i, line in enumerate(every) if line.strip()][:2]
    if not lines:
        raise FileError(source.name, "found no examples, expected at least one")
    number, first = lines[0]
    fields = [word for _, word in fields_of(first)]
    if len(fields) == 1 and (wrong := other_separator(first)):
        raise FileError(source.name, wrong, line=number + 1)
    told = (options.label, options.weight, *options.ignored)
    by_name = LABEL in fields or any(isinstance(column, str) for column in told)
    named = by_name or not any(NUMBER.fullmatch(word.strip()) for word in fields)
    if named and (stray := stray_byte(first)):
        column = stray[1] + (mark if number == 0 else 0)
        raise FileError(source.name, stray[0], line=number + 1, column=column)
    layout = layout_of(fields if named else None, len(fields), options, source.name)
    header_lines = number + 1 if named else 0
    header = mark + sum(len(line) + 1 for line in every[:header_lines])
    first_row = [word.strip() for _, word in fields_of(lines[-1][1])]
    text_labels = False
    if layout.label is not None and len(first_row) > layout.label:
        word = first_row[layout.label]
        text_labels = not NUMBER.fullmatch(word) and (word != "" or options.labels == "required")
    return Sheet(layout, header, header_lines, text_labels)


def has_two_lines(head: bytes) -> bool:
    """Are there two whole lines that are not blank?"""
    whole = filter(bytes.strip, head.split(b"\n")[:-1])
    return len([*islice(whole, 2)]) == 2


def fields_of(line: bytes) -> list[tuple[int, str]]:
    """The words of a line, each with the column of its first byte."""
    line, fields, at = line.removesuffix(b"\r"), [], 0
    while True:
        found = FIELD.match(line, at)
        assert found is not None  # the second alternative takes whatever there is
        quoted, plain = found.groups()
        word = plain if quoted is None else quoted.replace(b'""', b'"')
        fields.append((at + 1, word.decode("utf-8", "backslashreplace")))
        at = found.end() + 1
        if at > len(line):
            return fields


def arrow_block(block: bytes, sheet: Sheet, options: Options) -> Data | None:
    """A block as Arrow reads it; None if there is anything that is not as it should be."""
    layout = sheet.layout
    names = [str(j) for j in range(layout.n_columns)]
    types = dict.fromkeys(names, pyarrow.float64())
    types |= dict.fromkeys(map(str, layout.ignored), pyarrow.string())
    if sheet.text_labels:
        types[str(layout.label)] = pyarrow.string()
    if not block.strip() or LONE_RETURN.search(block) or block.count(b'"') % 2 or b"\0" in block:
        return None  # Arrow would end a line at a lone carriage return, and not end an open quote
    try:
        table = pyarrow.csv.read_csv(
            pyarrow.py_buffer(block),
            read_options=pyarrow.csv.ReadOptions(
                column_names=names, use_threads=options.threads > 1 and len(block) > ALONE
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=types, null_values=[], strings_can_be_null=False
            ),
        )
    except pyarrow.ArrowInvalid:
        return None
    n_lines = block.count(b"\n") + (not block.endswith(b"\n"))
    if b'"' in block and (table.num_rows != n_lines or STRAY_QUOTE.search(b"\n" + block)):
        return None  # perhaps a newline in quotes, which Arrow takes where it sees the other end

    def column(j: int) -> Array:
        values: Array = table.column(j).to_numpy()
        return values.astype(str) if j == layout.label and sheet.text_labels else values

    strict = replace(options, labels="required", bad_lines="error")
    try:
        return examples_of(column, table.num_rows, layout, strict, "", Place())
    except FileError:
        return None


def careful_block(block: bytes, line: int, sheet: Sheet, options: Options, name: str) -> Data:
    """A block line by line, with the place of all that is wrong."""
    rows, messages, layout = [], [], sheet.layout
    for i, text in enumerate(block.split(b"\n")):
        if text.strip():
            try:
                rows.append(row_of(text, sheet, options, partial(FileError, name, line=line + i)))
            except FileError as fault:
                if options.bad_lines == "error":
                    raise
                messages.append(str(fault))
    values, y, weight = zip(*rows, strict=True) if rows else ((), (), ())
    return Data(
        np.array(values, options.float_type).reshape(len(rows), len(layout.features)),
        None if layout.label is None else np.array(y, str if sheet.text_labels else np.float64),
        None if all(w == 1 for w in weight) else np.array(weight),
        layout.feature_names,
        skipped=Skipped(len(messages), tuple(messages[:MESSAGES_KEPT])),
    )


def stray_byte(line: bytes) -> tuple[str, int] | None:
    """What is wrong with a line that is no text, and where, if that is so."""
    nul = line.find(b"\0")
    if nul >= 0:
        return "found a NUL byte, expected text", nul + 1
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = line[error.start]
        return f"found the byte 0x{byte:02x}, expected text in UTF-8", error.start + 1
    return None


def row_of(
    line: bytes, sheet: Sheet, options: Options, fault: Callable[..., FileError]
) -> tuple[list[float], str | float | None, float]:
    """Features, label and weight of one line; or an error, made by `fault`, at its place there."""
    if stray := stray_byte(line):
        raise fault(stray[0], column=stray[1])
    fields, layout = fields_of(line), sheet.layout
    if len(fields) != layout.n_columns:
        found = "1 value" if len(fields) == 1 else f"{len(fields)} values"
        raise fault(f"found {found}, expected {layout.n_columns}", column=fields[-1][0])

    def number(j: int, wanted: str, kind: np.dtype[np.floating], least: float = -np.inf) -> float:
        column, word = fields[j]
        value = float(word) if NUMBER.fullmatch(word.strip()) else np.nan
        with np.errstate(over="ignore"):
            if not (np.isfinite(kind.type(value)) and value >= least):
                raise fault(f"found {word!r}, expected {wanted}", column=column)
        return value

    label: str | float | None = None
    if layout.label is not None:
        column, label = fields[layout.label]
        is_missing = label.strip() == ""
        if is_missing and options.labels == "required":
            raise fault(f"found {said('')}, expected a label", column=column)
        if not sheet.text_labels:
            wanted = "a number, as the first label is"
            label = np.nan if is_missing else number(layout.label, wanted, DOUBLE)
    weight = 1.0
    if layout.weight is not None:
        weight = number(layout.weight, "a weight, a finite number from 0 on", DOUBLE, least=0.0)
    values = [
        number(j, f"a finite number in column {title(layout, j)}", options.float_type)
        for j in layout.features
    ]
    return values, label, weight


def write(data: Data, file: IO[bytes]) -> None:
    """Examples as a table with a line of names."""
    if data.X.dtype == np.float32:  # the text of a single is not its double's
        data = data._replace(X=data.X.astype(np.float64))
    pyarrow.csv.write_csv(table_of(data, "csv", lost="\0\n\r"), file)


HANDLER = Handler(stream, check=sheet_of, write=write)
