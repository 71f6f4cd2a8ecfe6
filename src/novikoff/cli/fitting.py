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

from sklearn.exceptions import ConvergenceWarning

import novikoff
from novikoff.cli import DONE, STOPPED, say
from novikoff.cli.options import LEARNERS, given, misplaced
from novikoff.cli.progress import Progress
from novikoff.cli.reading import asked, shown
from novikoff.data.options import Skipped
from novikoff.data.reader import read
from novikoff.errors import ParameterError
from novikoff.store import save
from novikoff.training import STDIN, Interrupted, Training, planned

EPOCHS = 10


def fit(arguments: Namespace) -> int:
    """Train, and write the model."""
    if complaint := misplaced(arguments):
        raise ParameterError(complaint)
    if arguments.every < 0:
        raise ParameterError(f"--every {arguments.every:g} must not be negative.")
    parameters = given(arguments)
    learner = getattr(novikoff, LEARNERS[arguments.learner])
    if arguments.learner == "max-margin":
        return whole(learner(**parameters), arguments)
    epochs = arguments.epochs or EPOCHS
    if parameters.get("slack") and epochs > 1:
        return whole(learner(**parameters, max_iter=epochs, random_state=arguments.seed), arguments)
    model = learner(**parameters, max_iter=epochs, random_state=arguments.seed)
    model._check_common()
    return in_blocks(model, epochs, arguments)


def in_blocks(model: Any, epochs: int, arguments: Namespace) -> int:
    """Train on a file block by block."""
    if arguments.resume and arguments.data == STDIN:
        raise ParameterError("Standard input cannot be read again: --resume needs a file.")
    started = time.monotonic()
    plan = planned(arguments.data, epochs, arguments.seed, arguments.block_bytes, asked(arguments))
    checkpoint = arguments.checkpoint or f"{arguments.output}.checkpoint"
    training = Training(
        model,
        arguments.data,
        plan,
        memory=arguments.memory,
        checkpoint=checkpoint,
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
        say(
            f"stopped in epoch {training.at.epoch + 1} after {training.at.examples:,} of its "
            f"examples, at line {training.at.line:,}. Go on with:\n  {again(arguments)}"
        )
        return STOPPED
    model = training.model
    if plan.reading.get("format") == "vw":
        model.feature_hash_ = {"bits": plan.reading.get("bits", 18)}
    reading = {k: v for k, v in plan.reading.items() if k not in ("n_jobs", "bad_lines")}
    finish(model, training.names, reading, skipped_of(training), arguments)
    if os.path.exists(checkpoint) and (arguments.resume or arguments.checkpoint):
        os.remove(checkpoint)
    if not arguments.quiet:
        summarize(model, time.monotonic() - started)
    return DONE


def skipped_of(training: Training) -> Skipped:
    """The bad lines of a run."""
    return Skipped(training.at.skipped, tuple(training.at.messages))


def whole(model: Any, arguments: Namespace) -> int:
    """Train on a file that is read into memory as a whole, where the learner needs that."""
    if arguments.checkpoint or arguments.resume:
        raise ParameterError(
            f"--checkpoint and --resume are for learners that go block by block; "
            f"{type(model).__name__} with these options needs all examples at once."
        )
    started = time.monotonic()
    data = read(arguments.data, **asked(arguments))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the summary says so
        if data.weight is None:
            model.fit(data.X, data.y)
        else:
            model.fit(data.X, data.y, sample_weight=data.weight)
    finish(model, data.names, asked(arguments), data.skipped, arguments)
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
    import numpy as np

    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    save(model, arguments.output, extra={"reading": reading, "bad_lines": skipped.n_lines})
    if skipped.n_lines:
        lines = "line was" if skipped.n_lines == 1 else "lines were"
        first = "".join(f"\n  {message}" for message in skipped.messages)
        say(f"{skipped.n_lines:,} bad {lines} left out; the first:{first}")


def summarize(model: Any, seconds: float) -> None:
    """What a run came to, for people."""
    names = " and ".join(shown(c) for c in model.classes_)
    print(f"{type(model).__name__} of {names}, {seconds:.1f} s", file=sys.stderr)
    if hasattr(model, "gap_"):
        print(
            f"margin {model.margin_.lower:.6g} to {model.margin_.upper:.6g}, "
            f"{len(model.support_):,} examples on it or inside",
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


def again(arguments: Namespace) -> str:
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
