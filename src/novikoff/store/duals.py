"""The kernel machines, as tensors and JSON, and back with every part checked."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from novikoff.errors import ModelFileError, ParameterError
from novikoff.inputs.weights import require_meaning
from novikoff.learners.kernel import KernelPerceptron
from novikoff.learners.kernels.forgetron import Cycle
from novikoff.learners.kernels.gram import KERNELS, Kernel
from novikoff.learners.kernels.linear import Plain
from novikoff.learners.kernels.machine import DualLearner
from novikoff.learners.kernels.mistakes import Events
from novikoff.learners.kernels.run import DualLedger, DualState
from novikoff.learners.kernels.support import Support, n_outputs
from novikoff.learners.state import Stream
from novikoff.parameters import LARGEST, real, require
from novikoff.store.parts import MOST, Parts
from novikoff.store.records import pack_dual_record, unpack_dual_record
from novikoff.store.runs import unpack_rows
from novikoff.store.values import encoded

NUMBERS = ("longest", "largest")


def check_dual(model: DualLearner) -> None:
    """Raise a `ParameterError` for parameters without a meaning, and for functions."""
    if callable(model.kernel):
        raise ParameterError(
            "{kernel=} was given, but a model file holds no functions: use a kernel that has a "
            f"name ({', '.join(KERNELS)}), or pickle the model, which keeps the function's name.",
            kernel=model.kernel,
        )
    model._check_parameters()
    require_meaning(model.class_weight, model.classes_)
    check_random_state(model.random_state)


def pack_dual(model: DualLearner, parts: Parts) -> None:
    """Put all of a run into the parts."""
    run = model._state
    if run.kernel.function is not None:
        raise ParameterError("The model was fitted with a function, which no model file can hold.")
    kernel = run.kernel._asdict()
    del kernel["function"]
    parts.values["kernel"] = {name: encoded(name, value) for name, value in kernel.items()}
    parts.values["precision"] = run.dtype.name
    for name in (*NUMBERS, "step_ratio"):
        parts.values[name] = encoded(name, getattr(run.ledger, name))
    parts.values |= {
        "width": run.width,
        "n_seen": run.stream.n_seen,
        "streaming": run.stream.is_open,
    }
    parts.tensors |= {
        "squares": run.ledger.squares,
        "counts": run.ledger.counts,
        "total": run.ledger.total,
        "least": np.minimum(run.ledger.least, LARGEST),
        "brought": run.stream.class_totals,
        "mistakes": np.array(run.ledger.mistakes, np.int64),
        "updates": np.array(run.ledger.updates, np.int64),
    }
    if model.record:
        pack_dual_record(run.log, parts)
    if isinstance(run.support, Plain):
        parts.tensors["weights"] = run.support.W
        return
    _pack_support(run.support, parts)
    if isinstance(run.history, Cycle):
        parts.values |= {"budget": run.history.budget, "oldest": run.history.oldest}
    if isinstance(run.history, Events):
        columns = ("event.times", "event.rows", "event.outputs", "event.steps")
        parts.tensors |= dict(zip(columns, run.history.columns(), strict=True))


def _pack_support(support: Support, parts: Parts) -> None:
    n, rows = support.n, support.stacked()
    parts.tensors |= {
        "support.squares": support.squares[:n],
        "support.numbers": support.numbers[:n],
        "support.coef": support.coef[:n],
    }
    if sparse.issparse(rows):
        for name in ("data", "indices", "indptr"):
            parts.tensors[f"support.{name}"] = getattr(rows, name)
    elif rows is not None:
        parts.tensors["support"] = rows


def unpack_dual(model: DualLearner, parts: Parts) -> None:
    """Take a run out again, and give it to a model that has its parameters and `classes_`."""
    told = parts.values.pop("kernel", None)
    if not isinstance(told, dict):
        raise ModelFileError("The file lacks the kernel of the run: it is damaged.")
    about = Parts(dict(told))
    constants = {name: about.value(name) for name in ("name", "gamma", "degree", "coef0")}
    about.require_empty()
    for name, value in constants.items():
        model._parameters["kernel" if name == "name" else name].check(name, value)
    require("gamma", constants["gamma"], real(above=0.0))  # a run has one
    kernel = Kernel(**constants)
    dtype = parts.value("precision")
    if dtype not in ("float32", "float64"):
        raise ModelFileError(f"The precision in the file is {dtype!r:.40}, and not known.")
    width = parts.count("width")
    if not width:
        raise ModelFileError("The model in the file has no features.")
    K = n_outputs(model.classes_)
    n_seen = parts.count("n_seen")
    counts = parts.counts("counts", None, below=n_seen + 1)
    P = len(counts)
    if P != K and not (isinstance(model, KernelPerceptron) and K > 1 and P == 1):
        raise ModelFileError(f"The file counts the mistakes of {P} problems, and not of {K}.")
    squares = parts.tensor("squares", (np.float64,), (None,))
    if len(squares) == K > P == 1:  # once every class had its own, also where they learn jointly
        squares = squares.sum(keepdims=True)
    if len(squares) != P:
        raise ModelFileError(f"The file has {len(squares)} squared lengths, and not {P}.")
    parts.values.setdefault("step_ratio", 1.0)  # once all examples weighed 1
    steps = counts * (1.0 if isinstance(model, KernelPerceptron) else 0.0)  # Romma's are not added
    parts.tensors.setdefault("total", steps)
    parts.tensors.setdefault("brought", np.zeros(0))
    brought = parts.tensor("brought", (np.float64,), (None,))
    if len(brought) not in (0, len(model.classes_)) or not (brought >= 0).all():
        raise ModelFileError("The tensor 'brought' does not fit the classes.")
    total = parts.tensor("total", (np.float64,), (P,))
    if not ((total > 0) == (steps > 0)).all() or not (total >= 0).all():
        raise ModelFileError("The tensor 'total' is not the sum of as many steps as were counted.")
    most = n_seen * max(1, K) + 1
    mistakes = parts.counts("mistakes", None, below=most).tolist()
    updates = parts.counts("updates", len(mistakes), below=2 * most).tolist()
    if not mistakes or sum(mistakes) >= most:
        raise ModelFileError(
            f"By the file {sum(mistakes)} mistakes were made on {n_seen} examples, which cannot be."
        )
    model._state = DualState(
        kernel,
        width,
        np.dtype(dtype),
        _unpack_weights(model, kernel, width, np.dtype(dtype), parts),
        DualLedger(
            squares,
            counts,
            total,
            parts.tensor("least", (np.float64,), (P,)),
            mistakes,
            updates,
            float(parts.number("longest", most=LARGEST)),
            float(parts.number("largest", most=LARGEST)),
            parts.number("step_ratio", least=1.0),
        ),
        Stream(brought, n_seen, parts.flag("streaming")),
    )
    model._state.log = unpack_dual_record(model._state, len(model.classes_), parts)
    if isinstance(model, KernelPerceptron):
        on_budget = "budget" in parts.values
        model._state.history = (_unpack_cycle if on_budget else _unpack_events)(model._state, parts)
    model.n_features_in_ = width


def _unpack_weights(
    model: DualLearner, kernel: Kernel, width: int, dtype: np.dtype[Any], parts: Parts
) -> Support | Plain:
    K = n_outputs(model.classes_)
    if kernel.name == "linear" and not isinstance(model, KernelPerceptron):
        return Plain(parts.tensor("weights", (np.float64,), (K, width)))
    given = kernel.name == "precomputed"
    support = Support(K, keeps_rows=not given)
    support.numbers = parts.counts("support.numbers", None, below=width if given else MOST)
    support.n = n = len(support.numbers)
    support.squares = parts.tensor("support.squares", (np.float64,), (n,))
    if n and not support.squares.min() >= 0:
        raise ModelFileError("The tensor 'support.squares' has a negative number in it.")
    support.coef = parts.tensor("support.coef", (np.float64,), (n, K))
    if not given and n:
        rows = unpack_rows(parts, width, (dtype,))
        if rows.shape[0] != n:
            raise ModelFileError(f"The file has {rows.shape[0]} rows in its support, and not {n}.")
        support.put(rows)
    return support


def _unpack_cycle(run: DualState, parts: Parts) -> Cycle:
    budget, oldest = parts.count("budget"), parts.count("oldest")
    n = run.support.n
    if not max(n, 1) <= budget or not oldest < max(n, 1) or (oldest and n < budget):
        raise ModelFileError(f"The file keeps {n} rows on a budget of {budget}, which cannot be.")
    if not run.ledger.squares.sum() >= 0:
        raise ModelFileError("The tensor 'squares' has a negative number in it.")
    if len(run.ledger.counts) > 1:
        raise ModelFileError("The file has a budget for classes against the rest, as no model has.")
    return Cycle(budget, oldest)


def _unpack_events(run: DualState, parts: Parts) -> Events:
    times = parts.counts("event.times", None, below=run.stream.n_seen)
    if not (np.diff(times) >= 0).all():
        raise ModelFileError("The times of the updates in the file do not increase.")
    n = len(times)
    rows = parts.counts("event.rows", n, below=run.support.n)
    outputs = parts.counts("event.outputs", n, below=run.outputs)
    steps = parts.tensor("event.steps", (np.float64,), (n,))
    return Events(times, rows, outputs, steps, n)


def summary_of_dual(model: DualLearner) -> dict[str, Any]:
    """What a reader would like to know of the training."""
    run = model._state
    summary: dict[str, Any] = {
        "examples": run.stream.n_seen,
        "passes": model.n_iter_,
        "mistakes": model.n_mistakes_,
        "converged": model.converged_,
        "radius": encoded("radius", model.radius_),
    }
    if isinstance(run.support, Support):
        summary["support"] = run.support.n
    if isinstance(model, KernelPerceptron) and len(model.classes_) > 1:
        margin = model.margin_
        summary["margin_lower"] = encoded("margin_lower", margin.lower)
        summary["margin_upper"] = encoded("margin_upper", margin.upper)
    return summary
