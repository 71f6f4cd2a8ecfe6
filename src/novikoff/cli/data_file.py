"""A file of examples: how it is read, and what must hold of the labels in it."""

import os
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

import numpy as np

from novikoff.cli.conflicts import require_meaning, require_rows
from novikoff.cli.options import PLAN, READING
from novikoff.data.locations import blamed_on_row, first_not_among, first_other, third_label
from novikoff.data.opener import Opened, Pipe
from novikoff.data.reader import begun, guess, opening, read, stream, survey
from novikoff.data.reader_options import Options
from novikoff.data.results import Blocks, Data, Place, Skipped
from novikoff.data.several import Files, named
from novikoff.errors import BadRow, FileError
from novikoff.inputs.arrays import size_of
from novikoff.inputs.labels import as_label, as_labels, as_written
from novikoff.typing import Array

BLOCK_BYTES = 2**24

Reading = dict[str, Any]
"""Options of `novikoff.data.read`."""


def asked(arguments: Namespace) -> Reading:
    """The options of a reader that were given on the command line."""
    given = {
        name: value
        for name in (*READING, *PLAN)
        if (value := getattr(arguments, name, None)) is not None
    }
    return as_reading(given)


def as_reading(given: dict[str, Any]) -> Reading:
    """The same as the options of a reader, those of a plan in a plan."""
    found = {name: value for name, value in given.items() if name not in PLAN}
    wished = {name: value for name, value in given.items() if name in PLAN}
    if wished:
        from novikoff.data.tables.plan import TablePlan

        if "bits" in found:
            wished["bits"] = found["bits"]
        plan = TablePlan(**wished)
        plan._check_parameters()
        found["plan"] = plan
    return found


def as_json(reading: Reading, *without: str) -> Reading:
    """The options of a reader as a file can have them."""
    kept = {k: reading[k] for k in sorted(reading) if k not in without}
    return kept | ({"plan": kept["plan"].to_dict()} if "plan" in kept else {})


class DataFile(NamedTuple):
    """A file of examples, and how to read it."""

    source: str | Pipe | Files
    """Its path, or what that leads to if it can be read only once; or several files."""
    reading: Reading
    """The options of a reader, the format among them."""

    @classmethod
    def opened(cls, arguments: Namespace, path: str | list[str]) -> Self:
        """The examples at a path, or more, with their format filled in; no option may be idle."""
        reading = asked(arguments)
        require_rows(reading.get("format"))
        Options(**reading)  # raises what is wrong with them
        source: str | Files = named(path)
        found = opening(source)
        pipe = found if isinstance(found, Pipe) and found.path is None else None
        try:
            kind = reading.get("format") or guessed(found, arguments.command)
            require_meaning(arguments, found.name, kind)
        finally:
            if pipe is None:
                found.close()
        return cls(source if pipe is None else pipe, reading | {"format": kind})

    @classmethod
    def surveyed(cls, arguments: Namespace, path: str | list[str]) -> Self:
        """The same, with what a stream has to know of a file beforehand filled in."""
        file = cls.opened(arguments, path)
        if isinstance(file.source, Pipe):
            return file._replace(reading=file.reading | begun(file.source, file.reading))
        size = getattr(arguments, "block_bytes", None) or BLOCK_BYTES
        found = survey(file.source, block_bytes=size, **file.reading)
        del found["block_bytes"]
        return file._replace(reading=found)

    @property
    def called(self) -> str:
        """What messages call it."""
        return self.source if isinstance(self.source, str) else self.source.name

    def labels_of(self, block: Data) -> Array:
        """The labels of a block, one after the other."""
        return as_labels(block.y)

    def size_of(self, block: Data) -> int:
        """How many bytes a block takes in memory, about."""
        return size_of(block.X)

    def read(self) -> Data:
        """All of it."""
        return read(self.source, **self.reading)

    def stream(self, block_bytes: int = BLOCK_BYTES, start: Place | None = None) -> Blocks:
        """The blocks of it, from a place on."""
        return stream(self.source, block_bytes=block_bytes, start=start, **self.reading)

    def blamed(self, block: Data, row: int, what: str, /, **parameters: object) -> FileError:
        """An error at the line of a row."""
        source, reading = self.source, self.reading
        return blamed_on_row(self.called, source, block, row, reading, what, **parameters)

    @contextmanager
    def blaming(self, block: Data, before: int = 0, *, advise: bool = True) -> Iterator[None]:
        """Say at which line a row is that a model cannot take, so many having come before."""
        try:
            yield
        except BadRow as error:
            if not error.what:
                raise
            what = f"{error.what}. {error.advice}" if advise else error.what
            raise self.blamed(block, error.row - before, what, **error.parameters) from None

    def require_classes(self, data: Data, named: list[str] | None = None, *, many: bool) -> None:
        """There must be two labels, or more if many are fine; only the named ones, if any are."""
        y = as_labels(data.y)
        if named or not many:
            self.require_labels(data, named_labels(named or (), y), complete=bool(named))
        self.require_two([y[0], *y[y != y[0]][:1]], data.skipped)

    def require_labels(self, block: Data, known: list[Any], *, complete: bool) -> None:
        """Every label must be a known one; if that is not complete, the first two that come are."""
        other = (first_not_among if complete else first_other)(block.y, known)
        if other is not None:
            first = known if len(known) > 1 else np.unique(block.y[: other[0]]).tolist()
            raise self.blamed(block, other[0], third_label(other[1], first))

    def require_two(self, labels: Array | list[object], skipped: Skipped) -> None:
        """There must be examples of two classes, or nothing can be learned."""
        if len(labels) < 2:
            only = f"only one label, {as_written(labels[0])}" if len(labels) else "no examples"
            told = f"found {only}{skipped.aside}: a classifier needs examples of two"
            raise FileError(self.called, told)


OR_SENTENCES = {
    "fit": ", or --sequences if it has sentences",
    "predict": ". (Sentences need a model of `novikoff fit --sequences`.)",
    "score": ". (Sentences need a model of `novikoff fit --sequences`.)",
}
"""What to add where a command finds no examples that it knows."""


def guessed(found: Opened | Files, command: str) -> str:
    """The format of a file; where it is not known, it may have sentences."""
    try:
        return guess(found)
    except FileError as error:
        if "format" not in error.parameters:
            raise
        told = f"{error.what}{OR_SENTENCES.get(command, '')}"
        raise FileError(error.path, told, **error.parameters) from None


def named_labels(words: Sequence[str], y: Array) -> list[Any]:
    """The labels that were named on the command line, as they are in the file, in order."""
    return sorted(as_label(word, as_labels(y).dtype) for word in words)


def require_room(called: str, n: int, bytes_each: int) -> None:
    """The memory of this machine must do for so many features, of that many bytes each."""
    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if n * bytes_each > there:
        raise FileError(
            called,
            f"found features up to number {n:,}, expected no more than {there // bytes_each:,}, "
            f"which fill the memory of this machine ({there / 2**30:,.0f} GiB): number the "
            "features from 1 on, without gaps",
        )
