r"""The widest separator: hyperplane CD of the figure in lecture note 004.

$$\min_{w,b}\ \tfrac12\|w\|^2 + C\sum_i\max(0, 1 - y_i(\langle w, x_i\rangle + b))$$

With $C = \infty$ no example may be inside the margin, and $1/\|w\|$ is the margin $\gamma^\star$
of the data, equation (4.9).
"""

import warnings
from fractions import Fraction
from math import inf
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from novikoff.certificates import rounding, widest
from novikoff.certificates.bracket import Bracket
from novikoff.certificates.exact import Multipliers
from novikoff.certificates.faces import find
from novikoff.certificates.geometry import WIDE, of_some_weight, raw_scores
from novikoff.certificates.search import Search, Undecided
from novikoff.certificates.separability import separability
from novikoff.certificates.two_classes import TwoClasses
from novikoff.core.clock import now
from novikoff.errors import DataError, NotSeparable, OutOfTime, ParameterError
from novikoff.inputs.arrays import as_rows, names_in, overflow, read, require_sound
from novikoff.inputs.labels import as_labels, two_classes
from novikoff.inputs.weights import checked, require_some
from novikoff.max_margin.newton import Solution, solve
from novikoff.parameters import Parameterised, flag, number
from novikoff.saved import Saved
from novikoff.typing import Array, Matrix, MatrixLike

Fitted = tuple[Solution, Bracket, float]
"""What was found, its margin, and the certified gap."""


def as_solution(n: int, found: widest.Found) -> Solution:
    r"""A separator with the multipliers $\alpha = p / \gamma^2$ that make $w$ of it."""
    square = Fraction(found.margin.upper) ** 2
    alpha = np.zeros(n)
    alpha[found.proof.rows] = [float(p / square) for p in found.proof.shares]
    return Solution(found.v, alpha, 1)


class MaxMargin(Parameterised, Saved, ClassifierMixin, BaseEstimator):
    r"""The maximum-margin separator, with a proof that no margin is wider.

    $$\min_{w,b}\ \tfrac12\|w\|^2 + C\sum_i\max(0, 1 - y_i(\langle w, x_i\rangle + b))$$

    for examples $x_i$ with labels $y_i$ of -1 or +1. With $C = \infty$, the default, no example may
    be inside the margin: the data must be separable.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (1, n_features) and (1,)
        Scaled so that $y_i(\langle w, x_i\rangle + b) = 1$ on the margin.
    margin_ : Bracket
        Bounds on $1/\|w^\star\|$, where $w^\star$ is the exact optimum. For `C=inf` this is the
        margin of the data.
    support_ : ndarray
        The indices of the examples with a multiplier $\alpha_i$ above 0, in increasing order.
    dual_coef_ : ndarray of shape (1, n_support)
        Their $y_i\alpha_i$; $w \approx \sum_i y_i\alpha_i x_i$.
    gap_ : float
        The certified relative duality gap.
    n_iter_ : int
        The number of passes of coordinate descent and of Newton steps. For the hard margin on data
        with few features it is 1, because an active-set method finds the solution.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    NotSeparable
        With `C=inf`, if no hyperplane separates the data. `separability` of the error has the
        proof.

    Examples
    --------
    >>> from novikoff import MaxMargin
    >>> model = MaxMargin().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> model.coef_.round(6), model.intercept_.round(6), model.support_
    (array([[2., 2.]]), array([-3.]), array([1, 2, 3]))
    >>> round(model.margin_.lower, 6), model.gap_ < 1e-6
    (0.353553, True)

    References
    ----------
    Lecture note 004, "Limitation of Perceptron Algorithm". Cortes, C. & Vapnik, V. (1995).
    Support-vector networks. Machine Learning 20.
    """

    C: float = number(
        default=inf,
        above=0.0,
        infinite=True,
        positional=True,
        short="penalty for an example inside the margin; inf: allow none",
        text="""The penalty for an example inside the margin. The default allows none: the hard
        margin, for separable data. A finite `C` is the usual soft margin.""",
    )
    fit_intercept: bool = flag(
        default=True,
        short="learn a bias",
        text="Whether the hyperplane has a bias, which is not penalised.",
    )
    tol: float = number(
        default=1e-6,
        above=0.0,
        short="stop at this duality gap",
        text="""Stop at this relative duality gap, $(P - D)/P$ for the primal and dual objectives
        $P$ and $D$. It is computed so that rounding can only make it larger.""",
    )
    budget: float = number(
        default=600.0,
        above=0.0,
        infinite=True,
        short="stop after this many seconds",
        text="""The time limit in seconds. A fit that reaches it warns, and reports its gap; without
        any separator, it raises `OutOfTime`.""",
    )

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the maximum-margin separator.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Two labels of any type. The larger is the positive class.
        sample_weight : array of shape (n_samples,), optional
            A factor for `C`, for each example. Examples of weight 0 are left out.

        Returns
        -------
        self
        """
        self._check_parameters()
        before = dict(vars(self))
        try:
            self._fit(X, y, sample_weight, now() + self.budget)
        except BaseException as error:
            self.__dict__ = before
            if isinstance(error, OverflowError | ZeroDivisionError):
                raise overflow(np.float64) from error
            raise
        if not self.gap_ <= self.tol:
            warnings.warn(
                f"MaxMargin stopped at a relative duality gap of {self.gap_:.1e}, above "
                f"tol={self.tol:g}, where it could not do better within budget={self.budget:g} "
                f"seconds or the precision of floats: its margin is within {self.margin_} all the "
                "same. Scale or shift the features, or give a larger tol or budget.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None, deadline: float
    ) -> None:
        X = read(self, X, reset=True)
        labels = as_labels(y)
        check_consistent_length(X, labels)
        require_sound(X, names_in(self))
        classes, every = two_classes(labels)
        weight = checked(1.0 if sample_weight is None else sample_weight, len(every))
        require_some(weight)
        X, signs, kept = of_some_weight(X, every, weight)
        if len(kept) < len(every) and len(np.unique(signs)) < 2:
            raise DataError(
                "One class has nothing but 0 in {sample_weight}: weigh some.", sample_weight=None
            )
        fitted = self._hard if inf == self.C else self._soft
        with np.errstate(over="ignore", invalid="ignore", under="ignore", divide="ignore"):
            solution, self.margin_, self.gap_ = fitted(X, signs, weight[kept], deadline)
        if not np.isfinite(solution.v).all() or not np.isfinite(solution.alpha).all():
            raise overflow(np.float64)
        support = np.flatnonzero(solution.alpha)
        self.classes_ = classes
        self.coef_ = solution.v[:-1].reshape(1, -1).copy()
        self.intercept_ = solution.v[-1:].copy()
        self.support_ = kept[support]
        self.dual_coef_ = (signs[support] * solution.alpha[support]).reshape(1, -1)
        self.n_iter_ = solution.n_iter

    @property
    def _bias(self) -> str:
        return "free" if self.fit_intercept else "none"

    def _soft(self, X: Matrix, y: Array, weight: Array, deadline: float) -> Fitted:
        cost = float(self.C) * weight
        if not (np.isfinite(cost).all() and cost.all()):
            raise ParameterError(
                "{C=} times {sample_weight} is past the range of floats for some example.",
                C=self.C,
                sample_weight=None,
            )
        solution = solve(X, y, cost, self._bias, 0.5 * self.tol, deadline)
        primal, dual = rounding.soft_gap(X, y, solution.v, solution.alpha, cost, self._bias)
        gap = (primal - dual) / primal * (1.0 + 2.0**-50) if primal < inf else inf
        return solution, rounding.soft_margin(solution.v, primal, dual), gap

    def _hard(self, X: Matrix, y: Array, weight: Array, deadline: float) -> Fitted:
        """The widest of all strict separators; the weights of examples do not matter."""
        found = self._narrow(X, y, deadline) if X.shape[1] <= WIDE else self._wide(X, y, deadline)
        solution, bracket = found or self._certified(X, y, deadline)
        gap = max(0.0, 1.0 - (bracket.lower / bracket.upper) ** 2 * (1.0 - 2.0**-50))
        to_one = 1.0 / (bracket.lower * float(np.linalg.norm(solution.v[:-1])))
        return solution._replace(v=solution.v * to_one), bracket, gap

    def _narrow(self, X: Matrix, y: Array, deadline: float) -> tuple[Solution, Bracket] | None:
        try:
            start = find(Search(TwoClasses(X, y, 2, self.fit_intercept), deadline))
        except (Undecided, OverflowError):
            return None
        if start.witness is None or len(start.proof.rows) or start.witness.dtype == object:
            return None  # nothing separates, or nothing in floats does
        found = widest.margin(X, y, start.witness, self._bias, self.tol / 2, deadline)
        return as_solution(len(y), found), found.margin

    def _wide(self, X: Matrix, y: Array, deadline: float) -> tuple[Solution, Bracket] | None:
        half = now() + (deadline - now()) / 2  # the rest is for the certificate
        found = solve(X, y, np.full(len(y), inf), self._bias, self.tol / 2, half)
        bracket = widest.bracket(X, y, found, self._bias)
        near = bracket.gap <= self.tol / 2 * bracket.upper
        return (found, bracket) if bracket.lower > 0 and near else None

    def _certified(self, X: Matrix, y: Array, deadline: float) -> tuple[Solution, Bracket]:
        """What `separability` says, where the quick ways found nothing."""
        left, result = deadline - now(), None
        if left > 0:
            bias, tol = self.fit_intercept, self.tol / 2
            result = separability(X, y, fit_intercept=bias, tol=tol, budget=left)
        if result is None or result.verdict == "undecided":
            late = now() >= deadline
            raise OutOfTime(
                "Within {budget=} seconds no separator was found, and no proof that there is none: "
                "give a larger {budget}, or a finite {C}."
                if late
                else "No separator was found, and no proof that there is none, and more time would "
                "not help: scale the features, or give a finite {C}.",
                hint="" if late else "(sklearn.preprocessing.StandardScaler scales them.)",
                budget=self.budget,
                C=self.C,
            )
        if result.verdict != "separable":
            raise NotSeparable(
                f"No hyperplane has the classes strictly on its two sides: the data is "
                f"{result.verdict}. Give a finite {{C}} for a soft margin.",
                result,
                hint="(The certificate is in this error's `separability`.)",
                C=self.C,
            )
        proof = Multipliers(np.array(result.rows), list(result.multipliers))
        found = widest.Found(result.weights[0], result.margin, proof)
        return as_solution(len(y), found), result.margin

    def decision_function(self, X: MatrixLike) -> Array:
        r"""The score $\langle w, x\rangle + b$ of each row $x$.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive for `classes_[1]`; 1 and -1 on the margin.
        """
        check_is_fitted(self)
        X = read(self, X, reset=False)
        require_sound(X, names_in(self))
        out = np.empty(X.shape[0])
        raw_scores(self.coef_[0], as_rows(X), X.shape[0], out)
        with np.errstate(over="ignore"):
            out += self.intercept_[0]
        if not np.isfinite(out).all():
            raise overflow(np.float64)
        return out

    def predict(self, X: MatrixLike) -> Array:
        """Predict the class of each row. A score of exactly 0 predicts `classes_[1]`.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        positive = self.decision_function(X) >= 0
        labels: Array = self.classes_[positive.view(np.int8)]
        return labels

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")  # a fit that failed has counted the features

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags
