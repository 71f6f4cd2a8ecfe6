"""The classes that have model files, and how each goes into one and comes back."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.utils import check_random_state

from novikoff.inputs.weights import require_meaning
from novikoff.learners import DUALS, LEARNERS, VotedPerceptron
from novikoff.learners.additive import Additive
from novikoff.learners.base import MistakeDriven
from novikoff.max_margin.estimator import MaxMargin
from novikoff.store.duals import check_dual, pack_dual, summary_of_dual, unpack_dual
from novikoff.store.parts import Parts
from novikoff.store.records import pack_record, unpack_record
from novikoff.store.runs import pack_mistakes, pack_run, unpack_mistakes, unpack_run
from novikoff.store.separators import pack_widest, summary_of_widest, unpack_widest
from novikoff.store.values import encoded


class Kind(NamedTuple):
    """How the models of one class go into a file and come back."""

    learner: type[Any]
    check: Callable[[Any], None]
    """Raise a `ParameterError` for parameters without a meaning; `classes_` is known."""
    pack: Callable[[Any, Parts], None]
    """Put all that was learned into the parts."""
    unpack: Callable[[Any, Parts], None]
    """Take it out again and give it to a model that has its parameters and `classes_`."""
    summary: Callable[[Any], dict[str, Any]]
    """What a reader would like to know of the training."""


def pack_linear(model: MistakeDriven, parts: Parts) -> None:
    """Put what a linear learner learned into the parts: all of it is in its state."""
    pack_run(model._state, parts)
    if isinstance(model, VotedPerceptron):
        pack_mistakes(model._state, parts)
    if model.record:
        pack_record(model._state, parts)


def unpack_linear(model: MistakeDriven, parts: Parts) -> None:
    """Take it out again."""
    run = unpack_run(model, parts)
    if isinstance(model, VotedPerceptron):
        run.history = unpack_mistakes(run, parts)
    run.log = unpack_record(model, run, parts)
    model._state = run
    model.n_features_in_ = run.weights.shape[1] - 1


def _check_run(model: MistakeDriven) -> None:
    model._check_parameters()
    require_meaning(model.class_weight, model.classes_)
    check_random_state(model.random_state)


def _summary_of_run(model: MistakeDriven) -> dict[str, Any]:
    summary: dict[str, Any] = {
        "examples": model._state.stream.n_seen,
        "passes": model.n_iter_,
        "mistakes": model.n_mistakes_,
        "converged": model.converged_,
        "radius": encoded("radius", model.radius_),
    }
    if isinstance(model, Additive):
        margin = model.margin_
        summary["margin_lower"] = encoded("margin_lower", margin.lower)
        summary["margin_upper"] = encoded("margin_upper", margin.upper)
    return summary


KINDS = {
    kind.learner.__name__: kind
    for kind in (
        *(Kind(one, _check_run, pack_linear, unpack_linear, _summary_of_run) for one in LEARNERS),
        *(Kind(dual, check_dual, pack_dual, unpack_dual, summary_of_dual) for dual in DUALS),
        Kind(MaxMargin, MaxMargin._check_parameters, pack_widest, unpack_widest, summary_of_widest),
    )
}
"""Every class that has model files, by its name in them."""
