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

from typing import NamedTuple

import numpy as np

from novikoff.core import rules
from novikoff.core.examples import weight
from novikoff.core.jit import njit
from novikoff.core.loops import move
from novikoff.core.rows import add, norm
from novikoff.core.rules import of
from novikoff.learners import margin
from novikoff.learners.margin import Online
from novikoff.learners.state import Space, State
from novikoff.parameters import again, choice, number
from novikoff.typing import Array

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


@of(rules.content, Tau)
def content(rule, m, y, D, i):
    """Is there no loss?"""
    return not 1.0 - m > rule.least


@of(rules.learn, Tau)
def learn(rule, w, extra, y, m, D, i):
    r"""$w \leftarrow w + \tau\,y\,x$"""
    length = norm(D.rows, i)
    square = length**2 + rule.bias
    if length == 0.0 and square == 0.0:
        return 0.0
    a = weight(D, i) * step(rule, 1.0 - m, square) * y
    if not margin.is_felt(a, square, w):
        return margin.OUT_OF_RANGE
    add(w, a, D.rows, i)
    w[-1] += a * rule.bias
    return margin.told(w, D, i)


@of(rules.push, Tau)
def push(rule, W, y, r, m, D, i):
    r"""$w_y \leftarrow w_y + \tau\,x$, $w_r \leftarrow w_r - \tau\,x$: on a vector of Kesler's"""
    length = norm(D.rows, i)
    square = 2.0 * (length**2 + rule.bias)
    if length == 0.0 and square == 0.0:
        return 0.0
    a = weight(D, i) * step(rule, 1.0 - m, square)
    if not margin.is_felt(a, square, W):
        return margin.OUT_OF_RANGE
    move(W, a, y, r, D.rows, i, rule.bias)
    return margin.told(W[y], D, i) + 0.0 * margin.told(W[r], D, i)


class PassiveAggressive(Online):
    r"""The passive-aggressive learner: no loss, no change; a loss, as little change as it takes.

    $$w \leftarrow w + \tau\,y\,x, \qquad \tau = \min(C,\ \ell/\|x\|^2), \qquad
      \ell = \max(0, 1 - y\langle w, x\rangle)$$

    It makes at most $\max(R^2, 1/C)(\|u\|^2 + 2C\sum_t\ell^*_t)$ mistakes, where $\ell^*_t$ are the
    losses of any $u$: the data need not be separable. scikit-learn's
    ``PassiveAggressiveClassifier`` is deprecated; docs/conventions.md says how to move from it.

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

    C: float = number(
        default=1.0,
        above=0.0,
        short="aggressiveness: larger values take larger steps",
        text="""How aggressive it is: the longest step of PA-I, or the weight of the squared loss of
        PA-II. PA itself has no use for it.""",
    )
    variant: str = choice(
        default="PA-I",
        choices=tuple(VARIANTS),
        short="variant of the algorithm",
        text=r"""What the step $\tau$ is: $\ell/\|x\|^2$, at most $C$ of that, or
        $\ell/(\|x\|^2 + 1/2C)$.""",
    )
    fit_intercept = again(
        Online._parameters["fit_intercept"],
        text=r"""Learn a bias, as the weight of one more feature that is always 1: it counts in
        $\|x\|^2$, as the theorems need it to.""",
    )
    multi_class: str = choice(
        default="joint",
        choices=("joint", "ovr"),
        short="learn many classes jointly, or each against the rest",
        text="""How more than two classes are learned: all together, the right class against the
        best other, or with a binary classifier for each class against the rest, all in the same
        pass.""",
        space=True,
    )

    @property
    def radius_(self) -> float:
        r"""The largest length of an example, with its coordinate of 1 for the bias.

        Many classes that are learned jointly are in Kesler's space, where it is $\sqrt2$ times
        as long.
        """
        R: float = Online.radius_.fget(self)  # type: ignore[attr-defined]
        run = self._fitted()
        return np.sqrt(2.0) * R if run.many and run.space["multi_class"] == "joint" else R

    def _rule(self, run: State) -> Tau:
        least = float(np.finfo(run.weights.dtype).eps) ** 0.75
        bias = float(run.space["fit_intercept"])
        return Tau(VARIANTS[self.variant], float(self.C), bias, least)

    def _machines(self, space: Space) -> bool:
        return space.get("multi_class") == "ovr"

    def _spread(self, run: State, places: Array, n_classes: int) -> None:
        pair = not run.many
        super()._spread(run, places, n_classes)
        if pair and run.space["multi_class"] == "joint":
            run.weights /= 2  # so that margins between the two classes are what they were

    def _advice(self) -> str:
        if self.variant != "PA":
            return ""
        return (
            "If a hyperplane separates the data, more epochs may find one: raise max_iter. If "
            "none does, every noisy example is heeded in full: use the variant PA-I or PA-II."
        )
