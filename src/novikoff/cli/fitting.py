"""What `novikoff fit` does: which way to train, and the model that is written."""

import os
import time
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import has_fit_parameter

from novikoff.cli import DONE, say
from novikoff.cli.checkpoint import again, checkpoint_of
from novikoff.cli.commands.fit import AVERAGED, EPOCHS, EVERY, MEMORY
from novikoff.cli.conflicts import refuse, require_cluster
from novikoff.cli.data_file import BLOCK_BYTES, DataFile, require_room
from novikoff.cli.evaluation.held_out import (
    Estimate,
    Folds,
    estimated_in_blocks,
    estimated_whole,
    folds_of,
    refuse_held_out,
)
from novikoff.cli.learners import BY_WORD, given
from novikoff.cli.model_file import Model
from novikoff.cli.picture import Sketch
from novikoff.cli.progress import BlocksBar
from novikoff.cli.signals import Terminated, stopping
from novikoff.cli.summary import finish, tell_so_far
from novikoff.cli.text import counted, tell_columns, tell_unseen
from novikoff.cli.training import (
    Interrupted,
    Plan,
    Training,
    weights_by_label,
    weights_of_classes,
)
from novikoff.errors import FileError, NovikoffError, ParameterError
from novikoff.learners import Pocket
from novikoff.learners.base import MistakeDriven
from novikoff.learners.kernels.machine import DualLearner
from novikoff.max_margin.estimator import MaxMargin

BYTES_EACH = 32
"""What a model takes for a feature, in training and when it is written."""
MIXED = ("perceptron", "averaged")
"""Learners that learn on shards."""

IN_BLOCKS = ("progressive", "window", "block_bytes", "memory", "checkpoint", "every", "resume")
"""Options of fits that go block by block."""
NOT_ON_SHARDS = (
    *("progressive", "window", "plot", "record", "slack"),
    *("block_bytes", "memory", "every"),
)


# ------------------------------------------------------------- which way to train


def fit(arguments: Namespace) -> int:
    """Train, and write the model."""
    arguments.started = time.monotonic()
    if arguments.json and arguments.output == "-":
        raise ParameterError("--json prints to standard output, where -o - puts the model.")
    if arguments.sequences:
        from novikoff.cli.tagger import fit_sequences

        refuse_held_out(arguments, "--sequences")
        return fit_sequences(arguments)
    folds = folds_of(arguments)
    refuse(arguments, ("template",), "is an option of --sequences: give it too, or leave it out.")
    arguments.learner = arguments.learner or AVERAGED
    learner, parameters = BY_WORD[arguments.learner], given(arguments)
    require_sense(arguments)
    require_cluster(arguments)
    if arguments.cluster:
        require_mixed(arguments)
    sketch = Sketch(arguments.plot, keep=bool(arguments.record)) if arguments.plot else None
    if issubclass(learner, MaxMargin):
        seed = () if folds else ("seed",)
        require_whole(arguments, "the widest separator", ("epochs", *seed, "plot", *IN_BLOCKS))
        return fit_whole(learner(**parameters), sketch, folds, arguments)
    epochs = arguments.epochs or EPOCHS
    parameters |= {"max_iter": epochs, "random_state": arguments.seed or 0}
    if sketch and issubclass(learner, DualLearner):
        raise ParameterError(
            f"--plot draws the runs of learners with weights, and {arguments.learner} has dual "
            "coefficients: leave it out."
        )
    if sketch:
        parameters["record"] = True
    if arguments.n_jobs is not None and "n_jobs" in learner._parameters:
        parameters["n_jobs"] = arguments.n_jobs
    model = learner(**parameters)
    model._check_parameters()
    if isinstance(model, DualLearner):
        require_whole(arguments, "a kernel machine")
        return fit_whole(model, sketch, folds, arguments)
    if arguments.cluster:
        refuse_held_out(arguments, "--cluster")
        from novikoff.cli.cluster import fit_on_cluster

        return fit_on_cluster(model, arguments)
    if arguments.progressive:
        refuse_held_out(arguments, "--progressive, which measures that on the way")
        from novikoff.cli.progressive import fit_progressively

        return fit_progressively(model, arguments)
    if arguments.window is not None:
        raise ParameterError("--window is that of --progressive: give it too.")
    if isinstance(model, Pocket) or (parameters.get("slack") and epochs > 1):
        pocket = "the pocket" if isinstance(model, Pocket) else None
        require_whole(arguments, pocket or "--slack with more than one epoch")
        return fit_whole(model, sketch, folds, arguments)
    return fit_in_blocks(model, epochs, sketch, arguments, folds=folds)


def require_sense(arguments: Namespace) -> None:
    """Options must not contradict each other."""
    if arguments.shuffle is False and arguments.seed is not None:
        raise ParameterError("--seed is that of the random order, which --no-shuffle turns off.")
    if arguments.every is not None and not arguments.checkpoint:
        raise ParameterError("--every says how often to write a checkpoint: give --checkpoint too.")
    if arguments.every is not None and not arguments.every >= 0:
        raise ParameterError(f"--every {arguments.every:g} must not be negative.")
    words = [word for word, _ in arguments.class_weight or ()]
    if len(words) != len(set(words)) or ("balanced" in words and len(words) > 1):
        raise ParameterError(
            "--class-weight is balanced, or LABEL=WEIGHT for some labels, each once."
        )


def require_whole(arguments: Namespace, what: str, names: tuple[str, ...] = IN_BLOCKS) -> None:
    """Options of passes have no meaning where all examples are learned from at once."""
    why = f"is for learners that go block by block, but {what} needs all examples at once"
    refuse(arguments, names, f"{why}: leave it out.")


def require_mixed(arguments: Namespace) -> None:
    """What is learned on shards must be possible there."""
    if arguments.learner not in MIXED:
        raise ParameterError(
            f"--cluster mixes the weights of {' and '.join(MIXED)}, and not those of "
            f"{arguments.learner}: choose another --learner, or leave --cluster out."
        )
    refuse(arguments, NOT_ON_SHARDS, "has no meaning beside --cluster: leave it out.")
    if arguments.resume and not arguments.checkpoint:
        raise ParameterError("--resume goes on from a checkpoint: name it by --checkpoint.")


def tell_plan(file: DataFile, arguments: Namespace) -> None:
    """Say what becomes of the columns of a table, before it is learned from."""
    if "plan" in file.reading and not arguments.quiet:
        tell_columns(file.called, file.reading["plan"])


# ------------------------------------------------------------- block by block


def fit_in_blocks(
    model: MistakeDriven,
    epochs: int,
    sketch: Sketch | None,
    arguments: Namespace,
    opened: DataFile | None = None,
    folds: Folds | None = None,
) -> int:
    """Train on a file block by block: the one that was opened, or the one that was named."""
    checkpoint = checkpoint_of(arguments, once=arguments.data == "-")
    file = opened or DataFile.surveyed(arguments, arguments.data)
    tell_plan(file, arguments)
    require_room(file.called, file.reading.get("n_features", 1), BYTES_EACH)
    every = EVERY if arguments.every is None else float(arguments.every)
    training = Training(
        model,
        file,
        Plan(
            epochs,
            arguments.seed or 0,
            arguments.block_bytes or BLOCK_BYTES,
            sorted(arguments.classes) if arguments.classes else None,
            weights_of_classes(arguments),
        ),
        memory=arguments.memory or MEMORY,
        checkpoint=checkpoint,
        every=every if arguments.checkpoint else float("inf"),
        hold="--plot" if sketch else None,
    )
    if training.pipe is not None:
        training.hold = training.hold or (folds and folds.told)
        training.checkpoint = checkpoint = checkpoint_of(arguments, once=True)
    if arguments.resume and checkpoint:
        if os.path.exists(checkpoint):
            training.resume()
        else:
            say(f"{checkpoint} does not exist: starting from the beginning.")
    try:
        with (
            BlocksBar(training, hidden=arguments.quiet) as progress,
            stopping(training.end) as stopped,
        ):
            training.run(progress)
    except Interrupted:
        return tell_stopped(training, arguments, stopped[0])
    trace = sketch.of_blocks(training) if sketch else None
    with writing(lambda estimate: finish_training(training, arguments, estimate), arguments) as end:
        if folds:
            seed, quiet = training.plan.seed, arguments.quiet
            end.estimate = estimated_in_blocks(
                model, folds, epochs, seed, training.blocks_again, hidden=quiet
            )
    if training.wrote and checkpoint and os.path.exists(checkpoint):
        os.remove(checkpoint)
    if sketch and trace:
        sketch.draw(trace, arguments.output)
    return DONE


class Writing:
    """A model that is trained and not yet written: an estimate may come before."""

    estimate: Estimate | None = None


@contextmanager
def writing(write: Callable[[Estimate | None], None], arguments: Namespace) -> Iterator[Writing]:
    """Write a model at the end, with its estimate if there is one, and whatever happens."""
    end = Writing()
    try:
        yield end
    except (KeyboardInterrupt, Terminated, NovikoffError) as stop:
        write(None)
        told = f"{arguments.output} was written, but how good the model is could not be measured"
        if not isinstance(stop, NovikoffError):
            raise type(stop)(told) from None
        say(f"{told}:")
        raise
    write(end.estimate)


def finish_training(
    training: Training, arguments: Namespace, estimate: Estimate | None = None
) -> None:
    """Write the model of a run over blocks, as far as it has come."""
    at, reading = training.at, training.file.reading
    n = training.n_examples or at.examples
    tell_unseen(training.unseen)
    skipped, names = at.bad_lines, training.names
    finish(training.model, names, reading, skipped, n, arguments, estimate)


def tell_stopped(training: Training, arguments: Namespace, number: int) -> int:
    """Say where the run was stopped, and what there is of it; the status of that signal."""
    at, n = training.at, counted(training.at.examples, "example")
    where = f"epoch {at.epoch + 1} after {at.examples:,} of its examples"
    if training.pipe is not None and training.usable:
        finish_training(training, arguments)
        where = f"after {n}" if at.epoch == 0 else f"in epoch {at.epoch + 1}, after {n} of it"
        return tell_so_far(where, arguments.output, number)
    if training.wrote:
        of = f" of {training.paths[at.file]}" if len(training.paths) > 1 else ""
        say(f"stopped in {where}, at line {at.line:,}{of}. Go on with:\n  {again()}")
    else:
        say(f"stopped in {where}. Nothing was written, and there is nothing to go on from.")
    return 128 + number


# ------------------------------------------------------------- all at once


def fit_whole(
    model: Model, sketch: Sketch | None, folds: Folds | None, arguments: Namespace
) -> int:
    """Train on a file that is read into memory as a whole, where the learner needs that."""
    file = DataFile.surveyed(arguments, arguments.data)
    tell_plan(file, arguments)
    data = file.read()
    require_room(file.called, data.X.shape[1], BYTES_EACH)
    if file.reading["format"] == "svmlight":  # also of what could not be surveyed
        known = {"n_features": int(data.X.shape[1]), "zero_based": data.base == 0}
        file = file._replace(reading=file.reading | known)
    many = getattr(model, "_takes_many_classes", False)
    file.require_classes(data, arguments.classes, many=many)
    weighs = {} if data.weight is None else {"sample_weight": data.weight}
    if weighs and not has_fit_parameter(model, "sample_weight"):
        raise FileError(
            file.called,
            f"its examples have weights, which {arguments.learner} does not take: "
            f"{'take them out' if arguments.weight is None else 'leave --weight out'}.",
        )
    weights = weights_of_classes(arguments)
    if weights is not None:
        model.class_weight = weights_by_label(weights, np.unique(data.y))
    with warnings.catch_warnings(), file.blaming(data):
        warnings.simplefilter("ignore", ConvergenceWarning)  # the summary says so
        model.fit(data.X, data.y, **weighs)
    trace = sketch.of_model(model, data.X, data.y) if sketch else None
    tell_unseen(data.unseen)
    left, n = data.skipped, len(data.y)

    def write(estimate: Estimate | None) -> None:
        finish(model, data.names, file.reading, left, n, arguments, estimate)

    with writing(write, arguments) as end:
        if folds:
            end.estimate = estimated_whole(model, folds, data)
    if sketch and trace:
        sketch.draw(trace, arguments.output)
    return DONE
