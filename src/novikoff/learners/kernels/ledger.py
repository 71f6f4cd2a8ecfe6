"""What the run of a kernel perceptron proves about margins and mistakes."""

from math import hypot, sqrt

import numpy as np

from novikoff.certificates.bracket import Bracket
from novikoff.inputs.weights import felt
from novikoff.learners.kernels import gram
from novikoff.learners.kernels.forgetron import Cycle
from novikoff.learners.kernels.run import DualTelling
from novikoff.learners.kernels.support import CHUNK
from novikoff.proofs.bounds import Count, forgetron_bound, novikoff_bound

TINY = 1e-270
"""Below this a square may have lost digits."""


class DualMargin(DualTelling):
    """A kernel perceptron, which proves a bound on its mistakes (abstract)."""

    budget: int | None

    def _brackets(self) -> list[Bracket]:
        """What is proved about the margin of each problem, rounding allowed for."""
        run = self._fitted()
        u, R = float(np.finfo(run.dtype).eps), self._step_length()
        value = gram.rounding(run.kernel, run.width, run.ledger.longest, run.ledger.largest, u)
        value += (CHUNK + 16) * u * run.ledger.largest + self._unfelt()
        forgets = isinstance(run.history, Cycle)  # then weights are no sum of all updates
        found = []
        for q, M, total, least in zip(
            *(
                numbers.tolist()
                for numbers in (
                    run.ledger.squares,
                    run.ledger.counts,
                    run.ledger.total,
                    run.ledger.least,
                )
            ),
            strict=True,
        ):
            if (
                M and not TINY < total * total * run.ledger.largest < np.inf
            ):  # squares are not exact here
                found.append(Bracket(0.0, R))
                continue
            uneven = M * float(np.finfo(float).eps) * (total != M)  # the sums of other steps than 1
            strayed = (2 * value + uneven * run.ledger.largest) * total  # a score from the true one
            length = sqrt(max(0.0, q + 4 * total * strayed)) * (1 + 16 * u + uneven)
            lower = 0.0
            if self.converged_ and not run.stream.is_open and length > 0:
                lower = max(0.0, (least - strayed) / length)
            found.append(Bracket(lower, min(R, length / total) if M and not forgets else R))
        return found

    def _unfelt(self) -> float:
        """How much of a kernel value, or of one times a step, is lost below the range of floats."""
        run = self._fitted()
        steep = max(1.0, run.kernel.degree * run.kernel.gamma * max(1.0, run.ledger.largest))
        return float(np.finfo(run.dtype).smallest_subnormal) * (run.width + CHUNK + 16) * steep

    def _step_length(self) -> float:
        """The largest length of an update."""
        return self.radius_ * (sqrt(2.0) if self._fitted().is_joint else 1.0)

    @property
    def margin_(self) -> Bracket:
        r"""Bounds on the margin of the examples in the feature space that the run proves.

        The lower end is the margin of the separator that the run found, or 0 if the run did not
        converge. The upper end is $\|w\| / M$ after $M$ updates (with weights, $M$ is the sum of
        theirs), which no margin exceeds. Both ends allow for rounding errors of the run. With
        ``multi_class="ovr"``, it is the smallest margin of a class against the rest.
        """
        all_of_them = self._brackets()
        return Bracket(min(b.lower for b in all_of_them), min(b.upper for b in all_of_them))

    @property
    def mistake_bound_(self) -> float:
        """The largest number of mistakes that any order of these examples can force.

        It follows from the lower ends of the margins by Novikoff's theorem; it is infinite if one
        of them is 0. With weighted examples, it is multiplied by the ratio of the largest to the
        smallest weight.
        """
        return self._most("mistakes")

    @property
    def update_bound_(self) -> float:
        """The largest number of updates that any order of these examples can force.

        The same as `mistake_bound_`, unless `margin` is above 0.
        """
        return self._most("updates")

    def _most(self, count: Count) -> float:
        R, ledger = self._step_length(), self._fitted().ledger
        if self.budget is not None:
            return forgetron_bound(R, self.margin_.lower, self.budget)
        rho, ends = felt(ledger.step_ratio, self._state.dtype), self._brackets()
        R = hypot(R, sqrt(2 * rho * self._unfelt())) if rho < np.inf else R
        return sum(
            novikoff_bound(R, end.lower, step_ratio=rho, update_margin=ledger.margin, count=count)
            for end in ends
        )
