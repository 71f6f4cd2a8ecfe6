"""Pictures in files: what `novikoff plot` draws, and the run that `novikoff fit --plot` draws."""

import io
import os
from typing import Any

import numpy as np
from scipy import sparse

from novikoff.cli import say
from novikoff.cli.commands.plot import PICTURES
from novikoff.cli.signals import Terminated
from novikoff.cli.training import Training
from novikoff.errors import NotSeparable, NovikoffError, ParameterError
from novikoff.files import replacing
from novikoff.inputs.arrays import size_of
from novikoff.learners.additive import Additive
from novikoff.learners.base import MistakeDriven
from novikoff.plots.style import pyplot
from novikoff.proofs.trace import Trace
from novikoff.typing import Array, Matrix

DOTS = 150
"""Per inch, of what has dots."""


def picture_kind(path: str, told: str | None) -> str:
    """What a picture will be, by its ending or as told; matplotlib must be there to draw it."""
    ending = os.path.splitext(path)[1].lower().removeprefix(".")
    kind = told or ending
    if told and ending in PICTURES and told != ending:
        raise ParameterError(f"--to {told} and the ending of {path} contradict each other.")
    if kind not in PICTURES:
        advice = "give --to" if path == "-" else "end its name in"
        raise ParameterError(f"{path} is to be a picture: {advice} png, svg or pdf.")
    pyplot().matplotlib.use("agg")  # no window is opened
    return kind


def write_picture(figure: Any, path: str, kind: str) -> None:
    """Write a figure, all of it or nothing; the same figure gives the same bytes."""
    undated = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    held = io.BytesIO()
    with pyplot().rc_context({"svg.hashsalt": "novikoff"}):
        figure.savefig(held, format=kind, dpi=DOTS, metadata=undated[kind])
    pyplot().close(figure)
    with replacing(path) as file:
        file.write(held.getbuffer())


def figure_of_run(trace: Trace, kind: str) -> object:
    """The proof of a run, or its progress."""
    from novikoff.plots import ProgressDisplay, ProofDisplay

    display = ProofDisplay if kind == "proof" else ProgressDisplay
    return display.from_trace(trace).figure_


class Sketch:
    """The picture of a run, drawn when its model is written: so that the model is never lost."""

    def __init__(self, path: str, *, keep: bool) -> None:
        if path == "-":
            raise ParameterError("--plot needs the name of a file: give one that ends in .png.")
        self.path, self.keep = path, keep
        """Is the record of the run to stay in the model?"""
        self.kind = picture_kind(path, None)

    def of_blocks(self, training: Training) -> Trace:
        """What happened, with the examples of a run that has ended."""
        blocks = training.kept or [training.file.read()]
        if sum(size_of(block.X) for block in blocks) > training.memory:
            why = training.too_large("--plot needs all examples at once")
            raise ParameterError(f"{why}: leave --plot out.")
        stack = sparse.vstack if sparse.issparse(blocks[0].X) else np.concatenate
        X = stack([block.X for block in blocks if len(block.y)])
        y = np.concatenate([block.y for block in blocks if len(block.y)])
        return self.of_model(training.model, X, y)

    def of_model(self, model: MistakeDriven, X: Matrix, y: Array) -> Trace:
        """The same, of a model; which forgets it, unless it is to stay."""
        trace = Trace(model).with_data(X, y)
        if not self.keep:
            model.record, model._state.log = False, None
        return trace

    def draw(self, trace: Trace, model_path: str) -> None:
        """Draw the proof; the progress, where no proof exists."""
        try:
            figure = self._figure(trace)
            write_picture(figure, self.path, self.kind)
        except (KeyboardInterrupt, Terminated) as stop:
            raise type(stop)(f"{model_path} is written, but {self.path} is not") from None
        except NovikoffError:
            say(f"{model_path} is written, but {self.path} is not:")
            raise

    def _figure(self, trace: Trace) -> object:
        name = type(trace._learner).__name__
        if not isinstance(trace._learner, Additive):
            why = f"{name} has another proof, or none"
        elif trace._apart:
            why = "every class has a proof of its own"
        else:
            try:
                return figure_of_run(trace, "proof")
            except NotSeparable as error:
                why = (
                    f"the data is {error.separability.verdict} in the space of the run, so that "
                    "there is no proof to draw"
                )
        say(f"{why}: {self.path} shows the progress of the run.")
        return figure_of_run(trace, "progress")
