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


def family_rows(family, X, y):
    """Inequalities and equations of a model, by its definition, in whole numbers.

    Columns: an intercept, or thresholds; then those of X. Of multinomial models, for every class
    but the first. The third is which observation an inequality is of.
    """
    inequalities, equations, of = [], [], []
    K = max(y) + 1

    def forms(x, label):
        eta = [1, *x]
        down = [-v for v in eta]
        if family == "binary":
            return [eta if label else down], []
        if family in ("poisson", "log-binomial"):
            return ([], [eta]) if label else ([down], [])
        if family == "fractional":  # 0, 1/2 and 1
            return ([], [eta]) if label == 1 else ([eta if label else down], [])

        def score(k):
            """That of class k."""
            if family == "multinomial":
                return [v * (c == k) for c in range(1, K) for v in eta]
            return [-int(t < k) for t in range(K - 1)] + [k * v for v in x]

        def stop(k):
            """alpha_k - eta"""
            return [int(t == k) for t in range(K - 1)] + [-v for v in x]

        if family in ("multinomial", "adjacent"):
            others = [k for k in range(K) if k != label]
            return [
                [a - b for a, b in zip(score(label), score(k), strict=True)] for k in others
            ], []
        passed = [label - 1] if family == "cumulative" else range(label)
        return [
            *([stop(label)] if label < K - 1 else []),
            *([-v for v in stop(k)] for k in passed if k >= 0),
        ], []

    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        above, equal = forms(x, label)
        inequalities += above
        of += [i] * len(above)
        equations += equal
    return inequalities, equations, of
