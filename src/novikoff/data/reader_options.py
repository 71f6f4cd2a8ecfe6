"""What can be asked of a reader."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.data.formats import FORMATS
from novikoff.errors import ParameterError
from novikoff.parallel.cores import n_cores
from novikoff.parameters import FLAG, JOBS, WHOLE, Kind, one_of, require

if TYPE_CHECKING:
    from novikoff.data.tables.plan import TablePlan

MOST_BITS = 30
DELIMITER = Kind(
    "str",
    "a single character other than a quote",
    lambda given: isinstance(given, str) and len(given.encode()) == 1 and given not in '"\r\n',
)
Column = int | str | None
Columns = Column | list[int | str] | tuple[int | str, ...]


class Leader(NamedTuple):
    """What the first file with examples says for all, if there are several."""

    path: str
    has_rows: bool = False
    """Does it have examples? Until one has, the next is asked."""
    has_names: bool = False
    """Do its columns have names?"""
    text_labels: bool = False


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
    delimiter: str | None = None
    decimal: str | None = None
    plan: "TablePlan | None" = None
    text_labels: bool | None = None
    keep: Columns = None
    leader: Leader | None = None
    """Of tables in several files, the one that the others follow."""

    def __post_init__(self) -> None:
        require("format", self.format, one_of(*FORMATS), words=(None,))
        require("zero_based", self.zero_based, FLAG, words=("auto",))
        require("text_labels", self.text_labels, FLAG, words=(None,))
        require("labels", self.labels, one_of("required", "optional"))
        require("bad_lines", self.bad_lines, one_of("error", "skip"))
        require_bits(self.bits)
        require("n_features", self.n_features, WHOLE, words=(None,))
        require("block_bytes", self.block_bytes, WHOLE)
        if self.dtype is not None and np.dtype(self.dtype) not in (np.float64, np.float32):
            raise ParameterError.of("dtype", self.dtype, "float64, float32 or None")
        require("n_jobs", self.n_jobs, JOBS, words=(None,))
        require("delimiter", self.delimiter, DELIMITER, words=(None,))
        require("decimal", self.decimal, one_of(".", ","), words=(None,))
        if self.plan is not None and not hasattr(self.plan, "get_feature_names_out"):
            raise ParameterError.of("plan", self.plan, "a TablePlan or None")
        if self.delimiter is not None and self.delimiter == self.decimal:
            raise ParameterError(
                "{delimiter=} and {decimal=} were given, but they must be different.",
                delimiter=self.delimiter,
                decimal=self.decimal,
            )

    @property
    def settled_plan(self) -> "TablePlan | None":
        """The plan, if it is settled already."""
        return self.plan if hasattr(self.plan, "columns_") else None

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
