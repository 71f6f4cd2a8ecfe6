"""Examples to files: `write` what `read` reads.

The file is written beside its place and then moved there, so that a crash leaves the old file or
the new one, never half of one.
"""

import io
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

import numpy as np
from scipy import sparse

from novikoff.data.compression import ENDINGS, compressed, missing
from novikoff.data.reader import BY_NAME
from novikoff.data.tables import LABEL
from novikoff.errors import ParameterError
from novikoff.files import replacing

MOST_DENSE = 1 << 31
"""How many bytes a sparse matrix may take as a table."""


def write(
    path: str | os.PathLike[str],
    X: Any,
    y: Any = None,
    *,
    format: str | None = None,  # noqa: A002  # what users call it
    weight: Any = None,
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
        An ending .gz, .bz2 or .zst compresses. "-" is standard output, which needs a `format`.
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
    stem, ending = os.path.splitext(os.fspath(path).lower())
    packed = ENDINGS.get(ending)
    format = format or BY_NAME.get(os.path.splitext(stem)[1] if packed else ending)  # noqa: A001
    for what, values in (("y", y), ("weight", weight), ("tags", tags)):
        if values is not None and len(values) != X.shape[0]:
            raise ParameterError(f"{what} has {len(values)} values, X has {X.shape[0]} rows.")
    if format in ("svmlight", "vw"):
        text = (
            svmlight_lines(X, y, weight, tags, zero_based)
            if format == "svmlight"
            else vowpal_lines(X, y, weight, tags)
        )
        content: Callable[[IO[bytes]], object] = lambda file: file.writelines(text)  # noqa: E731
    elif format == "npz":
        content = npz(X, y, weight, names)
    elif format in ("csv", "parquet", "arrow"):
        content = table(format, X, y, weight, names, os.fspath(path))
    else:
        raise ParameterError(
            f"Cannot write {os.fspath(path)!r} as {format!r}: give format= one of "
            "'svmlight', 'vw', 'csv', 'parquet', 'arrow', 'npz'."
        )
    with replacing(path) as raw, compressed(raw, packed, os.fspath(path)) as file:
        content(file)


def digits(value: float) -> str:
    """The shortest text that reads back as the same number."""
    text = repr(float(value))
    if text in ("nan", "inf", "-inf"):
        raise ParameterError(f"Cannot write {text} into a text: every number must be finite.")
    return text.removesuffix(".0")


def as_numbers(values: Any, name: str) -> Any:
    """Labels or weights as numbers, which is all that texts have."""
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"{name} has values that are no numbers: write a table, or encode them."
        ) from error


def rows_of(X: Any) -> Iterator[tuple[list[int], list[float]]]:
    """Columns and values of each row; of a dense one, those that are not 0."""
    for i in range(X.shape[0]):
        if sparse.issparse(X):
            place = slice(X.indptr[i], X.indptr[i + 1])
            yield X.indices[place].tolist(), X.data[place].tolist()
        else:
            columns = np.flatnonzero(X[i])
            yield columns.tolist(), X[i, columns].tolist()


def svmlight_lines(X: Any, y: Any, weight: Any, tags: Any, zero_based: bool) -> Iterator[bytes]:
    """The lines of an svmlight text."""
    if y is None or weight is not None or tags is not None:
        raise ParameterError(
            "svmlight text needs y (NaN for no label), and has no place for weights and tags."
        )
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    labels, base = as_numbers(y, "y").tolist(), 0 if zero_based else 1
    for i, (label, (columns, values)) in enumerate(zip(labels, rows_of(X), strict=True)):
        words = [f"{j + base}:{digits(v)}" for j, v in zip(columns, values, strict=True)]
        if label == label:
            words.insert(0, digits(label))
        if not words:
            raise ParameterError(
                f"Row {i} has neither a label nor an entry, which in svmlight text is no example."
            )
        yield f"{' '.join(words)}\n".encode()


def vowpal_lines(X: Any, y: Any, weight: Any, tags: Any) -> Iterator[bytes]:
    """The lines of a Vowpal Wabbit text."""
    y = None if y is None else as_numbers(y, "y")
    weight = None if weight is None else as_numbers(weight, "weight")
    for i, (columns, values) in enumerate(rows_of(X)):
        words = []
        if y is not None and not np.isnan(y[i]):
            words.append(digits(y[i]))
        if weight is not None:
            if not words:
                raise ParameterError(
                    f"Row {i} has a weight and no label: Vowpal Wabbit needs both."
                )
            words.append(digits(weight[i]))
        if tags is not None and tags[i]:
            if any(c in tags[i] for c in " \t\r\n|"):
                raise ParameterError(f"The tag {tags[i]!r} of row {i} has a space or a bar in it.")
            words.append(f"'{tags[i]}")
        entries = (f" {j}:{digits(v)}" for j, v in zip(columns, values, strict=True))
        yield f"{' '.join([*words, '|'])}{''.join(entries)}\n".encode()


def npz(X: Any, y: Any, weight: Any, names: Any) -> Callable[[IO[bytes]], object]:
    """What writes a `.npz` file."""
    more = {"y": y, "weight": weight, "names": names}
    arrays = {key: np.asarray(value) for key, value in more.items() if value is not None}
    if sparse.issparse(X):
        arrays |= {"data": X.data, "indices": X.indices, "indptr": X.indptr}
        arrays |= {"shape": np.array(X.shape), "format": np.array(b"csr")}
    else:
        arrays["X"] = X

    def save(file: IO[bytes]) -> None:
        if isinstance(file, io.BufferedWriter):
            np.savez(file, allow_pickle=False, **arrays)
            return
        held = io.BytesIO()  # zip goes back to fill in sizes, which compressors do not
        np.savez(held, allow_pickle=False, **arrays)
        file.write(held.getbuffer())

    return save


def require_readable(y: Any, kind: str) -> None:
    """Raise an error for labels that a table would give back as others, or not at all."""
    if y is None or y.dtype.kind not in "OU":
        return
    lost = "\0\n\r" if kind == "csv" else "\0"
    for i, label in enumerate(y.tolist()):
        if label == "" or (isinstance(label, str) and any(c in label for c in lost)):
            raise ParameterError(
                f"The label of row {i} is {label!r}, which {kind} would not give back: give it "
                f"some text, without any of {', '.join(map(repr, lost))}."
            )


def table(
    kind: str, X: Any, y: Any, weight: Any, names: Sequence[str] | None, path: str
) -> Callable[[IO[bytes]], object]:
    """What writes a table, the label last."""
    try:
        import pyarrow
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError as error:
        raise missing("pyarrow", "arrow", path, "CSV, Parquet and Arrow files") from error
    if sparse.issparse(X) and (size := 8 * X.shape[0] * X.shape[1]) > MOST_DENSE:
        raise ParameterError(
            f"As {kind}, which has a place for every zero, {X.shape[0]:,} rows of {X.shape[1]:,} "
            f"features would take {size / 1e9:,.1f} GB: write .npz, svmlight or Vowpal Wabbit text."
        )
    dense = X.toarray() if sparse.issparse(X) else X
    if kind == "csv" and dense.dtype == np.float32:  # the text of a single is not its double's
        dense = dense.astype(np.float64)
    titles = [f"x{j}" for j in range(dense.shape[1])] if names is None else [*map(str, names)]
    repeated = next((title for title, times in Counter(titles).items() if times > 1), None)
    if repeated is not None:
        raise ParameterError(f"Two features are called {repeated!r}: give each a name of its own.")
    columns = {title: np.ascontiguousarray(dense[:, j]) for j, title in enumerate(titles)}
    for title, values in (("weight", weight), (LABEL, y)):
        if values is not None:
            if title in columns:
                raise ParameterError(f"A feature is called {title!r}, as the {title} itself is.")
            columns[title] = np.asarray(values)
    require_readable(columns.get(LABEL), kind)
    if y is not None and columns[LABEL].dtype.kind == "f":  # a null is no label, a NaN is text
        columns[LABEL] = pyarrow.array(columns[LABEL], from_pandas=True)
    made = pyarrow.table(columns)
    if kind == "csv":
        return lambda file: pyarrow.csv.write_csv(made, file)
    if kind == "parquet":
        return lambda file: pyarrow.parquet.write_table(made, file)

    def arrow(file: IO[bytes]) -> None:
        with pyarrow.ipc.new_file(file, made.schema) as writer:
            writer.write_table(made)

    return arrow
