"""Slow, obvious twins of the learners that heed margins, in exact fractions, from their papers.

Nothing here imports the library. A machine is a list of weights, the bias last, and what it keeps
beside them; an example has a 1 (or a 0) for the bias. Where a paper takes a square root, numbers
are `Decimal`s of 50 digits.
"""

from dataclasses import dataclass, field
from fractions import Fraction

from naive import inner


@dataclass
class Machine:
    """The weights of one machine, and what it keeps beside them."""

    w: list
    beside: list = field(default_factory=list)


@dataclass
class OnlineRun:
    """What a learner did, on all its machines."""

    machines: dict
    mistakes: list = field(default_factory=list)  # per epoch
    changes: list = field(default_factory=list)  # per epoch
    margins: list = field(default_factory=list)  # of every visit of every machine

    def clear(self, *levels):
        """Was every margin away from these levels, so that rounding decided nothing?

        A margin of 0 of weights that are 0 is 0 in any arithmetic.
        """
        return all(
            abs(m - level) > Fraction(1, 10**9) or (m == level == 0 and not any(w))
            for m, w in self.margins
            for level in levels
        )


def augmented(X, bias):
    return [[*map(Fraction, x), Fraction(int(bias))] for x in X]


def run_machines(learn, fresh, X, y, *, epochs=1, bias=True, weights=None):
    """Two classes, -1 and +1, have one machine; more have one each, against the rest.

    `learn(machine, x, sign, margin, weight)` changes the machine, and says whether it did.
    """
    labels = sorted(set(y))
    rows = augmented(X, bias)
    weights = [1] * len(X) if weights is None else weights
    names = [labels[-1]] if len(labels) == 2 else labels
    run = OnlineRun({c: fresh(len(rows[0])) for c in names})
    for _ in range(epochs):
        run.mistakes.append(0)
        run.changes.append(0)
        for x, label, c in zip(rows, y, map(Fraction, weights), strict=True):
            for name, machine in run.machines.items():
                sign = 1 if label == name else -1
                m = sign * inner(machine.w, x)
                run.margins.append((m, list(machine.w)))
                run.mistakes[-1] += m <= 0
                run.changes[-1] += bool(learn(machine, x, sign, m, c))
        if run.changes[-1] == 0:
            break
    return run


def added(w, a, x):
    return [wj + a * xj for wj, xj in zip(w, x, strict=True)]


def zeros(n):
    return Machine([Fraction(0)] * n)


# ------------------------------------------------------------- passive-aggressive


def tau(variant, C, loss, square):
    """Figure 1 of Crammer et al. (2006)."""
    C = Fraction(C)
    return {
        "PA": lambda: loss / square,
        "PA-I": lambda: min(C, loss / square),
        "PA-II": lambda: loss / (square + 1 / (2 * C)),
    }[variant]()


def passive_aggressive(X, y, *, C=1, variant="PA-I", **options):
    """Two classes, or many with a machine each."""

    def learn(machine, x, sign, m, weight):
        if m >= 1 or not any(x):
            return False
        step = weight * sign * tau(variant, C, 1 - m, inner(x, x))
        machine.w = added(machine.w, step, x)
        return True

    return run_machines(learn, zeros, X, y, **options)


def passive_aggressive_jointly(X, y, *, C=1, variant="PA-I", epochs=1, bias=True):
    """Section 7: the least right label against the highest wrong one, of a single right label."""
    rows, labels = augmented(X, bias), sorted(set(y))
    run = OnlineRun({c: zeros(len(rows[0])) for c in labels})
    w = run.machines
    for _ in range(epochs):
        run.mistakes.append(0)
        run.changes.append(0)
        for x, label in zip(rows, y, strict=True):
            s = {c: inner(w[c].w, x) for c in labels}
            ranked = sorted((c for c in labels if c != label), key=lambda c: -s[c])
            m = s[label] - s[ranked[0]]
            every = [v for c in labels for v in w[c].w]
            run.margins.append((m, every))
            if len(ranked) > 1 and any(every):  # which is the best of the others must be clear
                run.margins.append((s[ranked[0]] - s[ranked[1]], every))
            run.mistakes[-1] += m <= 0
            if m < 1 and any(x):
                step = tau(variant, C, 1 - m, 2 * inner(x, x))
                w[label].w = added(w[label].w, step, x)
                w[ranked[0]].w = added(w[ranked[0]].w, -step, x)
                run.changes[-1] += 1
        if run.changes[-1] == 0:
            break
    return run
