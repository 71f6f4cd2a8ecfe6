r"""Dual coordinate descent: the first approach to the widest separator on wide data.

One multiplier at a time, the dual is a parabola:

$$\alpha_i \leftarrow \min\bigl(\max(\alpha_i - (y_i s_i - 1) / (\|z_i\|^2 + \sigma), 0),
c_i\bigr), \qquad w = \textstyle\sum_i\alpha_i y_i x_i$$

(Hsieh, Chang, Lin, Keerthi & Sundararajan 2008, algorithm 1). A free bias asks for
$\sum_i\alpha_i y_i = 0$, which single steps cannot keep; so its violation $v$ costs
$\sigma v^2 / 2$, and the bias is moved by $\sigma v$ between passes: the method of multipliers.
Multipliers that sit at an end and are pushed against it are left out of the passes
until the others have settled.
"""

from typing import NamedTuple

import numpy as np

from novikoff.core.clock import now
from novikoff.core.examples import shuffle
from novikoff.core.jit import njit
from novikoff.core.rows import add, dot
from novikoff.max_margin.coordinates import Frame, dots
from novikoff.max_margin.gap import Gap, duality_gap, screened
from novikoff.parallel.cores import row_by_row
from novikoff.typing import Array, Matrix

PASSES, FULL = 25, 100
"""How many passes to make before looking how far they have come, and before taking all in again."""
HOPE = 1000
"""After so many passes without any separator, there probably is none."""
MOST, AGO, PAYS = 10_000, 60, 0.9
"""The most passes; and within so many looks, to what part of its size the gap must come."""


class Dual(NamedTuple):
    """The problem as the loop reads it."""

    rows: Matrix
    y: Array
    cap: Array
    curvature: Array
    r"""$\|z_i\|^2 + \sigma$"""
    sigma: float
    scale: float
    along: Array
    r"""$\langle x_i s, c\rangle$: rows are seen from the centre $c$, but not moved there."""
    center: float
    r"""$\|c\|^2$"""


@njit(cache=True)
def descend(D, alpha, u, sums, order, n, level):
    r"""Passes over the first `n` rows of `order`; how many of them are still worth visiting.

    A row that is at an end and pushed against it by more than `level`, the largest push of the
    last pass, is put behind the others. Returns how many are left, and the level.

    `u` is $\sum\alpha_i y_i x_i s$; `sums` are the bias, $\sum\alpha_i y_i$ and
    $\langle u, c\rangle$.
    """
    for _ in range(PASSES):
        k, top = 0, 0.0
        shuffle(order[:n], n)
        while k < n:
            i = order[k]
            score = dot(u, D.rows, i) * D.scale - sums[2] + sums[1] * (D.center - D.along[i])
            a, g = alpha[i], D.y[i] * (score + sums[0]) - 1.0
            if (a == 0.0 and g > level) or (a == D.cap[i] and g < -level):
                n -= 1
                order[k], order[n] = order[n], i
                continue
            alpha[i] = min(max(a - g / D.curvature[i], 0.0), D.cap[i])
            change = (alpha[i] - a) * D.y[i]
            if change != 0.0:
                add(u, change * D.scale, D.rows, i)
                sums[0] += D.sigma * change
                sums[1] += change
                sums[2] += change * D.along[i]
                top = max(top, abs(change) * D.curvature[i])
            k += 1
        level = top
    return n, level


def as_dual(frame: Frame, cap: Array) -> Dual:
    """The problem in a frame."""
    square = np.square(frame.lengths)
    sigma = float(square.mean()) if frame.free else frame.one**2
    along = np.zeros(frame.n)
    if frame.center.any():
        row_by_row(dots, frame.n, frame.center * frame.scale, frame.rows, frame.all, along)
    center = float(frame.center @ frame.center)
    curvature = np.maximum(square + sigma, 1e-300)
    return Dual(frame.rows, frame.y, cap, curvature, sigma, frame.scale, along, center)


def approach(
    frame: Frame, cap: Array, tol: float, deadline: float
) -> tuple[Gap, Array, Array, int]:
    """Descend while it pays: the gap, the multipliers, the rows still open, and the passes made."""
    D = as_dual(frame, cap)
    alpha, u, sums = np.zeros(frame.n), np.zeros(frame.d), np.zeros(3)
    alive, before, passes = frame.all, [np.inf] * (AGO + 1), 0
    best, chosen = duality_gap(frame, cap, np.zeros(frame.d + 1), alpha), alpha.copy()
    while True:
        if passes % FULL == 0:
            order, n, level = alive.copy(), len(alive), np.inf
        n, level = descend(D, alpha, u, sums, order, n, level)
        passes += PASSES
        bias = sums[0] if frame.free else sums[0] / (frame.one or 1.0)
        gap = duality_gap(frame, cap, np.append(u - sums[1] * frame.center, bias), alpha)
        if not np.isfinite(gap.v).all():  # an offset so large that scores are all rounding
            return best, chosen, alive, 0
        chosen = alpha.copy() if gap.dual >= best.dual else chosen
        gap = best = best.joined(gap)
        before.append(gap.relative)
        slow = min(before[-AGO:]) > PAYS * min(before[:-AGO])
        hopeless = gap.primal == np.inf and passes >= HOPE
        late = passes >= MOST or hopeless or now() > deadline
        if gap.relative <= tol or slow or late:
            return gap, chosen, alive, passes
        alive, outside, inside = screened(frame, cap, gap, alive)
        alpha[outside], alpha[inside] = 0.0, cap[inside]
        if len(outside) or len(inside):
            u = frame.combination(alpha, frame.all)[:-1]
            u += frame.center * (alpha @ frame.y)
            sums[2] = u @ frame.center
            sums[0] += D.sigma * (alpha @ frame.y - sums[1])
            sums[1] = alpha @ frame.y
        if frame.free:
            sums[0] += D.sigma * sums[1]
