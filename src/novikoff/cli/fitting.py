"""`novikoff fit`."""

import os
import shlex
import signal
import sys
import time
import warnings
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import novikoff
from novikoff.cli import DONE, STOPPED, say
from novikoff.cli.options import LEARNERS, given, misplaced
from novikoff.cli.progress import Progress
from novikoff.cli.reading import (
    outward,
    require_different,
    require_place,
    shown,
    surveyed,
    tell_skipped,
)
from novikoff.data.options import Skipped
from novikoff.data.reader import read
from novikoff.errors import ParameterError
from novikoff.store import load_with_extra, save
from novikoff.training import STDIN, Interrupted, Plan, Training

EPOCHS = 10


def fit(arguments: Namespace) -> int:
    """Train, and write the model."""
    if complaint := misplaced(arguments):
        raise ParameterError(complaint)
    if not arguments.every >= 0:
        raise ParameterError(f"--every {arguments.every:g} must not be negative.")
    require_different(arguments.data, arguments.output)
    require_place(arguments.output)
    parameters = given(arguments)
    learner = getattr(novikoff, LEARNERS[arguments.learner])
    if arguments.learner == "max-margin":
        return whole(learner(**parameters), arguments)
    epochs = arguments.epochs or EPOCHS
    model = learner(**parameters, max_iter=epochs, random_state=arguments.seed)
    if parameters.get("slack") and epochs > 1:
        return whole(model, arguments)
    model._check_common()
    return in_blocks(model, epochs, arguments)


def in_blocks(model: Any, epochs: int, arguments: Namespace) -> int:
    """Train on a file block by block."""
    from_stdin = arguments.data == STDIN
    if arguments.resume and from_stdin:
        raise ParameterError("Standard input cannot be read again: --resume needs a file.")
    started = time.monotonic()
    checkpoint = arguments.checkpoint or f"{arguments.output}.checkpoint"
    require_different(arguments.data, arguments.output, checkpoint)
    require_place(checkpoint)
    if os.path.exists(checkpoint) and "checkpoint" not in load_with_extra(checkpoint)[1]:
        raise ParameterError(f"{checkpoint} exists and is no checkpoint: name another file.")
    plan = Plan(epochs, arguments.seed, arguments.block_bytes, surveyed(arguments))
    training = Training(
        model,
        arguments.data,
        plan,
        memory=arguments.memory,
        checkpoint=None if from_stdin else checkpoint,
        every=arguments.every if arguments.checkpoint else float("inf"),
    )
    if arguments.resume:
        if os.path.exists(checkpoint):
            training.resume()
        else:
            say(f"{checkpoint} does not exist: starting from the beginning.")
    try:
        with Progress(training, hidden=arguments.quiet) as progress, stopping(training):
            training.run(progress)
    except Interrupted:
        where = f"epoch {training.at.epoch + 1} after {training.at.examples:,} of its examples"
        if not training.wrote:
            say(f"stopped in {where}. Nothing was written, and there is nothing to go on from.")
        else:
            say(f"stopped in {where}, at line {training.at.line:,}. Go on with:\n  {again()}")
        return STOPPED
    skipped = Skipped(training.at.skipped, tuple(training.at.messages))
    finish(training.model, training.names, plan.reading, skipped, arguments)
    if training.wrote and os.path.exists(checkpoint):
        os.remove(checkpoint)
    if not arguments.quiet:
        summarize(training.model, time.monotonic() - started)
    return DONE


def whole(model: Any, arguments: Namespace) -> int:
    """Train on a file that is read into memory as a whole, where the learner needs that."""
    if arguments.checkpoint or arguments.resume:
        raise ParameterError(
            f"--checkpoint and --resume are for learners that go block by block; "
            f"{type(model).__name__} with these options needs all examples at once."
        )
    started = time.monotonic()
    reading = surveyed(arguments)
    data = read(arguments.data, **reading)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the summary says so
        if data.weight is None:
            model.fit(data.X, data.y)
        else:
            model.fit(data.X, data.y, sample_weight=data.weight)
    finish(model, data.names, reading, data.skipped, arguments)
    if not arguments.quiet:
        summarize(model, time.monotonic() - started)
    return DONE


def finish(
    model: Any,
    names: list[str] | None,
    reading: dict[str, Any],
    skipped: Skipped,
    arguments: Namespace,
) -> None:
    """Write the model, and say which lines were left out."""
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    if reading.get("format") == "vw":
        model.feature_hash_ = {"bits": reading.get("bits", 18)}
    kept = {k: reading[k] for k in sorted(reading) if k not in ("n_jobs", "bad_lines")}
    save(model, arguments.output, extra={"reading": kept, "bad_lines": skipped.n_lines})
    tell_skipped(skipped)


def summarize(model: Any, seconds: float) -> None:
    """What a run came to, for people."""
    names = " and ".join(shown(c) for c in model.classes_)
    print(f"{type(model).__name__} of {names}, {seconds:.1f} s", file=sys.stderr)
    if hasattr(model, "gap_"):
        lower, upper = outward(model.margin_)
        print(
            f"margin {lower} to {upper}, {len(model.support_):,} examples on it or inside",
            file=sys.stderr,
        )
        return
    epochs = model.n_iter_
    made = f"{model.n_mistakes_:,} mistakes in {epochs} epoch{'s' * (epochs != 1)}"
    if not model.converged_:
        print(f"made {made}, {model.mistakes_[-1]:,} of them in the last", file=sys.stderr)
    elif hasattr(model, "mistake_bound_") and model.mistake_bound_ < float("inf"):
        print(
            f"made {made}, none in the last; no order of these examples can force more than "
            f"{model.mistake_bound_:,.0f}",
            file=sys.stderr,
        )
    else:
        print(f"made {made}, none in the last", file=sys.stderr)


def again() -> str:
    """The command line that goes on with this run."""
    words = [*sys.argv[1:]]
    return shlex.join(["novikoff", *words, *(["--resume"] if "--resume" not in words else [])])


@contextmanager
def stopping(training: Training) -> Iterator[None]:
    """Let Ctrl-C end the run after the block it is at; a second one ends it at once."""

    def stop(number: int, frame: Any) -> None:
        training.stop = True
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
