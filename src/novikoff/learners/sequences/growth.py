"""Room for labels and features that come in the middle of a stream."""

from collections.abc import Callable

import numpy as np

from novikoff.learners.state import WEIGHTS, Field, State
from novikoff.typing import Array

TRANSITIONS = Field(("m", "m"), by_column=False)
Beside = dict[str, Array]


def enlarged(
    run: State, beside: Callable[[Array], Beside], places: Array, n_classes: int, d: int
) -> State:
    """The run with room for more labels, and for features, of which more may come soon.

    `beside` makes what is kept beside weights at the start.
    """
    run, before = run.copy(), run.weights.shape[1] - 1
    width = before if d <= before else max(d, 2 * before)
    weights = np.zeros((n_classes, width + 1), run.weights.dtype, order="F")
    new = beside(weights)
    for name, field in (("", WEIGHTS), *run.declared.items()):
        old, larger = (run.extra[name], new[name]) if name else (run.weights, weights)
        if field.shape == TRANSITIONS.shape:
            field.spread(old, larger, places)
        else:
            larger[places, :before], larger[places, -1] = old[:, :before], old[:, -1]
    run.weights, run.extra, run.mean = weights, new, None
    if run.log is not None and n_classes > len(places):
        run.log.grow(places, n_classes, run.log.now)
    return run


def without_room(weights: Array, d: int) -> Array:
    """The weights of the features there are, and the biases."""
    return weights if weights.shape[1] == d + 1 else np.hstack([weights[:, :d], weights[:, -1:]])
