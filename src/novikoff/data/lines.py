"""The kernel that parses text: line by line, each as the rule of its format says.

The rows it finds are written into a `Sink`, arrays that are as long as they must be at most. What
is wrong with a line is written into a table of faults instead, of which only the first few are
kept. A rule is a named tuple, in the file of its format; beside it stands its `parse_line`.
"""

from functools import singledispatch
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.core.jit import njit
from novikoff.core.rows import U

TAB, NEWLINE, RETURN, SPACE, HASH, COLON, BAR = (np.uint8(ord(c)) for c in "\t\n\r #:|")

GOOD, BLANK, CHANGED, WIDE = 0, -1, -2, -3
"""What became of a line without a fault. `CHANGED`: more came than was counted before;
`WIDE`: an index does not fit the type of the sink's. Both end the parsing.
"""
INT32_MOST = 2**31 - 1


class Sink(NamedTuple):
    """Where rows go: entry after entry, row after row."""

    data: npt.NDArray[np.floating]
    indices: npt.NDArray[np.signedinteger]
    lengths: npt.NDArray[np.int64]
    """How many entries each row has."""
    y: npt.NDArray[np.float64]
    weight: npt.NDArray[np.float64]
    tags: npt.NDArray[np.int64]
    """First and last place of each row's tag in the text."""
    labels: npt.NDArray[np.int64]
    """Those of each row's label, if labels are text; else there is no room for any."""


class Tally(NamedTuple):
    """What a parser found in a text."""

    rows: int
    entries: int
    lines: int
    faults: int
    least: int
    """The least index in the sink; 2^63 - 1 if there is none."""
    most: int
    """The greatest index in the sink; -1 if there is none."""
    ended: int
    """What became of the last line."""


@njit(cache=True, nogil=True)
def count_newlines(text):
    """How many newlines a text has."""
    n = 0
    for c in text:
        n += c == NEWLINE
    return n


@njit(forceinline=True)
def is_space(c):
    """A space or a tab?"""
    return (c == SPACE) | (c == TAB)


@njit(forceinline=True)
def past_spaces(text, at):
    """The first place from `at` on that is no space and no tab."""
    while is_space(text[at]):
        at += U(1)
    return at


@njit(forceinline=True)
def ends_here(text, at):
    """Does the line end at a place? A carriage return counts before a newline only."""
    return text[at] == NEWLINE or (text[at] == RETURN and text[at + U(1)] == NEWLINE)


@njit
def past_newline(text, at):
    """The place after the next newline."""
    while text[at] != NEWLINE:
        at += U(1)
    return at + U(1)


@njit
def note(faults, bad, start, at, line, fault):
    """Keep a fault, if it is one of the first few: where its line starts, its place, its line."""
    if bad < len(faults):
        faults[bad, 0], faults[bad, 1], faults[bad, 2], faults[bad, 3] = start, at, line, fault


@singledispatch
def parse_line(
    rule: object, text: npt.NDArray[np.uint8], at: int, sink: Sink, row: int, k: int
) -> tuple[int, int, int]:
    """One line into row `row`: where it ended, the entries so far, and what became of it.

    A rule says, as `skip`, whether to go on after a bad line.
    """
    raise NotImplementedError(type(rule))


@njit(cache=True, nogil=True)
def parse(text, sink, rule, faults):
    """All lines of a text that ends in a newline."""
    at, row, k, line, bad = U(0), U(0), U(0), 0, np.int64(0)
    least, most = np.int64(2**63 - 1), np.int64(-1)
    became = GOOD
    while at < U(len(text)) and became > CHANGED and (bad == 0 or rule.skip):
        start, line = at, line + 1
        at, stop, became = parse_line(rule, text, at, sink, row, k)
        if became == GOOD:
            if stop > k:
                least = min(least, np.int64(sink.indices[k]))
                most = max(most, np.int64(sink.indices[stop - U(1)]))
            sink.lengths[row] = stop - k
            row, k = row + U(1), stop
        elif became > 0:
            note(faults, bad, start, at, line, became)
            bad += 1
        at = past_newline(text, at)
    return Tally(np.int64(row), np.int64(k), line, bad, least, most, became)


@njit(cache=True, nogil=True)
def lines_and(text, mark):
    """How many newlines there are in a text, and how many marks, at the speed of memory."""
    n_lines, n_marks = 0, 0
    for start in range(0, len(text), 128):  # so few that their counts fit into bytes
        here, marks = np.uint8(0), np.uint8(0)
        for p in range(U(start), U(min(start + 128, len(text)))):
            here += np.uint8(text[p] == NEWLINE)
            marks += np.uint8(text[p] == mark)
        n_lines += np.int64(here)
        n_marks += np.int64(marks)
    return n_lines, n_marks
