"""How far a run on shards is: the numbers of its epochs, as a run, and as a checkpoint."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from math import hypot, inf
from typing import Any

import numpy as np
from sklearn.base import clone

from novikoff.cluster.mixing import FAN, State, groups, shares
from novikoff.cluster.report import Epoch, as_json
from novikoff.cluster.shard import Setting, Told
from novikoff.errors import ModelFileError, ParameterError
from novikoff.learners.state import Ledger, State as Run, Stream
from novikoff.store import load_with_extra, save

NUMBERS = ("length", "reach", "total", "least", "largest")


@dataclass
class History:
    """The epochs so far, and what they add up to."""

    epochs: list[Epoch] = field(default_factory=list)
    length: float = 0.0
    reach: float = 0.0
    total: Any = 0.0
    least: Any = 0.0
    largest: float = 0.0

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
        mistakes = [each.mistakes for each in told]
        mu = shares(mistakes, [each.n_seen > 0 for each in told], setting.mixing)
        for share, each in zip(mu, told, strict=True):
            self.total = self.total + share * each.total
        self.least = np.minimum.reduce([each.least for each in told])
        self.length = max(self.length, *(each.length for each in told))
        self.largest = max(self.largest, *(each.largest for each in told))
        self.reach = max(self.reach, *(each.reach for each in told))
        # what mixing itself rounds: a few units of each sum on the way up the tree
        longest = hypot(self.length if not setting.model.normalize else 1.0, 1.0)
        self.reach += self.largest * longest * (FAN * depth(len(told)) + 4)
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

    def as_run(self, state: State, setting: Setting) -> Run:
        """The run of a fitted model."""
        layout, model = setting.layout, setting.model
        space, each = model._space(), np.broadcast_to(0.0, np.shape(self.total))
        ledger = Ledger(
            np.atleast_1d(self.total),
            np.atleast_1d(self.least),
            np.atleast_1d(each).copy(),
            self.mistakes,
            length=self.length,
            reach=self.reach,
            largest=self.largest,
            step_ratio=inf if layout.weighted or model.class_weight is not None else 1.0,
        )
        stream = Stream(np.zeros(len(layout.classes)), state.n_seen)
        extra = {} if state.u is None else {"tally": state.u}
        return Run(space, state.w, extra, model._declared(space), ledger, stream)


def depth(n: int) -> int:
    """How high the tree over `n` shards is."""
    return 1 if n <= FAN else 1 + depth(len(groups(n)))


class Checkpoint:
    """A file from which a run goes on to the same bits."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)

    def write(self, state: State, history: History, setting: Setting) -> None:
        """Write down how far the run is."""
        model = clone(setting.model)
        model._state = history.as_run(state, setting)
        model.classes_, model.n_features_in_ = setting.layout.classes, setting.layout.n_features
        told = {"identity": identity(setting), "epochs": as_json(history.epochs)}
        save(model, self.path, extra={"checkpoint": told | {"cluster": True}})

    def seed(self) -> int | None:
        """The seed of the run that wrote the file, if there is one."""
        return int(self._read()[1]["identity"]["seed"]) if os.path.exists(self.path) else None

    def read(self, setting: Setting) -> tuple[State, History]:
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
        history = History([Epoch(**epoch) for epoch in told["epochs"]])
        for name in NUMBERS:
            setattr(history, name, getattr(run.ledger, name))
        return State(run.weights, run.extra.get("tally"), run.stream.n_seen), history

    def _read(self) -> tuple[Any, dict[str, Any]]:
        model, extra = load_with_extra(self.path)
        told = extra.get("checkpoint")
        if not isinstance(told, dict) or not told.get("cluster"):
            raise ParameterError(
                f"{self.path} is no checkpoint of a run on shards: name another file."
            )
        if not isinstance(told.get("identity"), dict) or not isinstance(told.get("epochs"), list):
            raise ModelFileError(f"{self.path}: the checkpoint is damaged.")
        return model, told


def identity(setting: Setting) -> dict[str, Any]:
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
