"""What must hold of the files that a command names, known before the work rather than after."""

import errno
import os
import sys
from collections.abc import Mapping

from novikoff.errors import ParameterError, WriteError


def require_files(
    read: Mapping[str, str | None], written: Mapping[str, str | None], no_text: list[str]
) -> None:
    """The files that were named, by what the command line calls them, must go together.

    Only one can come from standard input and go to standard output, and those of `no_text` go to no
    terminal. What is written, if anything, is none of the others, and can be.
    """
    for named, how in ((read, "come from standard input"), (written, "write to standard output")):
        words = [word for word, path in named.items() if path == "-"]
        if len(words) > 1:
            raise ParameterError(f"{' and '.join(words)} cannot both {how}: give a file for one.")
    for word in no_text:
        require_no_terminal(word, written[word])
    outputs = [path for path in written.values() if path is not None]
    if outputs:
        require_different(*read.values(), *outputs)
    for path in outputs:
        require_place(path)


def require_no_terminal(word: str, path: str | None) -> None:
    """What is not text goes to no terminal."""
    if path == "-" and sys.stdout.isatty():
        raise ParameterError(
            f"{word} - writes what is not text to the terminal: redirect it, or name a file."
        )


def require_different(*paths: str | None) -> None:
    """What is read and what is written must be different files; so must all of each."""
    real = [os.path.realpath(path) for path in paths if path and path != "-"]
    for path in real:
        if real.count(path) > 1:
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
