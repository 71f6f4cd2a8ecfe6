"""Files that are replaced as a whole or not at all.

What is written goes to a temporary file beside the target, is brought to the disk, and is
then renamed over the target. A crash, a full disk or a `kill -9` leaves the old file or
the new one, never half of one. (After a `kill -9` a file named `.novikoff-….tmp` may stay
behind. It is not removed by later writers: they cannot know, on a disk that machines
share, that nobody is still writing it.)
"""

import errno
import hashlib
import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter, FileIO
from secrets import token_hex
from typing import IO, Any

from novikoff.errors import WriteError

Path = str | os.PathLike[str]

SAMPLES, SAMPLE = 64, 1 << 14
"""How many pieces of a file to compare, and how long they are."""

BUFFER = 1 << 20
STDOUT = "-"


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing bytes, which takes the place of `path` if all goes well.

    Whatever is raised inside leaves `path` as it was. The new file has the mode of the one
    it replaces, or else what the umask says. A symbolic link stays, and what it points to
    is replaced. What is no regular file, as a device, is written to as it is; "-" is standard
    output, which gets all of it at the end.

    Parameters
    ----------
    path : str or path-like

    Raises
    ------
    WriteError
        The folder is missing or read-only, the file is write-protected, the disk full...
    """
    if os.fspath(path) == STDOUT:
        held = io.BytesIO()
        yield held
        _to_standard_output(held)
        return
    target = os.path.realpath(os.fspath(path))
    with _blamed_on(path):
        before = _found(target)
    if before is not None and not stat.S_ISREG(before.st_mode):
        with _blamed_on(path):
            file = BufferedWriter(_Blaming(target, "wb", path))
        with file:
            yield file
        return
    folder = os.path.dirname(target)
    temporary = os.path.join(folder, f".novikoff-{token_hex(8)}.tmp")
    with _blamed_on(path):
        file = BufferedWriter(_Blaming(temporary, "xb", path), BUFFER)
    try:
        if before is not None:  # and before there is anything in it that others may not read
            with _blamed_on(path):
                os.chmod(temporary, stat.S_IMODE(before.st_mode))
        yield file
        file.flush()
        with _blamed_on(path):
            os.fsync(file.fileno())
            file.close()
            os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            file.close()  # may try once more to write what there was no room for
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _settle(folder, path)


def _to_standard_output(held: io.BytesIO) -> None:
    rest = held.getbuffer()
    with _blamed_on("<stdout>", "What it got is not all."):
        sys.stdout.flush()
        while len(rest):
            rest = rest[os.write(sys.stdout.fileno(), rest) :]


class _Blaming(FileIO):
    """A file whose failed writes are reported as those of the path it is to become.

    Only these: an error of whatever else happens while it is open is not its own.
    """

    def __init__(self, name: str, mode: str, path: Path) -> None:
        super().__init__(name, mode)
        self._path = path

    def write(self, data: Any) -> int:
        with _blamed_on(self._path):
            return super().write(data)


def _found(target: str) -> os.stat_result | None:
    """What is at the target, which must be writable, or None."""
    try:
        before = os.stat(target)
    except FileNotFoundError:
        return None
    if not os.access(target, os.W_OK):  # a rename would not ask
        raise PermissionError(errno.EACCES, "it is write-protected")
    return before


def _settle(folder: str, path: Path) -> None:
    """Bring the renaming to the disk."""
    with _blamed_on(path, "It is in place, but may not survive a loss of power."):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno != errno.EINVAL:  # this file system does without
                raise
        finally:
            os.close(handle)


ADVICE = {
    errno.EPIPE: "whoever read it has gone",
    errno.ENOENT: "its folder does not exist. Create it first",
    errno.ENOTDIR: "its folder is a file. Choose another",
    errno.EISDIR: "it is a folder. Give the name of a file in it",
    errno.ENOSPC: "the disk is full. Make room",
    errno.EDQUOT: "the disk quota is used up. Make room",
    errno.EFBIG: "the file would be larger than the system allows",
    errno.EROFS: "the file system is read-only",
}
"""What to say instead of the system's words, where those leave a question open."""


@contextmanager
def _blamed_on(path: Path, after: str = "What was there before is as it was.") -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = ADVICE.get(error.errno or 0, error.strerror or str(error))
        if error.errno == errno.ENOENT and os.path.isdir(os.path.dirname(os.path.realpath(path))):
            reason = "its folder is one of the system, which takes no files. Choose another"
        told = f"{os.fspath(path)} could not be written: {reason}. {after}"
        raise WriteError(told, error.errno) from error


def state_of(path: str) -> tuple[int, int]:
    """What changes when a file does: its size and the time of the last change."""
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns


def fingerprint(*paths: str) -> str:
    """The size of a file and a digest of its beginning, its end, and places between; or of all."""
    if len(paths) != 1:
        digests = " ".join(map(fingerprint, paths))
        return f"{len(paths)} files, {hashlib.sha256(digests.encode()).hexdigest()[:16]}"
    (path,) = paths
    size = os.stat(path).st_size
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for k in range(SAMPLES + 1):
            file.seek(max(0, (size - SAMPLE) * k // SAMPLES))
            digest.update(file.read(SAMPLE))
    return f"{size} bytes, {digest.hexdigest()[:16]}"
