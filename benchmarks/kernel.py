"""What a kernel perceptron spends its time on: matrix products, or all else.

    python -m benchmarks.kernel            # the digits, 60,000 x 784
    python -m benchmarks.kernel --quick    # a tenth of them

One epoch of `KernelPerceptron.fit` on MNIST, ten classes, single precision. The share of matrix
products is measured inside the run: the seconds in `rows @ rows.T` and in the kernel values times
the coefficients. No peer fits the same model; scikit-learn's `SVC` on some of the rows, with the
same kernel, is there for the scale of things.
"""

import argparse
import time
import warnings

import numpy as np
from sklearn.svm import SVC

from benchmarks.papers import DIGITS, digits
from novikoff import KernelPerceptron
from novikoff.learners.kernels import gram, support

KERNELS = {
    "poly": {"kernel": "poly", "gamma": 1.0, "coef0": 1.0, "degree": 4},
    "rbf": {"kernel": "rbf", "gamma": 2.0},
}


class Watch:
    """Adds up the seconds spent in a function."""

    def __init__(self, function):
        self.function, self.seconds = function, 0.0

    def __call__(self, *args, **kwargs):
        start = time.perf_counter()
        try:
            return self.function(*args, **kwargs)
        finally:
            self.seconds += time.perf_counter() - start


class Watched(np.ndarray):
    """A table of kernel values whose products are watched too."""

    watch = Watch(np.matmul)

    def __matmul__(self, other):
        return self.watch(self.view(np.ndarray), other)


def shares(model, X, y):
    """Seconds of `fit`, and in matrix products."""
    products, table = gram.products, support.table
    rows = Watch(products)
    Watched.watch = Watch(np.matmul)
    gram.products = rows
    support.table = lambda kernel, A, B: table(kernel, A, B).view(Watched)
    try:
        start = time.perf_counter()
        model.fit(X, y)
        return time.perf_counter() - start, rows.seconds + Watched.watch.seconds
    finally:
        gram.products, support.table = products, table


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    args = parser.parse_args()
    if not DIGITS.exists():
        raise SystemExit("MNIST is not at ../shared/data/mnist: nothing was run.")
    warnings.simplefilter("ignore")
    (X, y), (X_test, y_test) = digits("train"), digits("t10k")
    X, X_test = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (X, X_test))
    n = 6_000 if args.quick else 60_000
    X, y = X[:n], y[:n]
    print("| one epoch | rows | seconds | in matrix products | rows kept | test error |")
    print("|---|---|---|---|---|---|")
    for name, kernel in KERNELS.items():
        for multi_class in ("joint", "ovr"):
            model = KernelPerceptron(max_iter=1, random_state=0, multi_class=multi_class, **kernel)
            model.fit(X[:600], y[:600])  # compile
            total, inside = shares(model, X, y)
            error = 1 - model.set_params(predict_with="averaged").score(X_test, y_test)
            print(
                f"| `KernelPerceptron`, {name}, {multi_class} | {n:,} | {total:.1f} "
                f"| {inside / total:.0%} | {len(model.support_):,} | {error:.2%} |",
                flush=True,
            )
    some = min(n, 10_000)
    start = time.perf_counter()
    peer = SVC(C=10.0, cache_size=2000, **KERNELS["rbf"]).fit(X[:some], y[:some])
    total = time.perf_counter() - start
    error = 1 - peer.score(X_test, y_test)
    print(
        f"| scikit-learn's `SVC`, rbf, to its end | {some:,} | {total:.1f} | | "
        f"{len(peer.support_):,} | {error:.2%} |"
    )


if __name__ == "__main__":
    main()
