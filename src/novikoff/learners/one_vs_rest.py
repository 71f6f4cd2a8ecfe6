r"""One perceptron for each of many classes, against all the others.

The machine of class $c$ is a perceptron of its own, on labels $+1$ for $c$ and $-1$ for the rest.
Here all of them learn in one pass: an example is read once, and every machine that errs on it
is updated. The largest score is predicted.

Each machine has Novikoff's bound, for the margin between its class and the rest; their
mistakes add up.
"""

import numpy as np
from numba import njit

from novikoff.examples import announce, n_visits, visit, weight
from novikoff.learners.joint import move, shared
from novikoff.learners.loop import longest_so_far
from novikoff.products import dots, dots_and_sqnorm


@njit(cache=True)
def epoch(W, alpha, made, D, rule, classes, measure):
    """Visit every example once and update each machine that errs; returns what `joint.epoch` does.

    `classes.least` receives the least margin of every machine. There may be as many updates
    as visits times machines.
    """
    k, R = 0, 0.0
    classes.least[:] = np.inf
    for t in range(n_visits(D)):
        i = visit(D, t)
        announce(D, t)
        if measure is None:
            dots(W, D.rows, i, classes.scores)
        else:
            q = dots_and_sqnorm(W, D.rows, i, classes.scores)
            R = longest_so_far(R, D.rows, i, q)
            if np.inf == R:
                return k, R, 0.0, t
        a, before = rule.eta * weight(D, i), k
        for c in range(len(W)):
            if t < classes.since[c]:
                continue
            s = classes.scores[c] + W[c, -1]
            if not abs(s) < np.inf:
                return k, R, 0.0, t
            own = 1 if D.y[i] == c else -1
            m = own * (s + shared(classes, rule.slack, a, i, c))
            classes.least[c] = min(classes.least[c], m)
            if m < 0.0 or (m == 0.0 and own != rule.tie):
                gained, lost = (c, -1) if own > 0 else (-1, c)
                move(W, a, gained, lost, D.rows, i, rule.bias)
                if rule.slack > 0.0:
                    classes.shares[i, c] += own
                made.times[k], made.gained[k], made.lost[k] = t, gained, lost
                k += 1
        alpha[i] += k - before
    return k, R, 0.0, -1
