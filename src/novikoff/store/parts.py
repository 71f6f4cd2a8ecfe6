"""The parts of a model on their way into a file and back, each checked as it is taken out."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from novikoff.errors import ModelFileError
from novikoff.parameters import LARGEST
from novikoff.store.values import decoded
from novikoff.typing import Array

MOST = 1 << 53
"""How large a count can be: so many are counted exactly in doubles too."""


@dataclass
class Parts:
    """The parts of a model: JSON values and tensors by name.

    Each is taken out as it is read, so that what is left over is known not to belong.
    """

    values: dict[str, Any] = field(default_factory=dict)
    tensors: dict[str, Array] = field(default_factory=dict)

    def value(self, name: str) -> Any:
        """Take out a value."""
        if name not in self.values:
            raise ModelFileError(f"The file lacks {name!r}: it is damaged.")
        return decoded(name, self.values.pop(name))

    def flag(self, name: str) -> bool:
        """Take out a boolean."""
        value = self.value(name)
        if type(value) is not bool:
            raise ModelFileError(f"{name!r} is {value!r:.40} in the file, and not true or false.")
        return value

    def number(self, name: str, *, least: float = 0.0, most: float = np.inf) -> Any:
        """Take out a number of this range."""
        value = self.value(name)
        real = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if isinstance(value, int) and abs(value) > LARGEST:
            real = False  # and sums with it would not be either
        if not real or not least <= value <= most:
            raise ModelFileError(
                f"{name!r} is {value!r:.40} in the file, and not a number from {least:g} to "
                f"{most:g}."
            )
        return value

    def count(self, name: str, most: int = MOST) -> int:
        """Take out a whole number."""
        value = self.number(name, most=most)
        if type(value) is not int:
            raise ModelFileError(f"{name!r} is {value!r:.40} in the file, and no whole number.")
        return value

    def double(self, name: str, *, least: float = 0.0) -> float:
        """Take out a number in double precision, of at least so much."""
        value = self.value(name)
        if not isinstance(value, float) or not value >= least:
            raise ModelFileError(
                f"{name!r} is {value!r:.40} in the file, and not a float of at least {least}."
            )
        return value

    def tensor(self, name: str, dtypes: tuple[Any, ...], shape: tuple[int | None, ...]) -> Array:
        """Take out a tensor of one of these types and this shape (None for any length)."""
        if name not in self.tensors:
            raise ModelFileError(f"The file lacks the tensor {name!r}: it is damaged.")
        tensor = self.tensors.pop(name)
        if tensor.dtype not in [np.dtype(dtype) for dtype in dtypes]:
            raise ModelFileError(
                f"The tensor {name!r} is of type {tensor.dtype}, and should be of type "
                f"{' or '.join(str(np.dtype(dtype)) for dtype in dtypes)}."
            )
        fits = len(tensor.shape) == len(shape) and all(
            wanted in (None, n) for n, wanted in zip(tensor.shape, shape, strict=True)
        )
        if not fits:
            wanted = ", ".join("any" if n is None else str(n) for n in shape)
            raise ModelFileError(
                f"The tensor {name!r} has shape {tensor.shape}, and should have shape ({wanted})."
            )
        if tensor.dtype.kind == "f" and not np.isfinite(tensor).all():
            raise ModelFileError(f"The tensor {name!r} has a NaN or an infinity in it.")
        if tensor.dtype.kind == "b" and tensor.size and tensor.view(np.uint8).max() > 1:
            raise ModelFileError(f"The tensor {name!r} has a boolean that is neither 0 nor 1.")
        return tensor

    def counts(self, name: str, length: int | None, *, below: int) -> Array:
        """Take out a tensor of whole numbers from 0 to below a bound."""
        tensor = self.tensor(name, (np.int64,), (length,))
        if len(tensor) and not (tensor.min() >= 0 and tensor.max() < below):
            raise ModelFileError(f"The tensor {name!r} has a number that is out of range.")
        return tensor

    def require_empty(self) -> None:
        """Raise an error if there is anything that was not read."""
        left = [*self.values, *self.tensors]
        if left:
            raise ModelFileError(f"The file has {left[0]!r:.60}, which does not belong there.")
