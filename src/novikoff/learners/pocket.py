r"""The pocket algorithm with ratchet (Gallant 1990): the best weights on the way, for any data.

The mistakes are the perceptron's. Weights that survive many examples in a row are likely to be
good, so those with the longest run of right answers are put into a pocket, from which predictions
are made; and with the ratchet, only if they make fewer errors on all the training data than those
in it.

To count errors after every update would turn an epoch into as many. Here a pass is made first, as
always, and the list of its mistakes says how long all the weights on the way survived. Then the
`checks` weights of the longest runs, and those it ends with, are made once more from the list, and
their errors counted, each count given up as soon as it is not below that of the pocket. So a pass
over $n$ examples reads no more than $(2 + \text{checks})\,n$ rows, and once a `fit`, $n$ more for
what was in the pocket before.

The ratchet needs all the data, so it begins with the second epoch of a `fit`; in the first one, and
in a stream, the longest run decides: so a chain of blocks is still one epoch. An epoch without a
mistake is a check that needs no counting.

The run has the perceptron's bounds (Freund & Schapire 1999, theorems 1 and 2), and the errors of
the pocket never grow from epoch to epoch. Gallant's theorem, that with enough examples drawn at
random the weights in the pocket are as good as any with a probability as near to 1 as wanted, is
for his algorithm, which checks after every run that is longer than that of the pocket. His proof is
for rational numbers; Muselli (1997) has one for all.
"""

from typing import Any

import numpy as np

from novikoff.examples import Examples, n_visits, step, visit, weight
from novikoff.jit import njit
from novikoff.learners import joint, many, parameters
from novikoff.learners.additive import Additive
from novikoff.learners.base import Array, MistakeDriven
from novikoff.learners.joint import Classes, Made, move
from novikoff.learners.run import Like, Run
from novikoff.products import dots, suited
from novikoff.rows import add, dot

RUN, LONGEST, KNOWN, ERRORS, CHECKED = range(5)
"""The counts of a run: the right answers since the last mistake, those of the weights in the
pocket, whether their errors are known, those errors, and how many rows were read to count some."""


@njit(cache=True)
def replay(w, times, D, rule):
    """Make the updates at these times once more."""
    for t in times:
        i = visit(D, t)
        a = step(D, i, rule.eta)
        add(w, a, D.rows, i)
        w[-1] += a * rule.bias


@njit(cache=True)
def replay_many(W, made, D, rule):
    """Make these updates of many classes once more."""
    for k in range(len(made.times)):
        i = visit(D, made.times[k])
        move(W, rule.eta * weight(D, i), made.gained[k], made.lost[k], D.rows, i, rule.bias)


@njit(cache=True)
def errors(w, D, rule, most):
    """The weight of the examples that `w` errs on, up to `most`, and how many were read."""
    wrong = 0.0
    for t in range(n_visits(D)):
        i = visit(D, t)
        m = D.y[i] * (dot(w, D.rows, i) + w[-1])
        if m < 0.0 or (m == 0.0 and D.y[i] != rule.tie):
            wrong += weight(D, i)
        if wrong >= most:
            return wrong, t + 1
    return wrong, n_visits(D)


@njit(cache=True)
def errors_of_many(W, D, rule, classes, most):
    """The weight of the examples that `W` errs on, up to `most`, and how many were read."""
    wrong = 0.0
    for t in range(n_visits(D)):
        i = visit(D, t)
        dots(W, D.rows, i, classes.scores)
        r, m, _ = joint.rival(W, D, i, t, rule, classes)
        if m < 0.0 or (m == 0.0 and not joint.wins(D.y[i], r, rule.tie)):
            wrong += weight(D, i)
        if wrong >= most:
            return wrong, t + 1
    return wrong, n_visits(D)


class Pocket(Additive):
    r"""The pocket algorithm: a perceptron that keeps the best weights it had.

    $$w \leftarrow w + \eta\,y\,x \text{ on a mistake}, \qquad
      \text{predict with the } w \text{ of the fewest training errors, of those checked}$$

    For data that no hyperplane separates, where a perceptron's last weights can be any. A pass
    reads at most $2 + \text{checks}$ times the data. Many classes are learned jointly.

    Parameters
    ----------
    checks : int, default=2
        How many of the weights of an epoch to count the errors of, those that survived
        longest first; beside the last, which are always checked.
    fit_intercept, normalize, tie, eta0, slack, shuffle, random_state, warm_start, class_weight
        As for `Perceptron`. An error counts as much as its example weighs, without slack.
    record : bool, default=False
        As for `Perceptron`: the updates of its run, whatever is in the pocket.
    max_iter : int, default=100
        The most epochs to make.
    n_jobs : int or None, default=None
        As for `Perceptron`.

    Attributes
    ----------
    coef_, intercept_
        The weights and bias in the pocket.
    classes_, n_features_in_, feature_names_in_
        As for `Perceptron`.
    n_iter_, mistakes_, n_mistakes_, converged_, dual_coef_, radius_, margin_, mistake_bound_,
    trace_
        As for `Perceptron`; they tell of the run.
    pocket_errors_ : float
        How many training errors the weights in the pocket make, or what the examples weigh: known
        after a second epoch.
    n_checked_ : int
        How many rows were read to count errors.

    Examples
    --------
    >>> import warnings
    >>> from novikoff import Pocket
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [2.0]], [0, 0, 1, 1, 0]  # one point has both labels
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # there is no end
    ...     model = Pocket(random_state=0).fit(X, y)
    >>> model.pocket_errors_, model.converged_
    (1.0, False)

    References
    ----------
    Gallant, S. I. (1990). Perceptron-based learning algorithms. IEEE Transactions on Neural
    Networks 1(2), the pocket algorithm with ratchet, and for many classes, the linear machine.
    Muselli, M. (1997). On convergence properties of pocket algorithm. IEEE Transactions on Neural
    Networks 8(3).
    Freund, Y. & Schapire, R. E. (1999). Large margin classification using the perceptron algorithm.
    Machine Learning 37(3), theorems 1 and 2, which hold for the run.
    """

    multi_class = "joint"

    def __init__(
        self,
        *,
        checks: int = 2,
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
        record: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.checks = checks
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
        self.n_jobs = n_jobs

    @property
    def pocket_errors_(self) -> float:
        """How many errors the weights in the pocket make on the data of `fit`, by weight."""
        counts = _kept(self._fitted())[1]
        if not counts[KNOWN]:
            raise AttributeError(
                "pocket_errors_ is known after a second epoch of fit: a stream keeps no examples."
            )
        return float(counts[ERRORS])

    @property
    def n_checked_(self) -> int:
        """How many rows were read to count errors, beside those of the passes."""
        return int(_kept(self._fitted())[1][CHECKED])

    # ------------------------------------------------------ the pocket

    def _epoch(
        self, run: Run, updates: Array, room: Made, D: Examples, since: Array, measure: bool
    ) -> tuple[int, float, int]:
        before = run.w.copy(order="K")
        k, length, stopped = Additive._epoch(self, run, updates, room, D, since, measure)
        if stopped < 0:
            made = many.first(room, k)
            ends = np.append(made.times, n_visits(D))
            runs = np.diff(ends, prepend=-1) - 1  # right answers before each mistake, and the end
            runs[0] += int(_kept(run)[1][RUN])
            if run.streaming or len(run.mistakes) == 1:
                self._take_longest(run, before, made, D, runs)
            else:
                self._ratchet(run, before, made, D, runs)
            _kept(run)[1][RUN] = runs[-1]
        return k, length, stopped

    def _take_longest(self, run: Run, w: Array, made: Made, D: Examples, runs: Array) -> None:
        """Without a ratchet: the weights of the longest run so far."""
        pocket, counts = _kept(run)
        best = int(runs.argmax())
        if runs[best] > counts[LONGEST]:
            self._replay(w, many.first(made, best), D)
            pocket[...], counts[LONGEST], counts[KNOWN], counts[ERRORS] = w, runs[best], 0, 0

    def _ratchet(self, run: Run, w: Array, made: Made, D: Examples, runs: Array) -> None:
        """The weights of the longest runs, if they make fewer errors than those in the pocket."""
        pocket, counts = _kept(run)
        if len(runs) == 1:  # no mistake
            pocket[...], counts[LONGEST], counts[KNOWN], counts[ERRORS] = w, runs[0], 1, 0
            return
        if not counts[KNOWN]:
            counts[KNOWN], counts[ERRORS] = 1, self._errors(run, pocket, D, np.inf)
        done = 0
        longest = np.argsort(-runs, kind="stable")[: self.checks]
        for k in np.union1d(longest, len(runs) - 1):  # the last weights may be better than all
            self._replay(w, _between(made, done, k), D)
            done, found = k, self._errors(run, w, D, float(counts[ERRORS]))
            if found < counts[ERRORS]:
                pocket[...], counts[LONGEST], counts[ERRORS] = w, runs[k], found

    def _replay(self, w: Array, made: Made, D: Examples) -> None:
        if w.ndim == 1:
            replay(w, made.times, D, self._rule())
        else:
            replay_many(w, made, D, self._rule())

    def _errors(self, run: Run, w: Array, D: Examples, most: float) -> float:
        """How many errors these weights make, by weight, counted up to `most`."""
        if most == 0.0:
            return 0.0
        D = D.visited(None if len(D.weight) == 1 else np.flatnonzero(D.weight))
        rule = self._rule()._replace(slack=0.0)
        if w.ndim == 1:
            wrong, read = errors(w, D, rule, most)
        else:
            K, none = len(w), np.empty((0, 0), np.int32)
            classes = Classes(np.zeros(K, np.int64), np.empty(K, w.dtype), np.empty(0), none)
            wrong, read = errors_of_many(suited(w, D.rows), D, rule, classes, most)
        _kept(run)[1][CHECKED] += read
        return float(wrong)

    # ------------------------------------------------------ its run

    def _begin(self, X: Any, n_classes: int, coef: Any, intercept: Any) -> Run:
        run = Additive._begin(self, X, n_classes, coef, intercept)
        run.beside, run.counts = run.w.copy(), np.zeros(5)
        return run

    def _resumed(self, X: Any) -> Run:
        run = MistakeDriven._resumed(self, X)
        _kept(run)[1][KNOWN] = 0  # the data may be others
        return run

    def _widen(self, run: Run, places: Array, n_classes: int) -> None:
        run.beside = many.spread(_kept(run)[0], places, n_classes)
        Additive._widen(self, run, places, n_classes)

    def _predicting(self) -> Array:
        return _kept(self._fitted())[0]

    def _beside_like(self, space: dict[str, Any], w: Array) -> Like:
        return Like(w.shape, w.dtype, n_counts=5)

    def _check_parameters(self) -> None:
        Additive._check_parameters(self)
        parameters.count("checks", self.checks)

    def _space(self) -> dict[str, Any]:
        space = Additive._space(self)
        del space["multi_class"]
        return space

    def _advice(self) -> str:
        return (
            "That is to be expected where no hyperplane separates the data: the pocket has the "
            "best weights met, and more epochs may meet better ones. separability(X, y) says "
            "whether there are any without an error."
        )


def _kept(run: Run) -> tuple[Array, Array]:
    """The weights in the pocket, and the counts."""
    assert run.beside is not None
    assert run.counts is not None
    return run.beside, run.counts


def _between(made: Made, first: int, last: int) -> Made:
    """The updates from one number on, up to another."""
    return Made(*(None if array is None else array[first:last] for array in made))
