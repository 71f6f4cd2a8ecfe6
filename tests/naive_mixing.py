"""Slow, obvious twins of learning on shards, from McDonald, Hall & Mann (2010), figure 3."""

from dataclasses import dataclass, field
from fractions import Fraction

from naive import many_classes, perceptron


@dataclass
class MixedRun:
    """What iterated mixing did; weights have the bias last, and are by class if there are many."""

    w: dict
    mistakes: list = field(default_factory=list)  # per epoch, per shard
    after_each: list = field(default_factory=list)  # of every shard, whatever the order

    @property
    def mean(self):
        n = len(self.after_each)
        return {
            c: [sum(w[c][j] for w in self.after_each) / n for j in range(len(self.w[c]))]
            for c in self.w
        }


def share_of_each(mistakes, mixing):
    """The mu of an epoch."""
    if mixing == "uniform" or not sum(mistakes):
        return [Fraction(1, len(mistakes))] * len(mistakes)
    return [Fraction(k, sum(mistakes)) for k in mistakes]


def mixed_perceptron(shards, *, epochs, classes=(), mixing="uniform", kind="joint", **conventions):
    """`shards` are pairs of rows and labels: -1 and +1, or any of the `classes`."""
    width = len(shards[0][0][0]) + 1
    run = MixedRun({c: [Fraction(0)] * width for c in classes or (0,)})
    for _ in range(epochs):
        parts = []
        for X, y in shards:
            if classes:
                part = many_classes(X, y, kind=kind, known=classes, start=run.w, **conventions)
                after = [dict(w) for w in part.after_each]
            else:
                *w0, b0 = run.w[0]
                part = perceptron(X, y, w0=w0, b0=b0, **conventions)
                after = [{0: [*w, b]} for w, b in part.after_each]
            parts.append((after[-1], part.mistakes[0]))
            run.after_each += after
        mistakes = [k for _, k in parts]
        run.mistakes.append(mistakes)
        mu = share_of_each(mistakes, mixing)
        run.w = {
            c: [
                sum(m * after[c][j] for m, (after, _) in zip(mu, parts, strict=True))
                for j in range(width)
            ]
            for c in run.w
        }
        if not sum(mistakes):
            break
    return run
