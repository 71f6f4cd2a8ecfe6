"""What the perceptrons share: their options, their start, and what a run of theirs proves."""

from dataclasses import replace
from math import hypot, inf, sqrt
from typing import Any, Self

import numpy as np

from novikoff.cores import n_threads
from novikoff.errors import ParameterError
from novikoff.examples import Examples
from novikoff.inputs import as_rows, weight_dtype
from novikoff.learners import joint, loop, many, one_vs_rest, parameters
from novikoff.learners.ahead import in_turn
from novikoff.learners.base import Array, MistakeDriven
from novikoff.learners.joint import Classes, Made
from novikoff.learners.loop import TIES, Rule
from novikoff.learners.moves import Moves
from novikoff.learners.run import Run
from novikoff.learners.weights import felt, least_positive
from novikoff.margins.bounds import novikoff_bound
from novikoff.margins.bracket import Bracket
from novikoff.products import suited
from novikoff.rows import Unit


class Additive(MistakeDriven):
    """The perceptrons: learners that add examples to their weights (abstract)."""

    _takes_many_classes = True

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
        multi_class: str = "joint",
        n_jobs: int | None = None,
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
        self.multi_class = multi_class
        self.n_jobs = n_jobs

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
            Labels of two classes or more. Of two, the larger is the positive class.
        coef_init : array of shape (n_features,) or (1, n_features), optional
            The weights to start from, instead of 0; of shape (n_classes, n_features) for more
            than two classes.
        intercept_init : float or array of shape (1,), optional
            The bias to start from, instead of 0; one each for more than two classes.
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
        classes : array of labels, optional
            All labels there are: they take part from the start, and another is an error. Without
            it those of the first block do, and any label that comes later is a class that
            takes part from its first example on, with weights of 0.
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
        own feature: $R = \sqrt{\max_i \|x_i\|^2 + 1 + \Delta^2}$. Many classes that are learned
        jointly are in Kesler's space, where an example is $\sqrt2$ times as long.
        """
        run = self._fitted()
        length = self._length(run.length, run.space)
        radius = hypot(length, float(run.space["fit_intercept"]), run.space["slack"])
        return sqrt(2) * radius if run.w.ndim > 1 and not self._machines() else radius

    @property
    @np.errstate(over="ignore")  # the length of huge weights may be infinite, which proves nothing
    def margin_(self) -> Bracket:
        r"""What the run proves about the margin of its examples, in the space of the run.

        The lower end is the margin of the separator it ended with, 0 if it did not end.
        The upper end is Novikoff's proof read backwards: with $\alpha_i$ updates on example
        $i$ and $M$ in all, no margin is larger than $\|\sum_i \alpha_i y_i x_i\| / M$. Both
        allow for the rounding of the run. No pass over the data is made for them;
        `separability` makes as many as it takes to bring the ends together.

        The margin of many classes that are learned jointly is that of Kesler's construction:
        the largest $\gamma$ with $\langle u_y - u_r, x_i\rangle \ge \gamma$ for all examples and
        all other classes $r$, where $\sum_c\|u_c\|^2 = 1$. If each class has a machine
        of its own, it is the least margin of all the machines.
        """
        run = self._fitted()
        if self._machines() and run.w.ndim > 1:
            ends = [self._bracket(_machine(run, c)) for c in range(len(run.w))]
            return Bracket(min(e.lower for e in ends), min(e.upper for e in ends))
        return self._bracket(run)

    def _bracket(self, run: Run) -> Bracket:
        """What this run, or that of one machine, proves about its margin."""
        R, u = self.radius_, float(np.finfo(run.w.dtype).eps)
        w = run.w.astype(np.float64)
        moved = w if run.start is None else w - run.start
        private = run.private * float(run.space["slack"]) ** 2
        upper = R
        if run.total > 0:
            strayed = sum(run.mistakes) * (2 * u * (self._reach(run) + R) + self._unfelt(run, R))
            upper = min(R, (hypot(length_of(moved), sqrt(private)) + strayed) / run.total)
        lower, length = 0.0, hypot(length_of(w), sqrt(private))
        if self.converged_ and run.one_data_set and not run.streaming and length > TINY:
            least = run.least - self._unfelt(run, 8.0)
            lower = max(0.0, least / length - 2 * u * (w.shape[-1] + 8) * R) * (1 - 8 * u)
        return Bracket(lower, upper * (1 + 8 * u))

    def _unfelt(self, run: Run, R: float) -> float:
        """How much of an update, or of a score, is lost below the range of the weights' type.

        Each product is rounded to a multiple of the least number of that type.
        """
        least = float(np.finfo(run.w.dtype).smallest_subnormal)
        return 2 * least * (int(run.w.shape[-1]) + R)

    def _most(self, run: Run, margin: float) -> float:
        r"""How many mistakes such a margin allows.

        Of each step $\eta$ a length of $\varepsilon$ may be lost, and of each score as much:
        with $\varepsilon' = \varepsilon/\eta$,
        $k(\gamma - \varepsilon') \le \sqrt{k}\,\sqrt{(R + \varepsilon')^2 + 2\varepsilon'}$.
        """
        R, rho = self.radius_, felt(run.step_ratio, run.w.dtype)
        if rho == inf:
            return inf
        lost = self._unfelt(run, R + 8) / ((run.largest or self.eta0) / rho)
        return novikoff_bound(
            hypot(R + lost, sqrt(2 * lost)), max(0.0, margin - lost), step_ratio=rho
        )

    @property
    def mistake_bound_(self) -> float:
        """The most mistakes that any order of these examples can force, from a start at 0.

        What the lower end of `margin_` implies by Novikoff's theorem; infinite if it is 0. If
        each of many classes has a machine of its own, the bounds of all machines added up. Where
        examples have weights it is as many times more as the largest is that of the least.
        """
        run = self._fitted()
        if self._machines() and run.w.ndim > 1:
            ends = [self._bracket(_machine(run, c)) for c in range(len(run.w))]
            return sum(self._most(run, end.lower) for end in ends)
        return self._most(run, self.margin_.lower)

    def _account(self, run: Run, D: Examples, made: Made) -> None:
        """Add the steps up one by one, so that the cut of a stream into blocks does not matter."""
        single, machines = len(D.weight) == 1, run.w.ndim > 1 and self._machines()
        weights = D.weight[np.zeros_like(made.times) if single else D.visits()[made.times]]
        steps = self.eta0 * weights
        which = np.maximum(made.gained, made.lost) if machines else np.zeros_like(made.times)
        run.total = _added(run.total, which, steps)
        run.largest = max(run.largest, float(steps.max()))
        joint = run.w.ndim > 1 and not machines
        if run.streaming or run.updates is None:
            run.private = _added(run.private, which, (1 + joint) * steps**2)
        elif run.space["slack"]:
            shares = run.updates if run.shares is None else run.shares
            squares = (shares.astype(np.float64) ** 2).sum(axis=None if joint else 0)
            run.private = run.largest**2 * squares

    def _check_parameters(self) -> None:
        parameters.choice("tie", self.tie, tuple(TIES))
        parameters.number("eta0", self.eta0, above=0.0)
        parameters.number("slack", self.slack, least=0.0)
        parameters.flag("fit_intercept", self.fit_intercept)
        parameters.flag("normalize", self.normalize)
        parameters.choice("multi_class", self.multi_class, ("joint", "ovr"))
        if self.slack and not 1e-150 < self.slack < 1e150:
            raise ParameterError(f"slack={self.slack!r} was given, but its square must be a float.")

    def _space(self) -> dict[str, Any]:
        return {
            "fit_intercept": self.fit_intercept,
            "normalize": self.normalize,
            "slack": self.slack,
            "multi_class": self.multi_class,
        }

    def _machines(self) -> bool:
        return self.multi_class == "ovr"

    def _begin(self, X: Any, n_classes: int, coef: Any, intercept: Any) -> Run:
        start = first_weights(X, n_classes, coef, intercept, self.fit_intercept)
        run = Run(start.copy(), self._space(), brought=np.zeros(n_classes))
        if start.ndim > 1 and self._machines():
            run.total, run.least, run.private = (np.zeros(n_classes) for _ in range(3))
        if coef is None and intercept is None:
            return run
        run.start, run.reach = start, float(abs(start).max())
        return run

    def _epoch(
        self, run: Run, updates: Array, room: Made, D: Examples, since: Array, measure: bool
    ) -> tuple[int, float, int]:
        smallest = self.eta0 * least_positive(D.weight)
        if not run.w.dtype.type(smallest) > 0:
            raise ParameterError(
                f"A step of eta0 times the weights is {smallest:.1g}, which is nothing in "
                f"{run.w.dtype}: give larger ones."
            )
        many_classes = run.w.ndim > 1
        classes = self._classes(run, len(D.y), since) if many_classes else None
        run.w = suited(run.w, D.rows) if many_classes else run.w
        told = run.w, updates, room, D, self._rule()
        work: Any = joint.Pass(*told, classes, measure) if classes else loop.Pass(*told, measure)
        least: Any
        if classes is not None and self._machines():
            k, R, _, stopped = one_vs_rest.shared_out(n_threads(self.n_jobs), *work)
            least = classes.least
        else:
            k, R, least, stopped = in_turn(work) if run.team is None else run.team.epoch(work)
        run.least = np.minimum(run.least, least)
        return k, R, stopped

    def _classes(self, run: Run, n: int, since: Array) -> Classes:
        """The classes of a pass over `n` examples."""
        K = len(since)
        shares = run.shares
        if shares is None or len(shares) != n or run.streaming:
            shares = np.zeros((n, K) if self.slack else (0, 0), np.int32)
            run.shares = shares if self.slack and not run.streaming else None
        if self._machines():  # there is a rest only once there is a second class
            since = np.maximum(since, np.sort(since)[1])
        return Classes(since, np.empty(K, run.w.dtype), np.empty(K), shares)

    def _widen(self, run: Run, places: Array, n_classes: int) -> None:
        if self._machines():
            for name in ("total", "private"):
                old, new = getattr(run, name), np.zeros(n_classes)
                new[places] = old
                setattr(run, name, new)
            run.least = np.full(n_classes, np.inf)
        if run.start is not None:
            run.start = many.spread(run.start, places, n_classes)
        self._spread(run, places, n_classes)

    def _spread(self, run: Run, places: Array, n_classes: int) -> None:
        run.w = many.spread(run.w, places, n_classes)

    def _rule(self) -> Rule:
        bias, slack = float(self.fit_intercept), float(self.slack)
        return Rule(float(self.eta0), bias, TIES[self.tie], slack)

    def _recorder(self, run: Run) -> Moves:
        return Moves(self._rule(), apart=self._machines())

    def _rows(self, X: Any, space: dict[str, Any]) -> Any:
        return Unit(as_rows(X)) if space["normalize"] else as_rows(X)

    def _reach(self, run: Run) -> float:
        length = max(1.0, self._length(run.length, run.space))
        return run.reach + float(np.max(run.total)) * length

    def _length(self, length: float, space: dict[str, Any]) -> float:
        """The length that the loop sees of a row this long."""
        return float(length > 0) if space["normalize"] else length

    def _on_line(self) -> int:
        return +1 if self.tie == "positive" else -1


TINY = 1e-140
"""Of shorter weights the squares may have lost digits."""
SEPARATE = (
    "If a hyperplane separates the data, more epochs will find one: raise max_iter, and scale "
    "the features. If none does, no number of epochs helps; slack > 0 lets every run end. "
    "separability(X, y) says which it is, and proves it."
)


def _added(sums: Any, which: Array, numbers: Array) -> Any:
    """The sums, or the one sum, with these numbers added one after the other."""
    after = np.array(sums, np.float64, ndmin=1)
    np.add.at(after, which, numbers)
    return after if np.ndim(sums) else float(after[0])


def length_of(w: Array) -> float:
    """The length of weights, whose squares may be past the range of doubles, or below it."""
    _, exponent = np.frexp(abs(w).max(initial=0.0))
    return float(np.ldexp(np.linalg.norm(np.ldexp(w, -exponent)), exponent))


def _machine(run: Run, c: int) -> Run:
    """The run of the machine of class `c`."""
    start = None if run.start is None else run.start[c]
    total, least, private = (float(v[c]) for v in (run.total, run.least, run.private))
    return replace(run, w=run.w[c], start=start, total=total, least=least, private=private)


def first_weights(X: Any, n_classes: int, coef: Any, intercept: Any, bias: bool) -> Array:
    """The weights to start from, the bias last; of more than two classes, a row each."""
    d, dtype = X.shape[1], weight_dtype(X)
    n = n_classes if n_classes > 2 else 1
    w = np.zeros((n, d + 1), dtype)
    w[:, :-1] = starting_weights("coef_init", coef, n * d, dtype).reshape(n, d)
    w[:, -1] = starting_weights("intercept_init", intercept, n, dtype)
    if w[:, -1].any() and not bias:
        raise ParameterError(
            "intercept_init was given, but fit_intercept=False: the hyperplane goes through "
            "the origin. Leave one of them out."
        )
    return w if n > 1 else w[0]


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
