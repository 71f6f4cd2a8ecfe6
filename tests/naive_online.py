"""Slow, obvious twins of the learners that heed margins, in exact fractions, from their papers.

Nothing here imports the library. A machine is a list of weights, the bias last, and what it keeps
beside them; an example has a 1 (or a 0) for the bias. Where a paper takes a square root, or
fractions would grow too long, numbers are `Decimal`s of 50 digits.
"""

from dataclasses import dataclass, field
from decimal import Decimal, getcontext
from fractions import Fraction
from statistics import NormalDist

from naive import inner, is_mistake, solved

getcontext().prec = 50


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
    nearest: list = field(default_factory=list)  # how near each decision was to another

    def clear(self):
        """Was every decision so clear that rounding could not have changed it?"""
        return all(distance > 1e-9 for distance in self.nearest)

    def look(self, m, w, *levels):
        """A margin of these weights decides by whether it is above 0, and above each level.

        A margin of 0 of weights that are 0 is 0 in any arithmetic.
        """
        self.nearest += [abs(m - level) for level in (0, *levels) if level or m or any(w)]


def augmented(X, bias, number=Fraction):
    return [[*map(number, x), number(int(bias))] for x in X]


def dotted(u, v):
    return sum(p * q for p, q in zip(u, v, strict=True))


def run_machines(
    learn, fresh, X, y, *, epochs=1, bias=True, weights=None, levels=(), number=Fraction
):
    """Two classes have one machine, of the larger label; more have one each, against the rest.

    `learn(machine, x, sign, margin, weight)` changes the machine, and says whether it did; what
    it decides by is whether the margin is above one of the `levels`.
    """
    labels = sorted(set(y))
    rows = augmented(X, bias, number)
    weights = [1] * len(X) if weights is None else weights
    names = [labels[-1]] if len(labels) == 2 else labels
    run = OnlineRun({c: fresh(len(rows[0])) for c in names})
    for _ in range(epochs):
        run.mistakes.append(0)
        run.changes.append(0)
        for x, label, c in zip(rows, y, map(number, weights), strict=True):
            for name, machine in run.machines.items():
                sign = 1 if label == name else -1
                m = sign * dotted(machine.w, x)
                run.look(m, machine.w, *levels)
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

    return run_machines(learn, zeros, X, y, levels=(1,), **options)


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
            run.look(m, every, 1)
            if len(ranked) > 1 and any(every):  # which is the best of the others must be clear
                run.nearest.append(s[ranked[0]] - s[ranked[1]])
            run.mistakes[-1] += m <= 0
            if m < 1 and any(x):
                step = tau(variant, C, 1 - m, 2 * inner(x, x))
                w[label].w = added(w[label].w, step, x)
                w[ranked[0]].w = added(w[ranked[0]].w, -step, x)
                run.changes[-1] += 1
        if run.changes[-1] == 0:
            break
    return run


# ------------------------------------------------------------- with a covariance


def identity(n, number=Fraction):
    return [[number(int(i == j)) for j in range(n)] for i in range(n)]


def diagonal_of(S):
    return [[v if i == j else v * 0 for j, v in enumerate(row)] for i, row in enumerate(S)]


def moved(machine, x, step, beta, covariance):
    """The weights by `step` times S x, and S less `beta` times S x x' S; or its diagonal."""
    Sx = [dotted(row, x) for row in machine.beside]
    machine.w = added(machine.w, step, Sx)
    machine.beside = [
        [v - beta * Sx[i] * Sx[j] for j, v in enumerate(row)]
        for i, row in enumerate(machine.beside)
    ]
    if covariance == "diagonal":
        machine.beside = diagonal_of(machine.beside)


def variance(machine, x):
    return dotted(x, [dotted(row, x) for row in machine.beside])


def arow(X, y, *, r=1, covariance="diagonal", **options):
    """Figure 1 of Crammer, Kulesza & Dredze (2009); an example of weight c has r / c.

    With 50 digits: the fractions of a diagonal multiply their length in every update.
    """

    def learn(machine, x, sign, m, weight):
        if m >= 1 or not any(x):
            return False
        beta = 1 / (variance(machine, x) + Decimal(r) / weight)
        moved(machine, x, (1 - m) * beta * sign, beta, covariance)
        return True

    def fresh(n):
        return Machine([Decimal(0)] * n, identity(n, Decimal))

    return run_machines(learn, fresh, X, y, levels=(1,), number=Decimal, **options)


def second_order(X, y, *, a=1, covariance="full", **options):
    """Figure 3.1 of Cesa-Bianchi, Conconi & Gentile (2005): the equations solved anew each time."""

    def learn(machine, x, sign, m, weight):
        if m > 0 or not any(x):
            return False
        v, A = machine.beside
        v = added(v, weight * sign, x)
        A = [[A[i][j] + weight * x[i] * x[j] for j in range(len(x))] for i in range(len(x))]
        if covariance == "diagonal":
            A = diagonal_of(A)
        machine.beside, machine.w = (v, A), solved(A, v)
        return True

    def fresh(n):
        A = [[Fraction(a) * v for v in row] for row in identity(n)]
        return Machine([Fraction(0)] * n, ([Fraction(0)] * n, A))

    return run_machines(learn, fresh, X, y, **options)


def scw(X, y, *, C=1, eta=0.9, variant="I", covariance="diagonal", **options):
    """Propositions 1 and 2 of Wang, Zhao & Hoi (2012), with 50 digits."""
    phi, losses = Decimal(NormalDist().inv_cdf(eta)), []

    def learn(machine, x, sign, m, weight):
        v, cost = variance(machine, x), Decimal(C) * weight
        losses.append(phi * v.sqrt() - m)
        if losses[-1] <= Decimal("1e-30"):
            return False
        if variant == "I":
            psi, zeta = 1 + phi**2 / 2, 1 + phi**2
            root = (m**2 * phi**4 / 4 + v * phi**2 * zeta).sqrt()
            alpha = min(cost, max(Decimal(0), (-m * psi + root) / (v * zeta)))
        else:
            n = v + 1 / (2 * cost)
            gamma = phi * (phi**2 * m**2 * v**2 + 4 * n * v * (n + v * phi**2)).sqrt()
            top = -(2 * m * n + phi**2 * m * v) + gamma
            alpha = max(Decimal(0), top / (2 * (n**2 + n * v * phi**2)))
        u = (-alpha * v * phi + (alpha**2 * v**2 * phi**2 + 4 * v).sqrt()) ** 2 / 4
        beta = alpha * phi / (u.sqrt() + v * alpha * phi)
        moved(machine, x, alpha * sign, beta, covariance)
        return True

    def fresh(n):
        return Machine([Decimal(0)] * n, identity(n, Decimal))

    run = run_machines(learn, fresh, X, y, number=Decimal, **options)
    run.nearest += [abs(loss) for loss in losses]
    return run


# ------------------------------------------------------------- balanced Winnow


def balanced_winnow(X, y, *, factor=1.5, **options):
    """Positive and negative weights, each multiplied on a mistake, with 50 digits.

    An example with a number beyond 1 is divided by the largest, without its sign, to learn from.
    """

    def learn(machine, x, sign, m, weight):
        if m > 0 or not any(x):
            return False
        size = max(1, *map(abs, x))
        change = [Decimal(factor) ** (sign * weight * xj / size) for xj in x]
        plus, minus = machine.beside
        plus = [p * c for p, c in zip(plus, change, strict=True)]
        minus = [p / c for p, c in zip(minus, change, strict=True)]
        machine.beside = plus, minus
        machine.w = [p - q for p, q in zip(plus, minus, strict=True)]
        return True

    def fresh(n):
        return Machine([Decimal(0)] * n, ([Decimal(1)] * n, [Decimal(1)] * n))

    return run_machines(learn, fresh, X, y, number=Decimal, **options)


# ------------------------------------------------------------- the pocket


@dataclass
class PocketRun:
    """The weights in the pocket, the bias last, their errors if known, and the mistakes made."""

    pocket: list
    errors: int | None = None
    mistakes: list = field(default_factory=list)
    checked: int = 0  # rows read to count errors


def pocket(X, y, *, checks=2, epochs=1, fit_intercept=True, tie="mistake", eta=1):
    """The longest run of right answers decides; from the second epoch on, fewer errors do.

    In those, the `checks` weights of an epoch with the longest runs are looked at, and its last
    ones, the earlier first; of two with the same run, the earlier ranks first.
    """
    rows = augmented(X, fit_intercept)
    w, length, longest = [Fraction(0)] * len(rows[0]), 0, 0
    run = PocketRun(pocket=w)

    def errs(v, i):
        return is_mistake(y[i], dotted(v, rows[i]), tie)

    def count(v, most):
        found = 0
        for i in range(len(rows)):
            run.checked += 1
            found += errs(v, i)
            if found >= most:
                break
        return found

    for epoch in range(epochs):
        run.mistakes.append(0)
        met = []  # the weights of the epoch, each with its run of right answers
        for i in range(len(rows)):
            if errs(w, i):
                met.append((length, w))
                w, length = added(w, Fraction(eta) * y[i], rows[i]), 0
                run.mistakes[-1] += 1
            else:
                length += 1
        met.append((length, w))
        if epoch == 0:
            best = max(n for n, _ in met)
            if best > longest:
                run.pocket = next(v for n, v in met if n == best)
        elif not run.mistakes[-1]:
            run.pocket, run.errors = w, 0
        else:
            if run.errors is None:
                run.errors = count(run.pocket, len(rows) + 1)
            ranked = sorted(range(len(met)), key=lambda k: -met[k][0])[:checks]
            for k in sorted({*ranked, len(met) - 1}):
                if run.errors and (found := count(met[k][1], run.errors)) < run.errors:
                    run.pocket, run.errors = met[k][1], found
        if not run.mistakes[-1]:
            break
    return run
