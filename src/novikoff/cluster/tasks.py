"""Tasks on shards: what workers are asked to do, their results, and what goes wrong in words.

Nothing here moves data or restarts work. Every task is a pure function of its arguments; dask
decides who computes it, sends what it needs, and computes it again if a worker is lost.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from novikoff import __version__
from novikoff.cluster import worker
from novikoff.cluster.scheduler import NAP, address_of, memory_of, require_awake, require_dask
from novikoff.cluster.sources import Sharded
from novikoff.cluster.survey import Layout, layout_of
from novikoff.errors import ClusterError, NovikoffError

if TYPE_CHECKING:
    from distributed import Client, Future

    Task = Future[Any]

HELD = 0.4
"""The part of the workers' memory that shards may take between tasks."""
LOOK_EVERY, LONELY = 10, 300
"""Seconds to a look at the workers when no results come, and to giving up when there are none."""


class Tasks:
    """Shards, and the workers of a cluster that do tasks on them."""

    def __init__(self, data: Sharded, client: "Client", hold: bool | None = None) -> None:
        self.data, self.client, self.token = data, client, token_hex(4)
        self.hold = data.n_bytes < HELD * memory_of(client) if hold is None else hold
        self.given = data.futures(client)
        self.kept: Sequence[Task | None] = [None] * len(data)
        """What a worker holds of each shard, if it does: the examples as they are, or ready."""

    def submit(self, function: Callable[..., Any], *arguments: object, name: str) -> "Task":
        """Have a worker compute this; the name says what, for those who look at the dashboard."""
        return self.client.submit(function, *arguments, key=f"{name}-{self.token}", pure=False)

    def on_each(
        self,
        function: Callable[..., Any],
        *arguments: object,
        own: Sequence[object] | None = None,
        name: str,
    ) -> list["Task"]:
        """Have this computed of every shard, from what is held of it, and its partitions.

        `own` are last arguments that differ from shard to shard.
        """
        last = [()] * len(self.data) if own is None else [(one,) for one in own]
        return [
            self.submit(
                function, shard, kept, *arguments, *one, *given, name=f"{name}-{shard.number}"
            )
            for shard, kept, given, one in zip(
                self.data.shards, self.kept, self.given, last, strict=True
            )
        ]

    def survey(
        self,
        classes: Sequence[str] | None = None,
        watch: Callable[[int, Any], None] | None = None,
    ) -> Layout:
        """Look at every shard, and say what they have in common."""
        if self.hold:
            self.kept = self.on_each(worker.load, name="load")
        seen = self.gathered(self.on_each(worker.look, name="look"), watch)
        return layout_of(self.data.shards, seen, classes)

    def prepare(self, make: "worker.Make | Task") -> None:
        """Have the shards that are held made ready where they are."""
        if self.hold:
            self.kept = self.on_each(worker.prepare, make, name="ready")

    def gathered(
        self, futures: list["Task"], watch: Callable[[int, Any], None] | None = None
    ) -> list[Any]:
        """The results in their order; if some failed, the error of the first of them."""
        numbers = {future.key: i for i, future in enumerate(futures)}
        results: dict[int, Any] = {}
        for future in self._as_they_come(futures):
            number = numbers[future.key]
            if future.status == "error":
                for earlier in futures[:number]:
                    self.awaited(earlier)
            results[number] = self.awaited(future)
            if watch is not None:
                watch(len(results), results[number])
        return [results[i] for i in range(len(futures))]

    def _as_they_come(self, futures: list["Task"]) -> Iterator["Task"]:
        """Futures as they are done, as long as there is hope for the others."""
        coming = require_dask().as_completed(futures, loop=self.client.loop)
        hope = Hope(self.client)
        while not coming.is_empty():
            if batch := coming.next_batch(block=False):
                yield from batch
                hope = Hope(self.client)
            else:
                time.sleep(NAP)
                hope.look()

    def awaited(self, future: "Task") -> Any:
        """The result of a future, as long as there is hope for it: its worker may be lost."""
        self.settle(future)
        hope = Hope(self.client)
        while True:
            try:
                return future.result(timeout=LOOK_EVERY)
            except TimeoutError:
                if future.status == "error":
                    raise
                hope.look()

    def settle(self, future: "Task") -> None:
        """Wait until something is computed, as long as there is hope for it."""
        hope = Hope(self.client)
        while not future.done():
            time.sleep(NAP)
            hope.look()
        if future.status == "error":
            future.result()

    @contextmanager
    def told_plainly(self, where: str, advice: str) -> Iterator[None]:
        """What dask raises, in words: `where` the run is, and what to do if all is lost."""
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
                f"{error.allowed_failures + 1} workers died one after the other at the same task, "
                f"in {where}: look into their logs. A shard may be too large for their memory."
            ) from None
        except ImportError as error:
            raise advised(
                f"A worker that came in {where} cannot do its work ({error}): install novikoff "
                f"{__version__} where it runs."
            ) from None
        except (TimeoutError, ConnectionError, *lost) as error:
            raise advised(
                f"The scheduler at {address_of(self.client)} was lost in {where} "
                f"({type(error).__name__})."
            ) from None


class Deserted(ClusterError):
    """There are no workers any more."""


class Hope:
    """Whether there are workers to wait for."""

    def __init__(self, client: "Client") -> None:
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
