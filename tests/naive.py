"""Slow, obvious twins of every kernel, written from the lecture notes in exact fractions.

Nothing here imports the library. Floats are dyadic rationals, so a twin fed with floats
computes what the algorithm *means*, and a kernel that disagrees is wrong (or, on data
whose sums do not fit a float, rounded). Rows are lists of numbers, labels are -1 and +1.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product


@dataclass
class Run:
    """What a perceptron did: one entry of each list per update, in order."""

    w: list[Fraction]
    b: Fraction
    alpha: list[int]
    mistakes: list[int] = field(default_factory=list)  # per epoch
    changes: list[int] = field(default_factory=list)  # updates, with those on right answers
    seen: int = 0
    after_each: list = field(default_factory=list)  # (w, b) after each example seen
    updated: list = field(default_factory=list)  # (example, w before, b before)

    @property
    def converged(self):
        return self.changes[-1] == 0


def inner(u, v):
    return sum((Fraction(p) * Fraction(q) for p, q in zip(u, v, strict=True)), Fraction(0))


def is_mistake(y, score, tie):
    """Note 003 ("mistake"), notes 001 and 002 ("negative"), and the mirror image."""
    if score == 0:
        return {"mistake": True, "negative": y == +1, "positive": y == -1}[tie]
    return (score > 0) != (y > 0)


class Lengths:
    """What a margin is measured by: a mean squared length of the examples that have come.

    Example t, counted from 0, meets the mean of the first 2^k, the largest power of two that is at
    most t; later passes meet the mean of all.
    """

    def __init__(self):
        self.squares, self.all_known = [], False

    def mean(self):
        n = len(self.squares)
        if not n:
            return Fraction(0)
        n = n if self.all_known else 2 ** (n.bit_length() - 1)
        return sum(self.squares[:n], Fraction(0)) / n

    def meet(self, square):
        if not self.all_known:
            self.squares.append(square)


def perceptron(
    X,
    y,
    *,
    epochs=1,
    fit_intercept=True,
    tie="mistake",
    eta=1,
    slack=0,
    margin=0,
    weights=None,
    w0=None,
    b0=0,
    orders=None,
):
    """Algorithm 5 of note 003, with every convention of the five notes as an argument.

    ``slack`` adds the private feature of Freund & Schapire (1999, section 3.2): coordinate
    ``d + i`` is worth ``slack`` on example ``i`` and 0 on all others. With ``margin``, a right
    answer is learned from too, unless its margin is more than so many times what an update on an
    example of mean length adds to it (Krauth & Mezard 1987).
    """
    n, d = len(X), len(X[0])
    eta, slack = Fraction(eta), Fraction(slack)
    weights = [Fraction(c) for c in weights] if weights is not None else [Fraction(1)] * n
    w = [Fraction(v) for v in w0] if w0 is not None else [Fraction(0)] * d
    private = [Fraction(0)] * n
    run, lengths = Run(w=w, b=Fraction(b0), alpha=[0] * n), Lengths()
    for epoch in range(epochs):
        run.mistakes.append(0)
        run.changes.append(0)
        for i in orders[epoch] if orders is not None else range(n):
            score = inner(run.w, X[i]) + run.b + private[i] * slack
            wrong = is_mistake(y[i], score, tie)
            least = Fraction(margin) * eta * weights[i] * lengths.mean()
            lengths.meet(inner(X[i], X[i]) + int(fit_intercept) + slack**2)
            if wrong or (least > 0 and y[i] * score <= least):
                run.updated.append((i, list(run.w), run.b))
                step = eta * weights[i] * y[i]
                run.w = [wj + step * Fraction(xj) for wj, xj in zip(run.w, X[i], strict=True)]
                if fit_intercept:
                    run.b += step
                private[i] += step * slack
                run.alpha[i] += 1
                run.changes[-1] += 1
                run.mistakes[-1] += wrong
            run.seen += 1
            run.after_each.append((run.w, run.b))
        lengths.all_known = True
        if run.changes[-1] == 0:
            break
    return run


def average(run):
    """The mean of the weights after each example seen (note 003, and its erratum)."""
    w = [sum(column) / run.seen for column in zip(*(w for w, _ in run.after_each), strict=True)]
    return w, sum(b for _, b in run.after_each) / run.seen


def vote(run, x, tie="mistake"):
    """Every hyperplane votes once for each example it survived (note 003)."""
    total = 0
    for w, b in run.after_each:
        score = inner(w, x) + b
        on_the_line = +1 if tie == "positive" else -1
        total += on_the_line if score == 0 else (1 if score > 0 else -1)
    return Fraction(total, run.seen)


def shuffled(order, seed):
    """Fisher and Yates, with splitmix64 in plain integers."""
    order, state, mask = list(order), seed, 2**64 - 1
    for k in range(len(order) - 1, 0, -1):
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        z ^= z >> 31
        j = ((z >> 11) * (k + 1)) >> 53
        order[k], order[j] = order[j], order[k]
    return order


@dataclass
class WinnowRun:
    w: list[Fraction]
    mistakes: list[int]


def winnow(X, y, *, epochs=1, threshold=None, factor=2):
    """Note 001: double on a missed positive, halve on a false one."""
    n = len(X[0])
    threshold = Fraction(n if threshold is None else threshold)
    run = WinnowRun(w=[Fraction(1)] * n, mistakes=[])
    for _ in range(epochs):
        run.mistakes.append(0)
        for x, label in zip(X, y, strict=True):
            positive = inner(run.w, x) >= threshold
            if positive != (label > 0):
                change = Fraction(factor) if label > 0 else 1 / Fraction(factor)
                run.w = [wj * change if xj else wj for wj, xj in zip(run.w, x, strict=True)]
                run.mistakes[-1] += 1
        if run.mistakes[-1] == 0:
            break
    return run


def perceptron_loss(X, y, w, b=0):
    """Note 004: the sum of max(0, -y (w.x + b))."""
    return sum(
        max(Fraction(0), -yi * (inner(w, x) + Fraction(b))) for x, yi in zip(X, y, strict=True)
    )


def null_space(rows):
    """A basis of all `n` with `<row, n> = 0`, by Gauss and Jordan."""
    rows = [[Fraction(v) for v in row] for row in rows]
    width = len(rows[0])
    pivots = []
    for j in range(width):
        k = next((k for k in range(len(pivots), len(rows)) if rows[k][j]), None)
        if k is None:
            continue
        here = len(pivots)
        rows[here], rows[k] = rows[k], rows[here]
        rows[here] = [v / rows[here][j] for v in rows[here]]
        for other in range(len(rows)):
            if other != here and rows[other][j]:
                f = rows[other][j]
                rows[other] = [a - f * b for a, b in zip(rows[other], rows[here], strict=True)]
        pivots.append(j)
    basis = []
    for free in (j for j in range(width) if j not in pivots):
        n = [Fraction(0)] * width
        n[free] = Fraction(1)
        for here, j in enumerate(pivots):
            n[j] = -rows[here][free]
        basis.append(n)
    return basis


def augmented(X, y, bias):
    """The vectors `y (x, 1)`, or `y x`."""
    one = [1] if bias else []
    return [[label * Fraction(v) for v in [*x, *one]] for x, label in zip(X, y, strict=True)]


def verdict(X, y, bias=True):
    """The truth by brute force: which rows take part in some positive combination that is 0?

    Every such combination is a sum of minimal ones (circuits), whose rows have one
    dependency. None: separable (Gordan). All: inseparable (Stiemke). Else quasi-separable.
    """
    Z = augmented(X, y, bias)
    forced = set()
    for size in range(1, min(len(Z), len(Z[0]) + 1) + 1):
        for rows in combinations(range(len(Z)), size):
            if set(rows) <= forced:
                continue
            kernel = null_space([list(c) for c in zip(*(Z[i] for i in rows), strict=True)])
            if len(kernel) == 1 and (
                all(p > 0 for p in kernel[0]) or all(p < 0 for p in kernel[0])
            ):
                forced |= set(rows)
    if not forced:
        return "separable"
    return "inseparable" if len(forced) == len(Z) else "quasi-separable"


def check_certificate(told, X, y):
    """Check a separability certificate, as read from its JSON: plain fractions, no library."""
    Z = augmented(X, y, told["fit_intercept"])
    if told["verdict"] == "separable":
        v = [Fraction(float.fromhex(c)) for c in [*told["coef"], told["intercept"]]]
        if told["witness"] is not None:
            v = [Fraction(f) for f in told["witness"]]
        return all(inner(v[: len(z)], z) > 0 for z in Z)
    p = [Fraction(f) for f in told["multipliers"]]
    corral = [Z[i] for i in told["rows"]]
    if not (all(f > 0 for f in p) and sum(p) == 1 and len(p) == len(set(told["rows"]))):
        return False
    if any(inner(p, coordinate) for coordinate in zip(*corral, strict=True)):
        return False
    if told["verdict"] == "quasi-separable":
        v = [Fraction(f) for f in told["witness"]]
        s = [inner(v[: len(z)], z) for z in Z]
        return min(s) >= 0 and max(s) > 0
    kernel = null_space(corral)
    return told["verdict"] == "inseparable" and not any(inner(n, z) for n in kernel for z in Z)


def solved(A, b):
    """The one solution of A x = b, or None if there is not just one."""
    n = len(A)
    M = [[Fraction(v) for v in row] + [Fraction(r)] for row, r in zip(A, b, strict=True)]
    for k in range(n):
        pivot = next((i for i in range(k, n) if M[i][k]), None)
        if pivot is None:
            return None
        M[k], M[pivot] = M[pivot], M[k]
        M[k] = [v / M[k][k] for v in M[k]]
        for i in range(n):
            if i != k and M[i][k]:
                M[i] = [u - M[i][k] * v for u, v in zip(M[i], M[k], strict=True)]
    return [row[-1] for row in M]


def dual_value(X, y, alpha):
    """The objective of the widest separator's dual, and its w."""
    terms = list(zip(alpha, y, X, strict=True))
    w = [sum(a * s * x[j] for a, s, x in terms) for j in range(len(X[0]))]
    return sum(alpha) - inner(w, w) / 2, w


def widest(X, y, cost, bias=True):
    """The best dual value of all, its w and its multipliers; `cost` None stands for infinite.

    By trying for every example whether its multiplier is 0, at its cost, or between:
    the multipliers between solve linear equations. (Where those have more than one solution,
    some other choice has the same w: the best multipliers include a corner.)
    """
    X = [[Fraction(v) for v in x] for x in X]
    best = (Fraction(0), [Fraction(0)] * len(X[0]), [Fraction(0)] * len(X))
    for parts in product((0, 1) if cost is None else (0, 1, 2), repeat=len(X)):
        between = [i for i, part in enumerate(parts) if part == 1]
        alpha = [Fraction(0) if part != 2 else Fraction(cost[i]) for i, part in enumerate(parts)]
        fixed = dual_value(X, y, alpha)[1]
        A = [[y[i] * y[k] * inner(X[i], X[k]) for k in between] for i in between]
        b = [1 - y[i] * inner(fixed, X[i]) for i in between]
        if bias and between:
            A = [[*row, y[i]] for row, i in zip(A, between, strict=True)]
            A.append([*(y[i] for i in between), 0])
            b.append(-inner(alpha, y))
        found = solved(A, b) if between else []
        if found is None:
            continue
        for i, a in zip(between, found, strict=False):
            alpha[i] = a
        feasible = min(alpha) >= 0 and (
            cost is None or all(a <= c for a, c in zip(alpha, cost, strict=True))
        )
        if feasible and not (bias and inner(alpha, y)):
            best = max(best, (*dual_value(X, y, alpha), alpha))
    return best


# ------------------------------------------------------------- many classes


@dataclass
class ManyRun:
    """What a perceptron of many classes did. Weights have the bias last, one vector a class."""

    w: dict
    mistakes: list[int] = field(default_factory=list)  # per epoch
    changes: list[int] = field(default_factory=list)  # updates, with those on right answers
    alpha: dict = field(default_factory=dict)
    seen: int = 0
    after_each: list = field(default_factory=list)  # the weights after each example seen
    updated: list = field(default_factory=list)  # (example, class gained, class lost)


def best(scores, tie):
    """The class of the largest score; of several, the first or (for "positive") the last."""
    top = max(scores.values())
    among = sorted(c for c, s in scores.items() if s == top)
    return among[-1] if tie == "positive" else among[0]


def many_classes(
    X,
    y,
    *,
    kind="joint",
    known=(),
    epochs=1,
    fit_intercept=True,
    tie="mistake",
    eta=1,
    slack=0,
    margin=0,
    weights=None,
    start=None,
):
    """Kesler's construction (Duda & Hart 1973, section 5.12), or one machine a class.

    The classes in `known` take part from the start, any other from its first example on. With
    `slack`, example i has a private coordinate in the weights of every class.
    """
    n, d = len(X), len(X[0])
    eta, slack = Fraction(eta), Fraction(slack)
    weights = [Fraction(c) for c in weights] if weights is not None else [Fraction(1)] * n
    rows = [
        [Fraction(v) for v in x]
        + [Fraction(int(fit_intercept))]
        + [slack * (i == j) for j in range(n)]
        for i, x in enumerate(X)
    ]
    zero = [Fraction(0)] * (d + 1 + n)
    run = ManyRun(w={c: list(zero) for c in known}, alpha=dict.fromkeys(range(n), 0))
    lengths = Lengths()
    for c, w in (start or {}).items():
        run.w[c][: d + 1] = [Fraction(v) for v in w]

    def move(c, a, x):
        run.w[c] = [wj + a * xj for wj, xj in zip(run.w[c], x, strict=True)]

    for _ in range(epochs):
        run.mistakes.append(0)
        run.changes.append(0)
        for i, (x, label) in enumerate(zip(rows, y, strict=True)):
            run.w.setdefault(label, list(zero))
            a = eta * weights[i]
            least = Fraction(margin) * a * lengths.mean() * (2 if kind == "joint" else 1)
            lengths.meet(inner(x, x))
            s = {c: inner(w, x) for c, w in run.w.items()}
            made = []
            if kind == "joint":
                others = {c: v for c, v in s.items() if c != label}
                if others:
                    rival = best(others, tie)
                    pair = {label: s[label], rival: s[rival]}
                    wrong = best(pair, tie) != label
                    wrong = wrong or (tie == "mistake" and s[label] == s[rival])
                    if wrong or (least > 0 and s[label] - s[rival] <= least):
                        made = [(label, rival, wrong)]
            elif len(s) > 1:
                for c in sorted(s):
                    own = 1 if c == label else -1
                    wrong = is_mistake(own, s[c], tie)
                    if wrong or (least > 0 and own * s[c] <= least):
                        made.append((c, None, wrong) if own > 0 else (None, c, wrong))
            for gained, lost, wrong in made:
                if gained is not None:
                    move(gained, a, x)
                if lost is not None:
                    move(lost, -a, x)
                run.updated.append((i, gained, lost))
                run.alpha[i] += 1
                run.changes[-1] += 1
                run.mistakes[-1] += wrong
            run.seen += 1
            run.after_each.append({c: w[: d + 1] for c, w in run.w.items()})
        lengths.all_known = True
        if run.changes[-1] == 0:
            break
    return run


def many_average(run):
    """The mean of each class's weights after each example; before it took part they were 0."""
    width = len(next(iter(run.after_each[-1].values())))
    return {
        c: [
            sum(w[c][j] for w in run.after_each if c in w) / Fraction(run.seen)
            for j in range(width)
        ]
        for c in run.w
    }


def many_votes(run, x, *, kind="joint", fit_intercept=True, tie="mistake"):
    """Every set of hyperplanes votes for its best class; or each machine for or against its own."""
    x = [*x, int(fit_intercept)]
    votes = dict.fromkeys(run.w, 0)
    for weights in run.after_each:
        s = {c: inner(weights[c], x) if c in weights else Fraction(0) for c in run.w}
        if kind == "joint":
            votes[best(s, tie)] += 1
        else:
            for c in run.w:
                on_line = 1 if tie == "positive" else -1
                votes[c] += on_line if s[c] == 0 else (1 if s[c] > 0 else -1)
    return {c: Fraction(v, run.seen) for c, v in votes.items()}
