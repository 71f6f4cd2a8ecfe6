"""A paper's table, made again: Li & Long (1999), table 1.

    python -m benchmarks.papers               # one random order; minutes
    python -m benchmarks.papers --orders 10   # all ten
    python -m benchmarks.papers --quick       # 6,000 digits: does it run? Nothing is written

Writes docs/papers.md: theirs and ours side by side, and what was assumed where the paper is silent.
"""

import argparse
import gzip
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.utils import check_random_state

from novikoff import KernelPerceptron, Romma
from novikoff.examples import shuffled

HERE = Path(__file__).parent.parent
DIGITS = HERE.parent / "shared" / "data" / "mnist"
PAGE = HERE / "docs" / "papers.md"

EPOCHS = 4
THEIRS = {
    "perceptron": [(2.84, 7970), (2.27, 10539), (1.99, 11945), (1.85, 12800)],
    "voted": [(2.26, 7970), (1.88, 10539), (1.76, 11945), (1.69, 12800)],
    "aggressive ROMMA": [(2.14, 6077), (1.82, 7391), (1.71, 7901), (1.67, 8139)],
}
"""Test error in percent, and mistakes so far in all ten problems, after each epoch."""

NEAR_ERROR, NEAR_MISTAKES = 0.1, 0.03

SCALE = np.float32(2048)
"""Pixels are divided by this, and 1 by its square: all kernel values by its eighth power, which
changes no decision and keeps them in the range of single precision. It is a power of 2, so the
division itself is exact."""


def digits(name):
    """Pixels and labels of "train" or "t10k"."""
    pixels, labels = (
        np.frombuffer(gzip.decompress((DIGITS / f"{name}-{kind}.gz").read_bytes()), np.uint8)
        for kind in ("images-idx3-ubyte", "labels-idx1-ubyte")
    )
    return pixels[16:].reshape(-1, 784).astype(np.float32) / SCALE, labels[8:]


def machines(seed):
    """The two machines; a perceptron predicts in two ways."""
    kernel = {"kernel": "poly", "gamma": 1.0, "coef0": float(SCALE) ** -2, "degree": 4}
    kernel |= {"max_iter": EPOCHS, "random_state": seed}
    return KernelPerceptron(multi_class="ovr", **kernel), Romma(update_on="margin", **kernel)


def after_each_epoch(model, X, y):
    """Fit, and stop after every epoch to let the model be looked at."""
    model._check_common()
    model.n_features_in_, model.classes_ = X.shape[1], np.unique(y)
    run = model._run = model._begin(X, len(model.classes_))
    random = check_random_state(model.random_state)
    scores, slots = np.zeros((len(y), len(model.classes_))), np.full(len(y), -1)
    for epoch in range(EPOCHS):
        run.begin_pass()
        order = shuffled(None, len(y), random)
        model._epoch(run, X, y, order, scores, slots, again=epoch + 1 < EPOCHS)
        yield


def measured(seed, train, test):
    """Test errors and mistakes of each machine after each epoch, for one random order."""
    found = {name: [] for name in THEIRS}
    for model in machines(seed):
        readings = {"aggressive ROMMA": None}
        if isinstance(model, KernelPerceptron):
            readings = {"perceptron": "last", "voted": "voted"}
        start = time.perf_counter()
        for _ in after_each_epoch(model, *train):
            for name, reading in readings.items():
                if reading:
                    model.set_params(predict_with=reading)
                error = 100 * (model.predict(test[0]) != test[1]).mean()
                found[name].append((error, model.n_mistakes_))
                print(
                    f"order {seed}, {name}, T={len(found[name])}: {error:.2f} / "
                    f"{model.n_mistakes_}, {time.perf_counter() - start:.0f} s",
                    flush=True,
                )
    return found


def cell(theirs, ours):
    """Their pair of numbers and ours, with a sign where ours is not near."""
    error, mistakes = (float(v) for v in ours)
    near = abs(error - theirs[0]) <= NEAR_ERROR
    near_too = abs(mistakes / theirs[1] - 1) <= NEAR_MISTAKES
    marks = "" if near else " (error)", "" if near_too else " (mistakes)"
    return f"{theirs[0]:.2f} / {theirs[1]} : **{error:.2f} / {mistakes:.0f}**{''.join(marks)}"


def table(runs):
    """Theirs and ours, side by side, as Markdown."""
    lines = ["| | T=1 | T=2 | T=3 | T=4 |", "|---|---|---|---|---|"]
    far = 0
    for name, theirs in THEIRS.items():
        means = np.mean([run[name] for run in runs], axis=0)
        cells = [cell(*pair) for pair in zip(theirs, means, strict=True)]
        far += sum("(" in text for text in cells)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    if len(runs) > 1:
        lines += ["", "| standard deviation of ours over the orders | T=1 | T=2 | T=3 | T=4 |"]
        lines.append("|---|---|---|---|---|")
        for name in THEIRS:
            spread = np.std([run[name] for run in runs], axis=0, ddof=1)
            cells = [f"{error:.2f} / {mistakes:.0f}" for error, mistakes in spread]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines), far


def write(runs):
    """Put the table of these runs into the page."""
    text, far = table(runs)
    orders = f"{len(runs)} random order{'s' * (len(runs) != 1)}"
    said = f"Ours: the mean over {orders}. {far} of 12 cells are not near, and say in what."
    first, last = "<!-- table -->\n", "<!-- end of table -->\n"
    head, rest = PAGE.read_text().split(first)
    PAGE.write_text(f"{head}{first}{said}\n\n{text}\n\n{last}{rest.split(last)[1]}")


def main():
    """Run the experiment and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--orders", type=int, default=1, help="random orders to average over")
    parser.add_argument("--quick", action="store_true", help="6,000 digits; write nothing")
    args = parser.parse_args()
    if not DIGITS.exists():
        raise SystemExit(f"MNIST is not at {DIGITS}: nothing was run.")
    warnings.simplefilter("ignore")
    train, test = digits("train"), digits("t10k")
    if args.quick:
        train = tuple(part[:6000] for part in train)
    runs = []
    for seed in range(args.orders):
        runs.append(measured(seed, train, test))
        print(f"\n{table(runs)[0]}\n")
        if not args.quick:
            write(runs)


if __name__ == "__main__":
    main()
