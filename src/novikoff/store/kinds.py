"""The classes that have model files, and how each goes into one and comes back."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.base import clone
from sklearn.utils import check_random_state

from novikoff.errors import ModelFileError
from novikoff.learners import DUALS, LEARNERS, AveragedPerceptron, VotedPerceptron
from novikoff.learners.additive import Additive
from novikoff.learners.base import MistakeDriven
from novikoff.learners.weights import require_meaning
from novikoff.max_margin.estimator import MaxMargin
from novikoff.store.duals import check_dual, pack_dual, summary_of_dual, unpack_dual
from novikoff.store.parts import Parts
from novikoff.store.records import pack_record, unpack_record
from novikoff.store.runs import (
    MISTAKES,
    NOTHING,
    TALLY,
    Memory,
    pack_run,
    unpack_kept,
    unpack_run,
)
from novikoff.store.separators import pack_widest, summary_of_widest, unpack_widest
from novikoff.store.values import encoded

ADDED = {"record": False, "multi_class": "joint", "n_jobs": None, "class_weight": None}
"""Parameters that files, or files of earlier versions, lack, and what they are."""


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


def of_run(learner: type[MistakeDriven], memory: Memory) -> Kind:
    """The kind of a mistake-driven learner: all it knows is in its run."""

    def pack(model: MistakeDriven, parts: Parts) -> None:
        pack_run(model._run, parts)
        memory.pack(model._run, parts)
        if model.record:
            pack_record(model._run, parts)

    def unpack(model: MistakeDriven, parts: Parts) -> None:
        run = unpack_run(parts, len(model.classes_), many=learner._takes_many_classes)
        run.memory = memory.unpack(run, parts)
        told, known = run.space, model._space()
        space = {name: ADDED[name] for name in known.keys() & ADDED.keys()} | told
        if space.keys() != known.keys():
            raise ModelFileError(
                f"The space of the run is given by {', '.join(told) or 'nothing'} in the file, and "
                f"not by {', '.join(known)}."
            )
        run.space = {name: space[name] for name in known}  # in the order they are written in
        clone(model).set_params(**run.space)._check_parameters()
        unpack_kept(model, run, parts)
        run.recorded = unpack_record(model, run, parts)
        model._run = run
        model.n_features_in_ = run.w.shape[-1] - 1

    return Kind(learner, _check_run, pack, unpack, _summary_of_run)


def _check_run(model: MistakeDriven) -> None:
    model._check_common()
    require_meaning(model.class_weight, model.classes_)
    check_random_state(model.random_state)


def _summary_of_run(model: MistakeDriven) -> dict[str, Any]:
    summary: dict[str, Any] = {
        "examples": model._run.n_seen,
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


MEMORIES: dict[type[Any], Memory] = {AveragedPerceptron: TALLY, VotedPerceptron: MISTAKES}
"""What learners keep of their mistakes, those that keep anything."""

KINDS = {
    kind.learner.__name__: kind
    for kind in (
        *(of_run(learner, MEMORIES.get(learner, NOTHING)) for learner in LEARNERS),
        *(Kind(dual, check_dual, pack_dual, unpack_dual, summary_of_dual) for dual in DUALS),
        Kind(MaxMargin, MaxMargin._check_parameters, pack_widest, unpack_widest, summary_of_widest),
    )
}
"""Every class that has model files, by its name in them."""
