"""svmlight text, also called libsvm: ``label index:value index:value ... # comment``.

A line is a label, then entries in the order of their indices, parted by spaces or tabs. The
label may be followed by ``qid:n``, the query of a ranking problem, which is checked and then
ignored. Values that are not written are 0. Lines may end in CR LF; the last needs no
end. Blank lines, and lines with a comment only, are no examples.

References
----------
T. Joachims, SVM-light, https://www.cs.cornell.edu/people/tj/svm_light/, "How to use".
C.-C. Chang and C.-J. Lin, LIBSVM, README, section "svm-train usage".
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import IO

import numpy as np
from scipy import sparse

from novikoff.core.jit import njit
from novikoff.core.rows import U
from novikoff.data import sparse_text
from novikoff.data.formats import Handler
from novikoff.data.lines import (
    BLANK,
    CHANGED,
    COLON,
    GOOD,
    HASH,
    WIDE,
    Rule,
    Tally,
    ends_here,
    is_space,
    lines_and,
    note,
    parsing_goes_on,
    past_newline,
    past_spaces,
)
from novikoff.data.numbers import TEN, digit, number
from novikoff.data.opener import open_source
from novikoff.data.pipes import Opened
from novikoff.data.reader_options import Options
from novikoff.data.results import Data, Place
from novikoff.data.text_blocks import blocks
from novikoff.errors import ParameterError

LABEL, INDEX, COLON_MISSING, VALUE, ORDER, RANGE, QUERY = range(1, 8)
EXPECTED = {
    LABEL: "a label, a finite number",
    INDEX: "an index, a whole number below 2^63 - 1",
    COLON_MISSING: "a colon and a value after the index",
    VALUE: "a finite number",
    ORDER: "an index above the one before it",
    QUERY: "a whole number after qid:",
}
QID = np.frombuffer(b"qid:", np.uint8)
MOST_INDEX = 2**63 - 2  # so that the number of features fits 63 bits, too


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
def past_query(text, at):
    """The place after ``qid:n``, or `at` if there is no such thing, and the fault, if any."""
    for i in range(len(QID)):
        if text[at + U(i)] != QID[i]:
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
        if index > rule.fits:
            return at, k, WIDE
        if k == len(sink.data):
            return at, k, CHANGED
        sink.indices[k] = index - rule.base
        sink.data[k] = value
        k, before, at = k + U(1), index, stop


@njit
def one_line(text, at, sink, row, k, rule):
    """One line into row `row`: where it ended, the entries so far, and what became of it."""
    at = past_spaces(text, at)
    if line_is_over(text, at):
        return at, k, BLANK
    y, at, fault = label(text, at, rule)
    if fault == GOOD:
        at, fault = past_query(text, past_spaces(text, at))
    if fault != GOOD:
        return at, k, fault
    if row == len(sink.y):
        return at, k, CHANGED
    sink.y[row] = y
    return entries(text, at, sink, k, rule)


@njit(cache=True, nogil=True)
def parse(text, sink, rule, faults):
    """All lines of a text that ends in a newline."""
    at, row, k, line, bad = U(0), U(0), U(0), 0, 0
    least, most = np.int64(2**63 - 1), np.int64(-1)
    became = GOOD
    while at < U(len(text)) and parsing_goes_on(became, bad, rule):
        start, line = at, line + 1
        at, stop, became = one_line(text, at, sink, row, k, rule)
        if became == GOOD:
            if stop > k:
                least = min(least, np.int64(sink.indices[k]) + rule.base)
                most = max(most, np.int64(sink.indices[stop - U(1)]) + rule.base)
            sink.lengths[row] = stop - k
            row, k = row + U(1), stop
        elif became > 0:
            note(faults, bad, start, at, line, became)
            bad += 1
        at = past_newline(text, at)
    return Tally(np.int64(row), np.int64(k), line, bad, least, most, became)


def expected(fault: int, rule: Rule) -> str:
    """What should have been where a fault is."""
    if fault == RANGE:
        return f"an index from {rule.least} to {rule.most}"
    return EXPECTED[fault]


def rule(options: Options) -> Rule:
    """What is asked of a line. An index of unknown base is taken to start at 1 until a 0 comes."""
    base = 0 if options.zero_based is True else 1
    least = 1 if options.zero_based is False else 0
    most = MOST_INDEX if options.n_features is None else options.n_features - 1 + base
    return Rule(least, most, most, base, options.labels == "optional", options.bad_lines == "skip")


def width(options: Options, seen: int) -> int:
    """How many columns there are, `seen` being one more than the greatest index."""
    return max(seen, 1) if options.n_features is None else options.n_features


GRAMMAR = sparse_text.Grammar(lambda text: lines_and(text, COLON), parse, expected, rule, width)


def read(source: Opened, options: Options) -> Data:
    """All of a text, which shows what its indices start at and how many features there are."""
    text = sparse_text.as_text(source)
    data, least, most = sparse_text.parse_whole(GRAMMAR, text, options)
    if options.zero_based != "auto" or least > 0:
        return data
    if options.n_features is not None and most >= options.n_features:  # this says where
        return sparse_text.parse_whole(GRAMMAR, text, replace(options, zero_based=True)).data
    np.add(data.X.indices, 1, out=data.X.indices)
    data.X.resize(data.X.shape[0], width(options, most + 1))
    return data._replace(base=0)


def survey(source: Opened, options: Options) -> Options:
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
    least, most, line = 2**63 - 1, -1, 1
    lenient = replace(options, n_features=None)
    with (
        closing(open_source(source.path)) as again,
        ThreadPoolExecutor(options.threads) as pool,
    ):
        for text, first, stop in blocks(again, options.block_bytes, Place()):
            found = sparse_text.parse_text(GRAMMAR, text, Place(first, line), stop, lenient, pool)
            least, most, line = min(least, found.least), max(most, found.most), found.data.next.line
    zero_based = options.zero_based if options.zero_based != "auto" else least == 0
    return replace(options, zero_based=zero_based, n_features=width(options, most + zero_based))


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
    labels = sparse_text.as_numbers(y, "y").tolist()
    entries = sparse_text.entries_of(X, data.base)
    for i, (label, words) in enumerate(zip(labels, entries, strict=True)):
        if label == label:
            words.insert(0, sparse_text.digits(label))
        if not words:
            raise ParameterError(
                f"Row {i} has neither a label nor an entry, which in svmlight text is no example."
            )
        file.write(f"{' '.join(words)}\n".encode())


stream = partial(sparse_text.stream_text, GRAMMAR)
HANDLER = Handler(stream, read, survey, write=write)
