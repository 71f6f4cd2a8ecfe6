"""The perceptron for sequences, slowly: every sequence of labels is looked at, in fractions.

From Collins (2002), figure 1, with the convention that a tie is a mistake; with a beam, from Huang,
Fayong & Guo (2012), sections 3 and 5.
"""

from fractions import Fraction
from itertools import pairwise, product
from math import inf


class Run:
    """A run over sequences of feature vectors, whose labels are numbers from 0 on."""

    def __init__(
        self, n_features, n_labels, *, eta=1, bias=True, least=0, beam=None, early=True, valid=None
    ):
        """With `valid`, only labels for which it is true compete; it knows if they are whole."""
        self.beam, self.early, self.valid = beam, early, valid or (lambda z, whole: True)
        self.d, self.K, self.eta = n_features, n_labels, Fraction(eta)
        self.bias, self.least = int(bias), Fraction(least)
        self.W = [[Fraction(0)] * (n_features + 1) for _ in range(n_labels)]
        self.T = [[Fraction(0)] * n_labels for _ in range(n_labels)]
        self.sum_W = [[Fraction(0)] * (n_features + 1) for _ in range(n_labels)]
        self.sum_T = [[Fraction(0)] * n_labels for _ in range(n_labels)]
        self.seen, self.mistakes, self.updates = 0, [], 0
        self.record = []  # of each update: the rival, by how much it was led, the weights after it

    def score(self, xs, z):
        """The score of labels."""
        steps = sum(
            sum(w * Fraction(v) for w, v in zip(self.W[c], [*x, self.bias], strict=True))
            for x, c in zip(xs, z, strict=True)
        )
        return steps + sum(self.T[q][c] for q, c in pairwise(z))

    def rivals(self, y):
        """All labels but the right ones."""
        every = product(range(self.K), repeat=len(y))
        return [z for z in every if z != tuple(y) and self.valid(z, True)]

    def predict(self, xs):
        """The best labels; of those that are as good, the least, read from the end.

        A beam keeps the best that end in each label, and of these the best few.
        """

        def rank(z):
            return self.score(xs[: len(z)], z), [-c for c in reversed(z)]

        if self.beam is None:
            every = product(range(self.K), repeat=len(xs))
            return max((z for z in every if self.valid(z, True)), key=rank)
        kept = [()]
        for t in range(len(xs)):
            longer = [(*z, c) for z in kept for c in range(self.K)]
            kept = self.best_few([z for z in longer if self.valid(z, t == len(xs) - 1)], rank)
        return kept[0]

    def best_few(self, labels, rank):
        """The best that end in each label, and of these as many as the beam has."""
        best = {}
        for z in labels:
            if z[-1] not in best or rank(z) > rank(best[z[-1]]):
                best[z[-1]] = z
        return sorted(best.values(), key=lambda z: (-rank(z)[0], z[-1]))[: self.beam]

    def rank(self, xs, y, cost):
        """By what wrong labels are compared, each of which scores `cost` more."""

        def rank(z):
            wrong = sum(a != b for a, b in zip(z, y, strict=False))
            late = [(-z[t], z[: t + 1] == tuple(y[: t + 1])) for t in reversed(range(len(z)))]
            return self.score(xs[: len(z)], z) + cost * wrong, late

        return rank

    def rival(self, xs, y, cost):
        """The best wrong labels, where each that is wrong scores `cost` more, and their score."""
        rank = self.rank(xs, y, cost)
        if self.beam is None:
            z = max(self.rivals(y), key=rank, default=None)
            return z, -inf if z is None else rank(z)[0]
        kept, lost, found = [], False, []
        for t in range(1, len(y) + 1):
            right, before = tuple(y[:t]), [*kept, tuple(y[: t - 1])]
            longer = [(*z, c) for z in before for c in range(self.K)]
            whole = t == len(y)
            wrong = [z for z in longer if z != right and self.valid(z, whole)]
            kept = self.best_few(wrong, rank)
            best = {z[-1]: rank(z)[0] for z in wrong}
            for z in wrong:
                best[z[-1]] = max(best[z[-1]], rank(z)[0])
            own = self.score(xs[:t], right)
            lost = lost or sum(s >= own for s in best.values()) >= self.beam
            if kept:
                found.append((rank(kept[0])[0] - own, t, kept[0]))
            if lost and self.early:
                break
        behind = bool(found) and found[-1][1] == len(y) and found[-1][0] >= 0
        if not self.early and (lost or behind):
            z = max(found)[2]
        elif found and (lost or found[-1][1] == len(y)):
            z = found[-1][2]
        else:
            return None, -inf
        return z, rank(z)[0]

    def visit(self, xs, y, weight=1):
        """Learn from one sequence; was it updated on, and was it mistaken?"""
        cost = self.least * Fraction(weight) / len(y)
        z, best = self.rival(xs, y, cost)
        updated = z is not None and self.score(xs[: len(z)], y[: len(z)]) <= best
        r, free = self.rival(xs, y, 0)
        mistaken = r is not None and self.score(xs[: len(r)], y[: len(r)]) <= free
        if updated:
            lead = self.score(xs[: len(z)], y[: len(z)]) - self.score(xs[: len(z)], z)
            a = self.eta * Fraction(weight)
            for labels, sign in ((y[: len(z)], a), (z, -a)):
                for x, c in zip(xs, labels, strict=False):
                    for j, v in enumerate([*x, self.bias]):
                        self.W[c][j] += sign * Fraction(v)
                for q, c in pairwise(labels):
                    self.T[q][c] += sign
            self.updates += 1
            self.record.append((z, lead, [list(w) for w in self.W], [list(q) for q in self.T]))
        self.seen += 1
        for sums, now in ((self.sum_W, self.W), (self.sum_T, self.T)):
            for c, row in enumerate(now):
                for j, v in enumerate(row):
                    sums[c][j] += v
        return updated, mistaken

    def fit(self, X, Y, epochs, weights=None):
        """Passes in the order given, until one makes no update."""
        for _ in range(epochs):
            made = [
                self.visit(xs, y, 1 if weights is None else weights[i])
                for i, (xs, y) in enumerate(zip(X, Y, strict=True))
                if weights is None or weights[i]
            ]
            self.mistakes.append(sum(mistaken for _, mistaken in made))
            if not any(updated for updated, _ in made):
                break
        return self

    def mean(self):
        """The mean of the weights after each sequence."""
        return (
            [[v / self.seen for v in row] for row in self.sum_W],
            [[v / self.seen for v in row] for row in self.sum_T],
        )


def shape(word):
    """Upper case letters as X, lower case ones as x, digits as 0; at most three alike in a row."""
    found = ""
    for c in word:
        kind = "X" if c.isupper() else "x" if c.islower() else "0" if c.isdigit() else c
        if found[-3:] != kind * 3:
            found += kind
    return found


def expanded(template, tokens, t):
    """The features of token `t` as CRF++'s documentation has them: the lines, filled in."""
    found = []
    for line in template.splitlines():
        if not line.startswith("U"):
            continue
        while "%x[" in line:
            before, _, rest = line.partition("%x[")
            inside, _, after = rest.partition("]")
            row, column, *functions = (part.strip() for part in inside.split(","))
            place = t + int(row)
            if place < 0:
                value = f"_B{place}"
            elif place >= len(tokens):
                value = f"_B+{place - len(tokens) + 1}"
            else:
                value = tokens[place][int(column)]
                for name in functions:
                    if name == "lower":
                        value = value.lower()
                    elif name == "shape":
                        value = shape(value)
                    else:
                        n = int(name.removeprefix("prefix").removeprefix("suffix"))
                        value = value[:n] if name.startswith("prefix") else value[-n:]
            line = before + value + after
        found.append(line)
    return found
