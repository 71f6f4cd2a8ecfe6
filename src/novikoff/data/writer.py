"""Write examples to files that `read` can read.

A file is written beside its place and then moved there. So a crash leaves the old file or the new
one, never a part of one.
"""

import os
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from novikoff.data.compression import ENDINGS, compressed
from novikoff.data.formats import FORMATS, WRITTEN, advice, by_suffix
from novikoff.data.results import Data
from novikoff.errors import ParameterError
from novikoff.files import replacing
from novikoff.typing import Array, MatrixLike


def write(
    path: str | os.PathLike[str],
    X: MatrixLike,
    y: Sequence[object] | Array | None = None,
    *,
    format: str | None = None,  # noqa: A002  # what users call it
    weight: Sequence[float] | Array | None = None,
    names: Sequence[str] | None = None,
    tags: Sequence[str] | None = None,
    zero_based: bool = False,
) -> None:
    r"""Write examples to a file, which `read` returns exactly.

    Values are written with as many digits as `read` needs to return the same numbers. In Vowpal
    Wabbit text, features are named by their numbers, from 0 on, in the empty namespace. So `read`
    returns them in the same columns, if it has enough `bits`.

    Parameters
    ----------
    path : path
        The endings .gz, .bz2, .xz and .zst compress the file. "-" is standard output, which needs a
        `format`.
    X : array or sparse matrix of shape (n, d)
        The examples.
    y : array of shape (n,), default=None
        The labels. NaN stands for no label, as in what `read` returns.
    format : {"svmlight", "vw", "csv", "parquet", "arrow", "npz"}, default=None
        None: that of the file name.
    weight : array of shape (n,), default=None
        Importance weights. (Svmlight text cannot have them.)
    names : list of str, default=None
        Tables: the names of the columns. None: x0, x1, ...
    tags : list of str, default=None
        Vowpal Wabbit text: the tag of each example.
    zero_based : bool, default=False
        Svmlight text: whether indices start at 0.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from novikoff.data import read, write
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "two.svm"
    >>> write(path, [[0.5, 0.0], [0.0, 2.0]], [1, -1])
    >>> path.read_text()
    '1 1:0.5\n-1 2:2\n'
    >>> read(path).X.toarray().tolist()
    [[0.5, 0.0], [0.0, 2.0]]
    >>> folder.cleanup()
    """
    X = sparse.csr_array(X) if sparse.issparse(X) else np.atleast_2d(np.asarray(X))
    for what, values in (("y", y), ("weight", weight), ("tags", tags)):
        if values is not None and len(values) != X.shape[0]:
            raise ParameterError(f"{what} has {len(values)} values, X has {X.shape[0]} rows.")
    name = os.fspath(path)
    found = FORMATS.get(format) if format else by_suffix(name)
    put = found.handler(name).write if found is not None and found.is_written else None
    if put is None:
        kind = format or (found and found.name)
        told = f"Cannot write {name!r} as {kind!r}: {advice(WRITTEN)}."
        raise ParameterError(told, format=kind)
    packed = ENDINGS.get(os.path.splitext(name.lower())[1])
    titles, labels = (None if given is None else [*given] for given in (names, tags))
    weight = None if weight is None else np.asarray(weight)
    data = Data(X, y, weight, titles, labels, base=0 if zero_based else 1)
    with replacing(path) as raw, compressed(raw, packed, name) as file:
        put(data, file)
