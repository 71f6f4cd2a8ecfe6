"""The perceptron for sequences, slowly: every sequence of labels is looked at, in fractions.

From Collins (2002), figure 1, with the convention that a tie is a mistake.
"""

from fractions import Fraction
from itertools import pairwise, product


class Run:
    """A run over sequences of feature vectors, whose labels are numbers from 0 on."""

    def __init__(self, n_features, n_labels, *, eta=1, bias=True, least=0):
        self.d, self.K, self.eta = n_features, n_labels, Fraction(eta)
        self.bias, self.least = int(bias), Fraction(least)
        self.W = [[Fraction(0)] * (n_features + 1) for _ in range(n_labels)]
        self.T = [[Fraction(0)] * n_labels for _ in range(n_labels)]
        self.sum_W = [[Fraction(0)] * (n_features + 1) for _ in range(n_labels)]
        self.sum_T = [[Fraction(0)] * n_labels for _ in range(n_labels)]
        self.seen, self.mistakes, self.updates = 0, [], 0

    def score(self, xs, z):
        """The score of labels."""
        steps = sum(
            sum(w * Fraction(v) for w, v in zip(self.W[c], [*x, self.bias], strict=True))
            for x, c in zip(xs, z, strict=True)
        )
        return steps + sum(self.T[q][c] for q, c in pairwise(z))

    def rivals(self, y):
        """All labels but the right ones."""
        return [z for z in product(range(self.K), repeat=len(y)) if z != tuple(y)]

    def predict(self, xs):
        """The best labels; of those that are as good, the least, read from the end."""
        every = product(range(self.K), repeat=len(xs))
        return max(every, key=lambda z: (self.score(xs, z), [-c for c in reversed(z)]))

    def rival(self, xs, y, cost):
        """The best wrong labels, where each that is wrong scores `cost` more."""

        def rank(z):
            wrong = sum(a != b for a, b in zip(z, y, strict=True))
            late = [(-z[t], z[: t + 1] == tuple(y[: t + 1])) for t in reversed(range(len(y)))]
            return self.score(xs, z) + cost * wrong, late

        z = max(self.rivals(y), key=rank)
        return z, rank(z)[0]

    def visit(self, xs, y, weight=1):
        """Learn from one sequence; was it updated on, and was it mistaken?"""
        cost = self.least * Fraction(weight) / len(y)
        z, best = self.rival(xs, y, cost)
        own = self.score(xs, y)
        mistaken = own <= max(self.score(xs, r) for r in self.rivals(y))
        updated = own <= best
        if updated:
            a = self.eta * Fraction(weight)
            for labels, sign in ((y, a), (z, -a)):
                for x, c in zip(xs, labels, strict=True):
                    for j, v in enumerate([*x, self.bias]):
                        self.W[c][j] += sign * Fraction(v)
                for q, c in pairwise(labels):
                    self.T[q][c] += sign
            self.updates += 1
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
