"""What a perceptron for sequences learned, as tensors and JSON, and back with every part checked.

The room that its arrays have for features to come is not written.
"""

import numpy as np

from novikoff.errors import ModelFileError
from novikoff.learners.sequences.growth import TRANSITIONS, without_room
from novikoff.learners.sequences.perceptron import SequencePerceptron
from novikoff.learners.state import WEIGHTS, State, Stream
from novikoff.store.fields import Parts, Tensor, attribute_of, take
from novikoff.store.runs import LEDGER, STREAM, beside, put_run, take_ledger, take_space
from novikoff.store.updates import put_rivals, take_rivals
from novikoff.store.vocabularies import put_vocabulary, take_vocabulary
from novikoff.typing import Array

NEVER = "start", "shares", "class_totals"
"""What only other learners know."""
PROVED, SEEN = (
    tuple(one for one in table if attribute_of(one) not in NEVER) for table in (LEDGER, STREAM)
)


def put_tagger(model: SequencePerceptron, parts: Parts) -> None:
    """Put what it learned into the parts."""
    run, d = model._state, model.n_features_in_
    put_run(model, parts, PROVED, SEEN)
    Tensor("weights", WEIGHTS).put(parts, without_room(run.weights, d))
    for name, one in run.declared.items():
        array = run.extra[name]
        array = array if one.shape == TRANSITIONS.shape else without_room(array, d)
        beside(name, one).put(parts, array)
    put_vocabulary(model._vocabulary, parts)
    put_rivals(run, d, parts)


def take_tagger(model: SequencePerceptron, parts: Parts) -> None:
    """Take it out again, and give it to a model that has its parameters and `classes_`."""
    space, K = take_space(model, parts), len(model.classes_)
    parts.sizes |= {"m": K}
    W = Tensor("weights", WEIGHTS).take(parts)
    d = parts.sizes["d"] - 1
    if d < 0:
        raise ModelFileError("The model in the file has no weights.")
    stream = Stream(np.zeros(K), **take(SEEN, parts))
    run = State(space, np.asfortranarray(W), declared=model._declared(space), stream=stream)
    run.ledger = take_ledger(model, run, parts, PROVED)
    require_updates(run)
    run.extra = {name: beside(name, one).take(parts) for name, one in run.declared.items()}
    if space["averaged"]:
        require_means(run.weights, run.extra["tally"], stream.n_seen)
        require_means(run.extra["transitions"], run.extra["transition_tally"], stream.n_seen)
    model._vocabulary = take_vocabulary(space, d, parts)
    run.log = take_rivals(run, parts)
    model._state, model.n_features_in_ = run, d


def require_updates(run: State) -> None:
    """There can be one update at every visit, and every mistake makes one."""
    mistakes, n_seen = run.ledger.mistakes, run.stream.n_seen
    made = mistakes if run.ledger.changes is None else run.ledger.changes
    if sum(made) > n_seen or any(n < k for n, k in zip(made, mistakes, strict=True)):
        raise ModelFileError(
            f"By the file {sum(made)} updates were made for {sum(mistakes)} mistakes on {n_seen} "
            "sequences in all, which cannot be."
        )


def require_means(w: Array, tally: Array, n_seen: int) -> None:
    """The averaged weights are numbers: no part of their sums was near the end of the range."""
    with np.errstate(over="ignore"):
        most = n_seen * largest(w) + largest(tally)
    if not most < np.inf:
        raise ModelFileError("The averaged weights in the file leave the range of float64.")


def largest(numbers: Array) -> np.float64:
    """The largest of these, whatever their signs."""
    most: np.float64 = np.maximum(numbers.max(initial=0.0), -numbers.min(initial=0.0))
    return most
