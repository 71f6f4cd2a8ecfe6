"""svmlight and Vowpal Wabbit text as CSR matrices: which columns there are, and where to begin.

An svmlight file does not say whether its indices start at 0 or at 1, nor how many features
there are. Read whole, it shows both. As a stream it has to be read once beforehand, unless told.

A text is cut into pieces of whole lines. Each is counted first (so many lines, at most so many
entries), which is quick; then arrays for all of them are made, and each piece is parsed straight
into its part, on all cores. Where a piece has less than was counted, because of blank lines, say,
the parts are closed up.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.data.lines import CHANGED, INT32_MOST, WIDE, Sink, Tally, parse
from novikoff.data.opener import Bytes, Opened, changed
from novikoff.data.reader_options import Options
from novikoff.data.results import MESSAGES_KEPT, Blocks, Data, Place, Skipped
from novikoff.data.text_blocks import Text, blocks, pieces
from novikoff.data.text_labels import Spelling, require_readable, words_at, words_of
from novikoff.errors import FileError, ParameterError
from novikoff.typing import Array, Matrix

PIECE = 2**21  # bytes that stay in a core's cache from being read to being parsed
LONGEST_SHOWN = 40
NO_WORDS: Array = np.empty(0, str)
NAMED = {b" ": "a space", b"\t": "a tab", b"\0": "a NUL byte"}
BlockParser = Callable[[Text, Place, int, Options, Executor], Data]
"""What makes examples of a text from a place to an offset."""


class Rule(Protocol):
    """What is asked of the lines of a format: a named tuple, which `parse_line` goes by."""

    @property
    def skip(self) -> bool:
        """Go on after a bad line?"""

    def expected(self, fault: int) -> str:
        """What should have been where a fault is."""

    def measure(self, text: Bytes) -> tuple[int, int]:
        """How many lines a text has, and how many entries at most."""

    def n_columns(self, seen: int) -> int:
        """How many columns there are, the greatest index being one less than this number."""


class Piece(NamedTuple):
    """What is in a piece, besides what is in its sink."""

    tally: Tally
    faults: list[FileError]
    tags: list[str] | None
    labels: Array


class TooWide(Exception):
    """An index does not fit 32 bits."""


def parse_text(
    rule: Rule,
    text: Text,
    start: Place,
    stop: int,
    options: Options,
    pool: Executor,
    *,
    has_weights_and_tags: bool = False,
) -> tuple[Data, int, int]:
    """The rows of a text from a place to an offset; the least and the greatest index in them.

    (2^63 - 1 and -1 if there is none.)
    """
    spans = pieces(text, start.offset, stop, PIECE)
    counts = pool.map(lambda span: rule.measure(text.window(*span)), spans)
    before = np.cumsum([(0, 0), *counts], axis=0, dtype=np.int64)
    for index in (np.int32, np.int64):
        sink = new_sink(before[-1], options, index, has_weights_and_tags)

        def work(i: int, sink: Sink = sink) -> Piece:
            part = part_of(sink, before[i], before[i + 1])
            line = start.line + int(before[i, 0])
            return parse_piece(text, spans[i], line, part, rule)

        try:
            done = list(pool.map(work, range(len(spans))))
        except TooWide:
            continue
        break
    least = min((piece.tally.least for piece in done), default=2**63 - 1)
    most = max((piece.tally.most for piece in done), default=-1)
    n_columns = rule.n_columns(most + 1)
    data = gathered(sink, done, before, n_columns, is_text=bool(options.text_labels))
    next_place = Place(stop, start.line + int(before[-1, 0]))
    return data._replace(start=start, next=next_place), least, most


def new_sink(
    totals: npt.NDArray[np.int64], options: Options, index: npt.DTypeLike, has_more: bool
) -> Sink:
    """Room for so many rows and entries, and if there is more, for weights and tags."""
    n_rows, n_entries = totals.tolist()
    n_more, n_labels = n_rows * has_more, n_rows * bool(options.text_labels)
    return Sink(
        data=np.empty(n_entries, options.float_type),
        indices=np.empty(n_entries, index),
        lengths=np.empty(n_rows, np.int64),
        y=np.empty(n_rows),
        weight=np.empty(n_more),
        tags=np.empty((n_more, 2), np.int64),
        labels=np.empty((n_labels, 2), np.int64),
    )


def part_of(sink: Sink, first: npt.NDArray[np.int64], last: npt.NDArray[np.int64]) -> Sink:
    """The part of a sink for one piece: from so many rows and entries to so many."""
    rows, entries = slice(first[0], last[0]), slice(first[1], last[1])
    data, indices, lengths, y, weight, tags, labels = sink
    by_row = lengths[rows], y[rows], weight[rows], tags[rows], labels[rows]
    return Sink(data[entries], indices[entries], *by_row)


def parse_piece(text: Text, span: tuple[int, int], line: int, part: Sink, rule: Rule) -> Piece:
    """Parse one piece, whose first line has that number, into its part of the sink."""
    window = text.window(*span)
    table = np.empty((MESSAGES_KEPT, 4), np.int64)
    with np.errstate(over="ignore"):  # uncompiled, long mantissas would warn
        tally = Tally(*map(int, parse(window, part, rule, table)))
    if tally.ended == WIDE:
        raise TooWide
    if tally.ended == CHANGED:
        raise changed(text.name)
    faults = [
        FileError(
            text.name,
            f"found {shown(window, at)}, expected {rule.expected(kind)}",
            line=line + nth - 1,
            column=at - first + 1,
        )
        for first, at, nth, kind in table[: tally.faults].tolist()
    ]
    if faults and not rule.skip:
        raise faults[0]
    tags, places = tags_of(window, part.tags[: tally.rows]), part.labels[: tally.rows]
    return Piece(tally, faults, tags, words_at(window, places) if len(places) else NO_WORDS)


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


def gathered(
    sink: Sink,
    done: Sequence[Piece],
    before: npt.NDArray[np.int64],
    n_features: int,
    *,
    is_text: bool,
) -> Data:
    """The rows of all pieces, in so many columns."""
    n_rows, n_entries = ([getattr(p.tally, n) for p in done] for n in ("rows", "entries"))
    values, indices = (closed_up(a, before[:, 1], n_entries) for a in (sink.data, sink.indices))
    lengths, y = (closed_up(a, before[:, 0], n_rows) for a in (sink.lengths, sink.y))
    small = len(values) <= INT32_MOST and indices.dtype == np.int32
    indptr = np.zeros(len(lengths) + 1, np.int32 if small else np.int64)
    np.cumsum(lengths, out=indptr[1:])
    X = sparse.csr_array((values, indices, indptr), shape=(len(y), n_features), copy=False)
    X.has_canonical_format = True
    if is_text:
        y = np.concatenate([NO_WORDS, *(piece.labels for piece in done)])
    weight = closed_up(sink.weight, before[:, 0], n_rows) if len(sink.weight) else np.ones(0)
    tags: list[str] | None = None
    if any(piece.tags for piece in done):
        tags = [t for piece in done for t in piece.tags or [""] * piece.tally.rows]
    faults = [str(fault) for piece in done for fault in piece.faults]
    skipped = Skipped(sum(piece.tally.faults for piece in done), tuple(faults[:MESSAGES_KEPT]))
    return Data(X, y, None if (weight == 1).all() else weight, None, tags, skipped)


def closed_up(array: Array, starts: npt.NDArray[np.int64], ns: list[int]) -> Array:
    """The first `n` elements after each start, without gaps."""
    stop = 0
    for start, n in zip(starts.tolist(), ns, strict=False):
        if start > stop:
            array[stop : stop + n] = array[start : start + n]
        stop += n
    return array[:stop]


def stream_text(parse: BlockParser, source: Opened, options: Options, start: Place) -> Blocks:
    """A text, block by block."""
    line = start.line
    with ThreadPoolExecutor(options.threads) as pool:
        for text, first, stop in blocks(source, options.block_bytes, start):
            data = parse(text, Place(first, line), stop, options, pool)
            yield data
            line = data.next.line


def digits(value: float) -> str:
    """The shortest text that reads back as the same number."""
    text = repr(float(value))
    if text in ("nan", "inf", "-inf"):
        raise ParameterError(f"Cannot write {text} into a text: every number must be finite.")
    return text.removesuffix(".0")


def as_numbers(values: npt.ArrayLike, name: str) -> npt.NDArray[np.float64]:
    """Labels or weights as numbers."""
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"{name} has values that are no numbers: write a table, or encode them."
        ) from error


def labels_of(y: Sequence[object] | Array, spelling: Spelling) -> list[str]:
    """Labels as they are written; "" for none."""
    words = words_of(y)
    if words is not None:
        require_readable(words, spelling)
        return [str(word) for word in words]
    numbers = as_numbers(np.asarray(y), "y").tolist()
    return ["" if label != label else digits(label) for label in numbers]


def entries_of(X: Matrix, base: int = 0) -> Iterator[list[str]]:
    """The entries of each row, as they are written; of a dense one, those that are not 0."""
    for i in range(X.shape[0]):
        if sparse.issparse(X):
            place = slice(X.indptr[i], X.indptr[i + 1])
            columns, values = X.indices[place], X.data[place]
        else:
            columns = np.flatnonzero(X[i])
            values = X[i, columns]
        pairs = zip(columns.tolist(), values.tolist(), strict=True)
        yield [f"{j + base}:{digits(v)}" for j, v in pairs]
