r"""Exact signs and exact solutions, whatever the floats.

A float is an integer times a power of two, so $y_i\langle v, (x_i, 1)\rangle$ has an exact
sign. It is found in three tiers, each only where the one before cannot decide: the plain
sum with a bound on its rounding error; the compensated sum of Ogita, Rump and Oishi (2005),
as if computed in twice the precision; and integers. Nothing here trusts a solver.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import frexp, gcd, lcm, ldexp
from typing import NamedTuple, cast

import numpy as np
from flint import fmpq_mat, fmpz_mat, nmod_mat
from scipy import sparse

from novikoff.core.jit import njit
from novikoff.core.rows import SUM, column, first, last, value
from novikoff.inputs.arrays import as_rows, dense
from novikoff.typing import Array, Matrix

U_ROUND = 2.0**-53
LEAST = 5e-324
LIMB = 32
BLOCK = 1024
"""So many rows are turned into whole numbers at a time."""
PRIME = 2**61 - 1
Exact = Array
"""Exact weights, the bias last: one row, or one for each of more than two classes.

An array of objects, which are fractions or whole numbers.
"""
LOWEST = 1074
"""No float has a bit below this place after its point."""
N_LIMBS = (2 * 1074 + 106 + 2 * 1024 + 128) // LIMB


# ------------------------------------------------------------- scores that know their error


@njit(fastmath=SUM)
def plain_score(v, X, i):
    r"""$\langle v, (x_i, 1)\rangle$ in floats, and a bound on the error of that."""
    s, a = v[-1], abs(v[-1])
    n = last(X, i) - first(X, i) + 3
    for k in range(first(X, i), last(X, i)):
        t = np.float64(value(X, i, k)) * v[column(X, k)]
        s += t
        a += abs(t)
    return s, 1.0001 * n * U_ROUND * a + n * LEAST


@njit
def compensated_score(v, X, i):
    """The same in about twice the precision (Dot2 of Ogita, Rump & Oishi 2005, cor. 5.7)."""
    s, c, a = v[-1], 0.0, abs(v[-1])
    n = last(X, i) - first(X, i) + 3
    for k in range(first(X, i), last(X, i)):
        x, w = np.float64(value(X, i, k)), v[column(X, k)]
        p = x * w
        x_high, w_high = x * 134217729.0, w * 134217729.0  # Veltkamp: 2^27 + 1
        x_high, w_high = x_high - (x_high - x), w_high - (w_high - w)
        x_low, w_low = x - x_high, w - w_high
        e = x_low * w_low - (((p - x_high * w_high) - x_low * w_high) - x_high * w_low)
        t = s + p
        z = t - s
        c += ((s - (t - z)) + (p - z)) + e
        s = t
        a += abs(p)
    g = n * U_ROUND / (1.0 - n * U_ROUND)
    return s + c, 1.01 * (U_ROUND * abs(s + c) + g * g * a) + 8 * n * LEAST


@njit(cache=True)
def exact_sign(V, X, i, limbs):
    r"""The sign of $\langle \sum_k V_k, (x_i, 1)\rangle$, by summing it in integers of 4,400 bits.

    Every product of two floats is an integer of 106 bits at a place between 2^-2252 (of the least
    two, whose bits come last) and 2^1942; it is added there, limb by limb, and carries are settled
    at the end. `limbs` are zeros, and are left so.
    """
    lowest, highest = N_LIMBS - 1, 0
    mask = np.int64(0xFFFFFFFF)
    for r in range(V.shape[0]):
        for k in range(first(X, i), last(X, i) + 1):
            at_end = k == last(X, i)
            x = 1.0 if at_end else np.float64(value(X, i, k))
            w = V[r, -1] if at_end else V[r, column(X, k)]
            if x == 0.0 or w == 0.0:
                continue
            mx, ex = frexp(x)
            mw, ew = frexp(w)
            ix, iw = np.int64(mx * 2.0**53), np.int64(mw * 2.0**53)
            sign = np.int64(1) if (ix < 0) == (iw < 0) else np.int64(-1)
            ix, iw = abs(ix), abs(iw)
            x1, x0 = ix >> 27, ix & 0x7FFFFFF
            w1, w0 = iw >> 27, iw & 0x7FFFFFF
            place = ex + ew + 2 * 1074
            for part in range(3):
                if part == 0:
                    q, at = x0 * w0, place
                elif part == 1:
                    q, at = x1 * w0 + x0 * w1, place + 27
                else:
                    q, at = x1 * w1, place + 54
                limb, shift = at // LIMB, at % LIMB
                low = (q & mask) << shift
                high = (q >> LIMB) << shift
                # low has up to 63 bits, high up to 55: three limbs in all
                lowest, highest = min(lowest, limb), max(highest, limb + 2)
                limbs[limb] += sign * (low & mask)
                limbs[limb + 1] += sign * ((low >> LIMB) + (high & mask))
                limbs[limb + 2] += sign * (high >> LIMB)
    carry = np.int64(0)
    any_low = False
    for limb in range(lowest, highest + 1):
        total = limbs[limb] + carry
        limbs[limb] = 0
        carry = total >> LIMB  # rounds down, so that what stays is not negative
        any_low = any_low or (total & mask) != 0
    if carry < 0:
        return -1
    return 1 if carry > 0 or any_low else 0


@njit
def meets(V, X, i):
    """Is any product of a value and its weight other than 0?"""
    for r in range(V.shape[0]):
        if V[r, -1] != 0.0:
            return True
        for k in range(first(X, i), last(X, i)):
            if V[r, column(X, k)] != 0.0 and value(X, i, k) != 0:
                return True
    return False


@njit(allocates=True, cache=True)
def signs(V, X, y, out):
    r"""The exact sign of $y_i\langle v, (x_i, 1)\rangle$ for every row, where $v = \sum_k V_k$."""
    single = V.shape[0] == 1
    limbs = np.zeros(N_LIMBS, np.int64)
    for i in range(len(y)):
        s, error = plain_score(V[0], X, i)
        if single and not abs(s) > error and s != 0.0:
            s, error = compensated_score(V[0], X, i)
        elif not single:  # the other parts are less than 2^-52 of the first, for each weight
            error *= 5.0
        if abs(s) > error:
            out[i] = y[i] if s > 0 else -y[i]
            continue
        if not meets(V, X, i):
            out[i] = 0
            continue
        out[i] = y[i] * exact_sign(V, X, i, limbs)


@njit(allocates=True, cache=True)
def lowest_scores(v, X, y):
    r"""Lower bounds of $\min_i y_i\langle v, (x_i, 1)\rangle$, over each class by itself."""
    lows = np.full(2, np.inf)
    for i in range(len(y)):
        c = (y[i] + 1) // 2
        s, error = plain_score(v, X, i)
        low = y[i] * s - error
        if not low >= lows[c]:  # few rows are: for these it pays to know better
            s, error = compensated_score(v, X, i)
            low = y[i] * s - error
        if np.isnan(low):  # an overflow on the way: nothing is known
            low = -np.inf
        lows[c] = min(lows[c], low)
    return lows


def row_signs(V: Array, X: Matrix, y: Array) -> Array:
    """The same as an array of -1, 0 and +1."""
    out = np.empty(len(y), np.int8)
    signs(V, as_rows(X), y, out)
    return out


def exact_row_signs(w: Iterable[Fraction | int], X: Matrix, y: Array) -> Array:
    r"""The sign of $y_i\langle w, (x_i, 1)\rangle$ for every row and exact weights."""
    w = list(w)
    used = [j for j, f in enumerate(w[:-1]) if f]
    if 2 * len(used) < len(w):  # the other columns add nothing
        X = X[:, used] if sparse.issparse(X) else np.take(X, used, axis=1)
        w = [*(w[j] for j in used), w[-1]]
    try:
        return row_signs(expansion(w), X, y)
    except OverflowError:  # past the range of floats
        found = [np.zeros(0, np.int8)]
        for scores, _ in exact_scores(w, X, y):
            found.append(np.array([(s > 0) - (s < 0) for s in scores], np.int8))
        return np.concatenate(found)


def exact_scores(
    w: Iterable[Fraction | int], X: Matrix, y: Array
) -> Iterator[tuple[list[int], int]]:
    r"""For blocks of rows: multiples of $y_i\langle w, (x_i, 1)\rangle$, and of how much."""
    exact = [Fraction(f) for f in w]
    for start in range(0, len(y), BLOCK):
        Z = whole_rows(X, y, np.arange(start, min(start + BLOCK, len(y))), True)
        parts, common = in_whole_numbers(f / s for f, s in zip(exact, Z.scales, strict=True))
        scores = fmpz_mat(Z.vectors) * fmpz_mat([[part] for part in parts])
        yield [int(scores[k, 0]) for k in range(scores.nrows())], common


# ------------------------------------------------------------- rationals


def in_whole_numbers(numbers: Iterable[Fraction | int]) -> tuple[list[int], int]:
    """The least multiples of the numbers that are all whole, and what they were multiplied by."""
    numbers = list(numbers)
    common = lcm(*(f.denominator for f in numbers))
    return [f.numerator * (common // f.denominator) for f in numbers], common


def expansion(numbers: Iterable[Fraction | int]) -> Array:
    """Float vectors whose exact sum is a positive multiple of `numbers`, the leading bits first.

    Raises `OverflowError` if the numbers need more than the range of a float.
    """
    rest, _ = in_whole_numbers(numbers)
    scale = max(0, max(r.bit_length() for r in rest) - 1000)
    if scale > 1000:
        raise OverflowError("the numbers are too long")
    parts: list[list[float]] = []
    while any(rest) or not parts:
        drop = [max(0, r.bit_length() - 53) for r in rest]
        top = [(abs(r) >> d) * (1 if r > 0 else -1) for r, d in zip(rest, drop, strict=True)]
        parts.append([ldexp(t, d - scale) for t, d in zip(top, drop, strict=True)])
        rest = [r - (t << d) for r, t, d in zip(rest, top, drop, strict=True)]
    return np.array(parts)


def rounded_to_floats(W: Exact) -> Array:
    """The nearest floats to a multiple of the weights, the largest of which becomes 1."""
    top = Fraction(max(abs(f) for f in W.flat)) or Fraction(1)
    return np.array([float(f / top) for f in W.flat]).reshape(W.shape)


class Multipliers(NamedTuple):
    """Rows and exact positive multipliers: that cancel, or prove that no margin is wider."""

    rows: Array
    shares: list[Fraction]


class Whole(NamedTuple):
    """Vectors in whole numbers: every coordinate multiplied by its scale, a power of two."""

    vectors: list[list[int]]
    scales: list[int]


def whole_rows(X: Matrix, y: Array, rows: Array, bias: bool) -> Whole:
    r"""$y_i(x_i, 1)$, or $y_i x_i$ without a bias, for a few rows, in whole numbers."""
    mantissas, exponents = np.frexp(dense(X, rows) * y[rows, None])
    mantissas, exponents = np.ldexp(mantissas, 53).astype(np.int64), exponents - 53
    # as low as the lowest bit that is set, and not above 0
    odd = mantissas & -mantissas
    trailing = np.frexp(np.maximum(odd, 1).astype(np.float64))[1] - 1
    places = np.where(mantissas != 0, exponents + trailing, 0)
    lowest = np.minimum(places.min(axis=0, initial=0), 0)
    shifts = exponents - lowest
    vectors = [
        [m << k if k >= 0 else m >> -k for m, k in zip(row, by, strict=True)]
        for row, by in zip(mantissas.tolist(), shifts.tolist(), strict=True)
    ]
    if bias:
        vectors = [[*v, int(label)] for v, label in zip(vectors, y[rows].tolist(), strict=True)]
    return Whole(vectors, [1 << -k for k in lowest.tolist()] + [1] * bias)


def on_one_scale(Z: Whole) -> list[list[int]]:
    """The vectors times the largest of the scales."""
    times = [max(Z.scales) // s for s in Z.scales]
    return [[v * t for v, t in zip(vector, times, strict=True)] for vector in Z.vectors]


def null_vectors(Z: Whole) -> list[list[int]]:
    r"""A basis of all $n$ with $\langle z, n\rangle = 0$ for every vector $z$, as whole numbers."""
    if not Z.vectors:
        return unit_vectors(len(Z.scales))
    if modular(Z.vectors).rank() == len(Z.scales):  # modulo a prime it can only be less
        return []
    # <z, n> = <z * scales, n / scales>
    kernel, nullity = fmpz_mat(Z.vectors).nullspace()
    return [
        primitive([int(kernel[j, b]) * s for j, s in enumerate(Z.scales)]) for b in range(nullity)
    ]


def dependencies(Z: Whole) -> list[list[int]]:
    r"""A basis of all $p$ with $\sum_i p_i z_i = 0$, as whole numbers."""
    single = sole_dependency(Z.vectors)
    if single is not None:
        return [single]
    kernel, nullity = fmpz_mat(Z.vectors).transpose().nullspace()
    return [primitive([int(kernel[i, b]) for i in range(len(Z.vectors))]) for b in range(nullity)]


def combination(
    X: Matrix, y: Array, rows: Array, multipliers: Sequence[Fraction], one: int
) -> list[Fraction]:
    r"""The entries of $\sum_i p_i y_i (x_i, \text{one})$ that are not 0, exactly."""
    shares, common = in_whole_numbers(multipliers)
    chosen = sparse.csr_array(X[rows])
    mantissas, exponents = np.frexp(chosen.data.astype(np.float64))
    wholes = np.ldexp(mantissas, 53).astype(np.int64).tolist()
    places = (exponents + LOWEST).tolist()
    columns, starts = chosen.indices.tolist(), chosen.indptr.tolist()
    total: dict[int, int] = {}
    for k, (share, label) in enumerate(zip(shares, y[rows].tolist(), strict=True)):
        signed = share * label
        for e in range(starts[k], starts[k + 1]):
            j = columns[e]
            total[j] = total.get(j, 0) + ((signed * wholes[e]) << places[e])
        total[-1] = total.get(-1, 0) + ((signed * one) << (LOWEST + 53))
    unit = Fraction(1, common << (LOWEST + 53))
    return [unit * t for t in total.values() if t]


def sole_dependency(whole: list[list[int]]) -> list[int] | None:
    """The dependency of vectors that have just one, by solving for all but the last."""
    reduced, rank = modular(whole).rref()
    if rank != len(whole) - 1 or rank == 0:
        return None
    leading = leading_columns(reduced, rank)
    square = fmpz_mat([[vector[j] for vector in whole[:-1]] for j in leading])
    try:
        solved = cast(fmpq_mat, square.solve(fmpz_mat([[-whole[-1][j]] for j in leading])))
    except ZeroDivisionError:
        return None
    shares, common = solved.numer_denom()
    p = primitive([int(shares[k, 0]) for k in range(rank)] + [int(common)])
    cancels = all(
        sum(share * v for share, v in zip(p, coordinate, strict=True)) == 0
        for coordinate in zip(*whole, strict=True)
    )
    return p if cancels else None


def modular(whole: list[list[int]]) -> nmod_mat:
    """The matrix modulo a prime."""
    return nmod_mat(len(whole), len(whole[0]), [v % PRIME for row in whole for v in row], PRIME)


def leading_columns(reduced: nmod_mat, rank: int) -> list[int]:
    """Where the rows of a reduced matrix begin."""
    return [next(j for j, v in enumerate(row) if int(v)) for row in reduced.tolist()[:rank]]


def pivots(vectors: list[list[int]]) -> list[int]:
    """Columns that are no combinations of those before them.

    Computed modulo a prime, where more may depend on each other: these do not.
    """
    return leading_columns(*modular(vectors).rref()) if vectors else []


def independent_rows(vectors: list[list[int]]) -> list[int]:
    """Vectors that are no combinations of those before them, modulo a prime."""
    return pivots([list(coordinate) for coordinate in zip(*vectors, strict=True)])


def unit_vectors(m: int) -> list[list[int]]:
    """The standard basis."""
    return [[int(j == k) for j in range(m)] for k in range(m)]


def primitive(integers: list[int]) -> list[int]:
    """The integers divided by what they have in common."""
    divisor = gcd(*integers) or 1
    return [i // divisor for i in integers]
