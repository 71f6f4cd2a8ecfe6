r"""The widest separator to many digits: Newton's method within the method of multipliers.

Given multipliers $\alpha$ and a step $\tau$, minimize over the weights

$$\varphi(v) = \tfrac12\|w\|^2 +
\sum_i\psi_i\bigl(\alpha_i + \tau(1 - y_i\langle v, z_i\rangle)\bigr)
\quad\text{with}\quad \psi_i'(q) = \min(\max(q, 0), c_i) / \tau,$$

then set $\alpha_i \leftarrow \min(\max(\alpha_i + \tau(1 - y_i\langle v, z_i\rangle), 0), c_i)$ and
go on with a larger $\tau$. $\varphi$ is convex and piecewise quadratic; its Hessian
$I + \tau\sum_{i \in F} z_i z_i^\top$ has only the rows $F$ with $0 < q_i < c_i$ in it, which are
few near the end. It is factorized where rows are short, and applied to vectors where they
are long (conjugate gradients). Rows whose side of the margin is proved drop out.

References
----------
Yan, Y. & Li, Q. (2020). An efficient augmented Lagrangian method for support vector machine.
Optimization Methods and Software 35(4).
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, cg

from novikoff.core.clock import now
from novikoff.core.jit import njit
from novikoff.inputs.arrays import overflow
from novikoff.max_margin.coordinates import Frame, square_total
from novikoff.max_margin.descent import approach
from novikoff.max_margin.gap import Gap, duality_gap, length_square, screened
from novikoff.typing import Array, Matrix

NARROW = 1500
"""Up to so many features the Hessian is factorized."""
GROWTH = 3.0
STEPS, ROUNDS = 60, 60
"""At most so many Newton steps for each of so many multiplier steps."""
HOPE = 20
"""After so many multiplier steps without any separator, there probably is none."""
ROUGH, IDLE = 1e-4, 5
"""A gap below which so many steps without progress mean that floats cannot do better."""


@njit(cache=True)
def slope(q, change, cap, t):
    r"""Of $\sum_i\tau\psi_i(q_i + t\,\text{change}_i)$: derivative and curvature in $t$."""
    s = c = 0.0
    for i in range(len(q)):
        p = q[i] + t * change[i]
        if p >= cap[i]:
            s += cap[i] * change[i]
        elif p > 0.0:
            s += p * change[i]
            c += change[i] * change[i]
    return s, c


def step_length(
    q: Array, change: Array, cap: Array, tau: float, line: tuple[float, float], start: float
) -> float:
    r"""Where $\varphi$ is least along a line, on which $\|w\|^2/2$ has these two derivatives.

    `start` is the derivative of $\varphi$ at its beginning.
    """
    low, high, t = 0.0, np.inf, 1.0
    for _ in range(50):
        s, c = slope(q, change, cap, t)
        s, c = line[0] + t * line[1] + s / tau, line[1] + c / tau
        if abs(s) <= 0.1 * abs(start):
            break
        low, high = (t, high) if s < 0 else (low, t)
        t = t - s / c if c > 0 else 2.0 * t
        if not low < t < high:
            t = (low + high) / 2 if high < np.inf else 2.0 * low
    return float(t)


class Solution(NamedTuple):
    """A separator, what proves how wide it is, and what it took."""

    v: Array
    """Weights and bias, for the data as they are."""
    alpha: Array
    n_iter: int


def solve(X: Matrix, y: Array, cost: Array, bias: str, tol: float, deadline: float) -> Solution:
    """The widest separator at these costs of being inside its margin, or beyond."""
    frame = Frame(X, y, bias=bias)
    with np.errstate(over="ignore", divide="ignore"):
        cap = cost / frame.scale**2
    if not np.array_equal(np.isinf(cap), np.isinf(cost)):
        raise overflow(np.float64)
    if frame.d > NARROW:
        gap, alpha, alive, passes = approach(frame, cap, tol, deadline)
    else:
        alpha, alive, passes = np.zeros(frame.n), frame.all, 0
        gap = duality_gap(frame, cap, np.zeros(frame.d + 1), alpha)
    newton = Newton(frame, cap, gap, alpha, alive)
    if passes == 0 or gap.primal < np.inf:
        newton.solve(tol, deadline)
    w, b = frame.raw(newton.gap.v)
    alpha = frame.balanced(newton.best)
    if np.isinf(cap[0]):  # the multiple that has the weights' own length
        square = length_square(frame, frame.combination(alpha, frame.all))
        alpha *= float(alpha.sum()) / square if square > 0 else 0.0
    alpha *= frame.scale**2
    if np.isinf(cost[0]) and not 0.0 < alpha.sum() < np.inf:  # two examples prove a little
        alpha = np.zeros(len(y))
        alpha[[int((y > 0).argmax()), int((y < 0).argmax())]] = 1.0
    return Solution(np.append(w, b), alpha, passes + newton.steps)


class Newton:
    """The search, with all it has learnt so far."""

    def __init__(self, frame: Frame, cap: Array, gap: Gap, alpha: Array, alive: Array) -> None:
        self.frame, self.cap, self.gap = frame, cap, gap
        self.alpha, self.alive = alpha, alive
        self.best = alpha.copy()  # the multipliers that belong to the gap
        self.v = gap.v.copy()
        self.cost = np.append(np.ones(frame.d), frame.hold)
        self.steps = 0
        self.tau = self.first_tau()
        self.settle()

    def first_tau(self) -> float:
        """A step that moves the multipliers by about as much as they weigh."""
        sure = 1.0 / (float(np.square(self.frame.lengths).mean()) or 1.0)
        if self.cap[0] < np.inf:  # or a score's part of a multiplier would be lost to rounding
            sure = min(sure, 10.0 * float(self.cap.mean()))
        support = np.flatnonzero(self.alpha[self.alive])
        if not len(support) or not self.gap.relative < 1.0:
            return sure
        rows = self.alive[support]
        missing = np.abs(1.0 - self.frame.scores(self.v, rows)).mean()
        return max(sure, float(self.alpha[rows].mean() / max(missing, 1e-12)))

    def settle(self) -> None:
        """Take the rows out of the work that no longer matter."""
        frame = self.frame
        self.alive, outside, inside = screened(frame, self.cap, self.gap, self.alive)
        self.alpha[outside] = 0.0
        self.alpha[inside] = self.cap[inside]
        settled = np.ones(frame.n, bool)
        settled[self.alive] = False
        rows = np.flatnonzero(settled & (self.alpha > 0.0))
        self.pull = frame.combination(self.alpha[rows], rows)

    def solve(self, tol: float, deadline: float) -> None:
        """Close the gap to `tol`, as far as floats let it."""
        best, idle = self.gap.relative, 0
        for rounds in range(ROUNDS):
            hopeless = rounds >= HOPE and self.gap.primal == np.inf
            if self.gap.relative <= tol or idle == IDLE or hopeless or now() > deadline:
                return
            steps = self.minimize(deadline)
            gap = duality_gap(self.frame, self.cap, self.v, self.alpha)
            if gap.dual >= self.gap.dual:
                self.best = self.alpha.copy()
            self.gap = gap = self.gap.joined(gap)
            idle = 0 if gap.relative < 0.9 * best or best > ROUGH else idle + 1
            best = min(best, gap.relative)
            self.settle()
            if steps < STEPS // 2:
                self.tau *= GROWTH

    def minimize(self, deadline: float) -> int:
        r"""Minimize $\varphi$ and take the multipliers' step; how many Newton steps it took."""
        frame, alive, cap, tau = self.frame, self.alive, self.cap[self.alive], self.tau
        alpha = self.alpha[alive]
        s = frame.scores(self.v, alive)
        steps = 0
        while steps < STEPS and now() < deadline:
            q = alpha + tau * (1.0 - s)
            a = np.clip(q, 0.0, cap)
            g = self.cost * self.v - self.pull - frame.combination(a, alive)
            if self.missed(g) <= 1.0:
                break
            direction = self.newton_step(alive[(q > 0.0) & (q < cap)], g)
            ds = frame.scores(direction, alive)
            w, dw = self.cost * self.v, self.cost * direction
            line = float((w - self.pull) @ direction), float(dw @ direction)
            t = step_length(q, -tau * ds, cap, tau, line, float(g @ direction))
            self.v += t * direction
            s += t * ds
            steps += 1
        self.alpha[alive] = np.clip(alpha + tau * (1.0 - s), 0.0, cap)
        self.steps += steps
        return steps

    def missed(self, g: Array) -> float:
        r"""How much too large a gradient is for the gap not to notice it: at most 1 if it is not.

        The gap grows by $\|g\|^2/2$ for the weights, and for a free bias by $|g_b|$ times what
        examples are off the margin, which is about 1.
        """
        square = length_square(self.frame, self.v)
        primal = max(self.gap.primal if self.gap.primal < np.inf else 0.5 * square, 1e-300)
        allowed = min(1.0, self.gap.relative)
        of_weights = float(np.linalg.norm(g[:-1])) / (0.03 * np.sqrt(allowed * primal))
        of_bias = abs(float(g[-1])) / (0.1 * allowed * primal)
        return float(max(of_weights, of_bias if self.frame.free else 0.0))

    def newton_step(self, rows: Array, g: Array) -> Array:
        """The direction in which the gradient vanishes, as long as no row changes its part."""
        if not len(rows):  # the Hessian is the identity, with a 0 for a free bias
            along_bias = self.frame.free and abs(g[-1]) > 1e-3 * np.linalg.norm(g)
            return np.append(0.0 * g[:-1], -np.sign(g[-1])) if along_bias else -self.cost * g
        if self.frame.d <= NARROW:
            return self.factorized(rows, g)
        frame, tau = self.frame, self.tau
        diagonal = np.maximum(self.cost + tau * square_total(frame, rows), 1e-300)

        def times(p: Array) -> Array:
            s = frame.scores(p, rows)
            return self.cost * p + tau * frame.combination(s, rows)

        m = frame.d + 1
        H = LinearOperator((m, m), times, dtype=np.float64)
        M = LinearOperator((m, m), lambda p: p / diagonal, dtype=np.float64)
        enough = min(0.1, max(0.01, 0.3 / self.missed(g)))
        found: Array = cg(H, -g, rtol=enough, maxiter=1000, M=M)[0]
        return found

    def factorized(self, rows: Array, g: Array) -> Array:
        """The same, by a Cholesky factorization."""
        m = self.frame.d + 1
        H = np.zeros((m, m))
        for Z in self.frame.blocks(rows):
            H += Z.T @ Z
        H *= self.tau
        H[np.arange(m), np.arange(m)] += self.cost
        top = float(H.diagonal().max())
        for ridge in (1e-15, 1e-13, 1e-11, 1e-9):
            try:
                factor = cho_factor(H + ridge * top * np.eye(m), check_finite=False)
            except LinAlgError:
                continue
            step: Array = -cho_solve(factor, g, check_finite=False)
            return step
        raise overflow(np.float64)  # not positive definite in any floats: it is not finite
