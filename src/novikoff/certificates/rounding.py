r"""Bounds on the widest separator that rounding cannot break.

Everything here is computed in floats from the data as they are, together with a bound on
the error of that, so that $P$ is never too small, $D$ never too large (`novikoff.max_margin.gap`
has the letters), and the ends of a bracket are true bounds.
"""

from math import fsum, inf

import numpy as np
from scipy import sparse

from novikoff.certificates.bracket import Bracket
from novikoff.certificates.exact import LEAST, U_ROUND, compensated_score, plain_score
from novikoff.core.jit import njit
from novikoff.inputs.arrays import as_rows
from novikoff.max_margin.coordinates import BLOCK, total, total_size
from novikoff.typing import Array, Matrix


@njit(cache=True)
def hinge_total(v, X, y, c):
    r"""At least $\sum_i c_i\max(0, 1 - y_i\langle v, (x_i, 1)\rangle)$."""
    P = 0.0
    for i in range(len(y)):
        s, error = plain_score(v, X, i)
        if not error < 1e-12 and y[i] * s < 1.0 + error:
            s, error = compensated_score(v, X, i)
        missing = 1.0 - y[i] * s + error
        if not missing <= 0.0:  # or unknown
            P += c[i] * missing + LEAST
    return P * (1.0 + 2.0 * len(y) * U_ROUND) if not np.isnan(P) else np.inf


def length_up(u: Array, error: Array | float = 0.0) -> float:
    r"""At least $\|u\|$, where entries may be off by `error`."""
    size = abs(u) + error
    top = float(size.max(initial=0.0))
    if not 0.0 < top < inf:
        return top
    return float(np.linalg.norm(size / top)) * top * (1.0 + (len(u) + 8) * 2 * U_ROUND) + LEAST


def length_down(u: Array) -> float:
    r"""At most $\|u\|$."""
    top = float(abs(u).max(initial=0.0))
    if top == 0.0:
        return 0.0
    return float(np.linalg.norm(u / top)) * top * (1.0 - (len(u) + 8) * 2 * U_ROUND) - LEAST


def combined(X: Matrix, y: Array, alpha: Array, bias: str) -> tuple[float, float]:
    r"""At most $\sum_i\alpha_i$, and at least $\|\sum_i\alpha_i y_i x_i\|$.

    For a free bias, of the multipliers after the heavier class is scaled down to the weight
    of the other one.
    """
    rows = as_rows(X)
    support = np.flatnonzero(alpha)
    a, signs = alpha[support], y[support]
    weight = fsum(a)
    if bias == "free":
        up, down = fsum(a[signs > 0]), fsum(a[signs < 0])
        light = min(up, down)
        if light == 0.0:
            return 0.0, 0.0
        a = a * np.where(signs > 0, light / up, light / down)
        weight = 2.0 * light
    out, size = np.zeros(X.shape[1] + 1), np.zeros(X.shape[1] + 1)
    if bias == "free" and not sparse.issparse(X):  # seen from anywhere, the sum is the same
        near = np.asarray(X[support[0]], np.float64)
        for low in range(0, len(support), BLOCK):
            these = slice(low, low + BLOCK)
            Z = np.asarray(X[support[these]], np.float64) - near
            total(a[these] * signs[these], Z, np.arange(len(Z)), out[:-1])
            total_size(a[these], Z, np.arange(len(Z)), size)
    else:
        total(a * signs, rows, support, out[:-1])
        total_size(a, rows, support, size)
    if bias == "held":
        out[-1] = fsum(a * signs)
    roundings = size[-1] + 8.0
    size[-1] = fsum(a) if bias == "held" else 0.0
    error = roundings * 1.01 * U_ROUND * size + roundings * LEAST
    return weight * (1.0 - 4 * U_ROUND), length_up(out, error)


def soft_gap(
    X: Matrix, y: Array, v: Array, alpha: Array, c: Array, bias: str
) -> tuple[float, float]:
    """An upper bound of the primal value of `v` and a lower one of the dual value of `alpha`."""
    cost = length_up(v if bias == "held" else v[:-1])
    primal = 0.5 * cost * cost * (1.0 + 4 * U_ROUND) + hinge_total(v, as_rows(X), y, c)
    weight, length = combined(X, y, np.minimum(alpha, c), bias)
    dual = weight - 0.5 * length * length * (1.0 + 4 * U_ROUND)
    return primal * (1.0 + 4 * U_ROUND), dual - 4 * U_ROUND * abs(dual)


def soft_margin(v: Array, primal: float, dual: float) -> Bracket:
    r"""$1/\|w^\star\|$, for $\|w - w^\star\| \le \sqrt{2(P - D)}$."""
    r = float(np.sqrt(2.0 * max(0.0, primal - dual))) * (1.0 + 4 * U_ROUND)
    longest = (length_up(v[:-1]) + r) * (1.0 + 4 * U_ROUND)
    shortest = (length_down(v[:-1]) - r) * (1.0 - 4 * U_ROUND)
    lower = (1.0 - 4 * U_ROUND) / longest if longest > 0 else inf
    return Bracket(lower, (1.0 + 4 * U_ROUND) / shortest if shortest > 0 else inf)


def upper_margin(X: Matrix, y: Array, alpha: Array, bias: str) -> float:
    r"""$\|\sum\alpha_i y_i x_i\| / \sum\alpha_i$, which no margin is larger than."""
    weight, length = combined(X, y, alpha, bias)
    return length / weight * (1.0 + 4 * U_ROUND) if weight > 0 else inf
