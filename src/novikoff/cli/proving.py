"""`novikoff certify` and `verify`."""

from argparse import Namespace

from novikoff import Separability, separability
from novikoff.cli import DONE, NO
from novikoff.cli.reading import (
    asked,
    outward,
    require_different,
    require_place,
    surveyed,
    tell_skipped,
)
from novikoff.data.reader import read
from novikoff.errors import FileError
from novikoff.files import replacing


def certify(arguments: Namespace) -> int:
    """Print the verdict, and what it rests on."""
    require_different(arguments.data, arguments.save)
    if arguments.save:
        require_place(arguments.save)
    reading = surveyed(arguments)
    data = read(arguments.data, **reading)
    tell_skipped(data.skipped)
    result = separability(
        data.X,
        data.y,
        fit_intercept=arguments.fit_intercept,
        tol=arguments.tol,
        budget=arguments.budget,
    )
    text = result.to_json()
    if arguments.save:
        with replacing(arguments.save) as file:
            file.write(text.encode() + b"\n")
    if arguments.json:
        print(text)
        return DONE
    print(result.verdict)
    if result.verdict == "separable":
        print(f"margin     {' to '.join(outward(result.margin))}")
        print(f"mistakes   a perceptron makes at most {result.novikoff:,.0f}, in any order")
    elif result.verdict == "undecided":
        print(f"margin     at most {outward(result.margin)[1]}: give a larger --budget")
    else:
        print(f"proof      {len(result.rows)} examples with multipliers that cancel exactly")
    base = int(reading.get("zero_based") is False)  # as in the file
    names = data.names or [f"feature {j + base}" for j in range(data.X.shape[1])]
    names = [*names, "the bias"][: len(result.infinite)]
    directions = zip(names, result.infinite, strict=True)
    infinite = [f"{name} ({'+' if sign > 0 else '-'})" for name, sign in directions if sign]
    if infinite:
        more = f", and {len(infinite) - 10:,} more" if len(infinite) > 10 else ""
        print(f"infinite   in logistic regression: {', '.join(infinite[:10])}{more}")
    return DONE


def verify(arguments: Namespace) -> int:
    """Check a certificate."""
    try:
        with open(arguments.certificate, encoding="utf-8") as file:
            result = Separability.from_json(file.read())
    except (RecursionError, ValueError) as error:
        raise FileError(arguments.certificate, str(error)) from None
    data = read(arguments.data, **asked(arguments))
    tell_skipped(data.skipped)
    holds = result.verify(data.X, data.y)
    print(f"{result.verdict}: {'the proof holds' if holds else 'the proof DOES NOT hold'}")
    return DONE if holds else NO
