"""Slow obvious twins of the kernel machines: one weight vector a class, in fractions.

A weight vector in a feature space is a dictionary from examples to what they are multiplied by.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import log

from naive import Lengths, inner, is_mistake


def poly(gamma, degree, coef0):
    """The polynomial kernel, exactly."""
    return lambda u, v: (Fraction(gamma) * inner(u, v) + Fraction(coef0)) ** degree


def linear(u, v):
    return inner(u, v)


@dataclass
class Machine:
    """A kernel perceptron of any number of classes, and all the weights it ever had.

    A class takes part once it is known; until then it has no weights. Two classes of a
    joint machine are two weight vectors here, where the library has one: half their difference.
    """

    kernel: object
    tie: str = "mistake"
    multi_class: str = "joint"
    margin: float = 0.0
    lengths: Lengths = field(default_factory=Lengths)
    rows: list = field(default_factory=list)
    alpha: dict = field(default_factory=dict)  # class -> {row number: coefficient}
    history: list = field(default_factory=list)  # alpha after each example
    mistakes: list = field(default_factory=list)
    margins: list = field(default_factory=list)  # of each decision, before its update
    changes: int = 0  # updates, with those on right answers

    def know(self, classes):
        for c in classes:
            self.alpha.setdefault(c, {})

    def score(self, alpha, x):
        return sum((a * self.kernel(self.rows[j], x) for j, a in alpha.items()), Fraction(0))

    def best(self, scores):
        """The class that is predicted."""
        order = sorted(scores, reverse=self.tie == "positive")
        return max(order, key=lambda c: scores[c])

    def learn(self, i, x, y, weight=1):
        """See one example, the `i`-th of the data, and update on a mistake; how many there were.

        An update is multiplied by the weight; an example of weight 0 is not there.
        """
        if not weight:
            return 0
        self.step = Fraction(weight)
        self.least = Fraction(self.margin) * self.step * self.lengths.mean()
        self.lengths.meet(self.kernel(x, x))
        scores = {c: self.score(alpha, x) for c, alpha in self.alpha.items()}
        if self.multi_class == "joint" or len(scores) <= 2:
            made = self.joint(i, scores, y)
        else:
            made = self.against_rest(i, scores, y)
        self.history.append({c: dict(alpha) for c, alpha in self.alpha.items()})
        return made

    def joint(self, i, scores, y):
        rivals = {c: s for c, s in scores.items() if c != y}
        if not rivals:
            return 0
        rival = self.best(rivals)
        self.margins.append(scores[y] - scores[rival])
        tied = scores[y] == scores[rival]
        wrong = scores[y] < scores[rival] or (
            tied and (self.tie == "mistake" or self.best(scores) != y)
        )
        if wrong or (self.least > 0 and self.margins[-1] <= 2 * self.least):
            self.add(y, i, +1)
            self.add(rival, i, -1)
        return int(wrong)

    def against_rest(self, i, scores, y):
        made = 0
        for c, s in scores.items():
            sign = +1 if c == y else -1
            self.margins.append(sign * s)
            wrong = is_mistake(sign, s, self.tie)
            if wrong or (self.least > 0 and sign * s <= self.least):
                self.add(c, i, sign)
            made += wrong
        return made

    def add(self, c, i, a):
        self.changes += 1
        self.alpha[c][i] = self.alpha[c].get(i, 0) + a * self.step

    # ------------------------------------------------------ predicting

    def last(self, x):
        return {c: self.score(alpha, x) for c, alpha in self.alpha.items()}

    def averaged(self, x):
        """The mean of the scores by all weights, one after each example."""
        total = dict.fromkeys(self.alpha, Fraction(0))
        for alpha in self.history:
            for c in alpha:
                total[c] += self.score(alpha[c], x)
        return {c: s / len(self.history) for c, s in total.items()}

    def voted(self, x):
        """Joint: how often each class won. Else: the votes of each weight vector on its class."""
        total = dict.fromkeys(self.alpha, Fraction(0))
        for alpha in self.history:
            scores = {c: self.score(alpha[c], x) for c in alpha}
            if self.multi_class == "joint" or len(scores) <= 2:
                total[self.best(scores)] += 1
            else:
                for c, s in scores.items():
                    on_line = +1 if self.tie == "positive" else -1
                    total[c] += on_line if s == 0 else (1 if s > 0 else -1)
        return {c: v / len(self.history) for c, v in total.items()}

    def square(self, c):
        """The squared length of a weight vector."""
        return sum(a * self.score(self.alpha[c], self.rows[j]) for j, a in self.alpha[c].items())


def perceptron(X, y, kernel, *, epochs=1, weight=None, **options):
    """Some epochs over the data in its order, all classes known from the start."""
    machine = Machine(kernel, rows=list(X), **options)
    machine.know(sorted(set(y)))
    for _ in range(epochs):
        machine.margins, machine.changes = [], 0
        weights = [1] * len(X) if weight is None else weight
        machine.mistakes.append(
            sum(machine.learn(i, X[i], y[i], weights[i]) for i in range(len(X)))
        )
        machine.lengths.all_known = True
        if machine.changes == 0:
            break
    return machine


# ------------------------------------------------------------- ROMMA


def shortest(w, x, y):
    """The shortest `v` with `y <v, x> >= 1` and `<v, w> >= <w, w>`, or None; as its two shares.

    By trying what may be tight: the first constraint alone, or both; the second alone gives `w`.
    Returns `(f, d)` for `v = f w + d y x`.
    """
    q, m, xx = inner(w, w), y * inner(w, x), inner(x, x)
    if xx == 0:
        return None
    if m / xx >= q:  # y x / <x, x> meets the second constraint too
        return Fraction(0), 1 / Fraction(xx)
    if m >= 1:
        return Fraction(1), Fraction(0)
    # both tight: f q + d m = q and f m + d xx = 1
    determinant = q * xx - m * m
    if determinant == 0:
        return None
    return (q * xx - m) / determinant, (q - q * m) / determinant


def romma(X, y, *, epochs=1, edge=0):
    """Some epochs of ROMMA with a plain weight vector; `edge` 1 for the aggressive form."""
    w, mistakes = [Fraction(0)] * len(X[0]), []
    for _ in range(epochs):
        mistakes.append(0)
        for x, sign in zip(X, y, strict=True):
            m = sign * inner(w, x)
            mistakes[-1] += m <= 0
            shares = shortest(w, x, sign) if m <= 0 or m < edge else None
            if shares is not None:
                f, d = shares
                w = [f * a + d * sign * Fraction(b) for a, b in zip(w, x, strict=True)]
    return w, mistakes


# ------------------------------------------------------------- on a budget


def forgetron(X, y, kernel, budget, radius, *, epochs=1):
    """The Forgetron for labels of -1 and +1, in floats: its shrinking takes roots.

    Returns the rows kept, as pairs of row number and coefficient, the oldest first; mistakes by
    epoch; and what each forgotten row was worth.
    """
    n = budget + 1
    Phi, U = n ** (-0.5 / n), 0.25 * (n / log(n)) ** 0.5
    kept, mistakes, forgotten = [], [], []

    def score(x):
        return sum(a * float(kernel(X[j], x)) for j, a in kept)

    for _ in range(epochs):
        mistakes.append(0)
        for i, (x, sign) in enumerate(zip(X, y, strict=True)):
            if sign * score(x) > 0:
                continue
            mistakes[-1] += 1
            kept.append((i, float(sign)))
            length = sum(a * score(X[j]) for j, a in kept) ** 0.5
            phi = min(Phi, U * radius / length)
            kept[:] = [(j, phi * a) for j, a in kept]
            if len(kept) > budget:
                forgotten.append(abs(kept.pop(0)[1]))
        if not mistakes[-1]:
            break
    return kept, mistakes, forgotten
