r"""What the kernel machines share: passes in blocks, streaming, predicting, telling.

Their weights live in the feature space of a kernel and are never written down: all that is
known of $w = \sum_j \alpha_j\phi(x_j)$ are the rows $x_j$ that were erred on, and $\alpha$.

Rows are visited in blocks. The scores of a block are one matrix product with the rows erred on so
far; the sequence inside it needs the block's own small table. Between passes the scores of
all rows are brought up to date by the rows of that pass alone, so a pass costs as many
kernel values as there are rows times the rows it erred on, however many there were before.
"""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from novikoff.core.drive import drive
from novikoff.core.log import Log
from novikoff.core.loops import Pass
from novikoff.errors import DataError, ParameterError
from novikoff.inputs.arrays import names_in, overflow, read, require_sound, weight_dtype
from novikoff.inputs.labels import as_labels, growing_classes, numbered
from novikoff.inputs.weights import SoFar, example_weights, ratio, require_some
from novikoff.learners.kernels import coefficients as dual_record, gram
from novikoff.learners.kernels.blocks import ONE, Made, Targets, blocks, pass_over, targets
from novikoff.learners.kernels.gram import Block, Kernel
from novikoff.learners.kernels.run import DualLedger, DualState
from novikoff.learners.kernels.scores import WATCHED, DualPredicting
from novikoff.learners.kernels.support import Support, mixing, n_outputs, places_of
from novikoff.learners.state import undone_on_error
from novikoff.parameters import again, choice, number, whole
from novikoff.typing import Array, Given, Matrix, MatrixLike


class DualLearner(DualPredicting):
    """A mistake-driven learner in the feature space of a kernel (abstract)."""

    kernel: Any = choice(
        default="rbf",
        choices=gram.KERNELS,
        function=True,
        short="kernel function",
        text=r"""The kernel: "rbf" is $e^{-\gamma\|x-x'\|^2}$, "poly" is
        $(\gamma\langle x, x'\rangle + c_0)^p$, and "linear" is $\langle x, x'\rangle$. With
        "precomputed", `X` is the kernel matrix. A function takes two blocks of rows and returns
        the matrix of their kernel values.""",
    )
    gamma: Any = number(
        default="scale",
        above=0.0,
        words=("scale", "auto", None),
        short="factor in the kernels rbf and poly",
        text=r"""The factor $\gamma$ of "rbf" and "poly". With $d$ features, "auto" is $1/d$, and
        "scale" is $1/(d \cdot \operatorname{var} X)$, as in scikit-learn; in a stream, where the
        variance is not known, it is $1/d$.""",
    )
    degree: int = whole(
        default=3, short="degree of the kernel poly", text="The degree $p$ of `poly`."
    )
    coef0: float = number(
        default=1.0,
        least=0.0,
        short="constant in the kernel poly",
        text="The constant $c_0$ of `poly`, not negative.",
    )
    record = again(
        DualPredicting._parameters["record"],
        text="""Keep a record of every update, as `trace_`. An update takes 62 bytes, and 73 with
        more than two classes.""",
    )
    class_weight: Any = None

    # ------------------------------------------------------ what a learner supplies

    @abstractmethod
    def _problems(self, outputs: int) -> int:
        """How many two-sided problems are solved with so many weight vectors."""

    @abstractmethod
    def _history(self, outputs: int) -> Any:
        """What is kept beside the rows erred on, at the start."""

    @abstractmethod
    def _rule(self, run: DualState) -> Any:
        """Its rule, as `novikoff.core.loops` knows it."""

    @abstractmethod
    def _made(self, run: DualState, log: Log, extra: Array, G: Array) -> Made:
        """What the updates of a block with the table `G` add up to; notes squares in the log."""

    def _extra(self, run: DualState, n: int) -> Array:
        """What the rule keeps of each weight vector on a block of `n` rows."""
        return np.empty((run.outputs, 0))

    def _remember(self, run: DualState, times: Array, rows: Array, delta: Array) -> None:
        """Keep what prediction needs of these updates on rows of the support."""

    def _revisits(self, run: DualState) -> bool:
        """Are the scores of all rows worth keeping from pass to pass?"""
        return isinstance(run.support, Support)

    def _apart(self, outputs: int) -> bool:
        """Has each of several weight vectors a problem of its own?"""
        return self._problems(outputs) == outputs

    def _blocks(self, order: Array) -> Iterator[Array]:
        return blocks(order)

    # ------------------------------------------------------ fitting

    @WATCHED
    def _fit(self, X: MatrixLike, y: ArrayLike, sample_weight: Given = None) -> Self:
        self._check_parameters()
        with undone_on_error(self):
            X = self._read(X, reset=True)
            y = as_labels(y)
            check_consistent_length(X, y)
            classes, _ = numbered(y)
            if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
                raise DataError(
                    f"{{kernel=}} was given, but X has shape {X.shape} and is not square: fit "
                    "needs the kernel of every row with every row.",
                    kernel=self.kernel,
                )
            own = places_of(y, classes)
            weight = example_weights(own, classes, self.class_weight, sample_weight)
            require_some(weight)
            wanted = targets(own, weight, weight_dtype(X))
            run = self._train(X, wanted, n_outputs(classes))
            run.ledger.step_ratio = ratio(weight)
            run.stream.class_totals = np.zeros(len(classes))
            self._count(run, own, sample_weight)
            self.classes_, self._state = classes, run
        if run.ledger.mistakes[-1]:
            # past this, what lets _fit ignore overflow, and fit
            self._warn(run, stacklevel=5)
        return self

    def _train(self, X: Matrix, wanted: Targets, outputs: int) -> DualState:
        run, n = self._begin(X, outputs), len(wanted.y)
        if gram.is_scaled(self.kernel, self.gamma):
            run.kernel = run.kernel._replace(gamma=gram.rate_for(X))
        if run.log is not None:
            run.log.begin_block(n)
        self._look(run, X)
        random = check_random_state(self.random_state)
        Z, slots = np.zeros((n, outputs)), np.full(n, -1)
        for epoch in range(self.max_iter):
            order = wanted.order(random if self.shuffle else None)
            run.begin_pass()
            if epoch:
                run.ledger.lengths = run.ledger.lengths.of_all()
            if self._revisits(run):
                self._epoch(run, X, wanted, order, Z, slots, again=epoch + 1 < self.max_iter)
            else:
                self._once(run, X, wanted, order)
            if not run.ledger.updates[-1]:
                break
        return run

    def _begin(self, X: Matrix, outputs: int) -> DualState:
        problems, width = self._problems(outputs), X.shape[1]
        return DualState(
            self._resolved(width),
            width,
            weight_dtype(X),
            self._support(outputs, width),
            DualLedger.of(problems),
            log=dual_record.begin(outputs) if self.record else None,
            history=self._history(outputs),
        )

    def _look(self, run: DualState, X: Matrix) -> None:
        """Called before the first pass over `X`."""

    def _support(self, outputs: int, width: int) -> Any:
        """What the weights are made of, at the start."""
        return Support(outputs, keeps_rows=self.kernel != "precomputed")

    def _epoch(
        self,
        run: DualState,
        X: Matrix,
        wanted: Targets,
        order: Array,
        Z: Array,
        slots: Array,
        again: bool,
    ) -> None:
        """Visit all rows. `Z` are their scores at the start, and at the end if it goes on."""
        recent = Support(Z.shape[1], run.support.keeps_rows)
        marks = []
        for places in blocks(order):
            A = gram.block(run.kernel, X, places, run.dtype)
            S = Z[places] + recent.scores(run.kernel, A)
            made = self._visit(run, A, wanted.at(places), S, places)
            if (made.carry != 1.0).any():
                Z *= made.carry
                recent.scale(made.carry)
            Z[places] = S
            recent.append(A, *made.rows())
            self._keep(run, A, made, slots)
            run.stream.n_seen += len(places)
            marks.append(recent.n)
        if again and recent.n:
            for places, mark in zip(blocks(order), marks, strict=True):
                if mark < recent.n:
                    A = gram.block(run.kernel, X, places, run.dtype)
                    Z[places] += recent.scores(run.kernel, A, mark)

    def _visit(self, run: DualState, A: Block, wanted: Targets, S: Array, places: Array) -> Made:
        """Learn from a block whose scores so far are `S`."""
        ledger = run.ledger
        ledger.longest = max(ledger.longest, float(A.squares.max()))
        ledger.largest = max(ledger.largest, float(gram.diagonal(run.kernel, A).max()))
        G = gram.table(run.kernel, A, A)
        if gram.out_of_range(run.kernel, A, G):
            raise overflow(run.dtype)
        n, K = S.shape
        if not K:  # there is one class so far, and nothing to learn
            for square in G.diagonal().tolist() if ledger.margin else ():
                ledger.lengths = ledger.lengths.after_one(square)
            run.note(places, wanted.y, Log.room(0, recorded=True), ONE)
            return Made(np.zeros(S.shape), np.ones(0))
        p = pass_over(S, G, wanted, self._rule(run), self._extra(run, n), run)
        k, stopped = self._drive(run, p, n)
        S[:], log = p.W[:, :n].T, p.log.some(0, k)
        made = self._made(run, log, p.extra, p.D.rows.K)
        if stopped >= 0 or not (ledger.largest < np.inf and np.isfinite(ledger.squares).all()):
            raise overflow(run.dtype)
        run.note(places, wanted.y, log, made.factors)
        ledger.mistakes[-1] = int(p.mistakes[0]) - sum(ledger.mistakes[:-1])
        return made

    def _drive(self, run: DualState, p: Pass, n: int) -> tuple[int, int]:
        """Let the loop visit the `n` rows of a block, in parts where the mean length changes that a
        margin is measured by. Returns how many updates were made, and where it stopped, or -1.
        """
        k = low = 0
        stopped = -1
        while low < n and stopped < 0:
            lengths, high = run.ledger.lengths, n
            if run.ledger.margin and not lengths.known:
                high = min(n, low + lengths.left())
                some = p.D.visited(np.arange(low, high))
                p = p._replace(rule=self._rule(run))  # by the lengths before these
                run.ledger.lengths = lengths.after(some)
            k, _, stopped = drive(p, k, low, high, 0.0, False)
            low = high
        return k, stopped

    def _keep(self, run: DualState, A: Block, made: Made, slots: Array | None) -> None:
        """Add updates to the coefficients, and rows never erred on before to the support."""
        erred, delta = made.rows()
        if not len(erred):
            return
        support, places = run.support, A.numbers[erred]
        support.scale(made.carry)
        if not isinstance(support, Support):
            support.append(A, erred, delta)
            return
        rows = np.full(len(erred), -1) if slots is None else slots[places]
        fresh = rows < 0
        rows[fresh] = support.n + np.arange(fresh.sum())
        support.append(A, erred[fresh], delta[fresh])
        support.coef[rows[~fresh]] += delta[~fresh]
        if slots is not None:
            slots[places] = rows
        self._remember(run, run.stream.n_seen + erred, rows, delta)

    # ------------------------------------------------------ streaming

    @WATCHED
    def _partial_fit(
        self, X: MatrixLike, y: ArrayLike, classes: Given, sample_weight: Given = None
    ) -> Self:
        self._check_parameters()
        if self.kernel == "precomputed":
            raise ParameterError(
                "{kernel=} has no streams: the rows of one block have no kernel with those of "
                "later ones. Give a kernel that can be computed, or use fit.",
                kernel=self.kernel,
            )
        with undone_on_error(self):
            fitted = self._is_fitted()
            X = self._read(X, reset=not fitted)
            y = as_labels(y)
            check_consistent_length(X, y)
            known = self.classes_ if fitted else None
            together, late = growing_classes(y, classes, known)
            run = self._resumed(together) if fitted else self._begin(X, n_outputs(together))
            run.stream.class_totals = self._brought(run, together)
            own, stream = places_of(y, together), SoFar(run.stream.class_totals, ~late)
            weight = example_weights(own, together, self.class_weight, sample_weight, stream)
            self._stream(run, X, targets(own, weight, run.dtype))
            self._count(run, own, sample_weight)
            self.classes_, self._state = together, run
        return self

    def _resumed(self, classes: Array) -> DualState:
        now, run = self._resolved(self._state.width), self._state
        if gram.is_scaled(self.kernel, self.gamma):
            now = now._replace(gamma=run.kernel.gamma)
        if now != run.kernel:
            raise ParameterError(
                f"The kernel was {run.kernel} when the run began and is {now} now: set it back, or "
                "start anew with fit."
            )
        if self.record and run.log is None:
            raise ParameterError(
                "{record=} was set in the middle of a run, but the coefficients of a kernel "
                "machine are known from its beginning only: set it back, or start anew with fit.",
                record=True,
            )
        known = self.classes_
        same = len(known) == len(classes)
        run = run.branch(None if same else mixing(known, classes))
        if not self.record:
            run.log = None
        if run.log is not None and not same and len(classes) > 2:
            run.log.grow(np.searchsorted(classes, known), len(classes), np.zeros(1))
        return run

    def _brought(self, run: DualState, classes: Array) -> Array:
        """How much of each class has come so far."""
        brought = np.zeros(len(classes))
        if len(run.stream.class_totals):
            brought[places_of(self.classes_, classes)] = run.stream.class_totals
        return brought

    def _stream(self, run: DualState, X: Matrix, wanted: Targets) -> None:
        if not run.stream.is_open:
            run.begin_pass()
            run.stream.is_open = True
        if run.log is not None:
            run.log.begin_block(len(wanted.y))
        in_turn = not self.shuffle or len(wanted.y) < 2
        random = None if in_turn else check_random_state(self.random_state)
        self._once(run, X, wanted, wanted.order(random))

    def _once(self, run: DualState, X: Matrix, wanted: Targets, order: Array) -> None:
        """Visit rows that will not come again, or whose scores cost no more than they do."""
        for places in blocks(order):
            A = gram.block(run.kernel, X, places, run.dtype)
            if run.stream.is_open:
                A = A._replace(numbers=run.stream.n_seen + np.arange(len(places)))
            self._learn_block(run, A, wanted.at(places), places)
            run.stream.n_seen += len(places)

    def _learn_block(self, run: DualState, A: Block, wanted: Targets, places: Array) -> None:
        made = self._visit(run, A, wanted, run.support.scores(run.kernel, A), places)
        self._keep(run, A, made, None)

    # ------------------------------------------------------ scikit-learn's side of it

    def _read(self, X: MatrixLike, *, reset: bool) -> Any:
        X = read(self, X, reset=reset)
        require_sound(X, names_in(self))
        return X

    def _resolved(self, width: int) -> Kernel:
        return gram.resolved(self.kernel, self.gamma, self.degree, self.coef0, width)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags

    def _stopped(self, run: DualState) -> tuple[str, str]:
        if run.ledger.updates[-1]:
            return super()._stopped(run)
        return (
            "stopped as nothing could be changed",
            "No weights meet these examples and those before: nothing separates the data.",
        )
