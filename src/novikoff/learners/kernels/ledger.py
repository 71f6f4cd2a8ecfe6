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
        r"""What the run proves about the margin of its examples in the feature space.

        The lower end is the margin of the separator it ended with, 0 if it did not end; the
        upper end is $\|w\| / M$ after $M$ updates, which no margin exceeds (with weights, $M$ is
        the sum of theirs). Both allow for the rounding of the run. With "ovr" it is the least
        margin of the classes against the rest.
        """
        all_of_them = self._brackets()
        return Bracket(min(b.lower for b in all_of_them), min(b.upper for b in all_of_them))

    @property
    def mistake_bound_(self) -> float:
        """The most mistakes that any order of these examples can force.

        What the lower ends of the margins imply by Novikoff's theorem; infinite if one is 0. Where
        examples have weights it is as many times more as the largest is that of the least.
        """
        return self._most("mistakes")

    @property
    def update_bound_(self) -> float:
        """The most updates that any order of these examples can force.

        As many as mistakes, unless a `margin` is asked for.
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
