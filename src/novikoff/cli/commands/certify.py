"""`novikoff certify`."""

import sys
from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, NamedTuple, TextIO

import novikoff
from novikoff.cli import DONE, NO, say
from novikoff.cli.conflicts import require_cluster
from novikoff.cli.options import A_FILE, add_reading, add_shards, real
from novikoff.cli.paths import require_different, require_place
from novikoff.cli.text import counted, listed, named_feature, outward, tell_skipped
from novikoff.errors import ParameterError
from novikoff.files import replacing

if TYPE_CHECKING:
    from novikoff.data.results import Data

MOMENT = 3.0
"""After how many seconds the command says what it is doing."""
BYTES_EACH = 400
"""What a certificate takes for a feature while it is written."""


def options(parser: ArgumentParser) -> None:
    """What can be asked."""
    add = parser.add_argument
    add("data", metavar="DATA", help=A_FILE)
    add("--json", action="store_true", help="print the certificate itself")
    add(
        "--save",
        metavar="CERT",
        help="write the certificate to a file; or, as -, to standard output instead of the words",
    )
    add(
        "--fit-intercept",
        action=BooleanOptionalAction,
        default=True,
        help="may the hyperplane have a bias? [yes]",
    )
    add("--tol", type=real, default=1e-6, help="how far to close the margin [1e-6]")
    add("--budget", type=real, default=60.0, help="seconds to try [60]")
    add_reading(parser)
    add_shards(parser)


class About(NamedTuple):
    """What has to be known of the data to speak of it."""

    width: int
    names: list[str] | None
    base: int
    travelled: str | None = None
    """Of data in shards, how many of its rows were sent about."""


def run(arguments: Namespace) -> int:
    """Print the verdict, and what it rests on."""
    if arguments.save == "-" and arguments.json:
        raise ParameterError("--json and --save - both print the certificate: leave one out.")
    require_cluster(arguments)
    require_different(arguments.data, arguments.save)
    if arguments.save:
        require_place(arguments.save)
    if arguments.cluster:
        from novikoff.cli.cluster import certified

        result, about = certified(arguments)
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
        about = About(data.X.shape[1], data.names, data.base)
    text = result.to_json()
    if arguments.save:
        with replacing(arguments.save) as file:
            file.write(text.encode() + b"\n")
    if arguments.json:
        print(text)
    else:
        tell(result, about, sys.stderr if arguments.save == "-" else sys.stdout)
    return NO if result.verdict == "undecided" else DONE


@contextmanager
def reassuring(budget: float) -> Iterator[None]:
    """Say what is going on, if it takes more than a moment."""
    told = Timer(MOMENT, say, [f"looking for a proof, for {budget:g} seconds at most (--budget)"])
    told.daemon = True
    told.start()
    try:
        yield
    finally:
        told.cancel()


def labelled_data(arguments: Namespace) -> "Data":
    """All examples, which must have two labels or more, and features a certificate can hold."""
    from novikoff.cli.data_file import DataFile

    file = DataFile.opened(arguments, arguments.data)
    data = file.read()
    tell_skipped(data.skipped)
    file.require_room(data.X.shape[1], BYTES_EACH)
    file.require_classes(data, many=True)
    return data


def tell(result: "novikoff.Separability", about: About, file: TextIO) -> None:
    """Say what was found."""
    many = f", {result.n_classes} classes jointly" if result.n_classes > 2 else ""
    print(f"{result.verdict}{many}", file=file)
    if result.verdict == "separable":
        print(f"margin     {' to '.join(outward(result.margin))}", file=file)
        print(
            f"mistakes   a perceptron makes at most {result.novikoff:,.0f}, in any order", file=file
        )
    elif result.verdict == "undecided":
        upper = outward(result.margin)[1]
        print(f"margin     at most {upper}: give a larger --budget", file=file)
    else:
        proof = f"{counted(len({*result.rows}), 'example')} with multipliers that cancel exactly"
        print(f"proof      {proof}", file=file)
    infinite = [
        f"{'the bias' if j == about.width else named_feature(about.names, about.base, j)} "
        f"({'+' if sign > 0 else '-'})"
        for j, sign in enumerate(result.infinite)
        if sign
    ]
    if infinite:
        print(f"infinite   in logistic regression: {listed(infinite, 10)}", file=file)
    if about.travelled:
        print(f"travelled  {about.travelled}", file=file)
