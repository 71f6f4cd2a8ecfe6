r"""Is data separable that no machine holds? The verdict over shards, with the same proofs.

A few rows are active. The question is asked of them alone, and the answer is put to the shards
(`protocol.py`), which send the rows that contradict it:

- separable: rows that the separator has on the wrong side, or nearer than
  $(1 - \text{tol})$ times the active rows' margin. A part of the data has no smaller margin than
  all of it, so that the upper end of the active rows' bracket is one for all; the lower end is the
  least margin over the shards.
- quasi-separable: rows on the wrong side of the exact witness. The multipliers on active rows are
  a proof for all.
- inseparable: rows outside the span of the proof's. If there are none it is a proof for all.

They become active, and the question is asked again. An answer that no shard contradicts is
true of all the data, and its certificate is that of `novikoff.separability` on the shards one after
the other. Every round adds a row that was not active, so that there is a last one; in
practice there are few. It depends on the data and how they are cut into shards,
not on who answers for the shards or how fast.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import ceil, inf

import numpy as np

from novikoff.core.clock import now
from novikoff.proofs.bounds import novikoff_bound
from novikoff.separation import divergence, widest
from novikoff.separation.bracket import Bracket
from novikoff.separation.certificate import Separability, undecided
from novikoff.separation.geometry import in_columns, radius_of_run
from novikoff.separation.joint import LOOSE, of_many
from novikoff.separation.kesler import ManyClasses, margin_of_lowest
from novikoff.separation.search import Search, Undecided, atoms, decided, scales
from novikoff.separation.separability import require_options, widened
from novikoff.separation.sharded.coordinator import Coordinator, Travel
from novikoff.separation.sharded.protocol import Shards
from novikoff.separation.sharded.questions import first, products, sides, span, sums, turned_away
from novikoff.separation.two_classes import TwoClasses
from novikoff.typing import Array


def certify(
    shards: Shards,
    *,
    fit_intercept: bool = True,
    tol: float = 1e-6,
    budget: float = 60.0,
    report: Callable[[Travel], None] | None = None,
) -> tuple[Separability, Travel]:
    """The verdict on the rows of all shards, one after the other, and what it took.

    Parameters
    ----------
    shards : Shards
    fit_intercept, tol, budget
        As for `novikoff.separability`. The bracket of the margin is closed to `tol` too, unless
        floats, or the time, do not let it. The seconds that shards take to answer do not count.
    report : callable, default=None
        Told what has travelled whenever the shards were asked something.

    Returns
    -------
    Separability, Travel

    Examples
    --------
    >>> from novikoff.separation.sharded.certify import certify
    >>> from novikoff.separation.sharded.protocol import Here
    >>> halves = Here([([[0, 0], [0, 1]], [0, 1]), ([[1, 0], [1, 1]], [1, 0])])
    >>> xor, travel = certify(halves)
    >>> xor.verdict, xor.rows, travel.rows
    ('inseparable', (0, 1, 2, 3), 4)
    """
    require_options(fit_intercept, tol=tol, budget=budget)
    search = Certifying(shards, bool(fit_intercept), float(tol), float(budget), report)
    return search.run(), search.travel


class Certifying(Coordinator):
    """The search for a verdict."""

    def __init__(
        self,
        shards: Shards,
        bias: bool,
        tol: float,
        budget: float,
        report: Callable[[Travel], None] | None = None,
    ) -> None:
        super().__init__(shards, bias, report)
        self.bias, self.tol, self.deadline = bias, tol, now() + budget
        self.upper: Separability | None = None
        """The verdict on active rows with the least upper end of the margin."""
        self.front: Separability | None = None
        """The one whose weights have all rows strictly in front, by the most: its lower end."""

    def run(self) -> Separability:
        """The verdict on all shards."""
        each = ceil(self.most() / (2 * len(self.problem.classes)))
        self.take(self.ask(first, each))
        loose = True
        try:
            while now() < self.deadline:
                found, used = self.among(LOOSE if loose else self.tol)
                if found.verdict == "separable":
                    new = self.separates(found, used, LOOSE if loose else self.tol)
                    if self.closed() or not (new or loose):
                        break
                    loose = loose and new > 0
                elif found.verdict == "quasi-separable":
                    if not self.wrong_side(found, used):
                        return self.quasi_separable(found, used)
                elif not self.out_of_span(found):
                    return self.told(found)
        except (Undecided, OverflowError):
            pass
        if self.front is None or self.upper is None:
            return undecided(self.longest, self.bias, len(self.problem.classes))
        return self.separable(self.front, self.upper)

    def among(self, tol: float) -> tuple[Separability, Array | None]:
        """The verdict on the active rows, in the columns that they use, and which those are."""
        D, used = self.active().in_used_columns()
        if isinstance(D, ManyClasses):
            found = of_many(D, tol, self.deadline)
        else:
            found = decided(Search(D, self.deadline), tol)[0]
        if found.verdict == "undecided":
            raise Undecided
        return found, used

    def active(self) -> TwoClasses | ManyClasses:
        """The active rows."""
        return self.problem.examples(self.X, self.y)

    # ------------------------------------------------------ asking the shards

    def separates(self, found: Separability, used: Array | None, tol: float) -> int:
        """Put a separator of the active rows to all; how many rows came that it is too near to."""
        upper = found.margin.upper
        if self.upper is None or upper < self.upper.margin.upper:
            self.upper = self.told(found)
        W, free = self.problem.scaled(found.weights), self.problem.free
        limit = (1 - tol) * upper * float(np.linalg.norm(W[:, :-1] if free else W))
        low, strict, new = self.measure(used, W, limit, self.most(), with_bias=not free)
        if free:
            middle = float((low[0] - low[1]) / 2)
            if in_front(low, middle):
                W[0, -1], strict = middle, True
        if strict:
            lower = min(margin_of_lowest(low, W, self.bias), upper)
            if self.front is None or lower > self.front.margin.lower:
                ends = Bracket(lower, upper)
                self.front = widened(found.with_weights(W), used, self.problem.width)
                self.front = replace(self.front, margin=ends)
        elif not new:
            raise Undecided
        return new

    def closed(self) -> bool:
        """Are the ends of the bracket as near as they are to be?"""
        if self.front is None or self.upper is None:
            return False
        return self.front.margin.lower >= (1 - self.tol) * self.upper.margin.upper

    def wrong_side(self, found: Separability, used: Array | None) -> int:
        """Put an exact witness to all; how many rows came that are on its wrong side."""
        answers = self.ask(sides, used, found.exact_weights, self.most())
        new = self.take([answer.given for answer in answers])
        if not new and any(answer.lowest < 0 for answer in answers):
            raise Undecided
        return new

    def out_of_span(self, found: Separability) -> int:
        """Put a proof to all; how many rows came that are outside of what its rows span."""
        answers = self.span(*self.active().vanishing_on(found), self.most())
        new = self.take([answer.given for answer in answers]) if answers else 0
        if not new and any(answer.beyond or answer.met.any() for answer in answers):
            raise Undecided
        return new

    # ------------------------------------------------------ what is told

    def told(self, found: Separability) -> Separability:
        """A verdict on active rows as one on all. Of many classes nothing is said of divergence."""
        nowhere = () if self.problem.many else (0,) * (self.problem.width + self.bias)
        rows = self.numbers[list(found.rows)]
        return replace(found, infinite=nowhere).with_proof(rows, found.multipliers, found.rivals)

    def quasi_separable(self, found: Separability, used: Array | None) -> Separability:
        """The same, with what diverges."""
        wide = self.told(widened(found, used, self.problem.width))
        if self.problem.many:
            return wide
        rows, columns, free = np.array(found.rows), self.columns, None
        if columns is not None:
            D = self.problem.examples(in_columns(self.X, columns), self.y)
            basis = D.vanishing(rows, rows)
            met = np.any([answer.met for answer in self.ask(span, columns, basis, 0)], axis=0)
            kept = [W[0] for W, seen in zip(basis, met, strict=True) if seen]
            free = np.array([any(v[j] for v in kept) for j in range(len(columns) + self.bias)])
        return replace(wide, infinite=self.diverging(wide.weights[0], free))

    def separable(self, front: Separability, upper: Separability) -> Separability:
        """Separable, between these ends, with the bound on mistakes and what diverges."""
        ends, v = Bracket(front.margin.lower, upper.margin.upper), front.weights[0]
        found = replace(upper, coef=front.coef, intercept=front.intercept, margin=ends)
        R = radius_of_run(self.longest, self.X, self.bias, many=self.problem.many)
        if self.problem.many:
            return replace(found, novikoff=novikoff_bound(R, ends.lower))
        of_run = self.run_margin(v) if self.bias else ends.lower
        columns = self.columns
        free = None if columns is None else np.ones(len(columns) + self.bias, bool)
        infinite = self.diverging(v, free)
        return replace(found, novikoff=novikoff_bound(R, of_run), infinite=infinite)

    def run_margin(self, v: Array) -> float:
        """A lower bound of the margin in the space of a run, where the bias is a coordinate."""
        best = 0.0
        while now() < self.deadline:
            D, used = self.active().in_used_columns()
            start = v if used is None else np.append(v[used], v[-1])
            u, ends, _ = widest.margin(D.X, D.y, start, "held", self.tol, self.deadline)
            limit = (1 - self.tol) * ends.upper * float(np.linalg.norm(u))
            low, _, new = self.measure(used, u[None], limit, self.most())
            best = max(best, widest.at_least(low, u, False))
            if not new or best >= (1 - self.tol) * ends.upper:
                break
        if best > 0:
            return best
        low, _, _ = self.measure(None, v[None], -inf, 0)
        return widest.at_least(low, v, False)

    def diverging(self, v: Array, free: Array | None) -> tuple[int, ...]:
        """The directions in which estimates diverge (`novikoff.separation.divergence`)."""
        columns, told = self.columns, np.zeros(self.problem.width + 1, np.int64)
        if columns is None or free is None or len(free) > divergence.WIDE:
            told = np.sign(v).astype(np.int64)
        elif free.any():
            answers = self.ask(sums, columns)
            c = scales(np.max([peaks for _, peaks in answers], axis=0), self.bias)
            scaled = [part * (c / scales(peaks, True)) for part, peaks in answers]
            total = divergence.brought_to_one(reduce(np.add, scaled))
            m, new = len(free), 1
            active = divergence.products(in_columns(self.X, columns), self.y, c, m)
            if divergence.dependent(active, self.bias).any():  # other rows may tell them apart
                every = reduce(np.add, self.ask(products, columns, c, m))
                free = free & ~divergence.dependent(every, self.bias)
            while new:
                X = in_columns(self.X, columns)
                Z = atoms(X, self.y, np.arange(len(self.y)), c)[:, :m]
                u = np.zeros(len(c))
                u[:m] = divergence.steepest(Z, total[:m], free)
                new = self.take(self.ask(turned_away, columns, u, c, self.most()))
            told[np.append(columns, self.problem.width)[:m]] = divergence.directions(u[:m])
        return tuple(told[: self.problem.width + self.bias].tolist())


def in_front(low: Array, bias: float) -> bool:
    """Are all scores above 0 with this bias, if without it no score of a class is lower?"""
    if not np.isfinite([*low, bias]).all():
        return False
    negative, positive = (Fraction(float(each)) for each in low)
    return positive + Fraction(bias) > 0 and negative - Fraction(bias) > 0
