r"""How a certificate is checked over shards, and what a hyperplane is worth on all of them.

Every shard checks its own rows, in exact arithmetic; the rows of the proof are sent, and added up
where they arrive. Together that is what `Separability.verify` does.
"""

from collections.abc import Callable
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from novikoff.certificates import widest
from novikoff.certificates.certificate import Separability
from novikoff.certificates.sharded.coordinator import Coordinator, Travel
from novikoff.certificates.sharded.protocol import Shards
from novikoff.certificates.two_classes import weights_of
from novikoff.errors import DataError


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
    rows = sorted(certificate.all_rows)
    if not all(isinstance(row, int) and 0 <= row < 2**62 for row in rows):
        return False, asking.travel
    X, y, numbers = asking.fetch(np.unique(np.array(rows, np.int64)))
    few = certificate.renumbered(numbers)
    return few is not None and few.holds(asking.problem.examples(X, y), asking), asking.travel


# ------------------------------------------------------------- any hyperplane


class Reach(NamedTuple):
    """The radius of data in shards, and the margin of a hyperplane on them.

    Parameters
    ----------
    n_rows : int
        The number of rows, without those of weight 0.
    radius : float
        The length of the longest row, without the coordinate of the bias.
    margin : float
        The smallest margin of any row: its distance from the hyperplane, negative on the wrong
        side. With more than two classes, the smallest difference between the score of the right
        class and the best other, divided by the length of all weights and biases. A positive margin
        is rounded down, so it is a lower bound on the widest margin.
    separates : bool
        Whether every row is strictly on its side. Decided exactly.
    """

    n_rows: int
    radius: float
    margin: float
    separates: bool


def measure(shards: Shards, coef: ArrayLike, intercept: ArrayLike = 0.0) -> Reach:
    """The radius of all rows, and the least margin that these weights have on them.

    Parameters
    ----------
    shards : Shards
    coef : array of shape (n_features,) or (1, n_features), or one row for each of many classes
    intercept : float or array
        The bias, or one for each class.

    Examples
    --------
    >>> from novikoff.certificates.sharded.protocol import Here
    >>> from novikoff.certificates.sharded.verify import measure
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
    size = widest.exact_length_up((W if K > 2 else W[:, :-1]).ravel().tolist())
    margin = widest.down(float(low.min()) / size) if low.min() > 0 else float(low.min()) / size
    return Reach(asking.travel.n_examples, asking.longest, margin, strict)
