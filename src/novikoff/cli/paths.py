"""What must hold of the files that a command names, known before the work rather than after."""

import errno
import os
import sys

from novikoff.cli.options import flag
from novikoff.errors import ParameterError, WriteError


def require_different(*paths: str | None) -> None:
    """What is read and what is written must be different files; so must all of each."""
    real = [os.path.realpath(path) for path in paths if path and path != "-"]
    for path in real:
        if real.count(path) > 1:
            raise ParameterError(
                f"{path} is named twice, but what a command reads and what it writes are "
                "different files: name another."
            )


def require_one_input(**given: str | None) -> None:
    """Only one thing can come from standard input."""
    words = [name.upper() for name, path in given.items() if path == "-"]
    if len(words) > 1:
        raise ParameterError(
            f"{' and '.join(words)} cannot both come from standard input: give a file for one."
        )


def require_one_output(**given: str | None) -> None:
    """Only one thing can go to standard output, and what is not text goes to no terminal."""
    words = [flag(name) for name, path in given.items() if path == "-"]
    if len(words) > 1:
        raise ParameterError(
            f"{' and '.join(words)} cannot both write to standard output: give a file for one."
        )
    if words and sys.stdout.isatty():
        raise ParameterError(
            f"{words[0]} - writes what is not text to the terminal: redirect it, or name a file."
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
