r"""A fitted model in words: its boundary as an equation, and what its run proves."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import check_is_fitted

from novikoff.certificates.certificate import Separability
from novikoff.certificates.geometry import as_examples
from novikoff.errors import ParameterError
from novikoff.inputs.arrays import as_seen
from novikoff.learners import AveragedPerceptron, VotedPerceptron
from novikoff.learners.additive import Additive
from novikoff.learners.base import MistakeDriven
from novikoff.max_margin.estimator import MaxMargin
from novikoff.regression.result import Separation
from novikoff.typing import Array, MatrixLike

Linear: TypeAlias = MistakeDriven | MaxMargin

MINUS = "\N{MINUS SIGN}"

IN_EQUATION, IN_PROSE = 6, 3
"""How many features an equation names, and a sentence for each direction."""
MANY = 12
"""How many of many classes are spoken of."""


def describe(
    model: Linear | Separability | Separation,
    X: MatrixLike = None,
    *,
    names: Sequence[str] | None = None,
) -> str:
    r"""Describe a fitted model in a paragraph.

    It has the boundary as an equation in the names of the features, its distance from the origin,
    the features that push the most towards each class, and what the run proves: bounds on the
    margin, the bound on mistakes, and whether the run converged. With many features, it names those
    with the largest effect.

    Parameters
    ----------
    model : any linear learner of novikoff, or MaxMargin
        Fitted. For the result of `separability` or `separation`, it returns the summary.
    X : array or sparse matrix of shape (n_samples, n_features), optional
        Examples, to compute the standard deviations of the features. The effect of a feature is
        then that of one standard deviation on the score; without `X`, that of one unit.
    names : sequence of str, optional
        The names of the features. None: those of the training data, or x1, x2, ...

    Returns
    -------
    str

    Examples
    --------
    >>> import pandas as pd
    >>> from novikoff import Perceptron, describe
    >>> from novikoff.data import load
    >>> X, species, names = load("iris")
    >>> X = pd.DataFrame(X, columns=names)
    >>> model = Perceptron(random_state=0).fit(X, species == "setosa")
    >>> print(describe(model, X))
    This Perceptron predicts True where sepal_length + 4.2·sepal_width − 5.5·petal_length −
    2.7·petal_width > −1, and False elsewhere. The boundary is 0.1334 from the origin. Per
    standard deviation, sepal_width (by 1.825) and sepal_length (by 0.8253) push towards True;
    petal_length (by 9.677) and petal_width (by 2.051) push towards False. It made 5 mistakes
    in 2 epochs, and none in the last. The run proves that the margin in the space of the run,
    which has a coordinate for the bias, is between 0.3795 and 1.512, so that no order of the
    examples can force more than 864 mistakes from a start at 0.
    """
    if isinstance(model, Separability | Separation):
        return model.summary()
    check_is_fitted(model)
    if not isinstance(model, MistakeDriven | MaxMargin):
        raise ParameterError(
            f"A {type(model).__name__} was given, but describe is for the linear models of "
            "novikoff: a kernel machine has no equation to write down."
        )
    w, b = model.coef_[0].astype(np.float64), float(model.intercept_[0])
    scale, per = (1.0, "unit") if X is None else (_deviations(model, X), "standard deviation")
    effect = w * scale
    if names is None:
        names = [str(n) for n in getattr(model, "feature_names_in_", ())]
        first = getattr(model, "_first_feature", 1)
        names = names or [f"x{j + first}" for j in range(len(w))]
    if len(names) != len(w):
        raise ParameterError(f"{len(names)} names were given, but the model has {len(w)} features.")
    if not model.coef_.any():
        sentences = [f"This {type(model).__name__} knows nothing yet: all its weights are 0."]
    elif len(model.coef_) > 1:
        sentences = _each_class(model, model.coef_ * scale, names, per)
    else:
        sentences = [_boundary(model, w, b, names, effect), _distance(model, w, b)]
        sentences += _pushes(model, effect, names, per)
    return " ".join([*sentences, *_training(model)])


def _number(value: float) -> str:
    return f"{MINUS if value < 0 else ''}{abs(value):,.4g}"


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


# ------------------------------------------------------------- the boundary


def _boundary(model: Linear, w: Array, b: float, names: Sequence[str], effect: Array) -> str:
    """What is predicted where, as an equation."""
    kind, (first, second) = type(model).__name__, _classes(model)
    largest = np.sort(np.lexsort((-abs(w), -abs(effect)))[:IN_EQUATION])
    shown = [j for j in largest if w[j]]
    text = "".join(_term(w[j], names[j], leading=j == shown[0]) for j in shown)
    more = int(np.count_nonzero(w)) - len(shown)
    text += f" + … ({more:,} more)" if more else ""
    takes_line = not isinstance(model, MistakeDriven) or model._on_line() > 0
    where, space = "", space_of(model)
    if space.get("normalize"):
        where = " (of examples at unit length)"
    if space.get("clip"):
        where = " (features below 0 being 0, and above 1 being 1)"
    if space.get("binarize") is not None:
        where = f" (features being 1 above {_number(space['binarize'])}, else 0)"
    rule = f"{second} where {text} {'≥' if takes_line else '>'} {_number(-b)}{where}"
    says = "predicts"
    if isinstance(model, VotedPerceptron):
        says = "predicts by a vote of all hyperplanes on the way, of which the last says"
    if isinstance(model, AveragedPerceptron):
        says = "predicts, by the mean of all weights on the way,"
    return f"This {kind} {says} {rule}, and {first} elsewhere."


def _classes(model: Linear) -> list[str]:
    return [repr(label) for label in model.classes_.tolist()]


def _term(value: float, name: str, leading: bool) -> str:
    sign = MINUS if value < 0 else "+"
    sign = (MINUS if value < 0 else "") if leading else f" {sign} "
    size = "" if abs(value) == 1 else f"{_number(abs(value))}·"
    return f"{sign}{size}{name}"


def space_of(model: object) -> dict[str, Any]:
    """What a model makes of the features before it weighs them, as `as_seen` reads it."""
    return model._state.space if isinstance(model, MistakeDriven) else {}


def _distance(model: Linear, w: Array, b: float) -> str:
    what = "That hyperplane" if isinstance(model, VotedPerceptron) else "The boundary"
    if b == 0:
        return f"{what} goes through the origin."
    return f"{what} is {_number(abs(b) / float(np.linalg.norm(w)))} from the origin."


# ------------------------------------------------------------- many classes


def _each_class(model: Linear, effects: Array, names: Sequence[str], per: str) -> list[str]:
    """What speaks for each of many classes, and against it."""
    says = "the largest score"
    if isinstance(model, VotedPerceptron):
        says = "the most votes of all hyperplanes on the way; the last of them say this"
    if isinstance(model, AveragedPerceptron):
        says = "the largest score by the mean of all weights on the way"
    labels = _classes(model)
    clauses = []
    for label, effect in zip(labels[:MANY], effects[:MANY], strict=True):
        order = np.argsort(-abs(effect), kind="stable")[:IN_PROSE]
        parts = [f"{names[j]} by {_signed(effect[j])}" for j in order if effect[j]]
        clauses.append(f"{label} ({', '.join(parts) or 'by none'})")
    if len(labels) > MANY:
        clauses.append(f"{len(labels) - MANY:,} more")
    return [
        f"This {type(model).__name__} predicts that of {len(labels)} classes with {says}.",
        f"A {per} more of a feature changes the score most of {_listed(clauses)}.",
    ]


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{_number(value)}"


# ------------------------------------------------------------- which features push which way


def _pushes(model: Linear, effect: Array, names: Sequence[str], per: str) -> list[str]:
    """Which features push towards which class, and how much."""
    clauses = []
    for sign, label in zip((1, -1), reversed(_classes(model)), strict=True):
        own = np.flatnonzero(sign * effect > 0)
        if len(own):
            order = own[np.argsort(-abs(effect[own]), kind="stable")]
            parts = [f"{names[j]} (by {_number(abs(effect[j]))})" for j in order[:IN_PROSE]]
            if len(own) > IN_PROSE:
                parts.append(f"{len(own) - IN_PROSE:,} more")
            verb = "pushes" if len(own) == 1 else "push"
            clauses.append(f"{_listed(parts)} {verb} towards {label}")
    return [f"Per {per}, {'; '.join(clauses)}."] if clauses else []


def _deviations(model: Linear, X: MatrixLike) -> Array:
    """The standard deviation of each feature, as the model sees it."""
    X = as_examples(X)
    if X.shape[1] != model.n_features_in_:
        raise ParameterError(
            f"X has {X.shape[1]} features, but the model has {model.n_features_in_}."
        )
    X = as_seen(X, space_of(model))
    variance: Array = mean_variance_axis(X, 0)[1] if sparse.issparse(X) else X.var(axis=0)
    return np.sqrt(variance)


# ------------------------------------------------------------- how it came about


def _training(model: Linear) -> list[str]:
    if isinstance(model, MaxMargin):
        low, high, n = model.margin_.lower, model.margin_.upper, len(model.support_)
        what = "The margin" if np.isinf(model.C) else "Its (soft) margin"
        return [
            f"{what} is between {low:.6g} and {high:.6g}; {n:,} example{'s' * (n != 1)} "
            f"{'supports' if n == 1 else 'support'} it."
        ]
    made, epochs = model.n_mistakes_, model.n_iter_
    text = f"It made {made:,} mistake{'s' * (made != 1)} in {epochs:,} epoch{'s' * (epochs != 1)}"
    if model.converged_:
        text += ", and none in the last." if made else "."
    elif model._state.stream.is_open:
        text += " of a stream."
    elif not model.mistakes_[-1]:
        text += ", none in the last, which still learned from right answers: it has not converged."
    else:
        last = f", {int(model.mistakes_[-1]):,} of them in the last" if epochs > 1 else ""
        text += f"{last}: it has not converged."
    return [text, _proved(model)] if isinstance(model, Additive) else [text]


def _proved(model: Additive) -> str:
    """What the run proves about the margin, and so about mistakes."""
    low, high = model.margin_.lower, model.margin_.upper
    where = "in the space of the run, which has a coordinate for the bias,"
    if not model._state.space["fit_intercept"]:
        where = "in the space of the run"
    if low > 0:
        most = model.mistake_bound_
        return (
            f"The run proves that the margin {where} is between {_number(low)} and "
            f"{_number(high)}, so that no order of the examples can force more than "
            f"{most:,.0f} mistake{'s' * (round(most) != 1)} from a start at 0."
        )
    return f"The run proves that the margin {where} is no more than {_number(high)}."
