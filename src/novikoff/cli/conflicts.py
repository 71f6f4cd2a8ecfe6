"""Options that have no meaning beside the others that were given: an error, never a silence."""

from argparse import Namespace
from collections.abc import Iterable

from novikoff.cli.options import OF_FORMATS, READING, SENTENCES, flag
from novikoff.data.several import stands_for_others
from novikoff.errors import ParameterError


def was_given(arguments: Namespace, name: str) -> bool:
    """Was an option on the command line, one that is not a flag for no?"""
    value = getattr(arguments, name, None)
    return value is not None and (value is not False or name in READING)


def as_given(arguments: Namespace, name: str) -> str:
    """An option as it was given."""
    off = getattr(arguments, name) is False
    return flag(f"no-{name}" if off else name)


def refuse(arguments: Namespace, names: Iterable[str], why: str) -> None:
    """None of these options may be given; a sentence says why, after the option."""
    for name in names:
        if was_given(arguments, name):
            raise ParameterError(f"{as_given(arguments, name)} {why}")


def require_rows(kind: str | None) -> None:
    """The format that was given, if any, must not be one of sentences."""
    if kind in SENTENCES:
        raise ParameterError(
            f"--format {kind} is that of sentences, which `novikoff fit --sequences` learns from, "
            "and the models that it writes: leave it out, or learn from sentences."
        )


def require_one_file(arguments: Namespace) -> None:
    """Sentences are not read from several files."""
    if isinstance(arguments.data, list) or stands_for_others(arguments.data):
        raise ParameterError(
            "Sentences are read from one file: join several, as by "
            "`cat a.conllu b.conllu > all.conllu`."
        )


def require_meaning(arguments: Namespace, path: str, kind: str) -> None:
    """Every option of readers that was given must have a meaning for the format."""
    for name, formats in OF_FORMATS.items():
        if kind not in formats:
            why = f"has a meaning for {' and '.join(formats)} only, but {path} is read as {kind}"
            refuse(arguments, [name], f"{why}: leave it out, or give another --format.")
    if was_given(arguments, "unlabelled") and arguments.label is not None:
        raise ParameterError("--label and --unlabelled contradict each other: leave one out.")


def require_cluster(arguments: Namespace) -> None:
    """Options of shards need a cluster, and a cluster needs files."""
    if not arguments.cluster:
        names = ("mixing", "shard_bytes", "workers")
        refuse(arguments, names, "is about shards: give --cluster too.")
        return
    if arguments.workers and arguments.cluster != "local":
        raise ParameterError("--workers are those of --cluster local: a scheduler has its own.")
    if arguments.data == "-":
        raise ParameterError("--cluster needs files, which all workers read: give a path.")
