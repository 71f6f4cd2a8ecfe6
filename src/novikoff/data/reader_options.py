"""What can be asked of a reader."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from novikoff.data.formats import FORMATS
from novikoff.errors import ParameterError
from novikoff.parallel.cores import n_cores
from novikoff.parameters import FLAG, JOBS, WHOLE, one_of, require

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
    dtype: npt.DTypeLike | None = None
    bad_lines: Literal["error", "skip"] = "error"
    n_jobs: int | None = None
    block_bytes: int = 2**24

    def __post_init__(self) -> None:
        require("format", self.format, one_of(*FORMATS), words=(None,))
        require("zero_based", self.zero_based, FLAG, words=("auto",))
        require("labels", self.labels, one_of("required", "optional"))
        require("bad_lines", self.bad_lines, one_of("error", "skip"))
        require_bits(self.bits)
        require("n_features", self.n_features, WHOLE, words=(None,))
        require("block_bytes", self.block_bytes, WHOLE)
        if self.dtype is not None and np.dtype(self.dtype) not in (np.float64, np.float32):
            raise ParameterError.of("dtype", self.dtype, "float64, float32 or None")
        require("n_jobs", self.n_jobs, JOBS, words=(None,))

    @property
    def ignored(self) -> tuple[int | str, ...]:
        """The columns to leave out."""
        if self.ignore is None:
            return ()
        return tuple(self.ignore) if isinstance(self.ignore, list | tuple) else (self.ignore,)

    @property
    def float_type(self) -> np.dtype[np.floating]:
        """The type of the values that are made from text."""
        is_single = self.dtype is not None and np.dtype(self.dtype) == np.float32
        return np.dtype(np.float32) if is_single else np.dtype(np.float64)

    @property
    def threads(self) -> int:
        """How many threads may parse: as many as there are cores, unless told."""
        return n_cores() if self.n_jobs in (None, -1) else int(self.n_jobs)


def require_bits(bits: int) -> None:
    """Raise an error if hashes cannot have that many bits."""
    if not (isinstance(bits, int | np.integer) and 1 <= bits <= MOST_BITS):
        raise ParameterError.of("bits", bits, f"from 1 to {MOST_BITS}")
