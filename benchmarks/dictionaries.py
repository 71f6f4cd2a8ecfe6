"""One call of the River adapter beside River's own classifiers: microseconds.

    python -m benchmarks.dictionaries

Rows as dictionaries, two noisy classes: of 20 and of 1,000 features that are always the same; of
1,000 in another order each time; and of some of 500 or 5,000 that come and go. The best of
several rounds taken in turns, one core.
"""

import random

from river import linear_model

from benchmarks.timing import best_of
from novikoff.river import RiverPerceptron


def rows(n, d):
    """Rows of random numbers, and labels that a hyperplane explains in part."""
    return some_of(n, d, d, lambda names, draw: names)


def shuffled(n, d):
    """The same with their features in another order each time."""
    return some_of(n, d, d, lambda names, draw: draw.sample(names, d))


def some_of(n, d, pool, chosen=None):
    """The same of a few features out of a pool: at random, or as chosen."""
    draw = random.Random(0)
    u = {f"feature {j}": draw.gauss(0, 1) for j in range(pool)}
    names = list(u)
    for _ in range(n):
        row = draw.sample(names, d) if chosen is None else chosen(names, draw)
        x = {name: draw.gauss(0, 1) for name in row}
        s = sum(u[name] * value for name, value in x.items())
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


def doing_both(kind, data):
    """Predict each row, then learn from it, from the start: what River's own evaluation does."""

    def work():
        model = kind()
        for x, y in data:
            model.predict_one(x)
            model.learn_one(x, y)

    return work


KINDS = (RiverPerceptron, linear_model.Perceptron, linear_model.PAClassifier)
CALLS = {"`learn_one`": learning, "`predict_one`": predicting, "both": doing_both}
DATA = {
    "20": lambda: rows(5000, 20),
    "20 of 500": lambda: some_of(5000, 20, 500),
    "100 of 5,000": lambda: some_of(1000, 100, 5000),
    "1,000": lambda: rows(200, 1000),
    "1,000 in any order": lambda: shuffled(200, 1000),
    "1,000 of 5,000": lambda: some_of(200, 1000, 5000),
}


def main():
    """Print the table."""
    print("| features | call | novikoff | river Perceptron | river PAClassifier | ratio |")
    print("|---|---|---|---|---|---|")
    for features, made in DATA.items():
        data = list(made())
        for call, works in CALLS.items():
            times = best_of(7, *(works(kind, data) for kind in KINDS))
            told = " | ".join(f"{1e6 * t / len(data):.2f} us" for t in times)
            print(f"| {features} | {call} | {told} | **{min(times[1:]) / times[0]:.1f}x** |")


if __name__ == "__main__":
    main()
