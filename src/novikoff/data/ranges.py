"""Parts of a large text file, each read without the rest: what workers of a cluster share out."""

from contextlib import closing
from dataclasses import replace

from novikoff.data.formats import FORMATS
from novikoff.data.opener import PlainFile, Source, open_source
from novikoff.data.reader import guess, settled
from novikoff.data.reader_options import Options
from novikoff.data.results import Data, Place
from novikoff.data.text_blocks import lines_before, pieces
from novikoff.errors import FileError, ParameterError

Range = tuple[int, int]
"""From which byte to which; both are ends of lines."""


def ranges_of(source: Source, most: int, format: str | None = None) -> list[Range]:  # noqa: A002
    """Where to cut a file so that no part has more than so many bytes, or one line of it.

    That depends on the bytes of the file and on `most`, and on nothing else. What cannot be read
    in parts, as a compressed file or a table, is one part: its range is empty.
    """
    with closing(open_source(source)) as opened:
        if not isinstance(opened, PlainFile) or opened.size <= most:
            return [(0, 0)]
        told = FORMATS[format or guess(opened)]
        if not told.is_text:
            return [(0, 0)]
        cuts = told.handler(opened.name).cuts
        ends = None if cuts is None else cuts(opened)
        return pieces(opened, 0, opened.size, most, ends)


def read_range(source: Source, start: int, stop: int, options: Options) -> Data:
    """The examples of a range of a plain text, read without the rest.

    There may be none, if all lines are blank, say. Of svmlight text, `zero_based` is not to be
    "auto": a part does not tell. The matrix is as wide as the greatest index says, unless
    the number of features is given.

    Lines are numbered from the beginning of the file in messages, but from that of the range in
    the result: what comes before is counted only when there is something to say about a line.
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
            if error.line is None:
                raise
            raise error.moved(error.path, lines_before(opened, start)) from None
        opened.require_unchanged()
        return data
