r"""Numbers from text: the nearest double, for every decimal there is, in compiled code.

A number is ``[+-] digits [. digits] [e [+-] digits]`` with at least one digit before the
exponent; what `float` takes besides (spaces, underscores, "inf", "nan") is not one. Its
value is $\pm w\cdot 10^q$, and what `number` returns is what `float` returns.

Three ways to it, each for what the one before cannot decide:

1. Clinger's: when $w < 2^{53}$ and $|q| \le 22$, both $w$ and $10^{|q|}$ are doubles, and one
   multiplication or division rounds once.
2. Eisel and Lemire's: $w$ below $2^{64}$ times 128 bits of $5^q$ from a table has enough
   correct bits to round, always (Mushtaq and Lemire).
3. A mantissa of more than 19 digits lies between two of 19 digits. If these have the same
   nearest double, that is it; if not, whole numbers as long as needed compare the decimal
   with the middle between the two.

References
----------
W. D. Clinger, "How to read floating point numbers accurately", PLDI 1990.
D. Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience 51(8),
2021, algorithm 1. N. Mushtaq and D. Lemire, "Fast number parsing without fallback", Software:
Practice and Experience 53(7), 2023, theorem 1.
"""

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from novikoff.core.jit import njit, overload
from novikoff.core.rows import U

PLUS, MINUS, POINT, ZERO, LOWER_E = (np.uint8(ord(c)) for c in "+-.0e")
NIL, ONE, TWO, FIVE, TEN = (np.uint64(n) for n in (0, 1, 2, 5, 10))
LEAST_POWER, GREATEST_POWER = -342, 308  # beyond these, 64 bits of w make 0 or infinity
EXACT_POWERS = 10.0 ** np.arange(23)
SHORT = np.uint64(2**53)  # whole numbers up to here are doubles
MOST_DIGITS = 19  # of a mantissa below 2^64
MOST_THAT_MATTER = 800  # no middle between two doubles has more than 768 significant digits


def powers_of_five() -> npt.NDArray[np.uint64]:
    r"""The first 128 bits of each $5^q$: rounded down, or for negative $q$ up.

    (A negative power needs only be close enough from above, and below $5^{-27}$ it is cut
    off after the division: both as in Lemire's section 5.)
    """
    table = []
    for q in range(LEAST_POWER, GREATEST_POWER + 1):
        power = 5 ** abs(q)
        bits = power.bit_length()
        if q < 0:
            bits = (power - 1).bit_length()
            wide = 2 ** (2 * bits + 128 if q < -27 else bits + 127)
            power = wide // power + 1
        excess = power.bit_length() - 128
        power = power >> excess if excess > 0 else power << -excess
        table.append((power >> 64, power & (2**64 - 1)))
    return np.array(table, np.uint64)


POWERS_OF_FIVE = powers_of_five()


@intrinsic
def _times(context, a, b):
    def codegen(context, builder, signature, args):
        wide, narrow = ir.IntType(128), ir.IntType(64)
        product = builder.mul(*(builder.zext(v, wide) for v in args))
        upper = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), narrow)
        halves = [upper, builder.trunc(product, narrow)]
        return context.make_tuple(builder, signature.return_type, halves)

    return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), codegen


def times(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The 128-bit product of two 64-bit numbers: its upper half and its lower half."""
    upper, lower = divmod(int(a) * int(b), 1 << 64)
    return np.uint64(upper), np.uint64(lower)


@overload(times)
def _compiled_times(a, b):
    return lambda a, b: _times(a, b)


@intrinsic
def _leading_zeros(context, w):
    def codegen(context, builder, signature, args):
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), codegen


def leading_zeros(w: np.uint64) -> np.uint64:
    """How many of the 64 bits of `w` are 0 before its first 1."""
    return np.uint64(64 - int(w).bit_length())


@overload(leading_zeros)
def _compiled_leading_zeros(w):
    return lambda w: _leading_zeros(w)


@njit
def product_with_power(w, q):
    r"""The first bits of $w \cdot 5^q$, `w` having its first bit set: 55 of them are right."""
    upper, lower = times(w, POWERS_OF_FIVE[q - LEAST_POWER, 0])
    if upper & np.uint64(0x1FF) == np.uint64(0x1FF):
        more, _ = times(w, POWERS_OF_FIVE[q - LEAST_POWER, 1])
        lower += more
        if more > lower:
            upper += ONE
    return upper, lower


@njit
def rounded(w, q):
    r"""The bits of the double nearest to $w \cdot 10^q$, ties to even (Lemire's algorithm 1)."""
    if w == 0 or q < LEAST_POWER:
        return np.uint64(0)
    if q > GREATEST_POWER:
        return np.uint64(0x7FF) << np.uint64(52)
    zeros = leading_zeros(w)
    upper, lower = product_with_power(w << zeros, q)
    top = upper >> np.uint64(63)
    shift = top + np.uint64(9)
    mantissa = upper >> shift
    exponent = ((217706 * q) >> 16) + 1086 + np.int64(top) - np.int64(zeros)
    if exponent <= 0:  # a subnormal
        if exponent <= -63:
            return np.uint64(0)
        mantissa >>= np.uint64(1 - exponent)
        return (mantissa + (mantissa & ONE)) >> ONE
    tie = lower <= ONE and -4 <= q <= 23 and mantissa & np.uint64(3) == ONE
    if tie and mantissa << shift == upper:
        mantissa -= ONE
    mantissa = (mantissa + (mantissa & ONE)) >> ONE
    # a mantissa that rounds up to 2^53 carries into the exponent, and up to infinity
    bits = mantissa + (np.uint64(exponent - 1) << np.uint64(52))
    return min(bits, np.uint64(0x7FF) << np.uint64(52))


@njit(forceinline=True)
def digit(text, at):
    """The digit at a place of the text; more than 9 if there is none."""
    return np.uint64(text[at] ^ ZERO)


@njit(forceinline=True)
def number(text, at):
    """The number that starts at a place of the text, and the place after it.

    If none starts there, the place after it is `at`. The text must go on after the number.
    Short numbers without an exponent, which most are, take no call.
    """
    start = at + U(text[at] == MINUS or text[at] == PLUS)
    w, p = np.uint64(0), start
    while digit(text, p) < TEN:
        w = w * TEN + digit(text, p)
        p += U(1)
    n_digits, decimals = p - start, U(0)
    if text[p] == POINT:
        p += U(1)
        point = p
        while digit(text, p) < TEN:
            w = w * TEN + digit(text, p)
            p += U(1)
        decimals = p - point
        n_digits += decimals
    if n_digits == 0:
        return 0.0, at
    if text[p] | np.uint8(32) == LOWER_E or n_digits > MOST_DIGITS or w >= SHORT:
        return any_number(text, at, start, p, w, n_digits, decimals)
    x = np.float64(w)
    if decimals > 0:
        x /= EXACT_POWERS[decimals]
    return -x if text[at] == MINUS else x, p


@njit(allocates=True)
def any_number(text, at, start, p, w, n_digits, decimals):
    """What `number` returns, for a number whose digits it has seen, from `start` to `p`."""
    stop, e = exponent(text, p)
    if n_digits <= MOST_DIGITS:
        x = nearest(w, e - np.int64(decimals))
    else:
        x = long_number(text, start, p, e)
    return -x if text[at] == MINUS else x, stop


@njit
def nearest(w, q):
    r"""The double nearest to $w \cdot 10^q$."""
    if -22 <= q <= 22 and w < SHORT:
        x = np.float64(w)
        return x / EXACT_POWERS[U(-q)] if q < 0 else x * EXACT_POWERS[U(q)]
    return np.uint64(rounded(w, q)).view(np.float64)


@njit
def exponent(text, at):
    """The place after the exponent that starts at a place of the text, and its value.

    (0 if there is none. Past what any text of digits could balance, it grows no more.)
    """
    if text[at] | np.uint8(32) != LOWER_E:
        return at, 0
    p = at + U(1)
    negative = text[p] == MINUS
    p += U(negative or text[p] == PLUS)
    if digit(text, p) >= TEN:
        return at, 0
    e = 0
    while digit(text, p) < TEN:
        if e < 1_000_000_000_000:
            e = 10 * e + np.int64(digit(text, p))
        p += U(1)
    return p, -e if negative else e


@njit(allocates=True)
def long_number(text, start, stop, e):
    """The double nearest to the digits from `start` to `stop`, a point among them, times 10^e."""
    digits, n_digits, power, more = np.empty(MOST_THAT_MATTER + 1, np.uint8), 0, e, False
    after_point = False
    for p in range(start, stop):
        if text[p] == POINT:
            after_point = True
            continue
        power -= after_point
        if n_digits < MOST_THAT_MATTER:
            digits[n_digits] = digit(text, p)
            n_digits += n_digits > 0 or digits[0] > 0
        else:
            power += 1
            more |= text[p] != ZERO
    digits[n_digits] = more  # stands for all that was left off: not 0, and past any middle
    n_digits += 1
    return nearest_of_digits(digits[:n_digits], power - 1)


@njit(allocates=True)
def nearest_of_digits(digits, power):
    r"""The double nearest to digits without leading zeros, times $10^{power}$."""
    w = np.uint64(0)
    for d in digits[:MOST_DIGITS]:
        w = w * TEN + np.uint64(d)
    q = power + max(len(digits) - MOST_DIGITS, 0)
    low = rounded(w, q)
    if len(digits) <= MOST_DIGITS or low == rounded(w + ONE, q):
        return np.uint64(low).view(np.float64)
    side = compare_with_middle(digits, power, low)
    up = side > 0 or (side == 0 and low & ONE == ONE)
    return np.uint64(low + np.uint64(up)).view(np.float64)


LIMBS = 256  # of 32 bits: 5^1200 and 800 digits have about 2800 bits


@njit(allocates=True)
def compare_with_middle(digits, power, low):
    r"""The sign of the decimal less the middle between the double `low` and the next.

    The middle is $m \cdot 2^b$ with $m$ odd. With $5$s and $2$s on the side where their
    powers are positive, both sides are whole numbers.
    """
    fraction = low & np.uint64(2**52 - 1)
    biased = np.int64(low >> np.uint64(52))
    m = TWO * (fraction + (np.uint64(1) << np.uint64(52)) * (biased > 0)) + ONE
    b = max(biased, 1) - 1076
    decimal, middle = np.zeros(LIMBS, np.uint64), np.zeros(LIMBS, np.uint64)
    for d in digits:
        times_plus(decimal, TEN, np.uint64(d))
    middle[0], middle[1] = m & np.uint64(0xFFFFFFFF), m >> np.uint64(32)
    for _ in range(abs(power)):
        times_plus(decimal if power > 0 else middle, FIVE, NIL)
    for _ in range(power - b):
        times_plus(decimal, TWO, NIL)
    for _ in range(b - power):
        times_plus(middle, TWO, NIL)
    for i in range(LIMBS - 1, -1, -1):
        if decimal[i] != middle[i]:
            return 1 if decimal[i] > middle[i] else -1
    return 0


@njit
def times_plus(limbs, factor, term):
    """`limbs` times a small factor, plus a small term, in place."""
    carry = term
    for i in range(len(limbs)):
        carry += limbs[i] * factor
        limbs[i] = carry & np.uint64(0xFFFFFFFF)
        carry >>= np.uint64(32)


@njit(cache=True, nogil=True)
def numbers(text, starts, values, stops):
    """The number at each of many places of a text: what `number` says of each."""
    for i in range(len(starts)):
        values[i], stops[i] = number(text, U(starts[i]))
