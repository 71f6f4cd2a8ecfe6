"""What all learners have in common: reading input, epochs, streams and parameters.

A subclass supplies its update rule and, if it predicts from more than the last weights, what it
keeps of the mistakes. All that a fitted model knows is in its `State`.
"""

from abc import abstractmethod
from contextlib import nullcontext
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from novikoff.core.examples import Examples, n_visits, shuffled
from novikoff.core.log import Log
from novikoff.core.loops import Apart, Joint, Pass, Single
from novikoff.errors import DataError
from novikoff.inputs.arrays import names_in, read, require_sound
from novikoff.inputs.fingerprint import fingerprint
from novikoff.inputs.labels import (
    as_labels,
    classes_of_stream,
    codes,
    growing_classes,
    numbered,
    numbered_two,
)
from novikoff.inputs.weights import SoFar, example_weights, ratio, require_some
from novikoff.learners.epoch import (
    NO_SHARES,
    Course,
    Work,
    first_visits,
    learn,
    look_on,
    made,
    pass_over,
    pieces,
    room,
    steps_in,
)
from novikoff.learners.predict import Predicting
from novikoff.learners.replay import Recorder, pair_of
from novikoff.learners.state import Field, Ledger, Space, State, Stream, Undo, undone_on_error
from novikoff.parallel.pool import at_work
from novikoff.parameters import CLASS_WEIGHT, JOBS, flag, given
from novikoff.typing import Array, Given, Matrix, MatrixLike


class MistakeDriven(Predicting):
    """A linear learner that changes only when it errs (abstract)."""

    _other_proof = ""
    """What to say of a learner whose bound, if there is one, has another proof than Novikoff's."""

    _waits_for_two = True
    """Is there nothing to learn before a second class has come?"""

    _kept_by_rule = ""
    """Which of what it keeps beside the weights its rule works on, if it does on any."""

    warm_start: bool = flag(
        default=False,
        short="resume the last run",
        text="If True, `fit` resumes the last run instead of starting anew.",
    )
    class_weight: Any = given(
        default=None,
        kind=CLASS_WEIGHT,
        words=("balanced", None),
        short="weight per label, or balanced; repeatable (default: 1)",
        text="""A weight for each class, which works like a `sample_weight` of all its examples.
        "balanced" uses weights inversely proportional to class frequencies; in a stream, to those
        so far.""",
    )
    n_jobs: int | None = given(
        default=None,
        kind=JOBS,
        words=(None,),
        short="threads",
        text="""The number of threads to learn and predict with: None for one, -1 for all cores.
        The model is the same to the last bit. `docs/scale.md` shows when threads help.""",
    )

    # ------------------------------------------------------ what a learner supplies

    @abstractmethod
    def _begin(self, X: Matrix, n_classes: int, coef: Given, intercept: Given) -> State:
        """A run that has seen nothing yet."""

    def _new(self, weights: Array, n_classes: int) -> State:
        """A run with these weights, and what is kept beside them."""
        space, stream = self._space(), Stream(np.zeros(n_classes))
        declared = self._declared(space)
        extra = self._extra(space, weights) if declared else {}
        ledger = Ledger(changes=[] if self._counts_updates(space) else None)
        return State(space, weights, extra, declared, ledger, stream)

    @abstractmethod
    def _rule(self, run: State) -> Any:
        """Its rule, as `novikoff.core.loops` knows it."""

    @abstractmethod
    def _recorder(self, run: State) -> Recorder:
        """The part that makes the updates of a run like this again."""

    def _require_sound(self, X: Matrix, space: Space) -> None:
        """Raise what is wrong with the first bad row of `X`, if there is one."""
        require_sound(X, names_in(self))

    def _reach(self, run: State) -> float:
        """No weight can be larger than this."""
        return run.ledger.reach

    def _account(self, run: State, log: Log) -> None:
        """Add these updates up for what the run proves."""

    def _remember(self, run: State, D: Examples, log: Log) -> None:
        """Keep what prediction needs of these updates of a pass."""

    def _shares(self, run: State, work: Work) -> Array:
        """How often each class gained each example, less how often it lost it, if that matters."""
        return NO_SHARES

    def _conclude(self, run: State, p: Pass) -> None:
        """Called after each pass that was made."""

    def _machines(self, space: Space) -> bool:
        """Has each of many classes a machine of its own, so that a visit can make many updates?"""
        return False

    def _kind(self, run: State) -> Any:
        """Which loop makes its passes, as `novikoff.core.loops` has them."""
        return Single() if not run.many else Apart(0) if self._machines(run.space) else Joint()

    def _counts_updates(self, space: Space) -> bool:
        """Does it count updates apart, since there are others than mistakes?"""
        return False

    def _measures(self, space: Space) -> bool:
        """Does it ask for a margin, which is measured by the lengths of examples?"""
        return False

    def _changes_all(self, space: Space) -> bool:
        """Can an update change weights of features that its example does not have?"""
        return False

    def _declared(self, space: Space) -> dict[str, Field]:
        """What it keeps beside the weights, by name."""
        return {}

    def _extra(self, space: Space, weights: Array) -> dict[str, Array]:
        """That, beside weights like these, at the start."""
        likes = {name: one.like(weights) for name, one in self._declared(space).items()}
        return {name: np.zeros(*like) for name, like in likes.items()}

    def _widen(self, run: State, places: Array, n_classes: int) -> None:
        """Make room in the run for more classes; the old ones go to these places."""
        self._spread(run, places, n_classes)

    def _spread(self, run: State, places: Array, n_classes: int) -> None:
        """The same for the weights, and what is kept beside them."""
        weights = np.zeros((n_classes, run.weights.shape[1]), run.weights.dtype)
        run.put(weights, self._extra(run.space, weights), places)

    def _settle(self, run: State, X: Matrix) -> None:
        """Called after the last pass over `X`, which may then go away."""

    # ------------------------------------------------------ fitting

    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        coef_init: Given = None,
        intercept_init: Given = None,
        sample_weight: Given = None,
    ) -> Self:
        """Fit the model: repeat epochs until one makes no update, at most `max_iter` of them.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Dense, any scipy sparse format, or a pandas or polars frame. Floats (single and double
            precision), booleans and unsigned bytes are used as they are; other types as doubles.
        y : array of shape (n_samples,)
            Labels of two or more classes. Of two classes, the larger label is the positive one.
        coef_init : array of shape (n_features,) or (1, n_features), optional
            Weights to start from, not 0; with more classes of shape (n_classes, n_features).
        intercept_init : float or array of shape (1,), optional
            Bias to start from, instead of 0. With more than two classes, one for each.
        sample_weight : array of shape (n_samples,), optional
            A weight for each example. It multiplies the example's updates, unless the learner
            says otherwise. Examples of weight 0 are left out.

        Returns
        -------
        self
        """
        return self._fit(X, y, coef_init, intercept_init, sample_weight)

    def _fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        coef: Given = None,
        intercept: Given = None,
        sample_weight: Given = None,
    ) -> Self:
        self._check_parameters()
        with undone_on_error(self):
            X = read(self, X, reset=True)
            y = as_labels(y)
            check_consistent_length(X, y)
            classes, y = numbered(y) if self._takes_many_classes else numbered_two(y)
            weight = None
            if self.class_weight is not None or sample_weight is not None:
                weight = example_weights(y, classes, self.class_weight, sample_weight)
                require_some(weight)
            if self._going_on(coef, intercept) and not np.array_equal(classes, self.classes_):
                raise DataError(
                    "{warm_start=} goes on from a model of the classes "
                    f"{self.classes_.tolist()}, but y has {classes.tolist()}: keep the classes, "
                    "or leave {warm_start} out.",
                    warm_start=True,
                )
            run = self._train(X, y, weight, len(classes), coef, intercept)
            self._count(run, y, sample_weight)
            self.classes_ = classes
            self._state = run
        if run.ledger.mistakes[-1]:
            self._warn(run, stacklevel=4)
        return self

    def _train(
        self,
        X: Matrix,
        y: Array,
        weight: Array | None,
        n_classes: int,
        coef: Given,
        intercept: Given,
    ) -> State:
        going_on = self._going_on(coef, intercept)
        run = self._resumed(X) if going_on else self._begin(X, n_classes, coef, intercept)
        again = run.begin_fit(len(y), fingerprint(X, y, weight) if self.warm_start else None)
        run.ledger.step_ratio = 1.0 if weight is None else ratio(weight)
        self._watch(run)
        if run.log is not None:
            run.log.begin_fit(X, y, same=again)
        keep = self._visited(X, weight, run.space)
        random = check_random_state(self.random_state)
        D = Examples(self._rows(X, run.space), y).weighted(weight)
        course = Course(self, run, X, D, len(y), again=again)
        with nullcontext() if self.n_jobs is None else at_work(self.n_jobs) as team:
            for _ in range(self.max_iter):
                course.begin_epoch()
                course.visit(self._order(keep, len(y), random), team)
                if run.ledger.changed == 0:
                    break
        self._settle(run, X)
        return run

    def _going_on(self, coef: Given, intercept: Given) -> bool:
        return self.warm_start and coef is None and intercept is None and self._is_fitted()

    def _resumed(self, X: Matrix) -> State:
        self._state.require_space(self._space())
        width = self._state.weights.shape[1] - 1
        if X.shape[1] != width:
            raise DataError(
                f"{{warm_start=}} goes on from a model of {width} features, but X has "
                f"{X.shape[1]}: give data of that width, or leave {{warm_start}} out.",
                warm_start=True,
            )
        return self._state.copy()

    def _visited(self, X: Matrix, weight: Array | None, space: Space) -> Array | None:
        """The rows of positive weight; None for all. The others must be sound all the same."""
        if weight is None or weight.all():
            return None
        self._require_sound(X, space)
        return np.flatnonzero(weight)

    def _order(self, keep: Array | None, n: int, random: np.random.RandomState) -> Array | None:
        return shuffled(keep, n, random) if self.shuffle else keep

    def _epoch(self, run: State, work: Work) -> tuple[int, float, int]:
        """How many updates the pass made, the largest length met, and where it stopped, or -1."""
        p = pass_over(self, run, work)
        before = int(p.mistakes[0])
        done = made(p, work.team, self.n_jobs)
        self._conclude(run, p)
        if run.ledger.changes is not None:
            run.ledger.mistakes[-1] += int(p.mistakes[0]) - before
        return done

    def _watch(self, run: State) -> None:
        """Record from here on, or record no more."""
        if not self.record:
            run.log = None
        elif run.log is None:
            run.log = self._recorder(run).begin(run)

    # ------------------------------------------------------ streaming

    def partial_fit(
        self, X: MatrixLike, y: ArrayLike, classes: Given = None, sample_weight: Given = None
    ) -> Self:
        """Learn from the next block of a stream, in a single pass over it.

        With ``shuffle=False``, a series of calls learns what one epoch of `fit` over all the blocks
        learns, to the last bit (`docs/conventions.md` has two exceptions, for classes that come
        late). A call that raises an error leaves the model as it was.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        classes : array of labels, optional
            All labels of the stream. They take part from the start, and any other label in this
            call is an error. If omitted, the classes of the first block take part from the start,
            and a new class from its first example on, with weights of 0.
        sample_weight : array of shape (n_samples,), optional

        Returns
        -------
        self
        """
        self._check_parameters()
        if self._is_fitted():
            self._state.require_space(self._space())
            self._learn_block(self._state, X, y, classes, sample_weight)
        else:
            with undone_on_error(self):
                self._learn_block(None, X, y, classes, sample_weight)
        return self

    def _learn_block(
        self, run: State | None, X: MatrixLike, y: ArrayLike, classes: Given, sample_weight: Given
    ) -> None:
        X = read(self, X, reset=run is None)
        y = as_labels(y)
        if len(y) != X.shape[0]:
            check_consistent_length(X, y)
        known = None if run is None else self.classes_
        if self._takes_many_classes:
            classes, late = growing_classes(y, classes, known)
        else:
            classes, late = classes_of_stream(y, classes, known), np.zeros(2, np.bool_)
        y = codes(y, classes)
        if run is None:
            run = self._begin(X, len(classes), None, None)
        elif known is not None and len(classes) > len(known):
            run = self._grown(run, np.searchsorted(classes, known), len(classes))
        stream = SoFar(run.stream.class_totals, ~late)
        weight = example_weights(y, classes, self.class_weight, sample_weight, stream)
        self._stream(run, X, y, weight, late)
        self._count(run, y, sample_weight)
        self.classes_ = classes
        self._state = run

    def _grown(self, run: State, places: Array, n_classes: int) -> State:
        """The run with room for more classes; the old ones go to these places."""
        run = run.copy()
        brought = np.zeros(n_classes)
        brought[places] = run.stream.class_totals
        run.stream.class_totals, run.mean = brought, None
        if n_classes > 2:
            if run.log is not None:
                recorder = self._recorder(run)
                pair = pair_of(self, run.space, recorder.apart)
                recorder.grow(run.log, pair, places, n_classes)
            self._widen(run, places, n_classes)
        return run

    def _stream(self, run: State, X: Matrix, y: Array, weight: Array | None, late: Array) -> None:
        order = self._visited(X, weight, run.space)
        with undone_on_error(self, Undo(run, X, everywhere=self._changes_all(run.space))):
            if self.shuffle and len(y) > 1:
                order = self._order(order, len(y), check_random_state(self.random_state))
            self._watch(run)
            run.stream.one_data_set = False
            if not run.stream.is_open:
                run.begin_pass()
                run.stream.is_open = True
            if run.log is not None:
                run.log.begin_block(len(y))
            D = Examples(self._rows(X, run.space), y).weighted(weight).visited(order)
            since = first_visits(D, late)
            if self._waits_for_two and (len(since) == 1 or (len(since) == 2 and since.any())):
                D = look_on(self, run, X, D, n_visits(D) if len(since) == 1 else int(since.max()))
            updates, log = np.zeros(len(y), np.int64), room(self, run, len(y), steps_in(D))
            with at_work(self.n_jobs) as team:
                whole = Work(D, since, updates, log, measure=True, team=team)
                for work in pieces(self, run, whole):
                    learn(self, run, X, work)
            self._settle(run, X)
