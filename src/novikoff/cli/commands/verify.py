"""`novikoff verify`."""

import sys
from argparse import Namespace

import novikoff
from novikoff.cli import DONE, NO
from novikoff.cli.commands.certify import labelled_data
from novikoff.cli.conflicts import require_cluster
from novikoff.cli.options import ask_reading, ask_shards
from novikoff.cli.parser import FILES, Parser
from novikoff.cli.text import outward
from novikoff.errors import DataError, FileError


def options(parser: Parser) -> None:
    """What can be asked."""
    certificate = "certificate of `novikoff certify --save`: a file, or - for standard input"
    parser.reads("certificate", "CERT", certificate)
    parser.reads("data", "DATA", f"the data it certifies: {FILES}", several=True)
    ask_reading(parser, plan=True)
    ask_shards(parser)
    parser.examples = ("novikoff verify train.proof train.csv",)


def run(arguments: Namespace) -> int:
    """Check a certificate."""
    require_cluster(arguments)
    result = certificate_in(arguments.certificate)
    if arguments.cluster:
        from novikoff.cli.cluster import verified

        holds = verified(arguments, result)
    else:
        data = labelled_data(arguments)
        holds = result.verify(data.X, data.y, data.weight)
    print(f"{result.verdict}: {'the proof holds' if holds else 'the proof DOES NOT hold'}")
    if holds:
        tell_proved(result)
    return DONE if holds else NO


def certificate_in(path: str) -> "novikoff.Separability":
    """The certificate in a file."""
    try:
        if path == "-":
            text = sys.stdin.buffer.read().decode("utf-8")
        else:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        return novikoff.Separability.from_json(text)
    except (RecursionError, ValueError) as error:
        why = "found no certificate, expected what `novikoff certify --save` writes"
        if isinstance(error, DataError) and error.__cause__ is None:  # it is one, but a bad one
            why = str(error)
        raise FileError("<stdin>" if path == "-" else path, why) from None


def tell_proved(result: "novikoff.Separability") -> None:
    """Say what else a certificate that holds proves, and what is in it that nobody has checked."""
    if result.verdict == "separable":
        print(f"margin     {' to '.join(outward(result.margin))}, proved")
    elif result.verdict == "undecided":
        print(f"margin     at most {outward(result.margin)[1]}, proved")
    if {*result.coefficients} & {"+inf", "-inf", "inf"}:
        print("infinite   the coefficients in logistic regression, proved")
    if result.verdict == "separable":
        print("unchecked  the bound on mistakes: `novikoff certify` computes it anew")
