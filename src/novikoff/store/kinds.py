"""The classes that have model files, and how each goes into one and comes back."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from novikoff.certificates.bracket import Bracket
from novikoff.errors import ModelFileError, ParameterError
from novikoff.inputs.weights import require_meaning
from novikoff.learners import DUALS, LEARNERS, KernelPerceptron
from novikoff.learners.additive import Additive
from novikoff.learners.base import MistakeDriven
from novikoff.learners.kernels.gram import KERNELS
from novikoff.learners.kernels.machine import DualLearner
from novikoff.learners.kernels.support import Support
from novikoff.learners.sequences.perceptron import SequencePerceptron
from novikoff.max_margin.estimator import MaxMargin
from novikoff.store.fields import Parts
from novikoff.store.runs import put_dual, put_linear, take_dual, take_linear
from novikoff.store.taggers import put_tagger, take_tagger
from novikoff.store.values import encoded

Summary = dict[str, object]


class Kind(NamedTuple):
    """How the models of one class go into a file and come back."""

    learner: type[Any]
    check: Callable[[Any], None]
    """Raise a `ParameterError` for parameters without a meaning; `classes_` is known."""
    put: Callable[[Any, Parts], None]
    """Put all that was learned into the parts."""
    take: Callable[[Any, Parts], None]
    """Take it out again and give it to a model that has its parameters and `classes_`."""
    summary: Callable[[Any], Summary]
    """What a reader would like to know of the training."""


def _check_learner(model: MistakeDriven | DualLearner) -> None:
    if isinstance(model, DualLearner) and callable(model.kernel):
        raise ParameterError(
            "{kernel=} was given, but a model file holds no functions: use a kernel that has a "
            f"name ({', '.join(KERNELS)}), or pickle the model, which keeps the function's name.",
            kernel=model.kernel,
        )
    model._check_parameters()
    require_meaning(model.class_weight, model.classes_)
    check_random_state(model.random_state)


def _summary_of_learner(model: MistakeDriven | DualLearner) -> Summary:
    examples = "sequences" if isinstance(model, SequencePerceptron) else "examples"
    summary: Summary = {
        examples: model._state.stream.n_seen,
        "passes": model.n_iter_,
        "mistakes": model.n_mistakes_,
        "converged": model.converged_,
        "radius": encoded("radius", model.radius_),
    }
    if isinstance(model, DualLearner) and isinstance(model._state.support, Support):
        summary["support"] = model._state.support.n
    if isinstance(model, Additive) or (
        isinstance(model, KernelPerceptron) and len(model.classes_) > 1
    ):
        summary |= _bounds(model.margin_)
    return summary


def _bounds(margin: Bracket) -> Summary:
    lower, upper = margin
    return {
        "margin_lower": encoded("margin_lower", lower),
        "margin_upper": encoded("margin_upper", upper),
    }


# ------------------------------------------------------------- the widest separator


def _put_widest(model: MaxMargin, parts: Parts) -> None:
    """Put all that was found into the parts; the bias is last in the weights."""
    parts.values |= {"n_iter": encoded("n_iter", model.n_iter_), **_how_wide(model)}
    parts.tensors |= {
        "weights": np.append(model.coef_[0], model.intercept_),
        "support.rows": model.support_,
        "support.dual_coef": model.dual_coef_[0],
    }


def _take_widest(model: MaxMargin, parts: Parts) -> None:
    """Take it out again.

    What follows from the parameters is not checked: they may have been set since.
    """
    if len(model.classes_) != 2:
        raise ModelFileError(
            f"The file has {len(model.classes_)} classes, and a separator has two."
        )
    w = parts.tensor("weights", (np.float64,), ("d",))
    if len(w) < 2:
        raise ModelFileError("The model in the file has no features.")
    rows = parts.tensor("support.rows", (np.int64,), ("kept",))
    if len(rows) and not (rows[0] >= 0 and (rows[1:] > rows[:-1]).all()):
        raise ModelFileError("The tensor 'support.rows' has no row numbers in increasing order.")
    multipliers = parts.tensor("support.dual_coef", (np.float64,), ("kept",))
    if not multipliers.all():
        raise ModelFileError("The tensor 'support.dual_coef' has a 0 in it, which supports none.")
    model.n_features_in_ = len(w) - 1
    model.coef_, model.intercept_ = w[:-1].reshape(1, -1).copy(), w[-1:].copy()
    model.support_, model.dual_coef_ = rows, multipliers.reshape(1, -1)
    model.n_iter_ = parts.count("n_iter")
    model.gap_ = parts.double("gap")
    lower = parts.double("margin_lower")
    model.margin_ = Bracket(lower, parts.double("margin_upper", least=lower))


def _summary_of_widest(model: MaxMargin) -> Summary:
    return {"support": len(model.support_), **_how_wide(model)}


def _how_wide(model: MaxMargin) -> Summary:
    return {"gap": encoded("gap", model.gap_), **_bounds(model.margin_)}


LINEAR = (_check_learner, put_linear, take_linear, _summary_of_learner)
DUAL = (_check_learner, put_dual, take_dual, _summary_of_learner)
TAGGER = (_check_learner, put_tagger, take_tagger, _summary_of_learner)
WIDEST = (MaxMargin._check_parameters, _put_widest, _take_widest, _summary_of_widest)
KINDS = {
    kind.learner.__name__: kind
    for kind in (
        *(Kind(one, *LINEAR) for one in LEARNERS),
        *(Kind(one, *DUAL) for one in DUALS),
        Kind(MaxMargin, *WIDEST),
        Kind(SequencePerceptron, *TAGGER),
    )
}
"""Every class that has model files, by its name in them."""
