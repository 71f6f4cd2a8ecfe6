"""`novikoff.cluster.fit`: a perceptron from data in shards."""

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from novikoff.cluster.connecting import connected
from novikoff.cluster.coordinating import Coordination, Watcher, require_learner, seed_of
from novikoff.cluster.history import Checkpoint
from novikoff.cluster.report import Mixed
from novikoff.cluster.sources import SHARD_BYTES, sharded
from novikoff.cluster.surveying import Layout
from novikoff.learners.state import undone_on_error


class Fitted(NamedTuple):
    """A fitted estimator, and what its data were like."""

    model: Any
    mixed: Mixed
    layout: Layout


def fit(
    estimator: Any,
    source: Any,
    client: Any = None,
    *,
    mixing: str = "uniform",
    classes: Sequence[Any] | None = None,
    shard_bytes: int = SHARD_BYTES,
    hold: bool | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    watch: Watcher | None = None,
    **reading: Any,
) -> Any:
    r"""Learn from data in shards, by iterative parameter mixing on a dask cluster.

    Every shard runs one epoch from the mixed weights, all of them are mixed, and so on:

    $$w^{(n+1)} = \sum_i \mu_{i,n}\,w^{(i,n)}, \qquad
      \sum_n\sum_i \mu_{i,n} k_{i,n} \le \frac{R^2}{\gamma^2},$$

    where $k_{i,n}$ are the mistakes of shard $i$ in epoch $n$: if the data are separable, some
    epoch is free of mistakes, and the run ends. (To mix once, after each shard has converged, has
    no such guarantee: their theorem 2.) The averaged perceptron is the mean of the weights
    after every visit of every shard.

    The result depends on the data, how they are cut into shards, the parameters and the seed. It
    does not depend on the number of workers, their speed or their deaths.

    Parameters
    ----------
    estimator : Perceptron or AveragedPerceptron
        It is fitted, and returned. `max_iter` epochs are made at the most.
    source : path, list of paths, dask collection, or tuple
        Files of every format that `novikoff.data.read` reads; paths may have wildcards, and the
        workers must see the same files. Or a dask data frame with a column `label`; or a bag of
        lines (``format="svmlight"`` or ``"vw"``) or of pairs of features and label; or
        (X, y) or (X, y, sample_weight) of dask arrays, or frame and series.
    client : distributed.Client, address, "local" or None, default=None
        None: dask's current client; if there is none, workers are started on this machine.
    mixing : {"uniform", "mistakes"}, default="uniform"
        What the share $\mu_{i,n}$ of a shard in the mix goes by.
    classes : list of labels, default=None
        All labels there are; another is an error. None: those that the shards have.
    shard_bytes : int, default=2**26
        Plain text files larger than this are cut into shards at line ends.
    hold : bool, default=None
        Hold the examples in the workers' memory between epochs, or read them in each. None: hold
        them if they fit. The result is the same.
    checkpoint : path, default=None
        Where to write down how far the run is, after every epoch.
    resume : bool, default=False
        Go on from the checkpoint, if there is one, to the same bits.
    watch : callable, default=None
        Called with a `Moment` whenever a shard is done.
    **reading
        The options of `novikoff.data.read`: format, label, zero_based, bits...

    Returns
    -------
    estimator : the estimator, fitted
        `mixed_` is a `Mixed`: mistakes by epoch and shard, weighted mistakes and their bound, bytes
        moved.

    Raises
    ------
    ClusterError
        There is no scheduler, or it was lost; a worker lacks the package or the memory.
    FileError
        ``file:line:column: found this, expected that``, in whatever shard.

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
        fitted.model._warn(fitted.model._state, sum(fitted.layout.n_examples), stacklevel=3)
    return fitted.model


def fitted_on(
    client: Any,
    estimator: Any,
    source: Any,
    *,
    mixing: str,
    classes: Sequence[Any] | None,
    shard_bytes: int,
    hold: bool | None,
    checkpoint: str | os.PathLike[str] | None,
    resume: bool,
    watch: Watcher | None,
    weigh: Callable[[Any], Any] | None = None,
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
        work = Coordination(
            estimator,
            data,
            client,
            mixing=mixing,
            classes=words,
            hold=hold,
            checkpoint=kept,
            watch=watch,
        )
        layout = work.survey()
        seed = seed_of(estimator.random_state)
        if before is not None and estimator.random_state is None:
            seed = before
        if weigh is not None:
            estimator.class_weight = weigh(layout.classes)
        setting = work.setting(layout, seed)
        state = work.run(setting, resume=before is not None)
        estimator._state = work.history.as_run(state, setting)
        estimator.classes_, estimator.n_features_in_ = layout.classes, layout.n_features
        vars(estimator).pop("feature_names_in_", None)
        if layout.names is not None and not layout.reading.get("format"):
            estimator.feature_names_in_ = np.array(layout.names, dtype=object)
        estimator.mixed_ = work.report(estimator, layout)
    return Fitted(estimator, estimator.mixed_, layout)
