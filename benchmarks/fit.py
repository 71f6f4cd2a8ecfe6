"""One epoch of `Perceptron.fit` beside scikit-learn's, and beside merely reading the data.

    python -m benchmarks.fit            # the table
    python -m benchmarks.fit --quick    # a tenth of the rows

Whole `fit` calls, one core, warm, the best of several rounds taken in turns. Each side gets the
type it likes: single precision both, except that scikit-learn has no way to read 8-bit
integers, so it gets floats (made beforehand) where we read the bytes themselves. "Reading"
is a sum over the array (values and column indices, if it is sparse) by code compiled in
the same way: the least that any algorithm which looks at the data must do. The last two columns are
the same race with `shuffle=True` on both sides.
"""

import argparse
import gzip
import os
import subprocess
import sys
import tracemalloc
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numba
import numpy as np
import scipy
import sklearn
from numba import njit
from scipy import sparse
from sklearn.linear_model import Perceptron as Theirs

from benchmarks.timing import best_of
from novikoff import Perceptron as Ours, VotedPerceptron

SHARED = Path(__file__).parent.parent.parent / "shared" / "data"


@njit(fastmath={"reassoc", "contract"})
def read(flat):
    """Look at every element once."""
    total = np.float32(0)
    for k in range(len(flat)):
        total += np.float32(flat[k])
    return total


def dense(n, d, rng):
    """Gaussian rows, labels of a hyperplane with a tenth of noise."""
    X = rng.standard_normal((n, d), dtype=np.float32)
    u = rng.standard_normal(d, dtype=np.float32)
    y = np.where(X @ u + 0.1 * np.sqrt(d) * rng.standard_normal(n) > 0, 1, -1)
    return X, y


def csr(n, d, rng, per_row=100):
    """Rows of 100 random columns, labels of a hyperplane with a tenth of noise."""
    indices = np.sort(rng.integers(0, d - per_row, (n, per_row)), axis=1) + np.arange(per_row)
    data = rng.standard_normal(n * per_row, dtype=np.float32)
    indptr = np.arange(0, n * per_row + 1, per_row, dtype=np.int32)
    X = sparse.csr_matrix((data, indices.ravel().astype(np.int32), indptr), shape=(n, d))
    u = rng.standard_normal(d, dtype=np.float32)
    y = np.where(X @ u + 0.1 * np.sqrt(per_row) * rng.standard_normal(n) > 0, 1, -1)
    return X, y


def mnist():
    """MNIST, 3 against the rest, if it is here."""
    images, labels = (
        SHARED / "mnist" / f"train-{name}.gz" for name in ("images-idx3-ubyte", "labels-idx1-ubyte")
    )
    if not images.exists():
        return None
    X = np.frombuffer(gzip.decompress(images.read_bytes()), np.uint8, offset=16)
    y = np.frombuffer(gzip.decompress(labels.read_bytes()), np.uint8, offset=8)
    return X.reshape(-1, 784).copy(), np.where(y == 3, 1, -1)


def works(X, X_theirs, y, shuffle):
    """The two fits."""
    ours = Ours(max_iter=1, shuffle=shuffle, random_state=0)
    theirs = Theirs(max_iter=1, tol=None, shuffle=shuffle, random_state=0)
    return (lambda: ours.fit(X, y)), (lambda: theirs.fit(X_theirs, y))


def row(name, target, X, y, rounds, X_theirs=None):
    """Measure one line of the table."""
    X_theirs = X if X_theirs is None else X_theirs
    flat = X.data if sparse.issparse(X) else X.reshape(-1)
    extra = X.indices if sparse.issparse(X) else flat[:0]
    ours, theirs = works(X, X_theirs, y, shuffle=False)
    ours_shuffled, theirs_shuffled = works(X, X_theirs, y, shuffle=True)
    t, sk, reading, t_s, sk_s = best_of(
        rounds, ours, theirs, lambda: (read(flat), read(extra)), ours_shuffled, theirs_shuffled
    )
    print(
        f"| {name} | {1e3 * t:.1f} ms | {1e3 * sk:.1f} ms | **{sk / t:.1f}x** | {target} "
        f"| {reading / t:.2f} | {1e3 * t_s:.1f} ms | {sk_s / t_s:.1f}x |",
        flush=True,
    )


def one_row_at_a_time(rounds):
    """`partial_fit` on a single row of 20, again and again."""
    x = np.random.default_rng(0).standard_normal((1, 20))
    labels = [np.array([0]), np.array([1])]
    ours = Ours(shuffle=False).partial_fit(x, labels[0], classes=[0, 1])
    theirs = Theirs(shuffle=False).partial_fit(x, labels[0], classes=[0, 1])

    def many(model):
        for k in range(200):
            model.partial_fit(x, labels[k % 2])

    t, sk = (seconds / 200 for seconds in best_of(rounds, lambda: many(ours), lambda: many(theirs)))
    print(
        f"| `partial_fit`, one row of 20 | {1e6 * t:.1f} µs | {1e6 * sk:.0f} µs "
        f"| **{sk / t:.1f}x** | 10x | | | |"
    )


def voting(rounds):
    """`VotedPerceptron.decision_function` beside the bare matrix product of the same size."""
    rng = np.random.default_rng(0)
    print(
        "\n| voting on 5,000 rows, float32 | hyperplanes | voted | product alone | of its speed |"
    )
    print("|---|---|---|---|---|")
    for d in (54, 256, 784):
        X = rng.standard_normal((3000, d), dtype=np.float32)
        model = VotedPerceptron(max_iter=2, random_state=0).fit(X, rng.random(3000) < 0.5)
        rows = rng.standard_normal((5000, d), dtype=np.float32)
        W = rng.standard_normal((model.n_mistakes_, d), dtype=np.float32)
        t, product = best_of(
            rounds,
            lambda m=model, rows=rows: m.decision_function(rows),
            lambda W=W, rows=rows: rows @ W.T,
        )
        times = f"{1e3 * t:.0f} ms | {1e3 * product:.0f} ms | {product / t:.2f}"
        print(f"| float32, {d} columns | {len(W):,} | {times} |", flush=True)


def peak_memory():
    """What `fit` allocates at its peak, beyond the array it is given."""
    rng = np.random.default_rng(0)
    print("\n| peak memory of `fit` beyond its input | input | more | per row |\n|---|---|---|---|")
    for X, y in (
        dense(200_000, 256, rng),
        ((rng.random((200_000, 256)) < 0.5).astype(np.uint8), rng.integers(0, 2, 200_000)),
        csr(100_000, 2**16, rng),
    ):
        model = Ours(max_iter=1, shuffle=False).fit(X, y)
        tracemalloc.start()
        model.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        size = X.data.nbytes + X.indices.nbytes if sparse.issparse(X) else X.nbytes
        kind = (
            f"{'CSR' if sparse.issparse(X) else 'dense'} {X.dtype} {X.shape[0]:,} x {X.shape[1]:,}"
        )
        more = f"{peak / 1e6:.1f} MB | {peak / X.shape[0]:.0f} bytes"
        print(f"| {kind} | {size / 1e6:.0f} MB | {more} |")


def start_up():
    """Import, and the first fit of a new process with a warm cache."""
    first_fit = (
        "import numpy as np, time; from novikoff import Perceptron;"
        "X = np.random.default_rng(0).standard_normal((100, 5)); y = X[:, 0] > 0;"
        "t = time.perf_counter(); Perceptron(max_iter=1000).fit(X, y);"
        "print(time.perf_counter() - t)"
    )
    timed = "import time; t = time.perf_counter(); {}; print(time.perf_counter() - t)"
    codes = {
        "`import novikoff`": timed.format("import novikoff"),
        "`from novikoff import Perceptron`": timed.format("from novikoff import Perceptron"),
        "`import sklearn.linear_model`": timed.format("import sklearn.linear_model"),
        "first `fit` of a process, warm cache": first_fit,
    }
    print("\n| start-up | best of 5 |\n|---|---|")
    for name, code in codes.items():
        seconds = min(
            float(
                subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
            )
            for _ in range(5)
        )
        print(f"| {name} | {seconds:.3f} s |")


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    less = 10 if args.quick else 1
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    versions = ", ".join(f"{m.__name__} {m.__version__}" for m in (np, scipy, numba, sklearn))
    print(f"{versions}; one core, best of {args.rounds}\n")
    columns = ("one epoch", "novikoff", "scikit-learn", "ratio", "target", "of reading speed")
    print("|", " | ".join([*columns, "shuffled", "ratio"]), "|")
    print("|---|---|---|---|---|---|---|---|")
    for n, d, target in ((500_000, 54, "5x"), (200_000, 256, "7x"), (100_000, 1024, "3.5x, 0.7")):
        X, y = dense(n // less, d, rng)
        row(f"dense float32, {n // less:,} x {d:,}", target, X, y, args.rounds)
    pixels = mnist()
    if pixels is None:
        print("| MNIST is not at ../shared/data/mnist: left out | | | | | | | |")
    else:
        X, y = pixels
        row("dense uint8, 60,000 x 784 (MNIST)", "8x", X, y, args.rounds, X.astype(np.float32))
    for power, target in ((16, "1.2x"), (20, "1.5x")):
        X, y = csr(300_000 // less, 2**power, rng)
        name = f"CSR float32, {300_000 // less:,} x 2^{power}, 100 a row"
        row(name, target, X, y, args.rounds)
    X = sparse.csr_matrix((X.data, X.indices.copy(), X.indptr), shape=X.shape)
    X.indices[1::100] = X.indices[::100]
    row(f"{name}, one of them repeated", "", X, y, args.rounds)
    one_row_at_a_time(args.rounds)
    voting(args.rounds)
    peak_memory()
    start_up()


if __name__ == "__main__":
    main()
