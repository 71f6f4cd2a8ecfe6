"""How the commands read examples."""

import errno
import os
from argparse import Namespace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

from novikoff.cli import say
from novikoff.data.options import Data, Skipped
from novikoff.data.reader import survey
from novikoff.errors import DataError, FileError, ParameterError, WriteError
from novikoff.margins.bracket import Bracket

WHOLE = 2.0**53
READING = (
    "format",
    "label",
    "weight",
    "n_features",
    "zero_based",
    "bits",
    "bad_lines",
    "n_jobs",
)


def asked(arguments: Namespace) -> dict[str, Any]:
    """The options of a reader that were given on the command line."""
    found = {name: getattr(arguments, name) for name in READING}
    return {name: value for name, value in found.items() if value is not None}


def surveyed(arguments: Namespace) -> dict[str, Any]:
    """The same, with what has to be known of a file beforehand filled in."""
    reading = asked(arguments)
    return reading if arguments.data == "-" else survey(arguments.data, **reading)


def as_trained(model: Any, extra: dict[str, Any], arguments: Namespace) -> dict[str, Any]:
    """The same, and where nothing was given, as the model's own data were read."""
    told = extra.get("reading", {})
    kept = {name: told[name] for name in ("bits", "label", "weight", "zero_based") if name in told}
    if getattr(arguments, "unlabelled", False):
        kept.pop("label", None)
    reading = kept | {"n_features": int(model.n_features_in_)} | asked(arguments)
    return reading | {"labels": "optional"}


def require_columns(model: Any, names: list[str] | None, data: Data, path: str) -> None:
    """A table must have the columns the model was trained on, in their order."""
    if names is not None and data.names is not None and list(names) != list(data.names):
        odd = next((n for n in data.names if n not in names), None) or next(
            (n for n in names if n not in data.names), None
        )
        what = f"column {odd!r} differs" if odd else "the order differs"
        raise FileError(path, f"its columns are not those of the model ({what}): rearrange them.")
    if data.X.shape[1] != model.n_features_in_:
        raise FileError(
            path,
            f"it has {data.X.shape[1]} features, but the model was trained on "
            f"{model.n_features_in_}.",
        )


def loaded(path: str) -> tuple[Any, dict[str, Any], list[str] | None]:
    """A model, what was written beside it, and the names of its features."""
    from novikoff.store import load_with_extra

    model, extra = load_with_extra(path)
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        del model.feature_names_in_  # files come as arrays, which have no names to compare
    if "checkpoint" in extra:
        raise ParameterError(
            f"{path} is a checkpoint of a run that has not ended: go on with it by "
            "`novikoff fit ... --resume`."
        )
    return model, extra, None if names is None else [str(n) for n in names]


def require_labels(data: Data, path: str) -> None:
    """Every example must have a label."""
    if data.y is None or (data.y.dtype.kind == "f" and (data.y != data.y).any()):
        raise DataError(f"{path} has examples without a label, so there is nothing to compare.")


def shown(label: Any) -> str:
    """A label as it stands in files: 1 and not 1.0."""
    value = label.item() if hasattr(label, "item") else label
    whole = isinstance(value, float) and abs(value) < WHOLE and value == int(value)
    return str(int(value)) if whole else str(value)


def tell_skipped(skipped: Skipped) -> None:
    """Say which lines were left out."""
    if skipped.n_lines:
        lines = "line was" if skipped.n_lines == 1 else "lines were"
        first = "".join(f"\n  {message}" for message in skipped.messages)
        say(f"{skipped.n_lines:,} bad {lines} left out; the first:{first}")


def require_different(*paths: str | None) -> None:
    """What is read and what is written must be different files."""
    real = [os.path.realpath(path) for path in paths if path and path != "-"]
    for path in real:
        if real.count(path) > 1:
            raise ParameterError(
                f"{path} is named twice: a file cannot be read and written at once."
            )


def require_place(path: str) -> None:
    """It must be possible to write there, which is better known before the work than after."""
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path):
        raise WriteError(errno.EISDIR, f"{path} could not be written: it is a folder.")
    if not os.path.isdir(folder):
        raise WriteError(errno.ENOENT, f"{path} could not be written: there is no folder {folder}.")
    if not os.access(folder, os.W_OK):
        raise WriteError(errno.EACCES, f"{path} could not be written: {folder} is write-protected.")


def outward(ends: Bracket) -> tuple[str, str]:
    """Both ends of a bracket to nine digits, rounded so that they stay true."""
    rounded = []
    for end, rounding in ((ends.lower, ROUND_FLOOR), (ends.upper, ROUND_CEILING)):
        digits = Context(prec=9, rounding=rounding).create_decimal(Decimal(end))
        rounded.append(f"{digits.normalize():g}" if digits.is_finite() else str(end))
    return rounded[0], rounded[1]
