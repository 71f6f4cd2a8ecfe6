"""What the options of several commands have in common, and what they are called."""

from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction, _ArgumentGroup
from collections.abc import Callable
from typing import TypeVar

from novikoff.data.formats import FORMATS

T = TypeVar("T")

READING = (
    *("format", "label", "weight", "ignore", "n_features", "zero_based", "bits"),
    *("bad_lines", "n_jobs"),
)
"""The options of `novikoff.data.read` that the commands have."""
OF_FORMATS = {
    name: tuple(
        f.name for f in FORMATS.values() if name.replace("unlabelled", "label") in f.options
    )
    for name in ("label", "weight", "ignore", "unlabelled", "n_features", "zero_based", "bits")
}
"""Options of readers that have a meaning for some formats only."""
A_FILE = "a file, or - for standard input"


def flag(name: str) -> str:
    """The option for a parameter."""
    return "--" + name.replace("_", "-")


SPELLED = {
    "max_iter": "--epochs",
    "random_state": "--seed",
    "warm_start": "--resume",
    "sample_weight": "the weights",
    "zero_based": "--zero-based or --no-zero-based",
}
"""What the command calls parameters for which it has another word."""


def option(name: str, *given: object) -> str:
    """A parameter as an option of the command, with the value it was given if that is to be said.

    This is how the errors of the library are spelled here.
    """
    if not given:
        return SPELLED.get(name, flag(name))
    (value,) = given
    word = flag(name) if name == "zero_based" else SPELLED.get(name, flag(name))
    if str(value) in ("None", "auto"):
        return f"no {word}"
    if str(value) in ("True", "False"):
        return word if str(value) == "True" else word.replace("--", "--no-", 1)
    if isinstance(value, dict):
        return " ".join(f"{word} {label}={weight:g}" for label, weight in value.items())
    return f"{word} {' '.join(map(str, value)) if isinstance(value, list) else value}"


# ------------------------------------------------------------- what is read from a word


def kind_of(what: str) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Let a reader of words say what it expects of one that it cannot read."""

    def telling(reader: Callable[[str], T]) -> Callable[[str], T]:
        def told(text: str) -> T:
            try:
                return reader(text)
            except ValueError:
                raise ArgumentTypeError(f"found {text}, expected {what}") from None

        return told

    return telling


real = kind_of("a number")(float)


def whole_number(what: str, least: int, most: int) -> Callable[[str], int]:
    """A whole number within bounds."""

    @kind_of(what)
    def reader(text: str) -> int:
        number = int(text)
        if not least <= number <= most:
            raise ValueError
        return number

    return reader


count = whole_number("a whole number of at least 1", 1, 2**62 - 1)


@kind_of("a size from 1 on, as 65536, 64K, 16M or 1G")
def megabytes(text: str) -> int:
    """A number of bytes."""
    units = {"k": 10, "m": 20, "g": 30}
    shift = units.get(text[-1:].lower(), 0)
    number = int(text[:-1] if shift else text)
    if number < 1:
        raise ValueError
    return number << shift


def column(text: str) -> str | int:
    """The name of a column, or its number."""
    try:
        return int(text)
    except ValueError:
        return text


# ------------------------------------------------------------- options of several commands


def add_reading(parser: ArgumentParser) -> None:
    """The options of a command that reads examples."""
    add = parser.add_argument_group("reading").add_argument
    formats = "what the file is [by its name, then by its content]"
    add("--format", choices=tuple(FORMATS), help=formats)
    add("--label", type=column, metavar="COLUMN", help="of a table, the column of labels [label]")
    add("--weight", type=column, metavar="COLUMN", help="of a table, the column of weights")
    add(
        "--ignore",
        type=column,
        action="append",
        metavar="COLUMN",
        help="of a table, a column to leave out (once each)",
    )
    add("--n-features", type=count, metavar="N", help="of svmlight text, the number of features")
    add(
        "--zero-based",
        action=BooleanOptionalAction,
        help="of svmlight text, whether indices start at 0 [if one is 0]",
    )
    add("--bits", type=count, metavar="B", help="of VW text: hash names into 2^B columns [18]")
    add(
        "--bad-lines",
        choices=("error", "skip"),
        help="what to do about a line that cannot be read [error: end, and write nothing]",
    )
    add(
        "--n-jobs",
        type=kind_of("a whole number")(int),
        metavar="N",
        help="threads that parse and certify [all cores], learn and predict [one]",
    )


def add_shards(parser: ArgumentParser, title: str = "data in shards") -> _ArgumentGroup:
    """The options of a command that asks the workers of a cluster."""
    group = parser.add_argument_group(title)
    add = group.add_argument
    add(
        "--cluster",
        metavar="local|ADDRESS",
        help="have workers read the files, as 'shards/*.svm': here, or those of the dask scheduler "
        "at this address",
    )
    add(
        "--shard-bytes",
        type=megabytes,
        metavar="SIZE",
        help="with --cluster, cut plain text files larger than this into shards [64M]",
    )
    add("--workers", type=count, metavar="N", help="of --cluster local, how many [all cores]")
    return group
