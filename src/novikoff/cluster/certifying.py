"""`novikoff.cluster.certify` and `verify`: is data separable that no machine holds, and the proof.

`novikoff.separation.sharded` asks the questions; here workers answer them. A shard stays where it
is: a question goes to it, and a few of its rows come back. Every answer is a pure function of the
shard and the question, so that dask may compute it again after a worker was lost.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from secrets import token_hex
from typing import Any, NamedTuple

import numpy as np

from novikoff.cluster.connecting import (
    awaited,
    connected,
    in_order_of_coming,
    memory_of,
    told_plainly,
)
from novikoff.cluster.sources import SHARD_BYTES, Shard, Sharded, sharded
from novikoff.cluster.surveying import Layout, Seen, layout_of, look, settled
from novikoff.inputs.arrays import size_of
from novikoff.separation.certificate import Separability
from novikoff.separation.separability import require_options
from novikoff.separation.sharded import certify as search, verify as check
from novikoff.separation.sharded.coordinator import Travel
from novikoff.separation.sharded.protocol import Answer, Question, piece
from novikoff.separation.sharded.verify import Reach
from novikoff.typing import Array

Watcher = Callable[[Travel], None]
HELD = 0.4
"""The part of the workers' memory that shards may take between questions."""


def certify(
    source: Any,
    client: Any = None,
    *,
    fit_intercept: bool = True,
    tol: float = 1e-6,
    budget: float = 60.0,
    shard_bytes: int = SHARD_BYTES,
    hold: bool | None = None,
    watch: Watcher | None = None,
    **reading: Any,
) -> Separability:
    r"""Whether a hyperplane separates data in shards, with a proof, and by what margin.

    The answer is that of `novikoff.separability` on all rows, shard after shard, and so is the
    certificate: row numbers go through all shards. No machine ever holds all rows. Those that
    travel are counted: some to begin with, and the few that contradict what was thought
    before.

    The margin's upper end $\|\sum p_i z_i\|$ is one of the rows that travelled, and therefore of
    all; the lower end is the least margin over the shards. They are closed to `tol`.

    Parameters
    ----------
    source, client, shard_bytes, hold
        As for `novikoff.cluster.fit`. Examples of weight 0 are not there, but rows are numbered as
        if they were.
    fit_intercept : bool, default=True
        May the hyperplane have a bias, or must it go through the origin?
    tol : float, default=1e-6
        How far to close the margin bracket, relative to its upper end.
    budget : float, default=60.0
        Seconds of thought after which to give up, besides what the shards take to answer.
    watch : callable, default=None
        Called with a `Travel` whenever the shards have answered something: `rows`, how many
        have travelled so far, and `passes`, how often the shards were asked.
    **reading
        The options of `novikoff.data.read`.

    Returns
    -------
    Separability
        Verified; and it depends on the data and how they are cut into shards, on nothing else.

    Raises
    ------
    ClusterError
        There is no scheduler, or it was lost; a worker lacks the package.
    FileError
        ``file:line:column: found this, expected that``, in whatever shard.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from novikoff import cluster
    >>> from novikoff.data import load
    >>> X, species, _ = load("iris")
    >>> shards = da.from_array(X, chunks=(50, 4)), da.from_array(species == "setosa", chunks=50)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     result = cluster.certify(shards, client)
    ...     cluster.verify(result, shards, client)
    True
    >>> result.verdict, round(result.margin.lower, 6), result.verify(X, species == "setosa")
    ('separable', 0.817556, True)
    """
    require_options(fit_intercept, tol=tol, budget=budget)
    with connected(client) as found:
        workers = Workers(sharded(source, shard_bytes=shard_bytes, **reading), found, hold)
        return workers.certify(fit_intercept, tol, budget, watch).result


def verify(
    certificate: Separability,
    source: Any,
    client: Any = None,
    *,
    shard_bytes: int = SHARD_BYTES,
    hold: bool | None = None,
    watch: Watcher | None = None,
    **reading: Any,
) -> bool:
    """Check a certificate against data in shards, in exact arithmetic.

    Every shard checks its own rows; those of the proof travel. That is what
    `Separability.verify` does on all rows, and any cut into shards will do, as long as
    the rows come in the same order.

    Parameters
    ----------
    certificate : Separability
        Of `certify`, `novikoff.separability` or `Separability.from_json`.
    source, client, shard_bytes, hold, watch, **reading
        As for `certify`.

    Returns
    -------
    bool

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from novikoff import cluster, separability
    >>> xor = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> shards = da.from_array(xor[0], chunks=(2, 2)), da.from_array(xor[1], chunks=2)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     cluster.verify(separability(*xor), shards, client)
    True
    """
    with connected(client) as found:
        workers = Workers(sharded(source, shard_bytes=shard_bytes, **reading), found, hold)
        return workers.verify(certificate, watch)


def measure(
    source: Any,
    coef: Any,
    intercept: Any = 0.0,
    client: Any = None,
    *,
    shard_bytes: int = SHARD_BYTES,
    hold: bool | None = None,
    **reading: Any,
) -> Reach:
    r"""The radius $R$ of data in shards, and the least margin that a hyperplane has on them.

    Parameters
    ----------
    source, client, shard_bytes, hold, **reading
        As for `certify`.
    coef : array of shape (n_features,) or (1, n_features), or one row for each of many classes
    intercept : float or array, default=0.0
        The bias, or one for each class.

    Returns
    -------
    Reach

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from novikoff import cluster
    >>> shards = da.from_array([[3.0, 4.0], [0.0, 1.0]], chunks=(1, 2)), da.from_array([0, 1])
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     found = cluster.measure(shards, [-2.0, 0.0], 1.0, client)
    >>> found.radius, round(found.margin, 6), found.separates
    (5.0, 0.5, True)
    """
    with connected(client) as found:
        workers = Workers(sharded(source, shard_bytes=shard_bytes, **reading), found, hold)
        with workers.told_plainly():
            return check.measure(workers, coef, intercept)


class Certified(NamedTuple):
    """A verdict, and what it took."""

    result: Separability
    travel: Travel


class Workers:
    """Shards on the workers of a cluster, which answer questions about them."""

    def __init__(self, data: Sharded, client: Any, hold: bool | None = None) -> None:
        self.data, self.client, self.token = data, client, token_hex(4)
        self.asked = 0
        """How many questions there were."""
        if hold is None:
            hold = data.n_bytes < HELD * memory_of(client)
        self.given = data.futures(client)
        self.ready: list[Any] = [None] * len(data)
        with self.told_plainly():
            self.layout = self._survey(hold)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.data)

    def told_plainly(self) -> Any:
        """What dask raises, in words."""
        return told_plainly(self.client, "the search for a certificate", "Start it again.")

    def certify(
        self, fit_intercept: bool, tol: float, budget: float, watch: Watcher | None
    ) -> Certified:
        """The verdict on all shards."""
        with self.told_plainly():
            return Certified(
                *search.certify(
                    self, fit_intercept=fit_intercept, tol=tol, budget=budget, report=watch
                )
            )

    def verify(self, certificate: Separability, watch: Watcher | None) -> bool:
        """Does a certificate hold for all shards?"""
        with self.told_plainly():
            return check.verify(certificate, self, watch)[0]

    # ------------------------------------------------------ asking

    def ask(self, question: Question[Answer], numbers: Sequence[Array]) -> list[Answer]:
        """The answers of all shards, in their order."""
        self.asked += 1
        with warnings.catch_warnings():
            # a question about many columns is large, and goes there once
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            sent = self._submit(same, question, name=f"question-{self.asked}")
            layout = self._submit(same, self.brief, name=f"layout-{self.asked}")
            answers = [
                self._submit(
                    answer, shard, ready, layout, sent, some, *given,
                    name=f"answer-{self.asked}-{shard.number}",
                )
                for shard, ready, some, given in zip(
                    self.data.shards, self.ready, numbers, self.given, strict=True
                )
            ]  # fmt: skip
        return self._gathered(answers)

    def _submit(self, function: Any, *arguments: Any, name: str) -> Any:
        """Have a worker compute this; the name says what, for those who look at the dashboard."""
        return self.client.submit(function, *arguments, key=f"{name}-{self.token}", pure=False)

    def _gathered(self, futures: list[Any]) -> list[Any]:
        """The results in their order; if some failed, the error of the first of them."""
        numbers = {future.key: i for i, future in enumerate(futures)}
        for future in in_order_of_coming(self.client, futures):
            if future.status == "error":
                for earlier in futures[: numbers[future.key]]:
                    awaited(self.client, earlier)
                future.result()
        return [awaited(self.client, future) for future in futures]

    def _survey(self, hold: bool) -> Layout:
        """Look at every shard, and have those that are held made ready where they are."""
        shards = self.data.shards
        held: list[Any] = [None] * len(shards)
        if hold:
            held = [
                self._submit(load, shard, *given, name=f"load-{shard.number}")
                for shard, given in zip(shards, self.given, strict=True)
            ]
        looks = [
            self._submit(look_at, shard, one, *given, name=f"look-{shard.number}")
            for shard, one, given in zip(shards, held, self.given, strict=True)
        ]
        layout = layout_of(shards, self._gathered(looks))
        self.brief = replace(layout, names=None, n_examples=[], digest="")
        if hold:
            self.ready = [
                self._submit(prepare, shard, one, self.brief, *given, name=f"ready-{shard.number}")
                for shard, one, given in zip(shards, held, self.given, strict=True)
            ]
        return layout


# ------------------------------------------------------------- what a worker does


def same(x: Any) -> Any:
    """What is sent once, for all shards."""
    return x


class Held:
    """The examples of a shard in the memory of a worker, which is to know how much they take."""

    def __init__(self, examples: Any) -> None:
        self.examples = examples

    def __sizeof__(self) -> int:
        return 64 + size_of(self.examples.X)


def load(shard: Shard, *given: Any) -> Held:
    """Read a shard."""
    return Held(shard.load(*given))


def look_at(shard: Shard, held: Held | None, *given: Any) -> Seen:
    """What is in a shard."""
    return look(shard, shard.load(*given) if held is None else held.examples)


def prepare(shard: Shard, held: Held | None, layout: Layout, *given: Any) -> Held:
    """The examples of a shard, in the columns that all shards have."""
    data = shard.load(*given) if held is None else held.examples
    data = settled(shard, data, layout)
    return Held(piece(shard.name, data.X, data.y, data.weight))


def answer(
    shard: Shard,
    ready: Held | None,
    layout: Layout,
    question: Question[Answer],
    numbers: Array,
    *given: Any,
) -> Answer:
    """What a shard answers."""
    found = prepare(shard, None, layout, *given) if ready is None else ready
    return question(found.examples, np.asarray(numbers, np.int64))
