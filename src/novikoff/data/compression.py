"""gzip, bzip2, xz and zstd: bytes from compressed files, and into them.

What a file is compressed by is told by its first bytes when it is read, and by its suffix when it
is written.
"""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import IO, TYPE_CHECKING, Any

from novikoff.data.formats import missing
from novikoff.errors import FileError

if TYPE_CHECKING:
    from novikoff.data.opener import Tap

ENDINGS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zX": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
"""At most four bytes each: waiting for all six of xz would hold up a short line in a pipe."""
GZIP_HEADER = 31  # what zlib calls it, and the largest window
SIP = 2**13  # a byte can stand for many thousands


def compression(head: bytes) -> str | None:
    """What compressed the bytes that start so."""
    return next((name for magic, name in MAGIC.items() if head.startswith(magic)), None)


class Decompressed:
    """What a tap gives compressed, frame after frame, as in files that were joined.

    (The readers of some of the packages take a cut frame for a whole one.)
    """

    def __init__(self, kind: str, tap: "Tap", packed: bytearray) -> None:
        self._kind, self._tap = kind, tap
        self._packed = packed  # what was taken from the tap already
        self._errors: tuple[type[Exception], ...] = (
            OSError,
            ValueError,
            lzma.LZMAError,
            zlib.error,
        )
        self._new_frame: Callable[[], Any]
        if kind == "zstd":
            zstandard = zstandard_for(tap.name)
            self._new_frame = zstandard.ZstdDecompressor().decompressobj
            self._errors = (*self._errors, zstandard.ZstdError)
        elif kind == "gzip":
            self._new_frame = lambda: zlib.decompressobj(GZIP_HEADER)
        elif kind == "xz":
            self._new_frame = lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)
        else:
            self._new_frame = bz2.BZ2Decompressor
        self._frame, self._begun = self._new_frame(), False

    def read(self, n: int) -> bytes:
        """Some more bytes, whatever `n` is; none at the end."""
        while given := self._sip():
            if got := self._decompress(given):
                return got
        if self._begun and not self._tap.off:
            raise FileError(
                self._tap.name,
                f"found the end of the file, expected more of its {self._kind} data",
            )
        return b""

    def _sip(self) -> bytes:
        if not self._packed:
            return self._tap.read(SIP)
        sip = bytes(self._packed[:SIP])
        del self._packed[:SIP]
        return sip

    def _decompress(self, given: bytes) -> bytes:
        parts = []
        while given := given if self._begun else given.lstrip(b"\0"):  # some pad with zeros
            try:
                parts.append(self._frame.decompress(given))
            except self._errors as error:
                raise FileError(
                    self._tap.name, f"found damaged {self._kind} data: {error}"
                ) from error
            self._begun, given = not self._frame.eof, b""
            if self._frame.eof:
                given, self._frame = self._frame.unused_data, self._new_frame()
        return b"".join(parts)


def zstandard_for(name: str) -> ModuleType:
    """The package that a file of that name needs."""
    try:
        return import_module("zstandard")
    except ImportError as error:
        raise missing(error, name, "zstd files") from error


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
    elif kind == "xz":
        with lzma.LZMAFile(raw, "wb") as file:
            yield file
    else:
        packer = zstandard_for(name).ZstdCompressor(write_checksum=True)
        with packer.stream_writer(raw, closefd=False) as file:
            buffered = io.BufferedWriter(file)
            yield buffered
            buffered.flush()
            buffered.detach()
