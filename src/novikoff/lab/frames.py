"""From a state, or a trace, to everything that is shown: numbers and sentences, ready for JSON."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from math import inf

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from novikoff.description import describe
from novikoff.errors import NotSeparable, OutOfTime, ParameterError
from novikoff.inputs.arrays import as_seen, dense
from novikoff.lab.link import LEARNERS, State, to_link
from novikoff.lab.scripts import parameters, script, starting
from novikoff.lab.verdicts import disjunction_bound, verdict
from novikoff.lab.visits import MOST_STEPS, means, visits
from novikoff.learners import AveragedPerceptron, Winnow
from novikoff.learners.additive import Additive
from novikoff.plots.convergence import brackets
from novikoff.plots.style import Names, two_features
from novikoff.plots.theorem import curves
from novikoff.proofs.proof import Proof, counted, made_before
from novikoff.proofs.trace import Trace
from novikoff.typing import Array

Shown = dict[str, object]
"""By name what the page shows, ready for JSON."""

BRACKETS = 600
"""At how many updates, at the most, the margin bracket is measured."""
SAMPLES = 160


def of_state(state: State) -> Shown:
    """All that the page shows of a state.

    Parameters
    ----------
    state : State

    Returns
    -------
    dict
        `points`, `link`, `options` and, where there is something to learn from, what
        `of_trace` says, `code` and `words`. Else `wanting` says what is missing.
    """
    points, signs = [[x, y] for x, y, _ in state.points], [sign for *_, sign in state.points]
    shown: Shown = {
        "points": points,
        "signs": signs,
        "names": list(state.names),
        "classes": list(state.classes),
        "link": to_link(replace(state, step=0)),
        "view": None if state.view is None else list(state.view),
        "step": state.step,
        "preset": state.preset,
        "options": state.options,
    }
    missing = {-1, 1} - set(signs)
    if missing:
        return shown | {"wanting": _wanting(state, missing)}
    epochs = max(1, min(state.max_iter, MOST_STEPS // len(points)))
    model = LEARNERS[state.learner](**parameters(state, epochs))
    X, y = np.array(points, float), np.array(signs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the page says so itself
        model.fit(X, y, **starting(state))
    notes = []
    if epochs < state.max_iter and not model.converged_:
        notes.append(
            f"The page shows {MOST_STEPS:,} steps at the most, so the run was ended after "
            f"{epochs:,} epochs. The library itself goes on for as long as it is told."
        )
    shown |= of_trace(model.trace_, state.classes, state.names, notes)
    right = int((model.predict(X) == y).sum())
    return shown | {"code": script(state, epochs), "words": describe(model), "right": right}


def _wanting(state: State, missing: set[int]) -> str:
    if len(missing) == 2:
        return "Add points of both classes, or choose a data set, and the learner will begin."
    name = state.classes[next(iter(missing)) > 0].replace("-", "\N{MINUS SIGN}")
    return f"Add a point of the class {name}: with one class alone there is nothing to tell apart."


# ------------------------------------------------------------- of a trace


def of_trace(
    trace: Trace,
    classes: Names = ("-1", "+1"),
    names: Names = ("x1", "x2"),
    notes: Sequence[str] = (),
) -> Shown:
    """All that a player shows of a run on two features.

    Parameters
    ----------
    trace : Trace
        With its data.
    classes, names : pairs of str
        What the classes and the axes are called.
    notes : sequence of str
        What there is to say of the run.

    Returns
    -------
    dict
        Of numbers, lists and sentences.
    """
    X, y = trace.data
    if trace.gained is not None or not isinstance(trace._learner, Additive | Winnow):
        classes_of = "" if trace.gained is None else f" of {len(trace.start)} classes"
        raise ParameterError(
            "The player shows the run of a perceptron or of Winnow on two classes, but this is of "
            f"a {type(trace._learner).__name__}{classes_of}."
        )
    points = two_features(X, "The run")
    if len(trace) > MOST_STEPS:
        raise ParameterError(
            f"The player shows {MOST_STEPS:,} updates at the most, but the run made "
            f"{len(trace):,}: record a shorter one, with a smaller {{max_iter}}.",
            max_iter=None,
        )
    learner, Z = trace._learner, dense(as_seen(X, trace._space))
    W = trace.weights(np.arange(len(trace) + 1)).astype(np.float64)
    visited = visits(trace, W, Z)
    bias = bool(trace._space.get("fit_intercept", True))
    averaged = isinstance(learner, AveragedPerceptron) and visited.complete
    return {
        "kind": type(learner).__name__,
        "points": points.tolist(),
        "signs": y.tolist(),
        "seen": None if np.array_equal(Z, points) else Z.tolist(),
        "how": _how(trace),
        "names": list(names),
        "classes": [str(label) for label in classes],
        "slack": float(trace._space.get("slack", 0.0)),
        "margin": float(trace._space.get("margin", 0.0)),
        "bias": bias,
        "tie": getattr(learner, "tie", "positive"),
        "eta0": float(getattr(learner, "eta0", 1.0)),
        "additive": isinstance(learner, Additive),
        "visits": _listed(**visited._asdict()),
        "weights": W.tolist(),
        "steps": trace.step.tolist(),
        "mean": means(visited, W).tolist() if averaged else None,
        "epochs": len(trace.mistakes_per_epoch),
        "mistakes": int(trace.mistakes_per_epoch.sum()),
        "converged": not (trace.epoch == len(trace.mistakes_per_epoch) - 1).any(),
        "theorem": theorem(trace, Z, y),
        "bracket": bracket(trace),
        "verdict": verdict(Z, y, bias),
        "notes": [*([] if visited.complete else [ONLY_UPDATES]), *notes],
    }


ONLY_UPDATES = (
    "Each step is an update: the visits between them are not known, or too many. "
    "(Give random_state a number, or shuffle=False.)"
)


def _how(trace: Trace) -> str:
    """How the learner sees the points, if not as they are."""
    if trace._space.get("binarize") is not None:
        return f"as 0 and 1: a coordinate above {trace._space['binarize']:g} counts as 1"
    return "at unit length" if trace._space.get("normalize") else ""


def _listed(**arrays: object) -> Shown:
    """Arrays as lists, flags in them as 0 and 1; the rest as it is."""
    return {n: (a + 0).tolist() if isinstance(a, np.ndarray) else a for n, a in arrays.items()}


def bracket(trace: Trace) -> Shown | None:
    """What the run had proved of the margin by each update; None for Winnow."""
    if not isinstance(trace._learner, Additive):
        return None
    k, lower, upper = brackets(trace, BRACKETS)
    return _listed(k=k - int(made_before(counted(trace))), lower=lower, upper=upper)


def theorem(trace: Trace, Z: Array, y: Array) -> Shown:
    """Novikoff's theorem on the run, or why it does not apply."""
    if not isinstance(trace._learner, Additive):
        space = trace._space
        told = disjunction_bound(
            Z, y, float(space["threshold"] or 2.0), float(getattr(trace._learner, "factor", 2.0))
        )
        return told | {
            "no_curves": "The four curves are of perceptrons, which add. Winnow multiplies its "
            "weights, and its bound has another proof.",
        }
    try:
        proof = trace.proof()
    except OutOfTime:
        return {
            "why": "No bound was proved: the margin, if there is one, is lost in rounding.",
            "no_curves": "The proof begins with a margin, and none was found.",
        }
    except NotSeparable:
        return {
            "why": "No margin, no bound: nothing separates the data, so the run need not end.",
            "no_curves": "The proof begins with a margin, and there is none. With slack every "
            "example has a private feature, and so the data has a margin.",
        }
    return {
        "bound": proof.bound - made_before(proof.mistakes) if proof.bound < inf else None,
        "margin": proof.margin,
        "radius": proof.radius,
        "holds": proof.holds,
        "start": list(proof.start),
        "least": [proof.start[0], *proof.least.tolist()],
        "progress": [proof.start[0], *proof.progress.tolist()],
        "length": [proof.start[1], *proof.length.tolist()],
        "most": [proof.start[1], *proof.most.tolist()],
        "curves": _curves(proof),
    }


def _curves(proof: Proof) -> Shown:
    """The outer two quantities past the end of the run, counted from where the recording began."""
    drawn = curves(proof, SAMPLES)
    return _listed(
        k=drawn.k - drawn.before,
        least=drawn.least,
        most=drawn.most,
        log=drawn.log,
        simple=drawn.simple,
        crossing=None if drawn.crossing is None else drawn.crossing[0] - drawn.before,
    )
