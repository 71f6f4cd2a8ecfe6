r"""Mixing: the weights that shards learned apart become one set of weights.

In epoch $n$ shard $i$ starts from the mixed weights $w^{(n)}$ and ends an epoch of its own at
$w^{(i,n)}$ after $k_{i,n}$ mistakes. Then (McDonald, Hall & Mann 2010, figure 3)

$$w^{(n+1)} = \sum_i \mu_{i,n}\,w^{(i,n)} = w^{(n)} + \sum_i \mu_{i,n}\,\Delta_{i,n},
  \qquad \mu_{i,n} \ge 0, \quad \sum_i \mu_{i,n} = 1,$$

where $\mu_{i,n}$ is the same for all shards ("uniform"), or $k_{i,n} / \sum_j k_{j,n}$
("mistakes"). If a unit vector separates all examples with margin $\gamma$ and none is longer than
$R$, then $\sum_n \sum_i \mu_{i,n} k_{i,n} \le R^2/\gamma^2$ (their theorem 3), so that sooner or
later an epoch is free of mistakes.

The averaged weights are the mean of the weights after each visit, over all visits of all shards
in all epochs. With $T$ visits up to and including epoch $n$ it is kept as in `learners.averaged`:
$\bar w = (T w - u)/T$. A shard of $n_i$ visits whose weights were $w^{(n)} + d_t$ after
visit $t$ adds $D_i = \sum_t d_t = n_i\Delta_i - u_i$, and so

$$u \leftarrow u + T\,(w^{(n+1)} - w^{(n)}) - \sum_i D_i.$$

Only what changed travels. Sums go up a tree over the numbers of the shards, which is the same
whoever computes them: so the bits are.

References
----------
McDonald, R., Hall, K. & Mann, G. (2010). Distributed training strategies for the structured
perceptron. NAACL-HLT.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from novikoff.inputs.arrays import overflow
from novikoff.typing import Array

MIXINGS = ("uniform", "mistakes")
FAN = 4
"""How many changes are added up at a time."""


class Sized:
    """Something that tells dask how much memory its arrays take (abstract)."""

    def __sizeof__(self) -> int:
        return 64 + sum(getattr(value, "nbytes", 0) for value in vars(self).values())


@dataclass(eq=False)
class Mix(Sized):
    """The mixed weights after some epochs."""

    w: Array
    """The weights, the bias last; of more than two classes, a row each."""
    u: Array | None
    """What the averaged perceptron keeps beside them."""
    n_seen: int = 0
    """Visits, over all shards and epochs."""


@dataclass(eq=False)
class Change(Sized):
    r"""What an epoch over some shards changed: $\sum_i a_i\Delta_i$, and $\sum_i D_i$."""

    columns: Array | None
    """The columns that changed, increasing; None for all."""
    weights: Array
    """What they changed by, each shard's times its share."""
    tally: Array | None
    """The sums of the averaged perceptron."""
    share: float
    """The sum of the shares: the whole that each is a part of."""
    n_seen: int
    """Visits."""


def change_of(before: Array, after: Array, u: Array | None, share: float, n_seen: int) -> Change:
    """What one shard changed; the columns alone where they are few."""
    delta = after.astype(np.float64) - before.astype(np.float64)
    tally = None if u is None else n_seen * delta - u
    moved = delta != 0 if tally is None else (delta != 0) | (tally != 0)
    columns = np.flatnonzero(np.atleast_2d(moved).any(axis=0))
    if 2 * len(columns) > delta.shape[-1]:
        return Change(None, share * delta, tally, share, n_seen)
    few = None if tally is None else tally[..., columns]
    return Change(columns, share * delta[..., columns], few, share, n_seen)


def added(changes: Sequence[Change], width: int) -> Change:
    """The sum of some changes, in their order."""
    if len(changes) == 1:
        return changes[0]
    columns = None
    if all(change.columns is not None for change in changes):
        columns = np.unique(np.concatenate([change.columns for change in changes]))
        columns = None if 2 * len(columns) > width else columns
    shape = (*changes[0].weights.shape[:-1], width if columns is None else len(columns))
    weights = np.zeros(shape)
    tally = None if changes[0].tally is None else np.zeros(shape)
    for change in changes:
        at = _places(change.columns, columns)
        weights[..., at] += change.weights
        if tally is not None and change.tally is not None:
            tally[..., at] += change.tally
    share, n_seen = sum(c.share for c in changes), sum(c.n_seen for c in changes)
    return Change(columns, weights, tally, share, n_seen)


def _places(columns: Array | None, among: Array | None) -> Array | slice:
    """Where some columns are among others; None are all."""
    if columns is None:
        return slice(None)
    return columns if among is None else np.searchsorted(among, columns)


def advanced(state: Mix, change: Change) -> Mix:
    """The mixed weights after one more epoch, given the change of all shards."""
    n_seen = state.n_seen + change.n_seen
    if not change.share > 0:
        return Mix(state.w, state.u, n_seen)
    at = _places(change.columns, None)
    w, u = state.w.copy(), None if state.u is None else state.u.copy()
    before = w[..., at].astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        w[..., at] = (before + change.weights / change.share).astype(w.dtype)
        if u is not None and change.tally is not None:
            moved = w[..., at].astype(np.float64) - before
            u[..., at] += n_seen * moved - change.tally
    if not np.isfinite(w[..., at]).all() or (u is not None and not np.isfinite(u[..., at]).all()):
        raise overflow(w.dtype)
    return Mix(w, u, n_seen)


def groups(n: int) -> list[range]:
    """The tree, one level of it: which of `n` neighbours are added up together."""
    return [range(low, min(low + FAN, n)) for low in range(0, n, FAN)]


def shares(mistakes: Sequence[int], present: Sequence[bool], mixing: str) -> list[float]:
    r"""The $\mu_i$ of an epoch; shards without examples have none."""
    own = [float(k) for k in (mistakes if mixing == "mistakes" else present)]
    whole = sum(own)
    return [a / whole if whole else 0.0 for a in own]
