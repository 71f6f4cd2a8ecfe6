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
the best $b$ is an order statistic of the numbers $y_i - \langle w, x_i\rangle$ (by weight of $c_i$,
the one up to which all weigh what the positive ones do), which moves by no more than they do.
"""

from typing import NamedTuple

import numpy as np

from novikoff.max_margin.coordinates import Frame
from novikoff.typing import Array


class Gap(NamedTuple):
    """A primal and a dual value, and the weights that have the primal one."""

    primal: float
    dual: float
    v: Array
    error: float
    """What rounding may have added to their difference, or taken away."""

    @property
    def relative(self) -> float:
        r"""$(P - D) / P$."""
        return 1.0 - self.dual / self.primal if 0 < self.primal < np.inf else np.inf

    @property
    def radius(self) -> float:
        """How far the weights may be from the best ones, with room for rounding."""
        return float(np.sqrt(2.0 * (max(0.0, self.primal - self.dual) + self.error)))

    def joined(self, other: "Gap") -> "Gap":
        """The better primal and the better dual value: any two of them make a gap."""
        first = self if self.primal <= other.primal else other
        error = max(self.error, other.error)
        return Gap(first.primal, max(self.dual, other.dual), first.v, error)


def balance_point(t: Array, c: Array, positive: Array, lean: float = 1.0, beside: int = 0) -> float:
    r"""The least $t_k$ up to which the negative examples weigh what the positive ones past it do.

    Or one `beside` it. This is the $t$ up to which all weigh what the positive ones do, put so that
    no small weight is lost among large ones. With `lean` below 1 it is reached later.
    """
    order = np.argsort(t, kind="stable")
    c, positive = c[order], positive[order]
    below = np.cumsum(np.where(positive, 0.0, c))
    past = np.append(np.cumsum(np.where(positive, c, 0.0)[::-1])[::-1][1:], 0.0)
    k = int((below * lean >= past).argmax()) + beside
    return float(t[order[min(max(k, 0), len(t) - 1)]])


def score_error(frame: Frame, v: Array) -> float:
    """How far a score can be off: so many roundings of numbers of this size."""
    size = float(np.linalg.norm(v[:-1])) * (1.0 + float(np.linalg.norm(frame.center)))
    return float(2.0**-52 * (frame.d + 8) * (size + abs(float(v[-1])) + 1.0))


def duality_gap(frame: Frame, cap: Array, v: Array, alpha: Array) -> Gap:
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
            v[-1] = best_bias(frame, cap, s)
        s += v[-1]
    s *= frame.y
    if hard:
        if not s.min() > 0:
            primal = np.inf
        else:
            v /= s.min()
            primal = 0.5 * length_square(frame, v)
    else:
        primal = 0.5 * length_square(frame, v) + float(cap @ np.maximum(0.0, 1.0 - s))
    off = score_error(frame, v)
    inside = s < 1.0 + off
    a = frame.balanced(alpha)
    u = frame.combination(a, frame.all)
    square, weight = length_square(frame, u), float(a.sum())
    if hard:  # any multiple of the multipliers will do: take the best
        dual = 0.5 * weight * weight / square if square > 0 else 0.0
    else:
        dual = weight - 0.5 * square
    error = 1e-13 * (primal + abs(dual)) if primal < np.inf else 0.0
    error += off * (8.0 * primal if hard else float(cap[inside].sum()) + weight)
    return Gap(primal, dual, v, error)


def best_bias(frame: Frame, cap: Array, s: Array) -> float:
    """The bias that costs least with these scores; sums of weights may be rounded."""
    t = frame.y - s
    candidates = [balance_point(t, cap, frame.y > 0, beside=beside) for beside in (-1, 0, 1)]
    return min(candidates, key=lambda b: float(cap @ np.maximum(0.0, 1.0 - frame.y * (s + b))))


def length_square(frame: Frame, v: Array) -> float:
    r"""What weights cost: $\|w\|^2$, and the bias if it is not free."""
    return float(v[:-1] @ v[:-1] + frame.hold * v[-1] ** 2)


def screened(frame: Frame, cap: Array, gap: Gap, alive: Array) -> tuple[Array, Array, Array]:
    r"""Of the examples alive, those still open, surely outside, and surely inside the margin.

    The last two have $\alpha_i^\star = 0$ and $\alpha_i^\star = c_i$.
    """
    r = gap.radius
    y = frame.y[alive]
    if not r < np.inf:
        return alive, alive[:0], alive[:0]
    reach = r * frame.lengths[alive] * (1 + 1e-9)
    s = frame.scores(gap.v, alive)
    slack = 4.0 * score_error(frame, gap.v)
    if frame.free:
        low, high = bias_between(frame, cap, gap)
        s -= y * gap.v[-1]
        s_low, s_high = s + np.minimum(y * low, y * high), s + np.maximum(y * low, y * high)
    else:
        reach += r * frame.one
        s_low = s_high = s
    outside = s_low - reach - slack > 1.0
    inside = (s_high + reach + slack < 1.0) & np.isfinite(cap[alive])
    return alive[~outside & ~inside], alive[outside], alive[inside]


def bias_between(frame: Frame, cap: Array, gap: Gap) -> tuple[float, float]:
    """An interval that has the best bias in it."""
    s = frame.scores(gap.v, frame.all) * frame.y - gap.v[-1]
    reach = gap.radius * frame.lengths * (1 + 1e-9) + 4.0 * score_error(frame, gap.v)
    t = frame.y - s
    positive = frame.y > 0
    if np.isinf(cap[0]):
        return float((t - reach)[positive].max()), float((t + reach)[~positive].min())
    return (
        balance_point(t - reach, cap, positive, 1.0 + 1e-9),
        balance_point(t + reach, cap, positive, 1.0 - 1e-9),
    )
