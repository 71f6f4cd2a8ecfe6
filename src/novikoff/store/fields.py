"""The fields of a model: how each goes into a file, and what is checked when it comes back.

A field is declared once, in a table: a JSON value (`Value`), an array (`Tensor`), or numbers of
which each binary classifier has one (`Numbers`). Shapes and bounds are symbols. What a symbol
stands for is said beforehand, or by the first array that has it in its shape.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.errors import ModelFileError
from novikoff.inputs.arrays import IN_ORDER, csr_state
from novikoff.learners.state import Field, flat
from novikoff.parameters import LARGEST
from novikoff.store.values import decoded, encoded, parsed, written
from novikoff.typing import Array, Matrix

MOST = 1 << 53
"""How large a count can be: so many are counted exactly in doubles too."""
NUMBERS = {"number": (int, float, np.number), "whole number": (int,), "float": (float,)}
"""The kinds of numbers that JSON values can be."""


@dataclass
class Parts:
    """The parts of a model: JSON values and tensors by name.

    Each is taken out as it is read, so that what is left over is known not to belong.
    """

    values: dict[str, Any] = field(default_factory=dict)
    tensors: dict[str, Array] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    """What symbols stand for, as far as that is known."""
    precision: np.dtype[Any] = field(default_factory=lambda: np.dtype(np.float64))
    """The type of the weights."""

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

    def number(
        self, name: str, *, least: float = 0.0, most: float = np.inf, kind: str = "number"
    ) -> Any:
        """Take out a number of this range, and of this kind."""
        value = self.value(name)
        real = isinstance(value, NUMBERS[kind]) and not isinstance(value, bool)
        if isinstance(value, int) and abs(value) > LARGEST:
            real = False  # and sums with it would not be either
        if not real or not least <= value <= most:
            raise ModelFileError(
                f"{name!r} is {value!r:.40} in the file, and not a {kind} from {least:g} to "
                f"{most:g}."
            )
        return value

    def count(self, name: str) -> int:
        """Take out a whole number."""
        return int(self.number(name, most=MOST, kind="whole number"))

    def double(self, name: str, *, least: float = 0.0) -> float:
        """Take out a number in double precision, of at least so much."""
        value: float = self.number(name, least=least, kind="float")
        return value

    def object(self, name: str, what: str) -> "Parts":
        """Take out a JSON object, to be read in its turn."""
        told = self.values.pop(name, None)
        if not isinstance(told, dict):
            raise ModelFileError(f"The file lacks {what} of the run: it is damaged.")
        return Parts(dict(told))

    def tensor(
        self, name: str, dtypes: Sequence[npt.DTypeLike], shape: Sequence[str | int]
    ) -> Array:
        """Take out a tensor of one of these types and this shape."""
        if name not in self.tensors:
            raise ModelFileError(f"The file lacks the tensor {name!r}: it is damaged.")
        tensor = self.tensors.pop(name)
        allowed = [np.dtype(dtype) for dtype in dtypes]
        if tensor.dtype not in allowed:
            raise ModelFileError(
                f"The tensor {name!r} is of type {tensor.dtype}, and should be of type "
                f"{' or '.join(map(str, allowed))}."
            )
        wanted = [n if isinstance(n, int) else self.sizes.get(n, "any") for n in shape]
        fits = len(tensor.shape) == len(wanted) and all(
            size in ("any", n) for n, size in zip(tensor.shape, wanted, strict=True)
        )
        if not fits:
            raise ModelFileError(
                f"The tensor {name!r} has shape {tensor.shape}, and should have shape "
                f"({', '.join(map(str, wanted))})."
            )
        if tensor.dtype.kind == "f" and not np.isfinite(tensor).all():
            raise ModelFileError(f"The tensor {name!r} has a NaN or an infinity in it.")
        if tensor.dtype.kind == "b" and tensor.size and tensor.view(np.uint8).max() > 1:
            raise ModelFileError(f"The tensor {name!r} has a boolean that is neither 0 nor 1.")
        symbols = zip(shape, tensor.shape, strict=True)
        self.sizes |= {symbol: n for symbol, n in symbols if isinstance(symbol, str)}
        return tensor

    def require_empty(self) -> None:
        """Raise an error if there is anything that was not read."""
        left = [*self.values, *self.tensors]
        if left:
            raise ModelFileError(f"The file has {left[0]!r:.60}, which does not belong there.")


class Value(NamedTuple):
    """A JSON value."""

    name: str
    """In the file."""
    read: Callable[[Parts, str], Any]
    """Takes it out of the parts."""
    attribute: str = ""
    """What the attribute is called, if not by the end of that name."""

    def put(self, parts: Parts, value: object) -> None:
        """Put it into the parts."""
        parts.values[self.name] = encoded(self.name, value)

    def take(self, parts: Parts) -> Any:
        """Take it out again."""
        return self.read(parts, self.name)


class Tensor(NamedTuple):
    """An array, or a list."""

    name: str
    field: Field
    below: str = ""
    """A symbol: all numbers are below what it stands for."""
    attribute: str = ""
    optional: bool = False
    """May it be missing?"""
    listed: bool = False
    """Is it a list?"""
    once_like_weights: bool = False
    """Had it the type of the weights in older files, as full covariances had?"""

    def put(self, parts: Parts, value: Any) -> None:
        """Put it into the parts; what the only weights of two classes have, without that axis."""
        if value is None and self.optional:
            return
        if isinstance(value, list):
            pieces = bool(value) and isinstance(value[0], np.ndarray)
            value = (np.concatenate if pieces else np.array)(value, dtype=self.field.dtype)
        if self.field.most == LARGEST:  # what is not known yet is infinite
            value = np.minimum(value, LARGEST)
        parts.tensors[self.name] = flat(value) if self.field.shape[0] == "m" else value

    def take(self, parts: Parts) -> Any:
        """Take it out again, each number in its bounds; None if it may be missing, and is."""
        if self.optional and self.name not in parts.tensors:
            return None
        shape, dtype = self.field.shape, np.dtype(self.field.dtype or parts.precision)
        alone = shape[0] == "m" and parts.sizes["m"] == 1
        dtypes = (dtype, parts.precision) if self.once_like_weights else (dtype,)
        tensor = parts.tensor(self.name, dtypes, shape[1:] if alone else shape)
        least, most = self.field.least, self.field.most
        if self.below:
            most = parts.sizes[self.below] - 1
        bounded = tensor.size and (least > -np.inf or most < np.inf)
        if bounded and not (tensor.min() >= least and tensor.max() <= most):
            one = tensor[(tensor < least) | (tensor > most)][0]
            raise ModelFileError(
                f"The tensor {self.name!r} has a number that is out of range: {one:.6g}, and not "
                f"one from {least:g} to {most:g}."
            )
        if self.listed:
            return tensor.tolist()
        tensor = tensor.astype(dtype, copy=False)
        return tensor[None] if alone else tensor


class Numbers(NamedTuple):
    """Numbers of each binary classifier: a tensor, or for the only one a JSON value."""

    name: str
    least: float = 0.0
    attribute: str = ""

    def put(self, parts: Parts, value: Array) -> None:
        """Put them into the parts."""
        if len(value) > 1:
            self._several().put(parts, value)
        else:
            parts.values[self.name] = encoded(self.name, float(value[0]))

    def take(self, parts: Parts) -> Array:
        """Take them out again."""
        if parts.sizes["machines"] > 1:
            several: Array = self._several().take(parts)
            return several
        return np.array([float(parts.number(self.name, least=self.least))])

    def _several(self) -> Tensor:
        numbers = doubles("machines", least=self.least, most=LARGEST)
        return Tensor(f"each.{self.name}", numbers)


Table = tuple[Value | Tensor | Numbers, ...]


def attribute_of(one: Value | Tensor | Numbers) -> str:
    """The attribute of a part of a model that a field is: its name after the last dot."""
    return one.attribute or one.name.rpartition(".")[2]


def put(table: Table, part: object, parts: Parts) -> None:
    """Put all fields of a part of a model into the parts."""
    room = slice(getattr(part, "n", None))  # of arrays that grow, the first `n` rows count
    for one in table:
        value = getattr(part, attribute_of(one))
        one.put(parts, value[room] if isinstance(value, np.ndarray) else value)


def take(table: Table, parts: Parts) -> dict[str, Any]:
    """Take them out again, by the names of the attributes."""
    return {attribute_of(one): one.take(parts) for one in table}


def give(table: Table, part: object, parts: Parts) -> None:
    """Take them out again, and give them to a part that is there."""
    for name, value in take(table, parts).items():
        setattr(part, name, value)


def counts(length: str) -> Field:
    """Whole numbers from 0 on, so many."""
    return Field((length,), np.int64, 0)


def doubles(*shape: str, least: float = -np.inf, most: float = np.inf) -> Field:
    """Numbers in double precision."""
    return Field(shape, np.float64, least, most)


# ------------------------------------------------------------- texts


def put_texts(name: str, texts: list[str], parts: Parts) -> None:
    """Put texts into the parts: as a JSON list, which holds half characters too."""
    parts.tensors[name] = np.frombuffer(written(texts).encode("ascii"), np.uint8)


def take_texts(name: str, what: str, parts: Parts) -> list[str]:
    """Take them out again."""
    texts = parsed(parts.tensor(name, (np.uint8,), (name,)).tobytes(), f"The list of {what}")
    if not isinstance(texts, list) or not {*map(type, texts)} <= {str}:
        raise ModelFileError(f"The list of {what} in the file is no list of strings.")
    return texts


# ------------------------------------------------------------- the examples erred on


def put_rows(rows: Matrix, parts: Parts) -> None:
    """Put examples into the parts, dense or sparse."""
    if sparse.issparse(rows):
        for name in ("data", "indices", "indptr"):
            parts.tensors[f"support.{name}"] = getattr(rows, name)
    elif rows is not None:
        parts.tensors["support"] = rows


def take_rows(parts: Parts, width: int, dtypes: Sequence[npt.DTypeLike]) -> Matrix:
    """The examples erred on, dense or sparse; as many as are known to be kept, if that is known."""
    if "support" in parts.tensors:
        return parts.tensor("support", dtypes, ("kept", width))
    indptr = parts.tensor("support.indptr", (np.int32, np.int64), ("kept+1",))
    if not len(indptr):
        raise ModelFileError("The tensor 'support.indptr' is empty, and should begin with a 0.")
    n = len(indptr) - 1
    if parts.sizes.setdefault("kept", n) != n:
        raise ModelFileError(
            f"The file has {n} rows in its support, and not {parts.sizes['kept']}."
        )
    indices = parts.tensor("support.indices", (indptr.dtype,), ("stored",))
    data = parts.tensor("support.data", dtypes, ("stored",))
    sound = indptr[-1] == len(indices)
    if not sound or csr_state(indices.view(f"u{indices.itemsize}"), indptr, width) != IN_ORDER:
        raise ModelFileError("The sparse examples in the file point outside themselves.")
    support = sparse.csr_array((n, width), dtype=data.dtype)
    # set one by one: the constructor would narrow the indices
    support.data, support.indices, support.indptr = data, indices, indptr
    return support
