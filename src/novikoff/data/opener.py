"""Where bytes come from: files, compressed ones, standard input, whatever has `read`.

A plain file is a `PlainFile`, which can be read anywhere, by many threads. All else is a `Pipe`,
which is read from its beginning to its end, once, as its bytes arrive: whoever writes the other
end may be slow, or never be done. What a file is compressed by is told by its first bytes, not by
its name.
"""

import io
import os
import select
import stat
import sys
import threading
from collections.abc import Callable
from typing import IO

import numpy as np
import numpy.typing as npt

from novikoff.data.compression import ENDINGS, Decompressed, compression
from novikoff.errors import FileError, ParameterError

Source = str | os.PathLike[str] | IO[bytes]
Bytes = npt.NDArray[np.uint8]
NEWLINE = ord("\n")
HEAD = 2**16
GULP = 2**20
PATIENCE = 0.1
"""After so many seconds of waiting, look whether nobody waits any more."""


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

    may_wait = False

    def taken_by(self, offset: int) -> int:
        """How many bytes of the file were taken for the text up to an offset."""
        return offset

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


class Tap:
    """What a file gives, as soon as it is there, until the tap is turned off."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self.name = name
        self.n_taken = 0
        """How many bytes it gave so far."""
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
                return self._read_now(n)
        return b""

    def _read_now(self, n: int) -> bytes:
        try:
            got = self._read(n)
        except OSError as error:
            raise FileError(self.name, f"cannot be read: {error.strerror or error}") from error
        if not isinstance(got, bytes):
            raise ParameterError(
                f"{self.name} gave {type(got).__name__}: open it in binary mode ('rb')."
            )
        self._held = len(got) == n
        self.n_taken += len(got)
        return got

    @property
    def is_live(self) -> bool:
        """Is it a pipe or a terminal?"""
        return self._handle is not None

    def ready(self, seconds: float = 0.0) -> bool:
        """Is there more, or the end? Yes also where that cannot be told."""
        if self._handle is None:
            return True
        try:
            return bool(select.select([self._handle], [], [], seconds)[0])
        except (OSError, ValueError):  # on some systems, for some files
            self._handle = None
            return True


def handle_of(file: IO[bytes]) -> int | None:
    """The descriptor of a pipe or a terminal; None for files, which have all they will give."""
    raw = file.raw if isinstance(file, io.BufferedReader) else file
    if not isinstance(raw, io.FileIO):  # whose descriptor, if any, may be that of something else
        return None
    handle = raw.fileno()
    return None if stat.S_ISREG(os.fstat(handle).st_mode) else handle


class Pipe:
    """Bytes that come one after the other, `origin` being the file of this path that has them.

    They come decompressed. `read` moves on, `peek` does not.
    """

    def __init__(self, file: IO[bytes], name: str, origin: PlainFile | None = None) -> None:
        self.name, self.origin = name, origin
        self.eager = False
        """Set this to have blocks end where what has arrived does, and not where they are full."""
        self._tap, self._ahead = Tap(file, name), bytearray()
        self._whole: io.BytesIO | None = None
        self._read = self._tap.read
        if (kind := compression(self.peek(4))) is not None:
            self._read = Decompressed(kind, self._tap, self._ahead).read
            self._ahead = bytearray()

    @property
    def may_wait(self) -> bool:
        """May somebody still be writing to it?"""
        return self._tap.is_live

    def taken_by(self, offset: int) -> int:
        """How many bytes were taken so far, compressed as they are."""
        return self._tap.n_taken

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
        if self._whole is None:
            self._whole = io.BytesIO(self.read())
        self._whole.seek(0)
        return self._whole

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
        return self._fill(bytearray(), most, self._tap.ready)

    def read(self, n: int = sys.maxsize) -> bytearray:
        """The next `n` bytes, or fewer at the end."""
        return self.fill(bytearray(), n)

    def fill(self, held: bytearray, size: int) -> bytearray:
        """What is held, with as many of the next bytes as make it so long, or fewer at the end."""
        return self._fill(held, size, lambda: True)

    def _fill(self, held: bytearray, size: int, more_is_there: Callable[[], bool]) -> bytearray:
        if len(held) >= size:
            return held
        ahead = size - len(held)
        held += self._ahead[:ahead]
        del self._ahead[:ahead]
        while len(held) < size and (not held or more_is_there()):
            more = self._read(min(size - len(held), GULP))
            if not more:
                break
            held += more
        self._ahead += held[size:]
        del held[size:]
        return held


Opened = PlainFile | Pipe
"""What can be read."""


def open_source(source: Source | Pipe) -> Opened:
    """A path, "-" for standard input, or a binary file object, ready to be read."""
    if isinstance(source, Pipe):
        return source
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        return Pipe(sys.stdin.buffer, "<stdin>") if name == "-" else open_path(name)
    if not hasattr(source, "read") or isinstance(source, io.TextIOBase):
        raise ParameterError(
            f"Cannot read from {type(source).__name__}: give a path, '-' for standard input, or a "
            "file opened in binary mode ('rb')."
        )
    called = getattr(source, "name", None)
    return Pipe(source, called if isinstance(called, str) else "<file>")


def open_path(name: str) -> Opened:
    """What is at a path."""
    try:
        file = open(name, "rb", buffering=0)  # noqa: SIM115  # closed by what it becomes
    except OSError as error:
        raise FileError(name, f"cannot be opened: {error.strerror}") from error
    try:
        plain = PlainFile(file, name)
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return Pipe(file, name, plain)
        ending = ENDINGS.get(os.path.splitext(name)[1])
        if ending and plain.size == 0:
            raise FileError(name, f"found an empty file, expected {ending}")
        return plain if compression(plain.read(0, 4)) is None else Pipe(file, name, plain)
    except BaseException:
        file.close()
        raise
