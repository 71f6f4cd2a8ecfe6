r"""Learners that keep a covariance: a measure of how certain each weight is.

The weights are a Gaussian with mean $\mu$ and covariance $\Sigma$, which is a full matrix or only
its diagonal. On an example $x$ with the label $y$ of -1 or +1,

$$\mu \leftarrow \mu + \alpha\,y\,\Sigma x, \qquad
  \Sigma \leftarrow \Sigma - \beta\,\Sigma x x^\top \Sigma.$$

The learners differ in the step sizes $\alpha$ and $\beta$. A diagonal $\Sigma$ stays diagonal: only
the diagonal of the second term is subtracted. The bias is the weight of one more feature, which is
always 1.
"""

import numpy as np

from novikoff.core.jit import njit
from novikoff.core.rows import SUM, column, first, last, value
from novikoff.errors import ParameterError
from novikoff.learners.margin import OUT_OF_RANGE, Online
from novikoff.learners.state import Field, Space
from novikoff.parameters import choice
from novikoff.typing import Array

MOST = 1 << 27
"""How many numbers the matrices may have: a gigabyte of doubles."""


@njit(fastmath=SUM)
def variance(S, X, i, bias, Sx):
    r"""$x^\top\Sigma x$; writes $\Sigma x$ too if $\Sigma$ is a matrix."""
    if S.ndim == 1:
        q = bias * np.float64(S[-1])
        for k in range(first(X, i), last(X, i)):
            x = np.float64(value(X, i, k))
            q += x * x * S[column(X, k)]
        return q
    for j in range(len(Sx)):
        Sx[j] = bias * S[-1, j]
    for k in range(first(X, i), last(X, i)):
        x = np.float64(value(X, i, k))
        for j in range(len(Sx)):
            Sx[j] += x * S[column(X, k), j]
    q = bias * Sx[-1]
    for k in range(first(X, i), last(X, i)):
        q += np.float64(value(X, i, k)) * Sx[column(X, k)]
    return 0.0 if q < 0.0 else q  # which rounding can make it


@njit
def without(S, X, i):
    """What a rule returns where there is no variance: no update, or that it is merely too small."""
    for k in range(first(X, i), last(X, i)):
        j = column(X, k)
        if value(X, i, k) != 0 and (S[j] if S.ndim == 1 else S[j, j]) > 0.0:
            return OUT_OF_RANGE
    return 0.0


@njit
def shift(w, S, a, beta, X, i, bias, Sx):
    r"""$w \leftarrow w + a\,\Sigma x$, $\Sigma \leftarrow \Sigma - \beta\,\Sigma xx^\top\Sigma$"""
    if S.ndim == 1:
        for k in range(first(X, i), last(X, i)):
            j = column(X, k)
            p = S[j] * np.float64(value(X, i, k))
            w[j] += a * p
            S[j] = max(S[j] - beta * (p * p), 0.0)
        p = S[-1] * bias
        w[-1] += a * p
        S[-1] = max(S[-1] - beta * (p * p), 0.0)
    else:
        for j in range(len(Sx)):
            w[j] += a * Sx[j]
            for k in range(len(Sx)):
                S[j, k] -= beta * (Sx[j] * Sx[k])


@njit(allocates=True)
def room_beside(S):
    r"""Room for $\Sigma x$, if $\Sigma$ is a matrix."""
    return np.empty(0 if S.ndim == 1 else len(S))


class Confident(Online):
    """A learner that keeps a covariance (abstract)."""

    _kept_by_rule = "covariance"

    covariance: str = choice(
        default="diagonal",
        choices=("diagonal", "full"),
        short="keep the full covariance matrix, or its diagonal only",
        text="""Keep one variance per weight, or the full matrix. With $d$ features, the full matrix
        takes $(d + 1)^2$ numbers, and an update takes as many operations.""",
        space=True,
    )

    def _start(self) -> float:
        """The variance of every weight at the start."""
        return 1.0

    def _changes_all(self, space: Space) -> bool:
        return bool(space["covariance"] == "full")

    def _declared(self, space: Space) -> dict[str, Field]:
        if space["covariance"] == "diagonal":
            return {"covariance": Field(("m", "d"), least=0.0, opposite=False)}
        # in singles it soon is none, by rounding
        full = Field(("m", "d", "d"), np.float64, opposite=False, by_column=False)
        return {"covariance": full}

    def _extra(self, space: Space, weights: Array) -> dict[str, Array]:
        w, (shape, dtype) = weights, self._declared(space)["covariance"].like(weights)
        if np.prod(shape, dtype=float) > MOST:
            raise ParameterError(
                f"{{covariance=}} was given, but {w.shape[-1] - 1} features would need a matrix "
                f"of {np.prod(shape, dtype=float):.1e} numbers: choose 'diagonal'.",
                covariance="full",
            )
        start = self._start()
        if not np.finfo(w.dtype).tiny <= start <= np.finfo(w.dtype).max:
            raise ParameterError(
                f"A variance of {start:g} at the start is out of the range of {w.dtype}: choose "
                "another."
            )
        S = np.full(shape, start, dtype)
        if space["covariance"] == "full":
            S[...] = start * np.eye(w.shape[-1])
        return {"covariance": S}
