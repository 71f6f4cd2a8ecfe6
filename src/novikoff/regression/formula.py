"""A model as a formula: outcome ~ terms | factors whose effects are not reported."""

import re
from typing import Any

from novikoff.errors import DataError

NAME = re.compile(r"\s*(?:C\()?\s*([^\s()+|~]+)\s*\)?\s*")


def parsed(formula: str, data: Any) -> tuple[Any, Any, Any]:
    """The design matrix, the outcomes and the factors of a formula, from a DataFrame."""
    if not hasattr(data, "columns") or not hasattr(data, "iloc"):
        raise DataError(
            "A formula needs a DataFrame of pandas with its variables as the second argument: "
            'separation("y ~ x1 + C(group)", data).'
        )
    try:
        from formulaic import model_matrix
        from formulaic.errors import FormulaicError
    except ImportError:
        raise DataError(
            "Formulas need formulaic: pip install 'novikoff[stats]', or give arrays."
        ) from None
    outcome, tilde, terms = formula.partition("~")
    terms, _, factors = terms.partition("|")
    outcome = outcome.strip()
    if not tilde or not outcome or not terms.strip():
        raise DataError(f"{formula!r} is no formula: write 'outcome ~ terms', as in 'y ~ x1 + x2'.")
    names = [NAME.fullmatch(part) for part in factors.split("+")] if factors.strip() else []
    if None in names:
        raise DataError(
            f"After the bar of {formula!r} there must be columns joined by +: '| firm + year'."
        )
    effects = [match.group(1) for match in names if match is not None]
    if missing := [name for name in effects if name not in data.columns]:
        raise DataError(f"The data has no column {missing[0]!r}, which {formula!r} names.")
    try:
        X = model_matrix(terms, data, na_action="raise")
        y = (
            data[outcome]
            if outcome in data.columns
            else model_matrix(f"0 + {outcome}", data, na_action="raise").iloc[:, 0]
        )
    except (FormulaicError, ValueError) as error:
        raise DataError(f"The formula {formula!r} does not fit the data: {error}") from error
    return X, y, data[effects] if effects else None
