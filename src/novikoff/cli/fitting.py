"""`novikoff fit`."""

import os
import shlex
import sys
import time
import warnings
from argparse import Namespace
from inspect import signature
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import has_fit_parameter

import novikoff
from novikoff.cli import DONE, say
from novikoff.cli.drawing import Sketch
from novikoff.cli.meaning import require_cluster, require_learner_has, require_whole
from novikoff.cli.options import EITHER, KERNELS, LEARNERS, NOT_HERE, WHOLE, flag, given
from novikoff.cli.paths import require_different, require_one_output, require_place
from novikoff.cli.progress import Progress
from novikoff.cli.reading import (
    named_classes,
    outward,
    require_labels_of_classes,
    require_room,
    surveyed,
    tell_skipped,
)
from novikoff.cli.stopping import stopping, tell_so_far
from novikoff.cli.training import Interrupted, OtherRun, Plan, Training, weights_by_label
from novikoff.cli.wording import counted
from novikoff.data.opener import Pipe
from novikoff.data.results import Skipped
from novikoff.errors import BadRow, FileError, ParameterError
from novikoff.store import load_with_extra, save

EPOCHS, BLOCK_BYTES, MEMORY, EVERY = 10, 2**24, 2**30, 60.0
BYTES_EACH = 32
"""What a model takes for a feature, in training and when it is written."""


def fit(arguments: Namespace) -> int:
    """Train, and write the model."""
    require_learner_has(arguments)
    require_cluster(arguments)
    require_one_output(output=arguments.output, plot=arguments.plot)
    require_different(arguments.data, arguments.output, arguments.plot)
    require_place(arguments.output)
    parameters = given(arguments)
    sketch = Sketch(arguments.plot, keep=bool(arguments.record)) if arguments.plot else None
    learner = getattr(novikoff, LEARNERS[arguments.learner])
    if arguments.learner == "max-margin":
        require_whole(arguments, arguments.learner)
        return whole(learner(**parameters), sketch, arguments)
    epochs = arguments.epochs or EPOCHS
    parameters |= {"max_iter": epochs, "random_state": arguments.seed or 0}
    if sketch and arguments.learner in KERNELS:
        raise ParameterError(
            f"--plot draws the runs of learners with weights, and {arguments.learner} has dual "
            "coefficients: leave it out."
        )
    if sketch:
        parameters["record"] = True
    if arguments.n_jobs is not None and "n_jobs" in signature(learner).parameters:
        parameters["n_jobs"] = arguments.n_jobs
    model = learner(**parameters)
    model._check_parameters()
    if arguments.learner in KERNELS:
        require_whole(arguments, arguments.learner)
    if arguments.cluster:
        from novikoff.cli.clustering import on_cluster

        return on_cluster(model, arguments)
    if arguments.progressive:
        return progressive_fit(model, arguments)
    if arguments.window is not None:
        raise ParameterError("--window is that of --progressive: give it too.")
    if arguments.learner in WHOLE or (parameters.get("slack") and epochs > 1):
        require_whole(arguments, arguments.learner)
        return whole(model, sketch, arguments)
    return in_blocks(model, epochs, sketch, arguments)


def progressive_fit(model: Any, arguments: Namespace) -> int:
    """Predict every example of a file before it is learned, and write what was learned."""
    from novikoff.cli.progressing import progressively

    started = time.monotonic()
    weights = weights_of_classes(arguments)
    if isinstance(weights, dict):
        raise ParameterError("--class-weight is balanced beside --progressive, or left out.")
    if weights is not None:
        model.class_weight = weights
    stopped: list[int] = []
    model, blocks = progressively(model, arguments, stopped)
    finish(model, blocks.names, blocks.examples.reading, blocks.skipped, blocks.n, arguments)
    if not arguments.quiet:
        summarize(model, time.monotonic() - started)
    if stopped:
        return tell_so_far(f"after {counted(blocks.n, 'example')}", arguments.output, stopped[0])
    return DONE


def weights_of_classes(arguments: Namespace) -> dict[str, float] | str | None:
    """What was given as `--class-weight`."""
    weights = dict(arguments.class_weight or ())
    return "balanced" if "balanced" in weights else weights or None


def checkpoint_of(arguments: Namespace, *, once: bool) -> str | None:
    """Where to write down how far the run is."""
    if once and (arguments.resume or arguments.checkpoint):
        what = "--resume" if arguments.resume else "--checkpoint"
        raise ParameterError(
            f"What can be read only once cannot be gone on with: {what} needs a file."
        )
    if arguments.checkpoint == "-":
        raise ParameterError("--checkpoint needs the name of a file: it is read again.")
    if arguments.resume and arguments.output == "-" and not arguments.checkpoint:
        raise ParameterError("--resume goes on from a checkpoint: name it by --checkpoint.")
    if once or (arguments.output == "-" and not arguments.checkpoint):
        return None
    checkpoint: str = arguments.checkpoint or f"{arguments.output}.checkpoint"
    require_different(arguments.data, arguments.output, arguments.plot, checkpoint)
    require_place(checkpoint)
    if os.path.exists(checkpoint) and "checkpoint" not in load_with_extra(checkpoint)[1]:
        raise ParameterError(f"{checkpoint} exists and is no checkpoint: name another file.")
    return checkpoint


def in_blocks(model: Any, epochs: int, sketch: Sketch | None, arguments: Namespace) -> int:
    """Train on a file block by block."""
    started = time.monotonic()
    checkpoint = checkpoint_of(arguments, once=arguments.data == "-")
    examples = surveyed(arguments, arguments.data)
    pipe = examples.source if isinstance(examples.source, Pipe) else None
    if pipe is not None:
        checkpoint = checkpoint_of(arguments, once=True)
    require_room(examples, examples.reading.get("n_features", 1), BYTES_EACH)
    plan = Plan(
        epochs,
        arguments.seed or 0,
        arguments.block_bytes or BLOCK_BYTES,
        examples.reading,
        sorted(arguments.classes) if arguments.classes else None,
        weights_of_classes(arguments),
    )
    training = Training(
        model,
        arguments.data,
        plan,
        pipe=pipe,
        memory=arguments.memory or MEMORY,
        checkpoint=checkpoint,
        every=next_write(arguments),
        hold="--plot needs all examples at once" if sketch else None,
    )
    if arguments.resume and checkpoint:
        resume(training, checkpoint)
    stopped: list[int] = []
    try:
        with (
            Progress(training, hidden=arguments.quiet) as progress,
            stopping(training.end, stopped),
        ):
            training.run(progress)
    except Interrupted:
        if pipe is None or not training.usable:
            return tell_stopped(training, stopped[0])
        finish_training(training, arguments)
        return tell_so_far(where_in(training), arguments.output, stopped[0])
    trace = sketch.of_blocks(training) if sketch else None
    finish_training(training, arguments)
    if training.wrote and checkpoint and os.path.exists(checkpoint):
        os.remove(checkpoint)
    if not arguments.quiet:
        summarize(training.model, time.monotonic() - started)
    if sketch and trace:
        sketch.draw(trace, arguments.output)
    return DONE


def next_write(arguments: Namespace) -> float:
    """The seconds from one checkpoint to the next."""
    if not arguments.checkpoint:
        return float("inf")
    return EVERY if arguments.every is None else float(arguments.every)


def resume(training: Training, checkpoint: str) -> None:
    """Go on from a checkpoint, if there is one."""
    if not os.path.exists(checkpoint):
        say(f"{checkpoint} does not exist: starting from the beginning.")
        return
    try:
        training.resume()
    except OtherRun as error:
        raise ParameterError(difference(error, training.source)) from None


def difference(error: OtherRun, source: str) -> str:
    """What a checkpoint and this run differ in, in the command's words."""
    then = "repeat the command that wrote it, or leave --resume out to start anew."
    if error.name == "a file like":
        return (
            f"{error.path} was written by a run on other data: {source} was changed since, or is "
            "another file. Leave --resume out to start anew."
        )
    name, before, now = error.name, error.before, error.now
    if name == "reading" and isinstance(before, dict) and isinstance(now, dict):
        name = next(key for key in sorted({*before, *now}) if before.get(key) != now.get(key))
        before, now = before.get(name), now.get(name)
    if name == "learner":
        before, now = (
            next((word for word, c in LEARNERS.items() if c == called), called)
            for called in (before, now)
        )
    return (
        f"{error.path} was written by a run with {option(name, before)}, but this one has "
        f"{option(name, now)}: {then}"
    )


def option(name: str, value: Any) -> str:
    """An option as it is given on the command line."""
    word = NOT_HERE.get(name, flag(name))
    if str(value) in ("None", "auto"):
        return f"no {word}"
    if str(value) in ("True", "False"):
        return word if str(value) == "True" else word.replace("--", "--no-", 1)
    if isinstance(value, dict):
        return " ".join(f"{word} {label}={weight:g}" for label, weight in value.items())
    return f"{word} {' '.join(map(str, value)) if isinstance(value, list) else value}"


def where_in(training: Training) -> str:
    """Where a run over a pipe was stopped."""
    n, epoch = counted(training.at.examples, "example"), training.at.epoch
    return f"after {n}" if epoch == 0 else f"in epoch {epoch + 1}, after {n} of it"


def tell_stopped(training: Training, number: int) -> int:
    """Say where the run was stopped, and how to go on; the status of that signal."""
    where = f"epoch {training.at.epoch + 1} after {training.at.examples:,} of its examples"
    if training.wrote:
        say(f"stopped in {where}, at line {training.at.line:,}. Go on with:\n  {again()}")
    else:
        say(f"stopped in {where}. Nothing was written, and there is nothing to go on from.")
    return 128 + number


def whole(model: Any, sketch: Sketch | None, arguments: Namespace) -> int:
    """Train on a file that is read into memory as a whole, where the learner needs that."""
    started = time.monotonic()
    examples = surveyed(arguments, arguments.data)
    data = examples.read()
    require_room(examples, data.X.shape[1], BYTES_EACH)
    if examples.reading["format"] == "svmlight":  # also of what could not be surveyed
        known = {"n_features": int(data.X.shape[1]), "zero_based": data.base == 0}
        examples = examples._replace(reading=examples.reading | known)
    many = getattr(model, "_takes_many_classes", False)
    require_labels_of_classes(data, examples, arguments.classes, many=many)
    if data.weight is not None and not has_fit_parameter(model, "sample_weight"):
        raise FileError(
            examples.called,
            f"its examples have weights, which {arguments.learner} does not take: "
            f"{'take them out' if arguments.weight is None else 'leave --weight out'}.",
        )
    weights = weights_of_classes(arguments)
    if weights is not None:
        model.class_weight = weights_by_label(weights, np.unique(data.y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the summary says so
        try:
            if data.weight is None:
                model.fit(data.X, data.y)
            else:
                model.fit(data.X, data.y, sample_weight=data.weight)
        except BadRow as error:
            raise examples.blamed(data, error.row, f"{error.what}. {error.advice}") from None
    trace = sketch.of_model(model, data.X, data.y) if sketch else None
    finish(model, data.names, examples.reading, data.skipped, len(data.y), arguments)
    if not arguments.quiet:
        summarize(model, time.monotonic() - started)
    if sketch and trace:
        sketch.draw(trace, arguments.output)
    return DONE


def finish_training(training: Training, arguments: Namespace) -> None:
    """Write the model of a run over blocks, as far as it has come."""
    at, n = training.at, training.n_examples or training.at.examples
    skipped = Skipped(at.skipped, tuple(at.messages))
    finish(training.model, training.names, training.plan.reading, skipped, n, arguments)


def finish(
    model: Any,
    names: list[str] | None,
    reading: dict[str, Any],
    skipped: Skipped,
    n_examples: int,
    arguments: Namespace,
) -> None:
    """Write the model, and say which lines were left out."""
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    if reading.get("format") == "vw":
        model.feature_hash_ = {"bits": reading.get("bits", 18)}
    kept = {k: reading[k] for k in sorted(reading) if k not in ("n_jobs", "bad_lines")}
    extra = {"reading": kept, "bad_lines": skipped.n_lines, "examples": n_examples}
    save(model, arguments.output, extra=extra)
    tell_skipped(skipped)


def summarize(model: Any, seconds: float) -> None:
    """What a run came to, for people."""
    print(
        f"{type(model).__name__} of {named_classes(model.classes_)}, {seconds:.1f} s",
        file=sys.stderr,
    )
    if hasattr(model, "gap_"):
        lower, upper = outward(model.margin_)
        on_it = counted(len(model.support_), "example")
        print(f"margin {lower} to {upper}, {on_it} on it or inside", file=sys.stderr)
        return
    made = f"{counted(model.n_mistakes_, 'mistake')} in {counted(model.n_iter_, 'epoch')}"
    if not model.converged_:
        last = f", {model.mistakes_[-1]:,} of them in the last" if model.n_iter_ > 1 else ""
        print(f"made {made}{last}", file=sys.stderr)
        if model.mistakes_[-1] and model.n_iter_ > 1:  # one pass is not meant to end well
            print(what_to_do(model), file=sys.stderr)
    elif hasattr(model, "mistake_bound_") and model.mistake_bound_ < float("inf"):
        print(
            f"made {made}, none in the last; no order of these examples can force more than "
            f"{model.mistake_bound_:,.0f}",
            file=sys.stderr,
        )
    else:
        print(f"made {made}, none in the last", file=sys.stderr)


def what_to_do(model: Any) -> str:
    """What may help a run of several epochs whose last one still made mistakes."""
    if type(model).__name__ in [LEARNERS[word] for word in KERNELS]:
        return "more --epochs may find a separator, and so may another --kernel or --gamma"
    will = "will" if type(model).__name__ in [LEARNERS[word] for word in EITHER] else "may"
    return (
        f"more --epochs {will} find a separator if there is one, and `novikoff certify` tells "
        "whether there is"
    )


def again() -> str:
    """The command line that goes on with this run."""
    words = [*sys.argv[1:]]
    return shlex.join(["novikoff", *words, *(["--resume"] if "--resume" not in words else [])])
