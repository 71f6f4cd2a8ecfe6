"""What must hold of the files that a command names, known before the work rather than after."""

import errno
import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping

from novikoff.data.several import expanded, require_paths, stands_for_others
from novikoff.errors import ParameterError, WriteError

Words = str | list[str] | None
"""What stands where a file is read: its name, several, or nothing."""


def require_files(
    read: Mapping[str, Words], written: Mapping[str, str | None], no_text: list[str]
) -> None:
    """The files that were named, by what the command line calls them, must go together.

    Only one can come from standard input and go to standard output, and those of `no_text` go to no
    terminal. What is written, if anything, is none of the others, and can be.
    """
    for named, how in ((read, "come from standard input"), (written, "write to standard output")):
        words = [word for word, path in named.items() if path == "-"]
        if len(words) > 1:
            raise ParameterError(f"{' and '.join(words)} cannot both {how}: give a file for one.")
    for named_together in read.values():
        if isinstance(named_together, list):
            require_paths(named_together)
    for word in no_text:
        require_no_terminal(word, written[word])
    outputs = [path for path in written.values() if path is not None]
    if outputs:
        require_outside(read.values(), outputs)
        require_different(*(path for words in read.values() for path in files_of(words)), *outputs)
    for path in outputs:
        require_place(path)


def files_of(words: Words) -> list[str]:
    """The files that are read."""
    if isinstance(words, list):
        return expanded(words)
    return expanded([words]) if words and stands_for_others(words) else [words] if words else []


def require_outside(read: Iterable[Words], outputs: list[str]) -> None:
    """What is written must not be in a folder that is read, or it would be read the next time."""
    every = (word for words in read for word in (words if isinstance(words, list) else [words]))
    folders = {os.path.realpath(word): word for word in every if word and os.path.isdir(word)}
    for path in outputs:
        folder = os.path.dirname(os.path.realpath(path))
        if path != "-" and folder in folders:
            raise ParameterError(
                f"{path} would be in {folders[folder]}, all files of which are read: write it "
                "elsewhere."
            )


def require_no_terminal(word: str, path: str | None) -> None:
    """What is not text goes to no terminal."""
    if path == "-" and sys.stdout.isatty():
        raise ParameterError(
            f"{word} - writes what is not text to the terminal: redirect it, or name a file."
        )


def require_different(*paths: str | None) -> None:
    """What is read and what is written must be different files; so must all of each."""
    real = [os.path.realpath(path) for path in paths if path and path != "-"]
    for path, times in Counter(real).items():
        if times > 1:
            raise ParameterError(
                f"{path} is named twice, but what a command reads and what it writes are "
                "different files: name another."
            )


def require_place(path: str) -> None:
    """It must be possible to write there, or it is said now."""
    if path == "-":
        return
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path):
        raise WriteError(f"{path} could not be written: it is a folder.", errno.EISDIR)
    if not os.path.isdir(folder):
        raise WriteError(f"{path} could not be written: there is no folder {folder}.", errno.ENOENT)
    if not os.access(folder, os.W_OK):
        raise WriteError(f"{path} could not be written: {folder} is write-protected.", errno.EACCES)
