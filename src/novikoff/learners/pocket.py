r"""The pocket algorithm with ratchet (Gallant 1990): keep the best weights, for any data.

It makes the mistakes of the perceptron. Weights that classify many examples in a row correctly are
likely to be good. So the pocket holds the weights with the longest run of correct predictions, and
the model predicts with these. The ratchet replaces them only by weights with fewer errors on the
whole training data.

To count the errors after every update would be slow. Instead, an epoch makes a normal pass first,
and its list of mistakes shows how long each weight vector survived. Then the `checks` weight
vectors with the longest runs, and the last one, are recomputed from the list, and their errors are
counted. A count stops as soon as it reaches that of the pocket. So an epoch over $n$ examples reads
at most $(2 + \text{checks})\,n$ rows; and each `fit` reads another $n$ once, for the pocket it
starts with.

The ratchet needs all the data, so it starts with the second epoch of a `fit`. In the first epoch,
and in a stream, the longest run decides: so a series of blocks is still one epoch. After an epoch
without a mistake, nothing is left to count.

The run has the mistake bounds of the perceptron (Freund & Schapire 1999, theorems 1 and 2), and the
errors of the pocket never grow from epoch to epoch. Gallant's theorem is about his own algorithm,
which checks after every run that is longer than that of the pocket: with enough examples drawn at
random, its pocket is optimal with a probability as close to 1 as desired. His proof is for rational
numbers; Muselli (1997) has a proof for all.
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
    r"""The pocket algorithm: a perceptron that predicts with the best weights it has had.

    $$w \leftarrow w + \eta\,y\,x \text{ on a mistake}$$

    Here $x$ is an example, $y$ its label of -1 or +1, and $\eta$ the step size `eta0`. Of the
    weight vectors that are checked, the model keeps the one with the fewest errors on the training
    data, and predicts with it.

    Use it for data that no hyperplane separates, where the last weights of a perceptron can be
    arbitrarily bad. An epoch reads the data at most $2 + \text{checks}$ times. With more than two
    classes, all are learned jointly.

    Attributes
    ----------
    coef_, intercept_
        The weights and the bias in the pocket.
    classes_, n_features_in_, feature_names_in_
        As for `Perceptron`.
    n_iter_, mistakes_, n_mistakes_, n_updates_, converged_, dual_coef_, radius_, margin_,
    mistake_bound_, update_bound_, trace_
        As for `Perceptron`. They describe the run, not the pocket.
    pocket_errors_ : float
        The number of training errors of the weights in the pocket; with sample weights, the total
        weight of the misclassified examples. Known after the second epoch of `fit`.
    n_checked_ : int
        The number of rows that were read to count errors.

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
    Networks 1(2): the pocket algorithm with ratchet; for more than two classes, the linear
    machine.
    Muselli, M. (1997). On convergence properties of pocket algorithm. IEEE Transactions on Neural
    Networks 8(3).
    Freund, Y. & Schapire, R. E. (1999). Large margin classification using the perceptron algorithm.
    Machine Learning 37(3), theorems 1 and 2 (bounds for the run).
    """

    multi_class = "joint"

    checks: int = whole(
        default=2,
        short="count training errors up to this many times per pass",
        text="""How many weight vectors of an epoch to count the training errors of: those that
        survived longest. The last one is always checked as well.""",
    )
    max_iter = again(Additive._parameters["max_iter"], default=100)

    @property
    def pocket_errors_(self) -> float:
        """The errors of the weights in the pocket on the data of `fit`, by sample weight."""
        counts = self._fitted().extra["counts"]
        if not counts[KNOWN]:
            raise AttributeError(
                "pocket_errors_ is known after a second epoch of fit: a stream keeps no examples."
            )
        return float(counts[ERRORS])

    @property
    def n_checked_(self) -> int:
        """The number of rows that were read to count errors, not counting the normal passes."""
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
