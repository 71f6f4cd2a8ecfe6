"""Where bytes come from: files, compressed ones, standard input, whatever has `read`.

A plain file is a `PlainFile`, which can be read anywhere, by many threads. All else is a `Pipe`,
which is read from its beginning to its end. What a file is compressed by is told by
its first bytes, not by its name.
"""

import io
import os
import stat
import sys
from typing import IO

from novikoff.data.compression import ENDINGS, Decompressed, compression
from novikoff.data.pipes import HasRead, Pipe, Tap
from novikoff.data.plain_file import PlainFile
from novikoff.errors import FileError, ParameterError

Source = str | os.PathLike[str] | IO[bytes]


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
    return raw if kind is None else Pipe(Decompressed(kind, raw).read, name, tap, origin)
