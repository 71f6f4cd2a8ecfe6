"""What the options of several commands have in common, and what they are called."""

import re
import shlex
from argparse import ArgumentTypeError, BooleanOptionalAction
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from novikoff.data.formats import FORMATS

if TYPE_CHECKING:
    from novikoff.cli.parser import Parser

OF_TABLES = "label", "weight", "ignore", "keep"
SOME = (*OF_TABLES, "n_features", "zero_based", "bits", "delimiter", "decimal")
READING = ("format", *SOME, "bad_lines", "n_jobs")
"""The options of `novikoff.data.read` that the commands have."""
PLAN = "text", "categories", "dates", "missing", "scale", "one_hot"
"""Those of a `TablePlan`. A model has its own plan."""
OF_FORMATS = {
    name: tuple(line.name for line in FORMATS.values() if name in line.options) for name in SOME
}
PLANNED = tuple(line.name for line in FORMATS.values() if "plan" in line.options)
OF_FORMATS |= dict.fromkeys(PLAN, PLANNED) | {"unlabelled": OF_FORMATS["label"]}
OF_FORMATS["bits"] += PLANNED
"""Options of readers that have a meaning for some formats only."""
SENTENCES = ("conll", "conllu")
"""The formats of files of sentences."""


def flag(name: str) -> str:
    """The option for a parameter."""
    return "--" + name.replace("_", "-")


LISTS = "ignore", "keep", "text", "categories"
"""Options that take several columns, with commas between them."""
SAFE = re.compile(r"[^\s;|&<>'\"()$`\\]+")
"""What a shell takes as it stands."""
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
    if isinstance(value, list | tuple):
        value = ("," if name in LISTS else " ").join(map(str, value))
    text = str(value)
    return f"{word} {text if SAFE.fullmatch(text) else shlex.quote(text)}"


# ------------------------------------------------------------- what is read from a word


@dataclass(frozen=True)
class Kind:
    """What is read from a word of the command line."""

    metavar: str | None
    """What help calls it; None for the name of the option."""
    expected: str
    read: Callable[[str], object]

    def __call__(self, text: str) -> object:
        """Read it, or say what is expected."""
        try:
            return self.read(text)
        except ValueError:
            raise ArgumentTypeError(f"found {text}, expected {self.expected}") from None


def within(least: int, most: int) -> Callable[[str], int]:
    """A whole number within bounds."""

    def read(text: str) -> int:
        number = int(text)
        if not least <= number <= most:
            raise ValueError
        return number

    return read


def between(least: float, most: float) -> Callable[[str], float]:
    """A number within bounds."""

    def read(text: str) -> float:
        number = float(text)
        if not least <= number <= most:
            raise ValueError
        return number

    return read


def n_bytes(text: str) -> int:
    """A number of bytes, as 16M."""
    units = {"k": 10, "m": 20, "g": 30}
    shift = units.get(text[-1:].lower(), 0)
    return within(1, 2**62)(text[:-1] if shift else text) << shift


def column(text: str) -> str | int:
    """The name of a column, or its number."""
    try:
        return int(text)
    except ValueError:
        return text


def class_weight(text: str) -> tuple[str, float]:
    """The word `balanced`, or a label and its weight."""
    label, equals, weight = text.rpartition("=")
    if not equals and text == "balanced":
        return text, 1.0
    value = float(weight)
    if not label or not 0 <= value < float("inf"):
        raise ValueError
    return label, value


REAL = Kind("NUMBER", "a number", float)
SECONDS = Kind("SECONDS", "a number", float)
WHOLE = Kind("N", "a whole number", int)
COUNT = Kind("N", "a whole number of at least 1", within(1, 2**62 - 1))
SIZE = Kind("SIZE", "a size from 1 on, as 65536, 64K, 16M or 1G", n_bytes)
DELIMITER = Kind(
    "CHARACTER", "a character, or tab", lambda text: {"tab": "\t", "\\t": "\t"}.get(text, text)
)
LABEL_WEIGHT = Kind("LABEL=W", "balanced, or LABEL=WEIGHT with a weight from 0 on", class_weight)
COLUMN = Kind("COLUMN", "the name or the number of a column", column)


# ------------------------------------------------------------- options of several commands


AS_TRAINED = "reading DATA (default: as the training data of the model)"
"""The title of options that a model knows already."""


def ask_reading(
    parser: "Parser",
    *,
    title: str = "reading",
    sentences: bool = False,
    work: str = "",
    plan: bool = False,
    written: Sequence[str] = (),
) -> None:
    """The options of a command that reads examples, and perhaps sentences.

    `work` is what else it does that threads can do, if they are given. With `plan`, there is no
    model that says what becomes of the columns of a table. `written` are the formats of `--to`.
    """
    parser.section(title)
    ask = parser.ask
    formats = (*FORMATS, *SENTENCES * sentences)
    kinds = f"{', '.join(formats[:-1])} or {formats[-1]} (default: by name, then by content)"

    def readable(text: str) -> str:
        if text in written and text not in formats:
            raise ArgumentTypeError(f"to write {text}, give --to {text}")
        return text

    ask("--format", kinds, choices=formats, metavar="FORMAT", type=readable)
    label = "label; sentences: last or UPOS" if sentences else "label"
    ask("--label", f"label column (default: {label})", COLUMN)
    ask("--weight", "weight column (default: none)", COLUMN)
    ignore = "leave these columns out: A,B, or repeat the option"
    ask("--ignore", ignore, COLUMN, metavar="COLUMNS", action="append")
    if plan:
        ask_plan(parser)
    separator = "separator of a CSV file, a character or tab (default: detected)"
    ask("--delimiter", separator, DELIMITER, rare=True)
    mark = "decimal mark of a CSV file (default: detected)"
    ask("--decimal", mark, choices=(".", ","), rare=True)
    width = "number of features in svmlight text"
    width += "; of sentences, hash features into N columns" if sentences else ""
    ask("--n-features", width, COUNT, rare=True)
    zero = "indices of svmlight text start at 0 (default: if any is 0)"
    ask("--zero-based", zero, action=BooleanOptionalAction, rare=True)
    bits = "hash the names in VW text, or words in a table, into 2^N columns (default: 18)"
    ask("--bits", bits, COUNT, rare=True)
    bad = "stop at a bad line, or skip it (default: error)"
    ask("--bad-lines", bad, choices=("error", "skip"))
    jobs = f"threads (default: all cores{f' to read, one to {work}' if work else ''})"
    ask("--n-jobs", jobs, WHOLE)


def ask_plan(parser: "Parser") -> None:
    """What is to become of the columns of a table."""
    ask = parser.ask
    columns: dict[str, Any] = {"metavar": "COLUMNS", "action": "append"}
    ask("--text", "learn from the words in these columns", COLUMN, **columns)
    ask("--categories", "treat these columns as categories", COLUMN, **columns)
    dates = "turn dates into numbers; FORMAT as %%d.%%m.%%Y (default: detected)"
    ask("--dates", dates, nargs="?", const=True, metavar="FORMAT", rare=True)
    blank = "how to fill blanks in a column of numbers (default: indicator)"
    ask("--missing", blank, choices=("indicator", "mean", "error"), rare=True)
    scale = "scale columns of numbers to mean 0 and standard deviation 1"
    ask("--scale", scale, action="store_true", default=None, rare=True)
    many = "hash categories of more than N values (default: 100)"
    ask("--one-hot", many, COUNT, rare=True)


def ask_shards(parser: "Parser", title: str = "data in shards") -> None:
    """The options of a command that asks the workers of a cluster."""
    parser.section(title)
    where = (
        "read files such as 'shards/*.svm' with workers on this machine, or with those of the "
        "dask scheduler at ADDRESS"
    )
    parser.ask("--cluster", where, metavar="local|ADDRESS", rare=True)
    size = "cut plain text files larger than this into shards (default: 64M)"
    parser.ask("--shard-bytes", size, SIZE, rare=True)
    workers = "number of workers of --cluster local (default: one per core)"
    parser.ask("--workers", workers, COUNT, rare=True)
