"""What traces have in common: a record for each update, and tables of them."""

from abc import ABC
from typing import Any

import numpy as np

from novikoff.typing import Array

COLUMNS = ("epoch", "position", "example", "label", "score", "squared_norm", "mistakes", "step")
"""What tables have; of more than two classes also which gained the example, and which lost it."""


class Record(ABC):
    """The updates of a run, in columns (abstract)."""

    _learner: Any
    mistakes_per_epoch: Array

    def _tell(self, table: Array, before: int) -> None:
        """Tell of these updates, before which there were so many mistakes."""
        kept = {name: table[name].copy() for name in table.dtype.names or ()}
        self.epoch, self.position, self.example, self.label, self.step, self.score = (
            kept[name] for name in ("epoch", "position", "example", "label", "step", "score")
        )
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

    def _columns(self) -> dict[str, Array]:
        many = () if self.gained is None else ("gained", "lost")
        return {name: getattr(self, name) for name in (*COLUMNS, *many)}

    def to_pandas(self) -> Any:
        """The updates as a pandas frame, a row each.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas as pd

        return pd.DataFrame(self._columns())

    def to_arrow(self) -> Any:
        """The updates as an Arrow table, a row each.

        Returns
        -------
        pyarrow.Table
        """
        import pyarrow as pa

        return pa.table(self._columns())
