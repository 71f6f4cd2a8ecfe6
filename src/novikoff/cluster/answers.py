"""`novikoff.cluster.certify` and `verify`: is data separable that no machine holds, and the proof.

`novikoff.certificates.sharded` asks the questions; here workers answer them. A shard stays where it
is: a question goes to it, and a few of its rows come back. Every answer is a pure function of the
shard and the question, so that dask may compute it again after a worker was lost.
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
