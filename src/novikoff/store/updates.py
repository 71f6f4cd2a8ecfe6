"""What a run recorded of its updates, as tensors and JSON, and back with every part checked."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from novikoff.core.log import Growth, Updates, columns
from novikoff.errors import ModelFileError
from novikoff.learners.kernels.run import DualState
from novikoff.learners.replay import Recorder
from novikoff.learners.sequences.growth import TRANSITIONS
from novikoff.learners.sequences.rivals import as_of_now
from novikoff.learners.state import WEIGHTS, Field, State, flat
from novikoff.parameters import LARGEST
from novikoff.store.fields import MOST, Parts, Table, Tensor, Value, doubles, give, put
from novikoff.store.values import encoded
from novikoff.typing import Array

DUAL_COUNTS: Table = tuple(Value(name, Parts.count) for name in ("n_given", "origin", "visited"))
COUNTS: Table = (Value("before", Parts.count), *DUAL_COUNTS)
START = Tensor("record.start", WEIGHTS)
SQUARES: Table = (
    Tensor("record.squares", doubles("first", least=0.0), attribute="square"),
    Tensor("record.now", doubles("now", least=0.0)),
)
LINKS = Tensor("record.transitions", TRANSITIONS)
RIVALS = Tensor("record.rivals", Field(("rivals",), np.int32, 0), "m")
BELOW = {"epoch": "passes", "position": "n_seen", "example": "n_given", "mistakes": "mistakes+1"}
"""The columns that are numbers from 0 on, and what they are below."""


def put_updates(run: State | DualState, parts: Parts) -> None:
    """Put the record of a run into the parts, if there is one; the data is not in it."""
    made = run.log
    if made is None:
        return
    told, growths = Parts(), [[g.at, list(g.places), g.n_classes] for g in made.growths]
    if isinstance(run, DualState):
        put(DUAL_COUNTS, made, told)
        told.values["growths"] = growths
    else:
        put(COUNTS, made, told)
        told.values["fitted_at"] = made.fitted_at
        START.put(parts, made.start)
        if len(made.square) > 1 or growths:
            parts.tensors |= {"record.squares": made.square, "record.now": made.now}
        else:
            told.values["square"] = encoded("square", float(made.square[0]))
        if growths:
            told.values["growths"] = growths
        if made.rules:
            told.values["rules"] = [[n, list(rule)] for n, rule in made.rules]
        if made.extra is not None:
            parts.tensors["record.beside"] = flat(made.extra)
    _put_table(made, parts)
    parts.values["record"] = told.values


def take_updates(
    run: State | DualState, n_classes: int, parts: Parts, recorder: Recorder | None = None
) -> Updates | None:
    """The record that was packed, if there was one; the rest of the run is known.

    The record of a kernel machine needs no recorder: it begins with the run, where all is 0.
    """
    told = parts.values.pop("record", None)
    if told is None:
        return None
    if not isinstance(told, dict):
        raise ModelFileError("The record of the run is no JSON object: the file is damaged.")
    about = Parts(dict(told))
    growths = _growths(about.values.pop("growths", None if recorder is None else []), n_classes)
    made = Updates(np.zeros(0), np.zeros(1), 0, growths=growths)
    if isinstance(run, DualState) or recorder is None:
        give(DUAL_COUNTS, made, about)
    else:
        _take_start(made, run, n_classes, recorder, about, parts)
    about.require_empty()
    made.table = _table(made, run, n_classes, parts)
    made.n = len(made.table)
    if recorder is not None and not growths and len(made.square) == 1:
        made.now = made.table["square"][-1:].copy() if made.n else made.square.copy()
    at = [*(growth.at for growth in growths), *(n for n, _ in made.rules)]
    followed = (
        recorder is None
        or not recorder.rule
        or not made.n
        or (made.rules and made.rules[0][0] == 0)
    )
    if max(at, default=0) > made.n or not followed:
        raise ModelFileError("The record in the file has changes where there are no updates.")
    _require_classes(made, n_classes)
    return made


def _take_start(
    made: Updates, run: State, n_classes: int, recorder: Recorder, about: Parts, parts: Parts
) -> None:
    """Where the record of a linear learner begins."""
    made.rules = _rules(about.values.pop("rules", []), tuple(recorder.rule))
    _take_counts(made, about)
    first = len(made.growths[0].places) if made.growths else n_classes
    then = replace(parts, sizes=parts.sizes | {"m": first if first > 2 else 1})
    made.start = START.take(then)
    if recorder.extra:
        declared = run.declared[recorder.extra]
        made.extra = Tensor("record.beside", declared, once_like_weights=True).take(then)
    if made.growths or "record.squares" in parts.tensors:
        each = recorder.apart and run.many
        parts.sizes["first"] = then.sizes["m"] if each else 1
        parts.sizes["now"] = n_classes if each else 1
        give(SQUARES, made, parts)
    else:
        made.square[0] = float(about.number("square", most=LARGEST))


def put_rivals(run: State, n_features: int, parts: Parts) -> None:
    """Put the record of a run over sequences into the parts, if there is one.

    Labels and features that came later are in it as if they had been there, with weights of 0.
    """
    made, told = run.log, Parts()
    if made is None:
        return
    now = as_of_now(made, len(run.weights), n_features)
    put(COUNTS, made, told)
    told.values |= {"fitted_at": made.fitted_at, "square": encoded("square", float(made.square[0]))}
    parts.values["record"] = told.values
    START.put(parts, now.W)
    LINKS.put(parts, now.T)
    RIVALS.put(parts, now.rivals)
    _put_table(made, parts)


def take_rivals(run: State, parts: Parts) -> Updates | None:
    """Take it out again, if there was one; the rest of the run is known."""
    if "record" not in parts.values:
        return None
    about = parts.object("record", "the record")
    made = Updates(START.take(parts), np.zeros(1), 0, extra=LINKS.take(parts))
    _take_counts(made, about)
    made.square[0] = float(about.number("square", most=LARGEST))
    about.require_empty()
    made.table = _table(made, run, len(run.weights), parts, chained=True)
    made.n, made.rivals = len(made.table), RIVALS.take(parts)
    made.n_rivals, steps = len(made.rivals), made.table["steps"]
    if not (steps > 0).all() or steps.sum(dtype=np.int64) != made.n_rivals:
        raise ModelFileError("The tensor 'record.steps' does not say how many labels there are.")
    made.now = made.table["square"][-1:].copy() if made.n else made.square.copy()
    return made


def _put_table(made: Updates, parts: Parts) -> None:
    for name in made.table.dtype.names or ():
        parts.tensors[f"record.{name}"] = np.ascontiguousarray(made.table[name][: made.n])


def _take_counts(made: Updates, about: Parts) -> None:
    give(COUNTS, made, about)
    if about.values.get("fitted_at", 0) is None:
        del about.values["fitted_at"]
    else:
        made.fitted_at = about.count("fitted_at")


def _table(
    made: Updates, run: State | DualState, n_classes: int, parts: Parts, *, chained: bool = False
) -> Array:
    """The updates, each number in its range."""
    mistakes, dual = sum(run.ledger.mistakes), isinstance(run, DualState)
    counted = run.ledger.updates if isinstance(run, DualState) else run.ledger.changes
    n, epochs = mistakes - made.before, parts.tensors.get("record.epoch")
    if counted is not None and epochs is not None:  # not every update is a mistake
        n = min(epochs.size, sum(counted))
    if n < 0:
        raise ModelFileError("The record in the file begins after the last mistake.")
    parts.sizes |= {"recorded": n, "n_given": made.n_given, "mistakes+1": mistakes + 1}
    many = n_classes > 2 and not chained
    also = {"counted": counted is not None, "dual": dual, "chained": chained}
    table = np.empty(n, columns(many=many, **also))
    for name in table.dtype.names or ():
        least = 0 if name in BELOW else -np.inf
        column = Field(("recorded",), table.dtype[name], least)
        table[name] = Tensor(f"record.{name}", column, BELOW.get(name, "")).take(parts)
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


def _growths(told: object, n_classes: int) -> tuple[Growth, ...]:
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


def _is_growth(entry: object) -> bool:
    if not isinstance(entry, list) or len(entry) != 3 or not isinstance(entry[1], list):
        return False
    at, places, n = entry
    return (
        all(_is_count(value) for value in (at, n, *places))
        and 0 < len(places) < n
        and all(a < b for a, b in pairwise((-1, *places, n)))
    )


def _rules(told: object, like: tuple[object, ...]) -> tuple[tuple[int, tuple[Any, ...]], ...]:
    """From which update on which rule was followed."""
    entries: list[Any] = told if isinstance(told, list) else [None]
    fine = all(_is_rule(entry, like) for entry in entries)
    fine = fine and all(one[0] <= other[0] for one, other in pairwise(entries))
    if not fine:
        raise ModelFileError("The record in the file has a rule that is none of its learner's.")
    return tuple((n, tuple(numbers)) for n, numbers in entries)


def _is_rule(entry: object, like: tuple[object, ...]) -> bool:
    if not like or not isinstance(entry, list) or len(entry) != 2 or not _is_count(entry[0]):
        return False
    numbers = entry[1]
    return (
        isinstance(numbers, list)
        and [type(number) for number in numbers] == [type(number) for number in like]
        and all(abs(number) < np.inf for number in numbers)
    )


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < MOST
