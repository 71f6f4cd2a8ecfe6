"""NumPy's formats: one array in `.npy`, several in `.npz`. Nothing in them is ever executed.

A `.npy` file is a table of numbers, `label` and `weight` being numbers of columns. A `.npz` file
has `X`, or a sparse matrix as `scipy.sparse.save_npz` writes it, and `y`, and perhaps `weight`
and `names`.

References
----------
NumPy, `numpy.lib.format`; SciPy, `scipy.sparse.save_npz`.
"""

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from novikoff.data.pipes import Pipe
from novikoff.data.plain_file import PlainFile
from novikoff.data.reader_options import Options
from novikoff.data.results import Blocks, Data, Place, Skipped, require_examples
from novikoff.data.tables import Layout, joined, layout_of, sound
from novikoff.errors import FileError


def read_arrays(source: PlainFile | Pipe, options: Options) -> Data:
    """All of a file."""
    if options.format == "npz":
        return next(stream_npz(source, options, Place(), whole=True))
    return joined(stream_arrays(source, options, Place()))


def stream_arrays(source: PlainFile | Pipe, options: Options, start: Place) -> Blocks:
    """A file, block by block."""
    if options.format == "npz":
        yield from stream_npz(source, options, start)
        return
    file = source.file if isinstance(source, PlainFile) else io.BytesIO(bytes(source.read_all()))
    shape, dtype, first = header_of(file, source.name)
    layout = layout_of(None, shape[1], options, source.name)
    row_bytes = max(shape[1] * dtype.itemsize, 1)
    size = max(options.block_bytes // row_bytes, 1)
    n_rows, skipped = 0, Skipped()
    for at in range(start.offset, shape[0], size):
        n = min(size, shape[0] - at)
        file.seek(first + at * row_bytes)
        table = np.frombuffer(exactly(file, n * row_bytes, source.name), dtype).reshape(n, shape[1])
        data = as_data(table, layout, options, source.name, at)
        yield data
        n_rows, skipped = n_rows + len(data.X), skipped + data.skipped
    if isinstance(source, PlainFile):
        source.require_unchanged()
    if start.offset == 0:
        require_examples(source.name, n_rows, skipped)


def header_of(file: Any, name: str) -> tuple[tuple[int, int], np.dtype[Any], int]:
    """Shape and type of the array in a `.npy` file, and where its values start."""
    try:
        file.seek(0)
        version = np.lib.format.read_magic(file)
        first, second = np.lib.format.read_array_header_1_0, np.lib.format.read_array_header_2_0
        shape, fortran, dtype = (first if version == (1, 0) else second)(file)
    except Exception as error:  # NumPy may raise anything on damaged data
        raise FileError(name, f"found damaged npy data: {error}") from error
    require_table(shape, dtype, name)
    if fortran and min(shape) > 1:
        raise FileError(
            name,
            "found an array in Fortran's order, expected C's: save np.ascontiguousarray(X)",
        )
    return (shape[0], shape[1]), dtype, file.tell()


def require_table(shape: tuple[int, ...], dtype: np.dtype[Any], name: str) -> None:
    """Raise an error unless this is a table of numbers."""
    if len(shape) != 2 or dtype.kind not in "biuf":
        raise FileError(
            name, f"found an array of shape {shape} and type {dtype}, expected a table of numbers"
        )


def exactly(file: Any, n: int, name: str) -> bytearray:
    """The next `n` bytes."""
    taken = bytearray()
    while len(taken) < n:
        more = file.read(n - len(taken))
        if not more:
            raise FileError(name, "found the end of the file, expected more rows: it is truncated")
        taken += more
    return taken


def as_data(table: Any, layout: Layout, options: Options, name: str, at: int) -> Data:
    """Rows of a table, the first of which is number `at`, as examples."""
    y = None if layout.label is None else table[:, layout.label]
    weight = None if layout.weight is None else table[:, layout.weight].astype(np.float64)
    X = table if len(layout.features) == table.shape[1] else table[:, layout.features]
    return sound(as_asked(X, options), y, weight, layout, options, name, Place(at, at + 1))


def as_asked(X: Any, options: Options) -> Any:
    """`X` in the type that was asked for."""
    with np.errstate(over="ignore"):
        return X if options.dtype is None else X.astype(options.float_type, copy=False)


def stream_npz(
    source: PlainFile | Pipe, options: Options, start: Place, whole: bool = False
) -> Blocks:
    """The examples of a `.npz` file, block by block, after loading all of them."""
    file = source.file if isinstance(source, PlainFile) else io.BytesIO(bytes(source.read_all()))
    try:
        with np.load(file, allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files}
        if odd := [key for key, array in arrays.items() if not isinstance(array, np.ndarray)]:
            raise ValueError(f"{odd[0]!r} is no array")
    except Exception as error:  # NumPy and zipfile may raise anything on damaged data
        raise FileError(source.name, f"found damaged npz data: {error}") from error
    X, y, weight, names = parts_of(arrays, options, source.name)
    per_row = max(X.nbytes if isinstance(X, np.ndarray) else 12 * X.nnz, 1) / max(X.shape[0], 1)
    size = X.shape[0] if whole else max(int(options.block_bytes / per_row), 1)
    layout = Layout(names, X.shape[1], None, None)
    n_rows, skipped = 0, Skipped()
    for at in range(start.offset, X.shape[0], max(size, 1)):
        rows = slice(at, at + size)
        parts = (X[rows], None if y is None else y[rows], None if weight is None else weight[rows])
        data = sound(*parts, layout, options, source.name, Place(at, at + 1))
        yield data
        n_rows, skipped = n_rows + data.X.shape[0], skipped + data.skipped
    if start.offset == 0:
        require_examples(source.name, n_rows, skipped)


def parts_of(arrays: Mapping[str, Any], options: Options, name: str) -> tuple[Any, Any, Any, Any]:
    """X, y, weight and names from the arrays of a `.npz` file."""
    if "X" in arrays:
        X = arrays["X"]
        require_table(X.shape, X.dtype, name)
    elif {"data", "indices", "indptr", "shape"} <= set(arrays):
        X = sparse_of(arrays, name)
    else:
        raise FileError(
            name, f"found the arrays {sorted(arrays)}, expected X (or a sparse matrix) and y"
        )
    y, weight, names = (arrays.get(key) for key in ("y", "weight", "names"))
    if y is None and options.labels == "required":
        raise FileError(name, f"found the arrays {sorted(arrays)}, expected y, the labels, as well")
    for key, array, n in (
        ("y", y, X.shape[0]),
        ("weight", weight, X.shape[0]),
        ("names", names, X.shape[1]),
    ):
        if array is not None and array.shape != (n,):
            raise FileError(name, f"found {key} of shape {array.shape}, expected ({n},) beside X")
    weight = None if weight is None else weight.astype(np.float64)
    return as_asked(X, options), y, weight, None if names is None else [str(s) for s in names]


def sparse_of(arrays: Mapping[str, Any], name: str) -> Any:
    """The sparse matrix among the arrays, as CSR."""
    kind = arrays.get("format", np.array(b"csr")).item()
    kind = kind.decode() if isinstance(kind, bytes) else kind
    makers = {"csr": sparse.csr_array, "csc": sparse.csc_array}
    if kind not in makers:
        raise FileError(name, f"found a sparse matrix of format {kind!r}, expected 'csr' or 'csc'")
    try:
        made = (arrays["data"], arrays["indices"], arrays["indptr"])
        X = makers[kind](made, shape=tuple(arrays["shape"].tolist()))
        X.check_format(full_check=True)
    except (ValueError, TypeError) as error:
        raise FileError(name, f"found a damaged sparse matrix: {error}") from error
    X = X.tocsr()
    X.sum_duplicates()
    require_table(X.shape, X.dtype, name)
    return X
