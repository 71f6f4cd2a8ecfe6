"""The widest separator, as tensors and JSON, and back with every part checked."""

from typing import Any

import numpy as np

from novikoff.errors import ModelFileError
from novikoff.max_margin.estimator import MaxMargin
from novikoff.separation.bracket import Bracket
from novikoff.store.parts import Parts
from novikoff.store.values import encoded


def pack_widest(model: MaxMargin, parts: Parts) -> None:
    """Put all that was found into the parts; the bias is last in the weights."""
    parts.values |= {"n_iter": encoded("n_iter", model.n_iter_), **_how_wide(model)}
    parts.tensors |= {
        "weights": np.append(model.coef_[0], model.intercept_),
        "support.rows": model.support_,
        "support.dual_coef": model.dual_coef_[0],
    }


def unpack_widest(model: MaxMargin, parts: Parts) -> None:
    """Take it out again.

    What follows from the parameters is not checked: they may have been set since.
    """
    if len(model.classes_) != 2:
        raise ModelFileError(
            f"The file has {len(model.classes_)} classes, and a separator has two."
        )
    w = parts.tensor("weights", (np.float64,), (None,))
    if len(w) < 2:
        raise ModelFileError("The model in the file has no features.")
    rows = parts.tensor("support.rows", (np.int64,), (None,))
    if len(rows) and not (rows[0] >= 0 and (rows[1:] > rows[:-1]).all()):
        raise ModelFileError("The tensor 'support.rows' has no row numbers in increasing order.")
    multipliers = parts.tensor("support.dual_coef", (np.float64,), rows.shape)
    if not multipliers.all():
        raise ModelFileError("The tensor 'support.dual_coef' has a 0 in it, which supports none.")
    model.n_features_in_ = len(w) - 1
    model.coef_, model.intercept_ = w[:-1].reshape(1, -1).copy(), w[-1:].copy()
    model.support_, model.dual_coef_ = rows, multipliers.reshape(1, -1)
    model.n_iter_ = parts.count("n_iter")
    model.gap_ = parts.double("gap")
    lower = parts.double("margin_lower")
    model.margin_ = Bracket(lower, parts.double("margin_upper", least=lower))


def summary_of_widest(model: MaxMargin) -> dict[str, Any]:
    """What a reader would like to know of the separator."""
    return {"support": len(model.support_), **_how_wide(model)}


def _how_wide(model: MaxMargin) -> dict[str, Any]:
    lower, upper = model.margin_
    found = {"gap": model.gap_, "margin_lower": lower, "margin_upper": upper}
    return {name: encoded(name, value) for name, value in found.items()}
