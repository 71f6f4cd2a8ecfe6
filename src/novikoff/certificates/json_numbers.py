"""Numbers in JSON without a loss: floats as hexadecimal literals, fractions as "p/q"."""

from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpz


def in_hex(numbers: object) -> object:
    """Floats as hexadecimal literals, in lists as they were."""
    if numbers is None or isinstance(numbers, float):
        return None if numbers is None else float(numbers).hex()
    return [in_hex(n) for n in np.asarray(numbers).tolist()]


def from_hex(told: Any, depth: int) -> Any:
    """The floats that were written, in lists within lists to this depth."""
    if depth == 0:
        return float.fromhex(told)
    if not isinstance(told, list):
        raise TypeError(f"{told!r:.60} is no list")
    return [from_hex(t, depth - 1) for t in told]


def whole(told: object) -> int:
    """A whole number that was written."""
    if type(told) is not int:
        raise TypeError(f"{told!r:.60} is no whole number")
    return told


def written(f: Fraction) -> str:
    """A fraction as "p/q", however long (Python itself stops at 4,300 digits)."""
    return f"{fmpz(f.numerator)}/{fmpz(f.denominator)}"


def parsed(text: str) -> Fraction:
    """The fraction that was written."""
    p, q = text.split("/")
    return Fraction(int(fmpz(p)), int(fmpz(q)))
