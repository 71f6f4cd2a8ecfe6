"""How the model files in `tests/data` were made: ``python tests/write_model_files.py``.

They were written once by version 0.1.0, and must load in every later one: none is written
again, only those that are missing. A new format version gets files of its own, beside these.
"""

import json
from dataclasses import astuple
from pathlib import Path

import numpy as np

import hostile
from novikoff import KernelPerceptron, MaxMargin, Romma, SequencePerceptron

DATA = Path(__file__).parent / "data"
VERSION = "v1"


def weights(model):
    """The numbers it predicts with; those of ROMMA to nine digits, as sums have no order."""
    if isinstance(model, Romma):
        found = model.coef_ if hasattr(model, "coef_") else model.dual_coef_
        return [float(f"{w:.9g}") for w in found.ravel()]
    if isinstance(model, KernelPerceptron):
        return model.dual_coef_.ravel()
    transitions = getattr(model, "transition_", np.empty(0))
    return np.concatenate([model.coef_.ravel(), model.intercept_, transitions.ravel()])


def record(model, rows):
    """What a model must tell and predict after loading, as JSON can hold it."""
    told = {
        "parameters": {k: str(v) for k, v in model.get_params().items() if k != "random_state"},
        "weights": [float(w).hex() for w in weights(model)],
        "labels": list(model.predict(rows)),
        "scores": [float(f"{s:.6g}") for s in np.concatenate(model.decision_function(rows), None)],
    }
    if isinstance(model, MaxMargin):
        numbers = (*model.dual_coef_[0].tolist(), model.gap_, *astuple(model.margin_))
        return told | {
            "support": model.support_.tolist(),
            "proof": [number.hex() for number in numbers],
            "steps": model.n_iter_,
        }
    return told | {"mistakes": model.mistakes_.tolist()}


def records(model):
    """Of the model, and if it can learn on, of the model after one more block."""
    vars(model).pop("feature_names_in_", None)
    if isinstance(model, SequencePerceptron):
        return records_of_tagger(model)
    given = getattr(model, "kernel", None) == "precomputed"
    told = {"loaded": record(model, hostile.X @ hostile.X.T if given else hostile.X)}
    if hasattr(model, "partial_fit") and not given:
        model.partial_fit(hostile.X[::-1], hostile.Y[::-1])
        told["learned on"] = record(model, hostile.X)
    return told


def records_of_tagger(model):
    """The same, with the features, of which there may be more after the block."""
    told = {}
    for when in ("loaded", "learned on"):
        rows, labels = hostile.examples(model)
        if when == "learned on":
            model.partial_fit(rows, labels)
        told[when] = record(model, rows) | {"features": model.feature_names_}
    return told


def main():
    records_of_all = DATA / f"expected-{VERSION}.json"
    expected = json.loads(records_of_all.read_text()) if records_of_all.exists() else {}
    for kind, model in hostile.models().items():
        name = kind.replace(" ", "-")
        if name not in expected:
            path = DATA / f"{name}-{VERSION}.safetensors"
            model.save(path, extra={"made_by": "write_model_files"})
            expected[name] = records(model)
    records_of_all.write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
