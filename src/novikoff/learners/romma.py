r"""ROMMA, the relaxed online maximum margin algorithm (Li & Long 1999).

The widest separator of all examples so far is the shortest $w$ with
$y_i\langle w, x_i\rangle \ge 1$ for every example $x_i$ with the label $y_i$ of -1 or +1. ROMMA
keeps two constraints only: that of the last example, and the half-space
$\langle w, w_t\rangle \ge \|w_t\|^2$, which relaxes those of all examples before it:

$$w_{t+1} = \operatorname{argmin} \|w\| \quad\text{with}\quad
  y\langle w, x\rangle \ge 1 \quad\text{and}\quad \langle w, w_t\rangle \ge \|w_t\|^2.$$

With $m = y\langle w_t, x\rangle$, $q = \|w_t\|^2$ and $a = \|x\|^2 q$ the solution is

$$w_{t+1} = \frac{a - m}{a - m^2}\,w_t + \frac{q\,(1 - m)}{a - m^2}\,y\,x
  \quad\text{if } m < a, \qquad\text{else}\quad w_{t+1} = \frac{y\,x}{\|x\|^2}.$$

If $y\,x$ points exactly opposite to $w_t$, $m = -\sqrt a$, no $w$ meets both constraints, and no
separator exists.

Any $u$ with $y_i\langle u, x_i\rangle \ge 1$ for all $i$ meets both constraints, so
$\|w_t\| \le \|u\|$. A mistake moves $w$ by at least $1/\|x\|$, and never toward the origin, so that
$\|w_{t+1}\|^2 \ge \|w_t\|^2 + 1/R^2$. So there are at most $R^2\|u\|^2 = (R/\gamma)^2$ mistakes,
the same bound as for the perceptron (theorem 3 of the paper).

An update on an example with $y\langle w_t, x\rangle < 1 - \delta$ moves $w$ by at least
$\delta/\|x\|$. So aggressive ROMMA, which updates on all margins below 1, meets at most
$(R/(\gamma\delta))^2$ such examples (theorem 5), and tends to the widest separator.
"""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from novikoff.core import rules
from novikoff.core.jit import njit
from novikoff.core.log import Log
from novikoff.core.rows import add, sqnorm
from novikoff.core.rules import of
from novikoff.learners.kernels.blocks import ONE, Made
from novikoff.learners.kernels.linear import Plain
from novikoff.learners.kernels.machine import DualLearner
from novikoff.learners.kernels.run import DualState
from novikoff.parameters import again, choice
from novikoff.typing import Array, Given, MatrixLike

EDGES = {"mistake": 0.0, "margin": 1.0}

OPPOSITE = 1e-13
"""Below this share of its greatest value, what $a - m^2$ is left with is rounding alone."""


@njit(cache=True)
def shortest(m, q, xx):
    """What `w` and `y x` are multiplied by in the update; no numbers if there is none."""
    a = xx * q
    if m >= a:
        return 0.0, 1.0 / xx
    rest = a - m * m
    if not rest > OPPOSITE * a:
        return np.nan, np.nan
    return (a - m) / rest, q * (1.0 - m) / rest


class Relaxed(NamedTuple):
    r"""ROMMA's rule.

    Of each weight vector it keeps, beside the scores of the block: $\|w\|^2$, how many mistakes
    there were, what the weights before the block were multiplied by, and the coefficients of the
    block's rows.
    """

    edge: float
    """Up to which margin, beside mistakes, there is something to learn."""


KEPT = 3
"""How many numbers come before the coefficients."""


@of(rules.content, Relaxed)
def content(rule, m, y, D, i):
    """Is the answer right, and by the margin asked for?"""
    return m > 0.0 and m >= rule.edge


@of(rules.learn, Relaxed)
def learn(rule, w, extra, y, m, D, i):
    r"""$w \leftarrow f\,w + d\,y\,x_i$, where $f$ and $d$ are what `shortest` says."""
    extra[1] += m <= 0.0
    xx = sqnorm(w, D.rows, i)
    f, d = shortest(m, extra[0], xx) if xx > 0.0 else (np.nan, np.nan)
    if np.isnan(f):
        return 0.0
    extra[0] = f * extra[0] + d
    for k in range(len(w)):
        w[k] *= f
    for k in range(2, len(extra)):
        extra[k] *= f
    add(w, y * d, D.rows, i)
    extra[KEPT + np.int64(i)] = y * d
    return d


class Romma(DualLearner):
    r"""ROMMA: online approximation of the widest separator, in the feature space of a kernel.

    $$w_{t+1} = \operatorname{argmin} \|w\| \quad\text{with}\quad
      y\langle w, \phi(x)\rangle \ge 1 \quad\text{and}\quad \langle w, w_t\rangle \ge \|w_t\|^2$$

    Here $\phi$ is the feature map of the kernel, $x$ the current example, $y$ its label of -1 or
    +1, and $w_t$ the current weights. The first constraint is that of the current example, the
    second relaxes those of all examples before it. ROMMA updates on each mistake, and aggressive
    ROMMA (the default) whenever $y\langle w_t, \phi(x)\rangle < 1$.

    If a unit vector separates the examples with margin $\gamma$, and no $\phi(x)$ is longer than
    $R$, there are at most $(R/\gamma)^2$ mistakes, as for the perceptron
    (`novikoff.novikoff_bound`). Aggressive ROMMA meets at most $(R/(\gamma\delta))^2$ examples with
    $y\langle w_t, \phi(x)\rangle < 1 - \delta$, so it tends to the widest separator.

    With more than two classes, there is one binary classifier for each class against the rest, and
    the mistakes of all of them are counted. Use ROMMA for separable data only: on other data, the
    weights may grow without limit.

    Attributes
    ----------
    support_, support_vectors_, dual_coef_
        As for `KernelPerceptron`. Not available with ``kernel="linear"``.
    coef_ : ndarray of shape (n_outputs, n_features)
        The weights, with ``kernel="linear"`` only.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    n_iter_, mistakes_, n_mistakes_
        As for `Perceptron`.
    converged_ : bool
        True if the last epoch made no mistake. It may have updated on correct predictions.
    updates_ : ndarray of shape (n_epochs,)
        The number of updates in each epoch. With ``update_on="margin"``, it includes updates on
        correct predictions.
    radius_ : float
        The largest $\sqrt{k(x, x)}$.
    trace_ : DualTrace
        A record of every update, if ``record=True``.

    Examples
    --------
    >>> from novikoff import Romma
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> xor = Romma(kernel="poly", gamma=1, degree=2, shuffle=False).fit(X, y)
    >>> xor.predict(X), xor.n_mistakes_, xor.converged_
    (array([0, 1, 1, 0]), 9, True)

    References
    ----------
    Li, Y. & Long, P. M. (1999). The relaxed online maximum margin algorithm. Advances in Neural
    Information Processing Systems 12: equation 5 (the update), theorem 3 (mistakes) and theorem 5
    (the aggressive form). At length in Machine Learning 46(1-3), 2002.
    """

    kernel = again(
        DualLearner._parameters["kernel"],
        text="""As for `KernelPerceptron`. With "linear", the model keeps the weights themselves, in
        `coef_`, and no rows. It has no bias: to learn one, add a column of ones to `X`.""",
    )
    update_on: str = choice(
        default="margin",
        choices=tuple(EDGES),
        short="learn from mistakes only, or from margins below 1 too",
        text="""Update on mistakes only ("mistake"), or on every example with a margin below 1
        ("margin": aggressive ROMMA).""",
    )
    max_iter = again(
        DualLearner._parameters["max_iter"],
        text="The largest number of epochs. The run also stops after an epoch without an update.",
    )

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Fit the model: repeat epochs until one makes no update, at most `max_iter` of them.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            With ``kernel="precomputed"``, the kernel matrix of the examples, of shape
            (n_samples, n_samples).
        y : array of shape (n_samples,)
            Labels of two or more classes.

        Returns
        -------
        self
        """
        return self._fit(X, y)

    def partial_fit(self, X: MatrixLike, y: ArrayLike, classes: Given = None) -> Self:
        """Learn from the next block of a stream, in a single pass over it.

        The model copies the rows it updates on. A call that raises an error leaves the model as it
        was.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Labels. A new class takes part from this block on.
        classes : array of labels, optional
            All classes, including those of earlier calls. They take part from now on, even if the
            block does not have them, and any other label is an error.

        Returns
        -------
        self
        """
        return self._partial_fit(X, y, classes)

    @property
    def coef_(self) -> Array:
        """The weights, of shape (n_outputs, n_features), with ``kernel="linear"`` only."""
        support = self._fitted().support
        if not isinstance(support, Plain):
            raise AttributeError("coef_ is kept with kernel='linear' only: others have dual_coef_.")
        return support.W.copy()

    @property
    def updates_(self) -> Array:
        """The number of updates in each epoch."""
        return np.array(self._fitted().ledger.updates, np.int64)

    def _problems(self, outputs: int) -> int:
        return outputs

    def _support(self, outputs: int, width: int) -> Any:
        if isinstance(self.kernel, str) and self.kernel == "linear":
            return Plain(np.zeros((outputs, width)))
        return super()._support(outputs, width)

    def _history(self, outputs: int) -> Any:
        return None

    def _rule(self, run: DualState) -> Relaxed:
        return Relaxed(EDGES[self.update_on])

    def _extra(self, run: DualState, n: int) -> Array:
        extra = np.zeros((run.outputs, KEPT + n))
        extra[:, 0], extra[:, 2] = run.ledger.squares, 1.0
        return extra

    def _made(self, run: DualState, log: Log, extra: Array, G: Array) -> Made:
        run.ledger.counts += extra[:, 1].astype(np.int64)
        factors = self._follow(run.ledger.squares, log, G) if run.log is not None else ONE
        run.ledger.squares = extra[:, 0].copy()
        return Made(extra[:, KEPT:].T, extra[:, 2], factors)

    def _follow(self, squares: Array, log: Log, G: Array) -> Array:
        """How long the weights are after each update, and what it multiplied them by."""
        factors, which = np.empty(len(log.time)), np.maximum(log.gained, log.lost)
        for k, c in enumerate((which - (len(squares) == 1)).tolist()):
            m, t = log.score[k] if log.gained[k] >= 0 else -log.score[k], log.time[k]
            factors[k], d = shortest(m, squares[c], G[t, t])
            squares[c] = log.square[k] = factors[k] * squares[c] + d
        return factors

    def _advice(self) -> str:
        return (
            "If a hyperplane of the feature space separates the data, more epochs will find one: "
            "raise max_iter. If none does, weights grow without end: take a kernel that separates "
            "more, or KernelPerceptron with predict_with='voted'."
        )
