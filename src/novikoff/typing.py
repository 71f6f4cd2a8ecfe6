"""What arrays and matrices are called in annotations."""

from typing import Any, TypeAlias

import numpy.typing as npt

Array = npt.NDArray[Any]
"""An array of whatever type and shape is said beside it."""
Matrix: TypeAlias = Any
"""Examples, a row each: an array, or scipy's CSR, which has no types."""
MatrixLike: TypeAlias = Any
"""What users may give for a matrix: an array, lists, a frame, a sparse matrix."""
Given: TypeAlias = npt.ArrayLike | None
"""What users may give for an array, or leave out."""
Rows: TypeAlias = Any
"""Examples as kernels see them: an array, or one of the kinds of `novikoff.core.rows`."""
Rule: TypeAlias = Any
"""What a learner does about an example: a named tuple of numbers, as `novikoff.core.rules` says."""
