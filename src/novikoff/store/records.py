"""What a run recorded of its updates, as tensors and JSON, and back with every part checked."""

from itertools import pairwise
from typing import Any

import numpy as np

from novikoff.core.log import Growth, Updates, columns
from novikoff.errors import ModelFileError
from novikoff.learners.base import MistakeDriven
from novikoff.learners.kernels.run import DualState
from novikoff.learners.state import WEIGHTS, State, flat
from novikoff.parameters import LARGEST
from novikoff.store.parts import MOST, Parts
from novikoff.store.runs import declared_tensor
from novikoff.store.values import encoded
from novikoff.typing import Array

PLACES = ("before", "n_given", "origin", "visited")
"""The counts of a record."""


def pack_record(run: State, parts: Parts) -> None:
    """Put the record of a run into the parts, if there is one; the data is not in it."""
    made = run.log
    if made is None:
        return
    told: dict[str, Any] = {name: getattr(made, name) for name in (*PLACES, "fitted_at")}
    parts.tensors["record.start"] = flat(made.start)
    if len(made.square) > 1 or made.growths:
        parts.tensors |= {"record.squares": made.square, "record.now": made.now}
    else:
        told["square"] = encoded("square", float(made.square[0]))
    if made.growths:
        told["growths"] = [[g.at, list(g.places), g.n_classes] for g in made.growths]
    if made.rules:
        told["rules"] = [[n, list(rule)] for n, rule in made.rules]
    if made.extra is not None:
        parts.tensors["record.beside"] = flat(made.extra)
    for name in made.table.dtype.names or ():
        parts.tensors[f"record.{name}"] = np.ascontiguousarray(made.table[name][: made.n])
    parts.values["record"] = told


def unpack_record(model: MistakeDriven, run: State, parts: Parts) -> Updates | None:
    """The record that was packed, if there was one; the rest of the run is known."""
    told = parts.values.pop("record", None)
    if told is None:
        return None
    if not isinstance(told, dict):
        raise ModelFileError("The record of the run is no JSON object: the file is damaged.")
    recorder, n_classes = model._recorder(run), len(model.classes_)
    growths = _growths(told.get("growths", []), n_classes)
    rules = _rules(told.get("rules", []), tuple(recorder.rule))
    about = Parts({k: v for k, v in told.items() if k not in ("growths", "rules")})
    counts: dict[str, Any] = {name: about.count(name) for name in PLACES}
    fitted_at = None if told.get("fitted_at", 0) is None else about.count("fitted_at")
    about.values.pop("fitted_at", None)
    first = len(growths[0].places) if growths else n_classes
    like = np.empty((first if first > 2 else 1, run.weights.shape[1]), run.weights.dtype)
    start = declared_tensor(parts, "record.start", WEIGHTS, like)
    made = Updates(start, np.zeros(1), growths=growths, rules=rules, **counts)
    if growths or "record.squares" in parts.tensors:
        each = recorder.apart and run.many
        made.square = _squares(parts, "record.squares", first if each and first > 2 else 1)
        made.now = _squares(parts, "record.now", n_classes if each else 1)
    else:
        made.square[0] = float(about.number("square", most=LARGEST))
    about.require_empty()
    if recorder.extra:
        made.extra = declared_tensor(parts, "record.beside", run.declared[recorder.extra], start)
    made.table = _table(made, run, parts)
    made.n, made.fitted_at = len(made.table), fitted_at
    if not growths and len(made.square) == 1:
        made.now = made.table["square"][-1:].copy() if made.n else made.square.copy()
    at = [*(growth.at for growth in growths), *(n for n, _ in rules)]
    followed = not recorder.rule or not made.n or (rules and rules[0][0] == 0)
    if max(at, default=0) > made.n or not followed:
        raise ModelFileError("The record in the file has changes where there are no updates.")
    _require_classes(made, n_classes)
    return made


DUAL_PLACES = ("n_given", "origin", "visited")


def pack_dual_record(made: Updates | None, parts: Parts) -> None:
    """The same of a kernel machine."""
    if made is None:
        return
    growths = [[g.at, list(g.places), g.n_classes] for g in made.growths]
    parts.values["record"] = {name: getattr(made, name) for name in DUAL_PLACES} | {
        "growths": growths
    }
    for name in made.table.dtype.names or ():
        parts.tensors[f"record.{name}"] = np.ascontiguousarray(made.table[name][: made.n])


def unpack_dual_record(run: DualState, n_classes: int, parts: Parts) -> Updates | None:
    """The same of a kernel machine."""
    told = parts.values.pop("record", None)
    if told is None:
        return None
    if not isinstance(told, dict):
        raise ModelFileError("The record of the run is no JSON object: the file is damaged.")
    growths = _growths(told.get("growths"), n_classes)
    about = Parts({k: v for k, v in told.items() if k != "growths"})
    made = Updates(np.zeros(0), np.zeros(1), 0, growths=growths)
    for name in DUAL_PLACES:
        setattr(made, name, about.count(name))
    about.require_empty()
    dtype = columns(many=n_classes > 2, counted=True, dual=True)
    epochs = parts.tensors.get("record.epoch")
    n = 0 if epochs is None else min(epochs.size, sum(run.ledger.updates))
    below = {
        "epoch": len(run.ledger.mistakes),
        "position": run.stream.n_seen,
        "example": made.n_given,
        "mistakes": sum(run.ledger.mistakes) + 1,
    }
    made.table, made.n = _filled(dtype, n, below, parts), n
    if max((growth.at for growth in growths), default=0) > n:
        raise ModelFileError("The record in the file has changes where there are no updates.")
    _require_classes(made, n_classes)
    return made


def _squares(parts: Parts, name: str, n: int) -> Array:
    """Squared lengths."""
    squares = parts.tensor(name, (np.float64,), (n,))
    if not (squares >= 0).all():
        raise ModelFileError(f"The tensor {name!r} has a negative number in it.")
    return squares


def _table(made: Updates, run: State, parts: Parts) -> Array:
    """The updates, each number in its range."""
    counted, most = run.ledger.changes is not None, sum(run.ledger.mistakes)
    n = most - made.before
    epochs = parts.tensors.get("record.epoch")
    if run.ledger.changes is not None and epochs is not None:  # not every update is a mistake
        n = min(epochs.size, sum(run.ledger.changes))
    if n < 0:
        raise ModelFileError("The record in the file begins after the last mistake.")
    dtype = columns(many=run.many, counted=counted)
    below = {
        "epoch": len(run.ledger.mistakes),
        "position": run.stream.n_seen,
        "example": made.n_given,
        "mistakes": most + 1,
    }
    return _filled(dtype, n, below, parts)


def _filled(dtype: np.dtype[Any], n: int, below: dict[str, int], parts: Parts) -> Array:
    """A table of `n` updates; some columns are from 0 to below a number."""
    table = np.empty(n, dtype)
    for name in dtype.names or ():
        column = parts.tensor(f"record.{name}", (dtype[name],), (n,))
        if name in below and n and not (column.min() >= 0 and column.max() < below[name]):
            raise ModelFileError(f"The tensor 'record.{name}' has a number that is out of range.")
        table[name] = column
    return table


def _require_classes(made: Updates, n_classes: int) -> None:
    """Labels are -1 and +1, or the numbers of the classes there were by then."""
    table = made.table
    if "gained" not in (table.dtype.names or ()):
        if not (abs(table["label"]) == 1).all():
            raise ModelFileError("The tensor 'record.label' has a label other than -1 and +1.")
        return
    ends = [(growth.at, len(growth.places)) for growth in made.growths]
    for end, classes in (*ends, (made.n, n_classes)):
        some = table[:end]
        for name, least in (("label", 0), ("gained", -1), ("lost", -1)):
            if not ((some[name] >= least) & (some[name] < classes)).all():
                raise ModelFileError(
                    f"The tensor 'record.{name}' has a number that is out of range."
                )
        none = (some["gained"] < 0) | (some["lost"] < 0)
        if ((some["gained"] < 0) & (some["lost"] < 0)).any() or (classes <= 2 and none.any()):
            raise ModelFileError("The record in the file has an update of no class.")


def _growths(told: Any, n_classes: int) -> tuple[Growth, ...]:
    """The classes that came on the way."""
    entries: list[Any] = told if isinstance(told, list) else [None]
    fine = all(_is_growth(entry) for entry in entries)
    growths = tuple(Growth(at, tuple(places), n) for at, places, n in entries) if fine else ()
    fine = fine and all(
        one.at <= other.at and one.n_classes == len(other.places)
        for one, other in pairwise(growths)
    )
    if not fine or (growths and not 2 < growths[-1].n_classes == n_classes):
        raise ModelFileError("The record in the file has classes that cannot have come so.")
    return growths


def _is_growth(entry: Any) -> bool:
    if not isinstance(entry, list) or len(entry) != 3 or not isinstance(entry[1], list):
        return False
    at, places, n = entry
    return (
        all(_is_count(value) for value in (at, n, *places))
        and 0 < len(places) < n
        and all(a < b for a, b in pairwise((-1, *places, n)))
    )


def _rules(told: Any, like: tuple[Any, ...]) -> tuple[tuple[int, tuple[Any, ...]], ...]:
    """From which update on which rule was followed."""
    entries: list[Any] = told if isinstance(told, list) else [None]
    fine = all(_is_rule(entry, like) for entry in entries)
    fine = fine and all(one[0] <= other[0] for one, other in pairwise(entries))
    if not fine:
        raise ModelFileError("The record in the file has a rule that is none of its learner's.")
    return tuple((n, tuple(numbers)) for n, numbers in entries)


def _is_rule(entry: Any, like: tuple[Any, ...]) -> bool:
    if not like or not isinstance(entry, list) or len(entry) != 2 or not _is_count(entry[0]):
        return False
    numbers = entry[1]
    return (
        isinstance(numbers, list)
        and [type(number) for number in numbers] == [type(number) for number in like]
        and all(abs(number) < np.inf for number in numbers)
    )


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < MOST
