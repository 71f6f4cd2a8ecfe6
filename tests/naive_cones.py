r"""Slow obvious twins of separation in regression models, in fractions.

A model has a set of directions along which its likelihood never falls: a cone
$\{\gamma : \langle a, \gamma\rangle \ge 0, \langle b, \gamma\rangle = 0\}$. Here it is taken
apart into its extreme rays, each the only direction that some of the rows leave.
"""

from fractions import Fraction
from itertools import combinations


def reduced(rows):
    """The rows in reduced echelon form without those of zeros, and their pivots."""
    rows, pivots = [[Fraction(v) for v in row] for row in rows], []
    width = len(rows[0]) if rows else 0
    for j in range(width):
        k = len(pivots)
        pivot = next((i for i in range(k, len(rows)) if rows[i][j]), None)
        if pivot is None:
            continue
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [v / rows[k][j] for v in rows[k]]
        for i in range(len(rows)):
            if i != k and rows[i][j]:
                rows[i] = [v - rows[i][j] * w for v, w in zip(rows[i], rows[k], strict=True)]
        pivots.append(j)
    return rows[: len(pivots)], pivots


def null_space(rows, width):
    """A basis of the vectors on which all rows vanish."""
    echelon, pivots = reduced(rows) if rows else ([], [])
    basis = []
    for j in set(range(width)) - set(pivots):
        n = [Fraction(0)] * width
        n[j] = Fraction(1)
        for row, pivot in zip(echelon, pivots, strict=True):
            n[pivot] = -row[j]
        basis.append(n)
    return basis


def dot(a, b):
    return sum(Fraction(x) * Fraction(y) for x, y in zip(a, b, strict=True))


def aliased(rows, order):
    """The columns that are combinations of the columns before them, in this order."""
    pivots = reduced([[row[j] for j in order] for row in rows])[1]
    return {j for place, j in enumerate(order) if place not in pivots}


def rays(inequalities, equalities, width):
    """The extreme rays of a cone that contains no line."""
    found = []
    for size in range(width):
        for chosen in combinations(inequalities, size):
            basis = null_space([*chosen, *equalities], width)
            if len(basis) != 1:
                continue
            for sign in (1, -1):
                ray = [sign * v for v in basis[0]]
                if all(dot(a, ray) >= 0 for a in inequalities) and ray not in found:
                    found.append(ray)
    return found


def separation(inequalities, equalities, order):
    """Which inequalities some direction has above 0, and what becomes of each coefficient.

    `order` says which columns come first where some depend on others.
    """
    every = [*inequalities, *equalities]
    without = aliased(every, order)
    kept = [j for j in sorted(order) if j not in without]

    def narrow(rows):
        return [[row[j] for j in kept] for row in rows]

    cone = rays(narrow(inequalities), narrow(equalities), len(kept))
    separated = [any(dot(a, ray) > 0 for ray in cone) for a in narrow(inequalities)]
    coefficients = dict.fromkeys(without, "aliased")
    for place, j in enumerate(kept):
        up, down = any(ray[place] > 0 for ray in cone), any(ray[place] < 0 for ray in cone)
        coefficients[j] = {(0, 0): "finite", (1, 0): "+inf", (0, 1): "-inf", (1, 1): "inf"}[
            up, down
        ]
    return separated, [coefficients[j] for j in sorted(order)]
