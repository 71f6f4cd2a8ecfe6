"""How the commands read examples and models."""

import os
from argparse import Namespace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any, NamedTuple

import numpy as np

from novikoff.cli import say
from novikoff.cli.meaning import require_meaning
from novikoff.cli.options import OF_FORMATS
from novikoff.cli.wording import counted
from novikoff.data.locations import blamed_on_row, first_other, third_label
from novikoff.data.opener import Pipe, open_source
from novikoff.data.reader import guess, read, survey
from novikoff.data.reader_options import Options
from novikoff.data.results import Data, Skipped
from novikoff.errors import FileError, ParameterError
from novikoff.inputs.labels import as_label, as_labels, as_written
from novikoff.separation.bracket import Bracket

READING = (
    "format",
    "label",
    "weight",
    "ignore",
    "n_features",
    "zero_based",
    "bits",
    "bad_lines",
    "n_jobs",
)


class Examples(NamedTuple):
    """A file of examples, and how to read it."""

    path: str
    """As given."""
    source: str | Pipe
    """The path, or what it leads to if that can be read only once."""
    reading: dict[str, Any]
    """The options of a reader, the format among them."""

    @property
    def called(self) -> str:
        """What messages call it."""
        return self.source if isinstance(self.source, str) else self.source.name

    def read(self) -> Data:
        """All of it."""
        return read(self.source, **self.reading)

    def blamed(self, block: Data, row: int, what: str) -> FileError:
        """An error at the line of a row."""
        return blamed_on_row(self.called, self.source, block, row, self.reading, what)


def asked(arguments: Namespace) -> dict[str, Any]:
    """The options of a reader that were given on the command line."""
    found = {name: getattr(arguments, name) for name in READING}
    return {name: value for name, value in found.items() if value is not None}


def opened(arguments: Namespace, path: str) -> Examples:
    """The examples at a path, with their format filled in; no option may be idle."""
    reading = asked(arguments)
    Options(**reading)  # raises what is wrong with them
    found = open_source(path)
    once = isinstance(found, Pipe) and found.path is None
    try:
        kind = reading.get("format") or guess(found)
        require_meaning(arguments, found.name, kind)
    finally:
        if not once:
            found.close()
    return Examples(
        path, found if isinstance(found, Pipe) and once else path, reading | {"format": kind}
    )


def surveyed(arguments: Namespace, path: str) -> Examples:
    """The same, with what a stream has to know of a file beforehand filled in."""
    examples = opened(arguments, path)
    if not isinstance(examples.source, str):
        return examples
    size = getattr(arguments, "block_bytes", None)
    blocks = {} if size is None else {"block_bytes": size}
    found = survey(examples.source, **blocks, **examples.reading)
    return examples._replace(reading={k: v for k, v in found.items() if k not in blocks})


def as_trained(model: Any, extra: dict[str, Any], arguments: Namespace) -> Examples:
    """The same, and where nothing was given, as the model's own data were read."""
    examples = opened(arguments, arguments.data)
    kind, told = examples.reading["format"], extra.get("reading", {})
    require_same_features(model, told, examples)
    names = ("label", "weight", "ignore", "zero_based")
    kept = {name: told[name] for name in names if name in told}
    kept["n_features"] = int(model.n_features_in_)
    kept |= getattr(model, "feature_hash_", {})
    if getattr(arguments, "unlabelled", False):
        kept.pop("label", None)
    kept = {name: value for name, value in kept.items() if kind in OF_FORMATS.get(name, ())}
    return examples._replace(reading=kept | examples.reading | {"labels": "optional"})


def require_same_features(model: Any, told: dict[str, Any], examples: Examples) -> None:
    """Hashed names are no numbers, nor the names of columns."""
    kind, hashed = examples.reading["format"], hasattr(model, "feature_hash_")
    if hashed and kind != "vw":
        raise FileError(
            examples.called,
            f"it is {kind}, but the model was trained on Vowpal Wabbit text, whose features are "
            "known by the hashes of their names: give such text.",
        )
    if kind == "vw" and not hashed and "format" in told:
        raise FileError(
            examples.called,
            f"it is Vowpal Wabbit text, whose features are hashed names, but the model was trained "
            f"on {told['format']}: give that.",
        )


def named_classes(classes: Any) -> str:
    """The classes of a model, the first few of many."""
    words = [as_written(c) for c in classes]
    if len(words) <= 2:
        return " and ".join(words)
    return f"{len(words):,} classes ({', '.join(words[:5])}{', ...' * (len(words) > 5)})"


def listed(names: list[str]) -> str:
    """The first few names."""
    more = f", and {len(names) - 5:,} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more


def difference(wanted: list[str], found: list[str]) -> str:
    """In what the columns of a table are not those of a model, and what to do."""
    lacking = [repr(name) for name in wanted if name not in found]
    besides = [repr(name) for name in found if name not in wanted]
    if not (lacking or besides):
        return f"it has them in another order. Rearrange them: {listed(wanted)}."
    lacks = [f"lacks {listed(lacking)}"] if lacking else []
    has = [f"has {listed(besides)} besides"] if besides else []
    add, leave = ["add what it lacks"] * bool(lacking), ["leave out the others"] * bool(besides)
    todo = " and ".join(add + leave)
    return f"it {' and '.join(lacks + has)}: {todo}."


def require_columns(model: Any, names: list[str] | None, data: Data, examples: Examples) -> None:
    """A table must have the columns the model was trained on, in their order."""
    if names is not None and data.names is not None and list(names) != list(data.names):
        advice = difference(names, data.names)
        if not {*names} & {*data.names}:
            advice += " If its first line has no names and no column the labels, give --unlabelled."
        raise FileError(examples.called, f"its columns are not those of the model: {advice}")
    n = data.X.shape[1]
    if n != model.n_features_in_:
        numbered = isinstance(examples.reading.get("label"), int) and n == model.n_features_in_ - 1
        advice = " Give --unlabelled if no column has the labels." if numbered else ""
        raise FileError(
            examples.called,
            f"it has {counted(n, 'feature')}, but the model was trained on "
            f"{model.n_features_in_:,}.{advice}",
        )


def tell_order(names: list[str] | None, data: Data, examples: Examples) -> None:
    """Say that columns without names are taken for those of the model."""
    if names is not None and data.names is None:
        say(
            f"{examples.called} has no names for its columns: they are taken to be "
            f"{listed(names)}, in this order."
        )


def loaded(path: str) -> tuple[Any, dict[str, Any], list[str] | None]:
    """A model, what was written beside it, and the names of its features."""
    model, told, names = loaded_with_header(path)
    return model, told["extra"], names


def loaded_with_header(path: str) -> tuple[Any, dict[str, Any], list[str] | None]:
    """A model, all that its file says of it, and the names of its features."""
    from novikoff.store import load_with_header

    model, told = load_with_header(path)
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        del model.feature_names_in_  # files come as arrays, which have no names to compare
    if "checkpoint" in told["extra"]:
        raise ParameterError(
            f"{path} is a checkpoint of a run that has not ended: go on with it by "
            "`novikoff fit ... --resume`."
        )
    return model, told, None if names is None else [str(n) for n in names]


def require_labels(data: Data, examples: Examples) -> None:
    """Every example must have a label."""
    if data.y is None:
        raise FileError(examples.called, "it has no labels, so there is nothing to compare.")
    if data.y.dtype.kind == "f" and (data.y != data.y).any():
        row = int((data.y != data.y).argmax())
        raise examples.blamed(data, row, "found no label, expected one to compare")


def require_labels_of_classes(
    data: Data, examples: Examples, classes: list[str] | None = None, *, many: bool
) -> None:
    """There must be two labels, or more if many are fine; those that were named if they were."""
    y = as_labels(data.y)
    known = [] if classes is None else sorted(as_label(word, y.dtype) for word in classes)
    other = None if many and not known else first_other(y, known)
    if other is not None:
        known = known or sorted(set(y[: other[0]].tolist()))
        raise examples.blamed(data, other[0], third_label(other[1], known))
    if len(set(y[:1].tolist()) | set(y[y != y[0]][:1].tolist())) < 2:
        raise FileError(
            examples.called,
            f"found one label only, {as_written(y[0])}{data.skipped.aside}: a classifier needs "
            "examples of two",
        )


def require_known(model: Any, block: Data, examples: Examples) -> None:
    """Every example must have one of the model's labels."""
    require_labels(block, examples)
    unknown = ~np.isin(block.y, model.classes_)
    if unknown.any():
        row = int(unknown.argmax())
        what = third_label(block.y[row], model.classes_.tolist())
        raise examples.blamed(block, row, f"{what}, which the model knows")


def require_room(examples: Examples, n: int, bytes_each: int) -> None:
    """The memory of this machine must do for so many features, of that many bytes each."""
    require_room_for(examples.called, n, bytes_each)


def require_room_for(called: str, n: int, bytes_each: int) -> None:
    """The same for the features of what is called so."""
    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if n * bytes_each > there:
        raise FileError(
            called,
            f"found features up to number {n:,}, expected no more than {there // bytes_each:,}, "
            f"which fill the memory of this machine ({there / 2**30:,.0f} GiB): number the "
            "features from 1 on, without gaps",
        )


def named_feature(names: list[str] | None, base: int, j: int) -> str:
    """What a column is called: its name, or else its number in the file."""
    return names[j] if names is not None else f"feature {j + base}"


def tell_skipped(skipped: Skipped) -> None:
    """Say which lines were left out."""
    if skipped.n_lines:
        lines = "line was" if skipped.n_lines == 1 else "lines were"
        first = "".join(f"\n  {message}" for message in skipped.messages)
        say(f"{skipped.n_lines:,} bad {lines} left out; the first:{first}")


def outward(ends: Bracket) -> tuple[str, str]:
    """Both ends of a bracket to nine digits, rounded so that they stay true."""
    rounded = []
    for end, rounding in ((ends.lower, ROUND_FLOOR), (ends.upper, ROUND_CEILING)):
        digits = Context(prec=9, rounding=rounding).create_decimal(Decimal(end))
        rounded.append(f"{digits.normalize():g}" if digits.is_finite() else str(end))
    return rounded[0], rounded[1]
