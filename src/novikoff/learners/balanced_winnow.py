r"""Balanced Winnow (Littlestone 1989): multiplicative updates with weights of both signs.

Every feature $j$ has two positive weights, $w^+_j$ and $w^-_j$, which start at 1. The score of an
example $x$ is $\langle w^+ - w^-, x\rangle$; the bias belongs to one more feature, which is always
1. Let $y$ be the label, -1 or +1. On a mistake, $y\langle w^+ - w^-, x\rangle \le 0$, with a factor
$f > 1$:

$$w^+_j \leftarrow w^+_j\,f^{y x_j/s}, \qquad w^-_j \leftarrow w^-_j\,f^{-y x_j/s}, \qquad
  s = \max(1, \max_j|x_j|).$$

Features from -1 to 1 are used as they are. Larger examples are divided by their size $s$, which
does not change the sign of their score. So one factor works for features of any size.

It follows that $w^\pm_j = f^{\pm z_j}$ with $z = \sum y\,x/s$ over the mistakes: a perceptron whose
weights are transformed by $f^z - f^{-z}$. The model keeps $z$, and scales all weights down together
where they would become too large, which changes no sign.

Let $S$ be the largest $s$, let $u$ have $\sum_j|u_j| = 1$ over $n$ weights (including the bias),
and let $D = \sum_t\max(0, \gamma - y_t\langle u, x_t\rangle)$ for some $\gamma > S\eta/2$, where
$\eta = \ln f$. Then the number of mistakes is

$$M \le \frac{\ln 2n + \eta D}{\eta\gamma/S - \eta^2/2}.$$

If $u$ separates the examples by $\gamma$, and $\eta = \gamma/S$, this is $2S^2\ln(2n)/\gamma^2$
(`novikoff.balanced_winnow_bound`; theorem 7 of `docs/theorems.md`, with its proof).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from novikoff.core import rules
from novikoff.core.examples import weight
from novikoff.core.jit import njit
from novikoff.core.rows import Clipped, column, first, last, value
from novikoff.core.rules import is_right, of
from novikoff.errors import ParameterError
from novikoff.inputs.arrays import as_rows
from novikoff.learners import margin
from novikoff.learners.margin import Online
from novikoff.learners.state import Field, Space, State
from novikoff.parameters import again, flag, number
from novikoff.typing import Array, Given, Matrix, MatrixLike

FAR = 60.0
"""Weights that would pass $e$ to this are scaled down, all together."""


class Factor(NamedTuple):
    """The rule of balanced Winnow."""

    f: float
    far: float
    """How large an exponent may be, less the scale."""
    bias: float
    """The bias input: 1, or 0 for a hyperplane through the origin."""


@njit
def through(z, scale, lg):
    r"""$f^{z - scale} - f^{-z - scale}$ with $\log_2 f$, which is quicker than powers of $f$."""
    return np.exp2(lg * (z - scale)) - np.exp2(lg * (-z - scale))


@njit
def raise_by(w, z, j, a, far, lg):
    r"""$z_j \leftarrow z_j + a$, and the weight with it; the last of `z` is the scale."""
    z[j] += a
    if abs(z[j]) - z[-1] > far:
        z[-1] = abs(z[j])
        for k in range(len(w)):
            w[k] = through(z[k], z[-1], lg)
    w[j] = through(z[j], z[-1], lg)


@njit
def size(X, i):
    r"""$s = \max(1, \max_j|x_{ij}|)$"""
    s, beyond = 1.0, 0
    for k in range(first(X, i), last(X, i)):  # to count is quicker than to compare
        beyond += abs(value(X, i, k)) > 1
    for k in range(first(X, i), last(X, i) if beyond else first(X, i)):
        s = max(s, abs(np.float64(value(X, i, k))))
    return s


@of(rules.content, Factor)
def content(rule, m, y, D, i):
    """Is the answer right?"""
    return is_right(m, y, 0)


@of(rules.learn, Factor)
def learn(rule, w, z, y, m, D, i):
    r"""$w^\pm_j \leftarrow w^\pm_j f^{\pm y x_j/s}$"""
    a, s, lg, changed = weight(D, i) * y, size(D.rows, i), np.log2(rule.f), False
    for k in range(first(D.rows, i), last(D.rows, i)):
        x = np.float64(value(D.rows, i, k))
        if x != 0.0:
            raise_by(w, z, column(D.rows, k), a * (x / s), rule.far, lg)
            changed = True
    if rule.bias > 0.0:
        raise_by(w, z, len(w) - 1, a / s, rule.far, lg)
        changed = True
    return margin.told(w, D, i) if changed else 0.0


class BalancedWinnow(Online):
    r"""Balanced Winnow: multiplicative updates, with weights of both signs.

    $$w^+_j \leftarrow w^+_j\,f^{y x_j/s}, \qquad w^-_j \leftarrow w^-_j\,f^{-y x_j/s}, \qquad
      s = \max(1, \max_j|x_j|), \qquad \text{score } \langle w^+ - w^-, x\rangle$$

    on each mistake: an example $x$ with the label $y$ of -1 or +1 whose score is 0 or has the wrong
    sign. All $w^+_j$ and $w^-_j$ start at 1, and $f$ is the parameter `factor`.

    If only a few of many features matter, it makes few mistakes: their number grows with the
    logarithm of the number of features. Features may be any finite numbers, but should be of
    similar size: an update divides an example that has values beyond -1 and 1 by the largest of
    them. With more than two classes, there is one binary classifier for each class against the
    rest, and all of them learn in the same pass.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features), or (n_classes, n_features) for more than two
        $w^+ - w^-$. All weights are scaled down together where they would become too large.
    intercept_, classes_, n_features_in_, feature_names_in_, n_iter_
        As for `Perceptron`.
    mistakes_, n_mistakes_, n_updates_, converged_, dual_coef_, radius_, trace_
        As for `PassiveAggressive`. All updates are on mistakes.

    Examples
    --------
    >>> from novikoff import BalancedWinnow
    >>> X, y = [[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]], ["no", "yes"]
    >>> model = BalancedWinnow(factor=2.0, shuffle=False).fit(X, y)
    >>> model.coef_
    array([[-1.5,  1.5,  0. ]])
    >>> model.n_mistakes_, model.converged_
    (2, True)

    References
    ----------
    Littlestone, N. (1989). Mistake bounds and logarithmic linear-threshold learning algorithms.
    PhD thesis, University of California, Santa Cruz (the balanced version, threshold 0). The bound
    is theorem 7 of `docs/theorems.md`.
    Kivinen, J. & Warmuth, M. K. (1997). Exponentiated gradient versus gradient descent for linear
    predictors. Information and Computation 132(1): EG±, for features of both signs.
    Grove, A. J., Littlestone, N. & Schuurmans, D. (2001). General convergence results for linear
    discriminant updates. Machine Learning 43(3).
    """

    _kept_by_rule = "exponents"
    _other_proof = (
        "multiplies its weights, and its bound has another proof (novikoff.balanced_winnow_bound)"
    )

    factor: float = number(
        default=1.5,
        above=1.0,
        short="factor by which an update multiplies weights",
        text=r"""The factor $f$. If some weights whose absolute values add up to 1 have the margin
        $\gamma$, and no feature is larger than $S \ge 1$, the bound is smallest for
        $\ln f = \gamma/S$.""",
        space=True,
    )
    clip: bool = flag(
        default=False,
        short="clip values to the range from 0 to 1",
        text="Replace values below 0 by 0, and values above 1 by 1.",
        space=True,
    )
    max_iter = again(Online._parameters["max_iter"], default=100)

    # there are no weights to start from: exponents are kept
    def fit(  # type: ignore[override]
        self, X: MatrixLike, y: ArrayLike, sample_weight: Given = None
    ) -> "BalancedWinnow":
        """Fit the model: repeat epochs until one makes no mistake, at most `max_iter` of them.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Any finite numbers.
        y : array of shape (n_samples,)
            Labels of two or more classes. Of two classes, the larger label is the positive one.
        sample_weight : array of shape (n_samples,), optional
            A weight for each example, which multiplies the exponents of its updates. Examples of
            weight 0 are left out.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight=sample_weight)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not 1e-6 < np.log(float(self.factor)) < FAR / 2:
            raise ParameterError.of("factor", self.factor, "from 1.00001 to 1e13")

    def _rule(self, run: State) -> Factor:
        f = float(run.space["factor"])
        return Factor(f, float(FAR / np.log(f)), float(run.space["fit_intercept"]))

    def _rows(self, X: Matrix, space: Space) -> Any:
        return Clipped(as_rows(X)) if space["clip"] else as_rows(X)

    def _changes_all(self, space: Space) -> bool:
        return True  # where weights are scaled down together

    def _declared(self, space: Space) -> dict[str, Field]:
        return {"exponents": Field(("m", "d+1"), np.float64, by_column=False)}

    def _spread(self, run: State, places: Array, n_classes: int) -> None:
        super()._spread(run, places, n_classes)
        scales = run.extra["exponents"][:, -1]
        np.abs(scales, out=scales)  # that of one is that of both of two classes

    def _advice(self) -> str:
        return (
            "If few features matter, more epochs may find which: raise max_iter, or choose a "
            "smaller factor. If not, use a perceptron."
        )
