r"""The perceptron (Rosenblatt 1958), in all the conventions of the lecture notes.

With the bias as one more weight whose input is always 1, on example $i$ with score
$s = \langle w, x_i\rangle + b$, if $y_i s \le 0$:

$$w \leftarrow w + \eta\,c_i\,y_i x_i, \qquad b \leftarrow b + \eta\,c_i\,y_i,
  \qquad \alpha_i \leftarrow \alpha_i + 1.$$

If some unit $u$ has $y_i\langle u, x_i\rangle \ge \gamma$ and $\|x_i\| \le R$ for all $i$,
at most $(R/\gamma)^2$ updates happen, in any order (Novikoff 1962).

The loop below makes the mistakes of every additive perceptron; averaging and voting only
read them.
"""

from math import hypot
from typing import Any, NamedTuple, Self

import numpy as np
from numba import njit

from novikoff.errors import ParameterError
from novikoff.examples import Examples, announce, n_visits, step, visit
from novikoff.inputs import as_rows, weight_dtype
from novikoff.learners import parameters
from novikoff.learners.base import Array, MistakeDriven
from novikoff.learners.run import Run
from novikoff.rows import Unit, add, dot, dot_and_sqnorm, norm

TIES = {"mistake": 0, "negative": -1, "positive": +1}

TINY, NEAR = 1e-30, 0.99
"""Above `TINY`, `sqnorm` is within a hundredth of the truth: what it puts below `NEAR` times
the largest square so far need not be measured precisely."""


class Rule(NamedTuple):
    """The conventions of a run, as its loop needs them."""

    eta: float
    bias: float
    """The bias input: 1, or 0 for a hyperplane through the origin."""
    tie: int
    """The class a score of 0 is taken for, -1 or +1; 0 for neither."""
    slack: float
    r"""$\Delta$, what example $i$ is worth in a private coordinate of its own."""


@njit(cache=True)
def epoch(w, alpha, mistakes, D, rule, measure):
    r"""Visit every example once and update on each mistake.

    `mistakes` receives the times of the mistakes. `measure` is True or None: in the first
    epoch the rows are checked and their lengths taken on the way. Returns how many
    mistakes there were, the largest length $\|x_i\|$ met, and the time at which the run
    had to stop, -1 if it did not: at a row that is not finite, or weights past the range
    of their type.
    """
    k, R, near = 0, 0.0, 0.0
    for t in range(n_visits(D)):
        i = visit(D, t)
        announce(D, t)
        if measure is None:
            s = dot(w, D.rows, i)
        else:
            s, q = dot_and_sqnorm(w, D.rows, i)
            if not TINY < q < near:
                length = norm(D.rows, i)
                if not length < np.inf:
                    return k, R, t
                R = max(R, length)
                near = NEAR * R * R
        s += w[-1]
        m = D.y[i] * s
        if rule.slack > 0.0:
            m += rule.slack * rule.slack * alpha[i] * abs(step(D, i, rule.eta))
        if not abs(s) < np.inf:
            return k, R, t
        if m < 0.0 or (m == 0.0 and D.y[i] != rule.tie):
            a = step(D, i, rule.eta)
            add(w, a, D.rows, i)
            w[-1] += a * rule.bias
            alpha[i] += 1
            mistakes[k] = t
            k += 1
    return k, R, -1


class Additive(MistakeDriven):
    """The perceptrons: learners that add examples to their weights (abstract)."""

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        normalize: bool = False,
        tie: str = "mistake",
        eta0: float = 1.0,
        slack: float = 0.0,
        max_iter: int = 10,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        class_weight: Any = None,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.tie = tie
        self.eta0 = eta0
        self.slack = slack
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.class_weight = class_weight

    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Pass over the data until an epoch makes no mistake, or `max_iter` times.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Dense or any scipy sparse format, a pandas or polars frame. Floats of single
            and double precision, booleans and 8- and 16-bit integers are read as they
            are; all else is converted to doubles first.
        y : array of shape (n_samples,)
            Labels, any two of them. The larger is the positive class.
        coef_init : array of shape (n_features,) or (1, n_features), optional
            The weights to start from, instead of 0.
        intercept_init : float or array of shape (1,), optional
            The bias to start from, instead of 0.
        sample_weight : array of shape (n_samples,), optional
            What the update on each example is multiplied by. Weight 0 leaves it out.

        Returns
        -------
        self
        """
        return self._fit(X, y, coef_init, intercept_init, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from one more block of a stream: a single pass over it.

        A chain of calls gives bit for bit what one epoch of `fit` over all blocks gives
        (with ``shuffle=False``). A call that raises leaves the model as it was.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        classes : array of two labels, optional
            The labels the stream will bring; needed in the first call, unless its block
            already has both.
        sample_weight : array of shape (n_samples,), optional

        Returns
        -------
        self
        """
        return self._partial_fit(X, y, classes, sample_weight)

    @property
    def radius_(self) -> float:
        r"""The largest length of an example, in the space the run took place in.

        That space has a coordinate of 1 for the bias and one of `slack` for the example's
        own feature: $R = \sqrt{\max_i \|x_i\|^2 + 1 + \Delta^2}$.
        """
        run = self._fitted()
        length = self._length(run.length, run.space)
        return hypot(length, float(run.space["fit_intercept"]), run.space["slack"])

    def _check_parameters(self) -> None:
        parameters.choice("tie", self.tie, tuple(TIES))
        parameters.number("eta0", self.eta0, above=0.0)
        parameters.number("slack", self.slack, least=0.0)
        parameters.flag("fit_intercept", self.fit_intercept)
        parameters.flag("normalize", self.normalize)
        if self.slack and not 1e-150 < self.slack < 1e150:
            raise ParameterError(f"slack={self.slack!r} was given, but its square must be a float.")

    def _space(self) -> dict[str, Any]:
        return {
            "fit_intercept": self.fit_intercept,
            "normalize": self.normalize,
            "slack": self.slack,
        }

    def _begin(self, X: Any, coef: Any, intercept: Any) -> Run:
        d, dtype = X.shape[1], weight_dtype(X)
        if coef is None and intercept is None:
            return Run(np.zeros(d + 1, dtype), self._space())
        start = np.zeros(d + 1, dtype)
        start[:-1] = starting_weights("coef_init", coef, d, dtype)
        start[-1:] = starting_weights("intercept_init", intercept, 1, dtype)
        if start[-1] != 0 and not self.fit_intercept:
            raise ParameterError(
                "intercept_init was given, but fit_intercept=False: the hyperplane goes through "
                "the origin. Leave one of them out."
            )
        return Run(start.copy(), self._space(), start=start, reach=float(abs(start).max()))

    def _epoch(
        self, run: Run, updates: Array, mistakes: Array, D: Examples, measure: bool
    ) -> tuple[int, float, int]:
        smallest = self.eta0 * (1.0 if D.weight is None else _least_positive(D.weight))
        if not run.w.dtype.type(smallest) > 0:
            raise ParameterError(
                f"A step of eta0 times the weights is {smallest:.1g}, which is nothing in "
                f"{run.w.dtype}: give larger ones."
            )
        rule = Rule(float(self.eta0), float(self.fit_intercept), TIES[self.tie], float(self.slack))
        result: tuple[int, float, int] = epoch(
            run.w, updates, mistakes, D, rule, True if measure else None
        )
        return result

    def _rows(self, X: Any, space: dict[str, Any]) -> Any:
        return Unit(as_rows(X)) if space["normalize"] else as_rows(X)

    def _stride(self, D: Examples, length: float) -> float:
        heaviest = 1.0 if D.weight is None else float(D.weight.max())
        return float(self.eta0) * heaviest * max(1.0, self._length(length, self._space()))

    def _length(self, length: float, space: dict[str, Any]) -> float:
        """The length that the loop sees of a row this long."""
        return float(length > 0) if space["normalize"] else length

    def _on_line(self) -> int:
        return +1 if self.tie == "positive" else -1


SEPARATE = (
    "If a hyperplane separates the data, more epochs will find one: raise max_iter, and scale "
    "the features. If none does, no number of epochs helps; slack > 0 lets every run end."
)


def _least_positive(weight: Array) -> float:
    return float(np.min(weight, where=weight > 0, initial=np.inf))


def starting_weights(name: str, given: Any, n: int, dtype: Any) -> Array:
    """The numbers of `coef_init` or `intercept_init`, flat; zeros if not given."""
    if given is None:
        return np.zeros(n, dtype)
    start = np.asarray(given, np.float64)
    if start.size != n:
        raise ParameterError(
            f"{name} has shape {start.shape}, but it must hold {n} number{'s' * (n != 1)}."
        )
    if not (abs(start) <= np.finfo(dtype).max).all():
        raise ParameterError(f"{name} must hold finite numbers in the range of {np.dtype(dtype)}.")
    return start.ravel()


class Perceptron(Additive):
    r"""The perceptron: add the examples it errs on until it errs on none.

    On example $i$ with $y_i(\langle w, x_i\rangle + b) \le 0$:

    $$w \leftarrow w + \eta\,c_i\,y_i x_i, \qquad b \leftarrow b + \eta\,c_i\,y_i.$$

    If a unit vector $u$ of the run's space separates the examples with margin $\gamma$, at
    most $(R/\gamma)^2$ updates happen (`novikoff.novikoff_bound`), however the examples
    are ordered; the run stops at the first epoch without one, and at nothing else before
    `max_iter`.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Learn a bias $b$; without it the hyperplane goes through the origin.
    normalize : bool, default=False
        Scale every example to unit length, in fitting and predicting alike. The bias
        input stays 1, a zero row stays zero.
    tie : {"mistake", "negative", "positive"}, default="mistake"
        What a score of exactly 0 is: a mistake whatever the label, or a prediction of the
        first or of the second class. With "mistake", `predict` gives the first class.
    eta0 : float, default=1.0
        The step $\eta$. From a start at 0 it changes the length of $w$ and nothing else.
    slack : float, default=0.0
        The $\Delta$ of Freund & Schapire's construction: every example gets a feature of
        its own, of value $\Delta$. With any $\Delta > 0$ the run ends on all data, given
        the epochs. Predictions use the shared weights only.
    max_iter : int, default=100
        The most epochs to make.
    shuffle : bool, default=True
        Visit the examples in a new random order every epoch.
    random_state : int, RandomState or None, default=None
        What the orders are drawn from.
    warm_start : bool, default=False
        Let `fit` go on from the last run instead of starting at 0.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the updates on a class. In a stream, "balanced" goes by what has come so far.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,), if `X` had names
    n_iter_ : int
        Epochs made.
    mistakes_ : ndarray of shape (n_iter_,)
        Mistakes in each epoch.
    n_mistakes_ : int
        Mistakes, and so updates, in all.
    converged_ : bool
        Was the last epoch free of mistakes?
    dual_coef_ : ndarray of shape (n_samples,)
        Updates on each example of the last `fit`.
    radius_ : float
        The largest length of an example in the run's space, bias coordinate included.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]
    >>> and_gate = Perceptron(shuffle=False).fit(X, y)
    >>> and_gate.predict([[1, 1], [1, 0]])
    array(['yes', 'no'], dtype='<U3')
    >>> and_gate.n_mistakes_, and_gate.n_iter_, and_gate.converged_
    (18, 9, True)

    References
    ----------
    Rosenblatt, F. (1958). The perceptron: a probabilistic model for information storage and
    organization in the brain. Psychological Review 65(6).
    Novikoff, A. B. J. (1962). On convergence proofs on perceptrons. Symposium on the
    Mathematical Theory of Automata, 12.
    Freund, Y. & Schapire, R. E. (1999). Large margin classification using the perceptron
    algorithm. Machine Learning 37(3), section 3 (slack, and the bound without separability).
    """

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        normalize: bool = False,
        tie: str = "mistake",
        eta0: float = 1.0,
        slack: float = 0.0,
        max_iter: int = 100,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        class_weight: Any = None,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.tie = tie
        self.eta0 = eta0
        self.slack = slack
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.class_weight = class_weight

    def _advice(self) -> str:
        return f"{SEPARATE} AveragedPerceptron does well without an end."
