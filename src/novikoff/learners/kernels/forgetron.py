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

import numpy as np

from novikoff.core.drive import drive
from novikoff.core.log import Log
from novikoff.learners.kernels import gram
from novikoff.learners.kernels.blocks import Targets, pass_over
from novikoff.learners.kernels.gram import Block
from novikoff.learners.kernels.run import DualState
from novikoff.typing import Array, Rule


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


def forgetful(run: DualState, A: Block, wanted: Targets, rule: Rule) -> tuple[Log | None, Array]:
    """Visit a block, keeping within the budget.

    A loop looks for the next mistake, and makes its update; what is shrunk and forgotten comes
    after it. Returns the updates, None if a score is not finite, and what each multiplied all
    weights by.
    """
    support, cycle, n = run.support, run.history, len(wanted.y)
    S, factors = support.scores(run.kernel, A), np.ones(n)
    if not run.outputs:  # there is one class so far, and nothing to learn
        return Log.room(0, recorded=True), factors[:0]
    G = gram.table(run.kernel, A, A)
    p = pass_over(S, G, wanted, rule, np.empty((run.outputs, 0)), run)
    log, made = p.log, 0
    t = drive(p, made, 0, n, 0.0, True)[2]
    while t >= 0:
        k, (_, _, stopped) = made, drive(p, made, t, t + 1, 0.0, False)
        if stopped >= 0:
            return None, factors
        v = direction(int(log.gained[k]), int(log.lost[k]), run.outputs)
        m = float(log.score[k] if run.is_joint else v[0] * log.score[k])
        run.ledger.squares += 2 * m + (1 + run.is_joint) * float(G[t, t])
        log.step[k] = factors[k] = phi = shrink(run, p.W)
        new = Block(A.rows[[t]], A.squares[[t]], A.numbers[[t]])
        if support.n < cycle.budget:
            support.append(new, np.zeros(1, np.int64), phi * v[None])
        else:
            replace_oldest(run, A, new, phi * v, p.W[:, :n])
        log.square[k], made = run.ledger.squares[0], k + 1
        t = drive(p, made, t + 1, n, 0.0, True)[2]
    return log.some(0, made), factors[:made]


def direction(gained: int, lost: int, outputs: int) -> Array:
    """What a mistake adds to the weight vectors, of which two classes have one."""
    if outputs == 1:
        return np.array([1.0 if gained >= 0 else -1.0])
    v = np.zeros(outputs)
    v[gained], v[lost] = 1.0, -1.0
    return v


def shrink(run: DualState, W: Array) -> float:
    r"""Shrink all weights, and the scores of a block, by the $\varphi$ that is returned."""
    Phi, U = shrinking(run.history.budget)
    R = sqrt(run.ledger.largest * (2.0 if run.is_joint else 1.0))
    length = sqrt(max(0.0, float(run.ledger.squares[0])))  # which a file may have wrong
    phi = min(Phi, U * R / length) if length > 0 else Phi
    run.support.scale(np.full(run.outputs, phi))
    run.ledger.squares *= phi * phi
    W *= phi
    return phi


def replace_oldest(run: DualState, A: Block, new: Block, v: Array, W: Array) -> None:
    """Forget the oldest row, which is no more in the scores of a block, and keep a new one."""
    support, cycle = run.support, run.history
    old, lost = support.row(cycle.oldest), support.coef[cycle.oldest].copy()
    own = gram.table(run.kernel, old, old)[0, 0]
    s = support.scores(run.kernel, old)[0] + v * gram.table(run.kernel, old, new)[0, 0]
    run.ledger.squares += (lost * lost * own - 2 * lost * s).sum()
    np.maximum(run.ledger.squares, 0.0, out=run.ledger.squares)
    W -= np.multiply.outer(lost, gram.table(run.kernel, old, A)[0])
    support.put_row(cycle.oldest, new, v)
    cycle.oldest = (cycle.oldest + 1) % cycle.budget
