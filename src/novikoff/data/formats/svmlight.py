"""svmlight text, also called libsvm: ``label index:value index:value ... # comment``.

A line is a label, then entries in the order of their indices, parted by spaces or tabs. Labels
are numbers if the first of them is, else words; a word has no spaces, ``#`` or control
characters in it, and does not look like an entry. The label may be followed by ``qid:n``, the query
of a ranking problem, which is checked and then ignored. Values that are not written are 0. Lines
may end in CR LF; the last needs no end. Blank lines, and lines with a comment only, are no
examples.

References
----------
T. Joachims, SVM-light, https://www.cs.cornell.edu/people/tj/svm_light/, "How to use".
C.-C. Chang and C.-J. Lin, LIBSVM, README, section "svm-train usage".
"""

import re
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import IO, NamedTuple

import numpy as np
from scipy import sparse

from novikoff.core.jit import njit
from novikoff.core.rows import U
from novikoff.core.rules import of
from novikoff.data import sparse_text, text_labels
from novikoff.data.formats import Handler
from novikoff.data.lines import (
    BLANK,
    CHANGED,
    COLON,
    GOOD,
    HASH,
    INT32_MOST,
    WIDE,
    ends_here,
    is_space,
    lines_and,
    parse_line,
    past_spaces,
)
from novikoff.data.numbers import TEN, digit, number
from novikoff.data.opener import Bytes, Opened, open_source
from novikoff.data.reader_options import Options
from novikoff.data.results import Data, Place
from novikoff.data.several import Files, paths_of
from novikoff.data.text_blocks import Text
from novikoff.data.text_labels import NO_ENTRY, Spelling, past_letters
from novikoff.errors import ParameterError

LABEL, INDEX, COLON_MISSING, VALUE, ORDER, RANGE, QUERY, LETTER = range(1, 9)
EXPECTED = {
    LABEL: "a label, a finite number",
    INDEX: "an index, a whole number below 2^63 - 1",
    COLON_MISSING: "a colon and a value after the index",
    VALUE: "a finite number",
    ORDER: "an index above the one before it",
    QUERY: "a whole number after qid:",
    LETTER: "a label in UTF-8, without control characters",
}
SPELLING = Spelling(
    "svmlight",
    re.compile(
        rb"(?m)^[ \t]*(?!qid:)" + NO_ENTRY + rb"([^ \t\r\n#]+)(?=[ \t]*(?:#|\r?\n)|[ \t]+[^\s#]*:)"
    ),
    "a label is a word without spaces, '#' and control characters, which must not begin like "
    "'index:value' or 'qid:'",
)
QID = np.frombuffer(b"qid:", np.uint8)
MOST_INDEX = 2**63 - 2  # so that the number of features fits 63 bits, too


class Rule(NamedTuple):
    """What is asked of a line."""

    least: int
    """The least index allowed."""
    most: int
    """The greatest index allowed."""
    base: int
    """What to take off an index."""
    n_features: int
    """How many there are; 0 if the greatest index tells."""
    unlabelled: bool
    """Are lines without a label allowed?"""
    text_labels: bool
    """Are labels words?"""
    skip: bool
    """Go on after a bad line?"""

    def expected(self, fault: int) -> str:
        """What should have been where a fault is."""
        if fault == RANGE:
            return f"an index from {self.least} to {self.most}"
        if fault == LABEL and self.text_labels:
            return "a label"
        return EXPECTED[fault]

    def measure(self, text: Bytes) -> tuple[int, int]:
        """How many lines a text has, and how many entries at most."""
        n_lines, n_colons = lines_and(text, COLON)
        return n_lines, n_colons

    def n_columns(self, seen: int) -> int:
        """How many columns there are, the greatest index being one less than this number."""
        return self.n_features or max(seen, 1)


@njit(forceinline=True)
def line_is_over(text, at):
    """Does the line end at a place, or go on as a comment?"""
    return ends_here(text, at) or text[at] == HASH


@njit(forceinline=True)
def is_parted(text, at):
    """Is this the place after a word?"""
    return is_space(text[at]) or line_is_over(text, at)


@njit(forceinline=True)
def whole(text, at):
    """The digits from a place on as a whole number, and the place after them.

    -1 if there are none, or if they make more than `MOST_INDEX`.
    """
    n, p = np.uint64(0), at
    while digit(text, p) < TEN:
        n = n * TEN + digit(text, p)
        p += U(1)
    if p == at:
        return np.int64(-1), p
    return (np.int64(n), p) if p - at <= 18 else (large_whole(text, at, p), p)


@njit
def large_whole(text, at, stop):
    """The whole number of many digits; -1 if it is more than `MOST_INDEX`."""
    n = np.uint64(0)
    for p in range(at, stop):
        if n > (np.uint64(MOST_INDEX) - digit(text, p)) // TEN:
            return np.int64(-1)
        n = n * TEN + digit(text, p)
    return np.int64(n)


@njit
def label(text, at, rule):
    """The label that starts at a place, the place after it, and the fault, if any."""
    y, p = number(text, at)
    if p != at and is_parted(text, p) and np.isfinite(y):
        return y, p, GOOD
    if rule.unlabelled and text[p] == COLON and digit(text, at) < TEN:
        return np.nan, at, GOOD
    return y, at, LABEL


@njit
def is_query(text, at):
    """Does ``qid:`` start at a place?"""
    i = U(0)
    while i < U(len(QID)) and text[at + i] == QID[i]:
        i += U(1)
    return i == U(len(QID))


@njit
def past_word(text, at, rule):
    """The place after the label of text that starts at a place, and the fault, if any."""
    _, p = number(text, at)
    if text[p] == COLON:
        return at, GOOD if rule.unlabelled and digit(text, at) < TEN else LABEL
    if is_query(text, at):
        return at, LABEL
    stop = past_letters(text, at, HASH)
    return stop, GOOD if is_parted(text, stop) else LETTER


@njit
def past_query(text, at):
    """The place after ``qid:n``, or `at` if there is no such thing, and the fault, if any."""
    if not is_query(text, at):
        return at, GOOD
    n, p = whole(text, at + U(len(QID)))
    return (p, GOOD) if n >= 0 and is_parted(text, p) else (at, QUERY)


@njit
def index_fault(text, at, p, k, index, before):
    """Which fault an index has, that goes from `at` to `p`, and where."""
    if index < 0:
        return at, k, INDEX
    if text[p] != COLON:
        return p, k, COLON_MISSING
    return at, k, RANGE if before < index else ORDER


@njit(forceinline=True)
def entries(text, at, sink, k, rule):
    """All entries of a line from a place on: where it ended, the entries so far, the fault."""
    before = np.int64(-1)
    while True:
        at = past_spaces(text, at)
        if line_is_over(text, at):
            return at, k, GOOD
        index, p = whole(text, at)
        if text[p] != COLON or not before < index <= rule.most or index < rule.least:
            return index_fault(text, at, p, k, index, before)
        p += U(1)
        x, stop = number(text, p)
        value = sink.data.dtype.type(x)
        if stop == p or not is_parted(text, stop) or not np.isfinite(value):
            return p, k, VALUE
        if index > INT32_MOST and sink.indices.itemsize == 4:
            return at, k, WIDE
        if k == len(sink.data):
            return at, k, CHANGED
        sink.indices[k] = index - rule.base
        sink.data[k] = value
        k, before, at = k + U(1), index, stop


@of(parse_line, Rule)
def one_line(rule, text, at, sink, row, k):
    """One line into row `row`: where it ended, the entries so far, and what became of it."""
    at = past_spaces(text, at)
    if line_is_over(text, at):
        return at, k, BLANK
    y, start = np.nan, at
    if rule.text_labels:
        at, fault = past_word(text, at, rule)
    else:
        y, at, fault = label(text, at, rule)
    stop = at
    if fault == GOOD:
        at, fault = past_query(text, past_spaces(text, at))
    if fault != GOOD:
        return at, k, fault
    if row == len(sink.y):
        return at, k, CHANGED
    sink.y[row] = y
    if rule.text_labels:
        sink.labels[row, 0], sink.labels[row, 1] = start, stop
    return entries(text, at, sink, k, rule)


def rule_of(options: Options) -> Rule:
    """What is asked of a line. An index of unknown base is taken to start at 1 until a 0 comes."""
    base = 0 if options.zero_based is True else 1
    least = 1 if options.zero_based is False else 0
    n = options.n_features or 0
    most = n - 1 + base if n else MOST_INDEX
    unlabelled, skip = options.labels == "optional", options.bad_lines == "skip"
    return Rule(least, most, base, n, unlabelled, bool(options.text_labels), skip)


def parse_block(text: Text, start: Place, stop: int, options: Options, pool: Executor) -> Data:
    """The rows of a text from a place to an offset, which show what their indices start at."""
    rule = rule_of(options)
    data, least, most = sparse_text.parse_text(rule, text, start, stop, options, pool)
    if options.zero_based != "auto" or least >= 0:  # -1 was written as 0
        return data._replace(base=rule.base)
    if rule.n_features and most + 1 >= rule.n_features:  # this says where
        return parse_block(text, start, stop, replace(options, zero_based=True), pool)
    np.add(data.X.indices, 1, out=data.X.indices)
    data.X.resize(data.X.shape[0], rule.n_columns(most + 2))
    return data


stream = partial(sparse_text.stream_text, parse_block)


def survey(source: Opened | Files, options: Options) -> Options:
    """The options with the base of the indices and the number of features filled in."""
    if options.zero_based != "auto" and options.n_features is not None:
        return options
    if source.path is None:
        raise ParameterError(
            f"{source.name} can be read only once, so a stream of it cannot find out how many "
            "features it has and whether their indices start at 0 or 1: give {n_features}, and "
            "{zero_based}.",
            n_features=options.n_features,
            zero_based=options.zero_based,
        )
    zero_based, most = options.zero_based is True, -1
    lenient = replace(options, n_features=None)
    for path in paths_of(source if isinstance(source, Files) else source.path):
        with closing(open_source(path)) as again:
            for data in stream(again, lenient, Place()):
                zero_based |= data.base == 0
                if data.X.nnz:
                    most = max(most, data.X.shape[1] - 1 + data.base)
    n_features = rule_of(options).n_columns(most + zero_based)
    return replace(options, zero_based=zero_based, n_features=n_features)


def write(data: Data, file: IO[bytes]) -> None:
    """Examples as lines."""
    X, y = data.X, data.y
    if y is None or data.weight is not None or data.tags is not None:
        raise ParameterError(
            "svmlight text needs y (NaN for no label), and has no place for weights and tags."
        )
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    labels = sparse_text.labels_of(y, SPELLING)
    entries = sparse_text.entries_of(X, data.base)
    for i, (label, words) in enumerate(zip(labels, entries, strict=True)):
        if label:
            words.insert(0, label)
        if not words:
            raise ParameterError(
                f"Row {i} has neither a label nor an entry, which in svmlight text is no example."
            )
        file.write(f"{' '.join(words)}\n".encode())


settle = partial(text_labels.settle, SPELLING)
HANDLER = Handler(stream, is_read_whole=True, survey=survey, settle=settle, write=write)
