"""Rows of numbers from the columns of a table, as a plan says."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.data.tables.assembly import sparse_rows
from novikoff.data.tables.columns import PlannedColumn
from novikoff.data.tables.numerals import mapped
from novikoff.data.tables.plan import TablePlan
from novikoff.data.tables.words import hashed_values, hashed_words
from novikoff.typing import Array, Matrix

Raw = Any
"""A column as it is read: doubles for numbers, NaN for a blank; else Arrow's text, or codes of a
category, or hashes, -1 for none; None if it is ignored."""
FAULTS_KEPT = 20


class Encoded(NamedTuple):
    """Rows of numbers."""

    X: Matrix
    bad: npt.NDArray[np.bool_]
    """The rows that the plan does not allow."""
    faults: list[tuple[int, int, object]]
    """The first of them: row, number of the column, and what was found."""
    unseen: "Counter[str]"
    """How many values of each column are not in the plan, but have their place there."""


class Entries:
    """Entries of rows, column by column of the result."""

    def __init__(self, plan: TablePlan, n: int, dtype: npt.DTypeLike) -> None:
        self.plan, self.n, self.dtype = plan, n, dtype
        self.dense = None if plan.is_sparse else np.zeros((n, plan.width), dtype)
        self.entries: list[tuple[int, Array, bool]] = []
        self.hashes: list[Array] = []
        self.words: list[sparse.csr_array] = []

    def put(self, j: int, values: Array) -> None:
        """These in column `j`."""
        if self.dense is not None:
            self.dense[:, j] = values
        else:
            self.entries.append((j, values, False))

    def mark(self, first: int, codes: Array) -> None:
        """1 in the columns `first + code`; nothing for a code of -1."""
        if self.dense is not None:
            rows = np.flatnonzero(codes >= 0)
            self.dense[rows, first + codes[rows]] = 1.0
        else:
            self.entries.append((first, codes, True))

    def matrix(self) -> Matrix:
        """All of them."""
        if self.dense is not None:
            return self.dense
        width = self.plan.width
        beside = 0 if self.words else self.plan.n_features - width
        shape, hashes = (self.n, width + beside), [] if self.words else self.hashes
        X = sparse_rows(self.entries, hashes, shape, width, self.dtype)
        if self.words:
            empty = (self.n, 1 << self.plan.bits)
            own = sparse_rows([], self.hashes, empty, 0, self.dtype)
            tail = sum(self.words, own).astype(self.dtype)
            tail.sort_indices()
            X = sparse.csr_array(sparse.hstack([X, tail], format="csr"))
            X.has_canonical_format = True
        return X


def encoded(plan: TablePlan, raw: Sequence[Raw], n: int, dtype: npt.DTypeLike) -> Encoded:
    """The rows that these columns make, which are those of the plan in its order."""
    entries, bad = Entries(plan, n, dtype), np.zeros(n, bool)
    faults: list[tuple[int, int, object]] = []
    unseen: Counter[str] = Counter()
    at = 0
    for k, (column, values) in enumerate(zip(plan.columns_, raw, strict=True)):
        if column.kind == "category":
            known = isinstance(values, np.ndarray)
            codes = values if known else codes_of(values, column.values)
            entries.mark(at, codes)
            strange = codes < 0
        elif column.is_number:
            blank = np.isnan(values)
            with np.errstate(over="ignore"):
                wrong = np.isinf(values.astype(dtype))
            if plan.missing == "error":
                wrong |= blank
            put_numbers(entries, at, column, values, blank)
            strange = blank & ~wrong & (not column.has_blanks and plan.missing != "mean")
            faults += [
                (row, k, values[row]) for row in np.flatnonzero(wrong)[:FAULTS_KEPT].tolist()
            ]
            bad |= wrong
        else:
            if column.kind == "text":
                entries.words.append(hashed_words(values, column.title, plan.bits))
            elif column.kind == "hashed":
                entries.hashes.append(hashed_values(values, column.title, plan.bits))
            continue
        at += column.width
        if strange.any():
            unseen[column.title] += int(strange.sum())
    faults.sort(key=lambda fault: fault[0])
    return Encoded(entries.matrix(), bad, faults, unseen)


def put_numbers(
    entries: Entries, at: int, column: PlannedColumn, values: Array, blank: npt.NDArray[np.bool_]
) -> None:
    """A column of numbers, with an indicator if it has one."""
    has_blank = bool(blank.any())
    if has_blank:
        values = np.where(blank, column.mean, values)
    if column.spread:
        values = (values - column.mean) / column.spread
    entries.put(at, values)
    if column.has_blanks:
        entries.mark(at + 1, np.where(blank, 0, -1))


def codes_of(texts: Any, values: Sequence[str]) -> Array:
    """The place of each text among the values of a category; -1 if it has none."""
    place = {value: code for code, value in enumerate(values)}
    return mapped(texts, lambda word: place.get(word, -1)).astype(np.int64)
