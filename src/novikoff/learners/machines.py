r"""One loop for learners that also learn from examples they got right, but not by enough.

A machine has weights $w$ (the bias last, whose input is 1) and may keep something beside them:
variances, exponents. Two classes need one machine, more have one each, against the rest. The loop
reads an example once for all machines, and asks the rule of the learner to `learn` from the
margin $m = y\,(\langle w, x\rangle + b)$ of each: the rule is the formula of the paper, in the
file of its learner, and is chosen by its type when the loop is compiled.
"""

from collections.abc import Callable
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from novikoff.cores import side_by_side, spans
from novikoff.examples import announce, n_visits, visit, weight
from novikoff.jit import njit, overload
from novikoff.learners.ahead import passes_of
from novikoff.learners.loop import longest_so_far
from novikoff.learners.updates import square_of, square_under
from novikoff.products import PAIR, dots, suited
from novikoff.rows import SUM, column, dot, first, is_a, last, sqnorm

INF = np.inf
TINY = 2.0**-1022
"""Below this, doubles have fewer digits."""

OUT_OF_RANGE = -1
"""What a rule returns where its step is too large or too small for floats; else True for an update,
or False."""


class Taking(NamedTuple):
    """Which machines take part."""

    since: Any
    """The visit from which on each does: 0, but for one that a stream brings on the way."""
    scores: Any
    """Room for a score each."""


@singledispatch
def learn(rule: Any, w: Any, beside: Any, y: Any, m: Any, D: Any, i: Any) -> Any:
    """Learn by this rule from example `i`, of sign `y` and margin `m`: was there an update?"""
    raise NotImplementedError(type(rule))


FORESEEN: set[type] = set()
"""The kinds of rules that can be content."""


def is_content(rule: Any, m: float) -> bool:
    """Is it known from the margin `m` alone that there is nothing to learn?"""
    raise NotImplementedError(type(rule))


def rule_of(kind: type, content: Any = None) -> Callable[[Any], Any]:
    """The compiled function below is how a rule of this kind learns.

    `content` is what `is_content` says of it: never, if it is not given.
    """
    if content is not None:
        FORESEEN.add(kind)

    def register(step: Any) -> Any:
        learn.register(kind, step)

        @overload(learn)
        def compiled(rule, w, beside, y, m, D, i):
            if is_a(rule, kind):
                return lambda rule, w, beside, y, m, D, i: step(rule, w, beside, y, m, D, i)

        @overload(is_content)
        def compiled_too(rule, m):
            if is_a(rule, kind):
                return (lambda rule, m: content(rule, m)) if content else lambda rule, m: False

        return step

    return register


@njit
def is_felt(a, square, w):
    """Can the weights take a step of `a`, which was found from the square of a length?

    Not where the square left the range of doubles, or the step that of the weights.
    """
    return TINY <= square < INF and w.dtype.type(a) != 0


@njit(fastmath=SUM)
def size_under(w, X, i):
    r"""$|b| + \sum_j |w_j|$ over the columns that row `i` has entries in."""
    q = abs(np.float64(w[-1]))
    for k in range(first(X, i), last(X, i)):
        q += abs(np.float64(w[column(X, k)]))
    return q


@njit
def next_to_heed(W, D, rule, taking, measure, low, high, R):
    """The first visit from `low` to `high` that the machine of two classes may learn from.

    `high` if there is none. Then the largest length.
    """
    for t in range(low, high):
        i = visit(D, t)
        announce(D, t)
        if measure:
            R = longest_so_far(R, D.rows, i, sqnorm(W[0], D.rows, i))
        taking.scores[0] = dot(W[0], D.rows, i)
        s = np.float64(taking.scores[0] + W[0, -1])
        m = np.int64(D.y[i]) * s
        if not abs(s) < np.inf or np.inf == R or m <= 0.0 or not is_content(rule, m):
            return t, R
    return high, R


@njit(nogil=True, cache=True)
def epoch(W, beside, alpha, D, rule, taking, measure, base, low, high):
    """Make the visits from `low` to `high`, and let every machine learn from each.

    The machines are those of the classes from `base` on; it is -1 for the one of two classes.
    Returns how many updates there were, how many mistakes, the largest length met, and the
    time at which the run had to stop, -1 if it did not.
    """
    k, errors, R = 0, 0, 0.0
    for t in range(low, high):
        i = visit(D, t)
        announce(D, t)
        if measure:
            R = longest_so_far(R, D.rows, i, sqnorm(W[0], D.rows, i))
            if np.inf == R:
                return k, errors, R, t
        if base < 0:
            taking.scores[0] = dot(W[0], D.rows, i)
        else:
            dots(W, D.rows, i, taking.scores)
        for c in range(len(W)):
            if t < taking.since[c]:
                continue
            s = np.float64(taking.scores[c] + W[c, -1])
            if not abs(s) < np.inf:
                return k, errors, R, t
            y = np.int64(D.y[i])
            if base >= 0:
                y = 1 if y == base + c else -1
            errors += y * s <= 0.0
            updated = learn(rule, W[c], beside[c], y, y * s, D, i)
            if updated < 0 or (updated and not size_under(W[c], D.rows, i) < np.inf):
                return k, errors, R, t
            if updated:
                alpha[i] += 1
                k += 1
    return k, errors, R, -1


class Pass(NamedTuple):
    """All that a pass of two classes needs, which have one machine."""

    W: Any
    beside: Any
    alpha: Any
    made: Any
    """Room for the number of mistakes."""
    D: Any
    rule: Any
    taking: Any
    measure: Any


def _search(p: Pass, low: int, high: int, R: float) -> Any:
    t, R = next_to_heed(p.W, p.D, p.rule, p.taking, p.measure, low, high, R)
    return t, 0.0, R


def _learn(p: Pass, k: int, low: int, high: int) -> Any:
    k, errors, R, stopped = epoch(
        p.W, p.beside, p.alpha, p.D, p.rule, p.taking, p.measure, -1, low, high
    )
    p.made[0] += errors
    return k, R, 0.0, stopped


passes_of(Pass, _search, _learn)


def shared_out(
    threads: int, W: Any, beside: Any, alpha: Any, D: Any, rule: Any, taking: Taking, measure: Any
) -> tuple[int, int, float, int]:
    """`epoch` with the machines shared out among threads: no machine knows of another."""

    def some(low: int, high: int) -> Any:
        own, updates = suited(W[low:high], D.rows), np.zeros_like(alpha)
        mine = Taking(taking.since[low:high], np.empty_like(taking.scores[low:high]))
        done = epoch(own, beside[low:high], updates, D, rule, mine, measure, low, 0, n_visits(D))
        W[low:high] = own
        return *done, updates

    if threads == 1 or len(W) == 1:
        base = 0 if len(W) > 1 else -1
        done: tuple[int, int, float, int] = epoch(
            W, beside, alpha, D, rule, taking, measure, base, 0, n_visits(D)
        )
        return done
    k, errors, R, stopped, updates = zip(
        *side_by_side(some, list(spans(len(W), threads, PAIR))), strict=True
    )
    alpha += sum(updates)
    return sum(k), sum(errors), max(R), max(stopped)


@njit(cache=True)
def retrace(W, beside, D, rule, taking, whole, now, out):
    """Make a pass once more, and write down its updates; `out` has room for all of them.

    The score is that of the machine, the square that of its weights after the update, of which
    `whole` says that it may change any, and not only those under the example. `out.mistakes[0]`
    has how many mistakes there were before.
    """
    k, errors = 0, out.mistakes[0]
    for t in range(n_visits(D)):
        i = visit(D, t)
        if len(W) == 1:
            taking.scores[0] = dot(W[0], D.rows, i)
        else:
            dots(W, D.rows, i, taking.scores)
        for c in range(len(W)):
            if t < taking.since[c]:
                continue
            s = np.float64(taking.scores[c] + W[c, -1])
            y = np.int64(D.y[i])
            if len(W) > 1:
                y = 1 if y == c else -1
            errors += y * s <= 0.0
            q = 0.0 if whole else square_under(W[c], D.rows, i)
            if learn(rule, W[c], beside[c], y, y * s, D, i):
                q = square_of(W[c]) if whole else now[c] - q + square_under(W[c], D.rows, i)
                now[c] = q
                out.times[k], out.scores[k], out.squares[k], out.mistakes[k] = t, s, q, errors
                out.steps[k] = weight(D, i) if len(W) > 1 else weight(D, i) * y
                out.gained[k], out.lost[k] = (c, -1) if y > 0 else (-1, c)
                k += 1


@njit(cache=True)
def redo(W, beside, D, made, rule):
    """Make these updates again, with the scores there were; `D` has room for weights."""
    examples, weights, scores, machines, signs = made
    for k in range(len(examples)):
        i, c, y = examples[k], machines[k], signs[k]
        D.weight[i] = weights[k]
        learn(rule, W[c], beside[c], y, y * scores[k], D, i)
