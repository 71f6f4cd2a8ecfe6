"""What every learner learned on some small data: answers that a rebuilt core must give again.

All numbers are whole, or halves of them, so that what is learned does not depend on the machine:
processors with wider registers add up in another order. `python tests/frozen.py` writes the answers
of the library as it is; do that only where learners are meant to learn otherwise.
"""

import json
import warnings
from itertools import product
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from novikoff import (
    AROW,
    SCW,
    AveragedPerceptron,
    BalancedWinnow,
    KernelPerceptron,
    PassiveAggressive,
    Perceptron,
    Pocket,
    Romma,
    SecondOrderPerceptron,
    VotedPerceptron,
    Winnow,
)

FILE = Path(__file__).parent / "data" / "frozen.json"
N, D = 40, 5
ADDITIVE = (Perceptron, AveragedPerceptron, VotedPerceptron)
EXACT = (*ADDITIVE, Pocket, Winnow)
"""Those whose bits are the same; others may round otherwise where sums are reordered."""


def is_exact(learner, options, part):
    """Must this part of an answer be the same to the bit?

    Means and unit rows are no whole numbers, so that their scores depend on the order of a sum.
    """
    if part in ("mistakes", "labels"):
        return True
    rounded = options.get("normalize") or (learner is AveragedPerceptron and part == "scores")
    return learner in EXACT and not rounded


CONVENTIONS = [
    {},
    {"fit_intercept": False, "tie": "negative"},
    {"tie": "positive", "eta0": 2.0, "class_weight": {0: 0.5, 1: 2.0}},
    {"slack": 1.0},
]
OPTIONS = {
    **{learner: [*CONVENTIONS, {"multi_class": "ovr"}] for learner in ADDITIVE},
    Pocket: [*CONVENTIONS, {"checks": 5}],
    Winnow: [{}, {"factor": 4.0, "threshold": 3.0}, {"binarize": 0.0}],
    BalancedWinnow: [{}, {"factor": 2.0, "fit_intercept": False}, {"clip": True}],
    PassiveAggressive: [
        {},
        {"variant": "PA"},
        {"variant": "PA-II", "C": 0.25, "fit_intercept": False},
        {"multi_class": "ovr"},
    ],
    SecondOrderPerceptron: [{}, {"covariance": "full", "a": 4.0}],
    AROW: [{}, {"covariance": "full", "r": 0.25}],
    SCW: [{}, {"covariance": "full", "variant": "II"}],
    KernelPerceptron: [
        {"kernel": "poly", "gamma": 1.0, "degree": 2},
        {"kernel": "linear", "multi_class": "ovr", "tie": "positive"},
        {"kernel": "poly", "gamma": 1.0, "degree": 2, "predict_with": "voted"},
        {"kernel": "poly", "gamma": 1.0, "degree": 2, "predict_with": "averaged"},
        {"kernel": "poly", "gamma": 1.0, "degree": 2, "budget": 7},
    ],
    Romma: [{"kernel": "linear"}, {"kernel": "poly", "gamma": 1.0, "update_on": "mistake"}],
}
FORMS = {
    "dense": np.asarray,
    "sparse": sparse.csr_array,
    "singles": lambda X: X.astype(np.float32),
    "sparse singles": lambda X: sparse.csr_array(X.astype(np.float32)),
    "bytes": lambda X: X.astype(np.int8),
    "booleans": lambda X: X > 0,
}
WAYS = ("ordered", "shuffled", "weighted", "streamed", "warm", "threads")


def data(learner, n_classes):
    """Rows of small whole numbers, and labels that are nearly theirs."""
    random = np.random.default_rng(17)
    low, high = (0, 2) if "Winnow" in learner.__name__ else (-3, 4)
    X = random.integers(low, high, (N, D)).astype(np.float64)
    scores = X @ random.integers(-3, 4, (D, n_classes))
    y = np.where(random.random(N) < 0.1, random.integers(0, n_classes, N), scores.argmax(axis=1))
    return X, y, random.integers(0, 3, N).astype(np.float64)


def cases():
    """Every learner with its options, in every way, with two classes and with three; the forms of
    rows with the perceptron, since a loop sees them through one door only.
    """
    for learner, every in OPTIONS.items():
        for options, n_classes, way in product(every, (2, 3), WAYS):
            form = "sparse" if way == "shuffled" else "dense"
            if learner is Winnow and (n_classes > 2 or way == "weighted"):
                continue
            if learner in (KernelPerceptron, Romma):
                if way in ("warm", "threads") or (learner is Romma and way == "weighted"):
                    continue
                if "budget" in options and way == "weighted":
                    continue
            yield learner, options, n_classes, way, form
    for form, normalize, n_classes in product(FORMS, (False, True), (2, 3)):
        yield Perceptron, {"normalize": normalize}, n_classes, "shuffled", form


def name_of(learner, options, n_classes, way, form):
    """What a case is called."""
    told = ", ".join(f"{name}={value}" for name, value in options.items())
    return f"{learner.__name__}({told}), {n_classes} classes, {way}, {form}"


def learned(learner, options, n_classes, way, form):
    """What a learner learns in one of the cases."""
    X, y, weight = data(learner, n_classes)
    X = FORMS[form](X)
    options = options | {"max_iter": 3, "shuffle": way == "shuffled", "random_state": 5}
    if way == "threads":
        options |= {"n_jobs": 2}
    if way == "warm":
        options |= {"warm_start": True}
    model = learner(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if way == "streamed":
            for some in np.split(np.arange(N), [7, 8, 30]):
                first = {"classes": [0, 1]} if learner is Winnow and some[0] == 0 else {}
                model.partial_fit(X[some], y[some], **first)
        else:
            model.fit(X, y, **({"sample_weight": weight} if way == "weighted" else {}))
            if way == "warm":
                model.fit(X, y)
    kernel = learner in (KernelPerceptron, Romma)
    answer = {
        "mistakes": model.mistakes_.tolist(),
        "scores": model.decision_function(X[:9]).tolist(),
        "labels": model.predict(X).tolist(),
    }
    if not kernel:
        answer["weights"] = np.column_stack([model.coef_, model.intercept_]).tolist()
        answer["radius"] = model.radius_
    return answer


def answers():
    """All of them, by name."""
    return {name_of(*case): learned(*case) for case in cases()}


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(told)}" for name, told in answers().items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
