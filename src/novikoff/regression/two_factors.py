r"""Separation with two factors of many levels, in linear time, without a dummy for any level.

A model with one row for each observation, and an effect for every level of two factors, has
$\eta = a_i + b_j$ in the cell $(i, j)$. A direction may not change some cells, $a_i = -b_j$: in a
count model those with a positive outcome. It may only lower others, $a_i \le -b_j$, or only raise
them. So let the levels be the nodes of a graph, with potential $a_i$ or $-b_j$. Cells that may not
change join their two levels into one node. A cell that may be lowered is an edge from its first
level to its second, along which the potential may not fall; one that may be raised is an edge the
other way. It cannot rise along an edge of a cycle. Hence a cell is separated if and only if its
edge leads from one strongly connected component to another; numbering the components in topological
order gives potentials that rise along all of these edges at once (Tarjan 1972). Whole numbers prove
it.

References
----------
Tarjan, R. (1972). Depth-first search and linear graph algorithms. SIAM Journal on Computing 1(2).
Correia, S., Guimaraes, P. & Zylkin, T. (2019). Verifying the existence of maximum likelihood
estimates for generalized linear models. arXiv:1903.01633.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from novikoff.core.jit import njit
from novikoff.typing import Array


class Cells(NamedTuple):
    """Observations by the levels of two factors, numbered from 0."""

    first: Array
    second: Array
    side: Array
    """Where the cell may go: 0 if it may not change, -1 if it may be lowered, +1 if raised."""

    @property
    def levels(self) -> tuple[int, int]:
        """How many levels each factor has."""
        return int(self.first.max(initial=-1)) + 1, int(self.second.max(initial=-1)) + 1


@dataclass(frozen=True)
class Potentials:
    r"""Which cells are separated, and the direction that separates them.

    Parameters
    ----------
    first, second : ndarray of int
        The direction: $a_i$ and $b_j$ for every level.
    """

    first: Array
    second: Array

    def separated(self, cells: Cells) -> Array:
        """The cells that the direction changes."""
        changed: Array = self.first[cells.first] + self.second[cells.second] != 0
        return changed

    def verify(self, cells: Cells) -> bool:
        """Does the direction change no cell as it may not, and every cell that any can?

        Of cells that it leaves as they are it is checked that each is on a cycle, by another
        search for strongly connected components (Pearce's, in SciPy).
        """
        if (len(self.first), len(self.second)) != cells.levels:
            return False
        eta = self.first[cells.first] + self.second[cells.second]
        if not np.array_equal(np.sign(eta), np.where(eta == 0, 0, cells.side)):
            return False
        m = sum(cells.levels)
        u, v = cells.first, cells.second + len(self.first)
        up, down = cells.side >= 0, cells.side <= 0  # a cell of side 0 is an edge both ways
        tails, heads = np.concatenate([u[down], v[up]]), np.concatenate([v[down], u[up]])
        starts, heads = by_tail(tails, heads, m)
        graph = sparse.csr_array((np.ones(len(heads), np.int8), heads, starts), shape=(m, m))
        part = connected_components(graph, connection="strong")[1]
        return bool((part[u] == part[v])[eta == 0].all())


def potentials(cells: Cells) -> Potentials:
    """The direction that changes every cell that some direction changes."""
    A, B = cells.levels
    parent = np.arange(A + B, dtype=np.int64)
    join(parent, cells.first, cells.second, cells.side == 0, A)
    nodes, may = roots(parent), cells.side != 0
    tails, heads = nodes[cells.first[may]], nodes[A + cells.second[may]]
    raised = cells.side[may] > 0
    if raised.any():
        tails, heads = np.where(raised, heads, tails), np.where(raised, tails, heads)
    number = np.full(A + B, -1, np.int64)
    components(*by_tail(tails, heads, A + B), number)
    level = number[nodes]  # components are numbered from the last of the order
    return Potentials(-level[:A], level[A:])


@njit
def root(parent, node):
    """The root of a node's tree; the way to it becomes half as long."""
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


@njit(cache=True)
def join(parent, first, second, fixed, A):
    """Join the two levels of every cell that may not change."""
    for k in range(len(first)):
        if fixed[k]:
            u, v = root(parent, first[k]), root(parent, A + second[k])
            if u != v:
                parent[max(u, v)] = min(u, v)


@njit(cache=True, allocates=True)
def roots(parent):
    """The node of every level."""
    found = np.empty(len(parent), np.int64)
    for k in range(len(parent)):
        found[k] = root(parent, k)
    return found


@njit(cache=True, allocates=True)
def by_tail(tails, heads, m):
    """The edges in the order of their tails: where those of each node begin, and their heads."""
    starts = np.zeros(m + 1, np.int32)
    for k in range(len(tails)):
        starts[tails[k] + 1] += 1
    for u in range(m):
        starts[u + 1] += starts[u]
    place, sorted_heads = starts[:-1].copy(), np.empty(len(heads), np.int32)
    for k in range(len(tails)):
        u = tails[k]
        sorted_heads[place[u]] = heads[k]
        place[u] += 1
    return starts, sorted_heads


@njit(cache=True, allocates=True)
def components(starts, heads, number):
    """Number the strongly connected components: each after all that it has edges to (Tarjan)."""
    m = len(number)
    seen, low = np.full(m, -1, np.int64), np.empty(m, np.int64)
    at = starts[:-1].copy()
    path, stack = np.empty(m, np.int64), np.empty(m, np.int64)
    clock = depth = waiting = count = 0
    for begin in range(m):
        if seen[begin] >= 0:
            continue
        path[0], depth = begin, 1
        while depth > 0:
            u = path[depth - 1]
            if seen[u] < 0:
                seen[u] = low[u] = clock
                clock += 1
                stack[waiting] = u
                waiting += 1
            if at[u] < starts[u + 1]:
                v = heads[at[u]]
                at[u] += 1
                if seen[v] < 0:
                    path[depth] = v
                    depth += 1
                elif number[v] < 0:
                    low[u] = min(low[u], seen[v])
                continue
            depth -= 1
            if depth > 0:
                low[path[depth - 1]] = min(low[path[depth - 1]], low[u])
            if low[u] == seen[u]:
                while True:
                    waiting -= 1
                    v = stack[waiting]
                    number[v] = count
                    if v == u:
                        break
                count += 1
