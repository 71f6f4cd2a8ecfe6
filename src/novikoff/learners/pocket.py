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

from dataclasses import replace

import numpy as np

from novikoff.core.examples import Examples, n_visits, visit, weight
from novikoff.core.jit import njit
from novikoff.core.log import Log
from novikoff.core.loops import multiplied, replay, rival
from novikoff.core.rules import is_right
from novikoff.learners.additive import Additive
from novikoff.learners.epoch import Work, pass_over
from novikoff.learners.state import Field, Space, State
from novikoff.parameters import again, whole
from novikoff.typing import Array, Matrix

RUN, LONGEST, KNOWN, ERRORS, CHECKED = range(5)
"""The counts of a run: the right answers since the last mistake, those of the weights in the
pocket, whether their errors are known, those errors, and how many rows were read to count some."""


@njit(cache=True)
def errors(p, most):
    """The weight of the examples that the weights err on, up to `most`, and how many were read."""
    wrong, D = 0.0, p.D
    for t in range(n_visits(D)):
        i = visit(D, t)
        product, _ = multiplied(p.kind, p.W, D.rows, i, p.scores, False)
        if len(p.W) > 1:
            r, m, _ = rival(p, i, t)
            sign = 1 if D.y[i] > r else -1
        else:
            sign = 1 if D.y[i] > 0 else -1
            m = np.float64(sign * (product + p.W[0, -1]))
        if not is_right(m, sign, p.rule.tie):
            wrong += weight(D, i)
        if wrong >= most:
            return wrong, t + 1
    return wrong, n_visits(D)


COUNTS = Field((5,), np.float64, least=0.0, most=2.0**53, by_column=False)


class Pocket(Additive):
    r"""The pocket algorithm: a perceptron that keeps the best weights it had.

    $$w \leftarrow w + \eta\,y\,x \text{ on a mistake}, \qquad
      \text{predict with the } w \text{ of the fewest training errors, of those checked}$$

    For data that no hyperplane separates, where a perceptron's last weights can be any. A pass
    reads at most $2 + \text{checks}$ times the data. Many classes are learned jointly.

    Attributes
    ----------
    coef_, intercept_
        The weights and bias in the pocket.
    classes_, n_features_in_, feature_names_in_
        As for `Perceptron`.
    n_iter_, mistakes_, n_mistakes_, n_updates_, converged_, dual_coef_, radius_, margin_,
    mistake_bound_, update_bound_, trace_
        As for `Perceptron`; they tell of the run.
    pocket_errors_ : float
        How many training errors the weights in the pocket make, or what the examples weigh: known
        after a second epoch.
    n_checked_ : int
        How many rows were read to count errors.

    Examples
    --------
    >>> from novikoff import Pocket
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [2.0]], [0, 0, 1, 1, 0]  # one point has both labels
    >>> model = Pocket(random_state=0).fit(X, y)
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

    checks: int = whole(
        default=2,
        short="count training errors up to this many times per pass",
        text="""How many of the weights of an epoch to count the errors of, those that survived
        longest first; beside the last, which are always checked.""",
    )
    max_iter = again(Additive._parameters["max_iter"], default=100)

    @property
    def pocket_errors_(self) -> float:
        """How many errors the weights in the pocket make on the data of `fit`, by weight."""
        counts = self._fitted().extra["counts"]
        if not counts[KNOWN]:
            raise AttributeError(
                "pocket_errors_ is known after a second epoch of fit: a stream keeps no examples."
            )
        return float(counts[ERRORS])

    @property
    def n_checked_(self) -> int:
        """How many rows were read to count errors, beside those of the passes."""
        return int(self._fitted().extra["counts"][CHECKED])

    # ------------------------------------------------------ the pocket

    def _epoch(self, run: State, work: Work) -> tuple[int, float, int]:
        before = run.weights.copy(order="K")
        k, length, stopped = super()._epoch(run, work)
        if stopped < 0:
            log, D = work.log.some(0, k), work.D
            ends = np.append(log.time, n_visits(D))
            runs = np.diff(ends, prepend=-1) - 1  # right answers before each mistake, and the end
            runs[0] += int(run.extra["counts"][RUN])
            in_parts = self._measures(run.space) and not run.ledger.lengths.known
            if run.stream.is_open or len(run.ledger.mistakes) == 1 or in_parts:
                self._take_longest(run, before, log, D, runs)
            else:
                self._ratchet(run, before, log, D, runs)
            run.extra["counts"][RUN] = runs[-1]
        return k, length, stopped

    def _take_longest(self, run: State, w: Array, log: Log, D: Examples, runs: Array) -> None:
        """Without a ratchet: the weights of the longest run so far."""
        pocket, counts = run.extra["pocket"], run.extra["counts"]
        best = int(runs.argmax())
        if runs[best] > counts[LONGEST]:
            self._replay(w, log.some(0, best), D)
            pocket[...], counts[LONGEST], counts[KNOWN], counts[ERRORS] = w, runs[best], 0, 0

    def _ratchet(self, run: State, w: Array, log: Log, D: Examples, runs: Array) -> None:
        """The weights of the longest runs, if they make fewer errors than those in the pocket."""
        pocket, counts = run.extra["pocket"], run.extra["counts"]
        if len(runs) == 1:  # no mistake
            pocket[...], counts[LONGEST], counts[KNOWN], counts[ERRORS] = w, runs[0], 1, 0
            return
        if not counts[KNOWN]:
            counts[KNOWN], counts[ERRORS] = 1, self._errors(run, pocket, D, np.inf)
        done = 0
        least = np.partition(runs, -self.checks)[-self.checks] if self.checks < len(runs) else 0
        among = np.flatnonzero(runs >= least)  # a sort of all runs would take a tenth of the time
        longest = among[np.argsort(-runs[among], kind="stable")[: self.checks]]
        for k in np.union1d(longest, len(runs) - 1):  # the last weights may be better than all
            self._replay(w, log.some(done, k), D)
            done, found = k, self._errors(run, w, D, float(counts[ERRORS]))
            if found < counts[ERRORS]:
                pocket[...], counts[LONGEST], counts[ERRORS] = w, runs[k], found

    def _replay(self, w: Array, log: Log, D: Examples) -> None:
        told, base = (D.rows_at(log.time), log.step, log.gained, log.lost), int(len(w) == 1)
        replay(w, D.rows, *told, base, float(self.fit_intercept))

    def _errors(self, run: State, w: Array, D: Examples, most: float) -> float:
        """How many errors these weights make, by weight, counted up to `most`."""
        if most == 0.0:
            return 0.0
        D = D.visited(None if len(D.weight) == 1 else np.flatnonzero(D.weight))
        n_classes = max(2, len(w))
        every = Work(D, np.zeros(n_classes, np.int64), np.zeros(len(D.y), np.int64), Log.room(0))
        p = pass_over(self, replace(run, weights=w), every)
        wrong, read = errors(p._replace(rule=p.rule._replace(slack=0.0, least=0.0)), most)
        run.extra["counts"][CHECKED] += read
        return float(wrong)

    # ------------------------------------------------------ its run

    def _declared(self, space: Space) -> dict[str, Field]:
        return {"pocket": Field(("m", "d")), "counts": COUNTS}

    def _extra(self, space: Space, weights: Array) -> dict[str, Array]:
        return {"pocket": weights.copy(), "counts": np.zeros(5)}

    def _resumed(self, X: Matrix) -> State:
        run = super()._resumed(X)
        run.extra["counts"][KNOWN] = 0  # the data may be others
        return run

    def _predicting(self) -> Array:
        return self._fitted().extra["pocket"]
