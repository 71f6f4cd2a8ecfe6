"""A block of delimited text, record by record, to find all that is wrong with it."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pyarrow

from novikoff.data.delimited.head import Sheet, fault_at, is_blank, stray_byte
from novikoff.data.delimited.records import Record, records
from novikoff.data.reader_options import Options
from novikoff.data.results import MESSAGES_KEPT, Data, Place, Skipped
from novikoff.data.tables.columns import PlannedColumn
from novikoff.data.tables.dates import days_of
from novikoff.data.tables.encode import encoded
from novikoff.data.tables.layout import said, title
from novikoff.data.tables.look import booleans_of
from novikoff.data.tables.numerals import Numbers, numbers_of
from novikoff.data.tables.plan import expected
from novikoff.data.tables.soundness import examples_of
from novikoff.errors import FileError

MANY = 1000
"""In so many lines faults are looked for, from the first one on."""
MOST_TOLD = 10


def raw_of(values: Any, column: PlannedColumn, numbers: Numbers) -> Any:
    """A column as it was read, in the form in which a plan takes it."""
    if column.kind == "ignored":
        return None
    if column.kind == "number":
        read = pyarrow.types.is_floating(values.type)
        return values.to_numpy() if read else numbers_of(values, numbers)
    if column.kind == "boolean":
        return booleans_of(values)
    return days_of(values, column.form) if column.kind == "date" else values


class Fault(NamedTuple):
    """What is wrong with a record: where, what, and with which column of the plan, if any."""

    at: int
    what: str
    column: PlannedColumn | None = None


class Faults:
    """The faults of a block: all of them if they are skipped, else those of a thousand lines."""

    def __init__(self, block: bytes, line: int, options: Options, name: str) -> None:
        self.block, self.line, self.options, self.name = block, line, options, name
        self.every: list[FileError] = []
        self.told: list[FileError] = []
        """One of each column, and all that are about no column."""
        self.columns: list[PlannedColumn] = []
        self.stop = len(block)
        """From here on, no more are looked for."""

    def add(self, record: Record, fault: Fault) -> None:
        """One more."""
        error = fault_at(self.name, self.block, fault.at, self.line, fault.what)
        if not self.every and self.options.bad_lines == "error":
            self.stop = end_of_lines(self.block, record.start, MANY)
        self.every.append(error)
        if fault.column is None or fault.column not in self.columns:
            self.told.append(error)
            self.columns += [] if fault.column is None else [fault.column]

    @property
    def skipped(self) -> Skipped:
        """What is to be said of them."""
        return Skipped(len(self.every), tuple(map(str, self.every[:MESSAGES_KEPT])))


def careful_block(block: bytes, line: int, sheet: Sheet, options: Options, name: str) -> Data:
    """A block record by record, with the place of all that is wrong."""
    rows: list[Row] = []
    faults = Faults(block, line, options, name)
    for record in records(block, sheet.delimiter):
        if record.start >= faults.stop:
            break
        if is_blank(record, block):
            continue
        row = row_of(record, block, sheet, options)
        if isinstance(row, Fault):
            faults.add(record, row)
        else:
            rows.append(row)
    if faults.every and options.bad_lines == "error":
        raise together(faults)
    words, y, weight, copies = zip(*rows, strict=True) if rows else ((), (), (), ())
    layout, plan, _ = sheet.table
    raw = [
        raw_of(texts(row[k] for row in words), column, sheet.numbers)
        for k, column in enumerate(plan.columns_)
    ]
    kept = layout.kept_of(lambda j: texts(row[layout.kept.index(j)] for row in copies))
    given = {
        layout.label: np.array(y, str if sheet.text_labels else np.float64),
        layout.weight: np.array(weight, np.float64),
    }
    own, place = given.__getitem__, Place()
    made = encoded(plan, raw, len(rows), options.float_type)
    data = examples_of(made, own, sheet.table, options, name, place, kept)
    return data._replace(skipped=faults.skipped)


def texts(words: Iterable[str]) -> Any:
    """Words as a column of Arrow's."""
    return pyarrow.array([*words], pyarrow.string())


def end_of_lines(block: bytes, start: int, n: int) -> int:
    """The place after so many lines."""
    for _ in range(n):
        start = block.find(b"\n", start) + 1
        if start == 0:
            return len(block)
    return start


def together(faults: Faults) -> FileError:
    """One error of the faults that were found."""
    told, n = faults.told, len(faults.every)
    names = [column.name for column in faults.columns]
    several, todo = len(names) > 1, "skip such lines ({bad_lines=})"
    parameters: dict[str, Any] = {"bad_lines": "skip"}
    if names:
        todo = (
            f"leave the column{'s' * several} out ({{ignore=}}), make {'' if several else 'a '}"
            f"categor{'ies' if several else 'y'} of {'them' if several else 'it'} ({{categories=}})"
            ", or skip such lines ({bad_lines=})"
        )
        one = names if several else names[0]
        parameters = {"ignore": one, "categories": one, "bad_lines": "skip"}
    if n == 1:
        what = f"{told[0].what}: {todo}" if names else told[0].what
        return FileError(faults.name, what, line=told[0].line, column=told[0].column, **parameters)
    lines = [f"\n  line {fault.line}: {fault.what}" for fault in told[:MOST_TOLD]]
    more = n - min(len(told), MOST_TOLD)
    lines += [f"\n  and {more:,} more in the thousand lines from there"] * (more > 0)
    advice = f"\nFix them, or {todo}."
    return FileError(faults.name, f"found {n:,} problems:{''.join(lines)}{advice}", **parameters)


class Row(NamedTuple):
    """A record without a fault."""

    words: list[str]
    """The texts of its columns, in the order of the plan."""
    label: str | float | None
    weight: float
    kept: list[str]
    """The texts of the columns to copy."""


def row_of(record: Record, block: bytes, sheet: Sheet, options: Options) -> Row | Fault:
    """The row that a record is, or what is wrong with it."""
    if stray := stray_byte(block[record.start : record.stop]):
        return Fault(record.start + stray[1], stray[0])
    if record.fault is not None:
        return Fault(*record.fault)
    fields = [(at, word.decode()) for at, word in record.fields]
    layout, plan, places = sheet.table
    if len(fields) != layout.n_columns:
        found = "1 value" if len(fields) == 1 else f"{len(fields)} values"
        return Fault(fields[-1][0], f"found {found}, expected {layout.n_columns}")
    for column, place in zip(plan.columns_, places, strict=True):
        at, word = fields[place]
        if column.is_number and (wrong := wrong_with(word, column, sheet, options)):
            what = f"found {word!r}, expected {wrong} in column {title(layout, place)}"
            return Fault(at, what, column)
    label: str | float | None = None
    if layout.label is not None:
        at, label = fields[layout.label]
        is_missing = label.strip() == ""
        if is_missing and options.labels == "required":
            return Fault(at, f"found {said('')}, expected a label")
        if not sheet.text_labels:
            value = np.nan if is_missing else sheet.numbers.value(label)
            if np.isinf(value) or (np.isnan(value) and not is_missing):
                return Fault(at, f"found {label!r}, expected a number, as the first label is")
            label = value
    weight = 1.0
    if layout.weight is not None:
        at, word = fields[layout.weight]
        weight = sheet.numbers.value(word)
        if not 0 <= weight < np.inf:
            return Fault(at, f"found {word!r}, expected a weight, a finite number from 0 on")
    words = [fields[j][1] if j >= 0 else "" for j in places]
    return Row(words, label, weight, [fields[j][1] for j in layout.kept])


def wrong_with(word: str, column: PlannedColumn, sheet: Sheet, options: Options) -> str:
    """What a value of a column of numbers was expected to be, if it is something else."""
    value = raw_of(pyarrow.array([word]), column, sheet.numbers)[0]
    fine = np.isnan(value) and sheet.table.plan.missing != "error"
    with np.errstate(over="ignore"):
        fine = fine or np.isfinite(options.float_type.type(value))
    return "" if fine else expected(column)
