"""What a worker does: read a shard, look at it, and pass over it once from given weights.

All of it are pure functions of their arguments: whoever computes them, and however often, the
result is the same. So dask may compute anything again after a worker was lost.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from sklearn.base import clone

from novikoff import __version__
from novikoff.cluster import survey
from novikoff.cluster.mix import Change, Mix, added, change_of
from novikoff.cluster.sources import FileShard, Shard
from novikoff.cluster.survey import Layout
from novikoff.data.results import Data
from novikoff.errors import ClusterError, DataError
from novikoff.inputs.arrays import read, size_of
from novikoff.inputs.labels import codes
from novikoff.inputs.weights import example_weights
from novikoff.learners.additive import Additive
from novikoff.learners.state import Ledger
from novikoff.typing import Array, Matrix

if TYPE_CHECKING:
    from distributed import Worker

T = TypeVar("T")


@dataclass(frozen=True)
class Setting:
    """What every epoch of every shard has in common. It is small, and goes with each task."""

    model: Additive
    """The estimator, not fitted."""
    layout: Layout
    mixing: str
    seed: int
    averaged: bool
    version: str = __version__


class Told(NamedTuple):
    """What one epoch over a shard came to, in numbers."""

    ledger: Ledger
    """What it proves, but for what is there of every example."""
    n_seen: int
    n_bytes: int
    """What the change takes on its way."""
    seconds: float
    reading: float
    """Of these, the seconds it took to read the shard."""


class Learned(NamedTuple):
    """What one epoch over a shard came to."""

    change: Change
    told: Told


class Ready(NamedTuple):
    """The examples of a shard as the loops read them."""

    X: Matrix
    y: Array
    weight: Array | None


Make = Callable[[Shard, Data], Any]
"""What makes the examples of a shard ready for the tasks to come."""


class Kept:
    """The examples of a shard in the memory of a worker: as loaded, or made ready.

    They take room there, which dask is told. If this is sent elsewhere, or put aside for want of
    memory, only the description of a file goes: where it is used again, it is read again.
    """

    def __init__(self, shard: Shard, make: Make | None, examples: Any) -> None:
        self.shard, self.make, self.examples = shard, make, examples
        self.n_bytes = size_of(examples.X)

    def get(self) -> Any:
        """The examples, read again if they are not here."""
        if self.examples is None:
            self.examples = examples_of(self.shard, None, self.make)
        return self.examples

    def __getstate__(self) -> dict[str, object]:
        from_file = isinstance(self.shard, FileShard)
        return vars(self) | ({"examples": None} if from_file else {})

    def __sizeof__(self) -> int:
        return 64 + self.n_bytes


def examples_of(shard: Shard, kept: Kept | None, make: Make | None, *given: object) -> Any:
    """The examples of a shard: those that are held, or if there are none, read and made ready."""
    if kept is not None:
        return kept.get()
    data = shard.load(*given)
    return data if make is None else make(shard, data)


def load(shard: Shard, kept: None, *given: object) -> Kept:
    """Read a shard, to be held."""
    return Kept(shard, None, shard.load(*given))


def look(shard: Shard, kept: Kept | None, *given: object) -> Layout:
    """What is in a shard."""
    return survey.look(shard, examples_of(shard, kept, None, *given))


def prepare(shard: Shard, kept: Kept, make: Make, *given: object) -> Kept:
    """Make a shard that is held ready where it is."""
    return Kept(shard, make, make(shard, kept.get()))


def same(x: T) -> T:
    """What is sent once, for all shards."""
    return x


def ready(shard: Shard, data: Data, setting: Setting) -> Ready:
    """The examples of a shard as the loops read them."""
    layout = setting.layout
    data = survey.settled(shard, data, layout)
    y = codes(data.y, layout.classes)
    if not len(y):
        return Ready(data.X, y, None)
    model = clone(setting.model)
    try:
        X = read(model, data.X, reset=True)
        model._require_sound(X, model._space())
        weight = example_weights(y, layout.classes, model.class_weight, data.weight)
    except DataError as error:
        raise error.about(shard.name) from None
    return Ready(X, y, weight)


def begin(setting: Setting) -> Mix:
    """The weights before the first epoch: 0."""
    layout = setting.layout
    shape = (layout.n_vectors, layout.n_features + 1)
    w = np.zeros(shape, np.float32 if layout.single else np.float64)
    return Mix(w, np.zeros(shape) if setting.averaged else None)


def learn(
    shard: Shard, kept: Kept | None, setting: Setting, state: Mix, epoch: int, *given: object
) -> Learned:
    """Pass over a shard once, from the mixed weights."""
    if setting.version != __version__:
        raise ClusterError(
            f"A worker has novikoff {__version__}, but the run was started by {setting.version}: "
            "install the same version everywhere."
        )
    started = time.perf_counter()
    X, y, weight = examples_of(shard, kept, partial(ready, setting=setting), *given)
    read_at = time.perf_counter()
    model, w = clone(setting.model), state.w
    if not len(y):
        return _nothing(w, setting)
    mixed = np.random.SeedSequence((setting.seed, epoch, shard.number))
    model.set_params(max_iter=1, random_state=int(mixed.generate_state(1)[0]))
    n_classes = len(setting.layout.classes)
    run = model._train(X, y, weight, n_classes, w[..., :-1], w[..., -1])
    n, made = run.stream.n_seen, run.ledger
    share = float(made.mistakes[0] if setting.mixing == "mistakes" else n > 0)
    after = np.ascontiguousarray(run.weights)
    change = change_of(w, after, run.extra["tally"] if setting.averaged else None, share, n)
    ledger = Ledger(
        made.total,
        made.least,
        mistakes=made.mistakes,
        length=made.length,
        reach=model._reach(run),
        largest=made.largest,
    )
    seconds = time.perf_counter() - started
    return Learned(change, Told(ledger, n, change.__sizeof__(), seconds, read_at - started))


def _nothing(w: Array, setting: Setting) -> Learned:
    """What comes of a shard without examples."""
    zero = np.zeros(len(w) if setting.model._machines(setting.model._space()) else 1)
    none = np.zeros((*w.shape[:-1], 0))
    change = Change(np.zeros(0, np.int64), none, none if setting.averaged else None, 0.0, 0)
    return Learned(change, Told(Ledger(zero, zero + np.inf, mistakes=[0]), 0, 0, 0.0, 0.0))


def mix(width: int, *parts: Learned | Change) -> Change:
    """Some neighbours in the tree, added up."""
    return added([p.change if isinstance(p, Learned) else p for p in parts], width)


class Standing(NamedTuple):
    """How a worker is."""

    memory_limit: int | None
    full: bool
    """Has dask paused it, or will at its next look at its memory, every tenth of a second?"""
    sent: int
    """How often it has sent something,"""
    lately: list[int]
    """and how many bytes went over the wire, of the last times, as dask logs them."""


def standing(dask_worker: "Worker") -> Standing:
    """How the worker is that computes this."""
    log = getattr(dask_worker, "transfer_outgoing_log", ())
    manager = dask_worker.memory_manager
    limit, share = manager.memory_limit, manager.memory_pause_fraction
    used = dask_worker.monitor.get_process_memory()
    return Standing(
        limit,
        dask_worker.status.name == "paused" or bool(limit and share and used > share * limit),
        int(getattr(dask_worker, "transfer_outgoing_count_total", 0)),
        [int(entry.get("compressed") or 0) for entry in list(log)],
    )
