"""Text in blocks of whole sentences, which blank lines end.

A block starts where the one before it stopped. It stops after the last blank line among its first
`block_bytes` bytes; if there is none, after the first blank line that comes; and where fewer bytes
are left than that, at the end. That depends on the bytes and on `block_bytes` alone.
"""

import re
from collections.abc import Iterator

from novikoff.data.opener import Opened, Pipe, PlainFile
from novikoff.data.results import Place
from novikoff.data.text_blocks import LONGEST_LINE, LOOK, too_short
from novikoff.errors import FileError

MARK = b"\xef\xbb\xbf"  # of UTF-8, which some programs put first
BLANK = re.compile(rb"^[ \t]*\r?\n", re.M)
FILLED = re.compile(rb"^(?![ \t]*\r?\n).*\n", re.M)
LONGEST = LONGEST_LINE
"""How many bytes a sentence may have, unless a block has more: it is held as a whole."""


def sentence_blocks(source: Opened, block_bytes: int, start: Place) -> Iterator[bytearray]:
    """The blocks of a source from a place on."""
    if isinstance(source, Pipe):
        skip(source, start)
    elif start.offset > source.size:
        raise too_short(source.name, start)
    at, held = start.offset, bytearray()
    while cut := next_cut(source, held, block_bytes, at):
        rest = held[cut:]
        del held[cut:]
        yield held
        source.require_unchanged()
        at, held = at + cut, rest


def skip(pipe: Pipe, start: Place) -> None:
    """Read what comes before a place for nothing."""
    left = start.offset
    while left > 0:
        n = len(pipe.read(min(LOOK, left)))
        if n == 0:
            raise too_short(pipe.name, start)
        left -= n


def fill(source: Opened, held: bytearray, size: int, at: int) -> None:
    """Add to what is held, from `at` on, until it is so long or the source ends."""
    if isinstance(source, PlainFile):
        held += source.read(at + len(held), max(size - len(held), 0))
    else:
        source.fill(held, size)


def next_cut(source: Opened, held: bytearray, block_bytes: int, at: int) -> int:
    """How many bytes the next block has, after reading them; 0 if there is none."""
    if isinstance(source, Pipe) and source.eager:
        cut = cut_where_it_arrived(source, held, block_bytes, at)
    else:
        fill(source, held, block_bytes, at)
        cut = len(held)
        if cut >= block_bytes:
            cut = last_end(held, block_bytes) or first_end(source, held, block_bytes, at)
    if isinstance(source, Pipe) and source.ended and cut == len(held):
        return last_end(held, cut)  # the rest of the last sentence never comes
    return cut


def cut_where_it_arrived(pipe: Pipe, held: bytearray, block_bytes: int, at: int) -> int:
    """The same for a block of the whole sentences that have arrived, or of the rest at the end."""
    while not (cut := last_end(held, len(held))):
        require_an_end(pipe, held, block_bytes, at)
        more = pipe.arrived(block_bytes)
        if not more:
            return len(held)
        held += more
    return cut


def last_end(held: bytearray, stop: int) -> int:
    """Where the last blank line ends that is whole before `stop`; 0 if none is."""
    stop = held.rfind(b"\n", 0, stop) + 1
    while stop:
        begin = held.rfind(b"\n", 0, stop - 1) + 1
        if BLANK.match(held, begin):
            return stop
        stop = begin
    return 0


def first_end(source: Opened, held: bytearray, stop: int, at: int) -> int:
    """Where the first blank line ends that is not whole before `stop`, after reading up to it."""
    seen = held.rfind(b"\n", 0, stop) + 1
    while (found := BLANK.search(held, seen)) is None:
        require_an_end(source, held, stop, at)
        seen, n = held.rfind(b"\n") + 1, len(held)
        fill(source, held, n + LOOK, at)
        if len(held) == n:
            return n
    return found.end()


def require_an_end(source: Opened, held: bytearray, block_bytes: int, at: int) -> None:
    """Raise an error if a sentence, which begins at this byte, is too long."""
    if len(held) > max(LONGEST, block_bytes):
        raise FileError(
            source.name,
            f"found a sentence of more than {LONGEST:,} bytes, which begins at byte {at:,}: "
            "expected a blank line after every sentence",
        )


def first_token_line(source: Opened) -> tuple[int, str]:
    """The first line of a file that is not blank, and its number before it."""

    def found(head: bytes) -> re.Match[bytes] | None:
        return FILLED.search(head.removeprefix(MARK))

    head = source.peek_until(lambda head: found(head) is not None, LONGEST)
    line = found(head)
    if line is None and len(head) < LONGEST:
        line = found(head + b"\n")  # the last line needs no end
    if line is None:
        where = f" in the first {LONGEST:,} bytes" if len(head) == LONGEST else ""
        raise FileError(source.name, f"found no sentences{where}, expected at least one")
    text = line[0].removesuffix(b"\n").removesuffix(b"\r")
    return line.string.count(b"\n", 0, line.start()) + 1, text.decode(errors="replace")
