"""A paper's table, made again: Li & Long (1999), table 1.

    python -m benchmarks.papers               # one random order; minutes
    python -m benchmarks.papers --orders 10   # all ten; with --processes 10, at once
    python -m benchmarks.papers --quick       # 6,000 digits: does it run? Nothing is written

Writes docs/papers.md: theirs and ours side by side, and what was assumed where the paper is silent.
"""

import argparse
import gzip
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.utils import check_random_state

from novikoff import KernelPerceptron, Romma
from novikoff.core.examples import shuffled
from novikoff.learners.kernels import gram

HERE = Path(__file__).parent.parent
DIGITS = HERE.parent / "shared" / "data" / "mnist"
PAGE = HERE / "docs" / "papers.md"

EPOCHS = 4
THEIRS = {
    "perceptron": [(2.84, 7970), (2.27, 10539), (1.99, 11945), (1.85, 12800)],
    "voted": [(2.26, 7970), (1.88, 10539), (1.76, 11945), (1.69, 12800)],
    "ROMMA": [(2.48, 7963), (1.96, 9995), (1.79, 10971), (1.77, 11547)],
    "aggressive ROMMA": [(2.14, 6077), (1.82, 7391), (1.71, 7901), (1.67, 8139)],
    "aggressive, noise control": [(2.05, 5909), (1.76, 6979), (1.67, 7339), (1.63, 7484)],
}
"""Test error in percent, and mistakes so far in all ten problems, after each epoch."""

NEAR_ERROR, NEAR_MISTAKES = 0.1, 0.03

SCALE = np.float32(2048)
"""For the perceptrons pixels are divided by this, and 1 by its square: all kernel values by its
eighth power, which changes no decision and keeps them in the range of single precision. It is a
power of 2, so the division itself is exact."""

THEIR_SCALE = np.float32(1100)
"""What the paper divides pixels by for ROMMA, and not the 1."""

NOISE = 30.0
"""What the paper adds to the kernel of an example with itself, to control noise."""


class Tolerant(Romma):
    """Aggressive ROMMA whose examples each have a coordinate of their own."""

    def _learn(self, run, y, S, G, made):
        G[np.diag_indices(len(y))] += NOISE
        return Romma._learn(self, run, y, S, G, made)


def digits(name):
    """Pixels and labels of "train" or "t10k"."""
    pixels, labels = (
        np.frombuffer(gzip.decompress((DIGITS / f"{name}-{kind}.gz").read_bytes()), np.uint8)
        for kind in ("images-idx3-ubyte", "labels-idx1-ubyte")
    )
    return pixels[16:].reshape(-1, 784).astype(np.float32), labels[8:]


def machines(seed):
    """The machines, what they divide pixels by, and the names of their predictions."""
    own = {"max_iter": EPOCHS, "random_state": seed, "kernel": "poly", "gamma": 1.0, "degree": 4}
    exactly = own | {"coef0": float(SCALE) ** -2}
    yield (
        KernelPerceptron(multi_class="ovr", **exactly),
        SCALE,
        {"perceptron": "last", "voted": "voted"},
    )
    yield Romma(update_on="mistake", **own), THEIR_SCALE, {"ROMMA": None}
    yield Romma(**own), THEIR_SCALE, {"aggressive ROMMA": None}
    yield Tolerant(**own), THEIR_SCALE, {"aggressive, noise control": None}


def begin(model, X, outputs):
    r"""A run that begins with $w_1 = \phi(0)$ for every class, and the scores of all rows then."""
    run = model._begin(X, outputs)
    origin = gram.block(run.kernel, np.zeros((1, X.shape[1])), np.array([0]), run.dtype)
    run.support.append(
        origin._replace(numbers=np.array([-1])), np.array([0]), np.ones((1, outputs))
    )
    if run.memory is not None:
        run.memory.append(np.array([0]), np.array([0]), np.ones((1, outputs)))
    run.ledger.squares[:] = gram.diagonal(run.kernel, origin)
    return run, np.full((len(X), outputs), run.kernel.coef0**run.kernel.degree)


def after_each_epoch(model, X, y):
    """Fit, and stop after every epoch to let the model be looked at."""
    model._check_common()
    model.n_features_in_, model.classes_ = X.shape[1], np.unique(y)
    run, scores = begin(model, X, len(model.classes_))
    model._state = run
    slots = np.full(len(y), -1)
    order = shuffled(None, len(y), check_random_state(model.random_state))
    for epoch in range(EPOCHS):
        run.begin_pass()
        model._epoch(run, X, y, order, scores, slots, again=epoch + 1 < EPOCHS)
        yield


def measured(seed, n_digits):
    """Test errors and mistakes of each machine after each epoch, for one random order."""
    warnings.simplefilter("ignore")
    train, test = [part[:n_digits] for part in digits("train")], digits("t10k")
    found = {name: [] for name in THEIRS}
    for model, scale, readings in machines(seed):
        start = time.perf_counter()
        for _ in after_each_epoch(model, train[0] / scale, train[1]):
            for name, reading in readings.items():
                if reading:
                    model.set_params(predict_with=reading)
                error = 100 * (model.predict(test[0] / scale) != test[1]).mean()
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
    cells = len(THEIRS) * EPOCHS
    said = f"Ours: the mean over {orders}. {cells - far} of {cells} cells are near"
    said += "." if not far else "; the others say in what they are not."
    first, last = "<!-- table -->\n", "<!-- end of table -->\n"
    head, rest = PAGE.read_text().split(first)
    PAGE.write_text(f"{head}{first}{said}\n\n{text}\n\n{last}{rest.split(last)[1]}")


def main():
    """Run the experiment and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--orders", type=int, default=1, help="random orders to average over")
    parser.add_argument("--quick", action="store_true", help="6,000 digits; write nothing")
    parser.add_argument("--processes", type=int, default=1, help="orders to run at once")
    args = parser.parse_args()
    if not DIGITS.exists():
        raise SystemExit(f"MNIST is not at {DIGITS}: nothing was run.")
    runs, measure = [], partial(measured, n_digits=6000 if args.quick else 60000)
    with ProcessPoolExecutor(args.processes) as pool:
        for run in pool.map(measure, range(args.orders)):
            runs.append(run)
            print(f"\n{table(runs)[0]}\n")
            if not args.quick:
                write(runs)


if __name__ == "__main__":
    main()
