"""A block of delimited text by the kernel, if it has nothing out of the ordinary."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from novikoff.data.delimited.head import Sheet
from novikoff.data.delimited.lexer import (
    BLANK,
    BOOLEAN,
    CATEGORY,
    HASH,
    IS_NEW,
    NO,
    NUMBER,
    OWN_NUMBER,
    OWN_TEXT,
    SKIP,
    YES,
    Room,
    Wanted,
    parse_records,
    texts_of,
)
from novikoff.data.tables.assembly import in_rows
from novikoff.data.tables.columns import PlannedColumn
from novikoff.data.tables.encode import Encoded
from novikoff.data.tables.look import PAIRS
from novikoff.data.tables.numerals import BLANKS
from novikoff.data.tables.words import seed_of
from novikoff.typing import Array

KINDS = {
    "number": NUMBER,
    "boolean": BOOLEAN,
    "category": CATEGORY,
    "hashed": HASH,
    "ignored": SKIP,
}
MOST = np.iinfo(np.int32).max
TRIES = 64
"""How often a block is read anew because of a new label."""


def yes_or_no() -> list[tuple[str, int]]:
    """How yes and no are written, and blanks."""
    words = {no: NO for _, no in PAIRS} | {yes: YES for yes, _ in PAIRS} | {"0": NO, "1": YES}
    spelled = {
        way: code for word, code in words.items() for way in (word, word.upper(), word.title())
    }
    return [*(spelled | dict.fromkeys(BLANKS, BLANK)).items()]


def is_known(column: PlannedColumn) -> bool:
    """Does the kernel know what becomes of such a column?"""
    return column.kind in KINDS and not column.form


class Fast:
    """What the kernel is told of a file."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.labels: list[str] = []
        """The texts that labels had so far."""
        fit = sheet.numbers.decimal == "." and not sheet.table.layout.kept
        self.can = fit and all(map(is_known, sheet.table.plan.columns_))
        self.wanted = self._wanted() if self.can else None

    def _wanted(self) -> Wanted:
        layout, plan, places = self.sheet.table
        n, at = layout.n_columns, 0
        kinds, firsts, groups = np.full(n, SKIP, np.int64), *np.zeros((2, n), np.int64)
        means, spreads = np.zeros((2, n))
        marked, seeds = np.zeros(n, np.bool_), np.zeros(n, np.uint64)
        texts: list[list[tuple[str, int]]] = [[(blank, 0) for blank in BLANKS]]
        for column, j in zip(plan.columns_, places, strict=True):
            if j < 0:
                continue
            kinds[j], firsts[j], groups[j] = KINDS[column.kind], at, len(texts)
            means[j], spreads[j], marked[j] = column.mean, column.spread, column.has_blanks
            if column.kind == "hashed":
                firsts[j], seeds[j] = plan.width, seed_of(column.title)
            elif column.kind == "boolean":
                texts.append(yes_or_no())
            elif column.kind == "category":
                texts.append([(value, code) for code, value in enumerate(column.values)])
            at += column.width
        for row, own in enumerate((layout.label, layout.weight)):
            if own is not None:
                kinds[own], firsts[own] = OWN_NUMBER, row
        if layout.label is not None and self.sheet.text_labels:
            kinds[layout.label], groups[layout.label] = OWN_TEXT, len(texts)
            texts.append([(label, code) for code, label in enumerate(self.labels)])
        known, refused = texts_of(texts), plan.missing == "error"
        shape = plan.width, (1 << plan.bits) - 1
        return Wanted(kinds, firsts, groups, means, spreads, marked, seeds, known, *shape, refused)

    def rows(
        self, block: bytes, n_lines: int, dtype: np.dtype[np.floating]
    ) -> tuple[Encoded, Callable[[int], Array]] | None:
        """The rows that a block of so many lines makes.

        And its other columns by number.
        """
        text, plan = np.frombuffer(block, np.uint8), self.sheet.table.plan
        if not (self.can and len(text) and is_utf8(block, text)):
            return None
        most = sum(1 + column.has_blanks for column in plan.columns_ if column.kind != "ignored")
        if n_lines * max(most, plan.width * (not plan.is_sparse)) > MOST:
            return None
        for _ in range(TRIES):
            wanted: Any = self.wanted
            room = self._room(n_lines, most, dtype)
            with np.errstate(over="ignore"):  # uncompiled, hashes would warn
                n = int(parse_records(text, np.uint8(self.sheet.delimiter[0]), wanted, room))
            if n != IS_NEW:
                break
            self.labels.append(text[slice(*room.new.tolist())].tobytes().decode())
            self.wanted = self._wanted()
        if n < 0:
            return None
        named = zip(plan.columns_, self.sheet.table.places, strict=True)
        filled = plan.missing == "mean"  # so that blanks are nothing new
        unseen = {
            c.title: int(room.unseen[j])
            for c, j in named
            if j >= 0 and room.unseen[j] and not (filled and c.is_number)
        }
        if plan.is_sparse:
            k = room.indptr[n]
            parts = room.data[:k], room.indices[:k], room.indptr[: n + 1]
            X = in_rows(*parts, (n, plan.n_features))
        else:
            X = room.data.reshape(n_lines, plan.width)[:n]

        def own(j: int) -> Array:
            if wanted.kinds[j] == OWN_TEXT:
                return np.array(self.labels, str)[room.codes[:n]]
            return room.numbers[wanted.firsts[j], :n]

        return Encoded(X, np.zeros(n, bool), [], Counter(unseen)), own

    def _room(self, n: int, most: int, dtype: np.dtype[np.floating]) -> Room:
        layout, plan, _ = self.sheet.table
        sparse = plan.is_sparse
        return Room(
            np.zeros(n + 1, np.int32),
            np.empty(max(1, n * most) if sparse else 0, np.int32),
            np.empty(max(1, n * most), dtype) if sparse else np.zeros(n * plan.width, dtype),
            np.empty((2, n)),
            np.empty(n, np.int64),
            np.zeros(layout.n_columns, np.int64),
            np.zeros(2, np.int64),
        )


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
