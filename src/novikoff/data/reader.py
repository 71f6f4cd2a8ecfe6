"""Read examples from files of many formats: `read` whole files, `stream` block by block."""

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import Any, Literal

import numpy.typing as npt

from novikoff.data.formats import FORMATS, Handler, advice, by_content, by_suffix
from novikoff.data.opener import HEAD, Opened, Pipe, Source, open_source
from novikoff.data.reader_options import Column, Columns, Leader, Options
from novikoff.data.results import Blocks, Data, Place, Skipped
from novikoff.data.several import Files, named
from novikoff.data.tables.plan import TablePlan
from novikoff.data.tables.soundness import joined, require_alike
from novikoff.data.text_blocks import is_blank
from novikoff.errors import FileError

Several = Source | Pipe | Files | Sequence[str | os.PathLike[str]]
"""What examples are read from: a file, or several."""
MODEL = b"\0\0\0\0{"
"""What model files have from their fifth byte on: the end of a length, and JSON."""


def read(
    source: Several,
    *,
    format: str | None = None,  # noqa: A002  # what users call it
    label: Column = None,
    weight: Column = None,
    ignore: Columns = None,
    n_features: int | None = None,
    zero_based: bool | Literal["auto"] = "auto",
    bits: int = 18,
    labels: Literal["required", "optional"] = "required",
    dtype: npt.DTypeLike | None = None,
    bad_lines: Literal["error", "skip"] = "error",
    n_jobs: int | None = None,
    delimiter: str | None = None,
    decimal: Literal[".", ","] | None = None,
    plan: TablePlan | None = None,
    keep: Columns = None,
    text_labels: bool | None = None,
) -> Data:
    r"""Read one or more files of examples into memory.

    Parameters
    ----------
    source : path, list of paths, "-" or binary file object
        "-" is standard input. A path may be a folder or a pattern, such as "part-*.csv": its files
        are read in the order of their names. Files may be compressed with gzip, bzip2, xz or zstd,
        which is detected from their first bytes, whatever their name.
    format : {"svmlight", "vw", "csv", "parquet", "arrow", "npy", "npz"}, default=None
        None: detect it from the name, or else from the first bytes.
    label : str or int, default=None
        Tables: the column of the labels, by name or number (-1 is the last). None: the column
        named "label".
    weight : str or int, default=None
        Tables: the column of the importance weights.
    ignore : str, int or list of them, default=None
        Tables: columns to leave out.
    n_features : int, default=None
        Svmlight text: the number of features. None: that of the largest index.
    zero_based : bool or "auto", default="auto"
        Svmlight text: whether indices start at 0. "auto": True if some index is 0.
    bits : int, default=18
        Vowpal Wabbit text: hash feature names into $2^{bits}$ columns.
    labels : {"required", "optional"}, default="required"
        "optional": also accept examples without a label.
    dtype : float64 or float32, default=None
        The type of the values. None: float64, or the type of the arrays in `.npy` and `.npz` files.
        Numbers in text are rounded to float64 first.
    bad_lines : {"error", "skip"}, default="error"
        "skip": leave out lines that cannot be read, count them, and keep the first few messages.
    n_jobs : int, default=None
        The number of threads that parse. None or -1: one per core. The result is the same.
    delimiter : str, default=None
        CSV: the separator of the values. None: detect a comma, semicolon, tab or bar.
    decimal : {".", ","}, default=None
        CSV: the decimal mark. None: detect it.
    plan : TablePlan, default=None
        Tables: how columns become features. Give a fitted plan, such as the `plan` of other data,
        or one to fit to the first rows. None: ``TablePlan()``.
    keep : str, int or list of them, default=None
        Tables: columns to also return in `kept`, as they are in the file.
    text_labels : bool, default=None
        Svmlight and Vowpal Wabbit text: whether labels are text. None: True if the first label in
        the file is not a number.

    Returns
    -------
    Data

    Raises
    ------
    FileError
        A file cannot be read. The message is ``file:line:column: found this, expected that``.

    Examples
    --------
    >>> import io
    >>> from novikoff.data import read
    >>> X, y, *_ = read(io.BytesIO(b"+1 3:0.5 7:1\n-1 1:2\n"))
    >>> X.shape, y.tolist()
    ((2, 7), [1.0, -1.0])
    >>> read(io.BytesIO(b"+1 3:0.5\n-1 3:O.5\n"))
    Traceback (most recent call last):
    ...
    novikoff.errors.FileError: <file>:2:6: found 'O.5', expected a finite number
    """
    table, text = (label, weight, ignore), (n_features, zero_based, bits)
    options = Options(format, *table, *text, labels, dtype, bad_lines, n_jobs)
    options = replace(options, delimiter=delimiter, decimal=decimal, plan=plan, keep=keep)
    options = replace(options, text_labels=text_labels)
    with closing(opening(source)) as opened:
        handler, options = settled(opened, options)
        if isinstance(opened, Files) and handler.survey is not None:  # one does not say for all
            options = handler.survey(opened, options)
        if handler.is_read_whole:
            options = replace(options, block_bytes=sys.maxsize)
        return joined(blocks_from(Place(), opened, handler, options))


def stream(
    source: Several,
    *,
    block_bytes: int = 2**24,
    start: Place | tuple[int, int] | None = None,
    format: str | None = None,  # noqa: A002  # what users call it
    label: Column = None,
    weight: Column = None,
    ignore: Columns = None,
    n_features: int | None = None,
    zero_based: bool | Literal["auto"] = "auto",
    bits: int = 18,
    labels: Literal["required", "optional"] = "required",
    dtype: npt.DTypeLike | None = None,
    bad_lines: Literal["error", "skip"] = "error",
    n_jobs: int | None = None,
    delimiter: str | None = None,
    decimal: Literal[".", ","] | None = None,
    plan: TablePlan | None = None,
    keep: Columns = None,
    text_labels: bool | None = None,
) -> Blocks:
    r"""Read files of examples block by block, in the memory of one or two blocks.

    The ends of blocks depend on the (decompressed) bytes of the file and on `block_bytes` only. A
    block may have no rows, if its lines are blank or bad. While you work on one block, a thread
    reads the next, unless `n_jobs` is 1 or the source is a pipe.

    Svmlight text is read twice: first for the number of features and the base of the indices. Give
    both `n_features` and `zero_based` to avoid this; a source that can be read only once needs
    them. `.npz` files, and compressed tables other than CSV, are held in memory as a whole.

    Parameters
    ----------
    source : path, list of paths, "-" or binary file object
        As for `read`. No block has examples of two files.
    block_bytes : int, default=16_777_216
        The number of bytes of text, or of values, in a block. A longer line is read as a whole.
    start : Place, default=None
        Where to start: the `next` of the last block that you have finished.
    format, label, weight, ignore, n_features, zero_based, bits, labels, dtype, bad_lines, n_jobs
        As for `read`.
    delimiter, decimal, plan, keep, text_labels
        As for `read`.

    Yields
    ------
    Data

    Examples
    --------
    >>> import io
    >>> from novikoff.data import stream
    >>> text = b"1 |a x\n-1 |a y z\n1 |b x\n"
    >>> for block in stream(io.BytesIO(text), block_bytes=20):
    ...     print(block.X.shape[0], block.y.tolist(), block.next)
    2 [1.0, -1.0] Place(offset=17, line=3)
    1 [1.0] Place(offset=24, line=4)
    """
    table, text = (label, weight, ignore), (n_features, zero_based, bits)
    options = Options(format, *table, *text, labels, dtype, bad_lines, n_jobs, block_bytes)
    options = replace(options, delimiter=delimiter, decimal=decimal, plan=plan, keep=keep)
    options = replace(options, text_labels=text_labels)
    return streaming(source, options, Place(*(start or ())))


def survey(source: Several, **options: Any) -> dict[str, Any]:
    """The options of `stream`, with what it would have to find out about the file filled in.

    That is the format; of svmlight and Vowpal Wabbit text, whether labels are text; of svmlight
    text, the number of features and the base of the indices, for which the whole file is read; of a
    table, the plan. A second stream with these options does not look again.
    """
    with closing(opening(source)) as opened:
        handler, known = settled(opened, Options(**options))
        if handler.survey is not None:
            known = handler.survey(opened, known)
    return options | news(known, options)


def begun(source: Pipe, options: dict[str, Any]) -> dict[str, Any]:
    """The same as far as the beginning of what can be read only once says."""
    return options | news(settled(source, Options(**options))[1], options)


def news(known: Options, options: dict[str, Any]) -> dict[str, Any]:
    """What is known of the format, and what of its own options was found out."""
    names = FORMATS[known.format or ""].options
    found = {name: getattr(known, name) for name in ("format", *names)}
    return {k: v for k, v in found.items() if v != getattr(Options(), k) and v != options.get(k)}


def opening(source: Several) -> Opened | Files:
    """What is at a path, ready to be read, or the files that are named."""
    found = named(source)
    return found if isinstance(found, Files) else open_source(found)


def settled(opened: Opened | Files, options: Options) -> tuple[Handler, Options]:
    """What reads a file, and the options with what its beginning says filled in."""
    if isinstance(opened, Files):
        return settled_by_leader(opened, options)
    name = options.format or guess(opened)
    handler, options = FORMATS[name].handler(opened.name), replace(options, format=name)
    return handler, options if handler.settle is None else handler.settle(opened, options)


def settled_by_leader(files: Files, options: Options) -> tuple[Handler, Options]:
    """The same of several files: the first that has examples says it for all."""
    options = replace(options, format=options.format or guess(files))
    handler = FORMATS[options.format or ""].handler(files.name)
    found = options
    for path in files.paths:
        if handler.settle is None:
            break
        with closing(open_source(path)) as one:
            if not is_blank(one):
                found = handler.settle(one, replace(options, leader=Leader(path)))
        if found.leader is not None and found.leader.has_rows:
            break
    return handler, found


def streaming(source: Several, options: Options, start: Place) -> Blocks:
    """The blocks from a place on."""
    with closing(opening(source)) as opened:
        n_files = len(opened.paths) if isinstance(opened, Files) else 1
        if start.file >= n_files:
            told = f"found {n_files} file{'s' * (n_files > 1)}, expected to go on in number"
            raise FileError(opened.name, f"{told} {start.file + 1}: it is another source")
        handler, options = settled(opened, options)
        if handler.survey is not None:
            options = handler.survey(opened, options)
        may_wait = opened.path is None  # for whoever writes the other end, perhaps for ever
        with closing(blocks_from(start, opened, handler, options)) as blocks:
            yield from blocks if may_wait or options.threads == 1 else one_ahead(blocks)


def blocks_from(start: Place, opened: Opened | Files, handler: Handler, options: Options) -> Blocks:
    """What is stored from a place on; an error at the end if there is no example in all of it."""
    n_rows, skipped = 0, Skipped()
    if isinstance(opened, Files):
        found = blocks_of_files(start, opened, handler, options)
    else:
        found = blocks_of_file(start, opened, handler, options)
    with closing(found) as blocks:
        for block in blocks:
            yield block
            n_rows, skipped = n_rows + block.X.shape[0], skipped + block.skipped
    if n_rows == 0 and start.offset == start.file == 0:
        raise FileError(opened.name, f"found no examples{skipped.aside}, expected at least one")


def blocks_of_file(start: Place, opened: Opened, handler: Handler, options: Options) -> Blocks:
    """What is stored in a file, from a place on."""
    with closing(handler.stream(opened, options, start)) as blocks:
        for block in blocks:
            yield block._replace(taken=opened.taken_by(block.next.offset))
    opened.require_unchanged()


def blocks_of_files(start: Place, files: Files, handler: Handler, options: Options) -> Blocks:
    """What is stored in several files, from a place on, one after the other."""
    leader: tuple[Data, str] | None = None
    for number, path in enumerate(files.paths[start.file :], start.file):
        place = start if number == start.file else Place()
        with closing(open_source(path)) as one:
            if is_blank(one):
                continue
            with closing(blocks_of_file(place, one, handler, options)) as blocks:
                for block in blocks:
                    if block.X.shape[0]:
                        leader = leader or (block, path)
                        require_alike(block, path, *leader)
                    first, last = (at._replace(file=number) for at in (block.start, block.next))
                    yield block._replace(start=first, next=last)


def one_ahead(blocks: Blocks) -> Blocks:
    """The same blocks, the next one being read while one is worked on."""
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, blocks, None)
        while (block := coming.result()) is not None:
            coming = thread.submit(next, blocks, None)
            yield block


def is_told_by(line: bytes) -> bool:
    """Can a line tell the format?"""
    return bool(line.strip()) and not line.startswith(b"#")


def has_a_line(head: bytes) -> bool:
    """Is there a whole line that can tell the format?"""
    return any(map(is_told_by, head.split(b"\n")[:-1]))


def guess(source: Opened | Files) -> str:
    """The format of a file, from its name, and if that does not tell, from its first bytes."""
    if isinstance(source, Files):
        return guess_of_all(source)
    if told := by_suffix(source.name):
        return told.name
    head = source.peek_until(has_a_line, HEAD)  # no magic number has a newline in it
    if head[4:9] == MODEL:
        raise FileError(source.name, "found a model file, expected examples")
    lines = head.split(b"\n")
    if len(head) == HEAD:  # the last goes on, perhaps within a word
        lines[-1] = lines[-1][: max(lines[-1].rfind(b" "), lines[-1].rfind(b","), 0)]
    line = next(filter(is_told_by, lines), b"").rstrip(b"\r")
    if told := by_content(head, line):
        return told.name
    found = "a format that neither its name nor its content shows" if line else "no examples"
    raise FileError(source.name, f"found {found}: {advice(FORMATS)}", format=None)


def guess_of_all(files: Files) -> str:
    """The format of several files, which must have one."""
    leader: tuple[str, str] | None = None
    for path in files.paths:
        told = by_suffix(path)
        name = told and told.name
        if name is None:
            with closing(open_source(path)) as one:
                name = None if is_blank(one) else guess(one)
        leader = leader or (name and (name, path)) or None
        if name and leader and name != leader[0]:
            what = f"it is {name}, but {leader[1]} is {leader[0]}: give files of one format"
            raise FileError(path, what)
    if leader is None:
        raise FileError(files.name, f"found no examples: {advice(FORMATS)}", format=None)
    return leader[0]
