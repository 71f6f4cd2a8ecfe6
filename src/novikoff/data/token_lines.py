"""Parse lines of tokens into sentences, and find errors in them.

A block is parsed as a whole. If anything is wrong with it, it is read again line by line, to find
the first error.
"""

import re
from collections.abc import Iterator
from itertools import compress, pairwise, repeat
from typing import NamedTuple

import numpy as np

from novikoff.data.results import Place
from novikoff.errors import FileError

MARK = "\ufeff"  # of UTF-8, which some programs put first
BLANKS = " \t"
BLANK_RUN = re.compile(r"[ \t]+")
MULTIWORD = re.compile("([0-9]{1,9})-([0-9]{1,9})")
EMPTY_NODE = re.compile(r"([0-9]{1,9})\.[0-9]+")


class Sentences(NamedTuple):
    """Sentences from a file: all of them, or one block of a stream.

    Parameters
    ----------
    X : list of lists of tuples of str
        The tokens of each sentence. A token is a tuple of all columns except that of the labels,
        and in CoNLL-U, that of the IDs.
    y : list of lists of str, or None
        The labels of the tokens of each sentence. None if ``label=None``.
    lines : list of str
        The lines of the block, without line ends: to write the file again with one more column.
    token_lines : list of int
        For each token of the block, sentence by sentence, the index of its line in `lines`.
    start, next : Place
        The start of the block, and of the next one: ``stream_conll(..., start=block.next)``.
    taken : int
        The number of bytes of the file (compressed, if it is) read by the end of the block.

    Examples
    --------
    >>> import io
    >>> from novikoff.data import read_conll
    >>> block = read_conll(io.BytesIO(b"He PRP B-NP\\nruns VBZ B-VP\\n\\nStop VB B-VP\\n"))
    >>> block.X
    [[('He', 'PRP'), ('runs', 'VBZ')], [('Stop', 'VB')]]
    >>> block.y
    [['B-NP', 'B-VP'], ['B-VP']]
    >>> block.lines, block.token_lines
    (['He PRP B-NP', 'runs VBZ B-VP', '', 'Stop VB B-VP'], [0, 1, 3])
    """

    X: list[list[tuple[str, ...]]]
    y: list[list[str]] | None
    lines: list[str]
    token_lines: list[int]
    start: Place = Place()
    next: Place = Place()
    taken: int = 0


class Layout(NamedTuple):
    """How the lines of a file are made."""

    is_conllu: bool
    n_columns: int
    separator: str
    """A tab, or a space for runs of spaces and tabs."""
    label: int | None
    """The column that has the labels, from 0 on."""
    why: str = ""
    """Why every line has so many columns, for an error that finds another number."""

    @property
    def features(self) -> list[int]:
        """The columns that are neither labels nor IDs."""
        return [j for j in range(self.is_conllu, self.n_columns) if j != self.label]


def columns_of(line: str, separator: str) -> list[str]:
    """What is between the separators."""
    return line.split("\t") if separator == "\t" else BLANK_RUN.split(line.strip(BLANKS))


class Text(NamedTuple):
    """The lines of a block."""

    lines: list[str]
    start: Place
    name: str
    """Of the file."""
    mark: int
    """How many bytes come before the first line that are no part of it."""

    def fault(self, i: int, at: int, what: str, **parameters: object) -> FileError:
        """An error in a line of the block, at a place in the line."""
        column = len(self.lines[i][:at].encode()) + 1 + (self.mark if i == 0 else 0)
        line = self.start.line + i
        return FileError(self.name, what, line=line, column=column, **parameters)


def sentences_of(block: bytearray, layout: Layout, start: Place, name: str) -> Sentences:
    """The sentences of a block; an error for the first fault in it."""
    try:
        text = text_of(block.decode(), start, name)
    except UnicodeDecodeError as error:
        good = block[: block.rfind(b"\n", 0, error.start) + 1]
        before = text_of(good.decode(), start, name)
        byte = FileError(
            name,
            f"found the byte 0x{block[error.start]:02x}, expected text in UTF-8",
            line=start.line + good.count(b"\n"),
            column=error.start - len(good) + 1,
        )
        raise next(faults(before, layout), byte) from None
    parsed = sentences_if_good(text.lines, layout)
    if parsed is None:
        raise next(faults(text, layout))
    stop = Place(start.offset + len(block), start.line + len(text.lines))
    return parsed._replace(start=start, next=stop)


def text_of(block: str, start: Place, name: str) -> Text:
    """The lines of a block, without their ends."""
    whole = block.removeprefix(MARK) if start.offset == 0 else block
    lines = whole.replace("\r\n", "\n").removesuffix("\n").removesuffix("\r").split("\n")
    return Text(lines, start, name, len((block[: len(block) - len(whole)]).encode()))


def sentences_if_good(lines: list[str], layout: Layout) -> Sentences | None:
    """The sentences of lines; None if anything is wrong with them."""
    n, separator = layout.n_columns, layout.separator
    stripped = [*map(str.strip, lines, repeat(BLANKS))]
    filled = np.fromiter(map(bool, stripped), bool, len(lines))
    sentence = np.cumsum(~filled)
    rows = filled
    if layout.is_conllu:
        rows = filled & ~np.fromiter(map(str.startswith, lines, repeat("#")), bool, len(lines))
    kept = [*compress(stripped if separator == " " else lines, rows)]
    joined = "\n".join(kept)
    if separator == " " and ("  " in joined or "\t" in joined):
        joined = BLANK_RUN.sub(" ", joined)
        kept = joined.split("\n")
    if not {*map(str.count, kept, repeat(separator))} <= {n - 1}:
        return None
    flat = joined.replace("\n", separator).split(separator) if kept else []
    if not all(flat):
        return None
    columns, at = [flat[j::n] for j in range(n)], np.flatnonzero(rows)
    if layout.is_conllu:
        words = words_if_in_order(columns[0], sentence[at].tolist())
        if words is None:
            return None
        if not all(words):
            columns, at = [[*compress(column, words)] for column in columns], at[words]
    tokens = list(zip(*(columns[j] for j in layout.features), strict=True))
    starts = np.flatnonzero(np.diff(sentence[at], prepend=-1)).tolist() if len(at) else []
    parts = [slice(low, high) for low, high in pairwise([*starts, len(at)])]
    labels = None if layout.label is None else columns[layout.label]
    return Sentences(
        [tokens[part] for part in parts],
        None if labels is None else [labels[part] for part in parts],
        lines,
        at.tolist(),
    )


# ------------------------------------------------------------- IDs of CoNLL-U


def words_if_in_order(ids: list[str], sentence: list[int]) -> list[bool] | None:
    """Which lines are words, if all IDs are as they should be."""
    words, last, where = [], 0, -1
    for own, number in zip(ids, sentence, strict=True):
        if number != where:
            last, where = 0, number
        is_word = own == str(last + 1)
        if is_word:
            last += 1
        elif id_fault(own, last):
            return None
        words.append(is_word)
    return words


def id_fault(own: str, last: int) -> str:
    """What to say of an ID that is not that of the next word; nothing if it may stand there."""
    if found := MULTIWORD.fullmatch(own):
        if int(found[1]) == last + 1 <= int(found[2]):
            return ""
        return f"found the ID {own!r}, expected a range of words that starts with {last + 1}"
    if found := EMPTY_NODE.fullmatch(own):
        if int(found[1]) == last:
            return ""
        return f"found the ID {own!r}, expected {last}. and a number for an empty node after it"
    return f"found the ID {own[:40]!r}, expected {last + 1}, the number of the next word"


# ------------------------------------------------------------- faults


def faults(text: Text, layout: Layout) -> Iterator[FileError]:
    """What is wrong with the lines of a block, one after the other."""
    n, last = layout.n_columns, 0
    tabs = layout.separator == "\t"
    for i, line in enumerate(text.lines):
        if not line.strip(BLANKS):
            last = 0
            continue
        if layout.is_conllu and line.startswith("#"):
            continue
        own = columns_of(line, layout.separator)
        if len(own) != n:
            columns = "1 column" if len(own) == 1 else f"{len(own)} columns"
            between = "tabs" if tabs else "spaces"
            what = f"found {columns} separated by {between}, expected {n}{layout.why}"
            place = place_of(own, n) if tabs and len(own) > n else len(line.rstrip(BLANKS))
            yield text.fault(i, place, what, format="conllu")
            continue
        if "" in own:
            j = own.index("")
            yield text.fault(i, place_of(own, j), f"found nothing in column {j}, expected a text")
        if layout.is_conllu:
            if own[0] == str(last + 1):
                last += 1
            elif what := id_fault(own[0], last):
                yield text.fault(i, 0, what)


def place_of(columns: list[str], j: int) -> int:
    """Where a column begins in its line, between tabs."""
    return sum(len(column) + 1 for column in columns[:j])
