"""Parts of one large text: from byte to byte, cut where lines end, read without the rest.

Where the cuts are depends on the bytes of the file and on how large a part may be, and on nothing
else. Lines are numbered from the beginning of the file, as everywhere; but what
comes before a part is counted only when there is something to say about a line.
"""

from contextlib import closing
from dataclasses import replace
from typing import Any

from novikoff.data.formats import FORMATS
from novikoff.data.locations import blamed_on_row
from novikoff.data.opener import Source, open_source
from novikoff.data.plain_file import PlainFile
from novikoff.data.reader import guess, settled
from novikoff.data.reader_options import Options
from novikoff.data.results import Data, Place
from novikoff.data.text_blocks import LOOK, Text, pieces
from novikoff.errors import FileError, ParameterError

Range = tuple[int, int]


def ranges_of(source: Source, most: int, format: str | None = None) -> list[Range]:  # noqa: A002
    """Where to cut a file so that no part has more than so many bytes, or one line of it.

    What cannot be read in parts, as a compressed file or a table, is one part: its range is empty.
    """
    with closing(open_source(source)) as opened:
        if not isinstance(opened, PlainFile) or opened.size <= most:
            return [(0, 0)]
        if not FORMATS[format or guess(opened)].is_text:
            return [(0, 0)]
        return pieces(opened, 0, opened.size, most)


def read_range(source: Source, start: int, stop: int, options: Options) -> Data:
    """The examples between two bytes of a plain text, both of them at line ends.

    There may be none, if all lines are blank, say. Of svmlight text, `zero_based` is not to be
    "auto": a part does not tell. The matrix is as wide as the greatest index says, unless
    the number of features is given.
    """
    with closing(open_source(source)) as opened:
        if not isinstance(opened, PlainFile):
            raise ParameterError(f"{source} is no plain file: it cannot be read in parts.")
        handler, options = settled(opened, replace(options, block_bytes=stop - start))
        if handler.check is not None:
            handler.check(opened, options)  # what is wrong with the names is at their own line
        try:
            with closing(handler.stream(opened, options, Place(start, 1))) as blocks:
                data = next(blocks)
        except FileError as error:
            raise _placed(error, opened, start) from None
        opened.require_unchanged()
        return data


def blamed_on_row_of_range(
    path: str, data: Data, row: int, reading: dict[str, Any], what: str
) -> FileError:
    """An error at the line that a row of a part came from."""
    error = blamed_on_row(path, path, data, row, reading, what)
    with closing(open_source(path)) as opened:
        start = data.start.offset
        return _placed(error, opened, start) if isinstance(opened, PlainFile) else error


def _placed(error: FileError, text: PlainFile, start: int) -> FileError:
    """The same error, its line counted from the beginning of the text."""
    return error if error.line is None else error.moved(error.path, lines_before(text, start))


def lines_before(text: Text, stop: int) -> int:
    """How many lines of a text end before a place."""
    return sum(
        text.window(low, min(low + LOOK, stop))[: min(LOOK, stop - low)].tobytes().count(b"\n")
        for low in range(0, stop, LOOK)
    )
