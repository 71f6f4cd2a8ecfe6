"""The kernel that parses delimited text: straight from bytes to rows of numbers.

It knows what a plan makes of each column: a number, the place of a known text, or a hash. It gives
up on a block with anything out of the ordinary, which Arrow or `careful_block` reads then; so it
never decides what is wrong.
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

NUMBER, OWN_NUMBER, SKIP, BOOLEAN, CATEGORY, HASH, OWN_TEXT = range(7)
"""What is wanted of a column. Labels and weights are nobody else's; of a label that is a text,
spaces around it are a part."""
NO, YES, BLANK = range(3)
QUOTE, ODD = np.uint8(ord('"')), np.uint64(2**63)
IS_ODD, IS_NEW = -1, -2
"""Why a block was not read: it has something out of the ordinary, or a label that is new."""


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
    firsts: npt.NDArray[np.int64]
    """The first column of the result that a column has; or the row of a label or weight."""
    groups: npt.NDArray[np.int64]
    """Which group of texts a column has; that of blanks is 0."""
    means: npt.NDArray[np.float64]
    spreads: npt.NDArray[np.float64]
    """What numbers are divided by, after their mean was taken off; 0 if they are not."""
    marked: npt.NDArray[np.bool_]
    """Does a blank set an indicator in the next column?"""
    seeds: npt.NDArray[np.uint64]
    """What hashes start from."""
    texts: Texts
    width: int
    """How many columns the result has."""
    mask: int
    """Which bits of a hash count."""
    refused: bool
    """Are blanks in columns of numbers errors?"""


class Room(NamedTuple):
    """Room for what is found."""

    indptr: npt.NDArray[np.int32]
    indices: npt.NDArray[np.int32]
    """Empty if the rows are dense."""
    data: npt.NDArray[np.floating]
    """The entries of sparse rows; of dense ones all values, at first 0."""
    numbers: npt.NDArray[np.float64]
    """Labels that are numbers, or weights: a row for each."""
    codes: npt.NDArray[np.int64]
    """Which text each label is."""
    unseen: npt.NDArray[np.int64]
    """For each column, how many of its values the plan does not know."""
    new: npt.NDArray[np.int64]
    """From where to where a label goes that is new."""


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


@njit(forceinline=True)
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


@njit
def insert(room, begin, k, column, value):
    """An entry more in a row that begins at `begin`, whose columns stay in order."""
    at = k
    while at > begin and room.indices[at - U(1)] > column:
        at -= U(1)
    if at > begin and room.indices[at - U(1)] == column:
        room.data[at - U(1)] += value
        return k
    p = k
    while p > at:
        room.indices[p], room.data[p] = room.indices[p - U(1)], room.data[p - U(1)]
        p -= U(1)
    room.indices[at], room.data[at] = column, value
    return k + U(1)


@njit(forceinline=True)
def put(room, width, row, begin, k, column, value):
    """A value into a column of a row, whose entries end at `k`: where they end then."""
    if len(room.indices) == 0:
        room.data[row * width + U(column)] = value
        return k
    if k == begin or room.indices[k - U(1)] < column:
        room.indices[k], room.data[k] = column, value
        return k + U(1)
    return insert(room, begin, k, column, value)


@njit
def padded_number(text, at, delimiter, texts):
    """A number with spaces or quotes around it, NaN for a blank; and where the field ends."""
    start, stop, end = stripped(text, at, delimiter)
    if end == ODD or find(texts, 0, text, start, stop) >= 0:
        return np.nan, end
    value, last = number(text, start)
    return value, end if last == stop and start < stop else ODD


@njit(forceinline=True)
def stripped(text, at, delimiter):
    """What `field` says, without spaces around the text."""
    start, stop, end = field(text, at, delimiter)
    while start < stop and is_space(text[start]):
        start += U(1)
    while start < stop and is_space(text[stop - U(1)]):
        stop -= U(1)
    return start, stop, end


@njit(forceinline=True)
def put_number(value, end, wanted, j, room, row, begin, k):
    """A number, NaN for a blank, into its column: where the field ends, or `ODD`, and `k`."""
    blank = value != value
    if blank:
        value = wanted.means[j]
        room.unseen[j] += not wanted.marked[j]
    if not abs(room.data.dtype.type(value)) < np.inf or (blank and wanted.refused):
        return ODD, k
    if wanted.spreads[j] > 0.0:
        value = (value - wanted.means[j]) / wanted.spreads[j]
    k = put(room, U(wanted.width), row, begin, k, wanted.firsts[j], value)
    if blank and wanted.marked[j]:
        k = put(room, U(wanted.width), row, begin, k, wanted.firsts[j] + 1, 1.0)
    return end, k


@njit(forceinline=True)
def put_text(text, at, delimiter, wanted, j, room, row, begin, k):
    """What becomes of a text: where the field ends, or `ODD`, and `k`."""
    kind, first = wanted.kinds[j], wanted.firsts[j]
    if kind == OWN_TEXT:
        start, stop, end = field(text, at, delimiter)
        code = (
            np.int64(0) if end == ODD else find(wanted.texts, wanted.groups[j], text, start, stop)
        )
        room.codes[row] = code
        if code < 0:
            room.new[0], room.new[1] = start, stop
        return end if code >= 0 else ODD, k
    start, stop, end = stripped(text, at, delimiter)
    if end == ODD or kind == SKIP:
        return end, k
    if kind == HASH:
        if start < stop:
            of_text = np.int64(hashed(text, start, stop, wanted.seeds[j]) & np.uint64(wanted.mask))
            k = put(room, U(wanted.width), row, begin, k, first + of_text, 1.0)
        return end, k
    code = find(wanted.texts, wanted.groups[j], text, start, stop)
    if kind == CATEGORY:
        if code >= 0:
            k = put(room, U(wanted.width), row, begin, k, first + code, 1.0)
        room.unseen[j] += code < 0
        return end, k
    if code < 0:
        return ODD, k
    value = np.nan if code == BLANK else np.float64(code)
    return put_number(value, end, wanted, j, room, row, begin, k)


@njit(cache=True, nogil=True)
def parse_records(text, delimiter, wanted, room):
    """The records of a text that ends in a newline: how many, or why they were not read."""
    at, row, k, n_columns = U(0), U(0), U(0), len(wanted.kinds)
    while at < U(len(text)):
        start = at
        while is_space(text[at]) and text[at] != delimiter:
            at += U(1)
        if text[at] == NEWLINE or (text[at] == RETURN and text[at + U(1)] == NEWLINE):
            at += U(1) + U(text[at] == RETURN)  # a blank line
            continue
        at, begin = start, k
        for c in range(n_columns):
            j = U(c)
            kind = wanted.kinds[j]
            if kind <= OWN_NUMBER:
                value, end = number(text, at)
                if end == at or not ends_field(text, end, delimiter):
                    value, end = padded_number(text, at, delimiter, wanted.texts)
                if kind == OWN_NUMBER:
                    room.numbers[wanted.firsts[j], row] = value
                    end = ODD if abs(value) == np.inf else end
                elif end != ODD:
                    end, k = put_number(value, end, wanted, j, room, row, begin, k)
            else:
                end, k = put_text(text, at, delimiter, wanted, j, room, row, begin, k)
            if end == ODD or (text[end] == delimiter) != (c < n_columns - 1):
                return np.int64(IS_NEW if room.new[1] > 0 else IS_ODD)
            at = end + U(c < n_columns - 1)
        at += U(1) + U(text[at] == RETURN)
        row += U(1)
        room.indptr[row] = k
    return np.int64(row)
