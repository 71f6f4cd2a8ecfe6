"""The number parser is `float`, to the last bit, on everything that is a number."""

import random
import re
import struct
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from naive_readers import NUMBER
from novikoff.data.numbers import numbers


def parsed(tokens):
    """For each token: the number at its start, and how many of its bytes that takes."""
    encoded = [token.encode() for token in tokens]
    text = np.frombuffer(bytearray(b"\n".join(encoded) + b"\n"), np.uint8)
    lengths = np.array([len(token) + 1 for token in encoded])
    starts = np.cumsum(lengths) - lengths
    values, stops = np.empty(len(tokens)), np.empty(len(tokens), np.int64)
    numbers(text, starts, values, stops)
    return values.tolist(), (stops - starts).tolist()


def bits(x):
    return struct.pack("<d", x)


def require_like_float(tokens):
    for token, value, length in zip(tokens, *parsed(tokens), strict=True):
        assert length == len(token), token
        assert bits(value) == bits(float(token)), token


def middle(x):
    """The decimal exactly between a double from 0 on and the next, in full."""
    with localcontext(prec=1200):
        after = struct.unpack("<d", struct.pack("<Q", struct.unpack("<Q", bits(x))[0] + 1))[0]
        above = Decimal(after) if after < float("inf") else Decimal(2) ** 1024
        return (Decimal(x) + above) / 2


doubles = st.integers(0, 0x7FEFFFFFFFFFFFFF).map(
    lambda n: struct.unpack("<d", struct.pack("<Q", n))[0]
)
decimals = st.from_regex(
    re.compile(r"[+-]?([0-9]{1,45}(\.[0-9]{0,45})?|\.[0-9]{1,45})([eE][+-]?[0-9]{1,4})?", re.A),
    fullmatch=True,
)

ADVERSARIAL = """
    0 -0 +0 0.0 -0.0 .0 0. 00 007 1 -1 +1 .5 5. 1.e3 1e0 1E+05 1e-05 0e0 0e999 -0e-999
    0e999999999999999999999 1e99999999999999999999 1e-99999999999999999999 1e400 1e-400 -1e400
    1e22 1e23 1e-22 1e-23 1e308 1e309 1e-307 1e-308 1e-323 1e-324 5e-324 4.9e-324 3e-324 2e-324
    2.4703282292062327e-324 2.4703282292062328e-324 2.2250738585072011e-308
    2.2250738585072014e-308 2.2250738585072012e-308 1.7976931348623157e308 1.7976931348623158e308
    1.7976931348623159e308 179769313486231580793e289 9007199254740991 9007199254740992
    9007199254740993 9007199254740993.0 9007199254740995 9007199254740993.00000000000000000001
    9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551616
    99999999999999999999 0.1 0.2 0.3 3.14159265358979323846264338327950288
    6.02214076e23 8.5e15 123456789012345678901234567890 0.000000000000000000000000000001
    1448997445238699 2.225073858507201e-308 7.2057594037927933e16 1e-342 1e-343 9e-343
    6929495644600919.5 3.518437208883201171875e13 62.5364939768271845828
    8.10109172351e-10 1.50000000000000011102230246251565 1.7976931348623158079372897140530341e308
"""


def test_adversarial_numbers():
    require_like_float(ADVERSARIAL.split())


def test_long_numbers():
    require_like_float(
        [
            "0." + "0" * 3000 + "1e3001",
            "1" + "0" * 3000 + "e-3000",
            "0" * 3000 + "1.5",
            "1." + "0" * 3000 + "1",
            "9" * 5000 + "e-5000",
            "1" + "0" * 400,
            "0." + "0" * 400 + "1",
            "9007199254740993." + "0" * 2000 + "1",
            "9007199254740993." + "0" * 2000,
            "1" * 19 + "." + "1" * 1000,
        ]
    )


@given(decimals)
@example("9007199254740993")
def test_any_decimal(token):
    require_like_float([token])


@given(doubles)
def test_the_shortest_text_of_any_double(x):
    require_like_float([repr(x), f"{x:.16e}", f"{x:.25e}", format(Decimal(x), "e")])


@given(doubles, st.integers(0, 900))
@example(0.0, 0)
@example(5e-324, 800)
@example(2.2250738585072011e-308, 3)
@example(1.7976931348623157e308, 0)
@example(1.7976931348623157e308, 5)
def test_the_middle_between_two_doubles_and_its_neighbours(x, zeros):
    exact = format(middle(x), "e")
    mantissa, _, power = exact.partition("e")
    mantissa += "" if "." in mantissa else "."
    with localcontext(prec=1200):
        below = format(middle(x).next_minus(), "e")
    require_like_float([exact, f"{mantissa}{'0' * zeros}1e{power}", below])


def test_many_random_numbers():
    pick = random.Random(0)
    tokens = []
    for _ in range(20_000):
        n = pick.choice([1, 3, 8, 16, 17, 18, 19, 20, 21, 30, 60])
        digits = "".join(pick.choices("0123456789", k=n))
        k = pick.randrange(n + 1)
        exponent = pick.choice(["", f"e{pick.randrange(-360, 330)}", f"E+{pick.randrange(40)}"])
        tokens.append(f"{pick.choice(['', '-', '+'])}{digits[:k]}.{digits[k:]}{exponent}")
    require_like_float(tokens)


@pytest.mark.parametrize(
    ("token", "length"),
    [
        ("", 0),
        ("+", 0),
        ("-", 0),
        (".", 0),
        ("-.", 0),
        ("e5", 0),
        (".e5", 0),
        ("nan", 0),
        ("inf", 0),
        ("-inf", 0),
        ("infinity", 0),
        ("--1", 0),
        ("+-1", 0),
        (" 1", 0),
        ("x", 0),
        ("1_000", 1),
        ("0x10", 1),
        ("1e", 1),
        ("1e+", 1),
        ("1.5e-", 3),
        ("1.2.3", 3),
        ("1e5.0", 3),
        ("1d5", 1),
        ("1,5", 1),
        ("½", 0),
        ("\u0661", 0),
    ],
)
def test_what_is_not_a_number_is_not_taken(token, length):
    assert parsed([token])[1] == [length]


@given(st.text(alphabet="0123456789+-.eEx_ n", max_size=12))
def test_what_is_taken_is_the_longest_number_at_the_start(token):
    (value,), (length,) = parsed([token])
    found = NUMBER.match(token.encode())
    assert length == (found.end() if found else 0)
    assert bits(value) == bits(float(token[:length]) if length else 0.0)
