"""The results of readers: examples, their place in the file, and the lines that were skipped."""

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
    """A position between two lines of text, or between two rows of a table."""

    offset: int = 0
    """The number of bytes of text (decompressed), or rows of a table, before it."""
    line: int = 1
    """The number of the line or row after it."""
    file: int = 0
    """With several files, the number of its file."""

    def __repr__(self) -> str:
        """The file is left out where it is the first, or the only one."""
        file = f", file={self.file}" if self.file else ""
        return f"Place(offset={self.offset}, line={self.line}{file})"


class Skipped(NamedTuple):
    """The bad lines that ``bad_lines="skip"`` left out."""

    n_lines: int = 0
    messages: tuple[str, ...] = ()
    """The error messages of the first few."""

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
    """Examples from a file: all of them, or one block of a stream.

    Parameters
    ----------
    X : csr_array or array of shape (n, n_features)
        Sparse for svmlight and Vowpal Wabbit text, dense or sparse for tables, as stored for
        `.npz`.
    y : array of shape (n,) or None
        The labels, numbers or strings. In svmlight and Vowpal Wabbit text, they are numbers if the
        first one is. With ``labels="optional"``, an example without a label has NaN (or "" among
        strings), and a table without labels has None.
    weight : array of shape (n,) or None
        Importance weights. None if all are 1.
    names : list of str or None
        The names of the columns, if the file has them.
    tags : list of str or None
        The tag of each example of Vowpal Wabbit text, "" if it has none. None if no example has
        one.
    skipped : Skipped
        The number of bad lines that were left out, and the messages of the first few.
    start, next : Place
        The start of the block, and of the next one: ``stream(..., start=block.next)``.
    plan : TablePlan or None
        For tables, how the columns became features. Use it for other data:
        ``read(other, plan=data.plan)``.
    unseen : Counter
        For each column, the number of values that the plan does not know: new values of categories,
        which are ignored, and blanks in columns that had none, which become the mean.
    unused : tuple of str
        The columns of a table that a given plan does not have.
    taken : int
        The number of bytes of the file (compressed, if it is) read by the end of the block.
    base : int
        The number of the first column in the file: 1 in svmlight text with indices from 1, else 0.
    kept : dict or None
        The columns of a table that `keep` names, by name (or by number as text, if there are no
        names), as Arrow arrays (NumPy arrays for `.npy`). Values of CSV are text. None without
        `keep`.

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
