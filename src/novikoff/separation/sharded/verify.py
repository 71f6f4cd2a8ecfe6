r"""How a certificate is checked over shards, and what a hyperplane is worth on all of them.

Every shard checks its own rows, in exact arithmetic; the rows of the proof are sent, and added up
where they arrive. Together that is what `Separability.verify` does.
"""

from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Any, NamedTuple

import numpy as np

from novikoff.errors import DataError
from novikoff.separation import widest
from novikoff.separation.certificate import NONE, Separability
from novikoff.separation.exact import Exact
from novikoff.separation.sharded.certify import asked_of_span
from novikoff.separation.sharded.coordinator import Coordinator, Travel
from novikoff.separation.sharded.protocol import Shards, weights_of
from novikoff.separation.sharded.questions import sides
from novikoff.separation.two_classes import Labelled


def verify(
    certificate: Separability, shards: Shards, report: Callable[[Travel], None] | None = None
) -> tuple[bool, Travel]:
    """Does the certificate prove its verdict and its margin for the rows of all shards?

    And what it took to see that.

    Parameters
    ----------
    certificate : Separability
    shards : Shards
    report : callable, default=None
        Told what has travelled whenever the shards were asked something.

    Returns
    -------
    bool, Travel
    """
    asking = Coordinator(shards, certificate.fit_intercept, report)
    try:
        return holds(certificate, asking), asking.travel
    except OverflowError:  # numbers too long for `expansion`: nothing is shown by them
        return False, asking.travel


def holds(told: Separability, asking: Coordinator) -> bool:
    """Does a certificate hold? The rows of its proof are looked at here, the others there."""
    rows = told.rows
    if told.n_classes != len(asking.problem.classes) or not rows or told.verdict == "undecided":
        return False
    if not all(isinstance(row, int) and 0 <= row < 2**62 for row in rows):
        return False
    X, y, numbers = asking.fetch(np.unique(rows))
    if len(numbers) != len(set(rows)):  # some are not there
        return False
    D = asking.problem.examples(X, y)
    few = replace(told, rows=tuple(np.searchsorted(numbers, rows).tolist()))
    if told.verdict == "separable":
        return few.holds(D) and separates(told, asking)
    if told.margin != NONE or not (D.proper(few) and D.cancels(few)):
        return False
    if told.verdict == "quasi-separable":
        exact = D.exactly_stated(few)
        return exact is not None and supports(exact, asking)
    return told.verdict == "inseparable" and spans(few, D, asking)


def separates(told: Separability, asking: Coordinator) -> bool:
    """Is every row strictly on its side, and the margin no less than stated?"""
    W, free = asking.problem.weights(told), asking.problem.free
    low, strict, _ = asking.measure(None, W, -inf, 0, with_bias=not free, doubts=1.0)
    return strict and told.margin.lower <= asking.problem.at_least(low, W)


def supports(exact: Exact, asking: Coordinator) -> bool:
    """Is the exact witness nowhere on the wrong side, and somewhere on the right one?"""
    answers = asking.ask(sides, None, exact, 0)
    return all(a.lowest >= 0 for a in answers) and any(a.highest > 0 for a in answers)


def spans(few: Separability, D: Labelled, asking: Coordinator) -> bool:
    """Whatever vanishes on the rows of the proof vanishes on all rows."""
    at = np.array(few.rows)
    answers = asked_of_span(asking, replace(D, X=D.X[at], y=D.y[at]), few.rivals, 0)
    return not any(a.beyond or a.met.any() for a in answers)


# ------------------------------------------------------------- any hyperplane


class Reach(NamedTuple):
    """What weights are worth on all shards.

    Parameters
    ----------
    n_rows : int
    radius : float
        The length of the longest row, before a bias joins it.
    margin : float
        The least margin of any row: its distance from the hyperplane, below 0 on the wrong side.
        Of more than two classes, the least lead of the right class, divided by the length of all
        weights and biases. Above 0 it is rounded down, and so a lower end of the margin's bracket.
    separates : bool
        Is every row strictly on its side? Decided exactly.
    """

    n_rows: int
    radius: float
    margin: float
    separates: bool


def measure(shards: Shards, coef: Any, intercept: Any = 0.0) -> Reach:
    """The radius of all rows, and the least margin that these weights have on them.

    Parameters
    ----------
    shards : Shards
    coef : array of shape (n_features,) or (1, n_features), or one row for each of many classes
    intercept : float or array
        The bias, or one for each class.

    Examples
    --------
    >>> from novikoff.separation.sharded.protocol import Here
    >>> from novikoff.separation.sharded.verify import measure
    >>> shards = Here([([[3.0, 4.0]], ["a"]), ([[0.0, 1.0]], ["b"])])
    >>> found = measure(shards, coef=[-2.0, 0.0], intercept=1.0)
    >>> found.radius, round(found.margin, 6), found.separates
    (5.0, 0.5, True)
    """
    asking = Coordinator(shards, True)
    K, width = len(asking.problem.classes), asking.problem.width
    W = weights_of(np.asarray(coef, np.float64), np.asarray(intercept, np.float64))
    rows = K if K > 2 else 1
    if W.shape != (rows, width + 1):
        raise DataError(
            f"The weights have shape {np.shape(coef)}, but the shards have {width:,} columns and "
            f"{K} classes: give {rows} times {width:,} weights, and {rows} biases."
        )
    if not np.isfinite(W).all() or not W[:, :-1].any():
        raise DataError("The weights must be finite, and one of them not 0.")
    low, strict, _ = asking.measure(None, W, -inf, 0)
    size = widest.length_up((W if K > 2 else W[:, :-1]).ravel().tolist())
    margin = widest.down(float(low.min()) / size) if low.min() > 0 else float(low.min()) / size
    return Reach(asking.whole.n, asking.whole.longest, margin, strict)
