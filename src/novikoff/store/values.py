"""Values as strict JSON, such that each comes back as it was, to the type and the bit."""

import json
from math import isfinite
from typing import Any, NoReturn

import numpy as np

from novikoff.errors import ModelFileError, NovikoffError, ParameterError
from novikoff.typing import Array

SCALARS = (
    "bool",
    *("float16", "float32", "float64"),
    *("int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64"),
)
"""The numpy scalars that a file can hold."""

LONGEST_LABEL = 1 << 16
"""In bytes: a damaged file must not make us reserve more."""

PLACES = 624
"""The number of words in the state of numpy's `RandomState`."""


# ------------------------------------------------------------- strict JSON


def written(value: object) -> str:
    """JSON text in ASCII; the same value gives the same text."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def parsed(text: str | bytes, what: str) -> Any:
    """The value of a JSON text, or an error that says that `what` is damaged."""
    try:
        return json.loads(
            text,
            object_pairs_hook=_no_repetition,
            parse_constant=_no_constant,
            parse_float=_finite,
        )
    except NovikoffError as error:
        raise ModelFileError(f"{what} is damaged: {error}") from error
    except RecursionError:
        raise ModelFileError(f"{what} is damaged: its JSON is nested too deeply.") from None
    except ValueError as error:  # of the encoding and of the length of a number too
        raise ModelFileError(f"{what} is damaged, or this is not a model file: {error}.") from error


def parsed_object(text: str | bytes, what: str) -> dict[str, Any]:
    """The same, for a JSON object."""
    value = parsed(text, what)
    if not isinstance(value, dict):
        raise ModelFileError(f"{what} is damaged: it should be a JSON object.")
    return value


def _no_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ModelFileError(f"the key {twice!r} is repeated.")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ModelFileError(f"{name} is no JSON.")


def _finite(digits: str) -> float:
    value = float(digits)
    if not isfinite(value):
        raise ModelFileError(f"{digits:.20} is too large for a number.")
    return value


def require_json(name: str, value: object) -> None:
    """Raise a `ParameterError` unless the value is JSON and comes back from it the same."""
    if isinstance(value, dict):
        for key, entry in value.items():
            if type(key) is not str:
                raise ParameterError(f"{name} has the key {key!r}, but keys must be strings.")
            require_json(f"{name}[{key!r}]", entry)
    elif isinstance(value, list):
        for i, entry in enumerate(value):
            require_json(f"{name}[{i}]", entry)
    elif not _is_plain(value):
        raise ParameterError(
            f"{name} is {value!r}, but a file can hold only None, booleans, numbers, strings, "
            "lists and dictionaries of these."
        )


def _is_plain(value: object) -> bool:
    if type(value) is int:
        return abs(value) < 1 << 1024  # JSON readers give up somewhere
    return value is None or type(value) in (bool, str) or (type(value) is float and isfinite(value))


# ------------------------------------------------------------- parameters


def encoded(name: str, value: object) -> object:
    """A parameter or a number of a run as JSON.

    What JSON has no word for is an object of one key, its kind: `{"float": "inf"}`,
    `{"float32": 0.5}`, `{"dict": [[key, value], ...]}`, `{"RandomState": {...}}`.
    """
    if isinstance(value, np.generic) and value.dtype.name in SCALARS:
        return {value.dtype.name: encoded(name, value.item())}
    if isinstance(value, str):
        return str(value)
    if _is_plain(value):
        return value
    if type(value) is float:
        return {"float": str(value)}
    if isinstance(value, dict):
        return {"dict": [[encoded(name, k), encoded(name, v)] for k, v in value.items()]}
    if isinstance(value, np.random.RandomState):
        return {"RandomState": _random_state(name, value)}
    raise ParameterError.of(
        name,
        value,
        "a number, a string, or for random_state an integer or a RandomState of its own: a model "
        f"file cannot hold a {type(value).__name__}",
    )


def decoded(name: str, value: object) -> Any:
    """What `encoded` was given."""
    if not isinstance(value, dict | list):
        return value
    if isinstance(value, dict) and len(value) == 1:
        [(kind, inner)] = value.items()
        try:
            return _decoded(name, kind, inner)
        except ModelFileError:
            raise
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
            pass  # whatever was wrong with it, it is not what was written
    raise ModelFileError(f"{name} has a value that no model has: the file is damaged.")


def _decoded(name: str, kind: str, inner: Any) -> Any:
    if kind == "float":
        return {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}[inner]
    if kind == "dict":
        found = {decoded(name, k): decoded(name, v) for k, v in inner}
        if len(found) == len(inner):
            return found
    if kind == "RandomState":
        return _restored(inner)
    if kind in SCALARS:
        item = decoded(name, inner)
        with np.errstate(over="ignore"):
            scalar = np.dtype(kind).type(item)
        if type(scalar.item()) is type(item) and encoded(name, scalar) == {kind: inner}:
            return scalar
    raise ValueError


def _random_state(name: str, random: np.random.RandomState) -> dict[str, object]:
    state: Any = random.get_state(legacy=False)
    if state["bit_generator"] != "MT19937":
        raise ParameterError(
            f"{name} draws from {state['bit_generator']}, but a model file holds the state of "
            "RandomState(seed) only, which draws from MT19937."
        )
    return {
        "key": state["state"]["key"].tolist(),
        "pos": int(state["state"]["pos"]),
        "has_gauss": int(state["has_gauss"]),
        "gauss": float(state["gauss"]),
    }


def _restored(told: Any) -> np.random.RandomState:
    key, pos, has_gauss, gauss = (told[name] for name in ("key", "pos", "has_gauss", "gauss"))
    whole = [*key, pos, has_gauss]
    fine = len(told) == 4 and len(key) == PLACES and type(gauss) is float and has_gauss in (0, 1)
    fine = fine and {*map(type, whole)} == {int} and 0 <= min(whole) <= max(whole) < 1 << 32
    if not (fine and pos <= PLACES):  # numpy itself would believe any position, and read there
        raise ValueError
    random = np.random.RandomState(0)
    random.set_state(("MT19937", np.array(key, np.uint32), pos, has_gauss, gauss))
    return random


# ------------------------------------------------------------- labels


def encoded_classes(classes: Array) -> dict[str, object]:
    """The labels, and their numpy type."""
    kind = classes.dtype.kind
    if kind not in "biufUmM" or classes.dtype.itemsize > (8 if kind == "f" else LONGEST_LABEL):
        raise ParameterError(
            f"The classes have the type {classes.dtype}, which a model file cannot hold: use "
            "integers, booleans, floats, strings or dates as labels."
        )
    values = classes.tolist()
    if kind in "mM":
        values = classes.astype(classes.dtype.newbyteorder("=")).view(np.int64).tolist()
    return {"dtype": classes.dtype.str, "values": values}


def decoded_classes(told: dict[str, Any]) -> Array:
    """The labels, in order."""
    try:
        dtype, values = told["dtype"], told["values"]
        if not isinstance(values, list) or not values:
            raise ModelFileError("The file has no classes, and every model has some.")
        # the first check, as numpy would make types of much else, and large ones
        if dtype[1] in "biufUmM" and len(dtype) < 24 and np.dtype(dtype).itemsize <= LONGEST_LABEL:
            classes = _labels(np.dtype(dtype), values)
            if encoded_classes(classes) == told and bool((classes[:-1] < classes[1:]).all()):
                return classes
    except ModelFileError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError, IndexError, OverflowError):
        pass  # whatever was wrong with them, they are not what was written
    raise ModelFileError(
        "The classes in the file are not labels in order, of the type it says they have."
    )


def _labels(dtype: np.dtype[Any], values: list[Any]) -> Array:
    if dtype.kind in "mM":
        return np.array(values, np.int64).view(dtype.newbyteorder("=")).astype(dtype)
    return np.array(values, dtype)
