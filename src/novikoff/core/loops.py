r"""Loops make all the mistakes there are; a rule says what is one, and what to do about it.

`apart` drives machines that do not know of each other: one for two classes, or one for each class
against the rest. `joint` drives one weight vector a class, the right one against its best rival
(Kesler's construction); `chain`, in `novikoff.core.chains`, drives sequences of classes. They are
written once, over every kind of row and every rule. What they did is in their `Log`: averaging,
voting, proofs and traces read it.

`novikoff.core.rules` has what the loops ask of a rule. The score of class $c$ is
$s_c = \langle w_c, x\rangle + b_c$, the bias being the last weight. The margin $m$ of an example
is $\pm s$ for a machine, and $s_y - \max_{r \ne y} s_r$ for all classes jointly.
"""

from typing import Any, NamedTuple

import numpy as np

from novikoff.core.examples import LOOK_AHEAD, Examples, announce, visit, weight
from novikoff.core.jit import njit, overload
from novikoff.core.log import Log
from novikoff.core.prefetch import touch
from novikoff.core.products import dots, dots_and_sqnorm
from novikoff.core.rows import (
    SUM,
    U,
    add,
    column,
    dot,
    dot_and_sqnorm,
    first,
    is_a,
    last,
    norm,
    sqnorm,
)
from novikoff.core.rules import content, is_right, is_sound, learn, push, tie
from novikoff.typing import Array, Rows, Rule

TINY, NEAR = 1e-30, 0.99
"""Above `TINY`, `sqnorm` is within a hundredth of the truth: what it puts below `NEAR` times
the largest square so far need not be measured precisely."""


class Single(NamedTuple):
    """The one row of the weights is a machine for the second of two classes, against the first."""

    base: int = 1


class Apart(NamedTuple):
    """The rows of the weights are machines that do not know of each other."""

    base: int
    """The class of the first."""


class Joint(NamedTuple):
    """The rows of the weights are the classes, of which one gains what another loses."""

    base: int = 0


class Chained(NamedTuple):
    """The rows of the weights are labels; a whole sequence of them is right, or wrong."""

    base: int = 0
    beam: int = 0
    """How many labels the search keeps at each step; 0 for all."""
    early: bool = True
    """With a beam: is an update about the steps up to where the right labels are lost, or up to
    where they are behind by most?"""


class Pass(NamedTuple):
    """All that a loop works on."""

    kind: Single | Apart | Joint | Chained
    W: Array
    """The weights: a row for each machine, or for each class."""
    extra: Array
    """What the rule keeps beside each row."""
    shares: Array
    """With slack: how often each class gained each example, less how often it lost it."""
    log: Log
    """Room for the updates."""
    D: Examples
    """The examples."""
    rule: Rule
    since: Array
    """The visit from which on each class takes part: 0, but for one that comes on the way."""
    scores: Array
    """Room for a score each."""
    least: Array
    """The least margin so far, of each machine or of all classes."""
    squares: Array
    """The squared lengths so far; empty if nobody asks for them."""
    mistakes: Array
    """One number: how many there were so far."""
    whole: bool
    """May an update change weights of columns that its example does not have?"""
    measure: bool
    """Are rows to be checked, and their lengths taken?"""


# ------------------------------------------------------------- what the loops do


def machines(kind: Single | Apart | Joint, W: Array) -> tuple[int, int]:
    """How many machines there are, and the class of the first: known when compiling, of one."""
    return len(W), kind.base


@overload(machines, forceinline=True)
def _machines(kind, W):
    if is_a(kind, Single):
        return lambda kind, W: (1, 1)
    return lambda kind, W: (len(W), kind.base)


def multiplied(
    kind: Single | Apart | Joint, W: Array, X: Rows, i: int, scores: Array, measure: bool
) -> tuple[float, float]:
    """Multiply row `i` with all weights: the first product, and the row's `sqnorm` if wanted."""
    dots(W, X, i, scores)
    return scores[0], sqnorm(W[0], X, i) if measure else 0.0


@overload(multiplied, forceinline=True)
def _multiplied(kind, W, X, i, scores, measure):
    def by_one(kind, W, X, i, scores, measure):
        if measure:
            return dot_and_sqnorm(W[0], X, i)
        return dot(W[0], X, i), W.dtype.type(0)

    def by_all(kind, W, X, i, scores, measure):
        q = W.dtype.type(0)
        if measure:
            q = dots_and_sqnorm(W, X, i, scores)
        else:
            dots(W, X, i, scores)
        return scores[0], q

    return by_one if is_a(kind, Single) else by_all


@njit(forceinline=True)
def longest(R, rule, X, i, q):
    """The largest length, with row `i` of `sqnorm` `q`; infinite if the row is not sound."""
    if not is_sound(rule, X, i):
        return np.inf
    if TINY < q < NEAR * R * R:  # surely shorter; most are
        return R
    length = norm(X, i)
    return max(R, length) if length < np.inf else np.inf


# with slack, every example has a coordinate of its own, where it is worth the rule's $\Delta$: its
# weight there is $\Delta a \alpha_{ic}$, if class $c$ gained it $\alpha_{ic}$ times by steps of $a$


def with_own(rule: Rule, s: float, D: Examples, shares: Array, i: int, c: int) -> Any:
    """The score `s` of example `i` for class `c`, with what its own coordinate adds."""
    if not getattr(rule, "slack", 0.0):
        return s
    return s + rule.slack * rule.slack * rule.eta * weight(D, i) * shares[i, c]


@overload(with_own, forceinline=True)
def _with_own(rule, s, D, shares, i, c):
    if "slack" not in rule.fields:
        return lambda rule, s, D, shares, i, c: s

    def owned(rule, s, D, shares, i, c):
        if rule.slack == 0.0:
            return s
        return s + rule.slack * rule.slack * rule.eta * weight(D, i) * shares[i, c]

    return owned


def share(rule: Rule, a: float, shares: Array, i: int, c: int, more: int) -> Any:
    """Class `c` gains example `i`, or loses it; by how much its private square grows."""
    if not getattr(rule, "slack", 0.0):
        return 0.0
    shares[i, c] += more
    return (rule.slack * a) ** 2 * (2 * more * shares[i, c] - 1)


@overload(share)
def _share(rule, a, shares, i, c, more):
    if "slack" not in rule.fields:
        return lambda rule, a, shares, i, c, more: 0.0

    def shared(rule, a, shares, i, c, more):
        if rule.slack == 0.0:
            return 0.0
        shares[i, c] += more
        return (rule.slack * a) ** 2 * (2 * more * shares[i, c] - 1)

    return shared


@njit(fastmath=SUM)
def square(w, X, i, whole):
    r"""$\|w\|^2$, the bias counted in: of all weights, or of those that row `i` has entries for."""
    q = np.float64(w[-1]) * np.float64(w[-1])
    if whole:
        for j in range(len(w) - 1):
            v = np.float64(w[j])
            q += v * v
        return q
    for k in range(first(X, i), last(X, i)):
        v = np.float64(w[column(X, k)])
        q += v * v
    return q


@njit
def squares(W, X, i, y, r):
    """The same of two classes."""
    return square(W[y], X, i, False) + square(W[r], X, i, False)


@njit(nogil=True, cache=True)
def apart(p, k, low, high, R, search):
    """Make the visits from `low` to `high`, and let each machine learn; `k` updates were made.

    With `search`, stop before the first visit that may have something to learn from: so threads
    look ahead by the same loop. Returns how many updates there are, the largest length met, no less
    than `R`, and the visit at which it stopped, -1 if it did not: without `search`, at a row that
    is not sound, or numbers past the range of their type.
    """
    W, D, rule, log = p.W, p.D, p.rule, p.log
    (n, base), squared = machines(p.kind, W), len(p.squares) > 0
    for t in range(U(low), U(high)):
        i = visit(D, t)
        announce(D, t)
        product, q = multiplied(p.kind, W, D.rows, i, p.scores, p.measure)
        if p.measure:
            R = longest(R, rule, D.rows, i, q)
            if np.inf == R:
                return k, R, np.int64(t)
        for j in range(U(0), U(n)):
            c = base + np.int64(j)
            if n > 1 and np.int64(t) < p.since[j]:
                continue
            s = np.float64((product if j == U(0) else p.scores[j]) + W[j, -1])
            if not abs(s) < np.inf:
                return k, R, np.int64(t)
            s = with_own(rule, s, D, p.shares, i, c)
            y = 1 if D.y[i] == c else -1
            m = s if y > 0 else -s
            if m < p.least[j]:
                p.least[j] = m
            if content(rule, m, y, D, i):
                continue
            if search:
                return k, R, np.int64(t)
            p.mistakes[0] += not is_right(m, y, tie(rule))
            before = square(W[j], D.rows, i, p.whole) if squared else 0.0
            a = learn(rule, W[j], p.extra[j], y, m, D, i)
            if a == 0.0:
                continue
            if not abs(a) < np.inf:
                return k, R, np.int64(t)
            log.time[k], log.step[k] = t, a
            log.gained[k], log.lost[k] = (c, -1) if y > 0 else (-1, c)
            q = share(rule, a, p.shares, i, c, y)
            if len(log.score) > 0:
                log.score[k], log.mistakes[k] = s, p.mistakes[0]
            if squared:
                q += 0.0 if p.whole else p.squares[j] - before
                p.squares[j] = log.square[k] = q + square(W[j], D.rows, i, p.whole)
            k += 1
    return k, R, np.int64(-1)


@njit(forceinline=True)
def rival(p, i, t):
    """The best class but the right one, by how much that is better, and are scores finite?

    `p.scores` has the products of the row with the weights, and then the scores.
    """
    s, y, sound, r = p.scores, p.D.y[i], 0.0, -1
    for c in range(len(p.W)):
        s[c] += p.W[c, -1]
        sound += abs(s[c])
        s[c] = with_own(p.rule, s[c], p.D, p.shares, i, c)
    for c in range(len(p.W)):
        if c == y or np.int64(t) < p.since[c]:
            continue
        if r < 0 or s[c] > s[r] or (s[c] == s[r] and tie(p.rule) > 0):
            r = c
    return r, np.float64(s[y]) - np.float64(s[r]), sound < np.inf


@njit(nogil=True, cache=True)
def joint(p, k, low, high, R, search):
    """The same, where the right class gains what its best rival loses.

    There is none before a second class takes part.
    """
    W, D, rule, log = p.W, p.D, p.rule, p.log
    squared = len(p.squares) > 0
    for t in range(U(low), U(high)):
        i = visit(D, t)
        announce(D, t)
        _, q = multiplied(p.kind, W, D.rows, i, p.scores, p.measure)
        if p.measure:
            R = longest(R, rule, D.rows, i, q)
        r, m, sound = rival(p, i, t)
        if not sound or np.inf == R:
            return k, R, np.int64(t)
        if r < 0:
            continue
        y = D.y[i]
        if m < p.least[0]:
            p.least[0] = m
        sign = 1 if y > r else -1
        if content(rule, m, sign, D, i):
            continue
        if search:
            return k, R, np.int64(t)
        p.mistakes[0] += not is_right(m, sign, tie(rule))
        before = squares(W, D.rows, i, y, r) if squared else 0.0
        a = push(rule, W, y, r, m, D, i)
        if a == 0.0:
            continue
        if not abs(a) < np.inf:
            return k, R, np.int64(t)
        log.time[k], log.step[k] = t, a
        log.gained[k], log.lost[k] = y, r
        q = share(rule, a, p.shares, i, y, 1) + share(rule, a, p.shares, i, r, -1)
        if len(log.score) > 0:
            log.score[k], log.mistakes[k] = m, p.mistakes[0]
        if squared:
            p.squares[0] = p.squares[0] - before + squares(W, D.rows, i, y, r) + q
            log.square[k] = p.squares[0]
        k += 1
    return k, R, np.int64(-1)


# ------------------------------------------------------------- what others do with updates


@njit
def move(W, a, gained, lost, X, i, bias):
    r"""$w_{gained} \leftarrow w_{gained} + a\,x_i$ and $w_{lost} \leftarrow w_{lost} - a\,x_i$"""
    if gained >= 0:
        add(W[gained], a, X, i)
        W[gained, -1] += a * bias
    if lost >= 0:
        add(W[lost], -a, X, i)
        W[lost, -1] -= a * bias


@njit(cache=True)
def replay(W, X, examples, steps, gained, lost, base, bias):
    """Add these examples to the weights of the classes that gained them; others lose them.

    The first row of `W` is that of class `base`.
    """
    for k in range(len(steps)):
        if k + LOOK_AHEAD < len(steps):
            touch(X, examples[k + LOOK_AHEAD])
        up, down = gained[k] - base, lost[k] - base
        move(W, steps[k], up, down, X, examples[k], bias)
