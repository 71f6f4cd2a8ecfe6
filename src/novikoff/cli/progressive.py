"""`novikoff fit --progressive`: predict every example of a file, then learn from it."""

import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field
from itertools import chain
from typing import TextIO

import numpy as np

from novikoff.cli import DONE
from novikoff.cli.conflicts import refuse
from novikoff.cli.data_file import BLOCK_BYTES, DataFile, named_labels
from novikoff.cli.signals import as_signalled, stopping
from novikoff.cli.summary import finish, tell_so_far
from novikoff.cli.text import counted, tell_columns
from novikoff.cli.training import weights_of_classes
from novikoff.data.opener import Pipe
from novikoff.data.results import Data, Skipped
from novikoff.errors import BadRow, FileError, ParameterError
from novikoff.inputs.labels import as_labels
from novikoff.learners.base import MistakeDriven
from novikoff.progressive_validation import progressive

WINDOW = 1000
NOT_BESIDE = (
    *("epochs", "seed", "plot", "record", "memory", "checkpoint", "every", "resume"),
    "shuffle",
)


@dataclass
class Blocks:
    """The blocks of a file on their way to a learner, and what is to be remembered of them."""

    file: DataFile
    named: list[str] | None
    """All labels there may be, as they were named."""
    block_bytes: int
    skipped: Skipped = field(default_factory=Skipped)
    names: list[str] | None = None
    n: int = 0
    """How many examples came before the block that is learned from."""
    block: Data | None = None

    def __iter__(self) -> Iterator[Data]:
        with closing(self.file.stream(self.block_bytes)) as blocks:
            for block in blocks:
                self.skipped, self.names = self.skipped + block.skipped, self.names or block.names
                if len(block.y):
                    if self.named:
                        known = named_labels(self.named, block.y)
                        self.file.require_labels(block, known, complete=True)
                    self.block = block
                    yield block
                    self.n += len(block.y)


def pieces(block: Data) -> Iterator[Data]:
    """A block in pieces of a few rows, after each of which a signal is heard."""
    for low in range(0, len(block.y), WINDOW):
        rows = slice(low, low + WINDOW)
        weight = None if block.weight is None else block.weight[rows]
        yield block._replace(X=block.X[rows], y=block.y[rows], weight=weight)


def fit_progressively(model: MistakeDriven, arguments: Namespace) -> int:
    """Tell how well a learner predicts what it has not learned yet, and write what it became.

    A signal ends a pipe where it is.
    """
    why = "has no meaning beside --progressive, which makes one pass in the order of the file"
    refuse(arguments, NOT_BESIDE, f"{why}: leave it out.")
    weights = weights_of_classes(arguments)
    if isinstance(weights, dict):
        raise ParameterError("--class-weight is balanced beside --progressive, or left out.")
    if weights is not None:
        model.class_weight = weights
    file = DataFile.surveyed(arguments, arguments.data)
    if not arguments.quiet:
        tell_columns(file.called, file.reading.get("plan"))
    blocks = Blocks(file, arguments.classes, arguments.block_bytes or BLOCK_BYTES)
    model.set_params(shuffle=False, max_iter=1)
    pipe = file.source if isinstance(file.source, Pipe) else None
    out = sys.stderr if arguments.output == "-" else sys.stdout
    nothing: AbstractContextManager[list[int]] = nullcontext([])
    with nothing if pipe is None else stopping(pipe.end) as stopped:
        try:
            learn(model, blocks, arguments.window or WINDOW, stopped, out)
        except (FileError, ParameterError):
            if stopped and not blocks.n:  # there was too little to say that of
                as_signalled(stopped[0])
            raise
    finish(model, blocks.names, file.reading, blocks.skipped, blocks.n, arguments)
    if stopped:
        return tell_so_far(f"after {counted(blocks.n, 'example')}", arguments.output, stopped[0])
    return DONE


def learn(
    model: MistakeDriven, blocks: Blocks, every: int, stopped: list[int], out: TextIO
) -> None:
    """Predict and learn until the end, or until it is stopped, and print how that goes."""
    try:
        source = iter(blocks)
        first = next(source, None)
        if first is None:
            raise ParameterError(f"{blocks.file.called} has no examples.")
        classes = named_labels(blocks.named, first.y) if blocks.named else None
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
    except BadRow:
        assert blocks.block is not None
        with blocks.file.blaming(blocks.block, blocks.n):
            raise
