r"""An averaged perceptron that chooses its own settings, on examples that it does not learn from.

All settings are trained side by side. A pass over the data goes block by block, and each setting
learns from a block while it is in the cache: so the rows are read from memory once for all of them.
What a setting learns does not depend on the others. It has the weights, to the bit, that it would
have if it saw the same examples in the same order alone.

After some epochs (1, 2, 3, 5, 10, 20, ...) every setting predicts the held-out examples. A
setting that has read 2.5 million numbers leaves the race when it is worse than the best by more
than two standard errors of the difference: that is, when $b - c > 2\sqrt{b + c}$, where $b$ counts
the held-out examples that only the best gets right, and $c$ those that only this one does (McNemar
1947).
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import rankdata

from novikoff.core.examples import Examples
from novikoff.errors import WeightOverflow
from novikoff.inputs.arrays import size_of
from novikoff.learners.base import MistakeDriven
from novikoff.learners.epoch import Course
from novikoff.model_selection.folds import Fold
from novikoff.typing import Array, Matrix

BLOCK = 1 << 19
"""How many bytes of rows all settings learn from before the next are read."""
TRIAL = 2_500_000
"""How many numbers a setting reads before it may leave the race; until then little time is lost."""
BEHIND = 2.0
"""By how many standard errors a setting that leaves the race is worse than the best."""


class Contender:
    """A setting on a fold: its model, and the fit that is under way."""

    def __init__(
        self, model: MistakeDriven, fold: Fold, X: Matrix, y: Array, weight: Array | None
    ) -> None:
        self.model, self.fold, self.X = model, fold, X
        run = model._state = model._begin(X, len(model.classes_), None, None)
        run.begin_fit(len(y), None)
        D = Examples(model._rows(X, run.space), y).weighted(weight)
        self.most = at_once(X, run.weights)
        self.course = Course(model, run, X, D, self.most)
        share = D.weights(fold.held)
        self.share = share / share.max()
        """How much each of the held-out rows counts."""
        self.right = np.zeros(len(fold.held), np.bool_)
        """Which of them it predicts."""
        self.score = np.nan
        self.failure: WeightOverflow | None = None

    @property
    def ended(self) -> bool:
        """Did its last epoch change nothing?"""
        return self.course.epochs > 0 and self.model.converged_

    @property
    def n_read(self) -> int:
        """How many numbers it has read so far."""
        n, values = self.X.shape[0], self.X.nnz if sparse.issparse(self.X) else self.X.size
        return int(self.model._state.stream.n_seen * values // n)

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

    def note(self, *epochs: int) -> None:
        """Record its scores after this many epochs."""
        self.scores |= {k: [one.score for one in self.contenders] for k in epochs}

    @property
    def failure(self) -> WeightOverflow | None:
        """What kept it from learning, if anything did."""
        return next(filter(None, (one.failure for one in self.contenders)), None)

    def is_behind(self, best: "Setting") -> bool:
        """Is it worse than the best by more than chance explains, after a fair trial?"""
        gaps = [
            ours.share * (theirs.right.astype(np.float64) - ours.right)
            for ours, theirs in zip(self.contenders, best.contenders, strict=True)
        ]
        rows = np.concatenate([one.fold.held for one in self.contenders])
        gap = np.bincount(rows, np.concatenate(gaps))  # a row that is held out twice is one row
        tried = min(one.n_read for one in self.contenders)
        return tried >= TRIAL and bool(gap.sum() > BEHIND * np.sqrt((gap**2).sum()))


def at_once(X: Matrix, weights: Array) -> int:
    """How many rows all settings learn from before the next are read.

    More if there are many weights, which have to come back into the cache for every block.
    """
    size = max(BLOCK, 4 * weights.nbytes)
    return max(64, size * int(X.shape[0]) // max(1, size_of(X)))


def teams(contenders: list[Contender], threads: int) -> list[list[Contender]]:
    """The contenders of each thread."""
    return [team for k in range(threads) if (team := contenders[k::threads])]


def learn(team: list[Contender], order: Array) -> None:
    """Let these contenders make an epoch together, block by block."""
    most = team[0].most
    for one in team:
        one.course.begin_epoch()
    folds = {id(one.fold): one.fold for one in team}
    for low in range(0, len(order), most):
        block = order[low : low + most]
        rows = {key: block[fold.learned[block]] for key, fold in folds.items()}
        for one in team:
            some = rows[id(one.fold)]
            if len(some) and one.failure is None:
                try:
                    one.course.visit(some)
                except WeightOverflow as failure:
                    one.failure = failure


def judge(team: list[Contender], labels: Array, scorer: Any) -> None:
    """Score these contenders."""
    for one in team:
        one.judge(labels, scorer)


def rungs(most: int) -> list[int]:
    """The numbers of epochs that are tried: 1, 2, 3, 5, 10, 20, 30, 50, ..., and the most."""
    steps = [k * 10**power for power in range(len(str(most))) for k in (1, 2, 3, 5)]
    return [k for k in steps if k < most] + [most]


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
