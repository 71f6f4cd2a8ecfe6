r"""What becomes of each coefficient of a regression whose data is separated, and the proof.

The likelihood never falls along a direction $\gamma$ of the recession cone
$C = \{\gamma : \langle\gamma, z_i\rangle \ge 0\}$, and rows with $\langle\gamma, z_i\rangle > 0$
for some $\gamma \in C$ are separated: their $\langle\beta, z_i\rangle$ grows without end as the
likelihood approaches its supremum, and that of the other rows converges. So coefficient $j$ is

- **finite** if $\gamma_j = 0$ for all $\gamma \in C$;
- **+inf** if $\gamma_j \ge 0$ for all, and $> 0$ for some. The proof is
  $\beta_j = \sum_i \lambda_i\langle\beta, z_i\rangle + \dots$ with $\lambda > 0$ on separated rows,
  up to a combination of the others (Farkas): whatever maximises the likelihood takes it there;
- **-inf** if it is the other way round;
- **inf** if it is above 0 for one direction of $C$ and below 0 for another: it is up to how the
  likelihood is maximised. These two directions are the proof;
- **aliased** if its column is a combination of columns before it (the bias counted first): it can
  be traded for theirs, and has no estimate of its own. As in R's `glm`, its coefficient is 0, and
  what is said of the others is true then.

References
----------
Albert, A. & Anderson, J. A. (1984). On the existence of maximum likelihood estimates in logistic
regression models. Biometrika 71(1).
Geyer, C. J. (2009). Likelihood inference in exponential families and directions of recession.
Electronic Journal of Statistics 3.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from flint import fmpz_mat

from novikoff.certificates.exact import (
    Exact,
    in_whole_numbers,
    independent_rows,
    null_vectors,
    pivots,
    unit_vectors,
    whole_rows,
)
from novikoff.certificates.exact_hull import products
from novikoff.certificates.geometry import in_columns, used_columns
from novikoff.typing import Array

if TYPE_CHECKING:
    from novikoff.certificates.two_classes import TwoClasses

SIGNS = {"finite": 0, "+inf": 1, "-inf": -1, "inf": nan, "undecided": nan, "aliased": None}
"""What `Separability.infinite` has for each kind."""


Direction = tuple[tuple[int, Fraction], ...]


class Push(NamedTuple):
    """Why a coefficient diverges to one side."""

    coefficient: int
    rows: tuple[int, ...]
    """Separated rows, and the multipliers with which they make up the coefficient."""
    multipliers: tuple[Fraction, ...]


@dataclass(frozen=True)
class Estimates:
    """The kind of estimate of each coefficient of a regression, bias last, and the proof.

    Parameters
    ----------
    kinds : tuple of {"finite", "+inf", "-inf", "inf", "aliased", "undecided"}
    spanning : tuple of int
        Rows on which the columns that are not aliased are independent.
    directions : tuple of tuples of pairs
        Directions in which the likelihood never falls: the nonzero coefficients, as pairs of their
        index and a Fraction.
    pushes : tuple of Push
        For coefficients that diverge to one side, the proof.
    """

    kinds: tuple[str, ...] = ()
    spanning: tuple[int, ...] = ()
    directions: tuple[Direction, ...] = ()
    pushes: tuple[Push, ...] = ()

    @property
    def rows(self) -> set[int]:
        """All rows that it speaks of."""
        return {*self.spanning, *(row for push in self.pushes for row in push.rows)}

    def given_up(self) -> "Estimates":
        """Nothing decided of as many coefficients."""
        return Estimates(("undecided",) * len(self.kinds))

    def renumbered(self, numbers: Mapping[int, int]) -> "Estimates":
        """The same with these numbers for the rows."""
        pushes = (
            push._replace(rows=tuple(numbers[row] for row in push.rows)) for push in self.pushes
        )
        return replace(
            self, spanning=tuple(numbers[row] for row in self.spanning), pushes=tuple(pushes)
        )

    def widened(self, used: Array, d: int, blocks: int, bias: bool) -> "Estimates":
        """The same in all `d` columns of every block, of which only some were used.

        The others are aliased.
        """
        place = [*used.tolist(), *[d] * bias]  # where the columns of a block are in a wide one
        wide = [block * (d + bias) + j for block in range(blocks) for j in place]
        others = "undecided" if "undecided" in self.kinds else "aliased"
        kinds = [others] * (blocks * (d + bias) if self.kinds else 0)
        for j, kind in zip(wide, self.kinds, strict=False):
            kinds[j] = kind
        return replace(self.moved(dict(enumerate(wide))), kinds=tuple(kinds))

    def moved(self, place: Mapping[int, int]) -> "Estimates":
        """The proofs with these numbers for the coefficients, of those that have one."""
        directions = (
            tuple((place[j], f) for j, f in direction if j in place)
            for direction in self.directions
        )
        pushes = (
            push._replace(coefficient=place[push.coefficient])
            for push in self.pushes
            if push.coefficient in place
        )
        return replace(self, directions=tuple(directions), pushes=tuple(pushes))


def chosen(numbers: Array, rows: Iterable[int]) -> tuple[int, ...]:
    """The numbers of these rows."""
    return tuple(int(numbers[row]) for row in rows)


# ------------------------------------------------------------- aliased columns


class Columns(NamedTuple):
    """Which columns have an estimate of their own."""

    kept: Array
    """These; that of the bias is the last."""
    nulls: list[tuple[int, Exact]]
    """Each other column, and weights with 1 for it on which all rows vanish."""
    spanning: Array
    """Rows at hand on which those kept are independent."""


def columns_on(D: "TwoClasses", rows: Array) -> Columns:
    """The same, judged by these rows."""
    Z = whole_rows(D.X, D.y, rows, D.bias)
    m, width = len(Z.scales), D.X.shape[1] + 1
    order = D.order
    kept = [order[k] for k in pivots([[v[j] for j in order] for v in Z.vectors])]
    narrow = [[v[j] for j in kept] for v in Z.vectors]
    spanning = independent_rows(narrow) if kept else []
    others, nulls = sorted({*range(m)} - {*kept}), []
    if others and kept:
        A = fmpz_mat([narrow[i] for i in spanning])
        X = A.solve(fmpz_mat([[Z.vectors[i][j] for j in others] for i in spanning]))
        for k, j in enumerate(others):
            parts = [Fraction(int(X[r, k].p), int(X[r, k].q)) for r in range(len(kept))]
            nulls.append((j, null_of(Z.scales, j, kept, parts, width)))
    else:
        nulls = [(j, null_of(Z.scales, j, [], [], width)) for j in others]
    return Columns(np.sort(np.array(kept, np.int64)), nulls, rows[spanning])


def null_of(scales: list[int], j: int, kept: list[int], parts: list[Fraction], width: int) -> Exact:
    """The weights that are 1 for column `j` and vanish where it is this combination of others."""
    W = np.full(width, Fraction(0))
    W[j] = Fraction(1)
    for k, part in zip(kept, parts, strict=True):
        W[k] = -part * scales[k] / scales[j]
    return W


def in_kept(D: "TwoClasses", kept: Array) -> "TwoClasses":
    """The rows in the columns that are kept; that of the bias is no column of theirs."""
    d = D.X.shape[1]
    return replace(D, X=in_columns(D.X, kept[kept < d]), bias=D.bias and d in kept, leading=())


def without(nulls: list[tuple[int, Exact]], W: Exact) -> Exact:
    """The same direction with 0 for the aliased coefficients."""
    W = np.array([Fraction(f) for f in W.tolist()], object)
    for j, n in nulls:
        if W[j]:
            there = np.flatnonzero(n)  # few: column `j`, and those that it is a combination of
            W[there] -= W[j] * n[there]
    return W


def basis_of(D: "TwoClasses", kept: Array, proof: Array) -> list[list[int]]:
    """A basis of the directions that vanish on the rows of a proof, in the columns kept."""
    if not len(proof):
        return unit_vectors(len(kept))
    D = in_kept(D, kept)
    return null_vectors(whole_rows(D.X, D.y, proof, D.bias))


# ------------------------------------------------------------- the check


class Everywhere(NamedTuple):
    """What is true of all rows."""

    supports: Callable[[Exact], bool]
    """Is no row on the wrong side of these weights, and some on the right one?"""
    vanishes: Callable[[Exact], bool]
    """Are all rows 0 on these weights?"""
    lacks: Callable[[Array], bool]
    """Are all rows 0 in these columns?"""


def is_proper(told: Estimates, n: int) -> bool:
    """Are these known kinds, and rows among so many?"""
    m = len(told.kinds)
    numbers = [push.coefficient for push in told.pushes]
    numbers += [j for direction in told.directions for j, _ in direction]
    return (
        all(kind in SIGNS for kind in told.kinds)
        and all(isinstance(row, int) and 0 <= row < n for row in told.rows)
        and all(isinstance(j, int) and 0 <= j < m for j in numbers)
    )


def hold(
    told: Estimates,
    D: "TwoClasses",
    everywhere: Everywhere,
    witness: Exact | None,
    proof: Iterable[int],
) -> bool:
    """Are these estimates proved, if the witness and the proof of the separated rows are true?

    `D` are the rows they speak of, and `proof` those on which no direction is strict. Nothing is
    said where they are undecided.
    """
    if {*told.kinds} <= {"undecided"}:
        return True
    d, proof = D.X.shape[1], [*proof]
    if not is_proper(told, len(D.y)) or len(told.kinds) != d + D.bias or "undecided" in told.kinds:
        return False
    # columns in which none of these rows has an entry are aliased, if no other row has one either
    used = used_columns(D.X[np.array(sorted({*told.rows, *proof}), np.int64)])
    unused = np.setdiff1d(np.arange(d), used)
    kinds = np.array(told.kinds, object)
    if len(unused) and not ((kinds[unused] == "aliased").all() and everywhere.lacks(unused)):
        return False
    places = np.append(used, [d] * D.bias).astype(np.int64)
    place = {int(j): k for k, j in enumerate(places)}
    narrow = replace(
        D,
        X=in_columns(D.X, used),
        leading=tuple(place[j] for j in D.leading if j in place),
    )
    told = replace(told.moved(place), kinds=tuple(kinds[places].tolist()))

    def wide(W: Exact) -> Exact:
        whole = np.full(d + 1, Fraction(0))
        whole[np.append(used, d)] = W
        return whole

    known = Everywhere(
        lambda W: everywhere.supports(wide(W)),
        lambda W: everywhere.vanishes(wide(W)),
        everywhere.lacks,
    )
    own = None if witness is None else witness[np.append(used, d)]
    return hold_where_used(told, narrow, known, own, proof)


def hold_where_used(
    told: Estimates,
    D: "TwoClasses",
    everywhere: Everywhere,
    witness: Exact | None,
    proof: list[int],
) -> bool:
    """The same for columns that some rows use."""
    kept = np.array([j for j, kind in enumerate(told.kinds) if kind != "aliased"], np.int64)
    found = columns_on(D, np.array(told.spanning, np.int64))
    if not np.array_equal(found.kept, kept):
        return False
    if not all(everywhere.vanishes(W) for _, W in found.nulls):
        return False
    basis = basis_of(D, kept, np.array(proof, np.int64))
    ways = [] if witness is None else [without(found.nulls, witness)]
    for direction in told.directions:
        W = np.full(D.X.shape[1] + 1, Fraction(0))
        for j, f in direction:
            W[j] = f
        if not everywhere.supports(W):
            return False
        ways.append(without(found.nulls, W))
    pushes = {push.coefficient: push for push in told.pushes}
    narrow = in_kept(D, kept)
    return all(
        holds_of(told.kinds[j], j, place, basis, ways, pushes.get(j), narrow)
        for place, j in enumerate(kept.tolist())
    )


def holds_of(
    kind: str,
    j: int,
    place: int,
    basis: list[list[int]],
    ways: list[Exact],
    push: Push | None,
    D: "TwoClasses",
) -> bool:
    """Is this what becomes of a coefficient?"""
    f = [n[place] for n in basis]
    if kind == "finite":
        return not ways or not any(f)
    if kind == "inf":
        return any(W[j] > 0 for W in ways) and any(W[j] < 0 for W in ways)
    sign = 1 if kind == "+inf" else -1
    if push is None or not push.rows or len(push.rows) != len(push.multipliers):
        return False
    if not all(isinstance(p, Fraction) and p > 0 for p in push.multipliers):
        return False
    rows = np.array(push.rows)
    if D.equal[rows].any() or not any(W[j] * sign > 0 for W in ways):
        return False
    Z = whole_rows(D.X, D.y, rows, D.bias)
    vectors = products(Z, basis, inf)
    shares, common = in_whole_numbers(push.multipliers)
    sums = fmpz_mat([shares]) * fmpz_mat(vectors)
    scale = sign * common * max(Z.scales)
    return [int(sums[0, b]) for b in range(len(basis))] == [scale * part for part in f]
