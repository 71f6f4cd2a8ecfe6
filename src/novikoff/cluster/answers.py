"""`novikoff.cluster.certify` and `verify`: is data in shards separable, and the proof.

`novikoff.certificates.sharded` asks the questions, and here workers answer them. A shard stays
where it is: a question goes to it, and a few of its rows come back. Every answer depends only on
the shard and the question, so dask may compute it again after a worker was lost.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from novikoff.certificates.certificate import Separability
from novikoff.certificates.separability import require_options
from novikoff.certificates.sharded import certify as search, verify as check
from novikoff.certificates.sharded.coordinator import Travel
from novikoff.certificates.sharded.protocol import Answer, Piece, Question, piece
from novikoff.certificates.sharded.verify import Reach
from novikoff.cluster.scheduler import connected
from novikoff.cluster.sources import SHARD_BYTES, Reading, Shard, Sharded, sharded
from novikoff.cluster.survey import Layout, settled
from novikoff.cluster.tasks import Tasks
from novikoff.cluster.worker import Kept, Make, examples_of, same
from novikoff.data.results import Data
from novikoff.typing import Array

if TYPE_CHECKING:
    from distributed import Client

Watcher = Callable[[Travel], None]


def certify(
    source: object,
    client: "Client | str | None" = None,
    *,
    fit_intercept: bool = True,
    tol: float = 1e-6,
    budget: float = 60.0,
    shard_bytes: int = SHARD_BYTES,
    hold: bool | None = None,
    watch: Watcher | None = None,
    **reading: Any,
) -> Separability:
    r"""Decide whether a hyperplane separates data in shards, by what margin, and prove it.

    The answer and the certificate are like those of `novikoff.separability` on all rows, shard
    after shard: row numbers run through all shards. No machine ever holds all rows. Only a few rows
    move between machines: some at the start, and those that contradict an intermediate result.

    The upper end of the margin, $\|\sum p_i z_i\|$, comes from rows that have moved, so it holds
    for all rows. Here $p_i$ are the multipliers of the proof, and $z_i$ the examples times their
    labels, -1 or +1. The lower end is the smallest margin over the shards.

    Parameters
    ----------
    source, client, shard_bytes, hold
        As for `novikoff.cluster.fit`. Examples of weight 0 are ignored, but count in row numbers.
    fit_intercept : bool, default=True
        Whether the hyperplane may have a bias. If False, it must pass through the origin.
    tol : float, default=1e-6
        Stop when the gap between the bounds on the margin is at most `tol` times the upper bound.
    budget : float, default=60.0
        The time limit in seconds, not counting the time that the shards take to answer.
    watch : callable, default=None
        Called with a `Travel` after every answer of the shards: `rows`, the number of rows moved
        so far, and `passes`, the number of questions.
    **reading
        The options of `novikoff.data.read`.

    Returns
    -------
    Separability
        Already verified. It depends only on the data and on its division into shards.

    Raises
    ------
    ClusterError, FileError
        As for `novikoff.cluster.fit`.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from novikoff import cluster, data
    >>> X, species, _ = data.load("iris")
    >>> shards = da.from_array(X, chunks=(50, 4)), da.from_array(species == "setosa", chunks=50)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     result = cluster.certify(shards, client)
    ...     cluster.verify(result, shards, client)
    True
    >>> result.verdict, round(result.margin.lower, 6), result.verify(X, species == "setosa")
    ('separable', 0.817556, True)
    """
    require_options(fit_intercept, tol=tol, budget=budget)
    with _workers(source, client, shard_bytes, hold, reading) as workers:
        return workers.certify(fit_intercept, tol, budget, watch)[0]


def verify(
    certificate: Separability,
    source: object,
    client: "Client | str | None" = None,
    *,
    shard_bytes: int = SHARD_BYTES,
    hold: bool | None = None,
    watch: Watcher | None = None,
    **reading: Any,
) -> bool:
    """Check a certificate against data in shards, in exact arithmetic.

    Every shard checks its own rows, and only the rows of the proof move. The result is that of
    `Separability.verify` on all rows. The data may be divided differently than for the search, as
    long as the rows are in the same order.

    Parameters
    ----------
    certificate : Separability
        From `certify`, `novikoff.separability` or `Separability.from_json`.
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
    with _workers(source, client, shard_bytes, hold, reading) as workers:
        return workers.verify(certificate, watch)


def measure(
    source: object,
    coef: npt.ArrayLike,
    intercept: npt.ArrayLike = 0.0,
    client: "Client | str | None" = None,
    *,
    shard_bytes: int = SHARD_BYTES,
    hold: bool | None = None,
    **reading: Any,
) -> Reach:
    r"""Compute the radius $R$ of data in shards, and the margin of a hyperplane on them.

    Parameters
    ----------
    source, client, shard_bytes, hold, **reading
        As for `certify`.
    coef : array of shape (n_features,) or (1, n_features), or (n_classes, n_features)
        The weights; with more than two classes, one row per class.
    intercept : float or array, default=0.0
        The bias; with more than two classes, one per class.

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
    with _workers(source, client, shard_bytes, hold, reading) as workers, workers.told_plainly():
        return check.measure(workers, coef, intercept)


@contextmanager
def _workers(
    source: object,
    client: "Client | str | None",
    shard_bytes: int,
    hold: bool | None,
    reading: Reading,
) -> Iterator["Workers"]:
    """The workers of a cluster, when they have looked at the shards of this."""
    with connected(client) as found:
        yield Workers(sharded(source, shard_bytes=shard_bytes, **reading), found, hold)


class Workers:
    """Shards on the workers of a cluster, which answer questions about them."""

    def __init__(self, data: Sharded, client: "Client", hold: bool | None = None) -> None:
        self.tasks = Tasks(data, client, hold)
        self.asked = 0
        """How many questions there were."""
        with self.told_plainly():
            self.layout = self.tasks.survey()
            make = partial(pieces, layout=self.layout.brief)
            self.make = self.tasks.submit(same, make, name="layout")
            self.tasks.prepare(self.make)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.tasks.data)

    def told_plainly(self) -> AbstractContextManager[None]:
        """What dask raises, in words."""
        return self.tasks.told_plainly("the search for a certificate", "Start it again.")

    def certify(
        self, fit_intercept: bool, tol: float, budget: float, watch: Watcher | None
    ) -> tuple[Separability, Travel]:
        """The verdict on all shards, and what it took."""
        with self.told_plainly():
            return search.certify(
                self, fit_intercept=fit_intercept, tol=tol, budget=budget, report=watch
            )

    def verify(self, certificate: Separability, watch: Watcher | None) -> bool:
        """Does a certificate hold for all shards?"""
        with self.told_plainly():
            return check.verify(certificate, self, watch)[0]

    def ask(self, question: Question[Answer], numbers: Sequence[Array]) -> list[Answer]:
        """The answers of all shards, in their order."""
        self.asked += 1
        with warnings.catch_warnings():
            # a question about many columns is large, and goes there once
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            sent = self.tasks.submit(same, question, name=f"question-{self.asked}")
            name = f"answer-{self.asked}"
            answers = self.tasks.on_each(answer, self.make, sent, own=numbers, name=name)
        return self.tasks.gathered(answers)


# ------------------------------------------------------------- what a worker does


def pieces(shard: Shard, data: Data, layout: Layout) -> Piece:
    """The examples of a shard, in the columns that all shards have."""
    data = settled(shard, data, layout)
    return piece(shard.name, data.X, data.y, data.weight)


def answer(
    shard: Shard,
    kept: Kept | None,
    make: Make,
    question: Question[Answer],
    numbers: Array,
    *given: object,
) -> Answer:
    """What a shard answers."""
    examples = examples_of(shard, kept, make, *given)
    return question(examples, np.asarray(numbers, np.int64))
