"""The container of a model file: safetensors, read with nothing taken on trust.

Eight bytes hold the length of the header as a little-endian integer; the header is a JSON
object; the tensors follow it without a gap. `safetensors` itself reads such files. It
writes its metadata in no fixed order, so that the same model would give other bytes each
time: hence the writer here.
"""

import io
import json
import os
import stat
import sys
from math import prod
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import safetensors
import safetensors.numpy

from novikoff.errors import ModelFileError, ParameterError
from novikoff.store.values import parsed_object, written

Array = npt.NDArray[Any]

STDIN = "-"
HEADER_LIMIT = 1 << 24
"""How long a header may be, in bytes: it is the only part that is read before it is checked."""

TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "U16": "<u2",
    "I8": "|i1",
    "U8": "|u1",
    "BOOL": "|b1",
}
"""The types a tensor of a model can have, as safetensors and as numpy call them."""

NAMES = {np.dtype(name): code for code, name in TYPES.items()}


class Contents(NamedTuple):
    """What a file holds."""

    metadata: dict[str, str]
    tensors: dict[str, Array]


def write(file: IO[bytes], contents: Contents) -> None:
    """Write a container; the same contents give the same bytes."""
    metadata, tensors = contents
    # the widest first, so that each starts at a multiple of its width
    names = sorted(tensors, key=lambda name: (-tensors[name].itemsize, name))
    header: dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for name in names:
        begin, end = end, end + tensors[name].nbytes
        header[name] = {
            "dtype": NAMES[tensors[name].dtype],
            "shape": list(tensors[name].shape),
            "data_offsets": [begin, end],
        }
        _place(name, header[name])  # what could not be read is not written
    text = written(header).encode("ascii")
    text += b" " * (-len(text) % 8)
    if len(text) > HEADER_LIMIT:
        raise ParameterError(
            f"The header of the file would have {len(text)} bytes, but {HEADER_LIMIT} is the most "
            "it may have: give less as extra."
        )
    file.write(len(text).to_bytes(8, "little"))
    file.write(text)
    for name in names:
        array = np.ascontiguousarray(tensors[name], tensors[name].dtype.newbyteorder("<"))
        file.write(array.data.cast("B") if array.size else b"")


def read_metadata(path: str | os.PathLike[str]) -> dict[str, str]:
    """What the header of a file says, without its tensors."""
    with _opened(path) as file:
        return _header(file)[1].metadata


def read(path: str | os.PathLike[str]) -> Contents:
    """Read a container, or raise a `ModelFileError` that says what is wrong with it."""
    with _opened(path) as file:
        start, header = _header(file)
        data = start + file.read(header.size)
    if len(data) != len(start) + header.size:
        raise ModelFileError("The file became shorter while it was read.")
    try:
        tensors = safetensors.numpy.load(data)
    except safetensors.SafetensorError as error:
        raise ModelFileError(f"The file is not a sound safetensors file: {error}.") from error
    return Contents(header.metadata, tensors)


class Header(NamedTuple):
    """A header that has been checked."""

    metadata: dict[str, str]
    size: int
    """The number of bytes after the header."""


def _opened(path: str | os.PathLike[str]) -> IO[bytes]:
    if os.fspath(path) == STDIN:
        return _standard_input()

    def without_waiting(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe may have no writer

    file = open(path, "rb", opener=without_waiting)  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise ModelFileError("This is not a regular file, and so no model file.")
    return file


def _standard_input() -> IO[bytes]:
    """What it has; no more than its first bytes if those are not those of a model."""
    first = sys.stdin.buffer.read(8)
    fits = int.from_bytes(first, "little") <= HEADER_LIMIT
    return io.BytesIO(first + sys.stdin.buffer.read(-1 if fits else 2))


def _header(file: IO[bytes]) -> tuple[bytes, Header]:
    """The bytes up to the tensors, and what they say."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if size == 0:
        raise ModelFileError("The file is empty: this is no model file.")
    first = file.read(8)
    length = int.from_bytes(first, "little")
    if len(first) < 8 or size < 10:
        raise ModelFileError(f"The file has {size} bytes: this is no model file, or a part of one.")
    if all(32 <= byte < 127 or byte in b"\t\r\n" for byte in first):  # no length of a header
        raise ModelFileError(
            f"This is no model file: it begins with the text {first.decode()!r}. Give a file that "
            "`save` or `novikoff fit -o` has written."
        )
    if length > HEADER_LIMIT:
        raise ModelFileError(
            "This is no model file, or it is damaged: its first 8 bytes promise a header of "
            f"{length} bytes, and {HEADER_LIMIT} is the most there is."
        )
    text = file.read(length)
    if len(text) < length:
        raise ModelFileError(
            f"The file is truncated: its header should have {length} bytes and has {len(text)}."
        )
    header = parsed_object(text, "The header")
    metadata = header.pop("__metadata__", None)
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise ModelFileError("The header has no metadata, so this is no model file of novikoff.")
    promised = _end_of_tensors(header)
    there = size - 8 - length
    if there != promised:
        state = "is truncated" if there < promised else "has more in it than a model"
        raise ModelFileError(
            f"The file {state}: its tensors should have {promised} bytes, and {there} are there."
        )
    return first + text, Header(metadata, promised)


def _end_of_tensors(entries: dict[str, Any]) -> int:
    """How many bytes the tensors take, which must lie one after the other without a gap."""
    places = sorted((*_place(name, entry), name) for name, entry in entries.items())
    end, before = 0, "the header"
    for begin, stop, name in places:
        if begin != end:
            how = "overlap" if begin < end else "leave a gap"
            raise ModelFileError(f"The tensors {before!r} and {name!r} {how}: the file is damaged.")
        end, before = stop, name
    return end


def _place(name: str, entry: Any) -> tuple[int, int]:
    """Where a tensor begins and ends, if its entry in the header makes sense."""
    if isinstance(entry, dict) and entry.keys() == {"dtype", "shape", "data_offsets"}:
        dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
        if not isinstance(dtype, str) or dtype not in TYPES:
            raise ModelFileError(
                f"The tensor {name!r} has type {json.dumps(dtype)}, which no model has: "
                f"types are {', '.join(TYPES)}."
            )
        if _counts(shape) and len(shape) <= 3 and _counts(offsets) and len(offsets) == 2:
            begin, end = offsets
            if end - begin == prod(shape) * np.dtype(TYPES[dtype]).itemsize:
                return begin, end
    raise ModelFileError(
        f"The header's entry of the tensor {name!r} makes no sense: its type, shape and place "
        "do not fit together."
    )


def _counts(numbers: Any) -> bool:
    return isinstance(numbers, list) and all(type(n) is int and 0 <= n < 1 << 62 for n in numbers)
