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
    parser.reads("data", "DATA", SOME_DATA, several=True)
    parser.ask("--json", "print JSON", action="store_true")
    ask_reading(parser, title=AS_TRAINED, sentences=True, work="predict")
    parser.examples = (
        "novikoff score my.model test.csv",
        "novikoff score tagger.model test.conllu --json",
    )


def run(arguments: Namespace) -> int:
    """Print how many examples are right, of each class too."""
    from novikoff.cli.evaluation.score_report import Report, answers
    from novikoff.cli.model_file import the_model
    from novikoff.cli.tagger import is_tagger, score_sequences

    trained = the_model(arguments)
    if is_tagger(trained):
        return score_sequences(trained, arguments)
    report = Report(trained.model.classes_)
    file = trained.data(arguments)
    with closing(trained.stream(file)) as blocks:
        for block in blocks:
            trained.require_known(block, file)
            with file.blaming(block, advise=False):
                report.add(block.y, *answers(trained.model, block.X))
    print(json.dumps(report.as_json()) if arguments.json else "\n".join(report.lines()))
    return DONE
