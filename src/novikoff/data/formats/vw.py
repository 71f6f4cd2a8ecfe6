"""Vowpal Wabbit text: ``label weight 'tag |namespace:2.0 name name:value |other name``.

Before the first bar come a label, an importance weight (1 if it is not written) and a tag, all
optional. Labels are numbers if the first of them is, else words. A word that touches the bar is a
tag, as is a word that starts with an apostrophe. After a bar comes the name of a namespace,
touching it, perhaps with a weight by which all values of the namespace are multiplied; after ``| ``
comes the nameless one. A feature without a value is worth 1. Names are bytes without spaces, bars,
colons and control characters; `novikoff.data.feature_hash` makes columns of them. Features that
meet in a column are added up, in the order of the line.

Three things that Vowpal Wabbit takes are errors here, because they are misspelt more often than
meant: a feature without a name (``:2``), a value that is no number (``colour:red``), and a third
number before the bar (the initial prediction). The constant feature that Vowpal Wabbit adds to
each example is left to the learner's intercept.

References
----------
Vowpal Wabbit wiki, "Input format".
"""

import re
from concurrent.futures import Executor
from functools import partial
from typing import IO, NamedTuple

import numpy as np

from novikoff.core.jit import njit
from novikoff.core.rows import U
from novikoff.core.rules import of
from novikoff.data import sparse_text, text_labels
from novikoff.data.feature_hash import hashed
from novikoff.data.formats import Handler
from novikoff.data.lines import (
    BAR,
    BLANK,
    CHANGED,
    COLON,
    GOOD,
    NEWLINE,
    RETURN,
    SPACE,
    TAB,
    ends_here,
    is_space,
    lines_and,
    parse_line,
    past_spaces,
)
from novikoff.data.numbers import number
from novikoff.data.opener import Bytes
from novikoff.data.reader_options import Options
from novikoff.data.results import Data, Place
from novikoff.data.text_blocks import Text
from novikoff.data.text_labels import NO_ENTRY, Spelling, past_letters
from novikoff.errors import ParameterError

NO_BAR, LABEL, WEIGHT, BASE, NAMESPACE, FACTOR, NAME, CONTROL, VALUE, SUM, LETTER = range(1, 12)
EXPECTED = {
    NO_BAR: "a bar '|' before the features",
    LABEL: "a label, a finite number, with a space after it (a word that touches the bar is a tag)",
    WEIGHT: "an importance weight, a finite number from 0 on",
    BASE: "a tag or a bar (initial predictions are not supported)",
    NAMESPACE: "the name of a namespace, or a space after the bar",
    FACTOR: "the weight of the namespace, a finite number",
    NAME: "the name of a feature before the colon",
    CONTROL: "no control characters",
    VALUE: "the value of the feature, a finite number",
    SUM: "finite values, also once multiplied and added up",
    LETTER: "a label in UTF-8",
}
SPELLING = Spelling(
    "vw",
    re.compile(rb"(?m)^[ \t]*" + NO_ENTRY + rb"([^\s|'][^\s|]*)(?=[ \t][^\n|]*\|)"),
    "a label is a word without spaces, '|' and control characters, which must not begin with an "
    "apostrophe or like 'index:value'",
)
IN_NAME = np.array([c > SPACE and c not in (BAR, COLON) for c in range(256)])
APOSTROPHE = np.uint8(ord("'"))


class Rule(NamedTuple):
    """What is asked of a line."""

    mask: int
    """The bits of a hash that make a column."""
    unlabelled: bool
    """Are lines without a label allowed?"""
    text_labels: bool
    """Are labels words?"""
    skip: bool
    """Go on after a bad line?"""

    def expected(self, fault: int) -> str:
        """What should have been where a fault is."""
        told = EXPECTED[fault]
        return told.replace("a finite number, ", "") if self.text_labels else told

    def measure(self, text: Bytes) -> tuple[int, int]:
        """How many lines a text has, and how many entries at most."""
        n_lines, _ = lines_and(text, BAR)
        return n_lines, count_words(text)

    def n_columns(self, seen: int) -> int:
        """How many columns there are, whatever the greatest index is."""
        return self.mask + 1


@njit(forceinline=True)
def word_is_over(text, at):
    """Does a name or a number after the bar end at a place?"""
    return is_space(text[at]) or text[at] == BAR or ends_here(text, at)


@njit(forceinline=True)
def past_name(text, at):
    """The place after the name that starts at a place, and the fault, if any."""
    while IN_NAME[text[at]]:
        at += U(1)
    return at, GOOD if word_is_over(text, at) or text[at] == COLON else CONTROL


@njit(forceinline=True)
def factor(text, at):
    """The number after a colon, 1 where there is none; the place after it; is it a number?"""
    if text[at] != COLON:
        return 1.0, at, True
    x, stop = number(text, at + U(1))
    if stop == at + U(1) or not word_is_over(text, stop) or not np.isfinite(x):
        return x, at + U(1), False
    return x, stop, True


@njit
def tag_before(text, start, bar):
    """First and last place of the tag, with its apostrophe; both the bar if there is none."""
    stop = bar
    while stop > start and is_space(text[stop - U(1)]):
        stop -= U(1)
    first = stop
    while first > start and not is_space(text[first - U(1)]):
        first -= U(1)
    touches = stop == bar and first < bar
    return (first, stop) if touches or text[first] == APOSTROPHE else (bar, bar)


@njit
def word(text, at, stop):
    """The number that is the next word before `stop`, and the place after it: `at` if none is."""
    x, p = number(text, at)
    if p == at or p > stop or not (p == stop or is_space(text[p])) or not np.isfinite(x):
        return x, at
    return x, past_spaces(text, p)


@njit
def past_word(text, at):
    """The place after the label of text that starts at a place, and the fault, if any."""
    _, p = number(text, at)
    if text[p] == COLON or text[at] == APOSTROPHE:
        return at, LABEL
    stop = past_letters(text, at, BAR)
    return stop, GOOD if is_space(text[stop]) else LETTER


@njit
def before_the_bar(text, at, bar, sink, row, rule):
    """Label, weight and tag into row `row`: the place of the fault, if any, and the fault."""
    first, stop = tag_before(text, at, bar)
    first_of_name = first + U(first < stop and text[first] == APOSTROPHE)
    sink.tags[row, 0], sink.tags[row, 1] = first_of_name, stop
    sink.y[row], sink.weight[row] = np.nan, 1.0
    if rule.text_labels:
        sink.labels[row, 0], sink.labels[row, 1] = at, at
    if at == first:
        return at, GOOD if rule.unlabelled else LABEL
    if rule.text_labels:
        p, fault = past_word(text, at)
        if fault != GOOD:
            return p, fault
        sink.labels[row, 1] = p
        p = past_spaces(text, p)
    else:
        sink.y[row], p = word(text, at, first)
        if p == at:
            return at, LABEL
    if p < first:
        at = p
        sink.weight[row], p = word(text, at, first)
        if p == at or sink.weight[row] < 0:
            return at, WEIGHT
    return p, BASE if p < first else GOOD


@njit
def namespace(text, bar):
    """Hash and weight of the namespace whose bar this is, the place after it, the fault."""
    at = bar + U(1)
    if word_is_over(text, at):
        return np.uint64(0), 1.0, at, GOOD
    stop, fault = past_name(text, at)
    if fault != GOOD:
        return np.uint64(0), 1.0, stop, fault
    if stop == at:
        return np.uint64(0), 1.0, at, NAMESPACE
    scale, p, is_number = factor(text, stop)
    return hashed(text, at, stop, np.uint64(0)), scale, p, GOOD if is_number else FACTOR


@njit
def features(text, bar, sink, k, rule):
    """All features from a bar on: where the line ended, the entries so far, the fault."""
    seed, scale, at, fault = namespace(text, bar)
    while fault == GOOD:
        at = past_spaces(text, at)
        if ends_here(text, at):
            return at, k, GOOD
        if text[at] == BAR:
            seed, scale, at, fault = namespace(text, at)
            continue
        stop, fault = past_name(text, at)
        if fault != GOOD:
            return stop, k, fault
        if stop == at:
            return at, k, NAME
        x, p, is_number = factor(text, stop)
        if not is_number:
            return p, k, VALUE
        if k == len(sink.data):
            return at, k, CHANGED
        sink.indices[k] = hashed(text, at, stop, seed) & np.uint64(rule.mask)
        sink.data[k] = scale * x
        if not np.isfinite(sink.data[k]):
            return at, k, SUM
        k, at = k + U(1), p
    return at, k, fault


@njit
def is_in_order(indices, start, stop):
    """Do the indices increase from `start` to `stop`?"""
    falls = 0
    for k in range(start + U(1), stop):
        falls += indices[k - U(1)] >= indices[k]
    return falls == 0


@njit(allocates=True)
def in_order(sink, k, stop):
    """Sort the entries from `k` to `stop` by column, add up those of the same; the new stop."""
    keys = np.empty(stop - k, np.uint64)
    values = sink.data[k:stop].copy()
    for i in range(len(keys)):
        keys[i] = (np.uint64(sink.indices[k + U(i)]) << np.uint64(32)) | np.uint64(i)
    keys.sort()
    column, end = np.int64(-1), k
    for key in keys:
        value = values[key & np.uint64(0xFFFFFFFF)]
        if np.int64(key >> np.uint64(32)) == column:
            sink.data[end - U(1)] += value
        else:
            column = np.int64(key >> np.uint64(32))
            sink.indices[end], sink.data[end] = column, value
            end += U(1)
    return end


@of(parse_line, Rule)
def one_line(rule, text, at, sink, row, k):
    """One line into row `row`: where it ended, the entries so far, and what became of it."""
    at = past_spaces(text, at)
    if ends_here(text, at):
        return at, k, BLANK
    bar = at
    while text[bar] != BAR:
        if text[bar] == NEWLINE or (text[bar] < SPACE and text[bar] != TAB):
            return bar, k, NO_BAR if ends_here(text, bar) else CONTROL
        bar += U(1)
    if row == len(sink.y):
        return at, k, CHANGED
    at, fault = before_the_bar(text, at, bar, sink, row, rule)
    if fault != GOOD:
        return at, k, fault
    at, stop, fault = features(text, bar, sink, k, rule)
    if fault != GOOD:
        return at, stop, fault
    if not is_in_order(sink.indices, k, stop):
        stop = in_order(sink, k, stop)
    for i in range(k, stop):
        if not np.isfinite(sink.data[i]):
            return bar, stop, SUM
    return at, stop, GOOD


@njit(cache=True, nogil=True)
def count_words(text):
    """How many features a text has at most: words after spaces."""
    n_words = 0
    for start in range(1, len(text), 128):  # so few that their count fits into a byte
        words = np.uint8(0)
        for p in range(U(start), U(min(start + 128, len(text)))):
            c, before = text[p], text[p - U(1)]
            is_no_word = is_space(c) | (c == BAR) | (c == NEWLINE) | (c == RETURN)
            words += np.uint8(is_space(before) & (not is_no_word))
        n_words += np.int64(words)
    return n_words


def parse_block(text: Text, start: Place, stop: int, options: Options, pool: Executor) -> Data:
    """The rows of a text from a place to an offset."""
    mask = int(2**options.bits - 1)
    unlabelled, skip = options.labels == "optional", options.bad_lines == "skip"
    rule = Rule(mask, unlabelled, bool(options.text_labels), skip)
    return sparse_text.parse_text(
        rule, text, start, stop, options, pool, has_weights_and_tags=True
    )[0]


def write(data: Data, file: IO[bytes]) -> None:
    """Examples as lines."""
    y = None if data.y is None else sparse_text.labels_of(data.y, SPELLING)
    weight = None if data.weight is None else sparse_text.as_numbers(data.weight, "weight")
    for i, entries in enumerate(sparse_text.entries_of(data.X)):
        words = [] if y is None or not y[i] else [y[i]]
        if weight is not None:
            if not words:
                raise ParameterError(
                    f"Row {i} has a weight and no label: Vowpal Wabbit needs both."
                )
            words.append(sparse_text.digits(weight[i]))
        if data.tags is not None and (tag := data.tags[i]):
            if any(c in tag for c in " \t\r\n|"):
                raise ParameterError(f"The tag {tag!r} of row {i} has a space or a bar in it.")
            words.append(f"'{tag}")
        file.write(f"{' '.join([*words, '|', *entries])}\n".encode())


HANDLER = Handler(
    partial(sparse_text.stream_text, parse_block),
    is_read_whole=True,
    settle=partial(text_labels.settle, SPELLING),
    write=write,
)
