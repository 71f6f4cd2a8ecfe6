"""`novikoff.cluster.fit`: train a perceptron on data in shards, epoch by epoch."""

import os
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.base import clone

from novikoff.cluster import worker
from novikoff.cluster.history import Checkpoint, History, Mixed, Moment
from novikoff.cluster.mix import MIXINGS, Mix, advanced, groups
from novikoff.cluster.scheduler import connected, require_room, standings
from novikoff.cluster.sources import SHARD_BYTES, sharded
from novikoff.cluster.survey import Layout
from novikoff.cluster.tasks import Tasks
from novikoff.cluster.worker import Setting, Told
from novikoff.errors import ParameterError
from novikoff.inputs.weights import by_class, require_some
from novikoff.learners.additive import Additive
from novikoff.learners.averaged import AveragedPerceptron
from novikoff.learners.perceptron import Perceptron
from novikoff.learners.state import undone_on_error
from novikoff.typing import Array

if TYPE_CHECKING:
    from distributed import Client

    from novikoff.cluster.tasks import Task

Watcher = Callable[[Moment], None]


class Fitted(NamedTuple):
    """A fitted estimator, and what its data were like."""

    model: Additive
    mixed: Mixed
    layout: Layout


def fit(
    estimator: Additive,
    source: object,
    client: "Client | str | None" = None,
    *,
    mixing: str = "uniform",
    classes: Sequence[object] | None = None,
    shard_bytes: int = SHARD_BYTES,
    hold: bool | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    watch: Watcher | None = None,
    **reading: Any,
) -> Additive:
    r"""Train a perceptron on data in shards, by iterative parameter mixing on a dask cluster.

    In epoch $n$, every shard $i$ runs one epoch from the mixed weights $w^{(n)}$, which gives
    $w^{(i,n)}$ and $k_{i,n}$ mistakes. Then the weights are mixed with shares $\mu_{i,n}$ that sum
    to 1:

    $$w^{(n+1)} = \sum_i \mu_{i,n}\,w^{(i,n)}, \qquad
      \sum_n\sum_i \mu_{i,n} k_{i,n} \le \frac{R^2}{\gamma^2}.$$

    The bound holds if the data is separable, with margin $\gamma$ and examples of length at most
    $R$. So some epoch makes no mistake, and the run ends. (To mix only once, after each shard has
    converged, has no such guarantee: theorem 2 of the paper.) The averaged perceptron is the mean
    of the weights after every visit in every shard.

    The result depends on the data, its division into shards, the parameters and the seed. It does
    not depend on the number of workers, on their speed, or on workers that are lost.

    Parameters
    ----------
    estimator : Perceptron or AveragedPerceptron
        The learner to fit, which is also returned. It makes at most `max_iter` epochs.
    source : path, list of paths, dask collection, or tuple
        Files of all formats that `novikoff.data.read` reads. Paths may have wildcards, and all
        workers must see the same files. Or a dask data frame with a column `label`; a dask bag of
        lines (``format="svmlight"`` or ``"vw"``), or of pairs of features and label; or
        (X, y) or (X, y, sample_weight) as dask arrays, or as a data frame and series.
    client : distributed.Client, address, "local" or None, default=None
        The cluster. None: dask's current client; if there is none, or with "local", workers are
        started on this machine.
    mixing : {"uniform", "mistakes"}, default="uniform"
        The shares $\mu_{i,n}$: equal, or proportional to the mistakes of the shards.
    classes : list of labels, default=None
        All labels. Any other label is an error. None: those in the shards.
    shard_bytes : int, default=2**26
        Plain text files larger than this are divided into shards at line ends.
    hold : bool, default=None
        Keep the examples in the memory of the workers between epochs (True), or read them in each
        epoch (False). None: keep them if they fit. The result is the same.
    checkpoint : path, default=None
        A file in which to save the progress after every epoch.
    resume : bool, default=False
        Resume from the checkpoint, if it exists. The result is the same, to the last bit.
    watch : callable, default=None
        Called with a `Moment` after every shard.
    **reading
        The options of `novikoff.data.read`, such as format, label, zero_based and bits.

    Returns
    -------
    estimator : the fitted estimator
        Its `mixed_` is a `Mixed`: mistakes by epoch and shard, weighted mistakes and their bound,
        and the number of bytes moved.

    Raises
    ------
    ClusterError
        There is no scheduler, or the connection was lost; or a worker lacks the package or memory.
    FileError
        A shard cannot be read. The message is ``file:line:column: found this, expected that``.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from novikoff import Perceptron, cluster
    >>> from novikoff.data import load
    >>> X, species, _ = load("iris")
    >>> shards = da.from_array(X, chunks=(50, 4)), da.from_array(species == "setosa", chunks=50)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     model = cluster.fit(Perceptron(random_state=0), shards, client)
    >>> model.converged_, model.mixed_.n_shards
    (True, 3)
    >>> model.mixed_.weighted_mistakes < model.mixed_.bound
    True

    References
    ----------
    McDonald, R., Hall, K. & Mann, G. (2010). Distributed training strategies for the structured
    perceptron. NAACL-HLT.
    """
    with connected(client) as found:
        fitted = fitted_on(
            found,
            estimator,
            source,
            mixing=mixing,
            classes=classes,
            shard_bytes=shard_bytes,
            hold=hold,
            checkpoint=checkpoint,
            resume=resume,
            watch=watch,
            **reading,
        )
    if not fitted.model.converged_:
        fitted.model._warn(fitted.model._state, stacklevel=3)
    return fitted.model


def fitted_on(
    client: "Client",
    estimator: Additive,
    source: object,
    *,
    mixing: str,
    classes: Sequence[object] | None,
    shard_bytes: int,
    hold: bool | None,
    checkpoint: str | os.PathLike[str] | None,
    resume: bool,
    watch: Watcher | None,
    weigh: Callable[[Array], Any] | None = None,
    **reading: Any,
) -> Fitted:
    """`fit` on a cluster that is there; and what the data were like.

    `weigh` makes the weights of the classes when these are known.
    """
    require_learner(estimator, mixing)
    kept = None if checkpoint is None else Checkpoint(checkpoint)
    before = kept.seed() if kept is not None and resume else None
    data = sharded(source, shard_bytes=shard_bytes, **reading)
    words = None if classes is None else [str(label) for label in classes]
    with undone_on_error(estimator):
        epochs = Epochs(Tasks(data, client, hold), estimator.max_iter, kept, watch)
        layout = epochs.survey(words)
        seed = seed_of(estimator.random_state)
        if before is not None and estimator.random_state is None:
            seed = before
        if weigh is not None:
            estimator.class_weight = weigh(layout.classes)
        setting = setting_of(estimator, layout, mixing, seed)
        n_weights = (layout.n_features + 1) * layout.n_vectors
        require_room(client, n_weights, setting.averaged, layout.n_bytes)
        mixed = epochs.run(setting, resume=before is not None)
        estimator._state = epochs.history.as_run(mixed, setting)
        estimator.classes_, estimator.n_features_in_ = layout.classes, layout.n_features
        estimator.__dict__.pop("feature_names_in_", None)
        if layout.names is not None and not layout.reading.get("format"):
            estimator.feature_names_in_ = np.array(layout.names, dtype=object)
        estimator.mixed_ = Mixed(
            mixing,
            list(layout.n_examples),
            epochs.history.epochs,
            estimator.radius_,
            estimator.margin_,
            estimator.mistake_bound_,
            epochs.dashboard,
        )
    return Fitted(estimator, estimator.mixed_, layout)


def require_learner(estimator: Additive, mixing: str) -> None:
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
    if estimator.margin:
        raise ParameterError(
            "{margin=} is measured by the lengths of all examples, which no shard knows, and mixed "
            "weights have no bound with it: leave it out.",
            margin=estimator.margin,
        )
    if estimator.record:
        raise ParameterError(
            "{record=} keeps one run, but every shard has its own: leave it out.", record=True
        )
    if estimator.warm_start:
        raise ParameterError(
            "{warm_start=} is for fit: a checkpoint is what shards go on from.", warm_start=True
        )


def seed_of(random_state: int | np.random.RandomState | None) -> int:
    """A number from which all orders follow."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    return int(random_state)


def setting_of(estimator: Additive, layout: Layout, mixing: str, seed: int) -> Setting:
    """What all tasks have in common."""
    model = clone(estimator)
    if isinstance(model.class_weight, str) and model.class_weight == "balanced":
        whole, K = sum(layout.totals), len(layout.totals)
        pairs = zip(layout.classes.tolist(), layout.totals, strict=True)
        model.class_weight = {c: whole / (K * n) if n else 0.0 for c, n in pairs}
    factor: Array | float = 1.0
    if model.class_weight is not None:
        factor = by_class(model.class_weight, layout.classes)
    require_some(np.asarray(layout.totals) * factor)
    return Setting(model, layout, mixing, seed, isinstance(model, AveragedPerceptron))


class Epochs:
    """The epochs of a run on shards: what is asked of the workers, and in which order."""

    def __init__(
        self, tasks: Tasks, most: int, checkpoint: Checkpoint | None, watch: Watcher | None
    ) -> None:
        self.tasks, self.most, self.checkpoint = tasks, most, checkpoint
        self.watch: Watcher = watch or (lambda moment: None)
        self.history = History()
        self.dashboard: str | None = None
        with suppress(Exception):  # a scheduler need not have one
            self.dashboard = tasks.client.dashboard_link
        self.sent: dict[str, int] = {}
        """How often each worker had sent something when the last epoch ended."""

    def survey(self, classes: Sequence[str] | None) -> Layout:
        """Look at every shard, and say what they have in common."""
        with self.tasks.told_plainly("the survey of the shards", "Start it again."):
            return self.tasks.survey(classes, lambda done, _: self._tell(0, done, 0))

    def run(self, setting: Setting, *, resume: bool) -> Mix:
        """Make epochs until one is free of mistakes or all are done; the mixed weights."""
        layout = setting.layout
        brief = replace(setting, layout=layout.brief)
        start = None
        if resume and self.checkpoint is not None:
            start, self.history = self.checkpoint.read(setting)
        with self._told_plainly():
            mixed = self._begin(brief, start)
            self.tasks.prepare(partial(worker.ready, setting=brief))
            self._moved()
        while len(self.history.epochs) < self.most and not self.history.ended:
            with self._told_plainly():
                mixed = self._epoch(brief, mixed)
                if self.checkpoint is not None:
                    self.checkpoint.write(self.tasks.awaited(mixed), self.history, setting)
        with self._told_plainly():
            found: Mix = self.tasks.awaited(mixed)
        return found

    def _begin(self, setting: Setting, start: Mix | None) -> "Task":
        if start is None:
            return self.tasks.submit(worker.begin, setting, name="weights-0")
        with warnings.catch_warnings():
            # the weights of a checkpoint have to come from here, once
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            return self.tasks.submit(worker.same, start, name="weights-resumed")

    def _epoch(self, setting: Setting, mixed: "Task") -> "Task":
        """One epoch of all shards; the mixed weights after it, where they are."""
        started, epoch, submit = time.perf_counter(), len(self.history.epochs), self.tasks.submit
        learned = self.tasks.on_each(worker.learn, setting, mixed, epoch, name=f"learn-{epoch}")
        told = [
            submit(attrgetter("told"), each, name=f"told-{epoch}-{i}")
            for i, each in enumerate(learned)
        ]
        width, level, change = setting.layout.n_features + 1, 0, learned
        del learned
        while level == 0 or len(change) > 1:
            change = [
                submit(
                    worker.mix, width, *(change[i] for i in group), name=f"mix-{epoch}-{level}-{j}"
                )
                for j, group in enumerate(groups(len(change)))
            ]
            level += 1
        after = submit(advanced, mixed, change[0], name=f"weights-{epoch + 1}")
        del change
        mistakes = 0

        def watch(done: int, each: Told) -> None:
            nonlocal mistakes
            mistakes += each.ledger.mistakes[0]
            self._tell(epoch + 1, done, mistakes)

        found = self.tasks.gathered(told, watch)
        self.tasks.settle(after)
        self.history.add(found, setting, time.perf_counter() - started, self._moved())
        return after

    def _moved(self) -> int:
        """How many bytes workers have sent since this was asked last; -1 if it is not known."""
        found, moved = standings(self.tasks.client), 0
        for who, each in found.items():
            n = each.sent - self.sent.get(who, 0)
            if n > len(each.lately):
                moved = -1
            elif n and moved >= 0:
                moved += sum(each.lately[-n:])
        self.sent = {who: each.sent for who, each in found.items()}
        return moved

    def _tell(self, epoch: int, done: int, mistakes: int) -> None:
        last = self.history.epochs[-1] if self.history.epochs else None
        n_shards = len(self.tasks.data)
        self.watch(Moment(epoch, self.most, done, n_shards, mistakes, last, self.dashboard))

    def _told_plainly(self) -> AbstractContextManager[None]:
        if self.checkpoint is None:
            advice = "Start again, with {checkpoint} to have something to go on from."
        elif not self.history.epochs:
            advice = "Start again: there is no checkpoint of an epoch yet."
        else:
            advice = f"Go on from {self.checkpoint.path} with {{resume=}}."
        return self.tasks.told_plainly(f"epoch {len(self.history.epochs) + 1}", advice)
