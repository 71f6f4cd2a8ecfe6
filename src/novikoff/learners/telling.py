"""What a fitted learner tells of its run."""

from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import NotFittedError

from novikoff.learners.state import State

Array = npt.NDArray[Any]


class Passes(Protocol):
    """How many mistakes each pass of a run made."""

    mistakes: list[int]


class Passed(Protocol):
    """What is known after a run."""

    @property
    def ledger(self) -> Passes: ...


R = TypeVar("R", bound=Passed)


class Counting(Generic[R]):
    """A learner all of whose knowledge is in its run, which counts mistakes (abstract)."""

    _state: R

    @property
    def n_iter_(self) -> int:
        """How many passes over the data were made; all of `partial_fit` is one."""
        return len(self._fitted().ledger.mistakes)

    @property
    def mistakes_(self) -> Array:
        """How many mistakes each pass made."""
        return np.array(self._fitted().ledger.mistakes, np.int64)

    @property
    def n_mistakes_(self) -> int:
        """How many mistakes were made in all."""
        return sum(self._fitted().ledger.mistakes)

    def _is_fitted(self) -> bool:
        return "_state" in self.__dict__

    def _fitted(self) -> R:
        if not self._is_fitted():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before using this estimator."
            )
        return self._state


class Telling(Counting[State]):
    """A learner with weights, which tells of its run (abstract)."""

    @property
    def converged_(self) -> bool:
        """Did the last pass change nothing?"""
        return self._fitted().ledger.changed == 0

    @property
    def dual_coef_(self) -> Array:
        """How often each example of `fit` was a mistake, with warm starts on the same data."""
        updates = self._fitted().ledger.updates
        if updates is None:
            raise AttributeError("dual_coef_ is known after fit only: a stream keeps no examples.")
        return updates.copy()

    @property
    def trace_(self) -> Any:
        """What happened, update by update, as a `novikoff.Trace`: with ``record=True`` only."""
        # the trace knows the learners, so they cannot know it when imported
        from novikoff.trace import Trace

        if self._fitted().log is None:
            raise AttributeError("trace_ is kept with record=True only: set it, and fit again.")
        return Trace(self)

    @property
    def radius_(self) -> float:
        """The largest length of an example, in the space the run took place in."""
        return self._fitted().ledger.length
