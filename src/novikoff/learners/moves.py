"""The updates of the perceptrons, made once more: examples added to weights, times a step."""

from typing import Any

import numpy as np

from novikoff.examples import Examples, step, visit, weight
from novikoff.jit import njit
from novikoff.learners.joint import Classes, Made, move, shared
from novikoff.learners.loop import Rule
from novikoff.learners.recording import Before, Recorder, Redone
from novikoff.learners.run import Array, Run
from novikoff.learners.updates import Found, square_under
from novikoff.products import dots, suited
from novikoff.rows import add, dot


@njit(cache=True)
def retrace(w, alpha, times, D, rule, now, out):
    """Make the updates of a pass once more, and write down each one's step, score and square.

    The score is the loop's, private part included; the square that of the weights after it,
    private ones included.
    """
    q = now[0]
    for k in range(len(times)):
        i = visit(D, times[k])
        a = step(D, i, rule.eta)
        s = dot(w, D.rows, i) + w[-1]
        out.steps[k] = a
        out.scores[k] = s + rule.slack * rule.slack * alpha[i] * a
        q -= square_under(w, D.rows, i)
        add(w, a, D.rows, i)
        w[-1] += a * rule.bias
        q += square_under(w, D.rows, i) + (rule.slack * a) ** 2 * (2 * alpha[i] + 1)
        alpha[i] += 1
        out.squares[k] = q
    now[0] = q


@njit
def weigh(W, c, sign, a, D, i, rule, classes):
    """What class `c` has under row `i` of its squared length, the private coordinate included."""
    private = rule.slack * a * classes.shares[i, c] if rule.slack > 0.0 else 0.0
    return sign * (square_under(W[c], D.rows, i) + private * private)


@njit(cache=True)
def retrace_many(W, made, D, rule, classes, now, out):
    """The same for many classes, learned jointly or by a machine each.

    The score is by how much the right class led the other, or that of the machine; the square that
    of all weights, or of the machine's: `now` has one number, or one each.
    """
    for k in range(len(made.times)):
        i, gained, lost = visit(D, made.times[k]), made.gained[k], made.lost[k]
        a, s = rule.eta * weight(D, i), classes.scores
        if k == 0 or made.times[k] != made.times[k - 1]:
            dots(W, D.rows, i, s)  # a machine's update changes no other's
        own, other = 0.0, 0.0
        j = 0 if len(now) == 1 else max(gained, lost)
        if gained >= 0 and lost >= 0:
            for c in (gained, lost):
                s[c] += W[c, -1]
                s[c] += shared(classes, rule.slack, a, i, c)
            own, other = np.float64(s[gained]), np.float64(s[lost])
        else:
            c = max(gained, lost)
            own = np.float64(s[c] + W[c, -1]) + shared(classes, rule.slack, a, i, c)
        for c in (gained, lost):
            if c >= 0:
                now[j] += weigh(W, c, -1.0, a, D, i, rule, classes)
        move(W, a, gained, lost, D.rows, i, rule.bias)
        if rule.slack > 0.0:
            if gained >= 0:
                classes.shares[i, gained] += 1
            if lost >= 0:
                classes.shares[i, lost] -= 1
        for c in (gained, lost):
            if c >= 0:
                now[j] += weigh(W, c, 1.0, a, D, i, rule, classes)
        out.steps[k], out.scores[k], out.squares[k] = a, own - other, now[j]


@njit(cache=True)
def redo(w, rows, examples, steps, bias):
    """Add these examples to `w`, each times its step."""
    for k in range(len(steps)):
        add(w, steps[k], rows, examples[k])
        w[-1] += steps[k] * bias


@njit(cache=True)
def redo_many(W, rows, made, bias):
    """Add these examples to the weights of the classes that gained them; others lose them."""
    for k in range(len(made.steps)):
        i = made.examples[k]
        move(W, made.steps[k], made.gained[k], made.lost[k], rows, i, bias)


class Moves(Recorder):
    """The updates of a perceptron; if `apart`, of one machine for each of many classes."""

    def __init__(self, rule: Rule, *, apart: bool) -> None:
        self.conventions, self.apart = rule, apart

    def retrace(
        self, before: Before, made: Made, k: int, D: Examples, since: Array, now: Array
    ) -> Found:
        """Make the updates of a pass once more."""
        found = Found.room(k)._replace(times=made.times)
        if before.w.ndim == 1:
            retrace(before.w, before.alpha, made.times, D, self.conventions, now, found)
            return found
        W, K = suited(before.w, D.rows), len(before.w)
        shares = before.shares
        if shares is None:
            shares = np.zeros((len(D.y), K) if self.conventions.slack else (0, 0), np.int32)
        classes = Classes(since, np.empty(K, W.dtype), np.empty(0), shares)
        retrace_many(W, made, D, self.conventions, classes, now, found)
        return found._replace(gained=made.gained, lost=made.lost)

    def redo(self, run: Run, rows: Any, made: Redone) -> None:
        """Make these updates on a run."""
        bias = float(run.space["fit_intercept"])
        if made.gained is None:
            redo(run.w, rows, made.examples, made.steps, bias)
        else:
            redo_many(run.w, rows, made, bias)
