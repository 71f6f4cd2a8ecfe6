"""The epochs of a run on shards: what is asked of the workers, and in which order.

Nothing here moves data or restarts work. Every task is a pure function of the shard, the mixed
weights, the seed and the epoch; dask decides who computes it, sends what it needs, and computes
it again if a worker is lost.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from secrets import token_hex
from typing import Any

import numpy as np
from sklearn.base import clone

from novikoff.cluster import shard as work
from novikoff.cluster.connecting import (
    awaited,
    in_order_of_coming,
    memory_of,
    require_room,
    settle,
    standings,
    told_plainly,
)
from novikoff.cluster.history import Checkpoint, History
from novikoff.cluster.mixing import MIXINGS, State, groups
from novikoff.cluster.report import Mixed, Moment
from novikoff.cluster.shard import Setting, Told
from novikoff.cluster.sources import Sharded
from novikoff.cluster.surveying import Layout, layout_of
from novikoff.errors import ParameterError
from novikoff.inputs.weights import by_class, require_some
from novikoff.learners.averaged import AveragedPerceptron
from novikoff.learners.perceptron import Perceptron

HELD = 0.4
"""The part of the workers' memory that shards may take between epochs."""
Watcher = Callable[[Moment], None]


def require_learner(estimator: Any, mixing: str) -> None:
    """The learner must be one whose weights can be mixed."""
    if type(estimator) not in (Perceptron, AveragedPerceptron):
        raise ParameterError(
            f"{type(estimator).__name__} was given, but shards are mixed for Perceptron and "
            "AveragedPerceptron: their mixed weights have a guarantee."
        )
    estimator._check_parameters()
    if mixing not in MIXINGS:
        raise ParameterError.of("mixing", mixing, f"one of {', '.join(map(repr, MIXINGS))}")
    if estimator.slack:
        raise ParameterError(
            "{slack=} gives every example a weight of its own, which shards do not keep from "
            "epoch to epoch: leave it out.",
            slack=estimator.slack,
        )
    if estimator.record:
        raise ParameterError(
            "{record=} keeps one run, but every shard has its own: leave it out.", record=True
        )
    if estimator.warm_start:
        raise ParameterError(
            "{warm_start=} is for fit: a checkpoint is what shards go on from.", warm_start=True
        )


def seed_of(random_state: Any) -> int:
    """A number from which all orders follow."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    return int(random_state)


class Coordination:
    """A learner, shards, and the workers that will learn from them."""

    def __init__(
        self,
        estimator: Any,
        data: Sharded,
        client: Any,
        *,
        mixing: str = "uniform",
        classes: Sequence[str] | None = None,
        hold: bool | None = None,
        checkpoint: Checkpoint | None = None,
        watch: Watcher | None = None,
    ) -> None:
        self.estimator, self.data, self.client, self.mixing = estimator, data, client, mixing
        self.classes, self.checkpoint = classes, checkpoint
        self.watch: Watcher = watch or (lambda moment: None)
        self.history = History()
        self.token = token_hex(4)
        self.dashboard: str | None = None
        with suppress(Exception):  # a scheduler need not have one
            self.dashboard = client.dashboard_link
        if hold is None:
            hold = data.n_bytes < HELD * memory_of(client)
        self.hold = hold
        self.given = data.futures(client)
        self.held: list[Any] = [None] * len(data)
        self.ready: list[Any] = [None] * len(data)
        self.sent: dict[str, int] = {}
        """How often each worker had sent something when the last epoch ended."""

    def _submit(self, function: Any, *arguments: Any, name: str) -> Any:
        """Have a worker compute this; the name says what, for those who look at the dashboard."""
        return self.client.submit(function, *arguments, key=f"{name}-{self.token}", pure=False)

    # ------------------------------------------------------ before the first epoch

    def survey(self) -> Layout:
        """Look at every shard, and say what they have in common."""
        shards = self.data.shards
        with told_plainly(self.client, "the survey of the shards", "Start it again."):
            if self.hold:
                self.held = [
                    self._submit(work.load, shard, *given, name=f"load-{shard.number}")
                    for shard, given in zip(shards, self.given, strict=True)
                ]
            looks = [
                self._submit(work.look, shard, held, *given, name=f"look-{shard.number}")
                for shard, held, given in zip(shards, self.held, self.given, strict=True)
            ]
            seen = self._gathered(looks, lambda done, _: self.watch(self._moment(0, done, 0)))
        return layout_of(shards, seen, self.classes)

    def setting(self, layout: Layout, seed: int) -> Setting:
        """What all tasks have in common."""
        model = clone(self.estimator)
        if isinstance(model.class_weight, str) and model.class_weight == "balanced":
            whole, K = sum(layout.totals), len(layout.totals)
            pairs = zip(layout.classes.tolist(), layout.totals, strict=True)
            model.class_weight = {c: whole / (K * n) if n else 0.0 for c, n in pairs}
        factor: Any = 1.0
        if model.class_weight is not None:
            factor = by_class(model.class_weight, layout.classes)
        require_some(np.asarray(layout.totals) * factor)
        averaged = isinstance(model, AveragedPerceptron)
        n_weights = (layout.n_features + 1) * (
            len(layout.classes) if len(layout.classes) > 2 else 1
        )
        require_room(self.client, n_weights, averaged, layout.n_bytes)
        return Setting(model, layout, self.mixing, seed, averaged)

    # ------------------------------------------------------ the epochs

    def run(self, setting: Setting, *, resume: bool) -> State:
        """Make epochs until one is free of mistakes or all are done; the mixed weights."""
        layout = setting.layout
        brief = replace(setting, layout=replace(layout, names=None, n_examples=[], digest=""))
        start = None
        if resume and self.checkpoint is not None:
            start, self.history = self.checkpoint.read(setting)
        with told_plainly(self.client, self._where(), self._advice()):
            state = self._begin(brief, start)
            self._prepare(brief)
            self._moved()
        while len(self.history.epochs) < setting.model.max_iter and not self.history.ended:
            with told_plainly(self.client, self._where(), self._advice()):
                state = self._epoch(brief, state)
                if self.checkpoint is not None:
                    self.checkpoint.write(awaited(self.client, state), self.history, setting)
        with told_plainly(self.client, self._where(), self._advice()):
            found: State = awaited(self.client, state)
        return found

    def _begin(self, setting: Setting, start: State | None) -> Any:
        if start is None:
            return self._submit(work.begin, setting, name="weights-0")
        import warnings

        with warnings.catch_warnings():
            # the weights of a checkpoint have to come from here, once
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            return self._submit(work.resumed, start, name="weights-resumed")

    def _prepare(self, setting: Setting) -> None:
        """Have the shards that are held made ready where they are."""
        if self.hold:
            self.ready = [
                self._submit(work.prepare, shard, held, setting, name=f"ready-{shard.number}")
                for shard, held in zip(self.data.shards, self.held, strict=True)
            ]
            self.held = [None] * len(self.data)

    def _epoch(self, setting: Setting, state: Any) -> Any:
        """One epoch of all shards; the mixed weights after it, where they are."""
        started, epoch = time.perf_counter(), len(self.history.epochs)
        learned = [
            self._submit(
                work.learn, shard, ready, setting, state, epoch, *given,
                name=f"learn-{epoch}-{shard.number}",
            )
            for shard, ready, given in zip(self.data.shards, self.ready, self.given, strict=True)
        ]  # fmt: skip
        told = [
            self._submit(work.told, each, name=f"told-{epoch}-{i}")
            for i, each in enumerate(learned)
        ]
        width, level, change = setting.layout.n_features + 1, 0, learned
        del learned
        while level == 0 or len(change) > 1:
            change = [
                self._submit(
                    work.mix, width, *(change[i] for i in group), name=f"mix-{epoch}-{level}-{j}"
                )
                for j, group in enumerate(groups(len(change)))
            ]
            level += 1
        after = self._submit(work.advance, state, change[0], name=f"weights-{epoch + 1}")
        del change
        mistakes = [0]

        def watch(done: int, each: Told) -> None:
            mistakes[0] += each.mistakes
            self.watch(self._moment(epoch + 1, done, mistakes[0]))

        found = self._gathered(told, watch)
        settle(self.client, after)
        self.history.add(found, setting, time.perf_counter() - started, self._moved())
        return after

    def _moved(self) -> int:
        """How many bytes workers have sent since this was asked last; -1 if it is not known."""
        found, moved = standings(self.client), 0
        for who, each in found.items():
            n = each["sent"] - self.sent.get(who, 0)
            if n > len(each["lately"]):
                moved = -1
            elif n and moved >= 0:
                moved += sum(each["lately"][-n:])
        self.sent = {who: each["sent"] for who, each in found.items()}
        return moved

    def _gathered(self, futures: list[Any], watch: Callable[[int, Any], None]) -> list[Any]:
        """The results in their order; if some failed, the error of the first of them."""
        numbers = {future.key: i for i, future in enumerate(futures)}
        results: dict[int, Any] = {}
        for future in in_order_of_coming(self.client, futures):
            number = numbers[future.key]
            if future.status == "error":
                for earlier in futures[:number]:
                    awaited(self.client, earlier)
            results[number] = awaited(self.client, future)
            watch(len(results), results[number])
        return [results[i] for i in range(len(futures))]

    # ------------------------------------------------------ telling

    def _moment(self, epoch: int, done: int, mistakes: int) -> Moment:
        last = self.history.epochs[-1] if self.history.epochs else None
        most = self.estimator.max_iter
        return Moment(epoch, most, done, len(self.data), mistakes, last, self.dashboard)

    def _where(self) -> str:
        return f"epoch {len(self.history.epochs) + 1}"

    def _advice(self) -> str:
        if self.checkpoint is None:
            return "Start again, with {checkpoint} to have something to go on from."
        if not self.history.epochs:
            return "Start again: there is no checkpoint of an epoch yet."
        return f"Go on from {self.checkpoint.path} with {{resume=}}."

    def report(self, model: Any, layout: Layout) -> Mixed:
        """What the run came to."""
        return Mixed(
            self.mixing,
            list(layout.n_examples),
            self.history.epochs,
            model.radius_,
            model.margin_,
            model.mistake_bound_,
            self.dashboard,
        )
