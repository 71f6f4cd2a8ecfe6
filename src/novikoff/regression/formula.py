"""A model as a formula: outcome ~ terms | factors whose effects are not reported."""

import re
from typing import Any

from novikoff.errors import DataError

NAME = re.compile(r"\s*(?:C\()?\s*([^\s()+|~^]+)\s*\)?\s*")


def parsed(formula: str, data: Any) -> tuple[Any, Any, Any]:
    """The design matrix, the outcomes and the factors of a formula, from a DataFrame."""
    if not hasattr(data, "columns") or not hasattr(data, "iloc"):
        raise DataError(
            "A formula needs a pandas DataFrame with its variables as the second argument: "
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
        raise DataError(
            f"{formula!r} is not a valid formula: write 'outcome ~ terms', as in 'y ~ x1 + x2', or "
            "'y ~ 1 | firm' for fixed effects only."
        )
    effects = effects_of(factors, formula, data) if factors.strip() else None
    try:
        X = model_matrix(terms, data, na_action="raise")
        y = (
            data[outcome]
            if outcome in data.columns
            else model_matrix(f"0 + {outcome}", data, na_action="raise").iloc[:, 0]
        )
    except (FormulaicError, ValueError) as error:
        raise DataError(f"The formula {formula!r} does not fit the data: {error}") from error
    return X, y, effects


def effects_of(factors: str, formula: str, data: Any) -> Any:
    """The factors after the bar; firm^year is one with a level for every pair."""
    columns = {}
    for part in factors.split("+"):
        matches = [NAME.fullmatch(name) for name in part.split("^")]
        names = [match.group(1) for match in matches if match is not None]
        if len(names) < len(matches):
            raise DataError(
                f"After the bar of {formula!r}, join columns with + ('| firm + year'), or with ^ "
                "for one level per combination ('| firm^year')."
            )
        if missing := [name for name in names if name not in data.columns]:
            raise DataError(
                f"{formula!r} uses column {missing[0]!r}, but the data has only: "
                f"{', '.join(map(str, data.columns))}."
            )
        one = data[names[0]] if len(names) == 1 else data.groupby(names, dropna=False).ngroup()
        columns["^".join(names)] = one
    return type(data)(columns, index=data.index)
