"""`novikoff predict`."""

import sys
from argparse import Namespace
from contextlib import closing
from typing import TYPE_CHECKING

from novikoff.cli import DONE
from novikoff.cli.options import AS_TRAINED, ask_reading
from novikoff.cli.parser import A_MODEL, SOME_DATA, Parser

if TYPE_CHECKING:
    from novikoff.cli.model_file import Model
    from novikoff.data.results import Data


def options(parser: Parser) -> None:
    """What can be asked."""
    parser.reads("model", "MODEL", A_MODEL)
    parser.reads("data", "DATA", SOME_DATA)
    parser.ask("--scores", "print scores beside the labels", action="store_true")
    unlabelled = "read a table that has no label column"
    parser.ask("--unlabelled", unlabelled, action="store_true", default=None)
    ask_reading(parser, title=AS_TRAINED, sentences=True, work="predict")
    parser.examples = (
        "novikoff predict my.model test.csv",
        "novikoff predict my.model new.csv --unlabelled --scores",
    )


def run(arguments: Namespace) -> int:
    """Print labels, a line each, those of what comes through a pipe as soon as it comes."""
    from novikoff.cli.model_file import the_model
    from novikoff.cli.tagger import is_tagger, predict_sequences

    trained = the_model(arguments)
    if is_tagger(trained):
        return predict_sequences(trained, arguments)
    file = trained.data(arguments)
    with closing(trained.stream(file, eager=True)) as blocks:
        for block in blocks:
            with file.blaming(block, advise=False):
                print_labels(trained.model, block, scores=arguments.scores)
            sys.stdout.flush()
    return DONE


def print_labels(model: "Model", block: "Data", *, scores: bool) -> None:
    """Print the labels of a block, and the scores if asked."""
    from novikoff.inputs.labels import as_written

    words = {label: as_written(label) for label in model.classes_.tolist()}
    lines = [words[label] for label in model.predict(block.X).tolist()]
    if scores:
        s = model.decision_function(block.X).tolist()
        told = ["\t".join(map(repr, row)) if isinstance(row, list) else repr(row) for row in s]
        lines = [f"{word}\t{scores}" for word, scores in zip(lines, told, strict=True)]
    sys.stdout.write("\n".join(lines) + "\n")
