"""What can be asked of a reader, and what it answers."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.cores import n_cores, require_jobs
from novikoff.data.blocks import Place
from novikoff.errors import FileError, ParameterError

FORMATS = ("svmlight", "vw", "csv", "parquet", "arrow", "npy", "npz")
MESSAGES_KEPT = 5
MOST_BITS = 30
Column = int | str | None
Columns = Column | list[int | str] | tuple[int | str, ...]


class Skipped(NamedTuple):
    """The bad lines that were left out, as ``bad_lines="skip"`` asks."""

    n_lines: int = 0
    messages: tuple[str, ...] = ()
    """What was wrong with the first few of them."""

    def __add__(self, other: Any) -> "Skipped":
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
        The labels: floats from svmlight and Vowpal Wabbit text, else numbers or strings. NaN (from
        these two) or None (from others) without labels, if ``labels="optional"``.
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
    base : int
        The number that the file has for the first column: 1 in svmlight text whose indices start
        there, else 0.

    Examples
    --------
    >>> import io
    >>> from novikoff.data import read
    >>> data = read(io.BytesIO(b"1 1:0.5\\n-1 2:2\\n"))
    >>> data.X.toarray().tolist(), data.y.tolist(), data.weight
    ([[0.5, 0.0], [0.0, 2.0]], [1.0, -1.0], None)
    """

    X: Any
    y: Any
    weight: npt.NDArray[np.float64] | None = None
    names: list[str] | None = None
    tags: list[str] | None = None
    skipped: Skipped = Skipped()
    start: Place = Place()
    next: Place = Place()
    base: int = 0


Blocks = Generator[Data, None, None]


@dataclass(frozen=True)
class Options:
    """The arguments of `novikoff.data.read` and `stream`, checked."""

    format: str | None = None
    label: Column = None
    weight: Column = None
    ignore: Columns = None
    n_features: int | None = None
    zero_based: bool | Literal["auto"] = "auto"
    bits: int = 18
    labels: Literal["required", "optional"] = "required"
    dtype: Any = None
    bad_lines: Literal["error", "skip"] = "error"
    n_jobs: int | None = None
    block_bytes: int = 2**24

    def __post_init__(self) -> None:
        one_of("format", self.format, (None, *FORMATS))
        one_of("zero_based", self.zero_based, ("auto", True, False))
        one_of("labels", self.labels, ("required", "optional"))
        one_of("bad_lines", self.bad_lines, ("error", "skip"))
        require_bits(self.bits)
        for name in ("n_features", "block_bytes"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int | np.integer) and value > 0):
                raise ParameterError(f"{name}={value!r}: must be a whole number above 0.")
        if self.dtype is not None and np.dtype(self.dtype) not in (np.float64, np.float32):
            raise ParameterError(f"dtype={self.dtype!r}: must be float64, float32 or None.")
        require_jobs(self.n_jobs)

    @property
    def ignored(self) -> tuple[int | str, ...]:
        """The columns to leave out."""
        if self.ignore is None:
            return ()
        return tuple(self.ignore) if isinstance(self.ignore, list | tuple) else (self.ignore,)

    @property
    def float_type(self) -> np.dtype[Any]:
        """The type of the values that are made from text."""
        return np.dtype(np.float64 if self.dtype is None else self.dtype)

    @property
    def threads(self) -> int:
        """How many threads may parse: as many as there are cores, unless told."""
        return n_cores() if self.n_jobs in (None, -1) else int(self.n_jobs)


def one_of(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Raise an error if an option has a value that it cannot have."""
    if not any(value is c or (isinstance(c, str) and value == c) for c in choices):
        shown = ", ".join(map(repr, choices))
        raise ParameterError(f"{name}={value!r}: choose from {shown}.")


def require_bits(bits: int) -> None:
    """Raise an error if hashes cannot have that many bits."""
    if not (isinstance(bits, int | np.integer) and 1 <= bits <= MOST_BITS):
        raise ParameterError(f"bits={bits!r}: hashed columns need 1 to {MOST_BITS} bits.")


def require_examples(name: str, n: int, skipped: Skipped) -> None:
    """Raise an error if there are no examples."""
    if n == 0:
        raise FileError(name, f"found no examples{skipped.aside}, expected at least one")
