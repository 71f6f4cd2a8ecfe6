"""One call of the River adapter beside River's own classifiers: microseconds.

    python -m benchmarks.dictionaries

Rows of 20 and of 1,000 features as dictionaries, two noisy classes; the best of several rounds
taken in turns, one core.
"""

import random

from river import linear_model

from benchmarks.timing import best_of
from novikoff.river import RiverPerceptron


def rows(n, d):
    """Rows of random numbers, and labels that a hyperplane explains in part."""
    draw = random.Random(0)
    names = [f"feature {j}" for j in range(d)]
    u = [draw.gauss(0, 1) for _ in names]
    for _ in range(n):
        x = {name: draw.gauss(0, 1) for name in names}
        s = sum(a * b for a, b in zip(u, x.values(), strict=True))
        yield x, s + draw.gauss(0, d**0.5 / 2) > 0


def learning(kind, data):
    """Learn from all rows, from the start."""

    def work():
        model = kind()
        for x, y in data:
            model.learn_one(x, y)

    return work


def predicting(kind, data):
    """Predict all rows."""
    model = kind()
    for x, y in data:
        model.learn_one(x, y)

    def work():
        for x, _ in data:
            model.predict_one(x)

    return work


def main():
    """Print the table."""
    kinds = (RiverPerceptron, linear_model.Perceptron, linear_model.PAClassifier)
    print("| features | call | novikoff | river Perceptron | river PAClassifier | ratio |")
    print("|---|---|---|---|---|---|")
    for d, n in ((20, 5000), (1000, 200)):
        data = list(rows(n, d))
        for call, works in (("learn_one", learning), ("predict_one", predicting)):
            times = best_of(7, *(works(kind, data) for kind in kinds))
            told = " | ".join(f"{1e6 * t / n:.2f} us" for t in times)
            print(f"| {d:,} | `{call}` | {told} | **{min(times[1:]) / times[0]:.1f}x** |")


if __name__ == "__main__":
    main()
