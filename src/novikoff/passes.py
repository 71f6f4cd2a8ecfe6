"""Several passes of a learner over data that come in blocks.

`partial_fit` takes a stream for one long pass. Here a stream comes again and again: each time
is a pass of its own, and the last one proves a margin if it changed nothing.
"""

import numpy as np
from numpy.typing import ArrayLike

from novikoff.learners.base import MistakeDriven
from novikoff.typing import Array, MatrixLike


class Passes:
    """A learner on its way through the blocks of a data set.

    A pass over a block is the same whenever it is made: the order in which a learner that
    shuffles visits it depends on the seed, the pass and the number of the block.
    """

    def __init__(
        self, model: MistakeDriven, seed: int, classes: ArrayLike | None, *, complete: bool = True
    ) -> None:
        self.model, self.seed, self.classes = model, seed, classes
        self.complete = complete
        """Are these all classes, so that another label is an error?"""
        self.fresh = True
        """Is the next block the first of a pass?"""
        self.given = 0
        """How many examples this pass has been given so far."""

    def learn(self, number: int, X: MatrixLike, y: Array, weight: Array | None) -> int:
        """Learn from a block; how many mistakes that made."""
        model = self.model
        fitted = model._is_fitted()
        if self.fresh and fitted:
            model._state.stream.is_open = False  # or it would be taken for more of the last pass
        before = 0 if self.fresh else model._state.ledger.mistakes[-1]
        epoch = 0 if not fitted else len(model._state.ledger.mistakes) - (not self.fresh)
        given = model.random_state
        mixed = np.random.SeedSequence((self.seed, epoch, number))
        model.random_state = int(mixed.generate_state(1)[0])
        recorded = model._state.log if fitted else None
        known = 0 if recorded is None else recorded.n_given
        if recorded is not None:
            recorded.n_given = self.given  # examples have the numbers of the pass before
        try:
            told = self.classes if self.complete or not fitted else None
            weights = {} if weight is None else {"sample_weight": weight}
            model.partial_fit(X, y, told, **weights)
        finally:
            model.random_state = given
            if recorded is not None and model._state.log is not None:
                for made in (recorded, model._state.log):  # another one, if classes have come
                    made.n_given = max(made.n_given, known)
        self.fresh = False
        self.given += len(y)
        return int(model._state.ledger.mistakes[-1] - before)

    def end(self) -> int:
        """End a pass; how many updates it made."""
        run = self.model._state
        run.stream.is_open, run.stream.one_data_set = False, True
        run.ledger.lengths = run.ledger.lengths.of_all()
        self.fresh, self.given = True, 0
        return run.ledger.changed
