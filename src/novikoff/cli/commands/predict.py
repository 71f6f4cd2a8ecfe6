"""`novikoff predict`."""

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from novikoff.cli import DONE, STDOUT
from novikoff.cli.conflicts import refuse
from novikoff.cli.options import AS_TRAINED, COLUMN, ask_reading
from novikoff.cli.parser import A_MODEL, SOME_DATA, Parser
from novikoff.cli.paths import require_no_terminal
from novikoff.errors import ParameterError

if TYPE_CHECKING:
    from novikoff.cli.model_file import ModelFile
    from novikoff.cli.predictions.answer_columns import Column
    from novikoff.data.results import Data

WRITTEN = {
    "csv": (".csv",),
    "jsonl": (".jsonl", ".ndjson"),
    "parquet": (".parquet", ".pq"),
}
"""The formats of predictions, and the endings of their files."""


def options(parser: Parser) -> None:
    """What can be asked."""
    parser.reads("model", "MODEL", A_MODEL)
    parser.reads("data", "DATA", SOME_DATA, several=True)
    kinds = "csv, jsonl or parquet (default: by the ending of FILE)"
    parser.ask("--to", kinds, choices=[*WRITTEN], metavar="FORMAT")
    parser.writes("-o --output", "FILE", "file to write (default: standard output)", text=True)
    keep = "copy these columns of DATA: A,B, or repeat the option"
    parser.ask("--keep", keep, COLUMN, metavar="COLUMNS", action="append")
    parser.ask("--scores", "write scores beside the labels", action="store_true")
    sure = "write probabilities (needs a model of `fit --holdout` or `fit --cv`)"
    parser.ask("--probability", sure, action="store_true")
    unlabelled = "read a table that has no label column"
    parser.ask("--unlabelled", unlabelled, action="store_true", default=None)
    ask_reading(parser, title=AS_TRAINED, sentences=True, work="predict", written=[*WRITTEN])
    parser.examples = (
        "novikoff predict my.model test.csv",
        "novikoff predict my.model new.csv --unlabelled --scores",
        "novikoff predict my.model new.csv --unlabelled --keep id -o answers.csv",
    )


def run(arguments: Namespace) -> int:
    """Write labels, those of what comes through a pipe as soon as it comes."""
    from novikoff.cli.model_file import the_model
    from novikoff.cli.tagger import is_tagger, predict_sequences

    kind = target_kind(arguments.output, arguments.to)
    if kind is None:
        why = "copies columns into csv, jsonl or parquet: give --to too."
        refuse(arguments, ["keep"], why)
    elif kind == "parquet":
        require_no_terminal("--output", arguments.output or STDOUT)
    trained = the_model(arguments)
    if is_tagger(trained):
        return predict_sequences(trained, arguments)
    file = trained.data(arguments)
    with (
        closing(trained.stream(file, eager=True)) as blocks,
        writing(trained, kind, arguments, tagged=file.reading["format"] == "vw") as write,
    ):
        for block in blocks:
            with file.blaming(block, advise=False):
                write(block)
    return DONE


def target_kind(path: str | None, told: str | None) -> str | None:
    """The format to write, as told or by the ending of a name; None for plain lines."""
    if path is None:
        return told
    from novikoff.data.compression import ENDINGS

    stem, ending = os.path.splitext(path.lower())
    ending = os.path.splitext(stem)[1] if ending in ENDINGS else ending
    named = next((kind for kind, endings in WRITTEN.items() if ending in endings), None)
    if told and named and told != named:
        raise ParameterError(f"--to {told} and the ending of {path} contradict each other.")
    if told is None and named is None:
        kinds = ", ".join(WRITTEN)
        raise ParameterError(f"cannot tell the format from {path}: give --to, one of {kinds}.")
    return told or named


@contextmanager
def writing(
    trained: "ModelFile", kind: str | None, arguments: Namespace, *, tagged: bool
) -> Iterator[Callable[["Data"], None]]:
    """What writes the labels of a block, and what else was asked for."""
    from novikoff.cli.predictions.answer_columns import answer
    from novikoff.cli.predictions.answer_files import answer_file

    calibration = trained.calibration() if arguments.probability else None

    def columns(block: "Data") -> "list[Column]":
        scored = arguments.scores
        return answer(trained.model, block, tagged=tagged, scored=scored, calibration=calibration)

    if kind is None:
        tagged = False
        yield lambda block: print_lines(columns(block))
        return
    with answer_file(arguments.output or STDOUT, kind) as write:
        yield lambda block: write(columns(block))


def print_lines(columns: "list[Column]") -> None:
    """Print a label a line, and numbers after it."""
    labels, *others = ([*column.values] for column in columns)
    words = {label: str(label) for label in {*labels}}
    told = [[*map(repr, map(float, values))] for values in others]
    lines = map("\t".join, zip([words[label] for label in labels], *told, strict=True))
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()
