"""The scheduler of a cluster: found or started, and its workers looked at."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

from novikoff import __version__
from novikoff.cluster.worker import Standing, standing
from novikoff.errors import ClusterError
from novikoff.parallel.cores import n_cores

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

LOCAL = "local"
PATIENCE = 10
"""Seconds to wait for a scheduler to answer, and for the first worker."""
NAP = 0.005
"""Seconds from one look for workers to the next."""
FAILURES = 30
"""How many workers may die under a task of a cluster that is started here."""
COPIES = 10
"""How many arrays as large as the weights a worker has at a time, at most."""


def require_dask() -> ModuleType:
    """The package `distributed`, or an error that says how to get it."""
    try:
        import distributed
    except ImportError as error:
        raise ClusterError(
            "Clusters need the packages dask and distributed: pip install 'novikoff[cluster]'"
        ) from error
    return distributed


@contextmanager
def connected(client: "Client | str | None", n_workers: int | None = None) -> Iterator["Client"]:
    """A client of a cluster: the one given, one at an address, dask's current one, or a new one.

    None takes dask's current client, if there is one. That failing, or if "local" was asked for,
    workers are started on this machine, and stopped at the end. A client made here never becomes
    dask's current one: one that fails to connect would stay it, and no collection could be computed
    any more.
    """
    distributed = require_dask()
    with ExitStack() as stack:
        if client is None:
            try:
                found: Client = distributed.default_client()
            except ValueError:
                client = LOCAL
        elif not isinstance(client, str):
            found = client
        if client == LOCAL:
            cluster = stack.enter_context(_started(n_workers))
            found = stack.enter_context(distributed.Client(cluster, set_as_default=False))
        elif isinstance(client, str):
            found = stack.enter_context(_at(client))
        require_workers(found)
        yield found


def _started(n_workers: int | None) -> "LocalCluster":
    """Workers on this machine, one for each core."""
    import dask
    from distributed import LocalCluster

    settings = {
        "distributed.scheduler.allowed-failures": FAILURES,
        "distributed.worker.profile.enabled": False,  # it can deadlock on Python 3.11
    }
    with dask.config.set(settings):
        return LocalCluster(
            n_workers=n_workers or n_cores(),
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            preload="novikoff.cluster.preload",
        )


def _at(address: str) -> "Client":
    """A client of the scheduler at an address; a client of a malformed one could not be closed."""
    from distributed import Client
    from distributed.comm.addressing import get_address_host

    try:
        get_address_host(address)
        return Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError, ImportError, Warning) as error:
        why = "" if isinstance(error, OSError) else f" ({error})"
        raise ClusterError(
            f"No scheduler answers at {address}{why}: start one with `dask scheduler`, and give "
            "the address that it prints, as tcp://10.0.0.1:8786."
        ) from None


def require_workers(client: "Client") -> None:
    """There must be workers, and each must have this version of the package."""
    _wait_for_a_worker(client)
    asked = client.run(eval, "__import__('novikoff').__version__", on_error="return")
    for worker, version in sorted(asked.items()):
        if isinstance(version, ImportError):
            raise ClusterError(
                f"The worker at {worker} does not have novikoff ({version}): install novikoff "
                f"{__version__} where it runs, and start it again."
            )
        if isinstance(version, BaseException):
            raise ClusterError(f"The worker at {worker} does not answer: {version!r}")
        if version != __version__:
            raise ClusterError(
                f"The worker at {worker} has novikoff {version}, and here is {__version__}: "
                "install the same version everywhere."
            )
    require_awake(client)


def _wait_for_a_worker(client: "Client") -> None:
    """Wait until there is one, paused or not: dask's `wait_for_workers` skips paused ones."""
    address, deadline = address_of(client), time.monotonic() + PATIENCE
    while not client.nthreads():
        if time.monotonic() > deadline:
            raise ClusterError(
                f"The scheduler at {address} has no workers: start some with `dask worker "
                f"{address} --nthreads 1`."
            )
        time.sleep(NAP)


def require_awake(client: "Client") -> int:
    """Some worker must be ready for work, or all be gone; how many there are."""
    found = standings(client)
    if found and all(each.full for each in found.values()):
        raise ClusterError(
            f"The workers of {address_of(client)} take no work: they use nearly all the memory "
            "that they may. Start them with a larger --memory-limit."
        )
    return len(found)


def require_room(client: "Client", n_weights: int, averaged: bool, shard_bytes: int) -> None:
    """Each worker must have the memory for the weights, some times over, and for a shard."""
    each = 8 * n_weights * (COPIES if averaged else COPIES // 2)
    for worker, found in sorted(standings(client).items()):
        limit = found.memory_limit
        if limit and each + shard_bytes > limit:
            raise ClusterError(
                f"{n_weights:,} weights take {gigabytes(each)} in training, and the largest shard "
                f"{gigabytes(shard_bytes)}, but the worker at {worker} may use "
                f"{gigabytes(limit)}: start workers with a larger --memory-limit, cut the data "
                "into smaller shards, or hash the features into fewer columns."
            )


def standings(client: "Client") -> dict[str, Standing]:
    """How each worker is."""
    try:
        found: dict[str, Standing] = client.run(standing, on_error="ignore")
    except OSError as error:  # what dask raises if the scheduler has gone and is not yet given up
        raise ConnectionError(str(error)) from error
    return found


def memory_of(client: "Client") -> float:
    """How much memory all workers have together; infinite if one has no limit."""
    limits = [found.memory_limit for found in standings(client).values()]
    return sum(float(limit) if limit else float("inf") for limit in limits)


def address_of(client: "Client") -> str:
    """Where the scheduler is."""
    return str(client.scheduler.address if client.scheduler else "an unknown address")


def gigabytes(n: int) -> str:
    """A number of bytes, for people."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20)):
        if n >= size / 2:
            return f"{n / size:,.1f} {unit}"
    return f"{n:,} bytes"
