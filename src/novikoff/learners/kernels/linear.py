"""The weights of a linear kernel, written down: no rows need to be kept for them."""

import numpy as np
from scipy import sparse

from novikoff.learners.kernels.gram import Block, Kernel, products
from novikoff.learners.kernels.support import add_products
from novikoff.typing import Array


class Plain:
    """Weight vectors, in the place of the rows they are made of."""

    def __init__(self, W: Array) -> None:
        self.W = W

    @property
    def outputs(self) -> int:
        """How many weight vectors there are."""
        return len(self.W)

    def append(self, A: Block, places: Array, coef: Array) -> None:
        """Add the rows at these places of a block, times their coefficients."""
        self.W = self.W + np.asarray(coef.T @ A.rows[places])

    def scale(self, factors: Array) -> None:
        """Multiply every weight vector by its factor."""
        if (factors != 1.0).any():
            self.W = self.W * factors[:, None]

    def scores(self, kernel: Kernel, A: Block) -> Array:
        r"""$\langle w, x\rangle$ for each row of `A` and each weight vector, in doubles."""
        if sparse.issparse(A.rows):
            return products(A.rows, self.W.astype(A.rows.dtype)).astype(np.float64)
        S = np.zeros((len(A.rows), len(self.W)))
        add_products(S, np.ascontiguousarray(A.rows), self.W)
        return S

    def size(self) -> float:
        """No score of a row depends on the kernel values of others."""
        return 0.0

    def branch(self, outputs: Array | None = None) -> "Plain":
        """One that can go its own way; its weight vectors as `outputs` mixes them."""
        return Plain(self.W if outputs is None else outputs.T @ self.W)
