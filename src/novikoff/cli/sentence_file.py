"""A file of sentences, one token a line: how it is read, and where a label may not stand in it."""

import re
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import chain
from typing import Self

import numpy as np

from novikoff.cli.data_file import BLOCK_BYTES, DataFile, Reading
from novikoff.data.conll import (
    CONLLU,
    Label,
    SentenceBlocks,
    is_told,
    layout_of,
    stream_conll,
)
from novikoff.data.opener import Opened, Pipe, open_source
from novikoff.data.results import Blocks, Data, Place
from novikoff.data.several import Files
from novikoff.data.token_lines import BLANKS, Layout, Sentences, place_of
from novikoff.errors import BadRow, DataError, FileError, ParameterError
from novikoff.inputs.labels import as_labels
from novikoff.inputs.sequences import Sequences
from novikoff.learners.sequences.schemes import labelled
from novikoff.typing import Array

FILLED = re.compile(r"[^ \t]+")
CELL = 64
"""Bytes that a text of a token takes in memory, about."""


class SentenceFile(DataFile):
    """A file of sentences, and how to read it: the `reading` says what its columns are.

    A model keeps that: "format"; "columns", how many there are; "separator"; and "label", which
    column has the labels, by its number, or in CoNLL-U, by its name. If labels have to keep to a
    scheme, there is "constraints" too.
    """

    @classmethod
    def to_learn_from(cls, arguments: Namespace) -> Self:
        """The sentences that were named, each token with a label."""
        told = "auto" if arguments.label is None else arguments.label
        is_conllu = is_asked(arguments, told)
        with looked_into(arguments.data) as (source, found):
            layout = layout_of(found, is_conllu, told)
        reading = reading_of(layout)
        if arguments.constraints is not None:
            reading["constraints"] = arguments.constraints
        return cls(source, reading)

    @classmethod
    def to_label(cls, arguments: Namespace, told: Reading, model: str) -> Self:
        """The sentences that were named, with columns as in those that a model learned from.

        The labels may be there, or not: then the label is None.
        """
        is_conllu = is_asked(arguments, arguments.label, told["format"])
        kind = "conllu" if is_conllu else "conll"
        if kind != told["format"]:
            raise FileError(
                arguments.data,
                f"it is read as {kind}, but {model} was trained on {told['format']}: give such a "
                f"file, or {{format=}}.",
                format=told["format"],
            )
        label = told["label"] if arguments.label is None else arguments.label
        with looked_into(arguments.data) as (source, found):
            layout = layout_of(found, is_conllu, None)
            n, wanted = layout.n_columns, told["columns"]
            if n == wanted:
                layout = layout_of(found, is_conllu, label)
            elif n != wanted - 1 or arguments.label is not None:
                raise FileError(
                    found.name,
                    f"found {columns(n)}{between(layout)}, expected {wanted} as in the file that "
                    f"{model} was trained on, or {wanted - 1} without the labels",
                )
        return cls(source, reading_of(layout))

    @property
    def label(self) -> Label:
        """Which column has the labels; None if they are not there."""
        label: Label = self.reading["label"]
        return label

    @property
    def n_features(self) -> int:
        """How many columns a token has beside its label."""
        others = (self.label is not None) + (self.reading["format"] == "conllu")  # and the ID
        n: int = self.reading["columns"] - others
        return n

    # ------------------------------------------------------ what a run over blocks asks

    def labels_of(self, block: Data) -> Array:
        """The labels of all tokens of a block."""
        return as_labels([*chain.from_iterable(block.y)])

    def size_of(self, block: Data) -> int:
        """How many bytes the tokens of a block take in memory, about."""
        cells = sum(map(len, block.X)) * (self.n_features + 2)
        return CELL * cells + block.next.offset - block.start.offset

    def read(self) -> Data:
        """All of it."""
        (whole,) = self.stream(2**62)
        return whole

    def stream(self, block_bytes: int = BLOCK_BYTES, start: Place | None = None) -> Blocks:
        """The blocks of it, from a place on; every label may stand where it does."""
        with closing(self.sentences(block_bytes, start)) as blocks:
            for block in blocks:
                self._require_valid(block)
                yield Data(block.X, block.y, start=block.start, next=block.next)

    def sentences(self, block_bytes: int, start: Place | None = None) -> SentenceBlocks:
        """The same as the lines they are."""
        kind = self.reading["format"]
        assert not isinstance(self.source, Files)
        return stream_conll(
            self.source, block_bytes=block_bytes, start=start, format=kind, label=self.label
        )

    def _require_valid(self, block: Sentences) -> None:
        """Every label must keep to the scheme, if there is one."""
        name = self.reading.get("constraints")
        if name is None or not block.X:
            return
        y, starts = [*chain.from_iterable(block.y or ())], np.cumsum([0, *map(len, block.X)])
        labels = as_labels(y)
        try:
            labelled(Sequences(None, starts), labels, np.unique(labels), name)
        except BadRow as error:
            at = int(starts[error.row]) + (error.column or 0)
            raise self._blamed(block, at, error.what, **error.parameters) from None
        except DataError as error:
            if "label" not in error.parameters:
                raise
            at = y.index(error.parameters["label"])
            told = f"found the label {y[at]!r}, which is none of {{constraints=}}"
            raise self._blamed(block, at, told, **error.parameters) from None

    def _blamed(self, block: Sentences, at: int, what: str, **parameters: object) -> FileError:
        """An error at the label of a token of a block."""
        i = block.token_lines[at]
        line = block.lines[i]
        if self.reading["separator"] == "\t":
            place = place_of(line.split("\t"), self._column)
        else:
            place = [word.start() for word in FILLED.finditer(line)][self._column]
        return FileError(
            self.called,
            f"{what}: correct it, or leave {{constraints}} out",
            line=block.start.line + i,
            column=len(line[:place].encode()) + 1,
            **parameters,
        )

    @property
    def _column(self) -> int:
        """The number of the column that has the labels."""
        return CONLLU.index(self.label) if isinstance(self.label, str) else int(self.label or 0)

    # ------------------------------------------------------ writing

    def with_labels(self, block: Sentences, labels: list[list[str]]) -> str:
        """The lines of a block with these labels: in one more column, or in CoNLL-U, in theirs."""
        lines = [*block.lines]
        for i, label in zip(block.token_lines, chain.from_iterable(labels), strict=True):
            if self.reading["format"] == "conllu":
                own = lines[i].split("\t")
                own[self._column] = label
                lines[i] = "\t".join(own)
            elif self.reading["separator"] == "\t":
                lines[i] += f"\t{label}"
            else:
                lines[i] = f"{lines[i].rstrip(BLANKS)} {label}"
        return "".join(f"{line}\n" for line in lines)


def is_asked(arguments: Namespace, label: Label, otherwise: str = "conll") -> bool:
    """Is the file CoNLL-U, as the options, its name, or else the model say?"""
    try:
        named = is_told(arguments.data, None, None)
        kind = arguments.format or ("conllu" if named else otherwise)
        return is_told(arguments.data, kind, label)
    except ParameterError as error:
        if error.parameter is None:
            raise
        allowed = error.allowed.removesuffix(", or None")
        raise ParameterError.of(error.parameter, error.given, allowed) from None


@contextmanager
def looked_into(path: str) -> Iterator[tuple[str | Pipe, Opened]]:
    """What is at a path: what to read it by, once or again and again, and its first lines."""
    found = open_source(path)
    once = isinstance(found, Pipe) and found.path is None
    try:
        yield (found if isinstance(found, Pipe) and once else path), found
    finally:
        if not once:
            found.close()


def reading_of(layout: Layout) -> Reading:
    """What is kept of how lines are made."""
    label: Label = layout.label
    if layout.is_conllu and layout.label is not None:
        label = CONLLU[layout.label]
    return {
        "format": "conllu" if layout.is_conllu else "conll",
        "columns": layout.n_columns,
        "separator": layout.separator,
        "label": label,
    }


def columns(n: int) -> str:
    """So many columns."""
    return f"{n} column{'s' * (n != 1)}"


def between(layout: Layout) -> str:
    """What separates the columns, where there are several."""
    if layout.n_columns == 1:
        return ""
    return f" separated by {'tabs' if layout.separator == chr(9) else 'spaces'}"
