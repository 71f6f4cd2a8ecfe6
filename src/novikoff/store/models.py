"""Saving and loading: the sections of a model file."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from novikoff import __version__
from novikoff.data.bundled_sets import BUNDLED
from novikoff.errors import ModelFileError, ParameterError
from novikoff.files import replacing
from novikoff.store import container
from novikoff.store.container import Contents
from novikoff.store.fields import Parts, put_texts, take_texts
from novikoff.store.kinds import KINDS, Kind
from novikoff.store.runs import ADDED
from novikoff.store.values import (
    decoded,
    decoded_classes,
    encoded,
    encoded_classes,
    parsed_object,
    require_json,
    written,
)

Path = str | os.PathLike[str]

FORMAT, FORMAT_VERSION = "novikoff-model", 2

SECTIONS = ("parameters", "classes", "features", "state", "summary", "extra")
"""The metadata that are JSON objects."""


# ------------------------------------------------------------- saving


def save(model: Any, path: Path, *, extra: Mapping[str, object] | None = None) -> None:
    """Save a fitted model to a file. After loading, you can predict or resume training.

    The file replaces an older one only when it is complete and on disk, so a crash leaves the old
    model or the new one. The same model always gives the same bytes.

    Parameters
    ----------
    model : any learner of novikoff, or MaxMargin
        If it has an attribute `feature_hash_`, a dictionary that says how features were hashed,
        such as ``{"bits": 18}``, the file keeps it.
    path : str or path-like
        "-" is standard output.
    extra : mapping from str to JSON values, optional
        Anything else to keep in the file. `load_with_extra` returns it.

    Raises
    ------
    WriteError
        The file could not be written. An older file is unchanged.

    Examples
    --------
    >>> import novikoff, novikoff.store
    >>> model = novikoff.Perceptron().fit([[0.0], [1.0]], ["no", "yes"])
    >>> novikoff.store.save(model, "model.safetensors", extra={"lines": 2})
    >>> novikoff.load("model.safetensors").predict([[3.0]])
    array(['yes'], dtype='<U3')
    """
    contents = packed(model, {} if extra is None else dict(extra))
    with _said_of("The model cannot be saved"):
        unpacked(contents)  # what could not be read is not written
    with replacing(path) as file:
        container.write(file, contents)


def packed(model: Any, extra: dict[str, object]) -> Contents:
    """What the file of a model has in it."""
    kind = KINDS.get(type(model).__name__)
    if kind is None or type(model) is not kind.learner:
        raise ParameterError(
            f"A {type(model).__name__} was given, but model files are for {', '.join(KINDS)}."
        )
    check_is_fitted(model)
    kind.check(model)
    features = {"count": model.n_features_in_, "hash": getattr(model, "feature_hash_", None)}
    try:
        require_json("feature_hash_", features["hash"])
        require_json("extra", extra)
    except RecursionError:
        raise ParameterError("extra is nested too deeply for a file.") from None
    parts = Parts()
    kind.put(model, parts)
    if hasattr(model, "feature_names_in_"):
        put_texts("feature_names", model.feature_names_in_.tolist(), parts)
    parameters = model.get_params(deep=False)
    parameters.pop("n_jobs", None)  # speaks of a machine, and not of the model
    sections = {
        "parameters": {name: encoded(name, value) for name, value in parameters.items()},
        "classes": encoded_classes(model.classes_),
        "features": features,
        "state": parts.values,
        "summary": kind.summary(model),
        "extra": extra,
    }
    metadata = {
        "format": FORMAT,
        "format_version": str(FORMAT_VERSION),
        "library_version": __version__,
        "learner": kind.learner.__name__,
    }
    return Contents(
        metadata | {name: written(section) for name, section in sections.items()}, parts.tensors
    )


# ------------------------------------------------------------- loading


def load(path: Path) -> Any:
    """Load a model from a file that `save` wrote.

    The model predicts, and resumes training, exactly as the saved one would, to the last bit.
    Loading executes no code from the file, and checks everything in it.

    Parameters
    ----------
    path : str or path-like
        "-" is standard input.

    Returns
    -------
    the model : any learner of novikoff, or MaxMargin

    Raises
    ------
    ModelFileError
        The file is not a model file, is damaged, or has a later format version.

    Examples
    --------
    >>> import novikoff
    >>> model = novikoff.Perceptron(shuffle=False).fit([[0.0], [1.0]], [0, 1])
    >>> model.save("model.safetensors")
    >>> novikoff.load("model.safetensors")
    Perceptron(shuffle=False)
    """
    return load_with_extra(path)[0]


def load_with_extra(path: Path) -> tuple[Any, dict[str, Any]]:
    """Load a model, and the `extra` that was given to `save`."""
    with _said_of(_called(path)), _found(path):
        return unpacked(container.read(path))


def load_with_header(path: Path) -> tuple[Any, dict[str, Any]]:
    """Load a model, and the header that `describe` returns."""
    with _said_of(_called(path)):
        contents = container.read(path)
        return unpacked(contents)[0], _header(contents.metadata)


def describe(path: Path) -> dict[str, Any]:
    """Read the header of a model file, without the weights.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    dict
        `format_version`, `library_version`, `learner`, `parameters`, `classes`,
        `features` (`count` and `hash`), `summary`, `extra`.
    """
    with _said_of(_called(path)):
        return _header(container.read_metadata(path))


def _header(metadata: dict[str, str]) -> dict[str, Any]:
    _, sections = _sections(metadata)
    return {
        "format_version": int(metadata["format_version"]),
        "library_version": metadata["library_version"],
        "learner": metadata["learner"],
        "parameters": _decoded(sections["parameters"]),
        "classes": decoded_classes(sections["classes"]).tolist(),
        "features": sections["features"],
        "summary": _decoded(sections["summary"]),
        "extra": sections["extra"],
    }


def _called(path: Path) -> str:
    return "<stdin>" if os.fspath(path) == container.STDIN else os.fspath(path)


def _decoded(section: dict[str, Any]) -> dict[str, Any]:
    return {name: decoded(name, value) for name, value in section.items()}


def unpacked(contents: Contents) -> tuple[Any, dict[str, Any]]:
    """The model and the extra of a file's contents."""
    kind, sections = _sections(contents.metadata)
    known = kind.learner().get_params(deep=False).keys()
    parameters = {name: ADDED[name] for name in known & ADDED.keys()} | sections["parameters"]
    if parameters.keys() != known:
        name = min(parameters.keys() ^ known)
        state = "lacks the" if name in known else "has an unknown"
        raise ModelFileError(f"The file {state} parameter {name!r:.60}.")
    model = kind.learner(**_decoded(parameters))
    model.classes_ = decoded_classes(sections["classes"])
    parts = Parts(dict(sections["state"]), dict(contents.tensors))
    try:
        kind.check(model)
        kind.take(model, parts)
    except ModelFileError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelFileError(f"The file has a parameter without a meaning: {error}") from error
    _give_features(model, sections["features"], parts)
    parts.require_empty()
    reading = sections["extra"].get("reading")
    if isinstance(reading, dict) and type(reading.get("zero_based")) is bool:
        model._first_feature = int(not reading["zero_based"])  # as in the file it learned from
    return model, sections["extra"]


def _sections(metadata: dict[str, str]) -> tuple[Kind, dict[str, dict[str, Any]]]:
    """What kind of model it is, and the sections of its metadata."""
    if metadata.get("format") != FORMAT:
        raise ModelFileError("This is a safetensors file, but no model file of novikoff.")
    version, library = metadata.get("format_version", ""), metadata.get("library_version", "")
    if not (version.isascii() and version.isdigit() and 1 <= len(version) < 9 and int(version)):
        raise ModelFileError(f"The format version is {version!r:.40}, and not a whole number.")
    if int(version) > FORMAT_VERSION:
        raise ModelFileError(
            f"The file is of format version {version}, and novikoff {__version__} reads versions "
            f"up to {FORMAT_VERSION}. It was written by novikoff {library:.40}: install that "
            "version or a later one."
        )
    for name in ("library_version", "learner", *SECTIONS):
        if name not in metadata:
            raise ModelFileError(f"The file lacks {name!r}: it is damaged.")
    unknown = metadata.keys() - {"format", "format_version", "library_version", "learner"}
    unknown -= set(SECTIONS)
    if unknown:
        raise ModelFileError(f"The file has {min(unknown)!r:.60}, which does not belong there.")
    learner = metadata["learner"]
    if learner not in KINDS:
        raise ModelFileError(
            f"The file has a model of the kind {learner!r:.60}, but this version knows "
            f"{', '.join(KINDS)}."
        )
    sections = {name: parsed_object(metadata[name], f"The section {name!r}") for name in SECTIONS}
    return KINDS[learner], sections


def _give_features(model: Any, told: dict[str, Any], parts: Parts) -> None:
    """How many features there are, and what they are called or how they were hashed."""
    told = dict(told)
    hashing = told.pop("hash", None)
    about = Parts(told)
    count = about.count("count")
    about.require_empty()
    if count != model.n_features_in_:
        raise ModelFileError(
            f"The file says that there are {count} features, but has weights for "
            f"{model.n_features_in_}."
        )
    if hashing is not None:
        if not isinstance(hashing, dict):
            raise ModelFileError("The hash settings in the file are no JSON object.")
        model.feature_hash_ = hashing
    if "feature_names" in parts.tensors:
        names = take_texts("feature_names", "feature names", parts)
        if len(names) != count:
            raise ModelFileError(f"The feature names in the file are not {count} strings.")
        model.feature_names_in_ = np.array(names, object)


@contextmanager
def _found(path: Path) -> Iterator[None]:
    """Say what is loaded here, if there is no such file."""
    try:
        yield
    except FileNotFoundError as error:
        why = "there is no such file; `novikoff.load` needs one that `save` or `novikoff fit` wrote"
        if os.fspath(path) in BUNDLED:
            why += f". For the data set, call novikoff.data.load({os.fspath(path)!r})"
        raise FileNotFoundError(error.errno, why, os.fspath(path)) from None


@contextmanager
def _said_of(what: str) -> Iterator[None]:
    """Put what it is about before the message of a `ModelFileError`."""
    try:
        yield
    except ModelFileError as error:
        raise ModelFileError(f"{what}: {error}") from error
