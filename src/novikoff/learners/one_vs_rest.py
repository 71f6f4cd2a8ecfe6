r"""One perceptron for each of many classes, against all the others.

The machine of class $c$ is a perceptron of its own, on labels $+1$ for $c$ and $-1$ for the rest.
Here all of them learn in one pass: an example is read once, and every machine that errs on it
is updated. The largest score is predicted.

Each machine has Novikoff's bound, for the margin between its class and the rest; their
mistakes add up. No machine knows of another: on several cores, each has some of them.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.cores import side_by_side, spans
from novikoff.examples import Examples, announce, n_visits, visit, weight
from novikoff.jit import njit
from novikoff.learners.joint import Classes, Made, move, shared
from novikoff.learners.loop import is_shorter, longest_so_far
from novikoff.products import PAIR, dots, dots_and_sqnorm, suited


@njit(nogil=True, cache=True)
def epoch(W, alpha, made, D, rule, classes, measure, base):
    """Visit every example once and update each machine that errs; returns what `joint.epoch` does.

    The machines are those of the classes from `base` on. `classes.least` receives the least
    margin of each. There may be as many updates as visits times machines.
    """
    k, R = 0, 0.0
    classes.least[base : base + len(W)] = np.inf
    for t in range(n_visits(D)):
        i = visit(D, t)
        announce(D, t)
        if not measure:
            dots(W, D.rows, i, classes.scores)
        else:
            q = dots_and_sqnorm(W, D.rows, i, classes.scores)
            if not is_shorter(q, R):
                R = longest_so_far(R, D.rows, i, q)
                if np.inf == R:
                    return k, R, 0.0, t
        a, before = rule.eta * weight(D, i), k
        for c in range(len(W)):
            if t < classes.since[base + c]:
                continue
            s = classes.scores[c] + W[c, -1]
            if not abs(s) < np.inf:
                return k, R, 0.0, t
            own = 1 if D.y[i] == base + c else -1
            m = own * (s + shared(classes, rule.slack, a, i, base + c))
            classes.least[base + c] = min(classes.least[base + c], m)
            if m < 0.0 or (m == 0.0 and own != rule.tie):
                gained, lost = (c, -1) if own > 0 else (-1, c)
                move(W, a, gained, lost, D.rows, i, rule.bias)
                if rule.slack > 0.0:
                    classes.shares[i, base + c] += own
                made.times[k] = t
                made.gained[k] = base + c if own > 0 else -1
                made.lost[k] = base + c if own < 0 else -1
                k += 1
        alpha[i] += k - before
    return k, R, 0.0, -1


def shared_out(
    threads: int,
    W: npt.NDArray[Any],
    alpha: npt.NDArray[Any],
    made: Made,
    D: Examples,
    rule: Any,
    classes: Classes,
    measure: Any,
) -> tuple[int, float, float, int]:
    """`epoch` with the machines shared out among threads: the same updates, in the same order."""
    if threads == 1:
        done: tuple[int, float, float, int] = epoch(W, alpha, made, D, rule, classes, measure, 0)
        return done

    def some(low: int, high: int) -> Any:
        own = suited(W[low:high], D.rows)
        room = Made(*(np.empty(n_visits(D) * (high - low), column.dtype) for column in made))
        updates = np.zeros_like(alpha)
        mine = classes._replace(  # numbers that threads write side by side would slow them down
            scores=np.empty_like(classes.scores[low:high]), least=np.empty_like(classes.least)
        )
        k, R, _, stopped = epoch(own, updates, room, D, rule, mine, measure, low)
        W[low:high], classes.least[low:high] = own, mine.least[low:high]
        return [column[:k] for column in room], updates, R, stopped

    parts = side_by_side(some, list(spans(len(W), threads, PAIR)))
    columns = [np.concatenate(column) for column in zip(*(part[0] for part in parts), strict=True)]
    times, gained, lost = columns
    order = np.argsort(times * len(W) + np.maximum(gained, lost), kind="stable")  # merges runs
    for column, found in zip(made, columns, strict=True):
        column[: len(order)] = found[order]
    alpha += sum(part[1] for part in parts)
    R, stopped = (max(part[place] for part in parts) for place in (2, 3))
    return len(times), R, 0.0, stopped
