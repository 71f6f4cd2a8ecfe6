"""Where a run over a file writes down how far it is, and how it goes on from there."""

import os
import shlex
import sys
from argparse import Namespace
from dataclasses import asdict, dataclass, field

from novikoff.cli.learners import BY_WORD, SEQUENCES, word_for
from novikoff.cli.options import option
from novikoff.cli.paths import files_of, require_different, require_place
from novikoff.data.results import Place, Skipped
from novikoff.errors import ParameterError
from novikoff.store import load_with_extra


@dataclass
class Position:
    """How far a run has come: what is left is determined by this, the model and the options."""

    epoch: int = 0
    block: int = 0
    offset: int = 0
    line: int = 1
    examples: int = 0
    """How many examples this pass has seen."""
    skipped: int = 0
    messages: list[str] = field(default_factory=list)
    file: int = 0

    @property
    def place(self) -> Place:
        """Where the next block begins."""
        return Place(self.offset, self.line, self.file)

    @place.setter
    def place(self, place: Place) -> None:
        self.offset, self.line, self.file = place

    @property
    def bad_lines(self) -> Skipped:
        """The lines that were left out."""
        return Skipped(self.skipped, tuple(self.messages))

    @bad_lines.setter
    def bad_lines(self, skipped: Skipped) -> None:
        self.skipped, self.messages = skipped.n_lines, list(skipped.messages)


def is_position(told: object, examples: object, names: object) -> bool:
    """Are these what a checkpoint says of a position, whoever wrote it?"""
    if not isinstance(told, dict) or told.keys() != asdict(Position()).keys():
        return False
    counts = [examples, *(n for name, n in told.items() if name != "messages")]
    lists = [told["messages"], [] if names is None else names]
    return all(type(n) is int and 0 <= n < 1 << 62 for n in counts) and all(
        isinstance(texts, list) and all(isinstance(t, str) for t in texts) for texts in lists
    )


def checkpoint_of(arguments: Namespace, *, once: bool) -> str | None:
    """Where to write down how far the run is."""
    if once and (arguments.resume or arguments.checkpoint):
        what = "--resume" if arguments.resume else "--checkpoint"
        raise ParameterError(
            f"What can be read only once cannot be gone on with: {what} needs a file."
        )
    if arguments.checkpoint == "-":
        raise ParameterError("--checkpoint needs the name of a file: it is read again.")
    unnamed = not arguments.checkpoint and (arguments.output == "-" or arguments.cluster)
    if arguments.resume and unnamed:
        raise ParameterError("--resume goes on from a checkpoint: name it by --checkpoint.")
    if once or unnamed:
        return None
    checkpoint: str = arguments.checkpoint or f"{arguments.output}.checkpoint"
    require_different(*files_of(arguments.data), arguments.output, arguments.plot, checkpoint)
    require_place(checkpoint)
    if os.path.exists(checkpoint) and "checkpoint" not in load_with_extra(checkpoint)[1]:
        raise ParameterError(f"{checkpoint} exists and is no checkpoint: name another file.")
    return checkpoint


def other_run(path: str, source: str, name: str, before: object, now: object) -> ParameterError:
    """That a checkpoint is that of another run: what differs, from what to what."""
    if name == "a file like":
        return ParameterError(
            f"{path} was written by a run on other data: {source} was changed since, or is "
            "another file. Leave --resume out to start anew."
        )
    if name == "reading" and isinstance(before, dict) and isinstance(now, dict):
        name = next(key for key in sorted({*before, *now}) if before.get(key) != now.get(key))
        before, now = before.get(name), now.get(name)
    if name == "template":
        return ParameterError(
            f"{path} was written by a run with another --template: repeat the command that wrote "
            "it, or leave --resume out to start anew."
        )
    return ParameterError(
        f"{path} was written by a run with {as_asked(name, before)}, but this one has "
        f"{as_asked(name, now)}: repeat the command that wrote it, or leave --resume out to start "
        "anew."
    )


def as_asked(name: str, value: object) -> str:
    """The option that a run had."""
    if name == "learner":
        word = word_for(str(value))
        return option(name, word) if word in BY_WORD else SEQUENCES
    return option(name, value)


def again() -> str:
    """The command line that goes on with this run."""
    words = [*sys.argv[1:]]
    return shlex.join(["novikoff", *words, *(["--resume"] if "--resume" not in words else [])])
