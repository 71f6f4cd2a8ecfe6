"""How the commands read examples."""

from argparse import Namespace
from typing import Any

from novikoff.data.options import Data
from novikoff.errors import DataError, FileError, ParameterError

READING = ("format", "label", "weight", "n_features", "bits", "bad_lines", "n_jobs")


def asked(arguments: Namespace) -> dict[str, Any]:
    """The options of a reader that were given on the command line."""
    found = {name: getattr(arguments, name) for name in READING}
    found["zero_based"] = arguments.zero_based
    return {name: value for name, value in found.items() if value is not None}


def as_trained(model: Any, extra: dict[str, Any], arguments: Namespace) -> dict[str, Any]:
    """The same, and where nothing was given, as the model's own data were read."""
    told = extra.get("reading", {})
    kept = {name: told[name] for name in ("bits", "label", "zero_based") if name in told}
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
    return f"{value:g}" if isinstance(value, float) and value == int(value) else str(value)
