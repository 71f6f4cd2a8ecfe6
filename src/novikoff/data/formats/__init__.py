"""The file formats: a line in `FORMATS` and a file of the same name in this folder for each.

A line has what can be known of a format before anything is imported. The file has its `HANDLER`,
which reads and writes it. `read`, `stream`, `write`, the command and all messages go by this table.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from os.path import splitext
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from novikoff.data.pipes import Opened
    from novikoff.data.reader_options import Options
    from novikoff.data.results import Blocks, Data, Place


@dataclass(frozen=True)
class Handler:
    """What is done with the files of a format."""

    stream: "Callable[[Opened, Options, Place], Blocks]"
    """The blocks of a file, from a place on."""
    read: "Callable[[Opened, Options], Data] | None" = None
    """All of a file, if there is a better way than to join its blocks."""
    survey: "Callable[[Opened, Options], Options] | None" = None
    """The options of a stream, with what a file has to be read for beforehand filled in."""
    check: "Callable[[Opened, Options], object] | None" = None
    """Raises what is wrong with a file before its first example."""
    matches: Callable[[bytes], bool] | None = None
    """May this be the first line of such a text?"""
    write: "Callable[[Data, IO[bytes], str], None] | None" = None
    """Write examples into a file of that name."""


class Format(NamedTuple):
    """What is known of a format beforehand."""

    name: str
    """That of its file in this folder, too."""
    suffixes: tuple[str, ...]
    magic: bytes = b""
    """What such files start with."""
    options: tuple[str, ...] = ()
    """The options of `novikoff.data.read` that have a meaning for this format, but not for all."""
    is_text: bool = False
    """Is it lines of text, which can be cut at every newline?"""
    is_written: bool = True

    @property
    def handler(self) -> Handler:
        """What is done with such files; that is imported now."""
        handler: Handler = import_module(f"{__name__}.{self.name}").HANDLER
        return handler


_TABLE = ("label", "weight", "ignore")
_LINES = (
    Format("svmlight", (".svm", ".svmlight", ".libsvm"), b"", ("n_features", "zero_based"), True),
    Format("vw", (".vw",), b"", ("bits",), True),
    Format("csv", (".csv",), b"", _TABLE, True),
    Format("parquet", (".parquet", ".pq"), b"PAR1", _TABLE),
    Format("arrow", (".arrow", ".feather", ".ipc"), b"ARROW1", _TABLE),
    Format("npy", (".npy",), b"\x93NUMPY", _TABLE, is_written=False),
    Format("npz", (".npz",), b"PK\x03\x04"),
)
FORMATS = {line.name: line for line in _LINES}
"""All formats by name. Of texts, the first that matches a line is taken."""
WRITTEN = tuple(line.name for line in _LINES if line.is_written)


def by_suffix(path: str) -> Format | None:
    """The format that the name of a file tells, perhaps under that of its compression."""
    from novikoff.data.compression import ENDINGS

    stem, suffix = splitext(path.lower())
    if suffix in ENDINGS:
        suffix = splitext(stem)[1]
    return next((line for line in FORMATS.values() if suffix in line.suffixes), None)


def one_of(names: Iterable[str]) -> str:
    """What to advise where the format is not known."""
    return f"give format=NAME, one of {', '.join(names)}"
