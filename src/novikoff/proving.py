"""Novikoff's proof, carried out on a trace."""

from math import sqrt
from typing import Any

import numpy as np

from novikoff.errors import ParameterError
from novikoff.inputs import as_rows
from novikoff.learners.additive import Additive
from novikoff.margins.geometry import longest
from novikoff.theorem import (
    Array,
    Proof,
    as_in_run,
    carried_out,
    direction,
    lowest_lead,
    widest,
    widest_of_many,
)


def proof_of(trace: Any, u: Any) -> Proof:
    """The four quantities on a trace, for a direction or the one of the widest margin."""
    learner = trace._learner
    if not isinstance(learner, Additive):
        raise ParameterError(
            f"{type(learner).__name__} {learner._other_proof}: the four quantities are those of "
            "perceptrons."
        )
    if trace._apart:
        raise ParameterError(
            "Each class has a machine of its own here, with a proof of its own: "
            f"trace.machine(label).proof() has it, for a label of {trace._classes.tolist()}."
        )
    X, y = trace.data
    Z = as_in_run(X, trace._space)
    K = len(trace.start) if trace.start.ndim > 1 else 1
    if u is None:
        u, gamma = widest(Z, y) if K == 1 else widest_of_many(Z, y, K)
    else:
        u = direction(u, X.shape[1], Z.shape[1], trace._space["fit_intercept"], K)
        gamma = float((y * (Z @ u)).min()) if K == 1 else lowest_lead(Z, y, u)
    R = float(longest(as_rows(Z), Z.shape[0]))
    return quantities(trace, u, gamma, R if K == 1 else sqrt(2) * R)


def quantities(trace: Any, u: Array, gamma: float, R: float) -> Proof:
    """The same for a direction with this margin, and this radius."""
    width, every = trace.start.shape[-1], np.arange(len(trace) + 1)
    progress = np.array([np.vdot(w, u[..., :width]) for w in trace._replayed(every)])
    if u.shape[-1] > width:  # private coordinates
        own, place = trace.step * float(trace._space["slack"]), width + trace.example
        many = trace.gained is not None
        along = u[trace.gained, place] - u[trace.lost, place] if many else u[place]
        progress[1:] += np.cumsum(own * along)
    doubt = 8 * (trace.start.size + 8) * float(np.finfo(trace.start.dtype).eps)
    square = np.append(trace._square, trace.squared_norm)
    return carried_out(u, gamma, R, progress, square, abs(trace.step), trace.mistakes, doubt)
