"""The container of a model file: safetensors, read with nothing taken on trust.

Eight bytes hold the length of the header as a little-endian integer; the header is a JSON
object; the tensors follow it without a gap. `safetensors` itself reads such files. It
writes its metadata in no fixed order, so that the same model would give other bytes each
time: hence the writer here.

Two checksums are part of the metadata: that of all bytes after the header, and that of the header
as it is without this one. They are compared before anything in the file is used.
"""

import hashlib
import io
import json
import os
import stat
import sys
from math import prod
from typing import IO, Any, NamedTuple

import numpy as np
import safetensors
import safetensors.numpy

from novikoff.errors import ModelFileError, ParameterError
from novikoff.store.values import parsed_object, written
from novikoff.typing import Array

STDIN = "-"
HEADER_LIMIT = 1 << 24
"""How long a header may be, in bytes: it is the only part that is read before it is checked."""

HEADER_SUM, TENSORS_SUM = "header_sha256", "tensors_sha256"
WITHOUT_SUMS = "1"
"""The version of the format that had no checksums."""

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
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    end, arrays, body = 0, [], hashlib.sha256()
    for name in names:
        begin, end = end, end + tensors[name].nbytes
        arrays.append(np.ascontiguousarray(tensors[name], tensors[name].dtype.newbyteorder("<")))
        body.update(arrays[-1].data.cast("B") if arrays[-1].size else b"")
        header[name] = {
            "dtype": NAMES[tensors[name].dtype],
            "shape": list(tensors[name].shape),
            "data_offsets": [begin, end],
        }
        _place(name, header[name])  # what could not be read is not written
    header["__metadata__"][TENSORS_SUM] = body.hexdigest()
    header["__metadata__"][HEADER_SUM] = header_sum(header)
    text = written(header).encode("ascii")
    text += b" " * (-len(text) % 8)
    if len(text) > HEADER_LIMIT:
        raise ParameterError(
            f"The header of the file would have {len(text)} bytes, but {HEADER_LIMIT} is the most "
            "it may have: give less as extra."
        )
    file.write(len(text).to_bytes(8, "little"))
    file.write(text)
    for array in arrays:
        file.write(array.data.cast("B") if array.size else b"")


def header_sum(header: dict[str, Any]) -> str:
    """The checksum of a header, whatever it says that it is."""
    metadata = {k: v for k, v in header["__metadata__"].items() if k != HEADER_SUM}
    text = written({**header, "__metadata__": metadata})
    return hashlib.sha256(text.encode("ascii")).hexdigest()


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
    if header.tensors_sum not in (None, hashlib.sha256(data[len(start) :]).hexdigest()):
        raise ModelFileError("The file is damaged: its tensors do not have their checksum.")
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
    tensors_sum: str | None
    """Their checksum; None for the first version of the format, which had none."""


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
        raise ModelFileError("The file is empty: this is not a model file.")
    first = file.read(8)
    length = int.from_bytes(first, "little")
    if len(first) < 8 or size < 10:
        raise ModelFileError(
            f"The file has {size} bytes: this is not a model file, or a part of one."
        )
    if all(32 <= byte < 127 or byte in b"\t\r\n" for byte in first):  # no length of a header
        raise ModelFileError(
            f"This is not a model file: it begins with the text {first.decode()!r}. Give a file "
            "that `save` or `novikoff fit -o` has written."
        )
    if length > HEADER_LIMIT:
        raise ModelFileError(
            "This is not a model file, or it is damaged: its first 8 bytes promise a header of "
            f"{length} bytes, and {HEADER_LIMIT} is the most there is."
        )
    text = file.read(length)
    if len(text) < length:
        raise ModelFileError(
            f"The file is truncated: its header should have {length} bytes and has {len(text)}."
        )
    header = parsed_object(text, "The header")
    metadata = header.get("__metadata__")
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise ModelFileError("The header has no metadata, so this is not a model file of novikoff.")
    sums = metadata.get(HEADER_SUM), metadata.get(TENSORS_SUM)
    summed = metadata.get("format_version", WITHOUT_SUMS) != WITHOUT_SUMS or any(sums)
    if summed and (None in sums or sums[0] != header_sum(header)):
        raise ModelFileError("The file is damaged: its header does not have its checksum.")
    metadata = {k: v for k, v in metadata.items() if k not in (HEADER_SUM, TENSORS_SUM)}
    del header["__metadata__"]
    promised = _end_of_tensors(header)
    there = size - 8 - length
    if there != promised:
        state = "is truncated" if there < promised else "has more in it than a model"
        raise ModelFileError(
            f"The file {state}: its tensors should have {promised} bytes, and {there} are there."
        )
    return first + text, Header(metadata, promised, sums[1])


def _end_of_tensors(entries: dict[str, object]) -> int:
    """How many bytes the tensors take, which must lie one after the other without a gap."""
    places = sorted((*_place(name, entry), name) for name, entry in entries.items())
    end, before = 0, "the header"
    for begin, stop, name in places:
        if begin != end:
            how = "overlap" if begin < end else "leave a gap"
            raise ModelFileError(f"The tensors {before!r} and {name!r} {how}: the file is damaged.")
        end, before = stop, name
    return end


def _place(name: str, entry: object) -> tuple[int, int]:
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


def _counts(numbers: object) -> bool:
    return isinstance(numbers, list) and all(type(n) is int and 0 <= n < 1 << 62 for n in numbers)
