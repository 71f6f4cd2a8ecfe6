"""What the two text parsers share: where they write, what they report, how they count.

A parser is a kernel that goes through a text line by line and writes the rows it finds into
a `Sink`, arrays that are as long as `count` said they must be at most. What is wrong with a line
is written into a table of faults instead, of which only the first few are kept.
"""

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


class Rule(NamedTuple):
    """What is asked of a line."""

    least: int
    """The least index allowed."""
    most: int
    """The greatest index allowed (of svmlight), or the mask of a hash (of Vowpal Wabbit)."""
    fits: int
    """The greatest index that the sink has room for."""
    base: int
    """What to take off an index."""
    unlabelled: bool
    """Are lines without a label allowed?"""
    skip: bool
    """Go on after a bad line?"""


class Tally(NamedTuple):
    """What a parser found in a text."""

    rows: int
    entries: int
    lines: int
    faults: int
    least: int
    """The least index, as written; 2^63 - 1 if there is none."""
    most: int
    """The greatest index, as written; -1 if there is none."""
    ended: int
    """What became of the last line."""


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


@njit(forceinline=True)
def parsing_goes_on(became, bad, rule):
    """Is there a next line to parse, after what became of the last?"""
    return became > CHANGED and (bad == 0 or rule.skip)


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
