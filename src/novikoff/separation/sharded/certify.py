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
from math import hypot, inf, sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.clock import now
from novikoff.proofs.bounds import novikoff_bound
from novikoff.separation import divergence, joint_certificate, kesler, widest
from novikoff.separation.bracket import Bracket
from novikoff.separation.certificate import Separability
from novikoff.separation.exact import null_vectors, whole_rows
from novikoff.separation.geometry import radius_of_run, used_columns, without_empty_columns
from novikoff.separation.joint import LOOSE, of_many
from novikoff.separation.kesler import Labelled, Pairs
from novikoff.separation.search import Search, Undecided, atoms, scales
from novikoff.separation.separability import (
    proved,
    require_options,
    through_the_origin,
    widened,
)
from novikoff.separation.sharded.coordinator import Coordinator, Travel, Whole
from novikoff.separation.sharded.protocol import Shards, in_columns
from novikoff.separation.sharded.questions import (
    Cosines,
    Exact,
    Margins,
    Products,
    Sides,
    Span,
    Sums,
)

Array = npt.NDArray[Any]


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
    require_options(fit_intercept, tol, budget)
    search = Certifying(shards, bool(fit_intercept), float(tol), float(budget), report)
    return search.run(), search.travel


class Front(NamedTuple):
    """Weights that have every row of every shard strictly in front of them."""

    coef: Array
    intercept: Any
    lower: float
    """No margin of theirs is less."""


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
        self.front: Front | None = None
        self.upper: Separability | None = None
        """The verdict on active rows with the least upper end of the margin."""

    def run(self) -> Separability:
        """The verdict on all shards."""
        self.begin()
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
            return self.undecided()
        return self.separable(self.front, self.upper)

    def among(self, tol: float) -> tuple[Separability, Array | None]:
        """The verdict on the active rows, in the columns that they use, and which those are."""
        X, used = without_empty_columns(self.X)
        if not self.problem.many:
            return proved(Search(X, self.y, self.bias, self.deadline), tol)[0], used
        D = Labelled(X, self.y, len(self.problem.classes), self.bias)
        found = of_many(D, tol, self.deadline, through_the_origin)
        if found.verdict == "undecided" or not joint_certificate.holds(found, D):
            raise Undecided
        return found, used

    # ------------------------------------------------------ asking the shards

    def separates(self, found: Separability, used: Array | None, tol: float) -> int:
        """Put a separator of the active rows to all; how many rows came that it is too near to."""
        upper = found.margin.upper
        if self.upper is None or upper < self.upper.margin.upper:
            self.upper = replace(found, rows=self.named(found.rows))
        coef, intercept = np.asarray(found.coef), np.asarray(found.intercept)
        W = np.hstack([np.atleast_2d(coef), intercept.reshape(-1, 1)])
        free = self.bias and not self.problem.many
        if not self.problem.many:
            W = widest.unit(W)
        size = float(np.linalg.norm(W[:, :-1] if free else W))
        limit = (1 - tol) * upper * size
        question = Margins(self.problem, used, W, limit, self.most(), with_bias=not free)
        low, strict, new = self.measure(question)
        if free:
            middle = float((low[0] - low[1]) / 2)
            if in_front(low, middle):
                W[0, -1], strict = middle, True
        if strict:
            if self.problem.many:
                lower = min(kesler.margin_at_least(float(low[0]), W, self.bias), upper)
            else:
                lower = (widest.at_least if free else widest.from_origin_at_least)(low, W[0])
            self.keep(W, used, max(0.0, lower))
        elif not new:
            raise Undecided
        return new

    def keep(self, W: Array, used: Array | None, lower: float) -> None:
        """Remember weights that have all rows strictly in front, if there are no better ones."""
        if self.front is not None and lower <= self.front.lower:
            return
        coef = np.zeros((len(W), self.problem.width))
        coef[:, slice(None) if used is None else used] = W[:, :-1]
        if self.problem.many:
            self.front = Front(coef, W[:, -1].copy(), lower)
        else:
            self.front = Front(coef[0], float(W[0, -1]), lower)

    def closed(self) -> bool:
        """Are the ends of the bracket as near as they are to be?"""
        if self.front is None or self.upper is None:
            return False
        return self.front.lower >= (1 - self.tol) * self.upper.margin.upper

    def wrong_side(self, found: Separability, used: Array | None) -> int:
        """Put an exact witness to all; how many rows came that are on its wrong side."""
        sides = Sides(self.problem, used, self.exact_weights(found), self.most())
        answers = self.ask(sides)
        new = self.take([answer.given for answer in answers])
        if not new and any(answer.lowest < 0 for answer in answers):
            raise Undecided
        return new

    def exact_weights(self, found: Separability) -> Exact:
        """The witness, a row for each class if there are more than two."""
        flat, rows = list(found.witness or ()), len(self.problem.classes)
        rows = rows if self.problem.many else 1
        width = len(flat) // rows
        return [flat[k * width : (k + 1) * width] for k in range(rows)]

    def out_of_span(self, found: Separability) -> int:
        """Put a proof to all; how many rows came that are outside of what its rows span."""
        rows = np.array(found.rows)
        D = Labelled(self.X[rows], self.y[rows], len(self.problem.classes), self.bias)
        question = outside(D, found.rivals, self.whole, self.most())
        if question is None:
            return 0
        answers = self.ask(question)
        new = self.take([answer.given for answer in answers])
        if not new and any(answer.beyond or answer.met.any() for answer in answers):
            raise Undecided
        return new

    # ------------------------------------------------------ what is told

    def named(self, rows: tuple[int, ...]) -> tuple[int, ...]:
        """The numbers of active rows among all."""
        return tuple(self.numbers[list(rows)].tolist())

    def in_all_columns(self, found: Separability, used: Array | None) -> Separability:
        """The same with weights for all columns."""
        return found if used is None else widened(found, used, self.problem.width)

    def told(self, found: Separability) -> Separability:
        """A verdict on active rows as one on all."""
        return in_order(replace(found, rows=self.named(found.rows), infinite=self.nowhere()))

    def nowhere(self) -> tuple[int, ...]:
        """No coefficient diverges; of many classes nothing is said."""
        return () if self.problem.many else (0,) * (self.problem.width + self.bias)

    def quasi_separable(self, found: Separability, used: Array | None) -> Separability:
        """The same, with what diverges."""
        wide = self.told(self.in_all_columns(found, used))
        if self.problem.many:
            return wide
        rows = np.array(found.rows)
        columns = self.whole.columns
        free = None
        if columns is not None:
            X = in_columns(self.X[rows], columns)
            vectors = orthogonal(Labelled(X, self.y[rows], 2, self.bias))
            answers = self.ask(Span(self.problem, columns, vectors, 0))
            met = np.any([answer.met for answer in answers], axis=0)
            kept = [v[0] for v, seen in zip(vectors, met, strict=True) if seen]
            m = len(columns) + self.bias
            free = np.array([any(v[j] for v in kept) for j in range(m)])
        v = np.append(np.asarray(wide.coef), float(wide.intercept or 0.0))
        return replace(wide, infinite=self.diverging(v, free))

    def separable(self, front: Front, upper: Separability) -> Separability:
        """Separable, between these ends, with the bound on mistakes and what diverges."""
        found = replace(
            upper,
            coef=front.coef,
            intercept=front.intercept,
            margin=Bracket(front.lower, upper.margin.upper),
        )
        R = radius_of_run(self.whole.longest, self.X, self.bias, many=self.problem.many)
        if self.problem.many:
            return in_order(replace(found, novikoff=novikoff_bound(R, front.lower)))
        v = np.append(front.coef, front.intercept)
        of_run = self.run_margin(v) if self.bias else front.lower
        columns = self.whole.columns
        free = None if columns is None else np.ones(len(columns) + self.bias, bool)
        infinite = self.diverging(v, free)
        return in_order(replace(found, novikoff=novikoff_bound(R, of_run), infinite=infinite))

    def run_margin(self, v: Array) -> float:
        """A lower bound of the margin in the space of a run, where the bias is a coordinate."""
        best = 0.0
        while now() < self.deadline:
            X, used = without_empty_columns(self.X)
            start = v if used is None else np.append(v[used], v[-1])
            u, ends, _ = widest.from_origin(X, self.y, start, 1.0, self.tol, self.deadline)
            limit = (1 - self.tol) * ends.upper * float(np.linalg.norm(u))
            question = Margins(self.problem, used, u[None], limit, self.most())
            low, _, new = self.measure(question)
            best = max(best, widest.from_origin_at_least(low, u))
            if not new or best >= (1 - self.tol) * ends.upper:
                break
        if best > 0:
            return best
        low, _, _ = self.measure(Margins(self.problem, None, v[None], -inf, 0))
        return widest.from_origin_at_least(low, v)

    def diverging(self, v: Array, free: Array | None) -> tuple[int, ...]:
        """The directions in which estimates diverge (`novikoff.separation.divergence`)."""
        columns, told = self.whole.columns, np.zeros(self.problem.width + 1, np.int64)
        if columns is None or free is None or len(free) > divergence.WIDE:
            told = np.sign(v).astype(np.int64)
        elif free.any():
            answers = self.ask(Sums(self.problem, columns))
            c = scales(np.max([peaks for _, peaks in answers], axis=0), self.bias)
            parts = [sums * (c / scales(peaks, True)) for sums, peaks in answers]
            total = divergence.brought_to_one(sum(parts))
            m, new = len(free), 1
            active = divergence.products(in_columns(self.X, columns), self.y, c, m)
            if divergence.dependent(active, self.bias).any():  # other rows may tell them apart
                every = sum(self.ask(Products(self.problem, columns, c, m)))
                free = free & ~divergence.dependent(every, self.bias)
            while new:
                X = in_columns(self.X, columns)
                Z = atoms(X, self.y, np.arange(len(self.y)), c)[:, :m]
                u = np.zeros(len(c))
                u[:m] = divergence.steepest(Z, total[:m], free)
                new = self.take(self.ask(Cosines(self.problem, columns, u, c, self.most())))
            told[np.append(columns, self.problem.width)[:m]] = divergence.directions(u[:m])
        return tuple(told[: self.problem.width + self.bias].tolist())

    def undecided(self) -> Separability:
        """Nothing was proved in time."""
        upper, K = self.whole.longest, len(self.problem.classes)
        if self.problem.many:
            upper = sqrt(2) * hypot(upper, float(self.bias)) * (1 + 1e-9)
        none = (None, None, None, (), ())
        return Separability("undecided", *none, Bracket(0.0, upper), inf, (), self.bias, (), K)


def in_front(low: Array, bias: float) -> bool:
    """Are all scores above 0 with this bias, if without it no score of a class is lower?"""
    if not np.isfinite([*low, bias]).all():
        return False
    negative, positive = (Fraction(float(each)) for each in low)
    return positive + Fraction(bias) > 0 and negative - Fraction(bias) > 0


def in_order(found: Separability) -> Separability:
    """The same proof, by the numbers of its rows."""
    rivals = found.rivals or (0,) * len(found.rows)
    order = sorted(range(len(found.rows)), key=lambda k: (found.rows[k], rivals[k]))
    return replace(
        found,
        rows=tuple(found.rows[k] for k in order),
        multipliers=tuple(found.multipliers[k] for k in order),
        rivals=tuple(found.rivals[k] for k in order) if found.rivals else (),
    )


def outside(D: Labelled, rivals: tuple[int, ...], whole: Whole, most: int) -> Span | None:
    """The question for rows that are not in the span of these; None if there can be none."""
    used = used_columns(D.X)
    D = D._replace(X=in_columns(D.X, used))
    vectors = vanishing(D, np.array(rivals)) if whole.problem.many else orthogonal(D)
    every = np.arange(whole.problem.width) if whole.columns is None else whole.columns
    if not vectors and not len(np.setdiff1d(every, used, assume_unique=True)):
        return None
    return Span(whole.problem, used, vectors, most)


def orthogonal(D: Labelled) -> list[Exact]:
    """A basis of the weights on which these rows vanish, the bias last."""
    basis = null_vectors(whole_rows(D.X, np.asarray(D.y), np.arange(len(D.y)), D.bias))
    zero = [Fraction(0)] * (not D.bias)
    return [[[Fraction(a) for a in n] + zero] for n in basis]


def vanishing(D: Labelled, rivals: Array) -> list[Exact]:
    """The same for the vectors of these rows and rivals; the last class has weights 0."""
    pairs = Pairs(np.arange(len(rivals)), rivals)
    Z, ones = kesler.vectors(D, pairs, reduced=True), np.ones(len(rivals), np.int8)
    basis = null_vectors(whole_rows(Z, ones, np.arange(len(rivals)), False))
    return [kesler.in_fractions(D, [Fraction(a) for a in n], reduced=True) for n in basis]
