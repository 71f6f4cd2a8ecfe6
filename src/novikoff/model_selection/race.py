r"""An averaged perceptron that chooses its own settings, on examples that it does not learn from.

All settings are trained side by side. A pass over the data goes block by block, and each setting
learns from a block while it is in the cache: so the rows are read from memory once for all of them.
What a setting learns does not depend on the others. It has the weights, to the bit, that it would
have if it saw the same examples in the same order alone.

After some epochs (1, 2, 3, 5, 10, 20, ...) every setting predicts the held-out examples. A
setting that has made 25,000 visits leaves the race when it is worse than the best by more than
three standard errors of the difference: if the best setting alone is right on $b$ of the held-out
examples, and this one alone on $c$, when $b - c > 3\sqrt{b + c}$ (McNemar 1947).
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from novikoff.core.examples import Examples
from novikoff.inputs.arrays import size_of
from novikoff.learners.base import MistakeDriven
from novikoff.learners.epoch import Course
from novikoff.typing import Array, Matrix

BLOCK = 1 << 19
"""How many bytes of rows all settings learn from before the next are read."""
ENOUGH = 2000
"""How many held-out examples to choose by, if there are so many."""
TRIAL = 25_000
"""How many examples a setting learns from, again and again, before it may leave the race."""
BEHIND = 3.0
"""By how many standard errors a setting that leaves the race is worse than the best."""


class Fold(NamedTuple):
    """A way to hold examples out."""

    learned: Array
    """Which rows are learned from, as flags,"""
    held: Array
    """and which are held out."""


class Contender:
    """A setting on a fold: its model, and the fit that is under way."""

    def __init__(
        self, model: MistakeDriven, fold: Fold, X: Matrix, y: Array, weight: Array | None
    ) -> None:
        self.model, self.fold, self.X = model, fold, X
        run = model._state = model._begin(X, len(model.classes_), None, None)
        run.begin_fit(len(y), None)
        D = Examples(model._rows(X, run.space), y).weighted(weight)
        self.course = Course(model, run, X, D, at_once(X))
        self.share = D.weights(fold.held)
        """How much each of the held-out rows counts."""
        self.right = np.zeros(len(fold.held), np.bool_)
        """Which of them it predicts."""
        self.score = np.nan

    @property
    def ended(self) -> bool:
        """Did its last epoch change nothing?"""
        return self.course.epochs > 0 and self.model.converged_

    def judge(self, labels: Array, scorer: Any) -> None:
        """Score the model on the rows that are held out."""
        X, y = self.X[self.fold.held], labels[self.fold.held]
        if scorer is None:
            self.right = self.model.predict(X) == y
            self.score = float(np.average(self.right, weights=self.share))
        else:
            self.score = float(scorer(self.model, X, y))


class Setting:
    """A setting in the race, on all folds."""

    def __init__(self, params: dict[str, Any], contenders: list[Contender]) -> None:
        self.params, self.contenders = params, contenders
        self.scores: dict[int, list[float]] = {}
        """By the number of epochs: one for each fold."""

    def note(self, epochs: int) -> None:
        """Write down how good it is after so many epochs."""
        self.scores[epochs] = [one.score for one in self.contenders]

    def is_behind(self, best: "Setting") -> bool:
        """Is it worse than the best by more than chance explains, after a fair trial?"""
        gaps = [
            ours.share * (theirs.right.astype(np.float64) - ours.right)
            for ours, theirs in zip(self.contenders, best.contenders, strict=True)
        ]
        gap = np.concatenate(gaps)
        tried = min(one.model._state.stream.n_seen for one in self.contenders)
        return tried >= TRIAL and bool(gap.sum() > BEHIND * np.sqrt((gap**2).sum()))


def at_once(X: Matrix) -> int:
    """How many rows all settings learn from before the next are read."""
    return max(64, BLOCK * int(X.shape[0]) // max(1, size_of(X)))


def teams(contenders: list[Contender], threads: int) -> list[list[Contender]]:
    """Those that each thread takes care of."""
    return [team for k in range(threads) if (team := contenders[k::threads])]


def learn(team: list[Contender], order: Array) -> None:
    """Let some of them make an epoch together, block by block."""
    most = at_once(team[0].X)
    for one in team:
        one.course.begin_epoch()
    folds = {id(one.fold): one.fold for one in team}
    for low in range(0, len(order), most):
        block = order[low : low + most]
        rows = {key: block[fold.learned[block]] for key, fold in folds.items()}
        for one in team:
            if len(some := rows[id(one.fold)]):
                one.course.visit(some)


def judge(team: list[Contender], labels: Array, scorer: Any) -> None:
    """Score some of them."""
    for one in team:
        one.judge(labels, scorer)


def rungs(most: int) -> list[int]:
    """The numbers of epochs that are tried: 1, 2, 3, 5, 10, 20, 30, 50, ..., and the most."""
    steps = [k * 10**power for power in range(len(str(most))) for k in (1, 2, 3, 5)]
    return [k for k in steps if k < most] + [most]


def held_out(
    y: Array, rows: Array, fraction: float, random: np.random.RandomState
) -> Iterator[tuple[Array, Array]]:
    """Rows to learn from and rows to hold out, until enough were held out; all classes alike."""
    n = len(rows)
    parts = max(2, min(n, round(1 / fraction)))
    mixed = random.permutation(rows)
    by_class = mixed[np.argsort(y[mixed], kind="stable")]
    part = np.arange(n) % parts
    for k in range(min(parts, -(-ENOUGH * parts // n))):
        yield by_class[part != k], by_class[part == k]


def results(settings: list[Setting], epochs: list[int], n_folds: int) -> dict[str, Any]:
    """All settings and their scores, as scikit-learn's `GridSearchCV` has them."""
    rows = [(one, k) for k in epochs for one in settings]
    params = [{**one.params, "max_iter": k} for one, k in rows]
    scores = np.array([one.scores.get(k, [np.nan] * n_folds) for one, k in rows])
    mean = scores.mean(axis=1)
    found: dict[str, Any] = {}
    for name in dict.fromkeys(name for some in params for name in some):
        values = [some.get(name) for some in params]
        found[f"param_{name}"] = np.ma.array(
            np.array(values, object), mask=[name not in some for some in params]
        )
    found["params"] = params
    found |= {f"split{k}_test_score": scores[:, k] for k in range(n_folds)}
    found |= {"mean_test_score": mean, "std_test_score": scores.std(axis=1)}
    worst_last = np.where(np.isnan(mean), np.inf, -mean)
    found["rank_test_score"] = rankdata(worst_last, method="min").astype(np.int32)
    return found
