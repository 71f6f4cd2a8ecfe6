"""Options that have no meaning beside the others that were given: an error, never a silence."""

from argparse import Namespace

from novikoff.cli.options import KERNELS, OF_FORMATS, PARAMETERS, flag
from novikoff.errors import ParameterError

BLOCKS = (
    *("epochs", "seed", "plot"),
    *("progressive", "window", "block_bytes", "memory", "checkpoint", "every", "resume"),
)
"""Options of fits that make passes; from the fourth on, of those that go block by block."""

MIXED = ("perceptron", "averaged")
NOT_THERE = ("progressive", "window", "plot", "record", "slack", "block_bytes", "memory", "every")
ONLY_THERE = ("mixing", "shard_bytes", "workers")
"""Learners that learn on shards; options without a meaning there, and those of shards alone."""


def was_given(arguments: Namespace, name: str) -> bool:
    """Was an option on the command line, one that is not a flag for yes or no?"""
    value = getattr(arguments, name, None)
    return value is not None and value is not False


def spelled(arguments: Namespace, name: str) -> str:
    """An option as it was given."""
    off = getattr(arguments, name) is False
    return flag(f"no-{name}" if off else name)


def require_meaning(arguments: Namespace, path: str, kind: str) -> None:
    """Every option of readers that was given must have a meaning for the format."""
    for name, formats in OF_FORMATS.items():
        value = getattr(arguments, name, None)
        given = value is not None and not (name == "unlabelled" and value is False)
        if given and kind not in formats:
            raise ParameterError(
                f"{spelled(arguments, name)} has a meaning for {' and '.join(formats)} only, but "
                f"{path} is read as {kind}: leave it out, or give another --format."
            )
    if was_given(arguments, "unlabelled") and arguments.label is not None:
        raise ParameterError("--label and --unlabelled contradict each other: leave one out.")


def require_no_reading(arguments: Namespace, why: str) -> None:
    """No option of readers may be given where nothing is read."""
    for name in ("format", "n_jobs", *OF_FORMATS):
        if getattr(arguments, name, None) is not None:
            raise ParameterError(f"{spelled(arguments, name)} has no meaning here: {why}")
    if arguments.bad_lines is not None:
        raise ParameterError(f"--bad-lines has no meaning here: {why}")


def require_learner_has(arguments: Namespace) -> None:
    """Every parameter that was given must be one of the learner's."""
    for p in PARAMETERS:
        if getattr(arguments, p.name) is not None and arguments.learner not in p.learners:
            raise ParameterError(
                f"{spelled(arguments, p.name)} is an option of {', '.join(p.learners)}, and not of "
                f"{arguments.learner}: leave it out, or choose another --learner."
            )
    if arguments.shuffle is False and arguments.seed is not None:
        raise ParameterError("--seed is that of the random order, which --no-shuffle turns off.")
    if arguments.every is not None and not arguments.checkpoint:
        raise ParameterError("--every says how often to write a checkpoint: give --checkpoint too.")
    if arguments.every is not None and not arguments.every >= 0:
        raise ParameterError(f"--every {arguments.every:g} must not be negative.")
    if arguments.class_weight:
        words = [word for word, _ in arguments.class_weight]
        repeated = len(words) != len(set(words))
        if repeated or ("balanced" in words and len(words) > 1):
            raise ParameterError(
                "--class-weight is balanced, or LABEL=WEIGHT for some labels, each once."
            )


def require_whole(arguments: Namespace, learner: str) -> None:
    """Options of passes have no meaning where all examples are learned from at once."""
    needs = {"max-margin": "the widest separator needs", "pocket": "the pocket needs"}
    needs |= dict.fromkeys(KERNELS, "a kernel machine needs")
    for name in BLOCKS[0 if learner == "max-margin" else 3 :]:
        if was_given(arguments, name):
            raise ParameterError(
                f"{flag(name)} is for learners that go block by block, but "
                f"{needs.get(learner, '--slack with more than one epoch needs')} all examples at "
                "once: leave it out."
            )


def require_shards(arguments: Namespace) -> None:
    """The same where a cluster is asked and nothing is learned."""
    for name in ("shard_bytes", "workers"):
        if not arguments.cluster and was_given(arguments, name):
            raise ParameterError(f"{flag(name)} is about shards: give --cluster too.")
    if arguments.workers and arguments.cluster != "local":
        raise ParameterError("--workers are those of --cluster local: a scheduler has its own.")
    if arguments.cluster and arguments.data == "-":
        raise ParameterError("--cluster needs files, which all workers read: give a path.")


def require_cluster(arguments: Namespace) -> None:
    """Every option must have a meaning, with a cluster or without."""
    if not arguments.cluster:
        for name in ONLY_THERE:
            if was_given(arguments, name):
                raise ParameterError(f"{flag(name)} is about shards: give --cluster too.")
        return
    if arguments.learner not in MIXED:
        raise ParameterError(
            f"--cluster mixes the weights of {' and '.join(MIXED)}, and not those of "
            f"{arguments.learner}: choose another --learner, or leave --cluster out."
        )
    for name in NOT_THERE:
        if was_given(arguments, name):
            raise ParameterError(f"{flag(name)} has no meaning beside --cluster: leave it out.")
    if arguments.workers and arguments.cluster != "local":
        raise ParameterError("--workers are those of --cluster local: a scheduler has its own.")
    if arguments.data == "-":
        raise ParameterError("--cluster needs files, which all workers read: give a path.")
    if arguments.resume and not arguments.checkpoint:
        raise ParameterError("--resume goes on from a checkpoint: name it by --checkpoint.")
