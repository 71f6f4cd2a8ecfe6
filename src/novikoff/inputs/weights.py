r"""How much each example's update is multiplied by: sample weights times class weights.

An example of weight 0 is not there: it is not visited, not counted and never a mistake.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import column_or_1d

from novikoff.core.jit import njit
from novikoff.errors import DataError, ParameterError
from novikoff.typing import Array, Given


class SoFar(NamedTuple):
    """What a stream has brought before a block."""

    brought: Array
    """How much of each class."""
    taking_part: Array
    """Which classes take part from the start of the block."""


def example_weights(
    own: Array, classes: Array, class_weight: Any, sample_weight: Given, stream: SoFar | None = None
) -> Array | None:
    r"""The weight of every example, of the class with the number `own`; None where all are 1.

    A balanced class $c$ of $K$ weighs $N / KN_c$ (King & Zeng 2001), with $N$ examples of which
    $N_c$ are of class $c$, sample weights counted. In a stream these are the examples up
    to and including the one weighed, and the classes that take part by then: so the cut of a stream
    into blocks does not matter.
    """
    weight = None if sample_weight is None else checked(sample_weight, len(own))
    if class_weight is None:
        return weight
    if isinstance(class_weight, str) and class_weight == "balanced":
        brought, taking_part = (None, np.ones(len(classes), np.bool_)) if stream is None else stream
        by_example = balanced(own, weight, brought, taking_part)
    else:
        by_example = by_class(class_weight, classes, growing=stream is not None)[own]
    return by_example if weight is None else by_example * weight


def require_some(weight: Array | None) -> None:
    """Some example must weigh something."""
    if weight is not None and not weight.any():
        raise DataError(
            "The weight of every example is zero, so there is nothing to learn from: "
            "make some of {sample_weight} or {class_weight} positive.",
            sample_weight=None,
            class_weight=None,
        )


def checked(sample_weight: Given, n: int) -> Array:
    """Sample weights as finite, non-negative doubles, one per example."""
    weight = np.asarray(sample_weight, np.float64)
    weight = np.full(n, weight) if weight.ndim == 0 else column_or_1d(weight)
    if len(weight) != n:
        raise DataError(
            f"{{sample_weight}} has {len(weight)} entries, but there are {n} examples: give one "
            "each.",
            sample_weight=None,
        )
    bad = ~(np.isfinite(weight) & (weight >= 0))
    if bad.any():
        i = int(bad.argmax())
        raise DataError(
            f"{{sample_weight}} must be finite and not negative, but entry {i} is {weight[i]}. "
            "Give 0 to leave an example out.",
            sample_weight=None,
        )
    return weight


def some_weights(sample_weight: Given, n: int) -> Array | None:
    """The same, and not all of them 0; None if none were given."""
    if sample_weight is None:
        return None
    weight = checked(sample_weight, n)
    require_some(weight)
    return weight


def require_meaning(class_weight: Any, classes: Array) -> None:
    """Raise a `ParameterError` for weights of classes that no stream could go on with."""
    if class_weight is not None and class_weight != "balanced":
        by_class(class_weight, classes, growing=True)


def by_class(class_weight: Any, classes: Array, *, growing: bool = False) -> Array:
    """The weights of the classes, from a dictionary; a class left out weighs 1.

    Where the classes are growing, the dictionary may speak of one that has not come yet.
    """
    if not isinstance(class_weight, dict):
        allowed = "None, 'balanced' or a dictionary from class to weight"
        raise ParameterError.of("class_weight", class_weight, allowed)
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown and not growing:
        raise ParameterError(
            f"{{class_weight}} has {unknown[0]!r}, but the classes are {labels}.",
            class_weight=class_weight,
        )
    every = np.array([*class_weight.values(), 1.0], np.float64)
    weights = np.array([class_weight.get(label, 1.0) for label in labels], np.float64)
    if not (np.isfinite(every) & (every >= 0)).all():
        raise ParameterError.of("class_weight", class_weight, "finite and not negative")
    return weights


def ratio(weight: Array | None) -> float:
    """How many times the least weight above 0 the largest is."""
    if weight is None:
        return 1.0
    return float(weight.max()) / least_positive(weight)


def felt(step_ratio: float, dtype: Any) -> float:
    """The ratio of the largest step to the least, if weights of this type feel both.

    To add what is less than their last digit does nothing, however often; so there is no bound.
    """
    return step_ratio if step_ratio * float(np.finfo(dtype).eps) < 1e-3 else float("inf")


def least_positive(weight: Array) -> float:
    """The least weight above 0."""
    if len(weight) == 1:  # in a fraction of the time
        return float(weight[0]) or np.inf
    return float(np.min(weight, where=weight > 0, initial=np.inf))


@njit(cache=True)
def count(own, weight, totals, taking_part, out):
    """Add every example's weight to the total of its class; writes $N / KN_c$ as it then is."""
    for i in range(len(own)):
        c = own[i]
        totals[c] += 1.0 if weight is None else weight[i]
        taking_part[c] = True
        # all totals anew, so that the same additions happen however blocks are cut
        out[i] = totals.sum() / (taking_part.sum() * totals[c]) if totals[c] > 0.0 else 0.0


def class_totals(own: Array, sample_weight: Given, brought: Array) -> Array:
    """How much of each class there is by now."""
    weight = None if sample_weight is None else checked(sample_weight, len(own))
    totals = brought.copy()
    count(own, weight, totals, np.ones(len(totals), np.bool_), np.empty(len(own)))
    return totals


def balanced(own: Array, weight: Array | None, brought: Array | None, taking_part: Array) -> Array:
    """The balanced weight of each example's class, over all of them or so far in a stream."""
    weights = np.empty(len(own))
    if brought is not None:
        count(own, weight, brought.copy(), taking_part.copy(), weights)
        return weights
    totals = np.bincount(own, weight, minlength=len(taking_part))
    each: Array = np.divide(
        totals.sum(), len(totals) * totals, out=np.zeros(len(totals)), where=totals > 0
    )
    return each[own]
