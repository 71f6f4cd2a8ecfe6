r"""Is a vector in a cone? The simplex method in whole numbers, for what floats cannot tell.

By Farkas' lemma exactly one is true of a vector $f$ and vectors $u_1, \dots, u_n$:

- $f = \sum_i \lambda_i u_i$ for some $\lambda \ge 0$;
- some $t$ has $\langle t, u_i\rangle \ge 0$ for all $i$ and $\langle t, f\rangle < 0$.

The first phase of the simplex method finds which, with $\lambda$ or $t$. Each basis is solved anew,
exactly, so that nothing adds up; Bland's rule keeps it from going round in circles.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import NamedTuple

from flint import fmpq_mat, fmpz_mat

from novikoff.certificates.exact import in_whole_numbers, independent_rows, pivots, primitive
from novikoff.core.clock import now

Vector = Sequence[int]


class Inside(NamedTuple):
    """The vector is the sum of these vectors, multiplied by numbers above 0."""

    members: list[int]
    multipliers: list[Fraction]


class Outside(NamedTuple):
    """The vector is on the other side of the hyperplane with this normal."""

    normal: list[int]


class Basis:
    """As many columns as there are coordinates: some of the vectors, and unit vectors.

    A column of the number $-1 - r$ is the unit vector of coordinate $r$, or its opposite.
    """

    def __init__(self, vectors: Sequence[Vector], f: Vector, start: Sequence[int]) -> None:
        self.vectors, self.f, self.k = vectors, f, len(f)
        self.signs = [1] * self.k
        members = list(dict.fromkeys(start))
        while True:
            self.columns, free = independent(vectors, members, self.k)
            members = list(self.columns)
            self.columns += [-1 - r for r in free]
            x = self.solve(f)
            for place in range(len(members), self.k):  # the other direction makes it positive
                if x[place] < 0:
                    self.signs[-1 - self.columns[place]] *= -1
            wrong = {members[k] for k in range(len(members)) if x[k] < 0}
            if not wrong:
                return
            members = [m for m in members if m not in wrong]
            self.signs = [1] * self.k

    def column(self, number: int) -> Vector:
        """The vector of a number."""
        if number >= 0:
            return self.vectors[number]
        return [self.signs[-1 - number] * (r == -1 - number) for r in range(self.k)]

    def matrix(self) -> fmpz_mat:
        """The columns, as rows."""
        return fmpz_mat([list(self.column(number)) for number in self.columns])

    def solve(self, f: Vector) -> list[Fraction]:
        """The multipliers of the columns that make up `f`."""
        return solved(self.matrix().transpose(), f)

    def prices(self) -> list[int]:
        """A multiple of the vector whose products are 1 with unit columns and 0 with the others."""
        dual = solved(self.matrix(), [int(number < 0) for number in self.columns])
        return primitive(in_whole_numbers(dual)[0])


def in_cone(
    vectors: Sequence[Vector], f: Vector, start: Sequence[int] = (), deadline: float = inf
) -> Inside | Outside:
    """Decide whether `f` is in the cone of the vectors; `start` are likely members of its sum.

    Raises `TimeoutError` at the deadline.
    """
    if not any(f):
        return Inside([], [])
    basis, table = Basis(vectors, f, start), fmpz_mat([list(v) for v in vectors])
    moved = True
    while any(number < 0 for number in basis.columns):
        if now() > deadline:
            raise TimeoutError
        x, price = basis.solve(f), basis.prices()
        if not any(x[k] for k, number in enumerate(basis.columns) if number < 0):
            break
        gains = table * fmpz_mat([[p] for p in price])
        better = [i for i in range(len(vectors)) if gains[i, 0] > 0]
        if not better:
            return Outside([-p for p in price])
        # the steepest; but the first, if the last step led nowhere
        entering = max(better, key=lambda i: gains[i, 0]) if moved else better[0]
        d = basis.solve(vectors[entering])
        ratio, _, leaving = min(
            (x[k] / d[k], number, k) for k, number in enumerate(basis.columns) if d[k] > 0
        )
        basis.columns[leaving] = entering
        moved = ratio > 0
    x = basis.solve(f)
    members = [(i, p) for i, p in zip(basis.columns, x, strict=True) if p]
    return Inside([i for i, _ in members], [p for _, p in members])


def independent(
    vectors: Sequence[Vector], members: list[int], k: int
) -> tuple[list[int], list[int]]:
    """Members that are linearly independent, and the coordinates that make a basis with them."""
    if not members:
        return [], list(range(k))
    kept = [members[c] for c in independent_rows([list(vectors[m]) for m in members])]
    used = set(pivots([list(vectors[m]) for m in kept]))
    return kept, [r for r in range(k) if r not in used]


def solved(A: fmpz_mat, b: Vector) -> list[Fraction]:
    r"""The $x$ with $Ax = b$, for an $A$ that has an inverse."""
    x = A.solve(fmpz_mat([[v] for v in b]))
    assert isinstance(x, fmpq_mat)
    numerators, common = x.numer_denom()
    return [Fraction(int(numerators[k, 0]), int(common)) for k in range(x.nrows())]
