"""A progress bar on long work: how far, how fast, how many mistakes, how long still."""

import os
import sys
from types import TracebackType
from typing import Any, Self

from novikoff.data.options import Data
from novikoff.training import STDIN, Training

LINES = ("svmlight", "vw", "csv")


class Progress:
    """A bar for every epoch, on a terminal only."""

    def __init__(self, training: Training, *, hidden: bool) -> None:
        self.shown = sys.stderr.isatty() and not hidden
        self.training = training
        self.bar: Any = None
        self.epoch = -1
        self.mistakes = 0
        reading = training.plan.reading
        self.in_bytes = reading.get("format") in LINES
        self.size = None
        if training.source != STDIN and self.in_bytes:
            self.size = plain_size(training.source)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.bar is not None:
            self.bar.close()

    def __call__(self, training: Training, block: Data, mistakes: int) -> None:
        """After every block."""
        if not self.shown:
            return
        if training.at.epoch != self.epoch:
            self._begin(training)
        self.mistakes += mistakes
        self.bar.update(block.next.offset - block.start.offset)
        self.bar.set_postfix_str(f"{self.mistakes:,} mistakes", refresh=False)

    def _begin(self, training: Training) -> None:
        from tqdm import tqdm

        if self.bar is not None:
            self.bar.close()
        self.epoch, self.mistakes = training.at.epoch, 0
        self.bar = tqdm(
            total=self.size,
            desc=f"epoch {self.epoch + 1}/{training.plan.epochs}",
            unit="B" if self.in_bytes else " rows",
            unit_scale=True,
            file=sys.stderr,
            leave=False,
        )


def plain_size(path: str) -> int | None:
    """The size of a file, unless it is compressed: then its text is longer than it."""
    from novikoff.data.opening import ENDINGS

    return None if os.path.splitext(path)[1].lower() in ENDINGS else os.stat(path).st_size
