"""What a run on shards came to."""

from dataclasses import dataclass, field
from typing import Any

from novikoff.separation.bracket import Bracket


@dataclass(frozen=True)
class Epoch:
    """One epoch of all shards.

    Parameters
    ----------
    mistakes : list of int
        Of each shard.
    weighted : float
        The same, each times the share of its shard in the mix, added up.
    bytes_moved : int
        What the workers sent to each other, weights, changes and all; -1 if it is not known.
    bytes_of_changes : int
        What the changes of all shards take, before they are mixed.
    seconds : float
        From one mix to the next.
    learning, reading : float
        The seconds that workers spent on passing over shards and on reading them, added up.

    Examples
    --------
    >>> from novikoff.cluster import Epoch
    >>> Epoch([3, 1], 2.0).mistakes
    [3, 1]
    """

    mistakes: list[int]
    weighted: float
    bytes_moved: int = -1
    bytes_of_changes: int = 0
    seconds: float = 0.0
    learning: float = 0.0
    reading: float = 0.0


@dataclass(frozen=True)
class Mixed:
    r"""How a model was learned from shards: `model.mixed_`.

    Parameters
    ----------
    mixing : {"uniform", "mistakes"}
    n_examples : list of int
        How many each shard has.
    epochs : list of Epoch
    radius : float
        The length $R$ of the longest example, in the space of the run.
    margin : Bracket
        What the run proves about the margin of all examples together.
    bound : float
        $R^2/\gamma^2$, with the lower end of `margin` for $\gamma$: `weighted_mistakes` is no more
        (McDonald, Hall & Mann 2010, theorem 3). Infinite if nothing was proved, or if examples
        weigh differently.
    dashboard : str or None
        Where to look on while it runs.

    Examples
    --------
    >>> from novikoff.cluster import Epoch, Mixed
    >>> mixed = Mixed("uniform", [2, 2], [Epoch([3, 1], 2.0), Epoch([0, 0], 0.0)])
    >>> mixed.weighted_mistakes, mixed.n_shards
    (2.0, 2)
    """

    mixing: str
    n_examples: list[int]
    epochs: list[Epoch]
    radius: float = 0.0
    margin: Bracket = field(default_factory=lambda: Bracket(0.0, float("inf")))
    bound: float = float("inf")
    dashboard: str | None = None

    @property
    def n_shards(self) -> int:
        """How many shards there are."""
        return len(self.n_examples)

    @property
    def weighted_mistakes(self) -> float:
        r"""$\sum_n \sum_i \mu_{i,n} k_{i,n}$, which the theorem is about."""
        return sum(epoch.weighted for epoch in self.epochs)


@dataclass(frozen=True)
class Moment:
    """How far a run is, for those who watch.

    Parameters
    ----------
    epoch : int
        The number of the epoch, from 1 on; 0 while the shards are looked at.
    n_epochs : int
        The most there will be.
    shard, n_shards : int
        How many shards are done in this epoch, and how many there are.
    mistakes : int
        In this epoch so far.
    last : Epoch or None
        The epoch before.
    dashboard : str or None
        Where to look on.

    Examples
    --------
    >>> from novikoff.cluster import Moment
    >>> Moment(epoch=2, n_epochs=10, shard=5, n_shards=8, mistakes=17).mistakes
    17
    """

    epoch: int
    n_epochs: int
    shard: int
    n_shards: int
    mistakes: int
    last: Epoch | None = None
    dashboard: str | None = None


def as_json(epochs: list[Epoch]) -> list[dict[str, Any]]:
    """Epochs, for a file."""
    return [vars(epoch) for epoch in epochs]
