"""The rows a kernel machine predicts from: those it erred on, one copy of each."""

from collections.abc import Iterator
from copy import copy
from typing import Any

import numpy as np
from scipy import sparse

from novikoff.core.jit import njit
from novikoff.core.rows import SUM, U
from novikoff.learners.kernels.gram import Block, Kernel, table
from novikoff.typing import Array

CHUNK = 2048
"""How many of them are multiplied at once."""


@njit(fastmath=SUM, cache=True)
def add_products(S, K, coef):
    r"""$S_{ic} \leftarrow S_{ic} + \sum_j K_{ij}\,\alpha_{cj}$ in doubles, each row for itself."""
    for i in range(len(K)):
        for c in range(len(coef)):
            s = 0.0
            for j in range(U(K.shape[1])):
                s += K[i, j] * coef[c, j]
            S[i, c] += s


class Support:
    """Rows with their dual coefficients, in arrays that grow.

    Several may share their arrays while one of them grows: each knows its own length `n`.
    """

    def __init__(self, outputs: int, keeps_rows: bool = True) -> None:
        self.n = 0
        self.keeps_rows = keeps_rows
        self.rows: Any = None
        """A dense array, of which the first `n` rows count; or CSR matrices of `CHUNK` rows."""
        self.squares: Array = np.zeros(0)
        self.numbers: Array = np.zeros(0, np.int64)
        self.coef: Array = np.zeros((0, outputs))

    @property
    def outputs(self) -> int:
        """How many weight vectors there are."""
        return int(self.coef.shape[1])

    def append(self, A: Block, places: Array, coef: Array) -> None:
        """Add the rows at these places of a block."""
        n = self.n + len(places)
        self.squares = _roomy(self.squares, self.n, n)
        self.numbers = _roomy(self.numbers, self.n, n)
        self.coef = _roomy(self.coef, self.n, n)
        self.squares[self.n : n] = A.squares[places]
        self.numbers[self.n : n] = A.numbers[places]
        self.coef[self.n : n] = coef
        if self.keeps_rows:
            self._append_rows(A.rows[places], n)
        self.n = n

    def _append_rows(self, rows: Any, n: int) -> None:
        if isinstance(self.rows, np.ndarray) and sparse.issparse(rows):
            rows = rows.toarray()
        if isinstance(self.rows, list) or sparse.issparse(rows):
            whole = [] if self.rows is None else list(self.rows)
            last = whole.pop() if whole and whole[-1].shape[0] < CHUNK else None
            rows = sparse.csr_array(rows)
            rows = rows if last is None else sparse.vstack([last, rows], "csr")
            self.rows = whole + [rows[low : low + CHUNK] for low in range(0, rows.shape[0], CHUNK)]
        else:
            if self.rows is None:
                self.rows = np.zeros((0, rows.shape[1]), rows.dtype)
            self.rows = _roomy(self.rows, self.n, n)
            self.rows[self.n : n] = rows

    def chunks(self, start: int = 0, coef: Array | None = None) -> Iterator[tuple[Block, Array]]:
        """The rows from `start` on, in blocks, each with its coefficients, or with these."""
        coef = self.coef if coef is None else coef
        for low, high, rows in self._pieces(start):
            some = slice(low, high)
            yield Block(rows, self.squares[some], self.numbers[some]), coef[some]

    def _pieces(self, start: int) -> Iterator[tuple[int, int, Any]]:
        if isinstance(self.rows, list):
            low = 0
            for piece in self.rows:
                high = low + piece.shape[0]
                if high > start:
                    yield max(low, start), high, piece[max(0, start - low) :]
                low = high
        else:
            for low in range(start, self.n, CHUNK):
                high = min(low + CHUNK, self.n)
                yield low, high, None if self.rows is None else self.rows[low:high]

    def scores(self, kernel: Kernel, A: Block, start: int = 0, coef: Array | None = None) -> Array:
        r"""$\sum_j \alpha_j\,k(x, x_j)$ over the rows from `start` on, for each of `A`."""
        S = np.zeros((len(A.numbers), self.coef.shape[1]))
        for B, own in self.chunks(start, coef):
            add_products(S, np.ascontiguousarray(table(kernel, A, B)), np.ascontiguousarray(own.T))
        return S

    def size(self, coef: Array | None = None) -> float:
        """The length of its longest column of coefficients, or of these."""
        own = self.coef[: self.n] if coef is None else coef
        return float(np.sqrt((own**2).sum(axis=0).max(initial=0.0)))

    def scale(self, factors: Array) -> None:
        """Multiply every weight vector by its factor."""
        if (factors != 1.0).any():
            self.coef[: self.n] *= factors

    def stacked(self) -> Any:
        """All rows as one array or CSR matrix."""
        if isinstance(self.rows, list):
            return sparse.vstack(self.rows, "csr") if len(self.rows) > 1 else self.rows[0]
        return None if self.rows is None else self.rows[: self.n]

    def row(self, j: int) -> Block:
        """Row `j` alone."""
        rows = None
        if isinstance(self.rows, list):
            rows = self.rows[j // CHUNK][[j % CHUNK]]
        elif self.rows is not None:
            rows = self.rows[j : j + 1].copy()
        return Block(rows, self.squares[j : j + 1].copy(), self.numbers[j : j + 1].copy())

    def put_row(self, j: int, A: Block, coef: Array) -> None:
        """Put the one row of a block in the place of row `j`."""
        self.squares[j], self.numbers[j], self.coef[j] = A.squares[0], A.numbers[0], coef
        if isinstance(self.rows, list):
            piece, i = self.rows[j // CHUNK], j % CHUNK
            parts = [piece[:i], sparse.csr_array(A.rows), piece[i + 1 :]]
            self.rows[j // CHUNK] = sparse.vstack(parts, "csr")
        elif self.rows is not None:
            self.rows[j] = A.rows.toarray()[0] if sparse.issparse(A.rows) else A.rows[0]

    def detach(self) -> None:
        """Have arrays of its own, whose rows can be replaced."""
        self.squares, self.numbers = self.squares.copy(), self.numbers.copy()
        self.rows = self.rows if self.rows is None else self.rows.copy()

    def put(self, rows: Any) -> None:
        """Take these for the rows."""
        self.rows, self.n, n = None, 0, self.n
        self._append_rows(rows, n)
        self.n = n

    def branch(self, outputs: Array | None = None) -> "Support":
        """One that can go its own way; the columns of its coefficients as `outputs` mixes them."""
        other = copy(self)
        coef = self.coef[: self.n]
        other.coef = coef.copy() if outputs is None else coef @ outputs
        return other

    def __getstate__(self) -> dict[str, Any]:
        """Without the spare room."""
        kept = dict(vars(self))
        for name in ("squares", "numbers", "coef"):
            kept[name] = kept[name][: self.n].copy()
        if isinstance(self.rows, np.ndarray):
            kept["rows"] = self.rows[: self.n].copy()
        return kept


def _roomy(array: Array, n: int, needed: int) -> Array:
    """The array, or a larger copy of its first `n`, with room for as many as needed."""
    if needed <= len(array):
        return array
    larger: Array = np.empty((max(needed, 2 * n), *array.shape[1:]), array.dtype)
    larger[:n] = array[:n]
    return larger


def places_of(y: Array, classes: Array) -> Array:
    """The place of every label among the classes, all of which are known."""
    return np.searchsorted(classes, y)


def n_outputs(classes: Array) -> int:
    """How many weight vectors there are: one for two classes, or one for each of several."""
    return len(classes) if len(classes) > 2 else len(classes) - 1


def mixing(old: Array, new: Array) -> Array:
    """How the weight vectors of the old classes make those of the new ones.

    The one vector of two classes is for the second and against the first. New classes start at 0.
    """
    M = np.zeros((n_outputs(old), n_outputs(new)))
    if len(old) == 2 and len(new) > 2:
        M[0, places_of(old, new)] = [-1.0, 1.0]
    elif len(old) > 2:
        M[np.arange(len(old)), places_of(old, new)] = 1.0
    return M
