r"""The perceptron of many classes: one weight vector each, learned jointly.

With weights $w_c$ for every class $c$, the score of a class is $s_c = \langle w_c, x\rangle + b_c$
and the largest score is predicted. On example $i$ of class $y$, with $r$ the class of the
largest score among the others, if $s_y \le s_r$:

$$w_y \leftarrow w_y + \eta\,c_i\,x_i, \qquad w_r \leftarrow w_r - \eta\,c_i\,x_i.$$

Kesler's construction makes this the perceptron itself, on vectors that have $x_i$ in the place
of $y$, $-x_i$ in that of $r$, and 0 elsewhere. Their length is $\sqrt2\,\|x_i\|$, so if
some $u$ of unit length has $\langle u_y - u_r, x_i\rangle \ge \gamma$ for all examples and
all $r \ne y$, at most $2(R/\gamma)^2$ updates happen, in any order.

References
----------
Duda, R. O. & Hart, P. E. (1973). Pattern Classification and Scene Analysis, section 5.12.
Crammer, K. & Singer, Y. (2003). Ultraconservative online algorithms for multiclass problems.
JMLR 3, theorem 1.
"""

from typing import Any, NamedTuple

import numpy as np

from novikoff.examples import announce, visit, weight
from novikoff.jit import njit
from novikoff.learners.ahead import passes_of
from novikoff.learners.loop import is_shorter, longest_so_far
from novikoff.products import dots, dots_and_sqnorm
from novikoff.rows import U, add


class Made(NamedTuple):
    """Room for the updates of a pass, or the updates themselves."""

    times: Any
    """When: the visit of the pass."""
    gained: Any = None
    """The class whose weights gained the example, -1 for none; None where there are two classes."""
    lost: Any = None
    """The class whose weights lost it, -1 for none."""


class Classes(NamedTuple):
    """The classes of a pass."""

    since: Any
    """The visit from which on each takes part: 0, but for one that a stream brings on the way."""
    scores: Any
    """Room for a score each,"""
    least: Any
    """and for the least margin of each machine, if there is one machine a class."""
    shares: Any
    """How often each class gained each example, less how often it lost it; empty without slack."""


@njit
def move(W, a, gained, lost, rows, i, bias):
    r"""$w_{gained} \leftarrow w_{gained} + a\,x_i$ and $w_{lost} \leftarrow w_{lost} - a\,x_i$"""
    if gained >= 0:
        add(W[gained], a, rows, i)
        W[gained, -1] += a * bias
    if lost >= 0:
        add(W[lost], -a, rows, i)
        W[lost, -1] -= a * bias


@njit
def shared(classes, slack, a, i, c):
    """What example `i` adds to the score of class `c` by its private coordinate."""
    return slack * slack * a * classes.shares[i, c] if slack > 0.0 else 0.0


@njit
def rival(W, D, i, t, rule, classes):
    """The best class but the right one, by how much that is better, and are scores finite?

    `classes.scores` has the products of the row with the weights, and then the scores.
    """
    s, y, a = classes.scores, D.y[i], rule.eta * weight(D, i)
    sound, r = 0.0, -1
    for c in range(len(W)):
        s[c] += W[c, -1]
        sound += abs(s[c])
        s[c] += shared(classes, rule.slack, a, i, c)
    for c in range(len(W)):
        if c == y or t < classes.since[c]:
            continue
        if r < 0 or s[c] > s[r] or (s[c] == s[r] and rule.tie > 0):
            r = c
    return r, np.float64(s[y]) - np.float64(s[r]), sound < np.inf


@njit
def wins(y, r, tie):
    """Is class `y` predicted where `r` has the same score? The first is, the last, or neither."""
    return tie * (y - r) > 0


@njit
def next_mistake(W, D, rule, classes, measure, low, high, least, R):
    """The first mistake from `low` to `high`, its rival and margin, as `loop.next_mistake` has it.

    The margin is by how much the score of the right class exceeds all others; there is none
    before a second class takes part.
    """
    for t in range(U(low), U(high)):
        i = visit(D, t)
        announce(D, t)
        if not measure:
            dots(W, D.rows, i, classes.scores)
        else:
            q = dots_and_sqnorm(W, D.rows, i, classes.scores)
            if not is_shorter(q, R):
                R = longest_so_far(R, D.rows, i, q)
        r, m, sound = rival(W, D, i, t, rule, classes)
        if not sound or np.inf == R:
            return np.int64(t), r, np.nan, least, R
        if r < 0:
            continue
        if m < 0.0 or (m == 0.0 and not wins(D.y[i], r, rule.tie)):
            return np.int64(t), r, m, least, R
        least = min(least, m)
    return high, -1, np.inf, least, R


@njit(cache=True)
def epoch(W, alpha, made, D, rule, classes, measure, low, high):
    """Make the visits from `low` to `high`, and update on mistakes; returns as `loop.epoch`."""
    k, R, least, t = 0, 0.0, np.inf, low
    while True:
        t, r, m, least, R = next_mistake(W, D, rule, classes, measure, t, high, least, R)
        if t == high:
            return k, R, least, -1
        if np.isnan(m):
            return k, R, least, t
        least = min(least, m)
        i = visit(D, t)
        y = D.y[i]
        move(W, rule.eta * weight(D, i), y, r, D.rows, i, rule.bias)
        if rule.slack > 0.0:
            classes.shares[i, y] += 1
            classes.shares[i, r] -= 1
        alpha[i] += 1
        made.times[k], made.gained[k], made.lost[k] = t, y, r
        k += 1
        t += 1


class Pass(NamedTuple):
    """All that a joint pass needs."""

    w: Any
    alpha: Any
    made: Any
    D: Any
    rule: Any
    classes: Any
    measure: Any


def _search(p: Pass, low: int, high: int, R: float) -> Any:
    t, _, _, least, R = next_mistake(p.w, p.D, p.rule, p.classes, p.measure, low, high, np.inf, R)
    return t, least, R


def _learn(p: Pass, k: int, low: int, high: int) -> Any:
    made = Made(p.made.times[k:], p.made.gained[k:], p.made.lost[k:])
    return epoch(p.w, p.alpha, made, p.D, p.rule, p.classes, p.measure, low, high)


passes_of(Pass, _search, _learn)
