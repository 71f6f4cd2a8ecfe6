"""What a run knows, as tensors and JSON, and back with every part checked.

The tables say what is kept of a ledger, a stream, a support and a history, in the order in which it
is written; what has to hold between the parts is said where they are read. In shapes, `m` are the
weight vectors of a linear model and `d` its features with the bias; `outputs` and `problems` are
the weight vectors and the problems of a kernel machine, and `kept` the examples erred on.
"""

from functools import partial

import numpy as np

from novikoff.errors import ModelFileError, ParameterError
from novikoff.learners import KernelPerceptron, VotedPerceptron
from novikoff.learners.additive import Additive
from novikoff.learners.averaged import AveragedPerceptron, mean_weights
from novikoff.learners.base import MistakeDriven
from novikoff.learners.kernels.forgetron import Cycle
from novikoff.learners.kernels.gram import Kernel
from novikoff.learners.kernels.linear import Plain
from novikoff.learners.kernels.machine import DualLearner
from novikoff.learners.kernels.mistakes import Events
from novikoff.learners.kernels.run import DualLedger, DualState
from novikoff.learners.kernels.support import Support, n_outputs
from novikoff.learners.state import WEIGHTS, Field, Ledger, Lengths, State, Stream
from novikoff.learners.voted import Mistakes
from novikoff.parameters import LARGEST
from novikoff.store.fields import (
    MOST,
    Numbers,
    Parts,
    Table,
    Tensor,
    Value,
    counts,
    doubles,
    give,
    put,
    put_rows,
    take,
    take_rows,
)
from novikoff.store.updates import put_updates, take_updates
from novikoff.store.values import decoded, encoded
from novikoff.typing import Array

FLOATS = (np.float64, np.float32)
KEPT = (*FLOATS, np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32)
"""The types of kept examples; whole numbers of other types than bytes are in older files only."""
ADDED = {
    "margin": 0.0,
    "record": False,
    "multi_class": "joint",
    "n_jobs": None,
    "class_weight": None,
}
"""Parameters that files, or files of earlier versions, lack, and what they are."""
NAMES = {"covariance": "beside", "exponents": "beside", "pocket": "beside"}
"""What is kept beside the weights, where files have another name for it."""


def _double(parts: Parts, name: str) -> float:
    return float(parts.number(name, most=LARGEST))


RATIO = Value("step_ratio", partial(Parts.number, least=1.0))
SEEN, OPEN = Value("n_seen", Parts.count), Value("streaming", Parts.flag, "is_open")
TOTALS = Tensor("brought", doubles("classes", least=0.0), attribute="class_totals")
MISTAKES = Tensor("mistakes", counts("passes"), "visits+1", listed=True)

LEDGER: Table = (
    Value("length", Parts.number),
    Value("reach", Parts.number),
    Value("largest", Parts.number),
    RATIO,
    Numbers("total"),
    Numbers("private", attribute="own_squares"),
    Numbers("least", least=-np.inf),
    MISTAKES,
    Tensor("start", WEIGHTS, optional=True),
    Tensor("updates", counts("examples"), "visits+1", optional=True),
    Tensor("shares", Field(("examples", "classes"), np.int32), optional=True),
)
LENGTHS: Table = (
    Value("measured.n", Parts.count),
    Value("measured.total", Parts.number),
    Value("measured.mean", Parts.number),
    Value("measured.known", Parts.flag),
)
CHANGES: Table = (Tensor("changes", counts("passes"), "visits+1", listed=True),)
STREAM: Table = (SEEN, Value("one_data_set", Parts.flag), OPEN, TOTALS)
VOTERS: Table = (
    Tensor("mistake.times", counts("mistakes"), "n_seen"),
    Tensor("mistake.steps", doubles("mistakes")),
    Tensor("mistake.rows", counts("mistakes"), "kept"),
)
CLASSES: Table = tuple(
    Tensor(f"mistake.{name}", Field(("mistakes",), np.int32, -1), "m")
    for name in ("gained", "lost")
)

KERNEL: Table = (
    Value("gamma", Parts.number),
    Value("degree", Parts.count),
    Value("coef0", Parts.number),
)
DUAL_LEDGER: Table = (
    Value("longest", _double),
    Value("largest", _double),
    RATIO,
    Value("margin", _double),
    Tensor("counts", counts("problems"), "n_seen+1"),
    Tensor("squares", doubles("problems")),
    Tensor("total", doubles("problems", least=0.0)),
    Tensor("least", doubles("problems", most=LARGEST)),
    MISTAKES,
    Tensor("updates", counts("passes"), "2*visits+2", listed=True),
)
DUAL_STREAM: Table = (SEEN, OPEN, TOTALS)
WIDTH: Table = (Value("width", Parts.count),)
SUPPORT: Table = (
    Tensor("support.numbers", counts("kept"), "given"),
    Tensor("support.squares", doubles("kept", least=0.0)),
    Tensor("support.coef", doubles("kept", "outputs")),
)
CYCLE: Table = (Value("budget", Parts.count), Value("oldest", Parts.count))
EVENTS: Table = (
    Tensor("event.times", counts("events"), "n_seen"),
    Tensor("event.rows", counts("events"), "kept"),
    Tensor("event.outputs", counts("events"), "outputs"),
    Tensor("event.steps", doubles("events")),
)


# ------------------------------------------------------------- linear learners


def put_run(
    model: MistakeDriven, parts: Parts, ledger: Table = LEDGER, stream: Table = STREAM
) -> None:
    """Put what a run proves into the parts, what it has seen, and the space it is in."""
    run, chosen = model._state, model.get_params(deep=False)
    space = {name: encoded(name, value) for name, value in run.space.items() if name in chosen}
    parts.values["space"] = space
    put(ledger, run.ledger, parts)
    put(CHANGES if model._counts_updates(run.space) else (), run.ledger, parts)
    put(LENGTHS if model._measures(run.space) else (), run.ledger.lengths, parts)
    put(stream, run.stream, parts)


def put_linear(model: MistakeDriven, parts: Parts) -> None:
    """Put what a linear learner learned into the parts: all of it is in its state.

    But for the mean, which follows from the weights and their tally.
    """
    run = model._state
    put_run(model, parts)
    if run.stream.fingerprint is not None:
        parts.values["fingerprint"] = str(run.stream.fingerprint)
    Tensor("weights", WEIGHTS).put(parts, run.weights)
    for name, one in run.declared.items():
        beside(name, one).put(parts, run.extra[name])
    if isinstance(model, VotedPerceptron):
        put(VOTERS, run.history, parts)
        put(CLASSES if run.many and run.history.gained else (), run.history, parts)
        put_rows(run.history.stacked() if run.history.support else None, parts)
    if model.record:
        put_updates(run, parts)


def take_linear(model: MistakeDriven, parts: Parts) -> None:
    """Take it out again, and give it to a model that has its parameters and `classes_`."""
    K = len(model.classes_)
    if K != 2 and not model._takes_many_classes:
        raise ModelFileError(f"The file has {K} classes, and its learner learns two.")
    space, m = take_space(model, parts), K if K > 2 else 1
    w = parts.tensor("weights", FLOATS, ("d",) if m == 1 else (m, "d")).reshape(m, -1)
    d = w.shape[1]
    if d < 2:
        raise ModelFileError("The model in the file has no features.")
    parts.precision = w.dtype
    parts.sizes |= {"m": m, "d+1": d + 1, "classes": K}
    stream = Stream(**take(STREAM, parts), fingerprint=_fingerprint(parts))
    run = State(space, w, declared=model._declared(space), stream=stream)
    run.ledger = take_ledger(model, run, parts)
    run.extra = {name: beside(name, one).take(parts) for name, one in run.declared.items()}
    if isinstance(model, AveragedPerceptron):
        with np.errstate(over="ignore"):
            mean = mean_weights(w, run.extra["tally"], stream.n_seen)
        if not np.isfinite(mean).all():
            raise ModelFileError(f"The averaged weights in the file leave the range of {w.dtype}.")
    if isinstance(model, VotedPerceptron):
        run.history = _voters(run, parts)
    run.log = take_updates(run, K, parts, model._recorder(run))
    model._state, model.n_features_in_ = run, d - 1


def beside(name: str, one: Field) -> Tensor:
    """What a learner keeps beside its weights."""
    called = NAMES.get(name, name)
    return Tensor(called, one, once_like_weights=called == "beside")


def _fingerprint(parts: Parts) -> int | None:
    """A number that may be too long for others than Python, so that it is text."""
    digits = parts.values.pop("fingerprint", None)
    if not (digits is None or (isinstance(digits, str) and digits.isdecimal())):
        raise ModelFileError("The fingerprint of the data in the file is no number: it is damaged.")
    return None if digits is None else int(digits)


def take_space(model: MistakeDriven, parts: Parts) -> dict[str, object]:
    """The space of the run, in the order in which its options are written.

    What cannot be chosen is in no file.
    """
    told, known = parts.object("space", "the space").values, model._space()
    chosen = [name for name in known if name in model.get_params(deep=False)]
    space = {name: ADDED[name] for name in chosen if name in ADDED}
    space |= {name: decoded(name, value) for name, value in told.items()}
    if space.keys() != {*chosen}:
        raise ModelFileError(
            f"The space of the run is given by {', '.join(told) or 'nothing'} in the file, and "
            f"not by {', '.join(chosen)}."
        )
    type(model)(**model.get_params(deep=False) | space)._check_parameters()
    return {name: space.get(name, value) for name, value in known.items()}


def take_ledger(model: MistakeDriven, run: State, parts: Parts, table: Table = LEDGER) -> Ledger:
    """What the run proves."""
    n_seen, changes = run.stream.n_seen, model._counts_updates(run.space)
    n_classes = len(model.classes_)
    machines = isinstance(model, Additive) and model._machines(model._space()) and n_classes > 2
    visits = n_seen * (n_classes if machines or changes else 1)
    parts.sizes |= {"machines": n_classes if machines else 1}
    parts.sizes |= {"n_seen": n_seen, "visits+1": visits + 1}
    parts.values.setdefault("step_ratio", encoded("step_ratio", np.inf))  # the first do not tell
    ledger = Ledger(**take(table + (CHANGES if changes else ()), parts))
    if model._measures(run.space):
        ledger.lengths = Lengths(**take(LENGTHS, parts))
    _require_mistakes(ledger.mistakes, n_seen, visits)
    if ledger.shares is not None and ledger.updates is None:
        raise ModelFileError("The file has 'shares', which does not belong there.")
    most = n_seen * parts.sizes["m"]
    if ledger.changes is not None and sum(ledger.changes) > most:
        raise ModelFileError(
            f"By the file {sum(ledger.changes)} updates were made on {n_seen} examples in all, "
            "which cannot be."
        )
    return ledger


def _require_mistakes(mistakes: list[int], n_seen: int, visits: int) -> None:
    """There can be one at every visit, and there was a pass."""
    if not mistakes or sum(mistakes) > visits:
        raise ModelFileError(
            f"By the file {sum(mistakes)} mistakes were made in {len(mistakes)} passes over "
            f"{n_seen} examples in all, which cannot be."
        )


def _voters(run: State, parts: Parts) -> Mistakes:
    """The mistakes of a voted perceptron."""
    n = parts.sizes["mistakes"] = run.ledger.n_changes
    support = [take_rows(parts, run.weights.shape[1] - 1, KEPT)] if n else []
    parts.sizes.setdefault("kept", 0)
    columns = take(VOTERS + (CLASSES if n and run.many else ()), parts)
    if not (np.diff(columns["times"]) >= (0 if run.many else 1)).all():
        raise ModelFileError("The times of the mistakes in the file do not increase.")
    made = Mistakes(support=support, n_kept=parts.sizes["kept"])
    for name, column in columns.items():
        setattr(made, name, [column] if n else [])
    return made


# ------------------------------------------------------------- kernel machines


def put_dual(model: DualLearner, parts: Parts) -> None:
    """Put what a kernel machine learned into the parts."""
    run = model._state
    if run.kernel.function is not None:
        raise ParameterError("The model was fitted with a function, which no model file can hold.")
    kernel = run.kernel._asdict()
    del kernel["function"]
    parts.values["kernel"] = {name: encoded(name, value) for name, value in kernel.items()}
    parts.values["precision"] = run.dtype.name
    put(DUAL_LEDGER, run.ledger, parts)
    put(LENGTHS if run.ledger.margin else (), run.ledger.lengths, parts)
    put(WIDTH, run, parts)
    put(DUAL_STREAM, run.stream, parts)
    if model.record:
        put_updates(run, parts)
    if isinstance(run.support, Plain):
        parts.tensors["weights"] = run.support.W
        return
    put(SUPPORT, run.support, parts)
    put_rows(run.support.stacked(), parts)
    if run.history is not None:
        put(CYCLE if isinstance(run.history, Cycle) else EVENTS, run.history, parts)


def take_dual(model: DualLearner, parts: Parts) -> None:
    """Take it out again, and give it to a model that has its parameters and `classes_`."""
    about = parts.object("kernel", "the kernel")
    kernel = Kernel(about.value("name"), **take(KERNEL, about))
    about.require_empty()
    for name, value in zip(("kernel", "gamma", "degree", "coef0"), kernel, strict=False):
        model._parameters[name].check(name, value)
    precision = parts.value("precision")
    if precision not in ("float32", "float64"):
        raise ModelFileError(f"The precision in the file is {precision!r:.40}, and not known.")
    width, K = take(WIDTH, parts)["width"], n_outputs(model.classes_)
    if not width:
        raise ModelFileError("The model in the file has no features.")
    parts.precision = np.dtype(precision)
    parts.sizes |= {"width": width, "outputs": K}
    _fill_in(model, K, parts)
    stream = Stream(**take(DUAL_STREAM, parts))
    n_seen, visits = stream.n_seen, stream.n_seen * max(1, K)
    parts.sizes |= {"n_seen": n_seen, "n_seen+1": n_seen + 1}
    parts.sizes |= {"visits+1": visits + 1, "2*visits+2": 2 * visits + 2}
    ledger = DualLedger(**take(DUAL_LEDGER, parts))
    if ledger.margin:
        ledger.lengths = Lengths(**take(LENGTHS, parts))
    _require_mistakes(ledger.mistakes, n_seen, visits)
    P = len(ledger.counts)
    if P != K and not (isinstance(model, KernelPerceptron) and K > 1 and P == 1):
        raise ModelFileError(f"The file counts the mistakes of {P} problems, and not of {K}.")
    if not ((ledger.total > 0) == (_steps(model, ledger.counts) > 0)).all():
        raise ModelFileError("The tensor 'total' is not the sum of as many steps as were counted.")
    support = _support(model, kernel, parts)
    run = DualState(kernel, width, parts.precision, support, ledger, stream)
    run.log = take_updates(run, len(model.classes_), parts)
    if isinstance(model, KernelPerceptron):
        run.history = _cycle(run, parts) if "budget" in parts.values else _events(parts)
    model._state, model.n_features_in_ = run, width


def _fill_in(model: DualLearner, K: int, parts: Parts) -> None:
    """What older files lack, or had otherwise."""
    parts.values.setdefault("step_ratio", 1.0)  # once all examples weighed 1
    parts.values.setdefault("margin", 0.0)  # once there was none
    totals = parts.tensors.setdefault("brought", np.zeros(0))
    parts.sizes["classes"] = len(model.classes_) if totals.size else 0
    made, squares = (parts.tensors.get(name, np.zeros(0)) for name in ("counts", "squares"))
    parts.tensors.setdefault("total", _steps(model, made))
    if made.shape == (1,) and squares.shape == (K,) and squares.dtype == np.float64:
        with np.errstate(all="ignore"):  # every class had its own, also where they learn jointly
            parts.tensors["squares"] = squares.sum(keepdims=True)


def _steps(model: DualLearner, made: Array) -> Array:
    """The steps of so many mistakes of weight 1; those of Romma are not added."""
    return made * (1.0 if isinstance(model, KernelPerceptron) else 0.0)


def _support(model: DualLearner, kernel: Kernel, parts: Parts) -> Support | Plain:
    """The rows that predict; of a linear kernel that needs none, the weights."""
    width, K = parts.sizes["width"], parts.sizes["outputs"]
    if kernel.name == "linear" and not isinstance(model, KernelPerceptron):
        return Plain(parts.tensor("weights", (np.float64,), ("outputs", "width")))
    given = kernel.name == "precomputed"
    support = Support(K, keeps_rows=not given)
    parts.sizes["given"] = width if given else MOST
    give(SUPPORT, support, parts)
    support.n = parts.sizes["kept"]
    if support.n and not given:
        support.put(take_rows(parts, width, (parts.precision,)))
    return support


def _cycle(run: DualState, parts: Parts) -> Cycle:
    cycle, n = Cycle(**take(CYCLE, parts)), run.support.n
    if (
        not max(n, 1) <= cycle.budget
        or not cycle.oldest < max(n, 1)
        or (cycle.oldest and n < cycle.budget)
    ):
        raise ModelFileError(
            f"The file keeps {n} rows on a budget of {cycle.budget}, which cannot be."
        )
    if not run.ledger.squares.sum() >= 0:
        raise ModelFileError("The tensor 'squares' has a negative number in it.")
    if len(run.ledger.counts) > 1:
        raise ModelFileError("The file has a budget for classes against the rest, as no model has.")
    return cycle


def _events(parts: Parts) -> Events:
    columns = take(EVENTS, parts)
    if not (np.diff(columns["times"]) >= 0).all():
        raise ModelFileError("The times of the updates in the file do not increase.")
    return Events(**columns, n=parts.sizes["events"])
