"""What readers return: examples, where they stood in the file, and which lines were skipped."""

from collections import Counter
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.typing import Matrix

if TYPE_CHECKING:
    from novikoff.data.tables.plan import TablePlan

MESSAGES_KEPT = 5
NOTHING: "Counter[str]" = Counter()
"""Never added to in place."""


class Place(NamedTuple):
    """A place between two lines of a text, or between two rows of a table."""

    offset: int = 0
    """How many bytes of text (decompressed), or rows of a table, come before it."""
    line: int = 1
    """The number of the line, or row, after it."""
    file: int = 0
    """Of several files, the number of the one that it is in."""

    def __repr__(self) -> str:
        """The file is left out where it is the first, or the only one."""
        file = f", file={self.file}" if self.file else ""
        return f"Place(offset={self.offset}, line={self.line}{file})"


class Skipped(NamedTuple):
    """The bad lines that were left out, as ``bad_lines="skip"`` asks."""

    n_lines: int = 0
    messages: tuple[str, ...] = ()
    """What was wrong with the first few of them."""

    def __add__(self, other: "Skipped") -> "Skipped":  # type: ignore[override]
        """Both, one after the other."""
        messages = (*self.messages, *other.messages)[:MESSAGES_KEPT]
        return Skipped(self.n_lines + other.n_lines, messages)

    @property
    def aside(self) -> str:
        """What to add to a sentence about what is missing, which may be in these lines."""
        if not self.n_lines:
            return ""
        lines = "1 bad line was" if self.n_lines == 1 else f"{self.n_lines:,} bad lines were"
        return f" ({lines} skipped; the first: {self.messages[0]})"


class Data(NamedTuple):
    """Examples from a file: all of them, or one block.

    Parameters
    ----------
    X : csr_array or array of shape (n, n_features)
        Sparse from svmlight and Vowpal Wabbit text, dense from tables, as stored from `.npz`.
    y : array of shape (n,) or None
        The labels, numbers or strings: in a text, numbers if the first of them is. With
        ``labels="optional"``, an example without label has NaN among numbers and "" among strings,
        and a table without labels has None.
    weight : array of shape (n,) or None
        Importance weights. None if all are 1.
    names : list of str or None
        What the columns are called, if the file says so.
    tags : list of str or None
        The tag of each example of a Vowpal Wabbit text, "" for none. None if there are none at all.
    skipped : Skipped
        How many bad lines were left out, and what was wrong with the first few.
    start, next : Place
        Where the block starts, and where the next one does: ``stream(..., start=block.next)``.
    plan : TablePlan or None
        Of a table, what became of its columns: ``read(other, plan=data.plan)`` does the same.
    unseen : Counter
        How many values of each column the plan did not know from the first rows: new values of
        categories, which count for nothing, and blanks in columns that had none, which become the
        mean.
    unused : tuple of str
        The columns of a table that a plan made beforehand does not have.
    taken : int
        How many bytes of the file, compressed if it is, were read by the end of the block.
    base : int
        The number that the file has for the first column: 1 in svmlight text whose indices start
        there, else 0.
    kept : dict or None
        The columns of a table that `keep` names, by name (or the number as text, without names):
        arrays of Arrow's, text if the file is CSV; of NumPy's from `.npy`. None if it names none.

    Examples
    --------
    >>> import io
    >>> from novikoff.data import read
    >>> data = read(io.BytesIO(b"1 1:0.5\\n-1 2:2\\n"))
    >>> data.X.toarray().tolist(), data.y.tolist(), data.weight
    ([[0.5, 0.0], [0.0, 2.0]], [1.0, -1.0], None)
    """

    X: Matrix
    y: Any
    weight: npt.NDArray[np.float64] | None = None
    names: list[str] | None = None
    tags: list[str] | None = None
    skipped: Skipped = Skipped()
    start: Place = Place()
    next: Place = Place()
    base: int = 0
    plan: "TablePlan | None" = None
    unseen: "Counter[str]" = NOTHING
    unused: tuple[str, ...] = ()
    kept: dict[str, Any] | None = None
    taken: int = 0


Blocks = Generator[Data, None, None]
