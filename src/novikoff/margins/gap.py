r"""How far a separator is from the widest one, proved.

For costs $c_i$ (infinite: no example may be inside the margin) the widest separator solves

$$\min_{w,b}\ P = \tfrac12\|w\|^2 + \sum_i c_i\max(0, 1 - y_i(\langle w, x_i\rangle + b)),
\qquad \max_{0 \le \alpha_i \le c_i}\ D = \sum_i\alpha_i -
\tfrac12\Bigl\|\sum_i\alpha_i y_i x_i\Bigr\|^2$$

with $\sum_i\alpha_i y_i = 0$ if the bias is free. Always $D \le P$, and $P$ is strongly convex
in $w$, so that any $w$ and $\alpha$ confine the widest separator to a ball:
$\|w - w^\star\|^2 \le 2(P - D)$. From a ball follow bounds on its scores, and from those
which examples cannot be on its margin (Ndiaye, Fercoq, Gramfort & Salmon 2017, "Gap safe
screening rules"). With a free bias they need an interval for $b^\star$ as well: given $w$,
the best $b$ is the $n_+$-th smallest of the numbers $y_i - \langle w, x_i\rangle$ (by weight
of $c_i$), an order statistic, which moves by no more than they do.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.margins.frame import Frame

Array = npt.NDArray[Any]


class Gap(NamedTuple):
    """A primal and a dual value, and the weights that have the primal one."""

    primal: float
    dual: float
    v: Array

    @property
    def relative(self) -> float:
        r"""$(P - D) / P$."""
        return 1.0 - self.dual / self.primal if 0 < self.primal < np.inf else np.inf

    @property
    def radius(self) -> float:
        """How far the weights may be from the best ones, with room for rounding."""
        return float(np.sqrt(2.0 * max(0.0, self.primal - self.dual) + 1e-13 * self.primal))


def order_statistic(t: Array, c: Array, weight: float) -> float:
    """The smallest of `t` up to which the weights `c` add up to `weight`."""
    order = np.argsort(t, kind="stable")
    k = int(np.searchsorted(np.cumsum(c[order]), weight * (1.0 - 1e-12)))
    return float(t[order[min(k, len(t) - 1)]])


def measure(frame: Frame, cap: Array, v: Array, alpha: Array) -> Gap:
    """Primal and dual values, after giving the weights their best bias (and length)."""
    s = frame.scores(v, frame.all) * frame.y
    hard = np.isinf(cap[0])
    v = v.copy()
    if frame.free:
        s -= v[-1]
        positive = frame.y > 0
        if hard:
            v[-1] = -(s[positive].min() + s[~positive].max()) / 2
        else:
            v[-1] = order_statistic(frame.y - s, cap, float(cap[positive].sum()))
        s += v[-1]
    s *= frame.y
    if hard:
        if not s.min() > 0:
            primal = np.inf
        else:
            v /= s.min()
            primal = 0.5 * float(length_square(frame, v))
    else:
        primal = 0.5 * float(length_square(frame, v)) + float(cap @ np.maximum(0.0, 1.0 - s))
    a = frame.balanced(alpha)
    u = frame.combination(a, frame.all)
    square, weight = float(length_square(frame, u)), float(a.sum())
    if hard:  # any multiple of the multipliers will do: take the best
        dual = 0.5 * weight * weight / square if square > 0 else 0.0
    else:
        dual = weight - 0.5 * square
    return Gap(primal, dual, v)


def length_square(frame: Frame, v: Array) -> Any:
    r"""What weights cost: $\|w\|^2$, and the bias if it is not free."""
    return v[:-1] @ v[:-1] + frame.hold * v[-1] ** 2


def undecided(frame: Frame, cap: Array, gap: Gap, alive: Array) -> tuple[Array, Array, Array]:
    r"""Of the examples alive, those still open, surely outside, and surely inside the margin.

    The last two have $\alpha_i^\star = 0$ and $\alpha_i^\star = c_i$.
    """
    r = gap.radius
    y = frame.y[alive]
    if not r < np.inf:
        return alive, alive[:0], alive[:0]
    reach = r * frame.lengths[alive] * (1 + 1e-9)
    s = frame.scores(gap.v, alive)
    slack = np.abs(s) * 1e-12 + 1e-12  # rounding of the scores themselves
    if frame.free:
        low, high = bias_between(frame, cap, gap)
        s -= y * gap.v[-1]
        s_low, s_high = s + np.minimum(y * low, y * high), s + np.maximum(y * low, y * high)
    else:
        reach += r * frame.one
        s_low = s_high = s
    outside = s_low - reach - slack > 1.0
    inside = s_high + reach + slack < 1.0
    return alive[~outside & ~inside], alive[outside], alive[inside]


def bias_between(frame: Frame, cap: Array, gap: Gap) -> tuple[float, float]:
    """An interval that has the best bias in it."""
    s = frame.scores(gap.v, frame.all) * frame.y - gap.v[-1]
    reach = gap.radius * frame.lengths * (1 + 1e-9) + 1e-12 * (1.0 + abs(s))
    t = frame.y - s
    positive = frame.y > 0
    if np.isinf(cap[0]):
        return float((t - reach)[positive].max()), float((t + reach)[~positive].min())
    weight = float(cap[positive].sum())
    above = weight * (1.0 + 1e-9) + np.nextafter(0, 1)
    return (
        order_statistic(t - reach, cap, weight * (1.0 - 1e-9)),
        order_statistic(t + reach, cap, above),
    )
