"""svmlight and Vowpal Wabbit text as CSR matrices: which columns there are, and where to begin.

An svmlight file does not say whether its indices start at 0 or at 1, nor how many features
there are. Read whole, it shows both. As a stream it has to be read once beforehand, unless told.

A text is cut into pieces of whole lines. Each is counted first (so many lines, at most so many
entries), which is quick; then arrays for all of them are made, and each piece is parsed straight
into its part, on all cores. Where a piece has less than was counted, because of blank lines, say,
the parts are closed up.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.data.formats import svmlight, vw
from novikoff.data.formats.svmlight import MOST_INDEX
from novikoff.data.lines import CHANGED, WIDE, Rule, Sink, Tally
from novikoff.data.opener import open_source
from novikoff.data.pipes import Pipe
from novikoff.data.plain_file import Bytes, PlainFile, changed
from novikoff.data.reader_options import Options
from novikoff.data.results import MESSAGES_KEPT, Blocks, Data, Place, Skipped, require_examples
from novikoff.data.text_blocks import Held, Text, blocks, pieces
from novikoff.errors import FileError, ParameterError

PIECE = 2**21  # bytes that stay in a core's cache from being read to being parsed
LONGEST_SHOWN = 40
NAMED = {b" ": "a space", b"\t": "a tab", b"\0": "a NUL byte"}
INT32_MOST = 2**31 - 1
T = TypeVar("T")


class Grammar(NamedTuple):
    """One of the text formats."""

    measure: Callable[[Bytes], tuple[int, int]]
    parse: Callable[..., Tally]
    expected: Callable[[int, Rule], str]
    has_weights_and_tags: bool


GRAMMARS = {
    "svmlight": Grammar(svmlight.count, svmlight.parse, svmlight.expected, False),
    "vw": Grammar(vw.count, vw.parse, vw.expected, True),
}


class Found(NamedTuple):
    """What is in a text: rows, and what was found on the way."""

    data: npt.NDArray[Any]
    indices: npt.NDArray[Any]
    lengths: npt.NDArray[np.int64]
    y: npt.NDArray[np.float64]
    weight: npt.NDArray[np.float64] | None
    tags: list[str] | None
    least: int
    """The least index, as written; 2^63 - 1 if there is none."""
    most: int
    """The greatest index, as written; -1 if there is none."""
    skipped: Skipped
    next: Place


class Piece(NamedTuple):
    """What is in a piece, besides what is in its sink."""

    tally: Tally
    faults: list[FileError]
    tags: list[str] | None


class TooWide(Exception):
    """An index does not fit 32 bits."""


def parse_text(
    text: Text, start: Place, stop: int, options: Options, rule: Rule, pool: Executor
) -> Found:
    """The rows of a text from a place to an offset."""
    grammar = GRAMMARS[options.format or ""]
    spans = pieces(text, start.offset, stop, PIECE)
    counts = in_order(pool, lambda span: grammar.measure(text.window(*span)), spans)
    before = np.cumsum([(0, 0), *counts], axis=0, dtype=np.int64)
    narrow = rule._replace(fits=min(rule.fits, INT32_MOST))
    for widest in (narrow, rule):
        sink = new_sink(before[-1], options, widest, grammar)

        def work(i: int, sink: Sink = sink, rule: Rule = widest) -> Piece:
            part = part_of(sink, before[i], before[i + 1])
            line = start.line + int(before[i, 0])
            return parse_piece(text, spans[i], line, grammar, part, rule)

        try:
            done = in_order(pool, work, range(len(spans)), is_last=has_faults(rule))
        except TooWide:
            continue
        break
    for piece in done:
        if piece.faults and not rule.skip:
            raise piece.faults[0]
    return gather(sink, done, before, Place(stop, start.line + int(before[-1, 0])))


def in_order(
    pool: Executor,
    work: Callable[[Any], T],
    items: Iterable[Any],
    is_last: Callable[[T], bool] = lambda _: False,
) -> list[T]:
    """The results of a work on each item, up to the first that is last. What fails ends it."""
    futures = [pool.submit(work, item) for item in items]
    results = []
    try:
        for future in futures:
            results.append(future.result())
            if is_last(results[-1]):
                break
    finally:
        for future in futures:
            future.cancel()
    return results


def has_faults(rule: Rule) -> Callable[[Piece], bool]:
    """Does the first fault of all end the parsing?"""
    return lambda piece: bool(piece.faults) and not rule.skip


def new_sink(totals: npt.NDArray[np.int64], options: Options, rule: Rule, grammar: Grammar) -> Sink:
    """Room for so many rows and entries."""
    n_rows, n_entries = totals.tolist()
    index_type = np.int32 if rule.fits <= INT32_MOST else np.int64
    n_more = n_rows if grammar.has_weights_and_tags else 0
    return Sink(
        data=np.empty(n_entries, options.float_type),
        indices=np.empty(n_entries, index_type),
        lengths=np.empty(n_rows, np.int64),
        y=np.empty(n_rows),
        weight=np.empty(n_more),
        tags=np.empty((n_more, 2), np.int64),
    )


def part_of(sink: Sink, first: npt.NDArray[np.int64], last: npt.NDArray[np.int64]) -> Sink:
    """The part of a sink for one piece: from so many rows and entries to so many."""
    rows, entries = slice(first[0], last[0]), slice(first[1], last[1])
    ways = (entries, entries, rows, rows, rows, rows)
    return Sink(*(array[way] for array, way in zip(sink, ways, strict=True)))


def parse_piece(
    text: Text, span: tuple[int, int], line: int, grammar: Grammar, part: Sink, rule: Rule
) -> Piece:
    """Parse one piece, whose first line has that number, into its part of the sink."""
    window = text.window(*span)
    table = np.empty((MESSAGES_KEPT, 4), np.int64)
    with np.errstate(over="ignore"):  # uncompiled, long mantissas would warn
        tally = Tally(*map(int, grammar.parse(window, part, rule, table)))
    if tally.ended == WIDE:
        raise TooWide
    if tally.ended == CHANGED:
        raise changed(text.name)
    faults = [
        FileError(
            text.name,
            f"found {shown(window, at)}, expected {grammar.expected(kind, rule)}",
            line=line + nth - 1,
            column=at - first + 1,
        )
        for first, at, nth, kind in table[: tally.faults].tolist()
    ]
    return Piece(tally, faults, tags_of(window, part.tags[: tally.rows]))


def shown(window: Bytes, at: int) -> str:
    """The word at a place of the text, for a message."""
    line = window[at : at + LONGEST_SHOWN + 1].tobytes().partition(b"\n")[0].removesuffix(b"\r")
    if not line:
        return "the end of the line"
    if line[:1] in NAMED:
        return NAMED[line[:1]]
    word = line.replace(b"\t", b" ").partition(b" ")[0]
    more = "..." if len(word) > LONGEST_SHOWN else ""
    text = word[:LONGEST_SHOWN].decode("utf-8", "backslashreplace")
    clean = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return f"'{''.join(clean)}{more}'"


def tags_of(window: Bytes, places: npt.NDArray[np.int64]) -> list[str] | None:
    """The tags at those places; None if all are empty."""
    if not (places[:, 1] > places[:, 0]).any():
        return None
    text = window.tobytes()
    return [text[i:j].decode("utf-8", "backslashreplace") for i, j in places.tolist()]


def gather(sink: Sink, done: Sequence[Piece], before: npt.NDArray[np.int64], stop: Place) -> Found:
    """One of all pieces; or the error of the first fault."""
    tallies = [piece.tally for piece in done]
    faults = [fault for piece in done for fault in piece.faults]
    n_faults = sum(tally.faults for tally in tallies)
    n_rows, n_entries = [t.rows for t in tallies], [t.entries for t in tallies]
    weight = closed_up(sink.weight, before[:, 0], n_rows) if len(sink.weight) else None
    tags: list[str] | None = None
    if any(piece.tags for piece in done):
        tags = [t for piece in done for t in piece.tags or [""] * piece.tally.rows]
    return Found(
        closed_up(sink.data, before[:, 1], n_entries),
        closed_up(sink.indices, before[:, 1], n_entries),
        closed_up(sink.lengths, before[:, 0], n_rows),
        closed_up(sink.y, before[:, 0], n_rows),
        None if weight is None or (weight == 1).all() else weight,
        tags,
        min((t.least for t in tallies), default=2**63 - 1),
        max((t.most for t in tallies), default=-1),
        Skipped(n_faults, tuple(map(str, faults[:MESSAGES_KEPT]))),
        stop,
    )


def closed_up(array: npt.NDArray[Any], starts: npt.NDArray[np.int64], ns: list[int]) -> Any:
    """The first `n` elements after each start, without gaps."""
    stop = 0
    for start, n in zip(starts.tolist(), ns, strict=False):
        if start > stop:
            array[stop : stop + n] = array[start : start + n]
        stop += n
    return array[:stop]


def rule_of(options: Options) -> Rule:
    """What is asked of a line. An index of unknown base is taken to start at 1 until a 0 comes."""
    skip, unlabelled = options.bad_lines == "skip", options.labels == "optional"
    if options.format == "vw":
        most = 2**options.bits - 1
        return Rule(0, most, most, 0, unlabelled, skip)
    base = 0 if options.zero_based is True else 1
    least = 1 if options.zero_based is False else 0
    most = MOST_INDEX if options.n_features is None else options.n_features - 1 + base
    return Rule(least, most, most, base, unlabelled, skip)


def read_text(source: PlainFile | Pipe, options: Options) -> Data:
    """All of a text."""
    with ThreadPoolExecutor(options.threads) as pool:
        if isinstance(source, PlainFile):
            found, base = whole_text(source, options, pool)
        else:
            found, base = whole_text(Held(source.read_all(), source.name), options, pool)
    source.require_unchanged()
    require_examples(source.name, len(found.y), found.skipped)
    return as_data(found, width(options, found.most - base + 1), Place(), base)


def whole_text(text: Text, options: Options, pool: Executor) -> tuple[Found, int]:
    """The rows of a text, and what its indices start at."""
    rule = rule_of(options)
    found = parse_text(text, Place(), text.size, options, rule, pool)
    if options.format == "vw" or options.zero_based != "auto" or found.least > 0:
        return found, rule.base
    if options.n_features is not None and found.most >= options.n_features:
        return whole_text(text, replace(options, zero_based=True), pool)  # which says where
    np.add(found.indices, 1, out=found.indices)
    return found, 0


def width(options: Options, seen: int) -> int:
    """How many columns there are, `seen` being one more than the greatest index."""
    if options.format == "vw":
        return int(2**options.bits)
    return max(seen, 1) if options.n_features is None else options.n_features


def as_data(found: Found, n_features: int, start: Place, base: int) -> Data:
    """The rows as a matrix of so many columns."""
    small = len(found.data) <= INT32_MOST and found.indices.dtype == np.int32
    indptr = np.zeros(len(found.lengths) + 1, np.int32 if small else np.int64)
    np.cumsum(found.lengths, out=indptr[1:])
    shape = (len(found.y), n_features)
    X = sparse.csr_array((found.data, found.indices, indptr), shape=shape, copy=False)
    X.has_canonical_format = True
    return Data(
        X,
        found.y,
        weight=found.weight,
        tags=found.tags,
        skipped=found.skipped,
        start=start,
        next=found.next,
        base=base,
    )


def stream_text(source: PlainFile | Pipe, options: Options, start: Place) -> Blocks:
    """A text, block by block."""
    with ThreadPoolExecutor(options.threads) as pool:
        if options.format == "svmlight":
            options = surveyed(source, options, pool)
        n_rows, line, skipped = 0, start.line, Skipped()
        for text, first, stop in blocks(source, options.block_bytes, start):
            here = Place(first, line)
            rule = rule_of(options)
            found = parse_text(text, here, stop, options, rule, pool)
            yield as_data(found, width(options, found.most + 1), here, rule.base)
            n_rows, line, skipped = n_rows + len(found.y), found.next.line, skipped + found.skipped
    if start.offset == 0:
        require_examples(source.name, n_rows, skipped)


def surveyed(source: PlainFile | Pipe, options: Options, pool: Executor) -> Options:
    """The options with the base of the indices and the number of features filled in."""
    if options.zero_based != "auto" and options.n_features is not None:
        return options
    if source.path is None:
        raise ParameterError(
            f"{source.name} can be read only once, so a stream of it cannot find out how many "
            "features it has and whether their indices start at 0 or 1: give n_features, and "
            "zero_based as True or False."
        )
    least, most, line = 2**63 - 1, -1, 1
    lenient = replace(options, n_features=None)
    rule = rule_of(lenient)
    with closing(open_source(source.path)) as again:
        for text, first, stop in blocks(again, options.block_bytes, Place()):
            found = parse_text(text, Place(first, line), stop, lenient, rule, pool)
            least, most, line = min(least, found.least), max(most, found.most), found.next.line
    zero_based = options.zero_based if options.zero_based != "auto" else least == 0
    return replace(options, zero_based=zero_based, n_features=width(options, most + zero_based))
