r"""How much each example's update is multiplied by: sample weights times class weights.

An example of weight 0 is not there: it is not visited, not counted and never a mistake.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import column_or_1d

from novikoff.errors import DataError, ParameterError

Array = npt.NDArray[Any]


def example_weights(
    y: Array, classes: Array, class_weight: Any, sample_weight: Any, brought: Array | None = None
) -> Array | None:
    r"""The weight of every example, or None where all are 1.

    A balanced class $c$ weighs $N / 2N_c$ (King & Zeng 2001), with $N$ examples of which
    $N_c$ are of class $c$, sample weights counted. In a stream these are the examples up
    to and including the one weighed, `brought` what came before this block: so the cut of a stream
    into blocks does not matter.
    """
    weight = None if sample_weight is None else checked(sample_weight, len(y))
    if class_weight is None:
        return weight
    if isinstance(class_weight, str) and class_weight == "balanced":
        by_example = balanced(y, weight, brought)
    else:
        by_example = by_class(class_weight, classes)[(y + 1) // 2]
    return by_example if weight is None else by_example * weight


def checked(sample_weight: Any, n: int) -> Array:
    """Sample weights as finite, non-negative doubles, one per example, not all of them 0."""
    weight = np.asarray(sample_weight, np.float64)
    weight = np.full(n, weight) if weight.ndim == 0 else column_or_1d(weight)
    if len(weight) != n:
        raise DataError(
            f"sample_weight has {len(weight)} entries, but there are {n} examples: give one each."
        )
    bad = ~(np.isfinite(weight) & (weight >= 0))
    if bad.any():
        i = int(bad.argmax())
        raise DataError(
            f"sample_weight must be finite and not negative, but entry {i} is {weight[i]}. "
            "Give 0 to leave an example out."
        )
    return weight


def by_class(class_weight: Any, classes: Array) -> Array:
    """The weights of the two classes, from a dictionary; a class left out weighs 1."""
    if not isinstance(class_weight, dict):
        raise ParameterError(
            f"class_weight={class_weight!r} was given, but it must be None, 'balanced' or a "
            "dictionary from class to weight."
        )
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown:
        raise ParameterError(f"class_weight has {unknown[0]!r}, but the classes are {labels}.")
    weights = np.array([class_weight.get(label, 1.0) for label in labels], np.float64)
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise ParameterError(f"class_weight={class_weight!r} must be finite and not negative.")
    return weights


def class_counts(y: Array, sample_weight: Any, brought: Array) -> Array:
    """How much of each class there is by now."""
    weight = None if sample_weight is None else checked(sample_weight, len(y))
    return np.array([running(y, weight, brought, sign)[-1] for sign in (-1, +1)])


def running(y: Array, weight: Array | None, brought: Array, sign: int) -> Array:
    """How much of one class there is, up to and including each example."""
    own = (y == sign) if weight is None else np.where(y == sign, weight, 0.0)
    # summed from what came before, so that the same additions happen however blocks are cut
    total: Array = np.cumsum(np.concatenate([brought[(sign + 1) // 2 :][:1], own]))
    return total[1:]


def balanced(y: Array, weight: Array | None, brought: Array | None) -> Array:
    """The balanced weight of each example's class, over all of `y` or so far in a stream."""
    so_far = np.zeros(2) if brought is None else brought
    negative, positive = (running(y, weight, so_far, sign) for sign in (-1, +1))
    if brought is None:
        negative, positive = negative[-1], positive[-1]
    own = np.where(y > 0, positive, negative)
    total = negative + positive
    weights: Array = np.divide(total, 2 * own, out=np.zeros(len(y)), where=own > 0)
    return weights
