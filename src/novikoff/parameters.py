"""Options that have no meaning, said plainly."""

import sys
from numbers import Integral, Real
from typing import Any

import numpy as np

from novikoff.errors import ParameterError

LARGEST: Any = sys.float_info.max


def number(
    name: str, given: Any, *, above: float | None = None, least: float | None = None
) -> None:
    """Require a finite real number, above a bound or at least as large as one."""
    # in numpy's single precision the bound itself would be infinite
    plain = given.item() if isinstance(given, np.generic) else given
    fine = isinstance(plain, Real) and not isinstance(plain, bool) and bool(abs(plain) <= LARGEST)
    if fine and (above is None or given > above) and (least is None or given >= least):
        return
    bound = f" above {above:g}" if above is not None else ""
    bound = f" of at least {least:g}" if least is not None else bound
    raise ParameterError(f"{name}={given!r} was given, but it must be a finite number{bound}.")


def count(name: str, given: Any) -> None:
    """Require a whole number of at least 1."""
    if not isinstance(given, Integral) or isinstance(given, bool) or given < 1:
        raise ParameterError(
            f"{name}={given!r} was given, but it must be a whole number, 1 or more."
        )


def choice(name: str, given: Any, choices: tuple[str, ...]) -> None:
    """Require one of a few words."""
    if not isinstance(given, str) or given not in choices:
        words = ", ".join(repr(c) for c in choices)
        raise ParameterError(f"{name}={given!r} was given, but it must be one of {words}.")


def flag(name: str, given: Any) -> None:
    """Require True or False."""
    if not isinstance(given, bool | np.bool_):
        raise ParameterError(f"{name}={given!r} was given, but it must be True or False.")
