"""Which line of a file an example came from, and two labels among its examples."""

from collections.abc import Sequence
from contextlib import closing
from typing import Any

import numpy as np

from novikoff.data.formats import FORMATS
from novikoff.data.opener import Pipe, PlainFile, open_source
from novikoff.data.reader import stream
from novikoff.data.results import Data, Place
from novikoff.data.several import Files
from novikoff.data.text_blocks import lines_before
from novikoff.errors import FileError
from novikoff.inputs.labels import as_labels, as_written
from novikoff.typing import Array

FEW = 2**14
"""How many bytes of a block to read again at a time, before going line by line."""


def blamed_on_row(
    path: str,
    source: str | Pipe | Files,
    block: Data,
    row: int,
    reading: dict[str, Any],
    what: str,
    /,
    **parameters: Any,
) -> FileError:
    """An error at the line that a row of a block came from.

    `reading` are the options of the stream that the block is from. Standard input cannot be read
    again: if the block has lines that are no examples, the error says where it is about.
    """
    at = place_of(source, block, row, reading)
    line = None if at is None else at.line
    if isinstance(source, Files):
        path = source.paths[block.start.file if at is None else at.file]
    elif line is None:
        what += f" (in one of the lines {block.start.line:,} to {block.next.line - 1:,})"
    elif block.start.line == 1 and block.start.offset > 0:  # it is of `read_range`
        with closing(open_source(source)) as opened:
            if isinstance(opened, PlainFile):
                line += lines_before(opened, block.start.offset)
    return FileError(path, what, line=line, **parameters)


def place_of(
    source: str | Pipe | Files, block: Data, row: int, reading: dict[str, Any]
) -> Place | None:
    """The line that a row of a block came from; None if that cannot be told any more."""
    told = FORMATS.get(reading.get("format", ""))
    is_text = told is not None and told.is_text
    header = int(is_text and block.names is not None and block.start.offset == 0)
    is_of_one = block.start.file == block.next.file
    if is_of_one and block.next.line - block.start.line - header == block.X.shape[0]:
        return block.start._replace(line=block.start.line + header + row)
    if isinstance(source, Pipe):
        return None
    at = block.start
    for size in (FEW, 1) if is_text else (1,):
        with closing(stream(source, block_bytes=size, start=at, **reading)) as again:
            for part in again:
                at = part.start
                if row < part.X.shape[0]:
                    break
                row -= part.X.shape[0]
    return at


def first_other(y: Array, known: Sequence[object]) -> tuple[int, object] | None:
    """The first row with a label that is not among two, and that label.

    If fewer than two are known, the first others that come are taken for them.
    """
    labels, first = np.unique(as_labels(y), return_index=True)
    new = [label for label in labels[first.argsort()].tolist() if label not in known]
    return first_not_among(y, [*known, *new[: max(2 - len(known), 0)]])


def first_not_among(y: Array, known: Sequence[object]) -> tuple[int, object] | None:
    """The first row with a label that is none of these, and that label."""
    strange = ~np.isin(as_labels(y), np.array(known))
    if not strange.any():
        return None
    row = int(strange.argmax())
    return row, y[row].item() if hasattr(y[row], "item") else y[row]


def third_label(label: object, known: Sequence[object]) -> str:
    """What is wrong with a label that is not among those that are known."""
    shown = [as_written(one) for one in known[:5]] + ["..."] * (len(known) > 5)
    return f"found the label {as_written(label)}, expected {' or '.join(shown)}"
