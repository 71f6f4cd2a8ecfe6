"""How the model files in `tests/data` were made: ``python tests/write_model_files.py``.

They were written once by version 0.1.0, and must load in every later one: do not write
them again. A new format version gets files of its own, beside these.
"""

import json
from pathlib import Path

import numpy as np

import hostile

DATA = Path(__file__).parent / "data"
VERSION = "v1"


def record(model, rows):
    """What a model must tell and predict after loading, as JSON can hold it."""
    return {
        "parameters": {k: str(v) for k, v in model.get_params().items() if k != "random_state"},
        "weights": [float(w).hex() for w in np.append(model.coef_, model.intercept_)],
        "mistakes": model.mistakes_.tolist(),
        "labels": model.predict(rows).tolist(),
        "scores": [float(f"{s:.6g}") for s in model.decision_function(rows)],
    }


def learned_on(model):
    """The model after one more block."""
    vars(model).pop("feature_names_in_", None)
    return model.partial_fit(hostile.X[::-1], hostile.Y[::-1])


def main():
    expected = {}
    for kind, model in hostile.models().items():
        name = kind.replace(" ", "-")
        model.save(DATA / f"{name}-{VERSION}.safetensors", extra={"made_by": "write_model_files"})
        vars(model).pop("feature_names_in_", None)
        before = record(model, hostile.X)
        expected[name] = {"loaded": before, "learned on": record(learned_on(model), hostile.X)}
    (DATA / f"expected-{VERSION}.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
