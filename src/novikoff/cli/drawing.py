"""`novikoff plot`, and the picture of `novikoff fit --plot`."""

import io
import os
import warnings
from argparse import Namespace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from novikoff.cli import DONE, Terminated, say
from novikoff.cli.options import PICTURES
from novikoff.cli.paths import (
    require_different,
    require_one_input,
    require_one_output,
    require_place,
)
from novikoff.cli.reading import (
    Examples,
    as_trained,
    loaded,
    require_columns,
    require_known,
    tell_order,
    tell_skipped,
)
from novikoff.cli.training import Training
from novikoff.cli.wording import counted
from novikoff.data.results import Data
from novikoff.errors import DataError, FileError, NotSeparable, NovikoffError, ParameterError
from novikoff.files import replacing
from novikoff.inputs.arrays import size_of
from novikoff.learners.additive import Additive
from novikoff.learners.base import MistakeDriven
from novikoff.proofs.trace import Trace

OF_RUNS = ("update", "proof", "progress")
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
    try:
        import matplotlib
    except ImportError:
        raise ParameterError(
            "Drawing needs the package matplotlib: pip install 'novikoff[plots]'."
        ) from None
    matplotlib.use("agg")  # no window is opened
    return kind


def write_picture(figure: Any, path: str, kind: str) -> None:
    """Write a figure, all of it or nothing; the same figure gives the same bytes."""
    from matplotlib import pyplot

    undated: dict[str, Any] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    held = io.BytesIO()
    with pyplot.rc_context({"svg.hashsalt": "novikoff"}):
        figure.savefig(held, format=kind, dpi=DOTS, metadata=undated[kind])
    pyplot.close(figure)
    with replacing(path) as file:
        file.write(held.getbuffer())


# ------------------------------------------------------------- novikoff plot


def plot(arguments: Namespace) -> int:
    """Draw a model on data."""
    if arguments.update is not None and arguments.kind != "update":
        raise ParameterError(f"--update has a meaning for --kind update, not {arguments.kind}.")
    require_one_input(model=arguments.model, data=arguments.data)
    require_one_output(output=arguments.output)
    require_different(arguments.model, arguments.data, arguments.output)
    kind = picture_kind(arguments.output, arguments.to)
    require_place(arguments.output)
    model, extra, names = loaded(arguments.model)
    if len(model.classes_) > 2 and arguments.kind in ("update", "comparison"):
        raise ParameterError(
            f"--kind {arguments.kind} is of two classes, but {arguments.model} has "
            f"{len(model.classes_)}: draw --kind boundary, proof or progress."
        )
    trace = trace_of(model, arguments) if arguments.kind in OF_RUNS else None
    if trace is not None and trace._apart and arguments.kind == "proof":
        raise ParameterError(
            f"Every class of {arguments.model} has a machine and a proof of its own: draw --kind "
            "progress."
        )
    examples = as_trained(model, extra, arguments)
    data = examples.read()
    tell_skipped(data.skipped)
    require_columns(model, names, data, examples)
    require_known(model, data, examples)
    tell_order(names, data, examples)
    require_plane(arguments.kind, data.X.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if trace is not None:
            trace = on_data(trace, data, examples)
        figure = drawn(arguments, model, trace, data.X, data.y, names)
    write_picture(figure, arguments.output, kind)
    return DONE


def require_plane(kind: str, n_features: int) -> None:
    """Most pictures need two features."""
    fits = n_features == 2 if kind == "comparison" else n_features >= 2
    if kind not in ("proof", "progress") and not fits:
        raise ParameterError(
            f"--kind {kind} is drawn in the plane of two features"
            f"{'' if kind == 'comparison' else ' or more'}, but there "
            f"{'is' if n_features == 1 else 'are'} {n_features:,}."
        )


def trace_of(model: Any, arguments: Namespace) -> Trace:
    """What a model keeps of its run."""
    if not isinstance(model, MistakeDriven):
        raise ParameterError(
            f"--kind {arguments.kind} draws the record of a run, but {arguments.model} is a "
            f"{type(model).__name__}, which keeps none to draw: train another --learner, with "
            "--record."
        )
    if getattr(model._state, "log", None) is None:
        raise ParameterError(
            f"{arguments.model} keeps no record of its run, which --kind {arguments.kind} draws: "
            "train it by `novikoff fit --record`."
        )
    return Trace(model)


def on_data(trace: Trace, data: Data, examples: Examples) -> Trace:
    """A trace on the data that its run learned from."""
    n, before = data.X.shape[0], trace._n_given
    if n != before:
        raise FileError(
            examples.called,
            f"it has {counted(n, 'example')}, but the run learned from {before:,}: give the data "
            "that the model was trained on.",
        )
    try:
        trace = trace.with_data(data.X, data.y)
        trace.weights(len(trace))  # other data would lead elsewhere
    except DataError:
        raise FileError(
            examples.called,
            "it has other examples than the run learned from: give the data that the model was "
            "trained on.",
        ) from None
    return trace


def drawn(arguments: Namespace, model: Any, trace: Trace | None, X: Any, y: Any, names: Any) -> Any:
    """The figure that was asked for."""
    from novikoff.plots import BoundaryDisplay, ComparisonDisplay, UpdateDisplay

    if trace is not None and arguments.kind != "update":
        return figure_of_run(trace, arguments.kind)
    if trace is not None:
        k = len(trace) if arguments.update is None else arguments.update
        if not 1 <= k <= len(trace):
            raise ParameterError(f"--update {k}: the run made {len(trace):,}.")
        display: Any = UpdateDisplay.from_trace(trace, k)
    elif arguments.kind == "comparison":
        try:
            display = ComparisonDisplay.from_data(X, y, random_state=0)
        except NotSeparable as error:
            raise ParameterError(
                "--kind comparison has the widest separator in it, but this data has none: it is "
                f"{error.separability.verdict}."
            ) from None
    else:
        display = BoundaryDisplay.from_estimator(model, X, y)
    if names is not None and X.shape[1] == 2:
        first, second = (name.replace("$", r"\$") for name in names)
        display.ax_.set(xlabel=first, ylabel=second)
    return display.figure_


def figure_of_run(trace: Trace, kind: str) -> Any:
    """The proof of a run, or its progress."""
    from novikoff.plots import ProgressDisplay, ProofDisplay

    display: Any = ProofDisplay if kind == "proof" else ProgressDisplay
    return display.from_trace(trace).figure_


# ------------------------------------------------------------- novikoff fit --plot


class Sketch:
    """The picture of a run, drawn when its model is written: so that the model is never lost."""

    def __init__(self, path: str, *, keep: bool) -> None:
        if path == "-":
            raise ParameterError("--plot needs the name of a file: give one that ends in .png.")
        self.path, self.keep = path, keep
        """Is the record of the run to stay in the model?"""
        self.kind = picture_kind(path, None)
        require_place(path)

    def of_blocks(self, training: Training) -> Trace:
        """What happened, with the examples of a run that has ended."""
        blocks = training.kept or [training.read()]
        if sum(size_of(block.X) for block in blocks) > training.memory:
            raise ParameterError(f"{training.too_large(training.hold or '')}: leave --plot out.")
        stack = sparse.vstack if sparse.issparse(blocks[0].X) else np.concatenate
        X = stack([block.X for block in blocks if len(block.y)])
        y = np.concatenate([block.y for block in blocks if len(block.y)])
        return self.of_model(training.model, X, y)

    def of_model(self, model: Any, X: Any, y: Any) -> Trace:
        """The same, of a model; which forgets it, unless it is to stay."""
        trace = Trace(model).with_data(X, y)
        if not self.keep:
            model.record, model._state.log = False, None
        return trace

    def draw(self, trace: Trace, model_path: str) -> None:
        """Draw the proof; the progress, where no proof exists."""
        try:
            self._draw(trace, model_path)
        except (KeyboardInterrupt, Terminated) as stop:
            raise type(stop)(f"{model_path} is written, but {self.path} is not") from None

    def _draw(self, trace: Trace, model_path: str) -> None:
        if not isinstance(trace._learner, Additive):
            name = type(trace._learner).__name__
            say(f"{name} has another proof, or none: {self.path} shows the progress of the run.")
            figure = figure_of_run(trace, "progress")
        elif trace._apart:
            say(f"every class has a proof of its own: {self.path} shows the progress of the run.")
            figure = figure_of_run(trace, "progress")
        else:
            try:
                figure = figure_of_run(trace, "proof")
            except NotSeparable as error:
                say(
                    f"the data is {error.separability.verdict} in the space of the run, so that "
                    f"there is no proof to draw: {self.path} shows the progress of the run."
                )
                figure = figure_of_run(trace, "progress")
            except NovikoffError:
                say(f"{model_path} is written, but {self.path} is not:")
                raise
        write_picture(figure, self.path, self.kind)
