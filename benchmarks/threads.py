"""One perceptron on one core and on all of them, beside what the cores together can read.

    python -m benchmarks.threads            # the tables
    python -m benchmarks.threads --quick    # a tenth of the rows

Whole `fit` calls of some epochs, warm, the best of several rounds taken in turns. Labels are
those of a hyperplane, some of them flipped, and the fit begins at that hyperplane: so about as many
are mistakes. "Reading" is a sum over the array by all threads, each its own part, as many times:
the least that any algorithm must do which looks at the data. The second table holds the model of
`novikoff.parallel.pool` against measurements.
"""

import argparse
import os
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from numba import njit

from benchmarks.fit import csr, dense
from benchmarks.timing import best_of
from novikoff import AveragedPerceptron, Perceptron, VotedPerceptron
from novikoff.parallel.cores import n_cores, side_by_side, spans
from novikoff.parallel.pool import Team, _together


@njit(nogil=True, fastmath={"reassoc", "contract"})
def read(flat, low, high):
    """Look at these elements once."""
    total, part = np.float32(0), flat[low:high]
    for k in range(len(part)):
        total += np.float32(part[k])
    return total


def reader(threads, *arrays, times=1):
    """Read these arrays, which are of one length, so often and by so many threads."""
    parts = list(spans(len(arrays[0]), threads))
    return lambda: side_by_side(
        lambda *part: [read(a, *part) for _ in range(times) for a in arrays], parts
    )


def labelled(X, u, share, rng):
    """The labels of a hyperplane, this share of them flipped; or of one for each class."""
    wrong = rng.random(X.shape[0]) < share
    if u.ndim == 1:
        return np.where((X @ u > 0) ^ wrong, 1, -1)
    return np.where(wrong, rng.integers(0, len(u), len(wrong)), (X @ u.T).argmax(axis=1))


def fits(X, y, u, threads, epochs=1, shuffle=False):
    """Fits from a start at `u`, each with so many threads."""
    start = 1e3 * u * np.sqrt(X.shape[0] / X.shape[1])
    models = [
        Perceptron(max_iter=epochs, shuffle=shuffle, random_state=0, n_jobs=n) for n in threads
    ]
    return [lambda m=m: m.fit(X, y, coef_init=start) for m in models]


def flats(X):
    """The arrays that hold the data."""
    return (X.reshape(-1),) if isinstance(X, np.ndarray) else (X.data, X.indices)


@njit(nogil=True, fastmath={"reassoc", "contract"})
def again(X, w, times):
    """The products of these rows, again and again."""
    total = np.float32(0)
    for _ in range(times):
        for i in range(X.shape[0]):
            s = np.float32(0)
            for k in range(X.shape[1]):
                s += X[i, k] * w[k]
            total += s
    return total


def in_cache(args):
    """How much more all cores can do than one, on rows that stay in the cache of each."""
    rng = np.random.default_rng(0)
    blocks = [rng.random((400, 256), dtype=np.float32) for _ in range(args.cores)]
    w = rng.random(256, dtype=np.float32)
    tasks = [(X, w, 2000) for X in blocks]
    one, all_ = best_of(args.rounds, lambda: again(*tasks[0]), lambda: side_by_side(again, tasks))
    print(
        "\nOn rows that stay in the cache of each, all cores together do "
        f"{args.cores * one / all_:.2f} times the work of one: the limit there."
    )


def row(name, target, X, share, args, epochs=10, shape=()):
    """Measure one line of the first table: the mean of the epochs of a fit."""
    rng = np.random.default_rng(1)
    u = rng.standard_normal((*shape, X.shape[1])).astype(np.float32)
    y, cores = labelled(X, u, share, rng), args.cores
    one, all_ = fits(X, y, u, (1, cores), epochs)
    readers = [reader(n, *flats(X), times=epochs) for n in (1, cores)]
    rounds = args.rounds * (1 if epochs == 10 else 4)  # short ones, if there are many epochs
    t1, t, r1, r = (took / epochs for took in best_of(rounds, one, all_, *readers))
    size = sum(a.nbytes for a in flats(X)) / 1e9
    mistakes = one().n_mistakes_ / epochs / X.shape[0]
    print(
        f"| {name} | {100 * mistakes:.2g}% | {1e3 * t1:.1f} ms | {1e3 * t:.1f} ms "
        f"| **{t1 / t:.2f}x** | {size / r1:.0f} GB/s | {size / r:.0f} GB/s "
        f"| {r / t:.2f} | {target} |",
        flush=True,
    )


def model(args):
    """The model of when a team pays, against measurements."""
    print("\n| d | mistakes | threads | one core | measured | the model says | reading allows |")
    print("|---|---|---|---|---|---|---|")
    for d in (64, 1024):
        n = (1 << 26) // args.less // d
        rng = np.random.default_rng(2)
        X, _ = dense(n, d, rng)
        u = rng.standard_normal(d).astype(np.float32)
        for share in (0.2, 0.02, 0.002, 0.0002):
            y = labelled(X, u, share, rng)
            teams = [p for p in (2, 4, 8, 16) if p <= args.cores]
            alone, *limits = best_of(args.rounds, *(reader(p, X.reshape(-1)) for p in (1, *teams)))
            one, *others = (t / 5 for t in best_of(args.rounds, *fits(X, y, u, (1, *teams), 5)))
            for threads, took, reading in zip(teams, others, limits, strict=True):
                apart = one / n / share
                team = Team(threads)
                team.gap, team.seconds = 1 / share, one / n
                size = team.size()
                says = apart / _together(apart, size) if size > 1 else 1.0
                limit = max(1.0, alone / reading)
                print(
                    f"| {d} | {100 * share:.2g}% | {threads} | {1e9 * one / n:.0f} ns a row "
                    f"| {one / took:.2f}x | {says:.2f}x with {size} | {limit:.2f}x |",
                    flush=True,
                )


def others(args):
    """What else uses the cores."""
    rng = np.random.default_rng(3)
    print("\n| on all cores | one core | all cores | ratio |\n|---|---|---|---|")
    X, _ = dense(200_000 // args.less, 256, rng)
    y = (X @ rng.standard_normal((256, 8))).argmax(axis=1)

    def line(name, one, all_):
        t1, t = best_of(args.rounds, one, all_)
        print(f"| {name} | {1e3 * t1:.1f} ms | {1e3 * t:.1f} ms | {t1 / t:.2f}x |", flush=True)

    ovr = [
        Perceptron(max_iter=1, multi_class="ovr", shuffle=False, n_jobs=n) for n in (1, args.cores)
    ]
    line("eight machines, one against the rest", *(lambda m=m: m.fit(X, y) for m in ovr))
    both = [AveragedPerceptron(max_iter=1, n_jobs=n).fit(X, y) for n in (1, args.cores)]
    line("`predict`, eight classes", *(lambda m=m: m.predict(X) for m in both))
    few = slice(0, 3000)
    votes = [VotedPerceptron(max_iter=2, n_jobs=n).fit(X[few], y[few] > 0) for n in (1, args.cores)]
    line("voted `predict`", *(lambda m=m: m.predict(X[:20_000]) for m in votes))


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--cores", type=int, default=n_cores())
    args = parser.parse_args()
    args.less = less = 10 if args.quick else 1
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    print(f"{args.cores} cores, best of {args.rounds}\n")
    print(
        "| one epoch | mistakes | one core | all cores | ratio | one core reads | all cores read "
        "| of their reading speed | target |\n|---|---|---|---|---|---|---|---|---|"
    )
    X, _ = dense(200_000 // less, 1024, rng)
    row("dense float32, 200,000 x 1,024", "0.9 of reading", X, 5e-4, args)
    X, _ = dense(200_000 // less, 256, rng)
    row("dense float32, 200,000 x 256, many mistakes", "0.95x", X, 0.2, args)
    X, _ = dense(20_000, 256, rng)
    row("in the cache: dense float32, 20,000 x 256", "1.6x", X, 1e-4, args, 50)
    row("in the cache: the same rows, ten classes", "1.6x", X, 1e-4, args, 50, (10,))
    X, _ = csr(20_000, 2**14, rng)
    row("in the cache: CSR float32, 20,000 x 2^14, 100 a row", "1.6x", X, 1e-4, args, 50)
    X, _ = csr(300_000 // less, 2**20, rng)
    row("CSR float32, 300,000 x 2^20, 100 a row", "1.6x", X, 5e-3, args)
    row("the same, many mistakes", "0.95x", X, 0.2, args)
    in_cache(args)
    model(args)
    others(args)


if __name__ == "__main__":
    main()
