"""A file on disk that is not compressed: it can be read anywhere, by many threads."""

import os
import stat
import threading
from collections.abc import Callable
from typing import IO

import numpy as np
import numpy.typing as npt

from novikoff.errors import FileError

Bytes = npt.NDArray[np.uint8]
NEWLINE = ord("\n")
HEAD = 2**16


class PlainFile:
    """A file on disk, of which any part can be had at any time. It must not change meanwhile.

    (Of a named pipe or a device, which cannot be seen to change, its size is 0.)
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        self.file, self.name = file, name
        self._stamp = self._stamp_now()
        self.size = self._stamp[0]
        self._own = threading.local()
        self._lock = threading.Lock()

    def _stamp_now(self) -> tuple[int, int]:
        status = os.fstat(self.file.fileno())
        return (status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else (0, 0)

    @property
    def path(self) -> str:
        """What to open to read the same bytes again."""
        return self.name

    def require_unchanged(self) -> None:
        """Raise an error if the file is not as it was when it was opened."""
        if self._stamp_now() != self._stamp:
            raise changed(self.name)

    def window(self, start: int, stop: int) -> Bytes:
        """The bytes from `start` to `stop`, with a newline after the last line of the file.

        They are the thread's own until it asks for the next window.
        """
        n = stop - start
        buffer = getattr(self._own, "buffer", None)
        if buffer is None or len(buffer) <= n:
            buffer = self._own.buffer = np.empty(n + n // 8 + 1, np.uint8)
        self._fill(buffer[:n], start)
        if stop < self.size or (n and buffer[n - 1] == NEWLINE):
            return buffer[:n]
        buffer[n] = NEWLINE
        return buffer[: n + 1]

    def _fill(self, window: Bytes, start: int) -> None:
        done = 0
        while done < len(window):
            rest = memoryview(window)[done:]  # type: ignore[arg-type]
            if hasattr(os, "preadv"):
                n = os.preadv(self.file.fileno(), [rest], start + done)
            else:
                with self._lock:
                    self.file.seek(start + done)
                    n = self.file.readinto(rest)  # type: ignore[attr-defined]
            if n == 0:
                raise changed(self.name)
            done += n

    def read(self, start: int, n: int) -> bytes:
        """Some bytes as they are."""
        stop = min(start + n, self.size)
        return self.window(start, stop)[: stop - start].tobytes()

    def peek_until(self, enough: Callable[[bytes], bool], most: int) -> bytes:
        """So many of the first bytes that their lines are enough, or `most`, or all there are."""
        n = min(HEAD, most)
        while n < min(most, self.size) and not enough(self.read(0, n)):
            n = min(2 * n, most)
        return self.read(0, n)

    def as_file(self) -> IO[bytes]:
        """The file itself, for what reads back and forth."""
        return self.file

    def close(self) -> None:
        """Close the file."""
        self.file.close()


def changed(name: str) -> FileError:
    """What to say of a file that is another than it was a moment ago."""
    return FileError(name, "the file changed while it was read: read it once nothing writes to it")
