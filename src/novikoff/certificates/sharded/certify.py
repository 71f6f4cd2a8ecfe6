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
from math import ceil, inf

import numpy as np

from novikoff.certificates import widest
from novikoff.certificates.bracket import Bracket
from novikoff.certificates.certificate import Separability, undecided
from novikoff.certificates.divergence import estimates
from novikoff.certificates.estimates import Estimates
from novikoff.certificates.exact import Exact
from novikoff.certificates.faces import decided
from novikoff.certificates.geometry import in_columns, radius_of_run
from novikoff.certificates.joint import LOOSE, of_many
from novikoff.certificates.kesler import ManyClasses, margin_of_lowest
from novikoff.certificates.search import Search, Undecided
from novikoff.certificates.separability import require_options, widened
from novikoff.certificates.sharded.coordinator import Coordinator, Travel
from novikoff.certificates.sharded.protocol import Shards
from novikoff.certificates.sharded.questions import first, sides, span, untouched
from novikoff.certificates.two_classes import TwoClasses
from novikoff.core.clock import now
from novikoff.proofs.bounds import novikoff_bound
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
    >>> from novikoff.certificates.sharded.certify import certify
    >>> from novikoff.certificates.sharded.protocol import Here
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
                    if not (self.wrong_side(found, used) or self.untouched(found, used)):
                        return self.quasi_separable(found, used)
                elif not self.out_of_span(found):
                    return self.estimated(self.told(found))
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

    def untouched(self, found: Separability, used: Array | None) -> int:
        """How many rows came that another direction may have strictly on its side."""
        if self.problem.many:
            return 0
        D, columns = self.active().in_used_columns()[0], used
        if columns is None:
            columns = np.arange(self.problem.width)
        rows = np.array(found.rows)
        basis = D.vanishing(rows, rows)
        about = columns, found.exact_weights, basis, self.most()
        return self.take(self.ask(untouched, *about))

    def out_of_span(self, found: Separability) -> int:
        """Put a proof to all; how many rows came that are outside of what its rows span."""
        answers = self.span(*self.active().vanishing_on(found), self.most())
        new = self.take([answer.given for answer in answers]) if answers else 0
        if not new and any(answer.beyond or answer.met.any() for answer in answers):
            raise Undecided
        return new

    # ------------------------------------------------------ what is told

    def told(self, found: Separability) -> Separability:
        """A verdict on active rows as one on all. Nothing is said of coefficients."""
        rows = self.numbers[list(found.rows)]
        bare = replace(found, estimates=Estimates())
        return bare.with_proof(rows, found.multipliers, found.rivals)

    def quasi_separable(self, found: Separability, used: Array | None) -> Separability:
        """The same, with what becomes of coefficients."""
        return self.estimated(self.told(widened(found, used, self.problem.width)))

    def separable(self, front: Separability, upper: Separability) -> Separability:
        """Separable, between these ends, with the bound on mistakes and what diverges."""
        ends, v = Bracket(front.margin.lower, upper.margin.upper), front.weights[0]
        found = replace(upper, coef=front.coef, intercept=front.intercept, margin=ends)
        R = radius_of_run(self.longest, self.X, self.bias, many=self.problem.many)
        if self.problem.many:
            return replace(found, novikoff=novikoff_bound(R, ends.lower))
        of_run = self.run_margin(v) if self.bias else ends.lower
        return self.estimated(replace(found, novikoff=novikoff_bound(R, of_run)))

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

    def estimated(self, found: Separability) -> Separability:
        """The same with what becomes of coefficients; nothing is said of those of many classes."""
        if self.problem.many:
            return found
        columns = self.columns
        if columns is None or found.verdict == "undecided":
            none = ("undecided",) * (self.problem.width + self.bias)
            return replace(found, estimates=Estimates(none))
        proof = np.array(() if found.verdict == "separable" else found.rows, np.int64)
        exact, known = found.exact_witness(), Active(self)
        own = None if exact is None else exact[0][np.append(columns, self.problem.width)]
        told = estimates(known, own, proof, self.deadline)
        told = told.widened(columns, self.problem.width, 1, self.bias)
        return replace(found, estimates=told)


class Active:
    """Active rows, in the columns that any row uses, and the shards that know the others."""

    def __init__(self, search: Certifying) -> None:
        self.search, self.columns = search, search.columns

    @property
    def order(self) -> Array:
        """The active rows in the order of their numbers."""
        return np.argsort(self.search.numbers)

    @property
    def rows(self) -> TwoClasses:
        search, order = self.search, self.order
        X = in_columns(search.X, self.columns)[order]
        return TwoClasses(X, search.y[order], 2, search.bias)

    @property
    def numbers(self) -> Array:
        return self.search.numbers[self.order]

    def wrong(self, W: Exact) -> bool:
        answers = self.search.ask(sides, self.columns, W, self.search.most())
        self.search.take([answer.given for answer in answers])
        return any(answer.lowest < 0 for answer in answers)

    def missed(self, W: Exact) -> bool:
        answers = self.search.ask(span, self.columns, [W], self.search.most())
        self.search.take([answer.given for answer in answers])
        return any(answer.met.any() for answer in answers)


def in_front(low: Array, bias: float) -> bool:
    """Are all scores above 0 with this bias, if without it no score of a class is lower?"""
    if not np.isfinite([*low, bias]).all():
        return False
    negative, positive = (Fraction(float(each)) for each in low)
    return positive + Fraction(bias) > 0 and negative - Fraction(bias) > 0
