"""The state of a run, as tensors and JSON, and back with every part checked."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.errors import ModelFileError
from novikoff.inputs import IN_ORDER, csr_state
from novikoff.learners.averaged import mean_weights
from novikoff.learners.base import MistakeDriven
from novikoff.learners.parameters import LARGEST
from novikoff.learners.run import Run
from novikoff.learners.voted import Mistakes
from novikoff.store.parts import MOST, Parts
from novikoff.store.values import decoded, encoded

Array = npt.NDArray[Any]

WEIGHTS = (np.float64, np.float32)
VALUES = (*WEIGHTS, np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32)
"""The types of kept examples; whole numbers of other types than bytes are in older files only."""
INDICES = (np.int32, np.int64)


# ------------------------------------------------------------- runs

NUMBERS = ("length", "reach", "total", "private", "largest")
"""Those of a run that cannot be negative."""
OF_EACH = ("total", "private")
"""Those that each machine has, if there is one a class."""


def pack_run(run: Run, parts: Parts) -> None:
    """Put all of a run into the parts, but for its memory.

    And but for the mean, which follows from the weights and the memory.
    """
    parts.values["space"] = {name: encoded(name, value) for name, value in run.space.items()}
    for name in ("n_seen", *NUMBERS, "step_ratio", "least", "one_data_set", "streaming"):
        value = getattr(run, name)
        if np.ndim(value):  # of each machine; what is not known yet is infinite
            parts.tensors[f"each.{name}"] = np.minimum(value, LARGEST)
        else:
            parts.values[name] = encoded(name, value)
    if run.fingerprint is not None:
        parts.values["fingerprint"] = str(run.fingerprint)
    parts.tensors |= {
        "weights": run.w,
        "mistakes": np.array(run.mistakes, np.int64),
        "brought": run.brought,
    }
    if run.changes is not None:
        parts.tensors["changes"] = np.array(run.changes, np.int64)
    for name in ("start", "updates", "shares", "beside", "counts"):
        if getattr(run, name) is not None:
            parts.tensors[name] = getattr(run, name)


def unpack_run(parts: Parts, n_classes: int, *, many: bool) -> Run:
    """The run that was packed, of so many classes."""
    if n_classes != 2 and not many:
        raise ModelFileError(f"The file has {n_classes} classes, and its learner learns two.")
    space = parts.values.pop("space", None)
    if not isinstance(space, dict):
        raise ModelFileError("The file lacks the space of the run: it is damaged.")
    shape = (None,) if n_classes <= 2 else (n_classes, None)
    w = parts.tensor("weights", WEIGHTS, shape)
    if w.shape[-1] < 2:
        raise ModelFileError("The model in the file has no features.")
    n_seen = parts.count("n_seen")
    machines = any(name.startswith("each.") for name in parts.tensors) and n_classes > 2
    most = n_seen * (n_classes if machines or "changes" in parts.tensors else 1)
    mistakes = parts.counts("mistakes", None, below=most + 1).tolist()
    if not mistakes or sum(mistakes) > most:
        raise ModelFileError(
            f"By the file {sum(mistakes)} mistakes were made in {len(mistakes)} passes over "
            f"{n_seen} examples in all, which cannot be."
        )
    start, updates = None, None
    if "start" in parts.tensors:
        start = parts.tensor("start", (w.dtype,), w.shape)
    if "updates" in parts.tensors:
        updates = parts.counts("updates", None, below=most + 1)
    shares = None
    if "shares" in parts.tensors and updates is not None:
        shares = parts.tensor("shares", (np.int32,), (len(updates), n_classes))
    fingerprint = parts.values.pop("fingerprint", None)
    if not (fingerprint is None or (isinstance(fingerprint, str) and fingerprint.isdecimal())):
        raise ModelFileError("The fingerprint of the data in the file is no number: it is damaged.")
    brought = parts.tensor("brought", (np.float64,), (n_classes,))
    if not (brought >= 0).all():
        raise ModelFileError("The tensor 'brought' has a negative number in it.")
    numbers = {
        name: _number(parts, name, n_classes, machines and name in OF_EACH) for name in NUMBERS
    }
    parts.values.setdefault("step_ratio", encoded("step_ratio", np.inf))  # the first do not tell
    numbers["step_ratio"] = parts.number("step_ratio", least=1.0)
    return Run(
        w,
        {name: decoded(name, value) for name, value in space.items()},
        start=start,
        mistakes=mistakes,
        n_seen=n_seen,
        least=_number(parts, "least", n_classes, machines, least=-np.inf),
        one_data_set=parts.flag("one_data_set"),
        fingerprint=None if fingerprint is None else int(fingerprint),
        updates=updates,
        shares=shares,
        brought=brought,
        streaming=parts.flag("streaming"),
        **numbers,
    )


def _number(parts: Parts, name: str, n: int, of_each: bool, *, least: float = 0.0) -> Any:
    """A number of the run, or those of its machines."""
    if not of_each:
        return parts.number(name, least=least)
    numbers = parts.tensor(f"each.{name}", (np.float64,), (n,))
    if not (numbers >= least).all():
        raise ModelFileError(f"The tensor 'each.{name}' has a negative number in it.")
    return numbers


def unpack_kept(model: MistakeDriven, run: Run, parts: Parts) -> None:
    """What the learner of this run counts and keeps beside its mistakes and its weights."""
    if model._counts_updates:
        most = run.n_seen * (len(run.w) if run.w.ndim > 1 else 1)
        changes = parts.counts("changes", len(run.mistakes), below=most + 1).tolist()
        if sum(changes) > most:
            raise ModelFileError(
                f"By the file {sum(changes)} updates were made on {run.n_seen} examples in all, "
                "which cannot be."
            )
        run.changes = changes
    like = model._beside_like(run.space, run.w)
    if like is None:
        return
    kept = parts.tensor("beside", (like.dtype, run.w.dtype), like.shape)
    run.beside = kept.astype(like.dtype, copy=False)  # full covariances once were like the weights
    if not (run.beside >= like.least).all():
        raise ModelFileError(f"The tensor 'beside' has a number below {like.least:g} in it.")
    if like.n_counts:
        run.counts = parts.tensor("counts", (np.float64,), (like.n_counts,))
        if not ((run.counts >= 0) & (run.counts <= MOST)).all():
            raise ModelFileError("The tensor 'counts' has a number that is out of range.")


# ------------------------------------------------------------- what learners keep of mistakes


class Memory(NamedTuple):
    """How what a learner keeps of its mistakes is packed and unpacked."""

    pack: Callable[[Run, Parts], None]
    unpack: Callable[[Run, Parts], Any]


NOTHING = Memory(lambda run, parts: None, lambda run, parts: None)


def _pack_tally(run: Run, parts: Parts) -> None:
    parts.tensors["tally"] = run.memory


def _unpack_tally(run: Run, parts: Parts) -> Array:
    tally = parts.tensor("tally", (np.float64,), run.w.shape)
    with np.errstate(over="ignore"):
        mean = mean_weights(run.w, tally, run.n_seen)
    if not np.isfinite(mean).all():
        raise ModelFileError(f"The averaged weights in the file leave the range of {run.w.dtype}.")
    return tally


TALLY = Memory(_pack_tally, _unpack_tally)
"""The sum $u$ of the averaged perceptron."""


def _pack_mistakes(run: Run, parts: Parts) -> None:
    made: Mistakes = run.memory
    parts.tensors |= {
        "mistake.times": np.concatenate([np.zeros(0, np.int64), *made.times]),
        "mistake.steps": np.concatenate([np.zeros(0), *made.steps]),
        "mistake.rows": np.concatenate([np.zeros(0, np.int64), *made.rows]),
    }
    if run.w.ndim > 1 and made.gained:
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


def _unpack_mistakes(run: Run, parts: Parts) -> Mistakes:
    n = sum(run.mistakes)
    times = parts.counts("mistake.times", n, below=run.n_seen)
    if not (np.diff(times) >= (0 if run.w.ndim > 1 else 1)).all():
        raise ModelFileError("The times of the mistakes in the file do not increase.")
    steps = parts.tensor("mistake.steps", (np.float64,), (n,))
    support = unpack_rows(parts, run.w.shape[-1] - 1, VALUES) if n else None
    kept = 0 if support is None else support.shape[0]
    rows = parts.counts("mistake.rows", n, below=kept)
    if not n:
        return Mistakes()
    made = Mistakes([times], [steps], [support], [rows], n_kept=kept)
    if run.w.ndim > 1:
        made.gained = [_classes(parts, "mistake.gained", n, len(run.w))]
        made.lost = [_classes(parts, "mistake.lost", n, len(run.w))]
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


MISTAKES = Memory(_pack_mistakes, _unpack_mistakes)
"""The mistakes of the voted perceptron."""
