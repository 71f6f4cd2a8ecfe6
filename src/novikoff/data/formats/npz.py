"""NumPy's `.npz` files: several arrays. Nothing in them is ever executed.

They are `X`, or a sparse matrix as `scipy.sparse.save_npz` writes it, and `y`, and perhaps `weight`
and `names`.

References
----------
SciPy, `scipy.sparse.save_npz`.
"""

import io
from collections.abc import Mapping
from typing import IO

import numpy as np
from scipy import sparse

from novikoff.data.formats import Handler
from novikoff.data.opener import Opened
from novikoff.data.reader_options import Options
from novikoff.data.results import Blocks, Data, Place
from novikoff.data.tables.layout import Layout
from novikoff.data.tables.soundness import as_asked, require_table, sound
from novikoff.errors import FileError
from novikoff.typing import Array


def stream(source: Opened, options: Options, start: Place) -> Blocks:
    """The examples of a file, block by block, after loading all of them."""
    X, y, weight, names, *_ = whole(arrays_of(source), options, source.name)
    n, n_bytes = X.shape[0], X.nbytes if isinstance(X, np.ndarray) else 12 * X.nnz
    size = max(options.block_bytes * n // max(n_bytes, 1), 1)
    layout = Layout(names, X.shape[1], None, None)
    for at in range(start.offset, max(n, 1), size):
        rows = slice(at, at + size)
        parts = (X[rows], None if y is None else y[rows], None if weight is None else weight[rows])
        yield sound(*parts, layout, options, source.name, Place(at, at + 1))


def arrays_of(source: Opened) -> dict[str, Array]:
    """The arrays in a file, by name."""
    try:
        with np.load(source.as_file(), allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files}
        if odd := [key for key, array in arrays.items() if not isinstance(array, np.ndarray)]:
            raise ValueError(f"{odd[0]!r} is no array")
    except Exception as error:  # NumPy and zipfile may raise anything on damaged data
        raise FileError(source.name, f"found damaged npz data: {error}") from error
    return arrays


def whole(arrays: Mapping[str, Array], options: Options, name: str) -> Data:
    """The examples that the arrays of a file are, as they stand."""
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
    for key, axis in (("y", 0), ("weight", 0), ("names", 1)):
        array, n = arrays.get(key), X.shape[axis]
        if array is not None and array.shape != (n,):
            raise FileError(name, f"found {key} of shape {array.shape}, expected ({n},) beside X")
    weight = None if weight is None else weight.astype(np.float64)
    return Data(as_asked(X, options), y, weight, None if names is None else [*map(str, names)])


def sparse_of(arrays: Mapping[str, Array], name: str) -> sparse.csr_array:
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


def write(data: Data, file: IO[bytes]) -> None:
    """Examples as arrays."""
    X, more = data.X, {"y": data.y, "weight": data.weight, "names": data.names}
    arrays = {key: np.asarray(value) for key, value in more.items() if value is not None}
    if sparse.issparse(X):
        arrays |= {"data": X.data, "indices": X.indices, "indptr": X.indptr}
        arrays |= {"shape": np.array(X.shape), "format": np.array(b"csr")}
    else:
        arrays["X"] = X
    if isinstance(file, io.BufferedWriter):
        np.savez(file, allow_pickle=False, **arrays)
        return
    held = io.BytesIO()  # zip goes back to fill in sizes, which compressors do not
    np.savez(held, allow_pickle=False, **arrays)
    file.write(held.getbuffer())


HANDLER = Handler(stream, is_read_whole=True, write=write)
