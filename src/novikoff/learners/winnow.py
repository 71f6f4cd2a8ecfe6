r"""Winnow (Littlestone 1988; lecture note 001): disjunctions of a few among many features.

Features are 0 or 1. All weights start at 1. The prediction is positive if and only if
$\langle w, x\rangle \ge \theta$; by default the threshold $\theta$ is $n$, the number of features.
On a mistake, for every feature $j$ with $x_j = 1$:

$$w_j \leftarrow 2 w_j \text{ (on a positive example)}, \qquad
  w_j \leftarrow w_j / 2 \text{ (on a negative example)}.$$

If the labels are a disjunction of $r$ of the $n$ features, Winnow makes at most
$2 + 3r(1 + \lg n)$ mistakes, with the logarithm to base 2 (`novikoff.winnow_bound`).
"""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from novikoff.core import rules
from novikoff.core.jit import njit
from novikoff.core.rows import Above, is_binary, scale
from novikoff.core.rules import is_right, of
from novikoff.errors import ParameterError
from novikoff.inputs.arrays import as_rows, names_in, require_binary, require_sound, weight_dtype
from novikoff.learners.base import MistakeDriven
from novikoff.learners.epoch import Work
from novikoff.learners.replay import Recorder, Redone
from novikoff.learners.state import Space, State
from novikoff.parameters import again, number
from novikoff.typing import Array, Given, Matrix, MatrixLike


class Doubling(NamedTuple):
    """The rule of Winnow."""

    factor: float
    least: float
    """No weight falls below this: from 0 there would be no way back."""


@of(rules.content, Doubling)
def content(rule, m, y, D, i):
    """Is the answer right? On the threshold itself it is positive."""
    return is_right(m, y, +1)


@of(rules.learn, Doubling)
def learn(rule, w, extra, y, m, D, i):
    r"""$w_j \leftarrow f\,w_j$ or $w_j / f$ where $x_j = 1$"""
    f = rule.factor if y > 0 else 1.0 / rule.factor
    scale(w, f, rule.least, D.rows, i)
    return f


@of(rules.is_sound, Doubling)
def is_sound(rule, X, i):
    """Are all features 0 or 1?"""
    return is_binary(X, i)


@njit(cache=True)
def redo(w, rows, examples, steps, least):
    """Multiply `w` by each step where its example is 1."""
    for k in range(len(steps)):
        scale(w, steps[k], least, rows, examples[k])


class Factors(Recorder):
    """The updates of Winnow."""

    signed = False

    def redo(self, run: State, rows: Any, made: Redone) -> None:
        """Make these updates on a run."""
        redo(run.weights[0], rows, made.examples, made.steps, _least(run.weights))


class Winnow(MistakeDriven):
    r"""Winnow: on a mistake, multiply or divide the weights of the features that are present.

    Features are 0 or 1, all weights start at 1, and the model predicts `classes_[1]` if and only if
    $\langle w, x\rangle \ge \theta$. On a mistake, the weight $w_j$ of every feature with $x_j = 1$
    changes by the factor $f$:

    $$w_j \leftarrow f\,w_j \text{ (on a positive example)}, \qquad
      w_j \leftarrow w_j / f \text{ (on a negative example)}.$$

    If the labels are a disjunction of $r$ of $n$ features, Winnow with $f = 2$ and $\theta = n$
    makes at most $2 + 3r(1 + \lg n)$ mistakes ($\lg$ is to base 2). Irrelevant features only add a
    logarithm to this bound, while the mistakes of a perceptron can grow with $n$.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        The weights, all positive: from the smallest normal number of their type to $\theta$ times
        the factor.
    intercept_ : ndarray of shape (1,)
        $-\theta$.
    classes_, n_features_in_, feature_names_in_
        As for `Perceptron`.
    n_iter_, mistakes_, n_mistakes_, converged_, dual_coef_, trace_
        As for `Perceptron`.
    radius_ : float
        The length of the longest example.

    Examples
    --------
    >>> from novikoff import Winnow, winnow_bound
    >>> X = [[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [0, 0, 0, 1]]
    >>> y = [True, True, False, False]  # x1 or x2
    >>> model = Winnow(shuffle=False).fit(X, y)
    >>> model.coef_
    array([[4., 2., 2., 1.]])
    >>> model.n_mistakes_, winnow_bound(r=2, n=4)
    (3, 20.0)

    References
    ----------
    Littlestone, N. (1988). Learning quickly when irrelevant attributes abound: a new
    linear-threshold algorithm. Machine Learning 2(4).
    """

    _takes_many_classes = False
    _other_proof = "multiplies its weights, and its bound has another proof (novikoff.winnow_bound)"

    threshold: float | None = number(
        default=None,
        above=0.0,
        words=(None,),
        short="least score of a positive prediction (default: number of features)",
        text=r"The threshold $\theta$. None: the number of features.",
        space=True,
    )
    factor: float = number(
        default=2.0,
        above=1.0,
        short="factor by which an update multiplies weights",
        text="The factor $f$ by which an update multiplies or divides weights.",
    )
    binarize: float | None = number(
        default=None,
        words=(None,),
        short="count values above this as 1, others as 0 (default: features must be 0 or 1)",
        text="""Values above this level count as 1, others as 0. With None, all values must be 0
        or 1.""",
        space=True,
    )
    max_iter = again(MistakeDriven._parameters["max_iter"], default=100)
    class_weight = None

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:  # type: ignore[override]
        """Fit the model: repeat epochs until one makes no mistake, at most `max_iter` of them.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Values 0 and 1, unless `binarize` is set.
        y : array of shape (n_samples,)
            Labels of two classes. The larger label is the positive one.

        Returns
        -------
        self
        """
        return self._fit(X, y)

    def partial_fit(self, X: MatrixLike, y: ArrayLike, classes: Given = None) -> Self:  # type: ignore[override]
        """Learn from the next block of a stream, in a single pass over it.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        classes : array of two labels, optional
            The two labels of the stream. Required in the first call, unless its block has both.

        Returns
        -------
        self
        """
        return super().partial_fit(X, y, classes)

    def decision_function(self, X: MatrixLike) -> Array:
        r"""The score $\langle w, x\rangle - \theta$ of each row $x$; positive for `classes_[1]`.

        A score of exactly 0 counts as positive: it is returned as the smallest positive number.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return super().decision_function(X)

    def _scores(self, X: Matrix) -> Array:
        if self._state.space["binarize"] is None:
            require_sound(X, names_in(self))
            require_binary(X, names_in(self))
        s = super()._scores(X)
        s[s == 0] = np.finfo(s.dtype).smallest_subnormal
        return s

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on data that no disjunction describes
        return tags

    def _begin(self, X: Matrix, n_classes: int, coef: Given, intercept: Given) -> State:
        d, dtype = X.shape[1], weight_dtype(X)
        w = np.ones((1, d + 1), dtype)
        w[0, -1] = -(d if self.threshold is None else self.threshold)
        return self._new(w, n_classes)

    def _rule(self, run: State) -> Doubling:
        return Doubling(float(self.factor), _least(run.weights))

    def _epoch(self, run: State, work: Work) -> tuple[int, float, int]:
        dtype, top = run.weights.dtype, float(np.finfo(run.weights.dtype).max)
        threshold, factor = -float(run.weights[0, -1]), float(self.factor)
        if not 0 < threshold < top / (run.weights.shape[1] * factor) or not dtype.type(factor) > 1:
            raise ParameterError(
                "With {threshold=} and {factor=} the weights of "
                f"{run.weights.shape[1] - 1} features could leave the range of {dtype}, or not "
                "move in it: choose others.",
                threshold=threshold,
                factor=factor,
            )
        return super()._epoch(run, work)

    def _recorder(self, run: State) -> Factors:
        return Factors()

    def _rows(self, X: Matrix, space: Space) -> Any:
        level = space["binarize"]
        if level is None:
            return as_rows(X)
        if level < 0 and sparse.issparse(X):
            raise ParameterError(
                "{binarize=} would make every absent entry of a sparse matrix a 1: give a level of "
                "at least 0, or dense data.",
                binarize=level,
            )
        level = np.float32(level) if X.dtype == np.float32 else level
        return Above(as_rows(X), float(level))

    def _require_sound(self, X: Matrix, space: Space) -> None:
        require_sound(X, names_in(self))
        if space["binarize"] is None:
            require_binary(X, names_in(self))

    def _on_line(self) -> int:
        return +1

    def _advice(self) -> str:
        return (
            "If the labels are a disjunction of features, more epochs will find it: raise "
            "max_iter. If not, a smaller factor or another threshold may come closer, or use a "
            "perceptron, which is not bound to positive weights."
        )


def _least(w: Array) -> float:
    """What no weight falls below."""
    return float(np.finfo(w.dtype).tiny)
