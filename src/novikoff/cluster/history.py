"""The progress of a run on shards: its epochs, their totals, and its checkpoint."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from math import hypot, inf
from typing import Any

import numpy as np
from sklearn.base import clone

from novikoff.certificates.bracket import Bracket
from novikoff.cluster.mix import FAN, Mix, groups, shares
from novikoff.cluster.worker import Setting, Told
from novikoff.errors import ModelFileError, ParameterError
from novikoff.learners.additive import Additive
from novikoff.learners.state import Ledger, State, Stream
from novikoff.store import load_with_extra, save


@dataclass(frozen=True)
class Epoch:
    """One epoch of all shards.

    Parameters
    ----------
    mistakes : list of int
        The number of mistakes of each shard.
    weighted : float
        The sum of these, each multiplied by the share of its shard in the mix.
    bytes_moved : int
        All bytes that the workers sent to each other; -1 if this is not known.
    bytes_of_changes : int
        The size of the changes of weights of all shards, before they are mixed.
    seconds : float
        The time from one mix to the next.
    learning, reading : float
        The seconds that all workers together spent on learning and on reading.

    Examples
    --------
    >>> from novikoff.cluster import Epoch
    >>> Epoch([3, 1], 2.0).mistakes
    [3, 1]
    """

    mistakes: list[int]
    weighted: float
    bytes_moved: int = -1
    bytes_of_changes: int = 0
    seconds: float = 0.0
    learning: float = 0.0
    reading: float = 0.0


@dataclass(frozen=True)
class Mixed:
    r"""How a model was trained on shards: `model.mixed_`.

    Parameters
    ----------
    mixing : {"uniform", "mistakes"}
        How the shards were mixed.
    n_examples : list of int
        The number of examples of each shard.
    epochs : list of Epoch
    radius : float
        The length $R$ of the longest example, in the space of the run.
    margin : Bracket
        Bounds on the margin of all examples together that the run proves.
    bound : float
        $R^2/\gamma^2$, where $\gamma$ is the lower end of `margin`. `weighted_mistakes` is at most
        this (McDonald, Hall & Mann 2010, theorem 3). Infinite if nothing was proved, or if examples
        have weights.
    dashboard : str or None
        The address of dask's dashboard.

    Examples
    --------
    >>> from novikoff.cluster import Epoch, Mixed
    >>> mixed = Mixed("uniform", [2, 2], [Epoch([3, 1], 2.0), Epoch([0, 0], 0.0)])
    >>> mixed.weighted_mistakes, mixed.n_shards
    (2.0, 2)
    """

    mixing: str
    n_examples: list[int]
    epochs: list[Epoch]
    radius: float = 0.0
    margin: Bracket = field(default_factory=lambda: Bracket(0.0, float("inf")))
    bound: float = float("inf")
    dashboard: str | None = None

    @property
    def n_shards(self) -> int:
        """The number of shards."""
        return len(self.n_examples)

    @property
    def weighted_mistakes(self) -> float:
        r"""$\sum_n \sum_i \mu_{i,n} k_{i,n}$, the sum that `bound` limits."""
        return sum(epoch.weighted for epoch in self.epochs)


@dataclass(frozen=True)
class Moment:
    """The progress of a run, as `watch` gets it.

    Parameters
    ----------
    epoch : int
        The number of the epoch, from 1 on; 0 during the survey of the shards.
    n_epochs : int
        The largest number of epochs.
    shard, n_shards : int
        The number of shards that are done in this epoch, and of all shards.
    mistakes : int
        The number of mistakes in this epoch so far.
    last : Epoch or None
        The epoch before.
    dashboard : str or None
        The address of dask's dashboard.

    Examples
    --------
    >>> from novikoff.cluster import Moment
    >>> Moment(epoch=2, n_epochs=10, shard=5, n_shards=8, mistakes=17).mistakes
    17
    """

    epoch: int
    n_epochs: int
    shard: int
    n_shards: int
    mistakes: int
    last: Epoch | None = None
    dashboard: str | None = None


@dataclass
class History:
    """The epochs so far, and what they add up to."""

    epochs: list[Epoch] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)

    @property
    def mistakes(self) -> list[int]:
        """In each epoch, of all shards."""
        return [sum(epoch.mistakes) for epoch in self.epochs]

    @property
    def ended(self) -> bool:
        """Was the last epoch free of mistakes?"""
        return bool(self.epochs) and self.mistakes[-1] == 0

    def add(
        self, told: Sequence[Told], setting: Setting, seconds: float = 0.0, bytes_moved: int = -1
    ) -> None:
        """Add an epoch, of which each shard told this."""
        made, ledger = [each.ledger for each in told], self.ledger
        mistakes = [each.mistakes[0] for each in made]
        mu = shares(mistakes, [each.n_seen > 0 for each in told], setting.mixing)
        for share, each in zip(mu, made, strict=True):
            ledger.total = ledger.total + share * each.total
        ledger.least = np.minimum.reduce([each.least for each in made])
        for name in ("length", "largest", "reach"):
            setattr(ledger, name, max(getattr(each, name) for each in (ledger, *made)))
        # what mixing itself rounds: a few units of each sum on the way up the tree
        longest = hypot(ledger.length if not setting.model.normalize else 1.0, 1.0)
        ledger.reach += ledger.largest * longest * (FAN * depth(len(told)) + 4)
        self.epochs.append(
            Epoch(
                mistakes,
                sum(share * k for share, k in zip(mu, mistakes, strict=True)),
                bytes_moved,
                sum(each.n_bytes for each in told),
                seconds,
                sum(each.seconds - each.reading for each in told),
                sum(each.reading for each in told),
            )
        )

    def as_run(self, mixed: Mix, setting: Setting) -> State:
        """The run of a fitted model."""
        layout, model = setting.layout, setting.model
        space, weighted = model._space(), layout.weighted or model.class_weight is not None
        ledger = replace(
            self.ledger,
            own_squares=np.zeros_like(self.ledger.total),
            mistakes=self.mistakes,
            step_ratio=inf if weighted else 1.0,
        )
        stream = Stream(np.zeros(len(layout.classes)), mixed.n_seen)
        extra = {} if mixed.u is None else {"tally": mixed.u}
        return State(space, mixed.w, extra, model._declared(space), ledger, stream)


def depth(n: int) -> int:
    """How high the tree over `n` shards is."""
    return 1 if n <= FAN else 1 + depth(len(groups(n)))


class Checkpoint:
    """A file from which a run goes on to the same bits."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)

    def write(self, mixed: Mix, history: History, setting: Setting) -> None:
        """Write down how far the run is."""
        model = clone(setting.model)
        model._state = history.as_run(mixed, setting)
        model.classes_, model.n_features_in_ = setting.layout.classes, setting.layout.n_features
        told = {"identity": identity(setting), "epochs": [vars(epoch) for epoch in history.epochs]}
        save(model, self.path, extra={"checkpoint": told | {"cluster": True}})

    def seed(self) -> int | None:
        """The seed of the run that wrote the file, if there is one."""
        return int(self._read()[1]["identity"]["seed"]) if os.path.exists(self.path) else None

    def read(self, setting: Setting) -> tuple[Mix, History]:
        """How far the run was, which must be the same as this one."""
        model, told = self._read()
        for name, now in identity(setting).items():
            before = told["identity"].get(name)
            if before != now:
                raise ParameterError(
                    f"{self.path} was written by a run with {name} {before}, and this one has "
                    f"{now}: repeat that run, or leave {{resume}} out to start anew.",
                    resume=True,
                )
        run = model._state
        history = History([Epoch(**epoch) for epoch in told["epochs"]], run.ledger)
        return Mix(run.weights, run.extra.get("tally"), run.stream.n_seen), history

    def _read(self) -> tuple[Additive, dict[str, Any]]:
        model, extra = load_with_extra(self.path)
        told = extra.get("checkpoint")
        if not isinstance(told, dict) or not told.get("cluster"):
            raise ParameterError(
                f"{self.path} is no checkpoint of a run on shards: name another file."
            )
        if not isinstance(told.get("identity"), dict) or not isinstance(told.get("epochs"), list):
            raise ModelFileError(f"{self.path}: the checkpoint is damaged.")
        return model, told


def identity(setting: Setting) -> dict[str, object]:
    """What a run must have in common with the one it goes on from."""
    layout = setting.layout
    data = blake2b(layout.digest.encode(), digest_size=16).hexdigest()
    return {
        "learner": type(setting.model).__name__,
        **{k: str(v) for k, v in setting.model.get_params().items() if k != "n_jobs"},
        "mixing": setting.mixing,
        "seed": setting.seed,
        "shards": len(layout.n_examples),
        "examples": sum(layout.n_examples),
        "data": data,
    }
