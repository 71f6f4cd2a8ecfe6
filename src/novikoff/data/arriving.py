"""Bytes as they arrive: whoever writes the other end may be slow, or never be done."""

import io
import os
import select
import stat
from typing import Any, Protocol

PATIENCE = 0.1
"""After so many seconds of waiting, look whether nobody waits any more."""


class HasRead(Protocol):
    """What has a `read`."""

    def read(self, n: int, /) -> Any:
        """At most `n` bytes; none at the end."""


class Tap:
    """What a file gives, as soon as it is there, until the tap is turned off."""

    def __init__(self, file: HasRead) -> None:
        self.off = False
        """Set this to have reads find the end where they are."""
        self._take = getattr(file, "read1", file.read)
        self._handle = handle_of(file)
        self._held = True
        """May there be bytes in the file's own buffer, which the system knows nothing of?"""

    def read(self, n: int) -> Any:
        """What has arrived, at most `n` bytes; none at the end."""
        while not self.off:
            if self._held or self.ready(PATIENCE):
                got = self._take(n)
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


def handle_of(file: Any) -> int | None:
    """The descriptor of a pipe or a terminal; None for files, which have all they will give."""
    raw = file.raw if isinstance(file, io.BufferedReader) else file
    if not isinstance(raw, io.FileIO):  # whose descriptor, if any, may be that of something else
        return None
    handle = raw.fileno()
    return None if stat.S_ISREG(os.fstat(handle).st_mode) else handle
