"""Clusters for tests: in this process, which is quick, or of processes that can be killed."""

import warnings
from contextlib import contextmanager

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from novikoff import cluster


@contextmanager
def in_process(n_workers=1):
    """A client of workers in this process."""
    import dask
    from distributed import Client

    # dask's profiler calls `sys._current_frames`, which can deadlock on Python 3.11
    unwatched = {"distributed.worker.profile.enabled": False}
    with (
        dask.config.set(unwatched),
        Client(
            processes=False,
            n_workers=n_workers,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            memory_limit=0,  # they would count all that tests before them have compiled
        ) as client,
    ):
        yield client


def fit(model, source, client, **options):
    """`cluster.fit`, without the warning that a run did not converge."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return cluster.fit(model, source, client, **options)


def bits(model):
    """All that a model learned, as bytes."""
    run = model._state
    numbers = (
        run.stream.n_seen,
        run.ledger.mistakes,
        run.ledger.length,
        run.ledger.reach,
        run.ledger.largest,
    )
    arrays = (run.weights, run.extra.get("tally"), run.ledger.total, run.ledger.least)
    return numbers, [None if a is None else np.asarray(a).tobytes() for a in arrays]


def arrays(X, y, sizes, weight=None):
    """Rows and labels as dask arrays whose chunks have these sizes."""
    import dask.array as da

    cut = tuple(int(n) for n in sizes)
    parts = [da.from_array(X, chunks=(cut, X.shape[1])), da.from_array(y, chunks=(cut,))]
    return (*parts, da.from_array(weight, chunks=(cut,))) if weight is not None else tuple(parts)
