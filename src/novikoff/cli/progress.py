"""A progress bar on long work: how far, how fast, how many mistakes, how long still."""

import os
import sys
from contextlib import ExitStack
from itertools import accumulate
from typing import Any

from novikoff.cli.text import counted
from novikoff.cli.training import Training
from novikoff.data.compression import ENDINGS
from novikoff.data.formats import FORMATS
from novikoff.data.results import Data


class Bar(ExitStack):
    """A bar on standard error, if that is a terminal."""

    def __init__(self, *, hidden: bool = False) -> None:
        super().__init__()
        self.shown = sys.stderr.isatty() and not hidden
        self.bar: Any = None

    def start(self, **options: object) -> None:
        """Show it, with nothing done yet; if it is shown already, that is as it is."""
        if self.shown and self.bar is None:
            from tqdm import tqdm

            bar: Any = tqdm
            self.bar = self.enter_context(bar(file=sys.stderr, leave=False, **options))

    def show(self, done: int, beside: str, what: str = "") -> None:
        """Show that so much is done by now, and what more there is to say."""
        if self.bar is not None:
            self.bar.set_description(what, False)
            self.bar.set_postfix_str(beside, False)
            self.bar.update(done - self.bar.n)


class BlocksBar(Bar):
    """The bar of a run over blocks. The time left is that of all epochs: a run may end earlier."""

    def __init__(self, training: Training, *, hidden: bool) -> None:
        super().__init__(hidden=hidden)
        self.mistakes = 0
        rows = FORMATS.get(training.file.reading["format"])
        in_bytes = rows is None or rows.is_text  # sentences are text
        sizes = [os.stat(path).st_size for path in training.paths if in_bytes]
        self.ends = [0, *accumulate(sizes)]
        """How many bytes all files have up to the end of each, compressed as they are."""
        size, at = self.ends[-1], training.at
        plain = size and os.path.splitext(training.paths[at.file])[1].lower() not in ENDINGS
        self.start(
            total=size * training.plan.epochs or None,
            initial=size * at.epoch + (self.ends[at.file] if size else 0) + at.offset * plain,
            unit="B" if in_bytes else " rows",
            unit_scale=True,
        )

    def __call__(self, training: Training, block: Data, mistakes: int) -> None:
        """After every block."""
        if self.bar is not None:
            self.mistakes += mistakes
            done = self.bar.n + block.next.offset - block.start.offset
            if len(self.ends) > 1:
                before = self.ends[-1] * training.at.epoch + self.ends[block.next.file]
                done = before + block.taken
            epoch = f"epoch {training.at.epoch + 1}/{training.plan.epochs}"
            self.show(done, counted(self.mistakes, "mistake"), epoch)
