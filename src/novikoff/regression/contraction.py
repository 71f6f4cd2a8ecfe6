r"""Count models with two factors of many levels, and regressors or further factors beside them.

In the cell of levels $i$ and $j$, $\eta = a_i + b_j + \langle\beta, x\rangle$. A direction may not
change cells that are fixed, those with a positive outcome. Let these join the levels into a graph,
with potential $a_i$ or $-b_j$ at the nodes. Along a tree of fixed cells every potential is that of
the root, $\varphi$, plus a sum of $\pm\langle\beta, x\rangle$ on the way. So all effects are known
from $\beta$ and one $\varphi$ for each connected component, and the residual of any cell,

$$\eta = \varphi_{c(i)} - \varphi_{c(j)} + \langle\beta, x + s_i - s_j\rangle,$$

has $s$ for the sums of $\pm x$ along the tree. On a fixed cell it must be 0, which is an equation
for $\beta$ alone: there are as many as fixed cells that close a cycle. Usually they leave
$\beta = 0$ only, and the graph gives the answer (`two_factors.py`). Otherwise the cells that may be
lowered are rows in $\varphi$ and in what is left of $\beta$, few coefficients, for the same engine
as any other model. A level without a fixed cell can always be lowered alone, with all its cells.

All sums are of whole numbers: floats are whole numbers times a power of two.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from flint import fmpz_mat
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

from novikoff.certificates.exact import Whole, null_vectors, unit_vectors
from novikoff.certificates.search import Undecided
from novikoff.certificates.two_classes import TwoClasses
from novikoff.core.clock import now
from novikoff.regression.families import Model
from novikoff.regression.recession import Recession, recession
from novikoff.regression.two_factors import Cells, Potentials, potentials
from novikoff.typing import Array

SAFE = 2**62
"""Whole numbers below this are added in 64 bits, longer ones as Python's."""
SAMPLE = 50
"""How many cells that break an equation are taken to better it."""

Basis = list[list[int]]


class Panel(NamedTuple):
    """Observations in the cells of two factors, with what else explains them."""

    cells: Cells
    factors: list[Array]
    """The levels of further factors, numbered from 0."""
    columns: list[Array]
    """The regressors, in whole numbers: each is a multiple of what it was."""

    @property
    def sizes(self) -> list[int]:
        """How many coefficients there are: for every further factor, and for the regressors."""
        return [*(int(f.max(initial=-1)) + 1 for f in self.factors), len(self.columns)]

    def sums(self, weights: list[int], times: int, *, exact: bool = True) -> Array:
        r"""$\langle\beta, x\rangle$ in every cell, in a type that has room for so many times it.

        If it need not be `exact`, then modulo $2^{64}$ where 64 bits are too few.
        """
        parts = np.split(np.array(weights, object), np.cumsum(self.sizes)[:-1])
        most = sum(max(map(abs, part.tolist()), default=0) for part in parts[:-1])
        for column, w in zip(self.columns, parts[-1].tolist(), strict=True):
            most += int(abs(column).max(initial=0)) * abs(w) if w else 0
        kind: type = np.int64 if most * times < SAFE else object if exact else np.uint64
        total: Array = np.zeros(len(self.cells.side), kind)
        for codes, part in zip(self.factors, parts[:-1], strict=True):
            total += cast_to(kind, part)[codes]
        for column, w in zip(self.columns, parts[-1].tolist(), strict=True):
            if w:
                total += cast_to(kind, column) * cast_to(kind, np.array([w], object))
        return total


def cast_to(kind: type, whole: Array) -> Array:
    """Whole numbers in this type; unsigned, they are modulo its range."""
    if kind is np.uint64 and whole.dtype == object:
        whole = whole % 2**64
    return whole.astype(kind)


def whole_multiples(column: Array) -> Array:
    """A power of two times these floats, as whole numbers."""
    mantissas, exponents = np.frexp(column)
    mantissas = np.ldexp(mantissas, 53).astype(np.int64)
    odd = np.maximum(mantissas & -mantissas, 1)
    trailing = np.frexp(odd.astype(np.float64))[1] - 1
    there = mantissas != 0
    mantissas, places = mantissas >> trailing, np.where(there, exponents + trailing, 0)
    shifts = np.where(there, places - places[there].min(initial=2000), 0)
    if (np.frexp(abs(mantissas).astype(np.float64))[1] + shifts).max(initial=0) < 62:
        short: Array = mantissas << shifts
        return short
    long = [m << k for m, k in zip(mantissas.tolist(), shifts.tolist(), strict=True)]
    return np.array(long, object)


# ------------------------------------------------------------- sums along trees


class Forest(NamedTuple):
    """Trees of some of the cells, one for each component of the graph they make."""

    component: Array
    """The component of every node: levels of the first factor, then of the second."""
    before: Array
    """The node before it on the way from the root; -1 for roots."""
    between: Array
    """The cell of these two."""
    stretches: list[Array]
    """The nodes by their distance from the roots, but for the roots."""
    ends: tuple[Array, Array]
    """The two nodes of every cell."""
    side: Array
    """Whether a node has a potential of $+a$ or $-b$: by the sign of a cell on the way to it."""

    def residuals(self, panel: Panel, weights: list[int], *, exact: bool = True) -> Array:
        r"""$\langle\beta, x + s_i - s_j\rangle$ for every cell."""
        t = panel.sums(weights, 2 * len(self.stretches) + 2, exact=exact)
        s = np.zeros(len(self.component), t.dtype)
        for nodes in self.stretches:
            on = t[self.between[nodes]]
            s[nodes] = s[self.before[nodes]] + np.where(self.side[nodes] > 0, on, -on)
        i, j = self.ends
        return t + s[i] - s[j]

    def broken(self, panel: Panel, weights: list[int], some: Array) -> Array:
        """Which of some cells have a residual. Modulo a number, it is other than 0 all the more."""
        for exact in (False, True):
            found = self.residuals(panel, weights, exact=exact)
            wrong = np.flatnonzero((found != 0) & some)
            if len(wrong) or found.dtype == np.int64:
                break
        return wrong

    def equation(self, panel: Panel, cell: int) -> list[int]:
        r"""$x + s_i - s_j$ of one cell."""
        sizes = panel.sizes
        offsets, total = np.cumsum([0, *sizes]).tolist(), [0] * sum(sizes)

        def take(cell: int, sign: int) -> None:
            for low, codes in zip(offsets, panel.factors, strict=False):
                total[low + int(codes[cell])] += sign
            for j, column in enumerate(panel.columns):
                total[offsets[-2] + j] += sign * int(column[cell])

        take(cell, 1)
        for end, sign in zip(self.ends, (1, -1), strict=True):
            node = int(end[cell])
            while self.before[node] >= 0:
                take(int(self.between[node]), sign * int(self.side[node]))
                node = int(self.before[node])
        return total


def forest(cells: Cells, some: Array) -> Forest:
    """A spanning forest of these cells."""
    A, B = cells.levels
    first, second = cells.first.astype(np.int64), cells.second.astype(np.int64) + A
    keys = first * (A + B) + second
    chosen = np.flatnonzero(some)
    chosen = chosen[np.argsort(keys[chosen], kind="stable")]
    ends = first[chosen], second[chosen]
    graph = sparse.csr_array((np.ones(len(chosen), np.int8), ends), shape=(A + B, A + B))
    n_parts, part = connected_components(graph, directed=False)
    # one more node, joined to one of each component, finds all trees at once
    roots = np.unique(part, return_index=True)[1]
    top, m = A + B, A + B + 1
    edges = np.append(ends[0], np.full(n_parts, top)), np.append(ends[1], roots)
    graph = sparse.csr_array((np.ones(len(edges[0]), np.int8), edges), shape=(m, m))
    order, before = breadth_first_order(graph, top, directed=False)
    place = np.empty(m, np.int64)
    place[order] = np.arange(m)
    parents = place[before[order[1:]]]  # they rise, so that each distance from the top is a stretch
    stretches, low, high = [], 1, 1 + n_parts
    while high < m:
        low, high = high, 1 + int(np.searchsorted(parents, high))
        stretches.append(order[low:high])
    before = np.where(before[:top] == top, -1, before[:top]).astype(np.int64)
    nodes, between = np.flatnonzero(before >= 0), np.full(top, -1)
    low_end, high_end = np.minimum(nodes, before[nodes]), np.maximum(nodes, before[nodes])
    between[nodes] = chosen[np.searchsorted(keys[chosen], low_end * (A + B) + high_end)]
    side = np.where(np.arange(top) >= A, 1, -1)
    return Forest(part, before, between, stretches, (first, second), side)


def vanishing(
    panel: Panel, some: Array, among: Basis, deadline: float, trees: Forest | None = None
) -> Basis:
    r"""The $\beta$ of a space for which effects exist that bring all of some cells to 0: a basis.

    Equations of a few cells come first; those that a solution breaks are added.
    """
    basis, rows, rng = among, [], np.random.default_rng(0)
    if basis and trees is None:
        trees = forest(panel.cells, some)
    while basis and trees is not None:
        if now() > deadline:
            raise Undecided
        broken: set[int] = set()
        for weights in basis:
            wrong = trees.broken(panel, weights, some)
            broken |= (
                {*wrong[rng.integers(0, len(wrong), SAMPLE)].tolist()} if len(wrong) else {*()}
            )
        if not broken:
            return basis
        for cell in sorted(broken):
            equation = trees.equation(panel, cell)
            rows.append([dot(equation, weights) for weights in among])
        solved = null_vectors(Whole(rows, [1] * len(among)))
        basis = [[dot(n, parts) for parts in zip(*among, strict=True)] for n in solved]
    return basis


def dot(one: Iterable[int], other: Iterable[int]) -> int:
    """The inner product of whole numbers."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def last_of(basis: Basis) -> tuple[list[int], Basis]:
    """The coefficients that are the last in some vector of a space, and a basis by these.

    Each vector of it has one of them, which the others are 0 for.
    """
    if not basis:
        return [], []
    reduced, _, rank = fmpz_mat([v[::-1] for v in basis]).rref()
    vectors = [[int(reduced[r, j]) for j in range(reduced.ncols())][::-1] for r in range(rank)]
    return [max(j for j, v in enumerate(vector) if v) for vector in vectors], vectors


# ------------------------------------------------------------- the contracted model


class Contraction(NamedTuple):
    """What is left of a panel."""

    kinds: list[str]
    """What becomes of every coefficient, as far as that is known; "" for those of the model."""
    alone: Array
    """The cells of levels without a fixed cell: all are separated."""
    model: Model | None
    """The rows of the others; None if these can only be moved by effects."""


def contraction(panel: Panel, deadline: float) -> Contraction:
    """Take the two factors out of a panel."""
    cells, width = panel.cells, sum(panel.sizes)
    fixed = cells.side == 0
    trees = forest(cells, fixed)
    free = vanishing(panel, fixed, unit_vectors(width), deadline, trees)
    alone = ~(has(cells.first, fixed) & has(cells.second, fixed))
    if not free:
        return Contraction(["finite"] * width, alone, None)
    # what moves nothing but cells of levels that can be lowered alone may have either sign
    idle = vanishing(panel, ~alone, free, deadline)
    aliased, nulls = last_of(vanishing(panel, np.ones(len(fixed), bool), idle, deadline))
    kinds = ["" if any(v[j] for v in free) else "finite" for j in range(width)]
    for v in idle:
        for j, n in zip(aliased, nulls, strict=True):
            v = [n[j] * a - v[j] * b for a, b in zip(v, n, strict=True)]
        for j in np.flatnonzero(v).tolist():
            kinds[j] = "inf"
    for j in aliased:
        kinds[j] = "aliased"
    lowered = ~fixed & ~alone
    if not lowered.any():
        return Contraction([kind or "finite" for kind in kinds], alone, None)
    return Contraction(kinds, alone, contracted(panel, trees, free, lowered))


def has(levels: Array, fixed: Array) -> Array:
    """For every cell: has its level a fixed one?"""
    found = np.zeros(int(levels.max(initial=-1)) + 1, bool)
    found[levels[fixed]] = True
    there: Array = found[levels]
    return there


def contracted(panel: Panel, trees: Forest, free: Basis, lowered: Array) -> Model:
    """The rows of these cells, which may be lowered, in the coefficients that are left.

    These are a potential for each component, a share of each vector of the basis, and what the
    vectors make of the coefficients that they move, by equations.
    """
    chosen = np.flatnonzero(lowered)
    ends = [trees.component[end[chosen]] for end in trees.ends]
    used, numbers = np.unique(np.concatenate(ends), return_inverse=True)
    n, C, q = len(chosen), len(used), len(free)
    one, rows = np.ones(n), np.arange(n)
    up = sparse.csr_array((one, (rows, numbers[:n])), shape=(n, C))
    down = sparse.csr_array((one, (rows, numbers[n:])), shape=(n, C))
    moved = [j for j in range(len(free[0])) if any(v[j] for v in free)]
    shares = np.array([trees.residuals(panel, v)[chosen] for v in free], object).reshape(q, n).T
    ties = np.array([[-v[j] for v in free] for j in moved], object)
    parts = list(in_floats(np.vstack([shares, ties])))
    m, k = len(moved), len(parts)
    X = sparse.block_array(
        [
            [up - down, *(part[:n] for part in parts), sparse.csr_array((n, m))],
            [sparse.csr_array((m, C)), *(part[n:] for part in parts), sparse.eye_array(m)],
            *(  # the shares of further parts are those of the first
                [
                    None,
                    -sparse.eye_array(q),
                    *(sparse.eye_array(q) if p == r else None for p in range(1, k)),
                    None,
                ]
                for r in range(1, k)
            ),
        ],
        format="csr",
    )
    X.eliminate_zeros()
    tied = X.shape[0] - n
    signs = np.append(np.full(n, -1), np.ones(tied)).astype(np.int8)
    equal = np.append(np.zeros(n, bool), np.ones(tied, bool))
    before = C + q * k  # these come first where coefficients depend on each other
    D = TwoClasses(sparse.csr_array(X), signs, 2, False, equal, tuple(range(before)))
    names = [*[""] * before, *map(str, moved)]
    of = np.append(chosen, np.full(tied, -1))
    return Model(D, of, names, [*range(before, before + m)])


def in_floats(whole: Array) -> Iterator[Array]:
    """Floats that add up to these whole numbers: their leading bits, then the next, and so on."""
    while True:
        part = np.array([float(v) for v in whole.flat]).reshape(whole.shape)
        yield part
        whole = whole - np.array([int(f) for f in part.flat], object).reshape(whole.shape)
        if not whole.any():
            return


# ------------------------------------------------------------- the answer


@dataclass(frozen=True, eq=False)
class Contracted:
    """What a panel comes to, and the proof.

    Parameters
    ----------
    kinds : tuple of str
        What becomes of every coefficient: those of further factors, then the regressors.
    separated : ndarray of bool
        The cells that are separated.
    proof : Potentials or Recession
        The graph's, if no other coefficient can move; else that of the contracted model.
    """

    kinds: tuple[str, ...]
    separated: Array
    proof: Potentials | Recession

    def verify(self, panel: Panel) -> bool:
        """Contract the panel once more, and check the proof in exact arithmetic."""
        made = contraction(panel, np.inf)
        if not proves(self.proof, made, panel):
            return False
        again = answered(made, self.proof, panel)
        return self.kinds == again.kinds and np.array_equal(self.separated, again.separated)


def proves(proof: Potentials | Recession, made: Contraction, panel: Panel) -> bool:
    """Is this a proof of what was contracted?"""
    if made.model is None:
        return isinstance(proof, Potentials) and proof.verify(panel.cells)
    return isinstance(proof, Recession) and proof.verify(made.model)


def answered(made: Contraction, proof: Potentials | Recession, panel: Panel) -> Contracted:
    """What a proof says of the panel."""
    kinds, separated = list(made.kinds), made.alone.copy()
    if isinstance(proof, Potentials):
        separated = proof.separated(panel.cells)
    elif made.model is not None:
        separated[made.model.observation[list(proof.separated)]] = True
        for place in made.model.shown:
            j = int(made.model.names[place])
            kinds[j] = kinds[j] or proof.estimates.kinds[place]
    return Contracted(tuple(kinds), separated, proof)


def absorbed(panel: Panel, deadline: float) -> Contracted:
    """Which cells are separated, and what becomes of the coefficients, proved."""
    made = contraction(panel, deadline)
    proof = potentials(panel.cells) if made.model is None else recession(made.model, deadline)
    if not proves(proof, made, panel):
        raise Undecided
    return answered(made, proof, panel)
