"""The numbers 0, 1, 2, ... that kernel machines know classes by, and their weight vectors."""

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def places_of(y: Array, classes: Array) -> Array:
    """The place of every label among the classes, all of which are known."""
    return np.searchsorted(classes, y)


def n_outputs(classes: Array) -> int:
    """How many weight vectors there are: one for two classes, or one for each of several."""
    return len(classes) if len(classes) > 2 else len(classes) - 1


def mixing(old: Array, new: Array) -> Array:
    """How the weight vectors of the old classes make those of the new ones.

    The one vector of two classes is for the second and against the first. New classes start at 0.
    """
    M = np.zeros((n_outputs(old), n_outputs(new)))
    if len(old) == 2 and len(new) > 2:
        M[0, places_of(old, new)] = [-1.0, 1.0]
    elif len(old) > 2:
        M[np.arange(len(old)), places_of(old, new)] = 1.0
    return M
