"""From a file to a model: passes over a file of any size, that can be stopped and gone on with.

A pass goes block by block. What the model will be depends on the bytes of the file and the options,
not on the machine, on how often the run was interrupted, or where: a checkpoint holds
all that the rest of the run depends on.
"""

import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from novikoff.cli.checkpoint import Position, is_position, other_run
from novikoff.cli.data_file import DataFile, as_json, named_labels
from novikoff.data.opener import Pipe
from novikoff.data.results import Blocks, Data, Place, Skipped
from novikoff.data.several import paths_of
from novikoff.errors import BadRow, DataError, FileError, ModelFileError, ParameterError
from novikoff.files import fingerprint, state_of
from novikoff.inputs.labels import as_label, as_written, first_classes, known_classes
from novikoff.learners.base import MistakeDriven
from novikoff.passes import Passes
from novikoff.store import load_with_extra, save
from novikoff.typing import Array

ClassWeights = dict[str, float] | str | None
"""What the learner's `class_weight` is to be, by labels as written."""


@dataclass
class Plan:
    """What to do: everything that the result depends on, besides the bytes of the file."""

    epochs: int
    seed: int
    block_bytes: int
    classes: list[str] | None = None
    """The labels as written, if they are told beforehand."""
    class_weight: ClassWeights = None


class Interrupted(Exception):
    """Internal: the run was asked to stop, and has, between two blocks."""


class Training:
    """A learner, a file, and how far they have come."""

    def __init__(
        self,
        model: MistakeDriven,
        file: DataFile,
        plan: Plan,
        *,
        memory: int = 2**30,
        checkpoint: str | None = None,
        every: float = 60.0,
        hold: str | None = None,
    ) -> None:
        self.model, self.file, self.plan = model, file, plan
        self.pipe = file.source if isinstance(file.source, Pipe) else None
        self.memory, self.checkpoint, self.every = memory, checkpoint, every
        self.hold = hold
        """The option that has all examples held in memory, also for a single pass, if one does."""
        self.at = Position()
        self.names: list[str] | None = None
        self.kept: list[Data] | None = []
        """The blocks of the first pass, as long as they fit into memory."""
        self.held = 0
        """How many bytes they take."""
        self.unseen: Counter[str] = Counter()
        """Values that the plan of a table did not know from the first rows."""
        self.stop = False
        """Set this to have the run stop after the block it is at."""
        self.wrote = False
        """Is there a checkpoint of this run?"""
        self.paths = () if isinstance(file.source, Pipe) else paths_of(file.source)
        self.states = [*map(state_of, self.paths)]
        self.content = fingerprint(*self.paths) if self.paths else None
        self.n_examples = 0
        """How many there are in the file, as soon as that is known."""

    # ------------------------------------------------------ going on from a checkpoint

    def resume(self) -> None:
        """Go on from the checkpoint, which must be one of the same run."""
        assert self.checkpoint is not None
        model, extra = load_with_extra(self.checkpoint)
        told = extra.get("checkpoint")
        if not isinstance(told, dict) or not isinstance(told.get("identity"), dict):
            raise ParameterError(
                f"{self.checkpoint} is a finished model, not a checkpoint: give the file that "
                "--checkpoint named, or leave --resume out."
            )
        numbers = {"text_labels": False}  # of all labels, where older checkpoints say nothing
        for name, value in self._identity().items():
            before = told["identity"].get(name)
            if name == "reading" and isinstance(before, dict) and "text_labels" in value:
                before = numbers | before
            if before != value:
                raise other_run(self.checkpoint, self.file.called, name, before, value)
        self.model = model
        at: Any = told.get("position")
        if isinstance(at, dict):
            at = {"file": 0} | at  # there was one only
        names = extra.get("names")
        if not is_position(at, told.get("examples"), names) or at["epoch"] > self.plan.epochs:
            raise ModelFileError(f"{self.checkpoint}: the checkpoint is damaged.")
        self.at, self.n_examples = Position(**at), told["examples"]
        self.names, self.wrote, self.kept = names, True, None

    def _identity(self) -> dict[str, Any]:
        """What a run must have in common with the one it goes on from."""
        parameters = {k: str(v) for k, v in self.model.get_params().items() if k != "n_jobs"}
        return {
            "learner": type(self.model).__name__,
            **parameters,
            "a file like": self.content,
            "reading": as_json(self.file.reading, "n_jobs"),
            **asdict(self.plan),
        }

    def save_checkpoint(self) -> None:
        """Write down where the run is."""
        assert self.checkpoint is not None
        if not self.model._is_fitted():  # there was no good line yet: starting anew is as good
            return
        told = {
            "identity": self._identity(),
            "position": asdict(self.at),
            "examples": self.n_examples,
        }
        save(self.model, self.checkpoint, extra={"checkpoint": told, "names": self.names})
        self.wrote = True

    # ------------------------------------------------------ the passes

    def run(self, report: Callable[["Training", Data, int], None]) -> None:
        """Train until an epoch is free of mistakes or all are done; `report` every block."""
        try:
            self._run(report)
        except FileError:
            if self.stop and not self.at.examples:  # there was too little to say that of
                raise Interrupted from None
            raise

    def _run(self, report: Callable[["Training", Data, int], None]) -> None:
        classes = self._classes()
        self.classes = classes.tolist()
        passes = Passes(self.model, self.plan.seed, classes, complete=self.complete)
        passes.fresh, passes.given = self.at.examples == 0, self.at.examples
        written = time.monotonic()
        while self.at.epoch < self.plan.epochs:
            with closing(self._blocks()) as blocks:
                for number, block in blocks:
                    mistakes = self._learn(passes, number, block)
                    self.at.block = number + 1
                    self.at.place = block.next
                    report(self, block, mistakes)
                    if self.checkpoint and (self.stop or time.monotonic() - written >= self.every):
                        self.save_checkpoint()
                        written = time.monotonic()
                    self._require_going_on()
            self._require_going_on()
            if not self.at.examples:
                raise DataError(f"{self.file.called} has no examples.")
            self.n_examples = self.at.examples
            self.file.require_two(self.model.classes_, self.at.bad_lines)
            left = passes.end()
            at = self.at
            self.at = Position(at.epoch + 1, skipped=at.skipped, messages=at.messages)
            if left == 0:
                break
        if not self.complete and self.plan.class_weight is not None:
            weights_by_label(self.plan.class_weight, self.model.classes_)

    def end(self) -> None:
        """Stop after the block at hand; a pipe ends where it is, instead of filling that block."""
        self.stop = True
        if self.pipe is not None:
            self.pipe.end()

    def _require_going_on(self) -> None:
        if self.stop:
            raise Interrupted

    @property
    def usable(self) -> bool:
        """Has it learned so much that the model can tell two classes apart?"""
        return self.model._is_fitted() and len(self.model.classes_) > 1

    def _learn(self, passes: Passes, number: int, block: Data) -> int:
        if self.at.epoch == 0:
            self.at.bad_lines += block.skipped
            self.unseen += block.unseen
            if self.names is None:
                self.names = block.names
        if not len(block.y):
            return 0
        self.at.examples += len(block.y)
        with self.file.blaming(block):
            try:
                return passes.learn(number, block.X, block.y, block.weight)
            except DataError as error:
                if self.complete and not (isinstance(error, BadRow) and error.what):
                    self.file.require_labels(block, self.classes, complete=True)
                raise

    @property
    def complete(self) -> bool:
        """Are all labels known beforehand? Else any that comes is one more class."""
        return self.plan.classes is not None or not self.model._takes_many_classes

    def _blocks(self) -> Generator[tuple[int, Data], None, None]:
        """The blocks of this pass that are still to come."""
        start = self.at.block
        if self.at.epoch and self.kept is not None:
            yield from enumerate(self.kept[start:], start)
            return
        place = self.at.place
        if start == 0 and self.kept:  # those that were looked at for their classes
            for number, block in enumerate(self.kept):
                yield number, block
            start, place = len(self.kept), self.kept[-1].next
        elif start or self.at.epoch:
            self.kept = None
        with closing(self._stream(place)) as blocks:  # or its thread would outlive us
            for number, block in enumerate(blocks, start):
                self._keep(block)
                yield number, block

    def blocks_again(self) -> Iterator[Data]:
        """All blocks that have examples, after a run."""
        if self.kept:
            yield from self.kept
            return
        with closing(self._stream(Place())) as blocks:
            yield from (block for block in blocks if len(block.y))

    def _stream(self, place: Place) -> Blocks:
        if self.pipe is not None:
            return self._once
        for path, state in zip(self.paths, self.states, strict=True):
            if state_of(path) != state:
                raise FileError(path, "it was changed while it was read: start anew.")
        return self.file.stream(self.plan.block_bytes, place)

    def _keep(self, block: Data) -> None:
        if self.kept is None or (self.plan.epochs == 1 and not self.hold):
            self.kept = None
            return
        self.kept.append(block)
        self.held += self.file.size_of(block)
        if self.held <= self.memory:
            return
        if self.hold:
            once = self.too_large(f"{self.hold} needs all examples at once")
            raise ParameterError(f"{once}: give more, or leave {self.hold} out.")
        if self.pipe is not None:
            once = self.too_large("it can be read only once")
            raise ParameterError(f"{once}: give --epochs 1, a larger --memory, or a file.")
        self.kept = None

    def too_large(self, why: str) -> str:
        """What to say of examples that take too much memory."""
        return (
            f"{self.file.called} takes more than the {self.memory:,} bytes of --memory, and {why}"
        )

    def _classes(self) -> Array:
        """The labels of the file, as far as it must be read to see two."""
        if self.pipe is not None:
            self._once = self.file.stream(self.plan.block_bytes)
        if self.model._is_fitted():
            known: Array = self.model.classes_
            return known
        labels: list[Any] = []
        first: list[Data] = []
        n_blocks, skipped = 0, Skipped()
        blocks = self._stream(Place())
        for block in blocks:
            skipped += block.skipped
            if self.pipe is not None or not first:
                first.append(block)
            n_blocks += 1
            if len(block.y):
                labels = self._labels(block, labels)
            if len(labels) >= 2 or (labels and not self.complete):
                break
            self._require_room(first)
        if self.pipe is None:
            blocks.close()
        self.file.require_two(labels if self.complete or not labels else ["", ""], skipped)
        if self.pipe is not None or n_blocks == 1:
            self.kept, self.held = first, sum(map(self.file.size_of, first))
        return self._named(labels)

    def _labels(self, block: Data, labels: list[Any]) -> list[Any]:
        """The labels known after a block; of a learner of two classes, no more than two."""
        y = self.file.labels_of(block)
        if self.plan.classes is not None:
            labels = named_labels(self.plan.classes, y)
        if self.complete:
            self.file.require_labels(block, labels, complete=self.model._takes_many_classes)
        return sorted({*labels, *np.unique(y).tolist()})

    def _require_room(self, first: list[Data]) -> None:
        """What can be read only once is held until a second label comes, if it fits."""
        if self.pipe is not None and sum(map(self.file.size_of, first)) > self.memory:
            raise ParameterError(
                f"The first {sum(len(b.y) for b in first):,} examples of {self.file.called} have "
                f"only one label, and take more than the {self.memory:,} bytes of --memory: name "
                "both labels by --classes, mix the examples, or give a file."
            )

    def _named(self, labels: list[Any]) -> Array:
        """The labels as classes; and the weights of classes by them."""
        try:
            many = self.model._takes_many_classes
            classes = first_classes(labels) if many else known_classes(labels)
        except ValueError:
            found = " and ".join(map(as_written, labels[:5]))
            raise FileError(
                self.file.called, f"found the labels {found}, expected whole numbers or words"
            ) from None
        if self.plan.class_weight is not None:
            self.model.class_weight = weights_by_label(
                self.plan.class_weight, classes, growing=not self.complete
            )
        return classes


def weights_of_classes(arguments: Namespace) -> ClassWeights:
    """What was given as `--class-weight`."""
    weights = dict(arguments.class_weight or ())
    return "balanced" if "balanced" in weights else weights or None


def weights_by_label(
    given: ClassWeights, classes: Array, *, growing: bool = False
) -> dict[Any, float] | str | None:
    """The weights of classes by the labels themselves, as learners take them.

    Each must be a class, unless there may come more.
    """
    if not isinstance(given, dict):
        return given
    found = {as_label(word, classes.dtype): weight for word, weight in given.items()}
    for label in found:
        if label not in classes.tolist() and not growing:
            known = " and ".join(map(as_written, classes[:5]))
            raise ParameterError(
                f"--class-weight has {as_written(label)}, but the labels are {known}."
            )
    return found
