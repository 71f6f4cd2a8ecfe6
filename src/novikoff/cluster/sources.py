"""Where examples come from: many files, one large file in parts, or dask's own collections.

A shard is a part of the data that one worker reads and learns from at a time. What is sent about
is not the shard but its description. How data are cut into shards depends on the
data and on `shard_bytes`, never on the number of workers.
"""

import hashlib
import io
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from novikoff.data.compression import ENDINGS
from novikoff.data.locations import blamed_on_row
from novikoff.data.opener import changed, open_source
from novikoff.data.ranges import ranges_of, read_range
from novikoff.data.reader import guess, read
from novikoff.data.reader_options import Options
from novikoff.data.results import Data
from novikoff.data.several import expanded
from novikoff.errors import DataError, FileError, ParameterError
from novikoff.inputs.doubles import require_exact

if TYPE_CHECKING:
    from distributed import Client

Reading = dict[str, Any]
"""Options of `novikoff.data.read`, by name."""
Partitions = tuple[Any, ...]
"""Of a shard: what dask is still to make, or has made."""
SHARD_BYTES = 2**26
LINES = ("svmlight", "vw")


@dataclass(frozen=True)
class Shard(ABC):
    """A part of the data (abstract). It can be pickled, and is small."""

    number: int
    name: str
    """What messages call it."""
    reading: Reading = field(default_factory=dict)
    """The options of `novikoff.data.read` that were given, and the format if there is one."""

    @abstractmethod
    def load(self, *given: Any) -> Data:
        """The examples as they stand, `given` being the partitions of a collection, if any.

        Svmlight indices of unknown base are the columns themselves: see `settled`.
        """

    def blamed(self, data: Data, row: int, what: str, reading: Reading) -> DataError:
        """An error about one row of the examples."""
        return DataError(f"{self.name}, row {row}: {what}")

    @property
    def base_is_open(self) -> bool:
        """May its indices start at 0 or 1, as all shards together will tell?"""
        auto = self.reading.get("zero_based", "auto") == "auto"
        return self.reading.get("format") == "svmlight" and auto

    @property
    def loading(self) -> Reading:
        """The options to read it by before that is known."""
        unknown = {"zero_based": True, "n_features": None} if self.base_is_open else {}
        return {"n_jobs": 1} | self.reading | unknown

    def settled(self, data: Data, n_features: int, base: int) -> Data:
        """The examples in so many columns, the first being feature `base` of the file."""
        X = data.X
        if self.reading.get("format") != "svmlight":
            return data
        shift = base - data.base
        if data.X.shape[1] - shift > n_features:
            raise self.too_wide(n_features, base)
        indices = X.indices - X.indices.dtype.type(shift) if shift else X.indices
        wide = sparse.csr_array((X.shape[0], n_features), dtype=X.dtype)
        # set one by one: the constructor would look at them all
        wide.data, wide.indices, wide.indptr = X.data, indices, X.indptr
        wide.has_canonical_format = True
        return data._replace(X=wide, base=base)

    def too_wide(self, n_features: int, base: int) -> DataError:
        """An error about an index that is too large."""
        return DataError(f"{self.name} has more than {n_features} features.")

    def renamed(self, error: FileError) -> FileError:
        """The same error of the shard as messages call it."""
        return error.moved(self.name)


@dataclass(frozen=True)
class FileShard(Shard):
    """A file, or the part of a plain text between two bytes."""

    path: str = ""
    start: int = 0
    stop: int = 0
    """0 for all of the file."""
    size: int = 0
    """Of the whole file; if it has another, it was changed."""

    def load(self, *given: Any) -> Data:
        """Read the file, or this part of it."""
        return self._read(self.loading)

    def too_wide(self, n_features: int, base: int) -> DataError:
        """The same at the first such index: reading once more finds it."""
        self._read(self.loading | {"n_features": n_features, "zero_based": base == 0})
        return super().too_wide(n_features, base)

    def _read(self, options: Reading) -> Data:
        try:
            if os.path.exists(self.path) and os.stat(self.path).st_size != self.size:
                raise changed(self.path)
            if not self.stop:
                return read(self.path, **options)
            return read_range(self.path, self.start, self.stop, Options(**options))
        except FileError as error:
            raise self.renamed(error) from None

    def blamed(self, data: Data, row: int, what: str, reading: Reading) -> DataError:
        """An error at the line that a row came from."""
        options = {"n_jobs": 1} | reading
        return self.renamed(blamed_on_row(self.path, self.path, data, row, options, what))


@dataclass(frozen=True)
class PartShard(Shard):
    """A partition of a dask collection."""

    label: str = "label"
    """Of a data frame without separate labels, the column that has them."""

    def load(self, *given: Any) -> Data:
        """The partition as examples."""
        if len(given) == 1 and isinstance(given[0], list | tuple):
            return self._of_items(list(given[0]))
        names = None
        X, y = given[0], given[1] if len(given) > 1 else None
        weight = np.asarray(given[2], np.float64) if len(given) > 2 else None
        if hasattr(X, "columns"):
            if y is None:
                if self.label not in X.columns:
                    raise DataError(
                        f"{self.name} has no column called {self.label!r}: name the column of the "
                        "labels by {label}, or give (frame, labels).",
                        label=self.label,
                    )
                X, y = X.drop(columns=self.label), X[self.label]
            require_exact(X)  # one type for all columns may hold less
            names = [str(name) for name in X.columns]
            X = X.to_numpy()
        y = y.to_numpy() if y is not None and hasattr(y, "to_numpy") else y
        X = X.tocsr() if sparse.issparse(X) else np.asarray(X)
        y = np.asarray(y)
        if X.ndim != 2 or y.ndim != 1 or X.shape[0] != len(y):
            raise DataError(
                f"{self.name} has rows of shape {X.shape} and labels of shape {y.shape}: give "
                "a row of features and one label for each example."
            )
        return Data(X, y, weight, names)

    def _of_items(self, items: list[Any]) -> Data:
        """The examples in a partition of a bag: lines of text, or pairs of features and label."""
        if not items or isinstance(items[0], str | bytes):
            return self._of_lines(items)
        try:
            rows, y = zip(*items, strict=True)
        except (TypeError, ValueError):
            raise DataError(
                f"{self.name} is of a bag of {type(items[0]).__name__}: give lines of svmlight or "
                "Vowpal Wabbit text, or pairs of features and a label."
            ) from None
        if sparse.issparse(rows[0]):
            X = sparse.vstack([sparse.csr_array(row.reshape(1, -1)) for row in rows], format="csr")
        else:
            require_exact(rows)
            X = np.array(rows)
        return Data(X, np.array(y))

    def _of_lines(self, lines: list[str | bytes]) -> Data:
        kind = self.reading.get("format")
        if kind not in LINES:
            raise DataError(
                "A bag of lines needs {format} 'svmlight' or 'vw', and not " + f"{kind!r}.",
                format=kind,
            )
        text = [line.encode() if isinstance(line, str) else line for line in lines]
        whole = b"".join(line if line.endswith(b"\n") else line + b"\n" for line in text)
        if not whole.strip():
            return Data(sparse.csr_array((0, 1)), np.zeros(0))
        try:
            return read(io.BytesIO(whole), **self.loading)
        except FileError as error:
            raise self.renamed(error) from None


@dataclass
class Sharded:
    """Data in shards: their descriptions and, of a collection, the partitions, still to be made."""

    shards: list[Shard]
    parts: list[Partitions]
    """For each shard the dask delayed objects that `Shard.load` is to be given; () for files."""

    def __len__(self) -> int:
        return len(self.shards)

    def futures(self, client: "Client") -> list[Partitions]:
        """The partitions on the workers, as soon as they are made."""
        every = [part for parts in self.parts for part in parts]
        made = iter(client.compute(every) if every else ())
        return [tuple(next(made) for _ in parts) for parts in self.parts]

    @property
    def n_bytes(self) -> int:
        """About how much memory the shards of files take in all; 0 for collections."""
        found = 0
        for shard in self.shards:
            if isinstance(shard, FileShard):
                packed = os.path.splitext(shard.path)[1] in ENDINGS
                found += 8 * shard.size if packed else 2 * (shard.stop - shard.start or shard.size)
        return found


def sharded(source: object, *, shard_bytes: int = SHARD_BYTES, **reading: Any) -> Sharded:
    """The shards of whatever holds examples.

    Parameters
    ----------
    source : path, list of paths, dask collection, or (X, y) or (X, y, sample_weight) of them
        Paths may be patterns or folders. A dask array goes with one of labels; a dask data frame
        has them in its column `label`, or goes with a series; a bag has lines of svmlight or
        Vowpal Wabbit text (``format=...``), or pairs of features and label.
    shard_bytes : int, default=2**26
        Plain svmlight, Vowpal Wabbit or CSV text larger than this is cut into parts at line ends.
        All other files, and the partitions of a collection, are a shard each.
    **reading
        The options of `novikoff.data.read`.
    """
    if not (isinstance(shard_bytes, int | np.integer) and shard_bytes > 0):
        raise ParameterError.of("shard_bytes", shard_bytes, "a whole number above 0")
    Options(**reading)
    paths = [source] if isinstance(source, str | os.PathLike) else source
    if isinstance(paths, list) and all(isinstance(p, str | os.PathLike) for p in paths):
        return _of_files([os.fspath(path) for path in paths], int(shard_bytes), reading)
    for name, cure in (("weight", "give (X, y, sample_weight)"), ("ignore", "drop the columns")):
        if reading.get(name) is not None:
            raise ParameterError(
                f"{{{name}=}} was given, but that is about the columns of files: {cure} of the "
                "collection.",
                **{name: reading[name]},
            )
    parts = _partitions(source if isinstance(source, tuple) else (source,))
    n, label = len(parts), reading.get("label") or "label"
    shards: list[Shard] = [
        PartShard(i, f"partition {i} of {n}", reading, label=label) for i in range(n)
    ]
    return Sharded(shards, parts)


def _of_files(given: list[str], shard_bytes: int, reading: Reading) -> Sharded:
    shards: list[Shard] = []
    for path in expanded(given):
        with closing(open_source(path)) as opened:
            kind = reading.get("format") or guess(opened)
        size = os.stat(path).st_size
        for start, stop in ranges_of(path, shard_bytes, kind):
            whole = os.path.abspath(path)
            told = reading | {"format": kind}
            shards.append(FileShard(len(shards), path, told, whole, start, stop, size))
    return Sharded(shards, [() for _ in shards])


def _partitions(source: tuple[Any, ...]) -> list[Partitions]:
    """The partitions of each collection, side by side."""
    first = source[0]
    if not hasattr(first, "to_delayed") or not 1 <= len(source) <= 3:
        raise ParameterError(
            f"Cannot learn from {type(first).__name__}: give paths, a dask data frame or bag, or "
            "(X, y) of dask arrays."
        )
    if hasattr(first, "chunks"):
        if len(source) < 2:
            raise ParameterError("A dask array needs labels beside it: give (X, y).")
        return _rows_of_arrays(source)
    columns = [_delayed(collection) for collection in source]
    _require_side_by_side(columns)
    return list(zip(*columns, strict=True))


def _rows_of_arrays(arrays: Sequence[Any]) -> list[Partitions]:
    """Blocks of whole rows, and of the labels and weights that belong to them."""
    import dask.array

    X = arrays[0].rechunk({1: -1}) if arrays[0].ndim == 2 else arrays[0]
    if X.ndim != 2:
        raise ParameterError(f"X is a dask array of {X.ndim} dimensions: give rows of features.")
    columns = [X.to_delayed()[:, 0].tolist()]
    for other in arrays[1:]:
        if hasattr(other, "npartitions") and not hasattr(other, "chunks"):
            columns.append(_delayed(other))
            continue
        beside = dask.array.asarray(other)
        known = not any(np.isnan(n) for n in (*X.chunks[0], *beside.chunks[0]))
        if known and len(X) != len(beside):
            raise DataError(f"X has {len(X)} rows, but there are {len(beside)} labels or weights.")
        if known:
            beside = beside.rechunk((X.chunks[0],))
        columns.append(beside.to_delayed().ravel().tolist())
    _require_side_by_side(columns)
    return list(zip(*columns, strict=True))


def _delayed(collection: Any) -> list[object]:
    return list(np.ravel(collection.to_delayed()))


def _require_side_by_side(columns: list[list[object]]) -> None:
    if len({len(column) for column in columns}) > 1:
        raise DataError(
            f"The collections have {' and '.join(str(len(c)) for c in columns)} partitions: "
            "cut features, labels and weights at the same rows."
        )


def digest_of(data: Data) -> str:
    """What tells examples from others: a digest of all of their bytes."""
    digest, X = hashlib.blake2b(digest_size=16), data.X
    parts = [X.data, X.indices, X.indptr] if sparse.issparse(X) else [X]
    for part in (*parts, data.y, data.weight):
        if part is not None:
            kind = part.astype("U") if part.dtype.kind == "O" else part
            digest.update(f"{kind.dtype.str} {kind.shape} ".encode())
            whole = np.ascontiguousarray(kind)
            digest.update(whole.data if whole.dtype.kind in "biuf" else whole.tobytes())
    return digest.hexdigest()
