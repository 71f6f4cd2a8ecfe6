"""The file formats: a line in `FORMATS` and a file of the same name in this folder for each.

A line has what can be known of a format before anything is imported. The file has its `HANDLER`,
which reads and writes it. `read`, `stream`, `write`, the command and all messages go by this table.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from os.path import splitext
from typing import IO, TYPE_CHECKING, NamedTuple

from novikoff.errors import FileError

if TYPE_CHECKING:
    from novikoff.data.opener import Opened
    from novikoff.data.reader_options import Options
    from novikoff.data.results import Blocks, Data, Place
    from novikoff.data.several import Files
    from novikoff.data.text_blocks import Ends


@dataclass(frozen=True)
class Handler:
    """What is done with the files of a format."""

    stream: "Callable[[Opened, Options, Place], Blocks]"
    """The blocks of a file, from a place on."""
    is_read_whole: bool = False
    """Is a file that is read and not streamed one block, rather than many that are joined?"""
    survey: "Callable[[Opened | Files, Options], Options] | None" = None
    """The options of a stream, with what files have to be read for beforehand filled in."""
    settle: "Callable[[Opened, Options], Options] | None" = None
    """The options of a stream, with what the beginning of a file says filled in."""
    cuts: "Callable[[Opened], Ends] | None" = None
    """Where a text can be cut, if not at every newline."""
    check: "Callable[[Opened, Options], object] | None" = None
    """Raises what is wrong with a file before its first example."""
    write: "Callable[[Data, IO[bytes]], None] | None" = None
    """Write examples into a file."""


class Format(NamedTuple):
    """What is known of a format beforehand."""

    name: str
    """That of its file in this folder, too."""
    suffixes: tuple[str, ...]
    magic: bytes = b""
    """What such files start with."""
    line: bytes = b""
    """What a line of such text looks like, a regular expression; empty for what is no text."""
    options: tuple[str, ...] = ()
    """The options of `novikoff.data.read` that have a meaning for this format, but not for all."""
    is_written: bool = True

    @property
    def is_text(self) -> bool:
        """Is it lines of text, which can be cut at every newline?"""
        return bool(self.line)

    def handler(self, path: str) -> Handler:
        """What is done with such files as the one of this path; that is imported now."""
        try:
            handler: Handler = import_module(f"{__name__}.{self.name}").HANDLER
        except ImportError as error:
            raise missing(error, path, f"{self.name} files") from error
        return handler


SVMLIGHT_LINE = (
    rb"(?![^:]*;[^:]*$)"  # that is a table
    rb"(([+-]?\.?[0-9][^\s:,|]*(?=\s|$)|[^\s:,|]+(?=\s+(qid|[0-9]+):))"
    rb"(\s+(qid|[0-9]+):[^\s:]+)*\s*(#.*)?|\s*#.*"
    rb"|[0-9]+:[^\s:]+(\s+[0-9]+:[^\s:]+)*\s*)"
)
SVMLIGHT = ("n_features", "zero_based", "text_labels")
TABLE = ("label", "weight", "ignore", "keep")
PLANNED, DIALECT = (*TABLE, "plan"), ("delimiter", "decimal")
LINES = (
    Format("svmlight", (".svm", ".svmlight", ".libsvm"), line=SVMLIGHT_LINE, options=SVMLIGHT),
    Format("vw", (".vw",), line=rb"[^|]*\|.*", options=("bits", "text_labels")),
    Format("csv", (".csv", ".tsv"), line=rb"[^,;\t]*[,;\t].*", options=(*PLANNED, *DIALECT)),
    Format("parquet", (".parquet", ".pq"), b"PAR1", options=PLANNED),
    Format("arrow", (".arrow", ".feather", ".ipc"), b"ARROW1", options=PLANNED),
    Format("npy", (".npy",), b"\x93NUMPY", options=TABLE, is_written=False),
    Format("npz", (".npz",), b"PK\x03\x04"),
)
FORMATS = {line.name: line for line in LINES}
"""All formats by name."""
WRITTEN = tuple(line.name for line in LINES if line.is_written)
EXTRAS = {"pyarrow": "arrow", "zstandard": "zstd"}
"""Packages that are needed for some files only, and the extras of novikoff that have them."""


def by_suffix(path: str) -> Format | None:
    """The format that the name of a file tells, perhaps under that of its compression."""
    from novikoff.data.compression import ENDINGS

    stem, suffix = splitext(path.lower())
    if suffix in ENDINGS:
        suffix = splitext(stem)[1]
    return next((line for line in FORMATS.values() if suffix in line.suffixes), None)


def by_content(head: bytes, line: bytes) -> Format | None:
    """The format of a file that starts so, this being its first line that tells anything."""
    for format in FORMATS.values():  # noqa: A001
        if format.magic and head.startswith(format.magic):
            return format
    told = (f for f in FORMATS.values() if f.line and re.fullmatch(f.line, line))
    return next(told, None)


def advice(names: Iterable[str]) -> str:
    """What to do where the format is not known."""
    return f"give {{format}}, one of {', '.join(names)}"


def missing(error: ImportError, path: str, what: str) -> FileError:
    """What to say where a package is not there that some files need."""
    package = (error.name or "").partition(".")[0]
    extra = EXTRAS.get(package, package)
    return FileError(path, f"{what} need the package {package}: pip install 'novikoff[{extra}]'")
