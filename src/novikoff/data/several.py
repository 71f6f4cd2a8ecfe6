"""Several files where one may stand: lists of paths, patterns and folders."""

import os
import stat
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from typing import TYPE_CHECKING, Any

from novikoff.errors import FileError, ParameterError

if TYPE_CHECKING:
    from novikoff.data.opener import Pipe, Source

HIDDEN = "_", "."
"""How names start that programs leave beside the data, as `_SUCCESS` and `.part-0.crc`."""


@dataclass(frozen=True)
class Files:
    """Several files, which are read one after the other."""

    paths: tuple[str, ...]
    name: str
    """What messages call all of them."""

    may_wait = False

    @property
    def path(self) -> str:
        """They can be read again, as a file can."""
        return self.name

    def close(self) -> None:
        """Nothing: each is open while it is read."""


def named(source: "Source | Pipe | Files | Sequence[str | os.PathLike[str]]") -> Any:
    """The source itself if it is one; else the `Files` it names, or the path if that is one."""
    if isinstance(source, list | tuple):
        words = [os.fspath(word) for word in source if isinstance(word, str | os.PathLike)]
        if not words or len(words) < len(source):
            raise ParameterError("Several files are a list of paths: give a path at least.")
    elif isinstance(source, str | os.PathLike) and stands_for_others(os.fspath(source)):
        words = [os.fspath(source)]
    else:
        return source
    paths = expanded(words)
    if len(paths) == 1:
        return paths[0]
    for path in paths:
        require_regular(path)
    more = f" and {len(words) - 1:,} more" if len(words) > 1 else ""
    return Files(tuple(paths), f"{words[0]}{more}")


def paths_of(source: "str | Files") -> tuple[str, ...]:
    """Each of the files, or the one."""
    return source.paths if isinstance(source, Files) else (source,)


def require_paths(words: Sequence[str]) -> None:
    """Standard input is none of several files."""
    if "-" in words:
        raise ParameterError(
            "- is standard input, which cannot stand beside files: give one or the other."
        )


def expanded(words: Sequence[str]) -> list[str]:
    """The files that paths, patterns and folders stand for, in order; each at most once."""
    require_paths(words)
    paths = [path for word in words for path in each_of(word)]
    if twice := [path for path, n in Counter(map(os.path.realpath, paths)).items() if n > 1]:
        raise ParameterError(f"{twice[0]} is named twice: every example is to be read once.")
    return paths


def stands_for_others(word: str) -> bool:
    """Is it a folder, or a pattern that is not the name of a file?"""
    return os.path.isdir(word) or (has_magic(word) and not os.path.lexists(word))


def each_of(word: str) -> list[str]:
    """The files that a word stands for."""
    if os.path.isdir(word):
        return in_folder(word)
    if os.path.lexists(word):
        return [word]
    own = os.path.basename(word)[:1]
    found = [
        path
        for path in sorted(glob(word, recursive=True))
        if own in HIDDEN or not os.path.basename(path).startswith(HIDDEN)
    ]
    if not found:
        raise FileError(word, "found no such file, expected a file or files of examples")
    files = [path for path in found if not os.path.isdir(path)]
    if not files:
        raise FileError(word, f"found folders only, expected files: give {word + '/*'!r}")
    return files


def in_folder(folder: str) -> list[str]:
    """The files in a folder, by name."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(
                (entry for entry in found if not entry.name.startswith(HIDDEN)),
                key=lambda entry: entry.name,
            )
    except OSError as error:
        raise FileError(folder, f"cannot be opened: {error.strerror}") from error
    for entry in entries:
        if entry.is_dir() and "=" in entry.name:
            raise FileError(
                folder,
                f"found the folder {entry.name!r}, a partition of a table, expected files: the "
                "values in the names of partitions are not read. To do without, give "
                f"{os.path.join(folder, '*', '*')!r}",
            )
    files = [entry.path for entry in entries if not entry.is_dir()]
    if not files:
        raise FileError(folder, "found no files in this folder, expected examples")
    return files


def require_regular(path: str) -> None:
    """Raise an error for what is not there, or can be read only once."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise FileError(path, f"cannot be opened: {error.strerror}") from error
    if not stat.S_ISREG(mode):
        raise FileError(path, "it is no file on disk, so it cannot stand beside other files")
