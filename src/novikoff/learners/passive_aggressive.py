r"""The passive-aggressive learners (Crammer, Dekel, Keshet, Shalev-Shwartz & Singer 2006).

The bias is the weight of one more feature, which is always 1. An example $x$ with the label $y$ of
-1 or +1 has the hinge loss $\ell = \max(0, 1 - y\langle w, x\rangle)$. If $\ell > 0$:

$$w \leftarrow w + \tau\,y\,x, \qquad
  \tau = \frac{\ell}{\|x\|^2} \text{ (PA)}, \quad
  \tau = \min\Big(C, \frac{\ell}{\|x\|^2}\Big) \text{ (PA-I)}, \quad
  \tau = \frac{\ell}{\|x\|^2 + 1/2C} \text{ (PA-II)}.$$

PA makes the smallest change of $w$ that leaves no loss on the example. PA-I trades the size of the
change against the loss, PA-II against the squared loss. Let $\ell_t$ be the losses of the learner,
$\ell^*_t$ those of any fixed $u$, $M$ the number of mistakes, and $\|x_t\| \le R$. Then

$$\sum_t \ell_t^2 \le R^2\|u\|^2 \text{ (PA, if all } \ell^*_t = 0), \qquad
  M \le \max(R^2, 1/C)\,\Big(\|u\|^2 + 2C\sum_t \ell^*_t\Big) \text{ (PA-I)},$$
$$\sum_t \ell_t^2 \le \Big(R^2 + \frac1{2C}\Big)\Big(\|u\|^2 + 2C\sum_t {\ell^*_t}^2\Big)
  \text{ (PA-II)},$$

and $M \le \sum_t \ell_t^2$ (theorems 2 to 5; `novikoff.passive_aggressive_bound`).

With more than two classes, the margin of an example is the score of its class minus the largest
score of the others. An update changes the weights of these two classes (section 7). This is the
same learner on Kesler's vectors, whose squared length is $2\|x\|^2$.
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
    r"""The passive-aggressive learner: change the weights only on a loss, and then only a little.

    $$w \leftarrow w + \tau\,y\,x, \qquad \tau = \min(C,\ \ell/\|x\|^2), \qquad
      \ell = \max(0, 1 - y\langle w, x\rangle)$$

    Here $x$ is the example, $y$ is its label of -1 or +1, and $\ell$ is its hinge loss. The bias is
    the weight of one more feature, which is always 1. This is PA-I, the default; `variant` has two
    more rules for the step size $\tau$.

    With $\|x\| \le R$, PA-I makes at most $\max(R^2, 1/C)(\|u\|^2 + 2C\sum_t\ell^*_t)$ mistakes,
    where $\ell^*_t$ are the hinge losses of any fixed $u$. The data need not be separable.

    scikit-learn's ``PassiveAggressiveClassifier`` is deprecated; docs/conventions.md explains how
    to move from it.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, feature_names_in_, n_iter_
        As for `Perceptron`.
    mistakes_, n_mistakes_
        The number of examples whose score was 0 or had the wrong sign: in each epoch, and in all.
    n_updates_ : int
        The number of updates. A correct prediction with a margin below 1 also causes an update.
    converged_ : bool
        True if the last epoch made no update, because every margin was 1 or more.
    dual_coef_ : ndarray of shape (n_samples,)
        The number of updates on each example of the last `fit`.
    radius_ : float
        The length of the longest example, including the coordinate of 1 for the bias. It is
        $\sqrt2$ times that if more than two classes are learned jointly.
    trace_ : Trace
        A record of every update, if ``record=True``.

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
    section 7 (more than two classes).
    """

    _other_proof = (
        "chooses its steps, and its bound has another proof (novikoff.passive_aggressive_bound)"
    )

    C: float = number(
        default=1.0,
        above=0.0,
        short="aggressiveness: larger values take larger steps",
        text="""The aggressiveness: the largest step size of PA-I, or the weight of the squared loss
        of PA-II. PA does not use it.""",
    )
    variant: str = choice(
        default="PA-I",
        choices=tuple(VARIANTS),
        short="variant of the algorithm",
        text=r"""The step size $\tau$: $\ell/\|x\|^2$ ("PA"), $\min(C, \ell/\|x\|^2)$ ("PA-I"), or
        $\ell/(\|x\|^2 + 1/2C)$ ("PA-II").""",
    )
    fit_intercept = again(
        Online._parameters["fit_intercept"],
        text=r"""Learn a bias, as the weight of one more feature that is always 1. That feature
        counts in $\|x\|^2$, as the theorems require.""",
    )
    multi_class: str = choice(
        default="joint",
        choices=("joint", "ovr"),
        short="learn many classes jointly, or each against the rest",
        text="""How to learn more than two classes. "joint": all together; an update changes the
        weights of the example's own class and of the class with the largest other score. "ovr":
        one binary classifier for each class against the rest, all trained in the same pass.""",
        space=True,
    )

    @property
    def radius_(self) -> float:
        r"""The length of the longest example, including the coordinate of 1 for the bias.

        It is $\sqrt2$ times that if more than two classes are learned jointly (in Kesler's space).
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
