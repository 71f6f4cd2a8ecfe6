"""What can be asked of a reader."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from novikoff.data.formats import FORMATS
from novikoff.errors import ParameterError
from novikoff.parallel.cores import n_cores, require_jobs

MESSAGES_KEPT = 5
MOST_BITS = 30
Column = int | str | None
Columns = Column | list[int | str] | tuple[int | str, ...]


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
                raise ParameterError.of(name, value, "a whole number above 0")
        if self.dtype is not None and np.dtype(self.dtype) not in (np.float64, np.float32):
            raise ParameterError.of("dtype", self.dtype, "float64, float32 or None")
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
        raise ParameterError.of(name, value, f"one of {shown}")


def require_bits(bits: int) -> None:
    """Raise an error if hashes cannot have that many bits."""
    if not (isinstance(bits, int | np.integer) and 1 <= bits <= MOST_BITS):
        raise ParameterError.of("bits", bits, f"from 1 to {MOST_BITS}")
