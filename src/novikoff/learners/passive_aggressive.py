r"""The passive-aggressive learners (Crammer, Dekel, Keshet, Shalev-Shwartz & Singer 2006).

With the bias as one more weight whose input is always 1, on example $i$ with the hinge loss
$\ell = \max(0, 1 - y\langle w, x\rangle)$, if $\ell > 0$:

$$w \leftarrow w + \tau\,y\,x, \qquad
  \tau = \frac{\ell}{\|x\|^2} \text{ (PA)}, \quad
  \tau = \min\Big(C, \frac{\ell}{\|x\|^2}\Big) \text{ (PA-I)}, \quad
  \tau = \frac{\ell}{\|x\|^2 + 1/2C} \text{ (PA-II)}.$$

PA moves as little as it takes to have no loss on the example; PA-I and PA-II trade the move for
the loss, or for its square. If $\|x_t\| \le R$ and some $u$ has the losses $\ell^*_t$, then

$$\sum_t \ell_t^2 \le R^2\|u\|^2 \text{ (PA, if all } \ell^*_t = 0), \qquad
  M \le \max(R^2, 1/C)\,\Big(\|u\|^2 + 2C\sum_t \ell^*_t\Big) \text{ (PA-I)},$$
$$\sum_t \ell_t^2 \le \Big(R^2 + \frac1{2C}\Big)\Big(\|u\|^2 + 2C\sum_t {\ell^*_t}^2\Big)
  \text{ (PA-II)},$$

and no more mistakes are made than the losses squared add up to (theorems 2 to 5;
`novikoff.passive_aggressive_bound`).

Of many classes, the margin of an example is by how much the score of its class exceeds that of the
best other; an update moves both (section 7). That is the same learner on Kesler's vectors, whose
squared length is $2\|x\|^2$.
"""

from typing import Any, NamedTuple

import numpy as np

from novikoff.examples import Examples, announce, n_visits, visit, weight
from novikoff.jit import njit
from novikoff.learners import joint, machines, parameters
from novikoff.learners.ahead import in_turn, passes_of
from novikoff.learners.base import Array
from novikoff.learners.joint import Classes, Made, move
from novikoff.learners.loop import Rule, longest_so_far
from novikoff.learners.online import Online
from novikoff.learners.recording import Before, Recorder, Redone
from novikoff.learners.ruled import Ruled, recovered
from novikoff.learners.run import Run
from novikoff.learners.updates import Found, square_under
from novikoff.products import dots, suited
from novikoff.rows import add, norm, sqnorm

VARIANTS = {"PA": 0, "PA-I": 1, "PA-II": 2}


class Tau(NamedTuple):
    """How long a step is."""

    variant: int
    C: float
    bias: float
    """The bias input: 1, or 0 for a hyperplane through the origin."""
    least: float
    """A loss of up to this is none: it is what rounding leaves of an update."""


@njit
def step(rule, loss, square):
    r"""$\tau$"""
    if rule.variant == 2:
        return loss / (square + 0.5 / rule.C)
    tau = loss / square
    return min(rule.C, tau) if rule.variant == 1 else tau


@njit
def content(rule, m):
    """Is there no loss?"""
    return not 1.0 - m > rule.least


@machines.rule_of(Tau, content)
@njit
def learn(rule, w, beside, y, m, D, i):
    r"""$w \leftarrow w + \tau\,y\,x$"""
    if content(rule, m):
        return 0
    length = norm(D.rows, i)
    square = length**2 + rule.bias
    if length == 0.0 and square == 0.0:
        return 0
    a = weight(D, i) * step(rule, 1.0 - m, square) * y
    if not machines.is_felt(a, square, w):
        return machines.OUT_OF_RANGE
    add(w, a, D.rows, i)
    w[-1] += a * rule.bias
    return 1


@njit
def next_to_heed(W, D, rule, tau, classes, measure, low, high, R):
    """The first visit from `low` to `high` that is to be learned from, its rival and margin.

    `high` if there is none; the margin is NaN where a score or a row is not finite. Then the
    largest length.
    """
    for t in range(low, high):
        i = visit(D, t)
        announce(D, t)
        if measure:
            R = longest_so_far(R, D.rows, i, sqnorm(W[0], D.rows, i))
        dots(W, D.rows, i, classes.scores)
        r, m, sound = joint.rival(W, D, i, t, rule, classes)
        if not sound or np.inf == R:
            return t, r, np.nan, R
        if r >= 0 and (m <= 0.0 or not content(tau, m)):
            return t, r, m, R
    return high, -1, np.inf, R


@njit(cache=True)
def epoch(W, alpha, D, rule, tau, classes, measure, low, high):
    """Make the visits from `low` to `high`, all classes jointly; returns as `machines.epoch`."""
    k, errors, R, t = 0, 0, 0.0, low
    while True:
        t, r, m, R = next_to_heed(W, D, rule, tau, classes, measure, t, high, R)
        if t == high or np.isnan(m):
            return k, errors, R, -1 if t == high else t
        i = visit(D, t)
        y = D.y[i]
        errors += m <= 0.0
        length = norm(D.rows, i)
        square = 2.0 * (length**2 + tau.bias)
        if length > 0.0 or square > 0.0:
            a = weight(D, i) * step(tau, 1.0 - m, square)
            if not machines.is_felt(a, square, W):
                return k, errors, R, t
            move(W, a, y, r, D.rows, i, tau.bias)
            size = machines.size_under(W[y], D.rows, i) + machines.size_under(W[r], D.rows, i)
            if not size < np.inf:
                return k, errors, R, t
            alpha[i] += 1
            k += 1
        t += 1


class Pass(NamedTuple):
    """All that a joint pass needs."""

    W: Any
    alpha: Any
    made: Any
    """Room for the number of mistakes."""
    D: Any
    rule: Any
    tau: Any
    classes: Any
    measure: Any


def _search(p: Pass, low: int, high: int, R: float) -> Any:
    t, _, _, R = next_to_heed(p.W, p.D, p.rule, p.tau, p.classes, p.measure, low, high, R)
    return t, 0.0, R


def _learn(p: Pass, k: int, low: int, high: int) -> Any:
    k, errors, R, stopped = epoch(p.W, p.alpha, p.D, p.rule, p.tau, p.classes, p.measure, low, high)
    p.made[0] += errors
    return k, R, 0.0, stopped


passes_of(Pass, _search, _learn)


@njit(cache=True)
def retrace(W, D, rule, tau, classes, now, out):
    """Make a joint pass once more, and write down its updates; as `machines.retrace` does.

    The score is by how much the right class led the other, the square that of all weights.
    """
    k, errors = 0, out.mistakes[0]
    for t in range(n_visits(D)):
        i = visit(D, t)
        dots(W, D.rows, i, classes.scores)
        r, m, _ = joint.rival(W, D, i, t, rule, classes)
        if r < 0:
            continue
        errors += m <= 0.0
        square = 2.0 * (norm(D.rows, i) ** 2 + tau.bias)
        if 1.0 - m > tau.least and square > 0.0:
            y = D.y[i]
            now[0] -= square_under(W[y], D.rows, i) + square_under(W[r], D.rows, i)
            move(W, weight(D, i) * step(tau, 1.0 - m, square), y, r, D.rows, i, tau.bias)
            now[0] += square_under(W[y], D.rows, i) + square_under(W[r], D.rows, i)
            out.times[k], out.scores[k], out.squares[k], out.mistakes[k] = t, m, now[0], errors
            out.steps[k], out.gained[k], out.lost[k] = weight(D, i), y, r
            k += 1


@njit(cache=True)
def redo(W, rows, made, tau):
    """Make these updates of a joint run again, with the scores there were."""
    for k in range(len(made.steps)):
        i = made.examples[k]
        square = 2.0 * (norm(rows, i) ** 2 + tau.bias)
        a = made.steps[k] * step(tau, 1.0 - made.scores[k], square)
        move(W, a, made.gained[k], made.lost[k], rows, i, tau.bias)


class Leads(Recorder):
    """The updates of all classes jointly."""

    counted = True

    def __init__(self, rule: Tau) -> None:
        self.rule: Tau = rule

    def with_rule(self, numbers: tuple[Any, ...]) -> "Leads":
        """The same with another rule."""
        return Leads(recovered(self.rule, numbers))

    def retrace(
        self, before: Before, made: Made, k: int, D: Examples, since: Array, now: Array
    ) -> Found:
        """Make a pass once more."""
        found, W = Found.room(k), suited(before.w, D.rows)
        found.mistakes[0] = before.mistakes
        retrace(W, D, Rule(1.0, self.rule.bias, 0, 0.0), self.rule, _classes(W, since), now, found)
        return found

    def redo(self, run: Run, rows: Any, made: Redone) -> None:
        """Make these updates on a run."""
        redo(run.w, rows, made, self.rule)


def _classes(W: Array, since: Array) -> Classes:
    return Classes(since, np.empty(len(W), W.dtype), np.empty(0), np.empty((0, 0), np.int32))


class PassiveAggressive(Online):
    r"""The passive-aggressive learner: no loss, no change; a loss, as little change as it takes.

    $$w \leftarrow w + \tau\,y\,x, \qquad \tau = \min(C,\ \ell/\|x\|^2), \qquad
      \ell = \max(0, 1 - y\langle w, x\rangle)$$

    It makes at most $\max(R^2, 1/C)(\|u\|^2 + 2C\sum_t\ell^*_t)$ mistakes, where $\ell^*_t$ are the
    losses of any $u$: the data need not be separable. scikit-learn's
    ``PassiveAggressiveClassifier`` is deprecated; docs/conventions.md says how to move from it.

    Parameters
    ----------
    C : float, default=1.0
        How aggressive it is: the longest step of PA-I, or the weight of the squared loss of
        PA-II. PA itself has no use for it.
    variant : {"PA", "PA-I", "PA-II"}, default="PA-I"
        What the step $\tau$ is: $\ell/\|x\|^2$, at most $C$ of that, or
        $\ell/(\|x\|^2 + 1/2C)$.
    fit_intercept : bool, default=True
        Learn a bias, as the weight of one more feature that is always 1: it counts in
        $\|x\|^2$, as the theorems need it to.
    max_iter : int, default=10
        The most epochs to make.
    shuffle : bool, default=True
        Visit the examples in a new random order every epoch.
    random_state : int, RandomState or None, default=None
        What the orders are drawn from.
    warm_start : bool, default=False
        Let `fit` go on from the last run instead of starting anew.
    class_weight : dict, "balanced" or None, default=None
        What updates on the examples of a class are multiplied by, like `sample_weight`.
    record : bool, default=False
        Keep a record of every update, 53 bytes each, in `trace_`.
    multi_class : {"joint", "ovr"}, default="joint"
        How more than two classes are learned: all together, the right class against the best
        other, or with a machine for each class against the rest, all in the same pass.
    n_jobs : int or None, default=None
        How many threads may learn and predict: None for one, -1 for all cores. The model is the
        same to the bit.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, feature_names_in_, n_iter_
        As for `Perceptron`.
    mistakes_, n_mistakes_
        How often the score was on the wrong side, or 0, in each epoch and in all.
    n_updates_ : int
        Updates: they also happen on right answers by a margin of less than 1.
    converged_ : bool
        Did the last epoch make no update, every margin being 1 or more?
    dual_coef_ : ndarray of shape (n_samples,)
        Updates on each example of the last `fit`.
    radius_ : float
        The largest length of an example, bias coordinate included; $\sqrt2$ times that if many
        classes are learned jointly.
    trace_ : Trace
        What happened, update by update, if `record` is set.

    Examples
    --------
    >>> from novikoff import PassiveAggressive
    >>> X, y = [[2.0, 0.0], [0.0, 2.0]], ["no", "yes"]
    >>> model = PassiveAggressive(fit_intercept=False, shuffle=False).fit(X, y)
    >>> model.coef_
    array([[-0.5,  0.5]])
    >>> model.n_mistakes_, model.n_updates_, model.converged_
    (2, 2, True)

    References
    ----------
    Crammer, K., Dekel, O., Keshet, J., Shalev-Shwartz, S. & Singer, Y. (2006). Online
    passive-aggressive algorithms. JMLR 7: figure 1; theorems 2 and 3 (PA), 4 (PA-I) and 5 (PA-II);
    section 7 (many classes).
    """

    _other_proof = (
        "chooses its steps, and its bound has another proof (novikoff.passive_aggressive_bound)"
    )

    def __init__(
        self,
        *,
        C: float = 1.0,
        variant: str = "PA-I",
        fit_intercept: bool = True,
        max_iter: int = 10,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        class_weight: Any = None,
        record: bool = False,
        multi_class: str = "joint",
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.variant = variant
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.record = record
        self.multi_class = multi_class
        self.n_jobs = n_jobs

    @property
    def radius_(self) -> float:
        r"""The largest length of an example, with its coordinate of 1 for the bias.

        Many classes that are learned jointly are in Kesler's space, where it is $\sqrt2$ times
        as long.
        """
        R: float = Online.radius_.fget(self)  # type: ignore[attr-defined]
        run = self._fitted()
        return np.sqrt(2.0) * R if run.w.ndim > 1 and run.space["multi_class"] == "joint" else R

    def _check_parameters(self) -> None:
        Online._check_parameters(self)
        parameters.number("C", self.C, above=0.0)
        parameters.choice("variant", self.variant, tuple(VARIANTS))
        parameters.choice("multi_class", self.multi_class, ("joint", "ovr"))

    def _space(self) -> dict[str, Any]:
        return {"fit_intercept": self.fit_intercept, "multi_class": self.multi_class}

    def _rule(self, run: Run) -> Tau:
        least = float(np.finfo(run.w.dtype).eps) ** 0.75
        bias = float(run.space["fit_intercept"])
        return Tau(VARIANTS[self.variant], float(self.C), bias, least)

    def _epoch(
        self, run: Run, updates: Array, room: Made, D: Examples, since: Array, measure: bool
    ) -> tuple[int, float, int]:
        if run.w.ndim == 1 or self.multi_class == "ovr":
            return Online._epoch(self, run, updates, room, D, since, measure)
        run.w = suited(run.w, D.rows)
        tau = self._rule(run)
        rule, classes = Rule(1.0, tau.bias, 0, 0.0), _classes(run.w, since)
        errors = np.zeros(1, np.int64)
        work = Pass(run.w, updates, errors, D, rule, tau, classes, measure)
        k, length, _, stopped = in_turn(work) if run.team is None else run.team.epoch(work)
        run.mistakes[-1] += int(errors[0])
        return k, length, stopped

    def _recorder(self, run: Run) -> Recorder:
        joint = run.space["multi_class"] == "joint"
        if joint and run.w.ndim > 1:
            return Leads(self._rule(run))
        return Ruled(self._rule(run), whole=False, apart=not joint)

    def _spread(self, run: Run, places: Array, n_classes: int) -> None:
        pair = run.w.ndim == 1
        Online._spread(self, run, places, n_classes)
        if pair and run.space["multi_class"] == "joint":
            run.w /= 2  # so that margins between the two classes are what they were

    def _advice(self) -> str:
        return (
            "If a hyperplane separates the data, more epochs may find one: raise max_iter. If "
            "none does, a smaller C heeds each example less."
        )
