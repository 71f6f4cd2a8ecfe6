"""gzip, bzip2 and zstd: bytes from compressed files, and into them.

What a file is compressed by is told by its first bytes when it is read, and by its suffix when it
is written.
"""

import bz2
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from novikoff.data.pipes import GULP, HasRead, Pipe
from novikoff.errors import FileError, NovikoffError

ENDINGS = {".gz": "gzip", ".bz2": "bzip2", ".zst": "zstd"}
MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
SIP = 2**12  # of zstd, in which a byte can stand for many thousands


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


def decompressor(kind: str, raw: Pipe) -> Callable[[int], bytes]:
    """What gives at most so many of the bytes that a pipe has compressed; none at the end."""
    if kind == "zstd":
        return ZstdReader(raw).read
    rest = io.BufferedReader(Rest(raw), GULP)
    opened: HasRead = gzip.GzipFile(fileobj=rest) if kind == "gzip" else bz2.BZ2File(rest)

    def decompressed(n: int) -> bytes:
        try:
            got: bytes = opened.read(n)
        except EOFError as error:
            if raw.ended:
                return b""
            raise truncated(raw.name, kind) from error
        except NovikoffError:
            raise
        except (OSError, zlib.error, ValueError) as error:
            raise damaged(raw.name, kind, error) from error
        return got

    return decompressed


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


@contextmanager
def compressed(raw: IO[bytes], kind: str | None, name: str) -> Iterator[IO[bytes]]:
    """A file whose content goes into `raw`, compressed."""
    if kind is None:
        yield raw
    elif kind == "gzip":
        with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
            yield file  # type: ignore[misc]
    elif kind == "bzip2":
        with bz2.BZ2File(raw, "wb") as file:
            yield file
    else:
        try:
            import zstandard
        except ImportError as error:
            raise missing("zstandard", "zstd", name, "zstd files") from error
        with zstandard.ZstdCompressor(write_checksum=True).stream_writer(
            raw, closefd=False
        ) as file:
            buffered = io.BufferedWriter(file)  # type: ignore[type-var]
            yield buffered
            buffered.flush()
            buffered.detach()
