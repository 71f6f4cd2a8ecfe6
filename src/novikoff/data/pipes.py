"""Bytes that are read from their beginning to their end, once, as they arrive.

Whoever writes the other end of a pipe may be slow, or never be done.
"""

import io
import os
import select
import stat
import sys
from collections.abc import Callable
from typing import IO, Protocol

from novikoff.data.plain_file import NEWLINE, PlainFile

GULP = 2**20
PATIENCE = 0.1
"""After so many seconds of waiting, look whether nobody waits any more."""


class HasRead(Protocol):
    """What has a `read`."""

    def read(self, n: int, /) -> bytes:
        """At most `n` bytes; none at the end."""


class Tap:
    """What a file gives, as soon as it is there, until the tap is turned off."""

    def __init__(self, file: HasRead) -> None:
        self.off = False
        """Set this to have reads find the end where they are."""
        self._read: Callable[[int], bytes] = getattr(file, "read1", file.read)
        self._handle = handle_of(file)
        self._held = True
        """May there be bytes in the file's own buffer, which the system knows nothing of?"""

    def read(self, n: int) -> bytes:
        """What has arrived, at most `n` bytes; none at the end."""
        while not self.off:
            if self._held or self.ready(PATIENCE):
                got = self._read(n)
                self._held = isinstance(got, bytes) and len(got) == n
                return got
        return b""

    def ready(self, seconds: float = 0.0) -> bool:
        """Is there more, or the end? Yes also where that cannot be told."""
        if self._handle is None:
            return True
        try:
            return bool(select.select([self._handle], [], [], seconds)[0])
        except (OSError, ValueError):  # on some systems, for some files
            self._handle = None
            return True


def handle_of(file: HasRead) -> int | None:
    """The descriptor of a pipe or a terminal; None for files, which have all they will give."""
    raw = file.raw if isinstance(file, io.BufferedReader) else file
    if not isinstance(raw, io.FileIO):  # whose descriptor, if any, may be that of something else
        return None
    handle = raw.fileno()
    return None if stat.S_ISREG(os.fstat(handle).st_mode) else handle


class Pipe:
    """Bytes that come one after the other, `origin` being the file of this path that has them.

    `read` moves on, `peek` does not.
    """

    def __init__(
        self, read: Callable[[int], bytes], name: str, tap: Tap, origin: PlainFile | None = None
    ) -> None:
        self.name, self.origin = name, origin
        self.eager = False
        """Set this to have blocks end where what has arrived does, and not where they are full."""
        self._read, self._tap, self._ahead = read, tap, bytearray()

    @property
    def ended(self) -> bool:
        """Was it ended here, perhaps within a line?"""
        return self._tap.off

    def end(self) -> None:
        """Let it end with what has been read, also if somebody waits for more."""
        self._tap.off = True

    def close(self) -> None:
        """Close the file that the bytes come from, if it was opened here."""
        if self.origin is not None:
            self.origin.close()

    @property
    def path(self) -> str | None:
        """What to open to read the same bytes again, if anything."""
        return self.name if self.origin is not None and self.origin.size > 0 else None

    def require_unchanged(self) -> None:
        """Raise an error if the file that the bytes come from is not as it was."""
        if self.origin is not None:
            self.origin.require_unchanged()

    def as_file(self) -> IO[bytes]:
        """All of it in memory, for what reads back and forth."""
        return io.BytesIO(self.read())

    def peek(self, n: int) -> bytes:
        """The next `n` bytes, or fewer at the end."""
        return self.peek_until(lambda _: False, n)

    def peek_until(self, enough: Callable[[bytes], bool], most: int) -> bytes:
        """So many of the next bytes that their lines are enough, or `most`, or all there are."""
        done = enough(bytes(self._ahead))
        while not done and len(self._ahead) < most and (more := self._read(GULP)):
            self._ahead += more
            done = NEWLINE in more and enough(bytes(self._ahead))
        return bytes(self._ahead[:most])

    def arrived(self, most: int) -> bytearray:
        """What has arrived, at most so many bytes; waits for the first. None at the end."""
        return self._take(most, self._tap.ready)

    def read(self, n: int = sys.maxsize) -> bytearray:
        """The next `n` bytes, or fewer at the end."""
        return self._take(n, lambda: True)

    def _take(self, most: int, more_is_there: Callable[[], bool]) -> bytearray:
        taken = self._ahead[:most]
        del self._ahead[:most]
        while len(taken) < most and (not taken or more_is_there()):
            more = self._read(min(most - len(taken), GULP))
            if not more:
                break
            taken += more
        self._ahead += taken[most:]
        del taken[most:]
        return taken


Opened = PlainFile | Pipe
"""What can be read."""
