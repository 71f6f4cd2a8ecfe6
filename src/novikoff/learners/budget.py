r"""A kernel perceptron on a budget: the Forgetron (Dekel, Shalev-Shwartz & Singer 2008).

It keeps at most $B$ rows. Every mistake takes three steps: the perceptron's,
$f' = f + y\,k(x, \cdot)$; then all weights shrink, $f'' = \varphi f'$; and if there are more than
$B$ rows, the oldest is forgotten. With

$$\Phi = (B+1)^{-1/(2(B+1))}, \qquad U = \tfrac14\sqrt{(B+1)/\ln(B+1)}, \qquad
  \varphi = \min\{\Phi,\; U R / \|f'\|\},$$

a row is worth at most $\Phi^{B+1} = 1/\sqrt{B+1}$ when it goes: to forget it does little harm.
(The authors also have ways to shrink less; this one has the shortest proof.)

Why it bounds mistakes, for $R = 1$ and any $g$ with $\|g\| \le U$ and hinge losses $\ell_t$: let
$\|f - g\|^2$ be the distance left. A perceptron step takes $1 - 2\ell_t$ off it, or more. Shrinking
to length $U$ adds nothing, and shrinking by $\Phi$ at most $(1 - \Phi)\|g\|^2 \le 1/32$. Forgetting
a row worth $\lambda$ adds at most $\lambda^2 + 2\lambda(1 + U)$, with what its own step had gained
by $g$ counted in; that is at most $15/32$ once $B \ge 83$. So each of the $M$ mistakes takes off
$1/2$, but for $2\ell_t$, and $M \le 2\|g\|^2 + 4\sum_t \ell_t$.
"""

from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.jit import njit
from novikoff.learners import gram
from novikoff.learners.dual_run import DualRun
from novikoff.learners.gram import Block
from novikoff.learners.support import Support
from novikoff.loops import Log

Array = npt.NDArray[Any]


@dataclass(eq=False)
class Cycle:
    """Which row is the oldest, of how many that may be kept."""

    budget: int
    oldest: int = 0

    def branch(self, outputs: Array | None) -> "Cycle":
        """One that can go its own way."""
        return Cycle(self.budget, self.oldest)


def shrinking(budget: int) -> tuple[float, float]:
    r"""$\Phi$ and $U$."""
    n = budget + 1
    return n ** (-0.5 / n), 0.25 * sqrt(n / log(n))


@njit(cache=True)
def next_mistake(S, y, t, tie, least):
    """The first mistake from `t` on, and the class that was wrong; the end of the block if none.

    One column of scores is for class 1 against class 0. Returns -1 for a score that is not finite.
    """
    for i in range(t, len(y)):
        r, best, own = 1 - y[i], 0.0, 0.0
        if S.shape[1] == 1:
            own = S[i, 0] if y[i] == 1 else -S[i, 0]
            wrong = own < 0.0 or (own == 0.0 and (tie == 0 or (tie > 0) != (y[i] == 1)))
            if not abs(own) < np.inf:
                return -1, 0
        else:
            r, best, own = -1, -np.inf, S[i, y[i]]
            for c in range(S.shape[1]):
                if not abs(S[i, c]) < np.inf:
                    return -1, 0
                if c != y[i] and (S[i, c] > best or (S[i, c] == best and tie > 0)):
                    r, best = c, S[i, c]
            own -= best
            wrong = own < 0.0 or (own == 0.0 and (tie == 0 or (r < y[i]) == (tie < 0)))
        least[0] = min(least[0], own)
        if wrong:
            return i, r
    return len(y), 0


def forgetful(run: DualRun, A: Block, y: Array, tie: int) -> tuple[Log | None, Array]:
    """Visit a block, keeping within the budget.

    The updates, None if a score is not finite, and what each multiplied all weights by.
    """
    support: Support = run.support
    cycle: Cycle = run.memory
    S, G = support.scores(run.kernel, A), gram.table(run.kernel, A, A)
    log, factors, before = Log.room(len(y), recorded=True), np.ones(len(y)), sum(run.mistakes)
    made, t = 0, 0
    while S.shape[1]:
        t, r = next_mistake(S, y, t, tie, run.least)
        if t < 0:
            return None, factors
        if t == len(y):
            break
        v = step(int(y[t]), int(r), S.shape[1])
        log.score[made] = S[t, 0] if S.shape[1] == 1 else S[t, y[t]] - S[t, r]
        run.squares += (2 * v * S[t] + v * v * float(G[t, t])).sum()
        S += np.multiply.outer(G[t], v)
        phi = shrink(run, S)
        new = Block(A.rows[[t]], A.squares[[t]], A.numbers[[t]])
        if support.n < cycle.budget:
            support.append(new, np.zeros(1, np.int64), phi * v[None])
        else:
            replace_oldest(run, A, new, phi * v, S)
        log.time[made], log.gained[made], log.lost[made] = t, y[t], r
        log.step[made] = factors[made] = phi
        log.square[made], log.mistakes[made] = run.squares[0], before + made + 1
        made, t = made + 1, t + 1
    return log.some(0, made), factors[:made]


def step(y: int, r: int, outputs: int) -> Array:
    """What a mistake adds to the weight vectors: for class `y`, against class `r`."""
    v = np.zeros(outputs)
    if outputs == 1:
        v[0] = 1.0 if y == 1 else -1.0
    else:
        v[y], v[r] = 1.0, -1.0
    return v


def shrink(run: DualRun, S: Array) -> float:
    r"""Shrink all weights, and the scores of a block, by the $\varphi$ that is returned."""
    Phi, U = shrinking(run.memory.budget)
    R = sqrt(run.largest * (2.0 if run.is_joint else 1.0))
    length = sqrt(float(run.squares[0]))
    phi = min(Phi, U * R / length) if length > 0 else Phi
    run.support.scale(np.full(run.outputs, phi))
    run.squares *= phi * phi
    S *= phi
    return phi


def replace_oldest(run: DualRun, A: Block, new: Block, v: Array, S: Array) -> None:
    """Forget the oldest row, which is no more in the scores of a block, and keep a new one."""
    support, cycle = run.support, run.memory
    old, lost = support.row(cycle.oldest), support.coef[cycle.oldest].copy()
    own = gram.table(run.kernel, old, old)[0, 0]
    s = support.scores(run.kernel, old)[0] + v * gram.table(run.kernel, old, new)[0, 0]
    run.squares += (lost * lost * own - 2 * lost * s).sum()
    np.maximum(run.squares, 0.0, out=run.squares)
    S -= np.multiply.outer(gram.table(run.kernel, old, A)[0], lost)
    support.put_row(cycle.oldest, new, v)
    cycle.oldest = (cycle.oldest + 1) % cycle.budget
