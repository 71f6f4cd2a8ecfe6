"""Generated data of any size with a known margin."""

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
    r"""Generate examples of unit length that a random hyperplane separates with a given margin.

    The examples $x_i$ have random directions, and their component along the unit normal $u$ of the
    hyperplane is uniform in $\pm[\gamma, 1]$. So $y_i\langle u, x_i\rangle \ge \gamma$ for the
    labels $y_i$ of -1 or +1, and $\|x_i\| = 1$, up to rounding to `dtype`.

    Parameters
    ----------
    n, d : int
        The number of examples, and of features (at least 2).
    margin : float, default=0.01
        The margin $\gamma$, above 0 and below 1.
    dtype : dtype, default=float64
        The type of `X`.
    seed : int, default=0
        The seed of the random number generator.

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
