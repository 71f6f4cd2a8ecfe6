"""The cluster: found or started, its workers looked at, and what goes wrong with it in words."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from novikoff import __version__
from novikoff.cluster.shard import standing
from novikoff.errors import ClusterError, NovikoffError
from novikoff.parallel.cores import n_cores

LOCAL = "local"
PATIENCE = 10
"""Seconds to wait for a scheduler to answer, and for the first worker."""
NAP, LOOK_EVERY, LONELY = 0.005, 10, 300
"""Seconds from one look for results to the next, to a look at the workers when none come, and to
giving up when there are no workers."""
FAILURES = 30
"""How many workers may die under a task of a cluster that is started here."""
COPIES = 10
"""How many arrays as large as the weights a worker has at a time, at most."""


def require_dask() -> Any:
    """The package `distributed`, or an error that says how to get it."""
    try:
        import distributed
    except ImportError as error:
        raise ClusterError(
            "Clusters need the packages dask and distributed: pip install 'novikoff[cluster]'"
        ) from error
    return distributed


@contextmanager
def connected(client: Any, n_workers: int | None = None) -> Iterator[Any]:
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
                client = distributed.default_client()
            except ValueError:
                client = LOCAL
        if client == LOCAL:
            cluster = stack.enter_context(_started(distributed, n_workers))
            client = stack.enter_context(distributed.Client(cluster, set_as_default=False))
        elif isinstance(client, str):
            client = stack.enter_context(_at(distributed, client))
        require_workers(client)
        yield client


def _started(distributed: Any, n_workers: int | None) -> Any:
    """Workers on this machine, one for each core."""
    import dask

    settings = {
        "distributed.scheduler.allowed-failures": FAILURES,
        "distributed.worker.profile.enabled": False,  # it can deadlock on Python 3.11
    }
    with dask.config.set(settings):
        return distributed.LocalCluster(
            n_workers=n_workers or n_cores(),
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            preload="novikoff.cluster.deaf",
        )


def _at(distributed: Any, address: str) -> Any:
    """A client of the scheduler at an address; a client of a malformed one could not be closed."""
    try:
        distributed.comm.get_address_host(address)
        return distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError, ImportError, Warning) as error:
        why = "" if isinstance(error, OSError) else f" ({error})"
        raise ClusterError(
            f"No scheduler answers at {address}{why}: start one with `dask scheduler`, and give "
            "the address that it prints, as tcp://10.0.0.1:8786."
        ) from None


def require_workers(client: Any) -> None:
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


def _wait_for_a_worker(client: Any) -> None:
    """Wait until there is one, paused or not: dask's `wait_for_workers` skips paused ones."""
    address, deadline = address_of(client), time.monotonic() + PATIENCE
    while not client.nthreads():
        if time.monotonic() > deadline:
            raise ClusterError(
                f"The scheduler at {address} has no workers: start some with `dask worker "
                f"{address} --nthreads 1`."
            )
        time.sleep(NAP)


def require_awake(client: Any) -> int:
    """Some worker must be ready for work, or all be gone; how many there are."""
    found = standings(client)
    if found and all(each["full"] for each in found.values()):
        raise ClusterError(
            f"The workers of {address_of(client)} take no work: they use nearly all the memory "
            "that they may. Start them with a larger --memory-limit."
        )
    return len(found)


class Deserted(ClusterError):
    """There are no workers any more."""


class Hope:
    """Whether there are workers to wait for."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.looked = self.lonely = time.monotonic()
        """When it was looked last, and since when there may have been none."""

    def look(self) -> None:
        """Look after them, if it is time; raise an error if there have been none for long."""
        now = time.monotonic()
        if now - self.looked < LOOK_EVERY:
            return
        self.looked = now
        if require_awake(self.client):
            self.lonely = now
        elif now - self.lonely > LONELY:
            raise Deserted(
                f"There have been no workers at {address_of(self.client)} for {LONELY} seconds: "
                "start some. If they ended by themselves, look into their logs: one that does not "
                "have novikoff, for instance, ends when it is given work."
            )


def in_order_of_coming(client: Any, futures: list[Any]) -> Iterator[Any]:
    """Futures as they are done, as long as there is hope for the others."""
    coming, hope = require_dask().as_completed(futures, loop=client.loop), Hope(client)
    while not coming.is_empty():
        if batch := coming.next_batch(block=False):
            yield from batch
            hope = Hope(client)
        else:
            time.sleep(NAP)
            hope.look()


def awaited(client: Any, future: Any) -> Any:
    """The result of a future, as long as there is hope for it: its worker may be lost."""
    settle(client, future)
    hope = Hope(client)
    while True:
        try:
            return future.result(timeout=LOOK_EVERY)
        except TimeoutError:
            if future.status == "error":
                raise
            hope.look()


def settle(client: Any, future: Any) -> None:
    """Wait until something is computed, as long as there is hope for it."""
    hope = Hope(client)
    while not future.done():
        time.sleep(NAP)
        hope.look()
    if future.status == "error":
        future.result()


def require_room(client: Any, n_weights: int, averaged: bool, shard_bytes: int) -> None:
    """Each worker must have the memory for the weights, some times over, and for a shard."""
    each = 8 * n_weights * (COPIES if averaged else COPIES // 2)
    for worker, found in sorted(standings(client).items()):
        limit = found["memory_limit"]
        if limit and each + shard_bytes > limit:
            raise ClusterError(
                f"{n_weights:,} weights take {gigabytes(each)} in training, and the largest shard "
                f"{gigabytes(shard_bytes)}, but the worker at {worker} may use "
                f"{gigabytes(limit)}: start workers with a larger --memory-limit, cut the data "
                "into smaller shards, or hash the features into fewer columns."
            )


def standings(client: Any) -> dict[str, dict[str, Any]]:
    """How each worker is."""
    found: dict[str, dict[str, Any]] = client.run(standing, on_error="ignore")
    return found


def memory_of(client: Any) -> float:
    """How much memory all workers have together; infinite if one has no limit."""
    limits = [found["memory_limit"] for found in standings(client).values()]
    return sum(float(limit) if limit else float("inf") for limit in limits)


def address_of(client: Any) -> str:
    """Where the scheduler is."""
    return str(client.scheduler.address if client.scheduler else "an unknown address")


def gigabytes(n: int) -> str:
    """A number of bytes, for people."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20)):
        if n >= size / 2:
            return f"{n / size:,.1f} {unit}"
    return f"{n:,} bytes"


@contextmanager
def told_plainly(client: Any, where: str, advice: str) -> Iterator[None]:
    """What dask raises, in words: `where` the run is, and what to do if the scheduler is gone."""
    distributed = require_dask()
    lost = distributed.CancelledError, distributed.comm.core.CommClosedError

    def advised(told: str) -> ClusterError:
        return ClusterError(f"{told} {advice}", checkpoint=None, resume=True)

    try:
        yield
    except Deserted as error:
        raise advised(str(error)) from None
    except NovikoffError:
        raise
    except distributed.scheduler.KilledWorker as error:
        raise advised(
            f"{error.allowed_failures + 1} workers died one after the other at the same task, in "
            f"{where}: look into their logs. A shard may be too large for their memory."
        ) from None
    except ImportError as error:
        raise advised(
            f"A worker that came in {where} cannot do its work ({error}): install novikoff "
            f"{__version__} where it runs."
        ) from None
    except (TimeoutError, ConnectionError, *lost) as error:
        raise advised(
            f"The scheduler at {address_of(client)} was lost in {where} ({type(error).__name__})."
        ) from None
