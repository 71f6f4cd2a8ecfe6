"""What the options of several commands have in common, and what they are called.

`tests/test_cli.py` sees to it that the table of parameters says of the learners what they say.
"""

from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction, _ArgumentGroup
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

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


def number_or(words: Sequence[str]) -> Callable[[str], str | float]:
    """A number, or one of these words."""
    what = kind_of(f"a number, {' or '.join(map(repr, words))}")
    return what(lambda text: text if text in words else float(text))


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


# ------------------------------------------------------------- parameters of learners

LEARNERS = {
    "perceptron": "Perceptron",
    "averaged": "AveragedPerceptron",
    "voted": "VotedPerceptron",
    "pocket": "Pocket",
    "winnow": "Winnow",
    "balanced-winnow": "BalancedWinnow",
    "passive-aggressive": "PassiveAggressive",
    "second-order": "SecondOrderPerceptron",
    "arow": "AROW",
    "scw": "SCW",
    "kernel": "KernelPerceptron",
    "romma": "Romma",
    "max-margin": "MaxMargin",
}

KERNELS = ("kernel", "romma")
EITHER = ("perceptron", "averaged", "voted")
"""Perceptrons that learn many classes jointly, or with a machine each."""
ADDITIVE = (*EITHER, "pocket")
CONFIDENT = ("second-order", "arow", "scw")
MARGINAL = ("passive-aggressive", *CONFIDENT)
ALL = (*ADDITIVE, "balanced-winnow", *MARGINAL)


class Parameter(NamedTuple):
    """An option of `novikoff fit` that is a parameter of some learners."""

    name: str
    kind: type
    learners: tuple[str, ...]
    help: str
    choices: tuple[str, ...] | None = None
    words: tuple[str, ...] = ()
    """What may be given in the place of a number."""


PARAMETERS = (
    Parameter("fit_intercept", bool, (*ALL, "max-margin"), "have a bias"),
    Parameter("normalize", bool, ADDITIVE, "scale every example to length 1"),
    Parameter(
        "tie",
        str,
        (*ADDITIVE, "kernel"),
        "what a score of 0 means",
        ("mistake", "negative", "positive"),
    ),
    Parameter("eta0", float, ADDITIVE, "the step of an update"),
    Parameter("slack", float, ADDITIVE, "the size of a private feature for every example"),
    Parameter("checks", int, ("pocket",), "how many times a pass may count errors on all data"),
    Parameter("class_weight", dict, (*ALL, "kernel"), "balanced, or LABEL=WEIGHT (once a label)"),
    Parameter(
        "multi_class",
        str,
        (*EITHER, "passive-aggressive", "kernel"),
        "how more than two classes are learned",
        ("joint", "ovr"),
    ),
    Parameter("shuffle", bool, (*ALL, "winnow", *KERNELS), "visit rows in random order"),
    Parameter(
        "record",
        bool,
        (*ALL, "winnow", *KERNELS),
        "keep every update in the model, to be drawn",
    ),
    Parameter("threshold", float, ("winnow",), "what a positive score must reach"),
    Parameter("factor", float, ("winnow", "balanced-winnow"), "what an update multiplies by"),
    Parameter("binarize", float, ("winnow",), "the level above which a value counts as 1"),
    Parameter("clip", bool, ("balanced-winnow",), "cut values off at 0 and 1"),
    Parameter(
        "variant",
        str,
        ("passive-aggressive", "scw"),
        "which of its algorithms",
        ("PA", "PA-I", "PA-II", "I", "II"),
    ),
    Parameter("covariance", str, CONFIDENT, "what is kept of it", ("diagonal", "full")),
    Parameter("a", float, ("second-order",), "the weight of no correlation"),
    Parameter("r", float, ("arow",), "how much an update is held back"),
    Parameter("eta", float, ("scw",), "the probability to be right with"),
    Parameter(
        "C", float, ("passive-aggressive", "scw", "max-margin"), "the cost of too small a margin"
    ),
    Parameter("kernel", str, KERNELS, "the inner product", ("rbf", "poly", "linear")),
    Parameter("gamma", float, KERNELS, "what rbf and poly multiply by", words=("scale", "auto")),
    Parameter("degree", int, KERNELS, "the power of poly"),
    Parameter("coef0", float, KERNELS, "what poly adds"),
    Parameter(
        "predict_with",
        str,
        ("kernel",),
        "the last weights, their mean or their votes",
        ("last", "averaged", "voted"),
    ),
    Parameter("update_on", str, ("romma",), "what is learned from", ("mistake", "margin")),
    Parameter("tol", float, ("max-margin",), "the duality gap to stop at"),
    Parameter(
        "budget",
        float,
        ("kernel", "max-margin"),
        "the most rows to keep, or for max-margin the seconds after which to stop in any case",
    ),
)

NOT_HERE = {
    "max_iter": "--epochs",
    "random_state": "--seed",
    "warm_start": "--resume",
    "n_jobs": "--n-jobs",
}
"""Parameters that the command has another word for."""


def given(arguments: Any) -> dict[str, Any]:
    """The parameters that were given on the command line, for the learner that was."""
    found = {p.name: getattr(arguments, p.name) for p in PARAMETERS if p.name != "class_weight"}
    found = {name: value for name, value in found.items() if value is not None}
    if arguments.learner == "kernel" and found.get("budget", 0.5).is_integer():
        found["budget"] = int(found["budget"])
    return found
