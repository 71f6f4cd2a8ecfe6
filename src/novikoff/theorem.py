r"""Novikoff's theorem on a run: the space it is about, a direction, and the four quantities."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.errors import NotSeparable, ParameterError
from novikoff.inputs import at_unit_length
from novikoff.margins.max_margin import MaxMargin

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Proof:
    r"""Novikoff's proof, carried out on a run: the four quantities at every update.

    $$\langle w_0, u\rangle + \gamma\sum_{j \le k} a_j \;\le\; \langle w_k, u\rangle \;\le\;
      \|w_k\| \;\le\; \sqrt{\|w_0\|^2 + R^2\sum_{j \le k} a_j^2},$$

    where $a_j$ is the size of the $j$-th step. From a start at 0 with steps of 1 this is
    $k\gamma \le \langle w_k, u\rangle \le \|w_k\| \le \sqrt k\,R$.

    Parameters
    ----------
    u : ndarray
        The unit vector, in the space of the run: with a bias it has one more entry.
    margin : float
        $\gamma$: no $y_i\langle u, x_i\rangle$ is less.
    radius : float
        $R$: no $\|x_i\|$ is more.
    bound : float
        The number of mistakes past which the first quantity would exceed the last.
    mistakes : ndarray of int
        $k$.
    least, progress, length, most : ndarrays of float
        The four quantities after each update.
    progress_grew : ndarray of bool
        The first lemma: did the update add at least $a_k\gamma$ to $\langle w, u\rangle$?
    length_held : ndarray of bool
        The second: did it add at most $a_k^2R^2$ to $\|w\|^2$?
    start : tuple of float
        $\langle w_0, u\rangle$ and $\|w_0\|$.
    steps : ndarray of float
        The $a_k$.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> model = Perceptron(fit_intercept=False, record=True, shuffle=False)
    >>> proof = model.fit([[3.0, 4.0], [-4.0, 3.0]], [1, 0]).trace_.proof(u=[1.0, 0.0])
    >>> proof.least, proof.progress
    (array([3., 6.]), array([3., 7.]))
    >>> proof.length.round(2), proof.most.round(2), round(proof.bound, 2)
    (array([5.  , 7.07]), array([5.  , 7.07]), 2.78)
    """

    u: Array
    margin: float
    radius: float
    bound: float
    mistakes: Array
    least: Array
    progress: Array
    length: Array
    most: Array
    progress_grew: Array
    length_held: Array
    start: tuple[float, float]
    steps: Array

    @property
    def holds(self) -> bool:
        """Did both lemmas hold at every update?"""
        return bool(self.progress_grew.all() and self.length_held.all())

    def to_pandas(self) -> Any:
        """The four quantities and the two lemmas as a pandas frame, a row per update.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas as pd

        names = ("mistakes", "least", "progress", "length", "most", "progress_grew", "length_held")
        return pd.DataFrame({name: getattr(self, name) for name in names})


def as_in_run(X: Any, space: dict[str, Any]) -> Any:
    """The examples as the theorem sees them: with all coordinates that the run gave them."""
    n = X.shape[0]
    Z = at_unit_length(X) if space["normalize"] else X.astype(np.float64)
    # the weights of a hyperplane through the origin have a place for the bias too
    one = np.full((n, 1), float(space["fit_intercept"]))
    if space["slack"]:
        own = float(space["slack"]) * sparse.eye_array(n)
        return sparse.hstack([sparse.csr_array(Z), one, own], format="csr")
    return sparse.hstack([Z, one], format="csr") if sparse.issparse(Z) else np.hstack([Z, one])


def widest(Z: Any, y: Array) -> tuple[Array, float]:
    """The unit vector of the widest margin, and a margin that it is proved to have."""
    try:
        found = MaxMargin(fit_intercept=False).fit(Z, y)
    except NotSeparable as error:
        raise NotSeparable(
            f"The theorem needs data with a margin, but this is {error.separability.verdict} in "
            "the space of the run. Give a direction u all the same, or learn with slack > 0.",
            error.separability,
        ) from error
    return found.coef_[0] / np.linalg.norm(found.coef_), found.margin_.lower


def direction(given: Any, d: int, width: int, bias: bool) -> Array:
    """The unit vector along what was given, in all `width` coordinates of the run."""
    u = np.asarray(given, np.float64).ravel()
    if len(u) not in (d, d + bias, width) or not np.isfinite(u).all() or not u.any():
        entries = f"{d} entries, or {d + 1} with that of the bias" if bias else f"{d} entries"
        raise ParameterError(f"u must have {entries}, finite and not all 0; it has {len(u)}.")
    full = np.zeros(width)
    full[: len(u)] = u
    unit: Array = full / np.linalg.norm(full)
    return unit
