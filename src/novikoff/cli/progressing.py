"""`novikoff fit --progressive`: predict every example of a file, then learn from it."""

import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing, nullcontext
from itertools import chain
from typing import Any

import numpy as np

from novikoff.cli.meaning import was_given
from novikoff.cli.reading import Examples, surveyed
from novikoff.cli.stopping import as_signalled, stopping
from novikoff.data.locations import first_not_among, third_label
from novikoff.data.opener import Pipe
from novikoff.data.reader import stream
from novikoff.data.results import Data, Skipped
from novikoff.errors import BadRow, FileError, ParameterError
from novikoff.inputs.labels import as_label, as_labels
from novikoff.progressive_validation import progressive

WINDOW, BLOCK_BYTES = 1000, 2**24
NOT_BESIDE = ("epochs", "seed", "plot", "record", "memory", "checkpoint", "every", "resume")


class Blocks:
    """The blocks of a file on their way to a learner, and what is to be remembered of them."""

    def __init__(self, examples: Examples, named: list[str] | None, block_bytes: int) -> None:
        self.examples, self.named, self.block_bytes = examples, named, block_bytes
        self.skipped, self.n = Skipped(), 0
        self.names: list[str] | None = None
        self.at: tuple[Data, int] | None = None
        """The block that is learned from, and how many examples came before it."""

    def __iter__(self) -> Iterator[Data]:
        source, reading = self.examples.source, self.examples.reading
        with closing(stream(source, block_bytes=self.block_bytes, **reading)) as blocks:
            for block in blocks:
                self.skipped, self.names = self.skipped + block.skipped, self.names or block.names
                if len(block.y):
                    if self.named is not None:
                        self._require_named(block)
                    self.at = (block, self.n)
                    yield block
                    self.n += len(block.y)

    def _require_named(self, block: Data) -> None:
        known = self.classes(block)
        other = first_not_among(block.y, known)
        if other is not None:
            raise self.examples.blamed(block, other[0], third_label(other[1], known))

    def classes(self, block: Data) -> list[Any]:
        """The labels that were named, as they are in the file."""
        return sorted(as_label(word, as_labels(block.y).dtype) for word in self.named or ())


def pieces(block: Data) -> Iterator[Data]:
    """A block in pieces of a few rows, after each of which a signal is heard."""
    for low in range(0, len(block.y), WINDOW):
        rows = slice(low, low + WINDOW)
        weight = None if block.weight is None else block.weight[rows]
        yield block._replace(X=block.X[rows], y=block.y[rows], weight=weight)


def progressively(model: Any, arguments: Namespace, stopped: list[int]) -> tuple[Any, Blocks]:
    """Tell how well a learner predicts what it has not learned yet, and return what it became.

    A signal ends a pipe where it is, and its number is put into `stopped`.
    """
    for name in NOT_BESIDE:
        if was_given(arguments, name):
            raise ParameterError(
                f"--progressive makes one pass in the order of the file: leave --{name} out."
            )
    if arguments.shuffle:
        raise ParameterError("--progressive goes in the order of the file: leave --shuffle out.")
    size = arguments.block_bytes or BLOCK_BYTES
    blocks = Blocks(surveyed(arguments, arguments.data), arguments.classes, size)
    model.set_params(shuffle=False, max_iter=1)
    pipe = blocks.examples.source
    try:
        with stopping(pipe.end, stopped) if isinstance(pipe, Pipe) else nullcontext():
            learn_progressively(model, blocks, arguments, stopped)
    except (FileError, ParameterError):
        if stopped and not blocks.n:  # there was too little to say that of
            as_signalled(stopped[0])
        raise
    return model, blocks


def learn_progressively(
    model: Any, blocks: Blocks, arguments: Namespace, stopped: list[int]
) -> None:
    """Predict and learn until the end, or until it is stopped, and print how that goes."""
    out = sys.stderr if arguments.output == "-" else sys.stdout
    every = arguments.window or WINDOW
    try:
        source = iter(blocks)
        first = next(source, None)
        if first is None:
            raise ParameterError(f"{blocks.examples.called} has no examples.")
        classes = blocks.classes(first) if blocks.named else None
        if classes is None and not model._takes_many_classes:
            classes = np.unique(as_labels(first.y)).tolist()

        def rest() -> Iterator[Data]:
            for block in chain([first], source):
                for piece in pieces(block):
                    yield piece
                    if stopped:
                        return

        for progress in progressive(model, rest(), window=every, every=every, classes=classes):
            print(progress, file=out, flush=True)
        blocks.n = model._state.stream.n_seen
    except BadRow as error:
        assert blocks.at is not None
        block, before = blocks.at
        row = (model._state.stream.n_seen if model._is_fitted() else 0) - before
        raise blocks.examples.blamed(block, row, f"{error.what}. {error.advice}") from None
