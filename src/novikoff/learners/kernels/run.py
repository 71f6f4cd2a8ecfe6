"""The state of a kernel machine's run, and what a fitted one tells of it."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from novikoff.core.log import Log, Updates
from novikoff.learners.kernels import coefficients as dual_record
from novikoff.learners.kernels.gram import Kernel
from novikoff.learners.kernels.support import Support
from novikoff.learners.predict import Learner
from novikoff.learners.state import NO_LENGTHS, Lengths, Stream
from novikoff.typing import Array


@dataclass(eq=False)
class DualLedger:
    """What the run of a kernel machine proves.

    Arrays have a number for each of the problems: one, or one for every class against the rest.
    """

    squares: Array
    r"""$\|w\|^2$."""
    counts: Array
    """How many updates there were."""
    total: Array
    """The sum of the steps."""
    least: Array
    """The least margin of the last pass."""
    mistakes: list[int] = field(default_factory=list)
    updates: list[int] = field(default_factory=list)
    longest: float = 0.0
    r"""The largest $\|x\|^2$."""
    largest: float = 0.0
    """The largest $k(x, x)$."""
    step_ratio: float = 1.0
    """How many times the least weight of an example of `fit` the largest is."""
    margin: float = 0.0
    """The margin that is asked for, in updates."""
    lengths: Lengths = NO_LENGTHS
    """With a margin: what that is measured by."""

    @classmethod
    def of(cls, problems: int) -> "DualLedger":
        """That of a run which has seen nothing."""
        squares, total, least = np.zeros((3, problems))
        return cls(squares, np.zeros(problems, np.int64), total, least)

    def branch(self, outputs: Array | None) -> "DualLedger":
        """One that can go its own way, with the problems of new weight vectors if there are any."""
        arrays = [self.squares.copy(), self.counts.copy(), self.total.copy(), self.least.copy()]
        if outputs is not None:
            share = abs(outputs).astype(np.int64)  # a new vector is an old one, its negative, or 0
            arrays = [numbers @ share for numbers in arrays[:3]] + [np.zeros(share.shape[1])]
        squares, counts, total, least = arrays
        return replace(
            self,
            squares=squares,
            counts=counts,
            total=total,
            least=least,
            mistakes=list(self.mistakes),
            updates=list(self.updates),
        )


@dataclass(eq=False)
class DualState:
    """What a kernel machine knows after a run: enough to predict, and to resume."""

    kernel: Kernel
    width: int
    """How many columns the rows have."""
    dtype: np.dtype[Any]
    """The precision of kernel values."""
    support: Any
    """A `Support`; or a `Plain`, the weights themselves."""
    ledger: DualLedger
    stream: Stream = field(default_factory=lambda: Stream(np.zeros(0)))
    log: Updates | None = None
    """What happened, update by update, if that is recorded."""
    history: Any = None
    """The mistakes that averages and votes are read from; on a budget, which row is the oldest."""

    @property
    def outputs(self) -> int:
        """How many weight vectors there are."""
        return int(self.support.outputs)

    @property
    def is_joint(self) -> bool:
        """Is there one problem for several weight vectors?"""
        return self.outputs > 1 and len(self.ledger.counts) == 1

    def note(self, places: Array, y: Array, log: Log, factors: Array) -> None:
        """Count the updates made on these rows, of these classes, and record them if asked to."""
        self.ledger.updates[-1] += len(log.time)
        if self.log is not None:
            dual_record.note(self.log, len(self.ledger.mistakes) - 1, places, y, log, factors)

    def begin_pass(self) -> None:
        """Count from here on as in one more pass."""
        if self.log is not None:
            self.log.visited = 0
        self.ledger.mistakes.append(0)
        self.ledger.updates.append(0)
        self.ledger.least[:] = np.inf

    def branch(self, outputs: Array | None = None) -> "DualState":
        """A state that can go its own way, its weight vectors mixed if there are new classes."""
        return replace(
            self,
            support=self.support.branch(outputs),
            ledger=self.ledger.branch(None if self.is_joint else outputs),
            stream=replace(self.stream),
            log=None if self.log is None else self.log.copy(),
            history=None if self.history is None else self.history.branch(outputs),
        )


class DualTelling(Learner[DualState]):
    """A kernel machine all of whose knowledge is in its run (abstract)."""

    @property
    def converged_(self) -> bool:
        """True if the last epoch made no mistake, and with a margin, no update."""
        ledger = self._fitted().ledger
        return not (ledger.updates if ledger.margin else ledger.mistakes)[-1]

    @property
    def n_updates_(self) -> int:
        """The number of updates in all epochs, including those on correct predictions."""
        return sum(self._fitted().ledger.updates)

    @property
    def support_(self) -> Array:
        """The indices of the examples with an update; in a stream, counted from its start."""
        support = self._rows_kept("support_")
        return support.numbers[: support.n].copy()

    @property
    def support_vectors_(self) -> Any:
        """The rows of the examples with an update."""
        support = self._rows_kept("support_vectors_")
        if not support.keeps_rows:
            raise AttributeError("support_vectors_ is not known with kernel='precomputed'.")
        rows = support.stacked()
        return np.zeros((0, self._state.width), self._state.dtype) if rows is None else rows.copy()

    @property
    def dual_coef_(self) -> Array:
        """The coefficients of the examples with an update, a row for each weight vector."""
        support = self._rows_kept("dual_coef_")
        return support.coef[: support.n].T.copy()

    @property
    def radius_(self) -> float:
        r"""The length $\sqrt{k(x, x)}$ of the longest example in the feature space."""
        return float(np.sqrt(self._fitted().ledger.largest))

    @property
    def trace_(self) -> Any:
        """A record of every update, as a `novikoff.DualTrace`. Needs ``record=True``."""
        # the trace knows the learners, so they cannot know it when imported
        from novikoff.proofs.kernel_trace import DualTrace

        if self._fitted().log is None:
            raise AttributeError("trace_ is kept with record=True only: set it, and fit again.")
        return DualTrace(self)

    def _rows_kept(self, name: str) -> Support:
        support = self._fitted().support
        if not isinstance(support, Support):
            raise AttributeError(f"{name} is not kept with kernel='linear': coef_ is.")
        return support
