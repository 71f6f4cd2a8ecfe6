"""Data of any size whose margin is known, because it was planted."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.errors import ParameterError
from novikoff.typing import Array


class Planted(NamedTuple):
    """Examples that a known hyperplane separates."""

    X: Array
    y: npt.NDArray[np.int64]
    """-1 and +1."""
    coef: npt.NDArray[np.float64]
    """The unit normal of the planted hyperplane, which goes through the origin."""


def planted(
    n: int, d: int, margin: float = 0.01, *, dtype: npt.DTypeLike = np.float64, seed: int = 0
) -> Planted:
    r"""Examples of unit length, no closer than `margin` to a random hyperplane.

    Uniform directions with the component along the planted normal $u$ drawn uniformly
    from $\pm[\gamma, 1]$: so $y_i\langle u, x_i\rangle \ge \gamma$ and $\|x_i\| = 1$, up to
    rounding to `dtype`.

    Parameters
    ----------
    n, d : int
        How many examples, of how many features (at least 2).
    margin : float, default=0.01
        $\gamma$, above 0 and below 1.
    dtype : dtype, default=float64
    seed : int, default=0

    Returns
    -------
    Planted
        `X`, `y` and the unit normal `coef`.

    Examples
    --------
    >>> from novikoff import margin
    >>> from novikoff.data import planted
    >>> X, y, u = planted(1000, 20, margin=0.25)
    >>> margin(X, y, u) >= 0.2499999
    True
    """
    if n < 1 or d < 2 or not 0 < margin < 1:
        raise ParameterError(
            "{n=}, {d=} and {margin=} were given, but n must be at least 1, d at least 2, and the "
            "margin between 0 and 1.",
            n=n,
            d=d,
            margin=margin,
        )
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(d)
    u /= np.linalg.norm(u)
    X = rng.standard_normal((n, d))
    X -= np.outer(X @ u, u)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.where(rng.random(n) < 0.5, -1, 1)
    along = y * rng.uniform(margin, 1.0, n)
    X *= np.sqrt(1.0 - along**2)[:, None]
    X += np.outer(along, u)
    return Planted(X.astype(dtype), y, u)
