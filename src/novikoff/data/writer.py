"""Examples to files: `write` what `read` reads.

The file is written beside its place and then moved there, so that a crash leaves the old file or
the new one, never half of one.
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
    r"""Write examples into a file that `read` gives back as they were.

    Features of a Vowpal Wabbit text are named by their numbers, from 0 on, in the nameless
    namespace; so `read` finds them at the same columns, given enough bits. Values are written with
    as many digits as tell them from all others.

    Parameters
    ----------
    path : path
        An ending .gz, .bz2, .xz or .zst compresses. "-" is standard output, which needs a `format`.
    X : array or sparse matrix of shape (n, d)
    y : array of shape (n,), default=None
        A NaN stands for no label, as in what `read` gives.
    format : {"svmlight", "vw", "csv", "parquet", "arrow", "npz"}, default=None
        None: as the name says.
    weight : array of shape (n,), default=None
        Importance weights. (Not in svmlight text.)
    names : list of str, default=None
        What the columns are called, in tables. None: x0, x1, ...
    tags : list of str, default=None
        Of a Vowpal Wabbit text.
    zero_based : bool, default=False
        Whether the indices of an svmlight text start at 0.

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
