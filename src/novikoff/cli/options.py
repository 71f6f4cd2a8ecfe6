"""What the options of several commands have in common, and what they are called."""

import re
import shlex
from argparse import ArgumentTypeError, BooleanOptionalAction
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from novikoff.data.formats import FORMATS

if TYPE_CHECKING:
    from novikoff.cli.parser import Parser

SOME = "label", "weight", "ignore", "n_features", "zero_based", "bits", "delimiter", "decimal"
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


LISTS = "ignore", "text", "categories"
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


REAL = Kind(None, "a number", float)
SECONDS = Kind("SECONDS", "a number", float)
WHOLE = Kind("N", "a whole number", int)
COUNT = Kind("N", "a whole number of at least 1", within(1, 2**62 - 1))
SIZE = Kind("SIZE", "a size from 1 on, as 65536, 64K, 16M or 1G", n_bytes)
DELIMITER = Kind(
    "CHARACTER", "a character, or tab", lambda text: {"tab": "\t", "\\t": "\t"}.get(text, text)
)
COLUMN = Kind("COLUMN", "the name or the number of a column", column)


# ------------------------------------------------------------- options of several commands


def ask_reading(
    parser: "Parser", *, sentences: bool = False, width: str = "", plan: bool = False
) -> None:
    """The options of a command that reads examples, and perhaps sentences.

    There, `width` says what their number of features is. With `plan`, there is no model that says
    what becomes of the columns of a table.
    """
    parser.section("reading")
    ask = parser.ask
    formats = "what the file is [by its name, then by its content]"
    ask("--format", formats, choices=(*FORMATS, *SENTENCES * sentences))
    label = "of a table, the column of labels [label]"
    ask("--label", f"{label}; of sentences [the last, or UPOS]" if sentences else label, COLUMN)
    ask("--weight", "of a table, the column of weights", COLUMN)
    ask("--ignore", "of a table, columns to leave out, as A,B", COLUMN, action="append")
    ask("--delimiter", "of CSV, what separates the values [found out]", DELIMITER)
    ask("--decimal", "of CSV, the decimal mark [found out]", choices=(".", ","))
    ask("--n-features", f"of svmlight text, the number of features{width}", COUNT)
    zero = "of svmlight text, whether indices start at 0 [if one is 0]"
    ask("--zero-based", zero, action=BooleanOptionalAction)
    ask("--bits", "of VW text, and words of tables: hash names into 2^N columns [18]", COUNT)
    bad = "what to do about a line that cannot be read [error: end, and write nothing]"
    ask("--bad-lines", bad, choices=("error", "skip"))
    if plan:
        ask_plan(parser)
    ask("--n-jobs", "threads that parse and certify [all cores], learn and predict [one]", WHOLE)


def ask_plan(parser: "Parser") -> None:
    """What is to become of the columns of a table."""
    ask = parser.ask
    ask("--text", "of a table, columns of text, to learn from their words", COLUMN, action="append")
    categories = "of a table, columns that are categories, whatever is in them"
    ask("--categories", categories, COLUMN, action="append")
    dates = "of a table, make numbers of dates; FORMAT as %%d.%%m.%%Y [found out]"
    ask("--dates", dates, nargs="?", const=True, metavar="FORMAT")
    blank = "of a table, what a blank in a column of numbers becomes [indicator]"
    ask("--missing", blank, choices=("indicator", "mean", "error"))
    scale = "of a table, standardise numbers: mean 0 and standard deviation 1"
    ask("--scale", scale, action="store_true", default=None)
    ask("--one-hot", "of a table, hash categories of more values than this [100]", COUNT)


def ask_shards(parser: "Parser", title: str = "data in shards") -> None:
    """The options of a command that asks the workers of a cluster."""
    parser.section(title)
    where = (
        "have workers read the files, as 'shards/*.svm': here, or those of the dask scheduler at "
        "this address"
    )
    parser.ask("--cluster", where, metavar="local|ADDRESS")
    size = "with --cluster, cut plain text files larger than this into shards [64M]"
    parser.ask("--shard-bytes", size, SIZE)
    parser.ask("--workers", "of --cluster local, how many [all cores]", COUNT)
