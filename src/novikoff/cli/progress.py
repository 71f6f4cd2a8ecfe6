"""A progress bar on long work: how far, how fast, how many mistakes, how long still."""

import os
import sys
from contextlib import ExitStack
from typing import Any, Self

from novikoff.cli.training import Training
from novikoff.cli.wording import counted
from novikoff.data.compression import ENDINGS
from novikoff.data.formats import FORMATS
from novikoff.data.results import Data


class Progress(ExitStack):
    """A bar, on a terminal only. The time left is that of all epochs: a run may end earlier."""

    def __init__(self, training: Training, *, hidden: bool) -> None:
        super().__init__()
        self.training = training
        self.shown = sys.stderr.isatty() and not hidden
        self.mistakes = 0
        self.bar: Any = None

    def __enter__(self) -> Self:
        if self.shown:
            from tqdm import tqdm

            plan, at = self.training.plan, self.training.at
            in_bytes = FORMATS[plan.reading["format"]].is_text
            once = self.training.pipe is not None
            size = plain_size(self.training.source) if in_bytes and not once else None
            self.bar = self.enter_context(
                tqdm(
                    total=None if size is None else size * plan.epochs,
                    initial=at.offset + (size or 0) * at.epoch,
                    unit="B" if in_bytes else " rows",
                    unit_scale=True,
                    file=sys.stderr,
                    leave=False,
                )
            )
        return self

    def __call__(self, training: Training, block: Data, mistakes: int) -> None:
        """After every block."""
        if self.bar is None:
            return
        self.mistakes += mistakes
        self.bar.set_description(f"epoch {training.at.epoch + 1}/{training.plan.epochs}", False)
        self.bar.set_postfix_str(counted(self.mistakes, "mistake"), False)
        self.bar.update(block.next.offset - block.start.offset)


def plain_size(path: str) -> int | None:
    """The size of a file, unless it is compressed: then its text is longer than it."""
    compressed = os.path.splitext(path)[1].lower() in ENDINGS
    return None if compressed else os.stat(path).st_size
