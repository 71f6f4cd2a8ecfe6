r"""The one training loop: the perceptron's (Rosenblatt 1958), in all the notes' conventions.

With the bias as one more weight whose input is always 1, on example $i$ with score
$s = \langle w, x_i\rangle + b$, if $y_i s \le 0$:

$$w \leftarrow w + \eta\,c_i\,y_i x_i, \qquad b \leftarrow b + \eta\,c_i\,y_i,
  \qquad \alpha_i \leftarrow \alpha_i + 1.$$

If some unit $u$ has $y_i\langle u, x_i\rangle \ge \gamma$ and $\|x_i\| \le R$ for all $i$,
at most $(R/\gamma)^2$ updates happen, in any order (Novikoff 1962).

The loop below makes the mistakes of every additive perceptron; averaging and voting only
read them.
"""

from typing import Any, NamedTuple

import numpy as np

from novikoff.examples import announce, step, visit
from novikoff.jit import njit
from novikoff.learners.ahead import passes_of
from novikoff.rows import U, add, dot, dot_and_sqnorm, norm

TIES = {"mistake": 0, "negative": -1, "positive": +1}

TINY, NEAR = 1e-30, 0.99
"""Above `TINY`, `sqnorm` is within a hundredth of the truth: what it puts below `NEAR` times
the largest square so far need not be measured precisely."""


class Rule(NamedTuple):
    """The conventions of a run, as its loop needs them."""

    eta: float
    bias: float
    """The bias input: 1, or 0 for a hyperplane through the origin."""
    tie: int
    """The class a score of 0 is taken for, -1 or +1; 0 for neither."""
    slack: float
    r"""$\Delta$, what example $i$ is worth in a private coordinate of its own."""


@njit
def is_shorter(q, R):
    """Is a row of `sqnorm` `q` surely shorter than the longest so far? Most are."""
    return TINY < q < NEAR * R * R


@njit
def longest_so_far(R, rows, i, q):
    """The largest length, with row `i` of `sqnorm` `q`; infinite if that is not finite."""
    if is_shorter(q, R):
        return R
    length = norm(rows, i)
    return max(R, length) if length < np.inf else np.inf


@njit
def next_mistake(w, alpha, D, rule, measure, low, high, least, R):
    r"""The first visit from `low` to `high` that is a mistake, and its $y_i s$; `high` if none is.

    Where a row or its score is not finite, the visit is that one, and $y_i s$ is NaN. Then come
    the least $y_i s$ of the visits before it and the largest length, with what they were so far.
    """
    for t in range(U(low), U(high)):
        i = visit(D, t)
        announce(D, t)
        if not measure:
            s = dot(w, D.rows, i)
        else:
            s, q = dot_and_sqnorm(w, D.rows, i)
            if not is_shorter(q, R):
                R = longest_so_far(R, D.rows, i, q)
        s += w[-1]
        m = D.y[i] * s
        if rule.slack > 0.0:
            m += rule.slack * rule.slack * alpha[i] * abs(step(D, i, rule.eta))
        if not abs(s) < np.inf or np.inf == R:
            return np.int64(t), np.nan, least, R
        if m < 0.0 or (m == 0.0 and D.y[i] != rule.tie):
            return np.int64(t), m, least, R
        if m < least:
            least = m
    return high, np.inf, least, R


@njit(cache=True)
def epoch(w, alpha, mistakes, D, rule, measure, low, high):
    r"""Make the visits from `low` to `high` of a pass, and update on each mistake.

    `mistakes` receives the times of the mistakes. With `measure`, in the first
    epoch, the rows are checked and their lengths taken on the way. Returns how many
    mistakes there were, the largest length $\|x_i\|$ met, the least $y_i s$, and the time
    at which the run had to stop, -1 if it did not: at a row that is not finite, or
    weights past the range of their type.
    """
    # the visits of `next_mistake`, written out: calling it took a tenth longer on sparse rows
    k, R, least = 0, 0.0, np.inf
    for t in range(U(low), U(high)):
        i = visit(D, t)
        announce(D, t)
        if not measure:
            s = dot(w, D.rows, i)
        else:
            s, q = dot_and_sqnorm(w, D.rows, i)
            if not is_shorter(q, R):
                R = longest_so_far(R, D.rows, i, q)
                if np.inf == R:
                    return k, R, least, np.int64(t)
        s += w[-1]
        m = D.y[i] * s
        if rule.slack > 0.0:
            m += rule.slack * rule.slack * alpha[i] * abs(step(D, i, rule.eta))
        if not abs(s) < np.inf:
            return k, R, least, np.int64(t)
        if m < least:
            least = m
        if m < 0.0 or (m == 0.0 and D.y[i] != rule.tie):
            a = step(D, i, rule.eta)
            add(w, a, D.rows, i)
            w[-1] += a * rule.bias
            alpha[i] += 1
            mistakes[k] = t
            k += 1
    return k, R, least, -1


class Pass(NamedTuple):
    """All that a pass of two classes needs."""

    w: Any
    alpha: Any
    made: Any
    D: Any
    rule: Any
    measure: Any


def _search(p: Pass, low: int, high: int, R: float) -> Any:
    t, _, least, R = next_mistake(p.w, p.alpha, p.D, p.rule, p.measure, low, high, np.inf, R)
    return t, least, R


def _learn(p: Pass, k: int, low: int, high: int) -> Any:
    return epoch(p.w, p.alpha, p.made.times[k:], p.D, p.rule, p.measure, low, high)


passes_of(Pass, _search, _learn)
