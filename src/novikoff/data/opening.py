"""Where bytes come from: files, compressed ones, standard input, whatever has `read`.

A plain file is a `PlainFile`, which can be read anywhere, by many threads. All else is a `Pipe`,
which is read from its beginning to its end. What a file is compressed by is told by
its first bytes, not by its name.
"""

import bz2
import gzip
import io
import os
import stat
import sys
import threading
import zlib
from collections.abc import Callable
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from novikoff.data.arriving import HasRead, Tap
from novikoff.errors import FileError, NovikoffError, ParameterError

Bytes = npt.NDArray[np.uint8]
Source = str | os.PathLike[str] | IO[bytes]

ENDINGS = {".gz": "gzip", ".bz2": "bzip2", ".zst": "zstd"}
MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
GULP = 2**20
SIP = 2**12  # of zstd, in which a byte can stand for many thousands
NEWLINE = ord("\n")


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

    def close(self) -> None:
        """Close the file."""
        self.file.close()


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

    def peek(self, n: int) -> bytes:
        """The next `n` bytes, or fewer at the end."""
        while len(self._ahead) < n and (more := self._read(GULP)):
            self._ahead += more
        return bytes(self._ahead[:n])

    def peek_until(self, enough: Callable[[bytes], bool], most: int) -> bytes:
        """So many of the next bytes that their lines are enough, or `most`, or all there are."""
        done = enough(bytes(self._ahead))
        while not done and len(self._ahead) < most and (more := self._read(GULP)):
            self._ahead += more
            done = NEWLINE in more and enough(bytes(self._ahead))
        return bytes(self._ahead[:most])

    def arrived(self, most: int) -> bytearray:
        """What has arrived, at most so many bytes; waits for the first. None at the end."""
        taken, self._ahead = self._ahead[:most], self._ahead[most:]
        while len(taken) < most and (not taken or self._tap.ready()):
            more = self._read(min(most - len(taken), GULP))
            if not more:
                break
            taken += more
        self._ahead += taken[most:]
        del taken[most:]
        return taken

    def read(self, n: int) -> bytearray:
        """The next `n` bytes, or fewer at the end."""
        taken, self._ahead = self._ahead[:n], self._ahead[n:]
        while len(taken) < n and (more := self._read(min(n - len(taken), GULP))):
            taken += more
        self._ahead += taken[n:]
        del taken[n:]
        return taken

    def read_all(self) -> bytearray:
        """All that is left."""
        taken, self._ahead = self._ahead, bytearray()
        while more := self._read(GULP):
            taken += more
        return taken


def changed(name: str) -> FileError:
    """What to say of a file that is another than it was a moment ago."""
    return FileError(name, "the file changed while it was read: read it once nothing writes to it")


def open_source(source: Source | Pipe) -> PlainFile | Pipe:
    """A path, "-" for standard input, or a binary file object, ready to be read."""
    if isinstance(source, Pipe):
        return source
    if isinstance(source, str | os.PathLike):
        if os.fspath(source) == "-":
            return as_pipe(sys.stdin.buffer, "<stdin>")
        name = os.fspath(source)
        try:
            file = open(source, "rb", buffering=0)  # noqa: SIM115  # closed by what it becomes
        except OSError as error:
            raise FileError(name, f"cannot be opened: {error.strerror}") from error
        try:
            return as_opened(file, name)
        except BaseException:
            file.close()
            raise
    if not hasattr(source, "read") or isinstance(source, io.TextIOBase):
        raise ParameterError(
            f"Cannot read from {type(source).__name__}: give a path, '-' for standard input, or a "
            "file opened in binary mode ('rb')."
        )
    called = getattr(source, "name", None)
    return as_pipe(source, called if isinstance(called, str) else "<file>")


def as_opened(file: IO[bytes], name: str) -> PlainFile | Pipe:
    """What an opened path is."""
    origin = PlainFile(file, name)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return as_pipe(file, name, origin)
    ending = ENDINGS.get(os.path.splitext(name)[1])
    if ending and origin.size == 0:
        raise FileError(name, f"found an empty file, expected {ending}")
    packed = compression(origin.read(0, 4)) is not None
    return as_pipe(file, name, origin) if packed else origin


def compression(head: bytes) -> str | None:
    """What compressed the bytes that start so."""
    return next((name for magic, name in MAGIC.items() if head.startswith(magic)), None)


class Rest(io.RawIOBase):
    """A pipe as the file object that decompressors want."""

    def __init__(self, pipe: Pipe) -> None:
        self.pipe = pipe

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, or at the end a part of it."""
        taken = self.pipe.read(len(buffer))
        buffer[: len(taken)] = taken
        return len(taken)


def as_pipe(file: HasRead, name: str, origin: PlainFile | None = None) -> Pipe:
    """A pipe of what a file has, decompressed."""
    tap = Tap(file)

    def reading(n: int) -> bytes:
        try:
            got = tap.read(n)
        except OSError as error:
            raise FileError(name, f"cannot be read: {error.strerror or error}") from error
        if not isinstance(got, bytes):
            raise ParameterError(
                f"{name} gave {type(got).__name__}: open it in binary mode ('rb')."
            )
        return got

    raw = Pipe(reading, name, tap, origin)
    kind = compression(raw.peek(4))
    if kind is None:
        return raw
    if kind == "zstd":
        return Pipe(ZstdReader(raw).read, name, tap, origin)
    rest = io.BufferedReader(Rest(raw), GULP)
    opened: HasRead = gzip.GzipFile(fileobj=rest) if kind == "gzip" else bz2.BZ2File(rest)

    def decompressed(n: int) -> bytes:
        try:
            got: bytes = opened.read(n)
        except EOFError as error:
            if tap.off:
                return b""
            raise truncated(name, kind) from error
        except NovikoffError:
            raise
        except (OSError, zlib.error, ValueError) as error:
            raise damaged(name, kind, error) from error
        return got

    return Pipe(decompressed, name, tap, origin)


def truncated(name: str, kind: str) -> FileError:
    """What to say of a compressed file that stops too early."""
    return FileError(name, f"found the end of the file, expected more of its {kind} data")


def damaged(name: str, kind: str, error: Exception) -> FileError:
    """What to say of a compressed file that does not make sense."""
    return FileError(name, f"found damaged {kind} data: {error}")


class ZstdReader:
    """zstd, frame after frame. (The package's own reader takes a cut frame for a whole one.)"""

    def __init__(self, pipe: Pipe) -> None:
        try:
            import zstandard
        except ImportError as error:
            raise missing("zstandard", "zstd", pipe.name, "zstd files") from error
        self._pipe, self._errors = pipe, zstandard.ZstdError
        self._new_frame = zstandard.ZstdDecompressor().decompressobj
        self._frame, self._begun = self._new_frame(), False

    def read(self, n: int) -> bytes:
        """Some more bytes, whatever `n` is; none at the end."""
        while given := bytes(self._pipe.read(SIP)):
            got = self._decompress(given)
            if got:
                return got
        if self._begun and not self._pipe.ended:
            raise truncated(self._pipe.name, "zstd")
        return b""

    def _decompress(self, given: bytes) -> bytes:
        parts = []
        while given:
            try:
                parts.append(self._frame.decompress(given))
            except self._errors as error:
                raise damaged(self._pipe.name, "zstd", error) from error
            self._begun, given = not self._frame.eof, b""
            if self._frame.eof:
                given, self._frame = self._frame.unused_data, self._new_frame()
        return b"".join(parts)


def missing(package: str, extra: str, name: str, what: str) -> FileError:
    """What to say when a package is not there that is needed for some files only."""
    return FileError(name, f"{what} need the package {package}: pip install 'novikoff[{extra}]'")
