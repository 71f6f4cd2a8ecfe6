"""What the learners of `machines.py` share: their data, their start, and what they tell."""

from abc import abstractmethod
from math import hypot
from typing import Any, Self

import numpy as np

from novikoff.cores import n_threads
from novikoff.examples import Examples
from novikoff.inputs import as_rows
from novikoff.learners import machines, many, parameters
from novikoff.learners.additive import first_weights
from novikoff.learners.base import Array, MistakeDriven
from novikoff.learners.joint import Made
from novikoff.learners.recording import Recorder
from novikoff.learners.ruled import Ruled, of_machines, taking_part
from novikoff.learners.run import Run
from novikoff.products import suited


class Online(MistakeDriven):
    """A learner that updates on a loss, which a right answer can have too (abstract).

    More than two classes have a machine each, against the rest.
    """

    _takes_many_classes = True
    _counts_updates = True

    fit_intercept: bool

    # ------------------------------------------------------ what a learner supplies

    @abstractmethod
    def _rule(self, run: Run) -> Any:
        """Its rule, as `machines.learn` knows it."""

    def _beside(self, space: dict[str, Any], w: Array) -> Array | None:
        """What is kept beside weights like these, as it is at the start."""
        return None

    # ------------------------------------------------------ what it tells

    @property
    def n_updates_(self) -> int:
        """How many updates were made in all, those on right answers included."""
        return sum(self._fitted().changes or ())

    @property
    def radius_(self) -> float:
        r"""The largest length of an example, with its coordinate of 1 for the bias."""
        run = self._fitted()
        return hypot(run.length, float(run.space["fit_intercept"]))

    # ------------------------------------------------------ fitting

    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Pass over the data until an epoch makes no update, or `max_iter` times.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Dense or any scipy sparse format, a pandas or polars frame.
        y : array of shape (n_samples,)
            Labels of two classes or more. Of two, the larger is the positive class.
        coef_init : array of shape (n_features,) or (1, n_features), optional
            The weights to start from, instead of 0; of shape (n_classes, n_features) for more
            than two classes.
        intercept_init : float or array of shape (1,), optional
            The bias to start from, instead of 0; one each for more than two classes.
        sample_weight : array of shape (n_samples,), optional
            How much each example counts. Weight 0 leaves it out.

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
            All labels there are. Without it those of the first block are known from the start,
            and any label that comes later is a class that takes part from its first example on.
        sample_weight : array of shape (n_samples,), optional

        Returns
        -------
        self
        """
        return self._partial_fit(X, y, classes, sample_weight)

    def _check_parameters(self) -> None:
        parameters.flag("fit_intercept", self.fit_intercept)

    def _space(self) -> dict[str, Any]:
        return {"fit_intercept": self.fit_intercept}

    def _begin(self, X: Any, n_classes: int, coef: Any, intercept: Any) -> Run:
        w = first_weights(X, n_classes, coef, intercept, self.fit_intercept)
        run = Run(w, self._space(), changes=[], brought=np.zeros(n_classes))
        run.beside = self._beside(run.space, w)
        return run

    def _epoch(
        self, run: Run, updates: Array, room: Made, D: Examples, since: Array, measure: bool
    ) -> tuple[int, float, int]:
        if run.w.ndim > 1:
            run.w = suited(run.w, D.rows)
        W, beside = of_machines(run.w, run.beside)
        taking = taking_part(since, W)
        rule = self._rule(run)
        if run.team is not None and len(W) == 1 and type(rule) in machines.FORESEEN:
            errors = np.zeros(1, np.int64)
            work = machines.Pass(W, beside, updates, errors, D, rule, taking, measure)
            k, length, _, stopped = run.team.epoch(work)
            run.mistakes[-1] += int(errors[0])
            return k, length, stopped
        k, wrong, length, stopped = machines.shared_out(
            n_threads(self.n_jobs), W, beside, updates, D, rule, taking, measure
        )
        run.mistakes[-1] += int(wrong)
        return k, length, stopped

    def _spread(self, run: Run, places: Array, n_classes: int) -> None:
        w = run.w
        run.w = many.spread(w, places, n_classes)
        if run.beside is not None:
            before, run.beside = run.beside, self._beside(run.space, run.w)
            if run.beside is not None and len(places) > 1:
                run.beside[places] = before  # both of two classes have what their one machine had

    def _recorder(self, run: Run) -> Recorder:
        return Ruled(self._rule(run), whole=self._changes_all(run.space))

    def _rows(self, X: Any, space: dict[str, Any]) -> Any:
        return as_rows(X)

    def _on_line(self) -> int:
        return -1
