"""Text in blocks that end where lines end, or the records of a table.

A block starts where the one before it stopped. It stops after the last newline among its first
`block_bytes` bytes; if there is none, after the first newline that comes, so that a line is
never cut; else at the end of the text. A line that does not end is an error. That depends on the
bytes and on `block_bytes` alone, not on what the bytes are compressed by, nor on who reads them.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np

from novikoff.data.opener import NEWLINE, Bytes, Opened, Pipe, PlainFile
from novikoff.data.results import Place
from novikoff.errors import FileError

LOOK, GLANCE = 2**16, 2**20
LONGEST_LINE = 2**27
"""How many bytes a line may have. What has more is no text, and would have to be held whole."""
BLANK = b" \t\r\n\f\v\xef\xbb\xbf"
"""White space, and the mark that some programs put before text."""


class Ends(NamedTuple):
    """Where the first, and the last, line ends in a text that starts with one; 0 if none does."""

    first: Callable[[bytes | bytearray], int]
    last: Callable[[bytes | bytearray], int]


NEWLINES = Ends(lambda text: text.find(b"\n") + 1, lambda text: text.rfind(b"\n") + 1)


class Text(Protocol):
    """Bytes of which parts can be had."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def size(self) -> int:
        """Where it ends."""

    def window(self, start: int, stop: int) -> Bytes:
        """The bytes from `start` to `stop`, with a newline after the last line."""


class Held:
    """Text in memory, which starts at some offset of the whole text."""

    def __init__(self, text: bytearray, name: str, offset: int = 0) -> None:
        self.name, self.size = name, offset + len(text)
        self._offset = offset
        if text and text[-1] != NEWLINE:
            text.append(NEWLINE)
        self._bytes = np.frombuffer(text, np.uint8)

    def window(self, start: int, stop: int) -> Bytes:
        """The bytes from `start` to `stop`, with a newline after the last line."""
        end = len(self._bytes) if stop == self.size else stop - self._offset
        return self._bytes[start - self._offset : end]


def is_blank(opened: Opened) -> bool:
    """Is there nothing in a file but blanks?"""
    return not opened.peek_until(lambda head: bool(head.strip(BLANK)), LONGEST_LINE).strip(BLANK)


def newline(text: Text, start: int, stop: int, *, last: bool = False) -> int:
    """Where the first newline is from `start` on and before `stop`, or the last; -1 if none is."""
    windows = ((low, min(low + LOOK, stop)) for low in range(start, stop, LOOK))
    if last:
        windows = ((max(high - LOOK, start), high) for high in range(stop, start, -LOOK))
    for low, high in windows:
        piece = text.window(low, high)[: high - low].tobytes()
        found = piece.rfind(b"\n") if last else piece.find(b"\n")
        if found >= 0:
            return low + found
    return -1


def cut_after(text: Text, start: int, most: int, ends: Ends | None = None) -> int:
    """Where the block that starts at `start` stops, if it is to have at most so many bytes."""
    if start + most >= text.size:
        return text.size
    if ends is not None:
        return cut_after_record(text, start, most, ends)
    found = newline(text, start, start + most, last=True)
    if found < 0:
        limit = min(start + max(most, LONGEST_LINE), text.size)
        found = newline(text, start + most, limit)
        if found < 0 and limit < text.size:
            raise too_long(text.name, start)
    return found + 1 if found >= 0 else text.size


def cut_after_record(text: Text, start: int, most: int, ends: Ends) -> int:
    """The same, where a newline need not end a record."""
    size = most
    while start + size < text.size:
        window = text.window(start, start + size)[:size].tobytes()
        if found := ends.last(window):
            return start + (found if size == most else ends.first(window))
        if size > LONGEST_LINE:
            raise too_long(text.name, start)
        size = min(2 * max(size, LOOK), LONGEST_LINE + 1)
    window = text.window(start, text.size)[: text.size - start].tobytes()
    return start + (ends.first(window) or len(window))


def pieces(
    text: Text, start: int, stop: int, most: int, ends: Ends | None = None
) -> list[tuple[int, int]]:
    """The part from `start` to `stop` in blocks, from where to where each goes."""
    found = []
    while start < stop:
        end = min(cut_after(text, start, most, ends), stop)
        found.append((start, end))
        start = end
    return found


def lines_before(text: Text, stop: int) -> int:
    """How many lines of a text end before a place."""
    return sum(
        text.window(low, min(low + LOOK, stop))[: min(LOOK, stop - low)].tobytes().count(b"\n")
        for low in range(0, stop, LOOK)
    )


def blocks(
    source: Opened, block_bytes: int, start: Place, ends: Ends | None = None
) -> Iterator[tuple[Text, int, int]]:
    """The blocks of a source from a place on: a text that has each, from where, to where.

    Lines end at newlines, or as `ends` says.
    """
    if isinstance(source, PlainFile):
        at = start.offset
        if at > source.size:
            raise too_short(source.name, start)
        while at < source.size:
            stop = cut_after(source, at, block_bytes, ends)
            yield source, at, stop
            source.require_unchanged()
            at = stop
    else:
        yield from blocks_of_pipe(source, block_bytes, start, ends or NEWLINES)


def blocks_of_pipe(
    pipe: Pipe, block_bytes: int, start: Place, ends: Ends
) -> Iterator[tuple[Text, int, int]]:
    """`blocks` of what can be read only once: what comes before the place is read for nothing."""
    skipped = 0
    while skipped < start.offset:
        n = len(pipe.read(min(LOOK, start.offset - skipped)))
        if n == 0:
            raise too_short(pipe.name, start)
        skipped += n
    at, held = start.offset, bytearray()
    next_cut = cut_where_it_arrived if pipe.eager else cut_where_it_is_full
    while cut := next_cut(pipe, held, block_bytes, at, ends):
        rest = held[cut:]
        del held[cut:]
        yield Held(held, pipe.name, at), at, at + cut
        at, held = at + cut, rest


def cut_where_it_is_full(pipe: Pipe, held: bytearray, block_bytes: int, at: int, ends: Ends) -> int:
    """How many bytes the next block has, after reading them; 0 if there is none."""
    if len(pipe.fill(held, block_bytes)) < block_bytes:
        cut = len(held)
    elif len(held) == block_bytes and (ends.last(held) == block_bytes or not pipe.peek(1)):
        cut = len(held)  # there is no need to wait for what comes next if a line ends here
    else:
        cut = ends.last(held[:block_bytes]) or grow(pipe, held, at, ends)
    if pipe.ended and cut == len(held):  # perhaps within a line, of which the rest never comes
        return ends.last(held)
    return cut


def cut_where_it_arrived(pipe: Pipe, held: bytearray, block_bytes: int, at: int, ends: Ends) -> int:
    """The same for a block of the whole lines that have arrived, or of the rest at the end."""
    if NEWLINE not in held or not ends.last(held):
        more = pipe.arrived(block_bytes)
        if not more:
            return len(held)
        held += more
    return ends.last(held) or grow(pipe, held, at, ends)


def grow(pipe: Pipe, held: bytearray, at: int, ends: Ends) -> int:
    """The end of the first line, after reading up to it, or of all there is."""
    most, looked = max(len(held), LONGEST_LINE), 0
    while True:
        # every look is at all of it, so that a long line is not looked at for every piece
        if len(held) < GLANCE or 4 * len(held) >= 5 * looked or not pipe.peek(1):
            if found := ends.first(held):
                return found
            looked = len(held)
        if len(held) > most:
            raise too_long(pipe.name, at)
        more = pipe.arrived(LOOK)
        if not more:
            return len(held)
        held += more


def too_long(name: str, at: int) -> FileError:
    """What to say of a line without an end, which begins at this byte."""
    return FileError(
        name,
        f"found a line of more than {LONGEST_LINE:,} bytes, which begins at byte {at:,}: expected "
        "lines of text",
    )


def too_short(name: str, start: Place) -> FileError:
    """What to say of a text that ends before the place to start at."""
    return FileError(
        name,
        f"found its end before byte {start.offset}, expected to go on there: it is another file",
    )
