"""Coefficients as CSV, for people who want to read them."""

import csv
import io
import os
from typing import Any

from sklearn.utils.validation import check_is_fitted

from novikoff.errors import ParameterError
from novikoff.files import replacing
from novikoff.learners import DUALS, VotedPerceptron


def to_csv(model: Any, path: str | os.PathLike[str]) -> None:
    """Write the weights of a linear model as CSV: a line for each feature, the bias last.

    The columns are `feature` and `weight`; of more than two classes, `feature` and one for the
    weights of each, with its label above. A feature without a name goes by its number,
    from 0 or as in the svmlight file that `novikoff fit` read; the bias is called `(intercept)`.
    Weights are written such that reading them as doubles gives the same numbers.

    Parameters
    ----------
    model : Perceptron, AveragedPerceptron, Winnow or MaxMargin
    path : str or path-like

    Examples
    --------
    >>> from pathlib import Path
    >>> from novikoff import Perceptron, store
    >>> model = Perceptron(shuffle=False).fit([[0.0, 0.0], [1.0, 0.5]], [0, 1])
    >>> store.to_csv(model, "weights.csv")
    >>> print(Path("weights.csv").read_text(), end="")
    feature,weight
    0,1.0
    1,0.5
    (intercept),-1.0
    """
    check_is_fitted(model)
    if isinstance(model, DUALS):
        raise ParameterError(
            f"A {type(model).__name__} was given, but it has no coefficients of features: its "
            "weights are in the feature space of a kernel. Its `dual_coef_` are of examples."
        )
    if isinstance(model, VotedPerceptron):
        raise ParameterError(
            "A VotedPerceptron was given, but a vote has no coefficients: all its hyperplanes "
            "predict. An AveragedPerceptron makes the same mistakes and has some."
        )
    first = getattr(model, "_first_feature", 0)
    names = getattr(model, "feature_names_in_", range(first, first + model.n_features_in_))
    with replacing(path) as file:
        # what is no text, as half a character, is written as its code
        text = io.TextIOWrapper(file, "utf-8", errors="backslashreplace", newline="")
        lines = csv.writer(text, lineterminator="\n")
        many = len(model.coef_) > 1
        lines.writerow(["feature", *(model.classes_.tolist() if many else ["weight"])])
        weights = model.coef_.T.astype(float).tolist()
        lines.writerows([name, *row] for name, row in zip(names, weights, strict=True))
        lines.writerow(["(intercept)", *model.intercept_.astype(float).tolist()])
        text.detach()
