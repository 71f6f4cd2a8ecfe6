"""`novikoff certify` and `verify`."""

import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any, NamedTuple

from novikoff import Separability, separability
from novikoff.cli import DONE, NO, say
from novikoff.cli.meaning import require_shards
from novikoff.cli.paths import require_different, require_one_input, require_place
from novikoff.cli.reading import (
    named_feature,
    opened,
    outward,
    require_labels_of_classes,
    require_room,
    tell_skipped,
)
from novikoff.cli.wording import counted
from novikoff.data.results import Data
from novikoff.errors import FileError, ParameterError
from novikoff.files import replacing

MOMENT = 3.0
"""After how many seconds the command says what it is doing."""
BYTES_EACH = 400
"""What a certificate takes for a feature while it is written."""


class About(NamedTuple):
    """What has to be known of the data to speak of it."""

    width: int
    names: list[str] | None
    base: int
    travelled: str | None = None
    """Of data in shards, how many of its rows were sent about."""


def certify(arguments: Namespace) -> int:
    """Print the verdict, and what it rests on."""
    if arguments.save == "-" and arguments.json:
        raise ParameterError("--json and --save - both print the certificate: leave one out.")
    require_shards(arguments)
    require_different(arguments.data, arguments.save)
    if arguments.save:
        require_place(arguments.save)
    options = {name: getattr(arguments, name) for name in ("fit_intercept", "tol", "budget")}
    if arguments.cluster:
        from novikoff.cli.shards import certified

        result, about = certified(arguments, **options)
    else:
        data = read_pairs(arguments)
        threads = -1 if arguments.n_jobs is None else arguments.n_jobs
        options |= {"n_jobs": threads, "sample_weight": data.weight}
        with reassuring(arguments.budget):
            result = separability(data.X, data.y, **options)
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


def read_pairs(arguments: Namespace) -> Data:
    """All examples, which must have two labels or more, and features a certificate can hold."""
    examples = opened(arguments, arguments.data)
    data = examples.read()
    tell_skipped(data.skipped)
    require_room(examples, data.X.shape[1], BYTES_EACH)
    require_labels_of_classes(data, examples, many=True)
    return data


def tell(result: Separability, about: About, file: Any) -> None:
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
        more = f", and {len(infinite) - 10:,} more" if len(infinite) > 10 else ""
        print(f"infinite   in logistic regression: {', '.join(infinite[:10])}{more}", file=file)
    if about.travelled:
        print(f"travelled  {about.travelled}", file=file)


def verify(arguments: Namespace) -> int:
    """Check a certificate."""
    require_shards(arguments)
    require_one_input(cert=arguments.certificate, data=arguments.data)
    called = "<stdin>" if arguments.certificate == "-" else arguments.certificate
    try:
        if arguments.certificate == "-":
            text = sys.stdin.buffer.read().decode("utf-8")
        else:
            with open(arguments.certificate, encoding="utf-8") as file:
                text = file.read()
        result = Separability.from_json(text)
    except (RecursionError, ValueError) as error:
        why = str(error)
        if not why.startswith("The certificate"):
            why = "found no certificate, expected what `novikoff certify --save` writes"
        raise FileError(called, why) from None
    if arguments.cluster:
        from novikoff.cli.shards import verified

        holds = verified(arguments, result)
    else:
        data = read_pairs(arguments)
        holds = result.verify(data.X, data.y, data.weight)
    print(f"{result.verdict}: {'the proof holds' if holds else 'the proof DOES NOT hold'}")
    if holds:
        tell_proved(result)
    return DONE if holds else NO


def tell_proved(result: Separability) -> None:
    """Say what else a certificate that holds proves, and what is in it that nobody has checked."""
    if result.verdict == "separable":
        print(f"margin     {' to '.join(outward(result.margin))}, proved")
    elif result.verdict == "undecided":
        print(f"margin     at most {outward(result.margin)[1]}, proved")
    bound = ["the bound on mistakes"] if result.verdict == "separable" else []
    infinite = ["the infinite coefficients"] if any(result.infinite) else []
    if unchecked := " and ".join(bound + infinite):
        them = "them" if infinite else "it"
        print(f"unchecked  {unchecked}: `novikoff certify` computes {them} anew")
