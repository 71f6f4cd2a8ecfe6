"""What the perceptrons share: their options, their start, and what a run of theirs proves."""

from math import hypot, sqrt
from typing import Any, Self

import numpy as np
from numba import njit

from novikoff.errors import ParameterError
from novikoff.examples import Examples, step, visit
from novikoff.inputs import as_rows, weight_dtype
from novikoff.learners import parameters
from novikoff.learners.base import Array, MistakeDriven
from novikoff.learners.loop import TIES, Rule, epoch
from novikoff.learners.run import Run
from novikoff.learners.updates import Retraced, square_under
from novikoff.margins.bounds import novikoff_bound
from novikoff.margins.bracket import Bracket
from novikoff.rows import Unit, add, dot


@njit(cache=True)
def retrace(w, alpha, times, D, rule, out):
    """Make the updates of a pass once more, and write down each one's step, score and square.

    The score is the loop's, private part included; the square that of the weights after it,
    private ones included.
    """
    q = out.squares[0]
    for k in range(len(times)):
        i = visit(D, times[k])
        a = step(D, i, rule.eta)
        s = dot(w, D.rows, i) + w[-1]
        out.steps[k] = a
        out.scores[k] = s + rule.slack * rule.slack * alpha[i] * a
        q -= square_under(w, D.rows, i)
        add(w, a, D.rows, i)
        w[-1] += a * rule.bias
        q += square_under(w, D.rows, i) + (rule.slack * a) ** 2 * (2 * alpha[i] + 1)
        alpha[i] += 1
        out.squares[k] = q


@njit(cache=True)
def redo(w, rows, made, bias):
    """Add these examples to `w`, each times its step."""
    examples, steps = made
    for k in range(len(steps)):
        add(w, steps[k], rows, examples[k])
        w[-1] += steps[k] * bias


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
        record: bool = False,
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
        self.record = record

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

    @property
    @np.errstate(over="ignore")  # the length of huge weights may be infinite, which proves nothing
    def margin_(self) -> Bracket:
        r"""What the run proves about the margin of its examples, in the space of the run.

        The lower end is the margin of the separator it ended with, 0 if it did not end.
        The upper end is Novikoff's proof read backwards: with $\alpha_i$ updates on example
        $i$ and $M$ in all, no margin is larger than $\|\sum_i \alpha_i y_i x_i\| / M$. Both
        allow for the rounding of the run. No pass over the data is made for them;
        `separability` makes as many as it takes to bring the ends together.
        """
        run, R = self._fitted(), self.radius_
        u = float(np.finfo(run.w.dtype).eps)
        w = run.w.astype(np.float64)
        moved = w if run.start is None else w - run.start
        private = run.private * float(run.space["slack"]) ** 2
        upper = R
        if run.total > 0:
            strayed = 2 * u * sum(run.mistakes) * (run.reach + R)
            upper = min(
                R, (hypot(float(np.linalg.norm(moved)), sqrt(private)) + strayed) / run.total
            )
        lower, length = 0.0, hypot(float(np.linalg.norm(w)), sqrt(private))
        if self.converged_ and run.one_data_set and not run.streaming and length > 0:
            lower = max(0.0, run.least / length - 2 * u * (len(w) + 8) * R) * (1 - 8 * u)
        return Bracket(lower, upper * (1 + 8 * u))

    @property
    def mistake_bound_(self) -> float:
        """The most mistakes that any order of these examples can force, from a start at 0.

        What the lower end of `margin_` implies by Novikoff's theorem; infinite if it is 0.
        """
        return novikoff_bound(self.radius_, self.margin_.lower)

    def _account(self, run: Run, D: Examples, times: Array) -> None:
        if D.weight is None:
            total, largest = len(times) * self.eta0, self.eta0
        else:
            steps = self.eta0 * D.weight[times if D.order is None else D.order[times]]
            total, largest = float(steps.sum()), float(steps.max())
        run.total += total
        run.largest = max(run.largest, largest)
        if run.streaming or run.updates is None:
            run.private += total * largest
        elif run.space["slack"]:
            run.private = run.largest**2 * float((run.updates.astype(np.float64) ** 2).sum())

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
        k, R, run.least, stopped = epoch(
            run.w, updates, mistakes, D, self._rule(), True if measure else None
        )
        return k, R, stopped

    def _rule(self) -> Rule:
        bias, slack = float(self.fit_intercept), float(self.slack)
        return Rule(float(self.eta0), bias, TIES[self.tie], slack)

    def _retrace(self, w: Array, alpha: Array, times: Array, D: Examples, out: Retraced) -> None:
        retrace(w, alpha, times, D, self._rule(), out)

    def _redo(self, w: Array, rows: Any, made: tuple[Array, Array], space: dict[str, Any]) -> None:
        redo(w, rows, made, float(space["fit_intercept"]))

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
    "the features. If none does, no number of epochs helps; slack > 0 lets every run end. "
    "separability(X, y) says which it is, and proves it."
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
