"""`novikoff certify`."""

import sys
from argparse import BooleanOptionalAction, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

import novikoff
from novikoff.cli import DONE, NO
from novikoff.cli.conflicts import require_cluster
from novikoff.cli.options import REAL, SECONDS, ask_reading, ask_shards
from novikoff.cli.parser import SOME_DATA, Parser
from novikoff.cli.patience import reassuring
from novikoff.cli.text import (
    counted,
    listed,
    named_feature,
    outward,
    tell_columns,
    tell_skipped,
)
from novikoff.errors import ParameterError
from novikoff.files import replacing

if TYPE_CHECKING:
    from novikoff.data.results import Data

SHOWN = {"+inf": "+", "-inf": "-", "inf": ""}
"""What is said of coefficients that are not finite."""
BYTES_EACH = 400
"""What a certificate takes for a feature while it is written."""


def options(parser: Parser) -> None:
    """What can be asked."""
    ask = parser.ask
    parser.reads("data", "DATA", SOME_DATA, several=True)
    save = "write the certificate to this file; - prints it instead of the verdict"
    parser.writes("--save", "CERT", save, text=True)
    ask("--json", "print the certificate instead of the verdict", action="store_true")
    bias = "allow hyperplanes with a bias (default: yes)"
    ask("--fit-intercept", bias, action=BooleanOptionalAction)
    parser.set_defaults(fit_intercept=True)
    ask("--tol", "narrow the margin to this relative width (default: 1e-6)", REAL, default=1e-6)
    ask("--budget", "stop after this many seconds (default: 60)", SECONDS, default=60.0)
    ask_reading(parser, plan=True)
    ask_shards(parser)
    parser.examples = (
        "novikoff certify train.csv --save train.proof",
        "novikoff certify train.csv --label kind --ignore id,label",
    )


def run(arguments: Namespace) -> int:
    """Print the verdict, and what it rests on."""
    if arguments.save == "-" and arguments.json:
        raise ParameterError("--json and --save - both print the certificate: leave one out.")
    require_cluster(arguments)
    if arguments.cluster:
        from novikoff.cli.cluster import certified

        result, layout, travelled = certified(arguments)
        names, base = layout.names, layout.base
    else:
        data = labelled_data(arguments)
        threads = -1 if arguments.n_jobs is None else arguments.n_jobs
        with reassuring(arguments.budget):
            result = novikoff.separability(
                data.X,
                data.y,
                fit_intercept=arguments.fit_intercept,
                tol=arguments.tol,
                budget=arguments.budget,
                n_jobs=threads,
                sample_weight=data.weight,
            )
        names, base, travelled = data.names, data.base, ""
    text = result.to_json()
    if arguments.save:
        with replacing(arguments.save) as file:
            file.write(text.encode() + b"\n")
    if arguments.json:
        print(text)
    else:
        lines = [*told(result, names, base), *([f"travelled  {travelled}"] if travelled else [])]
        print(*lines, sep="\n", file=sys.stderr if arguments.save == "-" else sys.stdout)
    return NO if result.verdict == "undecided" else DONE


def labelled_data(arguments: Namespace) -> "Data":
    """All examples, which must have two labels or more, and features a certificate can hold."""
    from novikoff.cli.data_file import DataFile, require_room

    file = DataFile.opened(arguments, arguments.data)
    data = file.read()
    tell_columns(file.called, data.plan, if_changed=True)
    tell_skipped(data.skipped)
    require_room(file.called, data.X.shape[1], BYTES_EACH)
    file.require_classes(data, many=True)
    return data


def told(result: "novikoff.Separability", names: list[str] | None, base: int) -> Iterator[str]:
    """What was found, in lines."""
    many = f", {result.n_classes} classes jointly" if result.n_classes > 2 else ""
    yield f"{result.verdict}{many}"
    lower, upper = outward(result.margin)
    if result.verdict == "separable":
        yield f"margin     {lower} to {upper}"
        yield f"mistakes   a perceptron makes at most {result.novikoff:,.0f}, in any order"
    elif result.verdict == "undecided":
        yield f"margin     at most {upper}: give a larger --budget"
    else:
        cancel = f"{counted(len({*result.rows}), 'example')} with multipliers that cancel exactly"
        yield f"proof      {cancel}"
    if result.n_classes > 2:
        return
    bias = len(result.coefficients) - 1 if result.fit_intercept else -1
    named = [
        ("the bias" if j == bias else named_feature(names, base, j), kind)
        for j, kind in enumerate(result.coefficients)
        if kind in SHOWN
    ]
    signed = [f"{name} ({SHOWN[kind]})" for name, kind in named if SHOWN[kind]]
    if signed:
        yield f"infinite   in logistic regression: {listed(signed, 10)}"
    if unsigned := [name for name, kind in named if kind == "inf"]:
        yield f"infinite   in logistic regression, of either sign: {listed(unsigned, 10)}"
