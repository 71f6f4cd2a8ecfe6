r"""Which logistic-regression estimates diverge on separated data, and where to.

The likelihood of separated data grows without end along every $v$ with
$\langle v, z_i\rangle \ge 0$ for all $i$. Of these directions one is chosen by the linear
program of Konis (2007),

$$\max_v \sum_i \langle v, z_i\rangle \quad\text{subject to}\quad
  \langle v, z_i\rangle \ge 0, \; -1 \le v_j \le 1,$$

and the signs of its solution are reported, as R's `detectseparation` does.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

from novikoff.margins.geometry import cosines

Array = npt.NDArray[Any]


WIDE = 1000
"""Past so many coefficients the program is too large, and the witness itself speaks."""


def diverging(search: Any, free: Array, witness: Array | None) -> list[int]:
    """-1, 0 or +1 for every coefficient; 0 for certain where it is not `free`."""
    if not free.any() or witness is None:
        return [0] * len(free)
    if len(free) > WIDE:
        return [int(s) for s in np.sign(witness[: len(free)]) * free]
    m, y = len(free), search.y
    everything = np.arange(len(y))
    total = column_sums(search)
    scores = np.empty(len(y))
    working = everything[: 4 * m + 100]
    while True:
        Z = search.atoms(working)[:, :m]
        solved = linprog(
            -total[:m],
            A_ub=-Z,
            b_ub=np.zeros(len(working)),
            bounds=[(-1, 1) if f else (0, 0) for f in free],
            method="highs",
        )
        v = np.zeros(len(search.c))
        v[:m] = solved.x
        cosines(v, search.c, search.rows, y, scores)
        wrong = np.flatnonzero(scores < -1e-7)
        new = np.setdiff1d(wrong[np.argsort(scores[wrong], kind="stable")][: 4 * m + 100], working)
        if not len(new):
            return [int(np.sign(c)) if abs(c) > 1e-6 else 0 for c in v[:m]]
        working = np.concatenate([working, new])


def column_sums(search: Any) -> Array:
    """The sum of all scaled, labelled rows, to a length of about 1."""
    y = search.y.astype(np.float64)
    total = np.append(np.asarray(y @ search.X, np.float64), y.sum()) * search.c
    size = abs(total).max()
    scaled: Array = total / size if size > 0 else total
    return scaled
