"""What a worker does: read a shard, look at it, and pass over it once from given weights.

All of it are pure functions of their arguments: whoever computes them, and however often, the
result is the same. So dask may compute anything again after a worker was lost.
"""

import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from novikoff import __version__
from novikoff.cluster import surveying
from novikoff.cluster.mixing import Change, State, added, advanced, change_of
from novikoff.cluster.sources import FileShard, Shard
from novikoff.cluster.surveying import Layout, Seen
from novikoff.data.results import Data
from novikoff.errors import ClusterError, DataError
from novikoff.inputs.arrays import read, size_of
from novikoff.inputs.labels import codes
from novikoff.inputs.weights import example_weights
from novikoff.typing import Array


@dataclass(frozen=True)
class Setting:
    """What every epoch of every shard has in common. It is small, and goes with each task."""

    model: Any
    """The estimator, not fitted."""
    layout: Layout
    mixing: str
    seed: int
    averaged: bool
    version: str = __version__


class Told(NamedTuple):
    """What one epoch over a shard came to, in numbers."""

    mistakes: int
    n_seen: int
    total: Any
    """The sum of all steps; with a machine for each class, of each."""
    largest: float
    least: Any
    """The least margin there was; with a machine for each class, of each."""
    length: float
    reach: float
    """No weight was larger than this."""
    n_bytes: int
    """What the change takes on its way."""
    seconds: float
    reading: float
    """Of these, the seconds it took to read the shard."""


@dataclass(eq=False)
class Learned:
    """What one epoch over a shard came to."""

    change: Change
    told: Told

    def __sizeof__(self) -> int:
        return self.change.__sizeof__()


class Ready(NamedTuple):
    """The examples of a shard as the loops read them."""

    X: Any
    y: Array
    weight: Array | None


class Kept:
    """The examples of a shard in the memory of a worker: as loaded, or with a setting, ready.

    They take room there, which dask is told. If this is sent elsewhere, or put aside for want of
    memory, only the description of a file goes: where it is used again, it is read again.
    """

    def __init__(self, shard: Shard, setting: Setting | None, examples: Any) -> None:
        self.shard, self.setting, self.examples = shard, setting, examples
        self.n_bytes = size_of(examples.X)

    def get(self) -> Any:
        """The examples, read again if they are not here."""
        if self.examples is None:
            data = self.shard.load()
            self.examples = data if self.setting is None else ready(self.shard, data, self.setting)
        return self.examples

    def __getstate__(self) -> dict[str, Any]:
        from_file = isinstance(self.shard, FileShard)
        return vars(self) | ({"examples": None} if from_file else {})

    def __sizeof__(self) -> int:
        return 64 + self.n_bytes


def load(shard: Shard, *given: Any) -> Kept:
    """Read a shard."""
    return Kept(shard, None, shard.load(*given))


def look(shard: Shard, kept: Kept | None, *given: Any) -> Seen:
    """What is in a shard."""
    return surveying.look(shard, shard.load(*given) if kept is None else kept.get())


def prepare(shard: Shard, kept: Kept, setting: Setting) -> Kept:
    """Make a shard ready where it is."""
    return Kept(shard, setting, ready(shard, kept.get(), setting))


def ready(shard: Shard, data: Data, setting: Setting) -> Ready:
    """The examples of a shard as the loops read them."""
    layout = setting.layout
    data = surveying.settled(shard, data, layout)
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


def begin(setting: Setting) -> State:
    """The weights before the first epoch: 0."""
    K, d = len(setting.layout.classes), setting.layout.n_features
    shape = (K if K > 2 else 1, d + 1)
    w = np.zeros(shape, np.float32 if setting.layout.single else np.float64)
    return State(w, np.zeros(shape) if setting.averaged else None)


def resumed(state: State) -> State:
    """The weights of a checkpoint."""
    return state


def learn(
    shard: Shard, kept: Kept | None, setting: Setting, state: State, epoch: int, *given: Any
) -> Learned:
    """Pass over a shard once, from the mixed weights."""
    if setting.version != __version__:
        raise ClusterError(
            f"A worker has novikoff {__version__}, but the run was started by {setting.version}: "
            "install the same version everywhere."
        )
    started = time.perf_counter()
    X, y, weight = kept.get() if kept else ready(shard, shard.load(*given), setting)
    read_at = time.perf_counter()
    model, w = clone(setting.model), state.w
    if not len(y):
        return Learned(*_nothing(w, setting))
    mixed = np.random.SeedSequence((setting.seed, epoch, shard.number))
    model.set_params(max_iter=1, random_state=int(mixed.generate_state(1)[0]))
    n_classes = len(setting.layout.classes)
    run = model._train(X, y, weight, n_classes, w[..., :-1], w[..., -1])
    k = run.ledger.mistakes[0]
    share = float(k if setting.mixing == "mistakes" else run.stream.n_seen > 0)
    after = np.ascontiguousarray(run.weights)
    change = change_of(
        w, after, run.extra["tally"] if setting.averaged else None, share, run.stream.n_seen
    )
    told = Told(
        k,
        run.stream.n_seen,
        run.ledger.total,
        run.ledger.largest,
        run.ledger.least,
        run.ledger.length,
        model._reach(run),
        change.__sizeof__(),
        time.perf_counter() - started,
        read_at - started,
    )
    return Learned(change, told)


def _nothing(w: Array, setting: Setting) -> tuple[Change, Told]:
    """What comes of a shard without examples."""
    zero = np.zeros(len(w) if setting.model._machines() else 1)
    none = np.zeros((*w.shape[:-1], 0))
    change = Change(np.zeros(0, np.int64), none, none if setting.averaged else None, 0.0, 0)
    return change, Told(0, 0, zero, 0.0, zero + np.inf, 0.0, 0.0, 0, 0.0, 0.0)


def told(learned: Learned) -> Told:
    """The numbers alone."""
    return learned.told


def mix(width: int, *parts: Learned | Change) -> Change:
    """Some neighbours in the tree, added up."""
    return added([p.change if isinstance(p, Learned) else p for p in parts], width)


def advance(state: State, change: Change) -> State:
    """The mixed weights after one more epoch."""
    return advanced(state, change)


def standing(dask_worker: Any) -> dict[str, Any]:
    """How a worker is: its limit of memory, how often it has sent something, and how much lately.

    The latter are the bytes that went over the wire, as dask logs them. A worker is full when dask
    has paused it, or will at its next look: its memory is looked at every tenth of a second.
    """
    log = getattr(dask_worker, "transfer_outgoing_log", ())
    manager = dask_worker.memory_manager
    limit, share = manager.memory_limit, manager.memory_pause_fraction
    used = dask_worker.monitor.get_process_memory()
    return {
        "memory_limit": limit,
        "full": dask_worker.status.name == "paused"
        or bool(limit and share and used > share * limit),
        "sent": int(getattr(dask_worker, "transfer_outgoing_count_total", 0)),
        "lately": [int(entry.get("compressed") or 0) for entry in list(log)],
    }
