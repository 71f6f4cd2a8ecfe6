"""`novikoff plot`."""

import warnings
from argparse import Namespace
from typing import TYPE_CHECKING

from novikoff.cli import DONE
from novikoff.cli.options import AS_TRAINED, COUNT, ask_reading
from novikoff.cli.parser import A_MODEL, Parser
from novikoff.cli.text import counted
from novikoff.errors import DataError, FileError, NotSeparable, ParameterError

if TYPE_CHECKING:
    from novikoff.cli.data_file import DataFile
    from novikoff.cli.model_file import Model, ModelFile
    from novikoff.data.results import Data
    from novikoff.proofs.trace import Trace

KINDS = ("boundary", "update", "proof", "progress", "comparison")
OF_RUNS = ("update", "proof", "progress")
PICTURES = ("png", "svg", "pdf")


def options(parser: Parser) -> None:
    """What can be asked."""
    parser.reads("model", "MODEL", A_MODEL)
    told = "the training data, or for a boundary any examples"
    parser.reads("data", "DATA", told, several=True)
    output = "draw to this .png, .svg or .pdf file, or - for standard output"
    parser.writes("-o --output", "PICTURE", output, required=True)
    parser.ask("--to", "format of PICTURE (default: by its ending)", choices=PICTURES)
    kind = (
        "what to draw (default: boundary); update, proof and progress need a model of `fit "
        "--record`"
    )
    parser.ask("--kind", kind, choices=KINDS, default="boundary")
    parser.ask("--update", "with --kind update, draw the Nth (default: the last)", COUNT)
    ask_reading(parser, title=AS_TRAINED, work="predict")
    parser.examples = (
        "novikoff plot my.model train.csv -o boundary.png",
        "novikoff plot recorded.model train.csv -o proof.svg --kind proof",
    )


def run(arguments: Namespace) -> int:
    """Draw a model on data."""
    from sklearn.exceptions import ConvergenceWarning

    from novikoff.cli.model_file import ModelFile
    from novikoff.cli.picture import picture_kind, write_picture

    if arguments.update is not None and arguments.kind != "update":
        raise ParameterError(f"--update has a meaning for --kind update, not {arguments.kind}.")
    kind = picture_kind(arguments.output, arguments.to)
    trained = ModelFile.load(arguments.model)
    if len(trained.model.classes_) > 2 and arguments.kind in ("update", "comparison"):
        raise ParameterError(
            f"--kind {arguments.kind} is of two classes, but {arguments.model} has "
            f"{len(trained.model.classes_)}: draw --kind boundary, proof or progress."
        )
    trace = trace_of(trained.model, arguments) if arguments.kind in OF_RUNS else None
    if trace is not None and trace._apart and arguments.kind == "proof":
        raise ParameterError(
            f"Every class of {arguments.model} has a machine and a proof of its own: draw --kind "
            "progress."
        )
    file = trained.data(arguments)
    data = trained.read(file)
    trained.require_known(data, file)
    require_plane(arguments.kind, data.X.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if trace is not None:
            trace = on_data(trace, data, file)
        figure = drawn(arguments, trained, trace, data)
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


def trace_of(model: "Model", arguments: Namespace) -> "Trace":
    """What a model keeps of its run."""
    from novikoff.learners.base import MistakeDriven
    from novikoff.proofs.trace import Trace

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


def on_data(trace: "Trace", data: "Data", file: "DataFile") -> "Trace":
    """A trace on the data that its run learned from."""
    n, before = data.X.shape[0], trace._n_given
    if n != before:
        raise FileError(
            file.called,
            f"it has {counted(n, 'example')}, but the run learned from {before:,}: give the data "
            "that the model was trained on.",
        )
    try:
        trace = trace.with_data(data.X, data.y)
        trace.weights(len(trace))  # other data would lead elsewhere
    except DataError:
        raise FileError(
            file.called,
            "it has other examples than the run learned from: give the data that the model was "
            "trained on.",
        ) from None
    return trace


def drawn(
    arguments: Namespace, trained: "ModelFile", trace: "Trace | None", data: "Data"
) -> object:
    """The figure that was asked for."""
    from novikoff.cli.picture import figure_of_run
    from novikoff.plots import BoundaryDisplay, ComparisonDisplay, UpdateDisplay
    from novikoff.plots.style import Display

    if trace is not None and arguments.kind != "update":
        try:
            return figure_of_run(trace, arguments.kind)
        except NotSeparable as error:
            told = f"{error.args[0]} Or draw --kind progress."
            raise DataError(told, **error.parameters) from None
    if trace is not None:
        k = len(trace) if arguments.update is None else arguments.update
        if not 1 <= k <= len(trace):
            raise ParameterError(f"--update {k}: the run made {len(trace):,}.")
        display: Display = UpdateDisplay.from_trace(trace, k)
    elif arguments.kind == "comparison":
        try:
            display = ComparisonDisplay.from_data(data.X, data.y, random_state=0)
        except NotSeparable as error:
            raise ParameterError(
                "--kind comparison has the widest separator in it, but this data has none: it is "
                f"{error.separability.verdict}."
            ) from None
    else:
        display = BoundaryDisplay.from_estimator(trained.model, data.X, data.y)
    if trained.names is not None and len(trained.names) == 2:
        first, second = (name.replace("$", r"\$") for name in trained.names)
        display.ax_.set(xlabel=first, ylabel=second)
    return display.figure_
