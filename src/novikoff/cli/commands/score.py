"""`novikoff score`."""

import json
from argparse import Namespace
from contextlib import closing

from novikoff.cli import DONE
from novikoff.cli.options import AS_TRAINED, ask_reading
from novikoff.cli.parser import A_MODEL, SOME_DATA, Parser


def options(parser: Parser) -> None:
    """What can be asked."""
    parser.reads("model", "MODEL", A_MODEL)
    parser.reads("data", "DATA", SOME_DATA)
    parser.ask("--json", "print JSON", action="store_true")
    ask_reading(parser, title=AS_TRAINED, sentences=True, work="predict")
    parser.examples = (
        "novikoff score my.model test.csv",
        "novikoff score tagger.model test.conllu --json",
    )


def run(arguments: Namespace) -> int:
    """Print how many examples are right."""
    from novikoff.cli.model_file import the_model
    from novikoff.cli.tagger import is_tagger, score_sequences

    trained = the_model(arguments)
    if is_tagger(trained):
        return score_sequences(trained, arguments)
    n = right = 0
    file = trained.data(arguments)
    with closing(trained.stream(file)) as blocks:
        for block in blocks:
            trained.require_known(block, file)
            n += len(block.y)
            with file.blaming(block, advise=False):
                right += int((trained.model.predict(block.X) == block.y).sum())
    if arguments.json:
        print(json.dumps({"examples": n, "right": right, "accuracy": right / n}))
    else:
        print(f"{right:,} of {n:,} right ({right / n:.2%}), {n - right:,} wrong")
    return DONE
