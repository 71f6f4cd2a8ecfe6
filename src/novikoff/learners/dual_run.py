"""The state of a kernel machine's run, and what a fitted one tells of it."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.learners import dual_record
from novikoff.learners.gram import Kernel
from novikoff.learners.support import Support
from novikoff.learners.telling import Counting
from novikoff.learners.updates import Updates
from novikoff.loops import Log

Array = npt.NDArray[Any]


@dataclass(eq=False)
class DualRun:
    """What a kernel machine did: enough to predict, and to go on."""

    kernel: Kernel
    width: int
    """How many columns the rows have."""
    dtype: np.dtype[Any]
    """The precision of kernel values."""
    support: Any
    """A `Support`; or a `Plain`, the weights themselves."""
    squares: Array
    r"""$\|w\|^2$ in each of the problems: one, or one for every class against the rest."""
    counts: Array
    """How many mistakes each of them saw."""
    total: Array
    """The sum of the steps of each of them."""
    least: Array
    """The least margin of the last pass in each of them."""
    memory: Any = None
    """What else the learner keeps."""
    mistakes: list[int] = field(default_factory=list)
    updates: list[int] = field(default_factory=list)
    n_seen: int = 0
    longest: float = 0.0
    r"""The largest $\|x\|^2$."""
    largest: float = 0.0
    """The largest $k(x, x)$."""
    streaming: bool = False
    step_ratio: float = 1.0
    """How many times the least weight of an example of `fit` the largest is."""
    brought: Array = field(default_factory=lambda: np.zeros(0))
    """How much of each class has come, for balancing a stream."""
    recorded: Updates | None = None
    """What happened, update by update, if that is recorded."""

    @property
    def outputs(self) -> int:
        """How many weight vectors there are."""
        return int(self.support.outputs)

    @property
    def is_joint(self) -> bool:
        """Is there one problem for several weight vectors?"""
        return self.outputs > 1 and len(self.counts) == 1

    def note(self, places: Array, y: Array, log: Log, factors: Array) -> None:
        """Count the updates made on these rows, of these classes, and record them if asked to."""
        self.updates[-1] += len(log.time)
        if self.recorded is not None:
            dual_record.note(self.recorded, len(self.mistakes) - 1, places, y, log, factors)

    def begin_pass(self) -> None:
        """Count from here on as in one more pass."""
        if self.recorded is not None:
            self.recorded.visited = 0
        self.mistakes.append(0)
        self.updates.append(0)
        self.least[:] = np.inf

    def branch(self, outputs: Array | None = None) -> "DualRun":
        """A run that can go its own way, its weight vectors mixed if there are new classes."""
        squares, counts, total, least = (
            numbers.copy() for numbers in (self.squares, self.counts, self.total, self.least)
        )
        if outputs is not None and not self.is_joint:
            share = abs(outputs).astype(np.int64)  # a new vector is an old one, its negative, or 0
            counts, total, squares = counts @ share, total @ share, squares @ share
            least = np.zeros(share.shape[1])
        return replace(
            self,
            support=self.support.branch(outputs),
            squares=squares,
            counts=counts,
            total=total,
            least=least,
            memory=None if self.memory is None else self.memory.branch(outputs),
            mistakes=list(self.mistakes),
            updates=list(self.updates),
            recorded=None if self.recorded is None else self.recorded.copy(),
        )


class DualTelling(Counting[DualRun]):
    """A kernel machine all of whose knowledge is in its run (abstract)."""

    @property
    def converged_(self) -> bool:
        """Was the last pass free of mistakes?"""
        return self._fitted().mistakes[-1] == 0

    @property
    def support_(self) -> Array:
        """Which examples were erred on; of a stream, how many had come before each."""
        support = self._rows_kept("support_")
        return support.numbers[: support.n].copy()

    @property
    def support_vectors_(self) -> Any:
        """The rows that were erred on."""
        support = self._rows_kept("support_vectors_")
        if not support.keeps_rows:
            raise AttributeError("support_vectors_ is not known with kernel='precomputed'.")
        rows = support.stacked()
        return np.zeros((0, self._run.width), self._run.dtype) if rows is None else rows.copy()

    @property
    def dual_coef_(self) -> Array:
        """The coefficients of the support in each weight vector."""
        support = self._rows_kept("dual_coef_")
        return support.coef[: support.n].T.copy()

    @property
    def radius_(self) -> float:
        r"""The largest length $\sqrt{k(x, x)}$ of an example in the feature space."""
        return float(np.sqrt(self._fitted().largest))

    @property
    def trace_(self) -> Any:
        """What happened, update by update, as a `novikoff.DualTrace`: with ``record=True`` only."""
        # the trace knows the learners, so they cannot know it when imported
        from novikoff.dual_trace import DualTrace

        if self._fitted().recorded is None:
            raise AttributeError("trace_ is kept with record=True only: set it, and fit again.")
        return DualTrace(self)

    def _rows_kept(self, name: str) -> Support:
        support = self._fitted().support
        if not isinstance(support, Support):
            raise AttributeError(f"{name} is not kept with kernel='linear': coef_ is.")
        return support
