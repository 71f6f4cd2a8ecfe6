"""What traces have in common: a record for each update, tables of them, and weights on the way."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from novikoff.certificates.report import html_table
from novikoff.errors import DataError, ParameterError
from novikoff.learners.state import Space
from novikoff.typing import Array

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

COLUMNS = ("epoch", "position", "example", "label", "score", "squared_norm", "mistakes", "step")
"""What tables have; of more than two classes also which gained the example, and which lost it."""


class Record(ABC):
    """The updates of a run, in columns (abstract)."""

    _learner: object
    start: Array
    mistakes_per_epoch: Array
    _space: Space
    _square: Array
    """The squared length of the start."""

    def _fill(self, table: Array, before: int) -> None:
        """Fill the columns with these updates, before which there were so many mistakes."""
        kept = {name: table[name].copy() for name in table.dtype.names or ()}
        self.epoch, self.position, self.example, self.step, self.score = (
            kept[name] for name in ("epoch", "position", "example", "step", "score")
        )
        if "label" in kept:
            self.label = kept["label"]
        self.squared_norm = kept["square"]
        self.gained, self.lost = kept.get("gained"), kept.get("lost")
        self.mistakes = kept.get("mistakes", before + 1 + np.arange(len(table)))

    def __len__(self) -> int:
        return len(self.step)

    def __repr__(self) -> str:
        n, epochs = len(self), len(self.mistakes_per_epoch)
        return (
            f"<Trace of a {type(self._learner).__name__}: {n:,} update{'s' * (n != 1)} in "
            f"{epochs:,} epoch{'s' * (epochs != 1)}>"
        )

    def _repr_html_(self) -> str:
        return html_table(repr(self).strip("<>"), self._columns())

    def weights(self, k: ArrayLike) -> Array:
        """The weights after update `k`, to the last bit as they were in the run.

        Parameters
        ----------
        k : int or sequence of int
            From 0, the start, to the number of updates.

        Returns
        -------
        ndarray of the shape of `start`, or (len(k), ...) for a sequence
            With more than two classes, one row per class. A class that came later in a stream has
            weights of 0 before.
        """
        ks = np.asarray(k)
        if ks.dtype.kind not in "iu" or ks.ndim > 1 or not ((ks >= 0) & (ks <= len(self))).all():
            told = f"{{k=}} was given, but updates are numbered 0 to {len(self)}."
            raise ParameterError(told, k=k)
        order = np.argsort(ks, axis=None)
        found = np.empty((ks.size, *self.start.shape), self.start.dtype)
        for place, w in zip(order, self._replayed(ks.ravel()[order]), strict=True):
            found[place] = w
        return found.reshape(*ks.shape, *self.start.shape)

    @abstractmethod
    def _replayed(self, ks: Array) -> Iterator[Array]:
        """The weights after each of these updates, in increasing order; the next overwrites it."""

    def _require_same_squares(self, found: float, k: int, size: int) -> None:
        """Other data would have led to weights of another length after `k` updates."""
        expected = float(self.squared_norm[k - 1])
        scale = max(expected, float(self.squared_norm[:k].max()), float(self._square.max()))
        if np.isfinite(found) and abs(found - expected) > 1e-9 * (k + size) * scale:
            raise DataError(
                "The data is not what the run learned from: replayed, it leads to "
                "other weights. trace.with_data(X, y) takes the right one."
            )

    def _columns(self) -> dict[str, Array]:
        every = {name: getattr(self, name, None) for name in (*COLUMNS, "gained", "lost")}
        return {name: column for name, column in every.items() if column is not None}

    def to_pandas(self) -> "pd.DataFrame":
        """The updates as a pandas DataFrame, one row per update.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas as pd

        return pd.DataFrame(self._columns())

    def to_arrow(self) -> "pa.Table":
        """The updates as an Arrow table, one row per update.

        Returns
        -------
        pyarrow.Table
        """
        import pyarrow as pa

        return pa.table(self._columns())
