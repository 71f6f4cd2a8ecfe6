"""The kernel that parses delimited text: straight from bytes to numbers and codes.

It knows what a plan needs of each column: a number, the code of a known text, a hash, or where the
text is. It gives up on a block with anything out of the ordinary, which Arrow or `careful_block`
reads then; so it never decides what is wrong.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.core.jit import njit
from novikoff.core.rows import U
from novikoff.data.feature_hash import hashed, murmur3
from novikoff.data.lines import NEWLINE, RETURN, is_space
from novikoff.data.numbers import number
from novikoff.typing import Array

SKIP, NUMBER, CODE, EXACT, HASH, PLACE = range(6)
"""What is wanted of a column. Of an exact code, spaces around the text are a part of it."""
QUOTE, ODD = np.uint8(ord('"')), np.uint64(2**63)


class Texts(NamedTuple):
    """Known texts of several groups, to be found by their bytes."""

    slots: npt.NDArray[np.int64]
    """Which text is where in the hash table of its group; -1 for none."""
    starts: npt.NDArray[np.int64]
    """Where the table of each group starts, and where the last one ends."""
    places: npt.NDArray[np.int64]
    """Where each text starts in `data`, and where the last one ends."""
    data: npt.NDArray[np.uint8]
    codes: npt.NDArray[np.int64]
    """What each stands for."""


class Wanted(NamedTuple):
    """What is wanted of each column of a file."""

    kinds: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    """Which row of the results of its kind a column has."""
    seeds: npt.NDArray[np.uint64]
    """What hashes start from."""
    texts: Texts
    """Of group 0 are blanks, of group k + 1 the codes of row k."""


class Parsed(NamedTuple):
    """What was found: a row for each column, and a column for each record."""

    numbers: npt.NDArray[np.float64]
    codes: npt.NDArray[np.int64]
    """-1 for a text that is not known."""
    hashes: npt.NDArray[np.int64]
    """-1 for a blank."""
    places: npt.NDArray[np.int64]
    """First and last byte of each."""


def texts_of(groups: Sequence[Iterable[tuple[str, int]]]) -> Texts:
    """Texts, and what they stand for, group by group."""
    slots, starts, places, data = [], [0], [0], bytearray()
    codes: list[int] = []
    for group in groups:
        known = [(text.encode(), code) for text, code in group]
        size = 1 << max(2 * len(known), 2).bit_length()
        table = np.full(size, -1, np.int64)
        for text, code in known:
            at = int(hash_text(np.frombuffer(bytearray(text), np.uint8)))
            while table[at & (size - 1)] >= 0:
                at += 1
            table[at & (size - 1)] = len(codes)
            codes.append(code)
            data += text
            places.append(len(data))
        slots.append(table)
        starts.append(starts[-1] + size)
    whole = np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8)
    of_int = [np.array(values, np.int64) for values in (starts, places, codes)]
    return Texts(np.concatenate(slots), of_int[0], of_int[1], whole, of_int[2])


@njit(cache=True)
def hash_text(text):
    """The hash by which texts are found."""
    return murmur3(text, U(0), U(len(text)), np.uint64(0))


@njit
def find(texts, group, text, start, stop):
    """What a text stands for in its group; -1 if it is not known."""
    low = texts.starts[group]
    mask = U(texts.starts[group + 1] - low - 1)
    at = U(murmur3(text, start, stop, np.uint64(0))) & mask
    while texts.slots[U(low) + at] >= 0:
        k = texts.slots[U(low) + at]
        first = U(texts.places[k])
        if U(texts.places[k + 1]) - first == stop - start:
            same = True
            for i in range(stop - start):
                same &= texts.data[first + U(i)] == text[start + U(i)]
            if same:
                return texts.codes[k]
        at = (at + U(1)) & mask
    return np.int64(-1)


@njit(forceinline=True)
def ends_field(text, at, delimiter):
    """Does a field end here? A carriage return counts before a newline only."""
    c = text[at]
    return (c == delimiter) | (c == NEWLINE) or (c == RETURN and text[at + U(1)] == NEWLINE)


@njit(forceinline=True)
def field(text, at, delimiter):
    """Where a field's text starts and stops, and where the field ends or `ODD`."""
    start = at
    if text[at] == QUOTE:
        start += U(1)
        at = start
        while text[at] != QUOTE:
            at += U(1)
            if at >= U(len(text)):
                return start, start, ODD
        stop = at
        at += U(1)
        if at >= U(len(text)) or not ends_field(text, at, delimiter):
            return start, start, ODD
    else:
        while not ends_field(text, at, delimiter):
            if text[at] == QUOTE:
                return start, start, ODD
            at += U(1)
        stop = at
    return start, stop, at


@njit(cache=True, nogil=True)
def parse_records(text, delimiter, wanted, parsed):
    """The records of a text that ends in a newline: how many there are; -1 if any is odd."""
    at, row, n_columns = U(0), U(0), len(wanted.kinds)
    while at < U(len(text)):
        start = at
        while is_space(text[at]) and text[at] != delimiter:
            at += U(1)
        if text[at] == NEWLINE or (text[at] == RETURN and text[at + U(1)] == NEWLINE):
            at += U(1) + U(text[at] == RETURN)  # a blank line
            continue
        at = start
        for j in range(n_columns):
            at = parse_field(text, at, delimiter, wanted, U(j), parsed, row)
            if at == ODD or (text[at] == delimiter) != (j < n_columns - 1):
                return np.int64(-1)
            if j < n_columns - 1:
                at += U(1)
        at += U(1) + U(text[at] == RETURN)
        row += U(1)
    return np.int64(row)


@njit(forceinline=True)
def parse_field(text, at, delimiter, wanted, j, parsed, row):
    """One field into the results; where it ends, or `ODD`."""
    kind, k = wanted.kinds[j], U(wanted.rows[j])
    if kind == NUMBER:
        value, stop = number(text, at)
        if stop > at and ends_field(text, stop, delimiter):
            parsed.numbers[k, row] = value
            return stop if value - value == 0.0 else ODD
    start, stop, end = field(text, at, delimiter)
    if end == ODD or kind == SKIP:
        return end
    if kind == EXACT:
        code = find(wanted.texts, k + U(1), text, start, stop)
        parsed.codes[k, row] = code
        return end if code >= 0 else ODD
    while start < stop and is_space(text[start]):
        start += U(1)
    while start < stop and is_space(text[stop - U(1)]):
        stop -= U(1)
    if kind == NUMBER:
        if find(wanted.texts, 0, text, start, stop) >= 0:
            parsed.numbers[k, row] = np.nan
            return end
        value, last = number(text, start)
        parsed.numbers[k, row] = value
        return end if last == stop and start < stop and value - value == 0.0 else ODD
    if kind == CODE:
        parsed.codes[k, row] = find(wanted.texts, k + U(1), text, start, stop)
    elif kind == HASH:
        of_text = np.int64(hashed(text, start, stop, wanted.seeds[j]) & np.uint64(2**62 - 1))
        parsed.hashes[k, row] = of_text if start < stop else np.int64(-1)
    else:
        parsed.places[k, 2 * row], parsed.places[k, 2 * row + U(1)] = start, stop
    return end


@njit(cache=True, nogil=True)
def gather(text, places, starts, data):
    """Texts one after the other, and where each starts."""
    at = U(0)
    for i in range(len(starts) - 1):
        starts[i] = at
        for p in range(U(places[2 * i]), U(places[2 * i + 1])):
            data[at] = text[p]
            at += U(1)
    starts[len(starts) - 1] = at


def parsed_block(
    block: Array, n_lines: int, delimiter: bytes, wanted: Wanted
) -> tuple[Parsed, int] | None:
    """The records of a block, and how many there are; None if any is odd."""
    n = np.bincount(wanted.kinds, minlength=PLACE + 1)
    parsed = Parsed(
        np.empty((n[NUMBER], n_lines)),
        np.empty((n[CODE] + n[EXACT], n_lines), np.int64),
        np.empty((n[HASH], n_lines), np.int64),
        np.empty((n[PLACE], 2 * n_lines), np.int64),
    )
    with np.errstate(over="ignore"):  # uncompiled, hashes would warn
        rows = int(parse_records(block, np.uint8(delimiter[0]), wanted, parsed))
    return None if rows < 0 else (parsed, rows)
