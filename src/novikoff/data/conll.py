r"""Read sentences from files with one token per line, in columns.

``"conll"`` is the format of the shared tasks of CoNLL: a blank line after each sentence, and the
same number of columns in all lines, separated by tabs if the first token line has one, else by
spaces. ``"conllu"`` is CoNLL-U, the format of Universal Dependencies: ten columns separated by
tabs, comments, and some lines that are not words.

References
----------
Tjong Kim Sang, E. F. & Buchholz, S. (2000). Introduction to the CoNLL-2000 shared task: chunking.
CoNLL-2000. The format of CoNLL-U: https://universaldependencies.org/format.html
"""

import os
import sys
from collections.abc import Generator
from contextlib import closing
from numbers import Integral
from os.path import splitext

from novikoff.data.compression import ENDINGS
from novikoff.data.opener import Opened, Pipe, Source, open_source
from novikoff.data.results import Place
from novikoff.data.sentence_blocks import first_token_line, sentence_blocks
from novikoff.data.token_lines import Layout, Sentences, columns_of, sentences_of
from novikoff.errors import FileError, ParameterError
from novikoff.parameters import WHOLE, one_of, require

CONLLU = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
Label = int | str | None


SentenceBlocks = Generator[Sentences, None, None]


def read_conll(
    source: Source | Pipe,
    *,
    format: str | None = None,  # noqa: A002  # what users call it
    label: Label = "auto",
) -> Sentences:
    r"""Read a file with one token per line, such as CoNLL-U, into memory.

    Parameters
    ----------
    source : path, "-" or binary file object
        "-" is standard input. Files may be compressed, as for `read`. Text must be in UTF-8.
    format : {"conll", "conllu"}, default=None
        "conll": one token per line, and a blank line after each sentence. Columns are separated by
        single tabs if the first token line has one, else by spaces. All lines have as many columns
        as the first. There are no comments.
        "conllu": CoNLL-U. Multiword tokens (`3-4`) and empty nodes (`3.1`) are left out.
        None: "conllu" for a name that ends in .conllu (or .conllu.gz, ...), else "conll".
    label : int, str or None, default="auto"
        The column of the labels: its number from 0 on (-1 is the last), or in CoNLL-U, its name.
        None: there are no labels. "auto": the last column, or in CoNLL-U, UPOS.

    Returns
    -------
    Sentences

    Raises
    ------
    FileError
        A file cannot be read. The message is ``file:line:column: found this, expected that``.

    Examples
    --------
    >>> import io
    >>> from novikoff.data import read_conll
    >>> text = b"1\tDogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n"
    >>> text += b"2\tbark\tbark\tVERB\tVBP\t_\t0\troot\t_\t_\n"
    >>> sentences = read_conll(io.BytesIO(text), format="conllu")
    >>> sentences.y
    [['NOUN', 'VERB']]
    >>> [token[0] for token in sentences.X[0]]
    ['Dogs', 'bark']
    >>> read_conll(io.BytesIO(b"He PRP B-NP\nruns VBZ\n"))
    Traceback (most recent call last):
    ...
    novikoff.errors.FileError: <file>:2:9: found 2 columns separated by spaces, expected 3, ...
    """
    is_conllu = is_told(source, format, label)
    with closing(streaming(source, is_conllu, label, sys.maxsize, Place())) as whole:
        (all_of_it,) = whole
        return all_of_it


def stream_conll(
    source: Source | Pipe,
    *,
    block_bytes: int = 2**20,
    start: Place | tuple[int, int] | None = None,
    format: str | None = None,  # noqa: A002  # what users call it
    label: Label = "auto",
) -> SentenceBlocks:
    r"""Read a file with one token per line block by block, in the memory of one block.

    A block ends after the last blank line among its first `block_bytes` bytes (decompressed), or if
    there is none, after the next blank line. A block of blank lines has no sentences.

    Parameters
    ----------
    source : path, "-" or binary file object
        As for `read_conll`.
    block_bytes : int, default=2**20
        The number of bytes in a block. A longer sentence is read as a whole.
    start : Place, default=None
        Where to start: the `next` of the last block that you have finished.
    format, label
        As for `read_conll`.

    Yields
    ------
    Sentences

    Examples
    --------
    >>> import io
    >>> from novikoff.data import stream_conll
    >>> text = b"He PRP B-NP\nruns VBZ B-VP\n\nStop VB B-VP\n"
    >>> for block in stream_conll(io.BytesIO(text), block_bytes=30):
    ...     print(block.y, block.next)
    [['B-NP', 'B-VP']] Place(offset=27, line=4)
    [['B-VP']] Place(offset=40, line=5)
    """
    require("block_bytes", block_bytes, WHOLE)
    is_conllu = is_told(source, format, label)
    return streaming(source, is_conllu, label, int(block_bytes), Place(*(start or ())))


# ------------------------------------------------------------- options


def is_told(source: Source | Pipe, format: str | None, label: Label) -> bool:  # noqa: A002
    """Is the file CoNLL-U, as the format or its name says? An error if the label has no meaning."""
    require("format", format, one_of("conll", "conllu"), words=(None,))
    name = source if isinstance(source, str | os.PathLike) else getattr(source, "name", "")
    stem, suffix = splitext(str(name).lower())
    if suffix in ENDINGS:
        suffix = splitext(stem)[1]
    is_conllu = format == "conllu" if format else suffix == ".conllu"
    number = isinstance(label, Integral) and not isinstance(label, bool)
    if is_conllu:
        known = label is None or label == "auto" or label in CONLLU[1:]
        if not (known or (number and label in (*range(-9, 0), *range(1, 10)))):
            names = ", ".join(CONLLU[1:])
            allowed = f"a column of CoNLL-U ({names}), its number, 1 to 9, or None"
            raise ParameterError.of("label", label, allowed)
    elif not (number or label is None or label == "auto"):
        raise ParameterError.of("label", label, "a column number (-1 is the last), or None")
    return is_conllu


def layout_of(source: Opened, is_conllu: bool, label: Label) -> Layout:
    """How the lines of a file are made, by its first token line."""
    if is_conllu:
        if isinstance(label, str):
            label = CONLLU.index("UPOS" if label == "auto" else label)
        where = None if label is None else int(label) % len(CONLLU)
        return Layout(True, len(CONLLU), "\t", where, ", as CoNLL-U has")
    number, line = first_token_line(source)
    separator = "\t" if "\t" in line else " "
    n, why = len(columns_of(line, separator)), f", as line {number} has"
    if line.startswith("#"):
        why += ": give {format} conllu if lines that start with # are comments"
    if label is None:
        return Layout(False, n, separator, None, why)
    where = -1 if label == "auto" else int(label)
    if not -n <= where < n:
        have = "1 column" if n == 1 else f"{n} columns"
        raise ParameterError(
            f"{{label=}} was given, but {source.name} has {have}: give a number from {-n} to "
            f"{n - 1}.",
            label=label,
        )
    if n == 1:
        raise FileError(
            source.name,
            "found 1 column, expected tokens and labels.",
            line=number,
            hint="If there are no labels, give label=None.",
        )
    return Layout(False, n, separator, where % n, why)


# ------------------------------------------------------------- blocks


def streaming(
    source: Source | Pipe, is_conllu: bool, label: Label, block_bytes: int, start: Place
) -> SentenceBlocks:
    """The blocks from a place on; an error at the end if there is no sentence in all of it."""
    n, at = 0, start
    with closing(open_source(source)) as opened:
        layout = layout_of(opened, is_conllu, label)
        for block in sentence_blocks(opened, block_bytes, start):
            found = sentences_of(block, layout, at, opened.name)
            yield found._replace(taken=opened.taken_by(found.next.offset))
            n, at = n + len(found.X), found.next
        opened.require_unchanged()
        if n == 0 and start.offset == 0:
            raise FileError(opened.name, "found no sentences, expected at least one")
