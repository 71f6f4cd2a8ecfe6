"""A block of delimited text by the kernel, if it has nothing out of the ordinary."""

from typing import Any

import numpy as np
import pyarrow

from novikoff.data.delimited.careful import raw_of
from novikoff.data.delimited.head import Sheet
from novikoff.data.delimited.lexer import (
    CODE,
    EXACT,
    HASH,
    NUMBER,
    PLACE,
    SKIP,
    Parsed,
    Wanted,
    gather,
    parsed_block,
    texts_of,
)
from novikoff.data.tables.columns import PlannedColumn
from novikoff.data.tables.look import PAIRS
from novikoff.data.tables.numerals import BLANKS
from novikoff.data.tables.words import seed_of
from novikoff.typing import Array

KINDS = {"number": NUMBER, "boolean": CODE, "category": CODE, "hashed": HASH, "ignored": SKIP}
YES_OR_NO = np.array([0.0, 1.0, np.nan])


def yes_or_no() -> list[tuple[str, int]]:
    """How yes and no are written, and blanks."""
    words = {no: 0 for _, no in PAIRS} | {yes: 1 for yes, _ in PAIRS} | {"0": 0, "1": 1}
    spelled = {
        way: code for word, code in words.items() for way in (word, word.upper(), word.title())
    }
    return [*(spelled | dict.fromkeys(BLANKS, 2)).items()]


class Fast:
    """What the kernel is told of a file."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.labels: list[str] = []
        """The texts that labels had so far."""
        self.wanted = self._wanted()

    def _wanted(self) -> Wanted:
        layout, plan, places = self.sheet.table
        kinds = np.full(layout.n_columns, SKIP, np.int64)
        seeds = np.zeros(layout.n_columns, np.uint64)
        groups: dict[Any, list[tuple[str, int]]] = {}
        for column, j in zip(plan.columns_, places, strict=True):
            if j < 0:
                continue
            loose = column.kind == "number" and column.form
            kinds[j] = PLACE if loose else KINDS.get(column.kind, PLACE)
            if column.kind == "hashed":
                seeds[j] = seed_of(column.title)
            elif column.kind == "boolean":
                groups[j] = yes_or_no()
            elif column.kind == "category":
                groups[j] = [(value, code) for code, value in enumerate(column.values)]
        for own in (layout.label, layout.weight):
            if own is not None:
                kinds[own] = NUMBER
        if layout.label is not None and self.sheet.text_labels:
            kinds[layout.label] = EXACT
            groups[layout.label] = [(label, code) for code, label in enumerate(self.labels)]
        rows, coded = np.zeros(layout.n_columns, np.int64), np.isin(kinds, (CODE, EXACT))
        for of_kind in (kinds == NUMBER, coded, kinds == HASH, kinds == PLACE):
            rows[of_kind] = np.arange(of_kind.sum())
        texts = texts_of(
            [[(blank, 0) for blank in BLANKS], *(groups[j] for j in np.flatnonzero(coded))]
        )
        return Wanted(kinds, rows, seeds, texts)

    def know(self, y: Array | None) -> None:
        """Know the labels of a block, too."""
        if y is not None and self.sheet.text_labels:
            new = sorted({*np.unique(y).tolist()} - {*self.labels, ""})
            if new:
                self.labels += new
                self.wanted = self._wanted()

    def columns(self, block: bytes, n_lines: int) -> tuple[list[Any], Any, int] | None:
        """The columns of a block of so many lines, as a plan takes them.

        And its other columns by number, and how many rows it has.
        """
        text = np.frombuffer(block, np.uint8)
        if self.sheet.numbers.decimal != "." or not (len(text) and is_utf8(block, text)):
            return None
        found = parsed_block(text, n_lines, self.sheet.delimiter, self.wanted)
        if found is None:
            return None
        parsed, n = found
        _, plan, places = self.sheet.table
        raw = [self._raw(c, j, text, parsed, n) for c, j in zip(plan.columns_, places, strict=True)]
        if any(
            column.kind == "boolean" and values is None
            for column, values in zip(plan.columns_, raw, strict=True)
        ):
            return None

        def own(j: int) -> Array:
            row = self.wanted.rows[j]
            if self.wanted.kinds[j] == EXACT:
                words = np.array(self.labels, str)
                return words[parsed.codes[row, :n]]
            return parsed.numbers[row, :n]

        return raw, own, n

    def _raw(self, column: PlannedColumn, j: int, text: Array, parsed: Parsed, n: int) -> Any:
        if column.kind == "ignored":
            return None
        kind, row = self.wanted.kinds[j], self.wanted.rows[j]
        if kind == NUMBER:
            return parsed.numbers[row, :n]
        if kind == HASH:
            return parsed.hashes[row, :n]
        if kind == CODE:
            codes = parsed.codes[row, :n]
            if column.kind == "category":
                return codes
            return None if (codes < 0).any() else YES_OR_NO[codes]
        places = parsed.places[row, : 2 * n]
        starts = np.zeros(n + 1, np.int64)
        data = np.empty(int((places[1::2] - places[::2]).sum()), np.uint8)
        gather(text, places, starts, data)
        buffers = [None, pyarrow.py_buffer(starts), pyarrow.py_buffer(data)]
        words = pyarrow.Array.from_buffers(pyarrow.large_string(), n, buffers)
        return raw_of(words, column, self.sheet.numbers)


def is_utf8(block: bytes, text: Array) -> bool:
    """Is a block text in UTF-8, without NUL bytes?"""
    if b"\0" in block:
        return False
    if text.max() < 128:
        return True
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True
