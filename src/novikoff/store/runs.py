"""What a run knows, as tensors and JSON, and back with every part checked."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from novikoff.errors import ModelFileError
from novikoff.inputs.arrays import IN_ORDER, csr_state
from novikoff.learners.averaged import AveragedPerceptron, mean_weights
from novikoff.learners.base import MistakeDriven
from novikoff.learners.state import WEIGHTS as LIKE_WEIGHTS, Field, Ledger, State, Stream, flat
from novikoff.learners.voted import Mistakes
from novikoff.parameters import LARGEST
from novikoff.store.parts import Parts
from novikoff.store.values import decoded, encoded
from novikoff.typing import Array

WEIGHTS = (np.float64, np.float32)
VALUES = (*WEIGHTS, np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32)
"""The types of kept examples; whole numbers of other types than bytes are in older files only."""
INDICES = (np.int32, np.int64)
ADDED = {"record": False, "multi_class": "joint", "n_jobs": None, "class_weight": None}
"""Parameters that files, or files of earlier versions, lack, and what they are."""

NUMBERS = ("length", "reach", "largest")
"""Those of a ledger that cannot be negative,"""
OF_EACH = {"total": "total", "own_squares": "private", "least": "least"}
"""and those that each machine has, if there is one a class; by their names in files."""
NAMES = {"covariance": "beside", "exponents": "beside", "pocket": "beside"}
"""What is kept beside the weights, where files have another name for it."""


def pack_run(run: State, parts: Parts) -> None:
    """Put all of a run into the parts, but for its history.

    And but for the mean, which follows from the weights and their tally.
    """
    ledger, stream = run.ledger, run.stream
    parts.values["space"] = {name: encoded(name, value) for name, value in run.space.items()}
    for name in (*NUMBERS, "step_ratio"):
        parts.values[name] = encoded(name, getattr(ledger, name))
    for name, called in OF_EACH.items():
        numbers = getattr(ledger, name)
        if len(numbers) > 1:  # what is not known yet is infinite
            parts.tensors[f"each.{called}"] = np.minimum(numbers, LARGEST)
        else:
            parts.values[called] = encoded(called, float(numbers[0]))
    parts.values |= {
        "n_seen": stream.n_seen,
        "one_data_set": stream.one_data_set,
        "streaming": stream.is_open,
    }
    if stream.fingerprint is not None:
        parts.values["fingerprint"] = str(stream.fingerprint)
    parts.tensors |= {
        "weights": flat(run.weights),
        "mistakes": np.array(ledger.mistakes, np.int64),
        "brought": stream.class_totals,
    }
    if ledger.changes is not None:
        parts.tensors["changes"] = np.array(ledger.changes, np.int64)
    if ledger.start is not None:
        parts.tensors["start"] = flat(ledger.start)
    for name in ("updates", "shares"):
        if getattr(ledger, name) is not None:
            parts.tensors[name] = getattr(ledger, name)
    for name, one in run.declared.items():
        array = run.extra[name]
        parts.tensors[NAMES.get(name, name)] = flat(array) if one.shape[0] == "m" else array


def unpack_run(model: MistakeDriven, parts: Parts) -> State:
    """The run that was packed, of a model whose classes are known."""
    n_classes = len(model.classes_)
    if n_classes != 2 and not model._takes_many_classes:
        raise ModelFileError(f"The file has {n_classes} classes, and its learner learns two.")
    space = _space(model, parts)
    m = n_classes if n_classes > 2 else 1
    w = parts.tensor("weights", WEIGHTS, (None,) if m == 1 else (m, None)).reshape(m, -1)
    if w.shape[1] < 2:
        raise ModelFileError("The model in the file has no features.")
    run = State(space, w, declared=model._declared(space))
    run.stream = _stream(n_classes, parts)
    run.ledger = _ledger(model, run, n_classes, parts)
    for name, one in run.declared.items():
        run.extra[name] = declared_tensor(parts, NAMES.get(name, name), one, w)
    if isinstance(model, AveragedPerceptron):
        with np.errstate(over="ignore"):
            mean = mean_weights(w, run.extra["tally"], run.stream.n_seen)
        if not np.isfinite(mean).all():
            raise ModelFileError(f"The averaged weights in the file leave the range of {w.dtype}.")
    return run


def declared_tensor(parts: Parts, name: str, one: Field, weights: Array) -> Array:
    """An array as it is declared, beside these weights."""
    shape, dtype = one.like(weights)
    alone = one.shape[0] == "m" and len(weights) == 1
    # full covariances once were like the weights
    dtypes = (dtype, weights.dtype) if name.endswith("beside") else (dtype,)
    kept = parts.tensor(name, dtypes, shape[1:] if alone else shape)
    if not (kept >= one.least).all():
        raise ModelFileError(f"The tensor {name!r} has a number below {one.least:g} in it.")
    if not (kept <= one.most).all():
        raise ModelFileError(f"The tensor {name!r} has a number that is out of range.")
    return kept.astype(dtype, copy=False).reshape(shape)


def _space(model: MistakeDriven, parts: Parts) -> dict[str, Any]:
    """The space of the run, in the order in which its options are written."""
    told = parts.values.pop("space", None)
    if not isinstance(told, dict):
        raise ModelFileError("The file lacks the space of the run: it is damaged.")
    known = model._space()
    space = {name: ADDED[name] for name in known.keys() & ADDED.keys()}
    space |= {name: decoded(name, value) for name, value in told.items()}
    if space.keys() != known.keys():
        raise ModelFileError(
            f"The space of the run is given by {', '.join(told) or 'nothing'} in the file, and "
            f"not by {', '.join(known)}."
        )
    clone(model).set_params(**space)._check_parameters()
    return {name: space[name] for name in known}


def _stream(n_classes: int, parts: Parts) -> Stream:
    """What had come."""
    fingerprint = parts.values.pop("fingerprint", None)
    if not (fingerprint is None or (isinstance(fingerprint, str) and fingerprint.isdecimal())):
        raise ModelFileError("The fingerprint of the data in the file is no number: it is damaged.")
    totals = parts.tensor("brought", (np.float64,), (n_classes,))
    if not (totals >= 0).all():
        raise ModelFileError("The tensor 'brought' has a negative number in it.")
    return Stream(
        totals,
        parts.count("n_seen"),
        parts.flag("streaming"),
        parts.flag("one_data_set"),
        None if fingerprint is None else int(fingerprint),
    )


def _ledger(model: MistakeDriven, run: State, n_classes: int, parts: Parts) -> Ledger:
    """What the run proves."""
    n_seen, w = run.stream.n_seen, run.weights
    machines = any(name.startswith("each.") for name in parts.tensors) and n_classes > 2
    most = n_seen * (n_classes if machines or "changes" in parts.tensors else 1)
    mistakes = parts.counts("mistakes", None, below=most + 1).tolist()
    if not mistakes or sum(mistakes) > most:
        raise ModelFileError(
            f"By the file {sum(mistakes)} mistakes were made in {len(mistakes)} passes over "
            f"{n_seen} examples in all, which cannot be."
        )
    parts.values.setdefault("step_ratio", encoded("step_ratio", np.inf))  # the first do not tell
    ledger = Ledger(mistakes=mistakes, step_ratio=parts.number("step_ratio", least=1.0))
    for name, called in OF_EACH.items():
        numbers = _numbers(parts, called, n_classes if machines else 1, name == "least")
        setattr(ledger, name, numbers)
    for name in NUMBERS:
        setattr(ledger, name, parts.number(name))
    if "start" in parts.tensors:
        ledger.start = declared_tensor(parts, "start", LIKE_WEIGHTS, w)
    if "updates" in parts.tensors:
        ledger.updates = parts.counts("updates", None, below=most + 1)
    if "shares" in parts.tensors and ledger.updates is not None:
        ledger.shares = parts.tensor("shares", (np.int32,), (len(ledger.updates), n_classes))
    if model._counts_updates:
        ledger.changes = parts.counts("changes", len(mistakes), below=most + 1).tolist()
        if sum(ledger.changes) > n_seen * len(w):
            raise ModelFileError(
                f"By the file {sum(ledger.changes)} updates were made on {n_seen} examples in all, "
                "which cannot be."
            )
    return ledger


def _numbers(parts: Parts, name: str, n: int, signed: bool) -> Array:
    """The number of the run, or those of its machines."""
    least = -np.inf if signed else 0.0
    if n == 1:
        return np.array([float(parts.number(name, least=least))])
    numbers = parts.tensor(f"each.{name}", (np.float64,), (n,))
    if not (numbers >= least).all():
        raise ModelFileError(f"The tensor 'each.{name}' has a negative number in it.")
    return numbers


# ------------------------------------------------------------- what learners keep of mistakes


def pack_mistakes(run: State, parts: Parts) -> None:
    """Put the mistakes of a voted perceptron into the parts."""
    made: Mistakes = run.history
    parts.tensors |= {
        "mistake.times": np.concatenate([np.zeros(0, np.int64), *made.times]),
        "mistake.steps": np.concatenate([np.zeros(0), *made.steps]),
        "mistake.rows": np.concatenate([np.zeros(0, np.int64), *made.rows]),
    }
    if run.many and made.gained:
        parts.tensors |= {
            "mistake.gained": np.concatenate(made.gained),
            "mistake.lost": np.concatenate(made.lost),
        }
    if made.support:
        support = made.stacked()
        names = ("data", "indices", "indptr") if sparse.issparse(support) else ()
        for name in names:
            parts.tensors[f"support.{name}"] = getattr(support, name)
        if not names:
            parts.tensors["support"] = support


def unpack_mistakes(run: State, parts: Parts) -> Mistakes:
    """The mistakes that were packed."""
    n = sum(run.ledger.mistakes)
    times = parts.counts("mistake.times", n, below=run.stream.n_seen)
    if not (np.diff(times) >= (0 if run.many else 1)).all():
        raise ModelFileError("The times of the mistakes in the file do not increase.")
    steps = parts.tensor("mistake.steps", (np.float64,), (n,))
    support = unpack_rows(parts, run.weights.shape[-1] - 1, VALUES) if n else None
    kept = 0 if support is None else support.shape[0]
    rows = parts.counts("mistake.rows", n, below=kept)
    if not n:
        return Mistakes()
    made = Mistakes([times], [steps], [support], [rows], n_kept=kept)
    if run.many:
        made.gained = [_classes(parts, "mistake.gained", n, len(run.weights))]
        made.lost = [_classes(parts, "mistake.lost", n, len(run.weights))]
    return made


def _classes(parts: Parts, name: str, n: int, n_classes: int) -> Array:
    """The numbers of classes, -1 for none."""
    classes = parts.tensor(name, (np.int32,), (n,))
    if not ((classes >= -1) & (classes < n_classes)).all():
        raise ModelFileError(f"The tensor {name!r} has a number that is out of range.")
    return classes


def unpack_rows(parts: Parts, width: int, dtypes: tuple[Any, ...]) -> Any:
    """The examples erred on, dense or sparse."""
    if "support" in parts.tensors:
        return parts.tensor("support", dtypes, (None, width))
    indptr = parts.tensor("support.indptr", INDICES, (None,))
    if not len(indptr):
        raise ModelFileError("The tensor 'support.indptr' is empty, and should begin with a 0.")
    indices = parts.tensor("support.indices", (indptr.dtype,), (None,))
    data = parts.tensor("support.data", dtypes, (len(indices),))
    sound = indptr[-1] == len(indices)
    if not sound or csr_state(indices.view(f"u{indices.itemsize}"), indptr, width) != IN_ORDER:
        raise ModelFileError("The sparse examples in the file point outside themselves.")
    support = sparse.csr_array((len(indptr) - 1, width), dtype=data.dtype)
    # set one by one: the constructor would narrow the indices
    support.data, support.indices, support.indptr = data, indices, indptr
    return support
