"""Learning on shards: accuracy beside the serial run, speed of two workers, and what it costs.

    python -m benchmarks.cluster accuracy    # 2, 8 and 32 shards against serial
    python -m benchmarks.cluster speed       # two single-thread workers against one
    python -m benchmarks.cluster cost        # the cost model, fitted, and what it predicts

`speed` wants two idle cores and 3 GB of disk. `docs/scale.md` explains the tables.
"""

import os
import sys
import tempfile
import time
import warnings
from contextlib import contextmanager
from math import ceil, log
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.optimize import nnls
from sklearn.exceptions import ConvergenceWarning

from benchmarks.accuracy import cut, scaled, text_file
from benchmarks.many import SHARED
from novikoff import AveragedPerceptron, cluster
from novikoff.cluster.mix import FAN
from novikoff.data import read, write

EPOCHS = 10
SHARDS = (2, 8, 32)
TOLERANCE = 0.5


@contextmanager
def workers(n, **options):
    """So many single-thread workers on this machine."""
    from distributed import Client

    options = {
        "n_workers": n,
        "threads_per_worker": 1,
        "dashboard_address": "127.0.0.1:0",
    } | options
    with Client(**options) as client:
        yield client


def learned(source, client, epochs, **options):
    """A model of so many epochs; data with no separator are what is measured here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = AveragedPerceptron(max_iter=epochs, random_state=0)
        return cluster.fit(model, source, client, **options)


# ------------------------------------------------------------- accuracy


def covtype():
    """Forest cover, the second class against the rest, columns scaled."""
    data = read(SHARED / "covtype" / "covtype.data.gz", format="csv", label=-1)
    return scaled(*cut(data.X, data.y == 2))


SETS = {
    "w7a": lambda: text_file("w7a.gz", "w7a.t.gz"),
    "covtype": covtype,
    "news20": lambda: cut(*read(SHARED / "news20_multiclass" / "news20.bz2")[:2]),
}


def accuracy():
    """Print the table of accuracies."""
    print(f"| {EPOCHS} epochs | mixing | serial | {' | '.join(f'{n} shards' for n in SHARDS)} |")
    print(f"|---|---|---|{'---|' * len(SHARDS)}")
    held = True
    with workers(1, processes=False) as client:
        for name, data in SETS.items():
            X, y, X_test, y_test = data()
            mixed = np.random.default_rng(0).permutation(len(y))
            X, y = X[mixed], y[mixed]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                alone = AveragedPerceptron(max_iter=EPOCHS, random_state=0).fit(X, y)
            serial = 100 * alone.score(X_test, y_test)
            for mixing in ("uniform", "mistakes"):
                found = []
                for n in SHARDS:
                    with tempfile.TemporaryDirectory() as folder:
                        for i in range(n):
                            write(f"{folder}/{i:02}.npz", X[i::n], y[i::n])
                        model = learned(f"{folder}/*.npz", client, EPOCHS, mixing=mixing)
                    labels = y_test.astype(model.classes_.dtype)
                    found.append(100 * model.score(X_test, labels))
                held &= min(found) >= serial - TOLERANCE
                cells = " | ".join(f"{score:.2f}%" for score in found)
                print(f"| {name} | {mixing} | {serial:.2f}% | {cells} |", flush=True)
    print(f"\nwithin {TOLERANCE} points: {'yes' if held else 'NO'}")


# ------------------------------------------------------------- speed


def text_shards(folder, n, rows, width, nonzeros=100, different=4):
    """So many svmlight files, of which some are different and the others links to these."""
    random = np.random.default_rng(0)
    w = random.normal(size=width)
    for i in range(n):
        path = f"{folder}/{i:03}.svm"
        if i >= different:
            os.link(f"{folder}/{i % different:03}.svm", path)
            continue
        columns = random.integers(0, width, (rows, nonzeros))
        values = random.random((rows, nonzeros)).round(3)
        indptr = np.arange(0, rows * nonzeros + 1, nonzeros)
        X = sparse.csr_array((values.ravel(), columns.ravel(), indptr), shape=(rows, width))
        X.sum_duplicates()
        write(path, X, np.where(X @ w + random.normal(size=rows) > 0, 1, -1))
    return f"{folder}/*.svm"


def speed(n=32, rows=100_000, width=2**18):
    """Print the seconds of an epoch on one worker and on two."""
    with tempfile.TemporaryDirectory() as folder:
        source = text_shards(folder, n, rows, width)
        size = sum(os.path.getsize(path) for path in Path(folder).iterdir())
        print(f"{n} shards, {size / 1e9:.1f} GB of text, read in every epoch")
        seconds = {}
        for count in (1, 2):
            with workers(count) as client:
                model = learned(source, client, 3, hold=False)
            seconds[count] = min(epoch.seconds for epoch in model.mixed_.epochs[1:])
            moved = model.mixed_.epochs[-1].bytes_moved / 1e6
            print(f"{count} worker(s): {seconds[count]:.2f} s an epoch, {moved:.1f} MB moved")
    print(f"two workers against one: {seconds[1] / seconds[2]:.2f}x (target 1.7x)")


# ------------------------------------------------------------- cost

GRID = [(4, 20_000, 2**12), (4, 20_000, 2**16), (4, 20_000, 2**20), (16, 20_000, 2**12)]
GRID += [(16, 5_000, 2**18), (64, 500, 2**12), (64, 500, 2**16), (32, 2_000, 2**18)]


def measured(client):
    """Seconds of an epoch, held and read, for shards of many kinds; and what they are made of."""
    for n, rows, width in GRID:
        with tempfile.TemporaryDirectory() as folder:
            source = text_shards(folder, n, rows, width)
            size = sum(os.path.getsize(path) for path in Path(folder).iterdir())
            for hold in (True, False):
                model = learned(source, client, 4, hold=hold)
                last = min(model.mixed_.epochs[1:], key=lambda epoch: epoch.seconds)
                work = [n * rows * 100, 0 if hold else size, (n + n / FAN) * width, n]
                yield last.seconds, work, (n, rows, width, hold)


def cost():
    """Fit the cost of an epoch on one worker, and say what follows for many."""
    with workers(1) as client:
        found = list(measured(client))
    seconds = np.array([each[0] for each in found])
    work = np.array([each[1] for each in found], float)
    relative = work / seconds[:, None]  # so that every measurement weighs the same
    scale = relative.max(axis=0)
    each, _ = nnls(relative / scale, np.ones(len(seconds)))
    each /= scale
    print("| shards | rows | weights | held | measured | model |")
    print("|---|---|---|---|---|---|")
    for second, parts, (n, rows, width, hold) in found:
        told = f"{np.dot(parts, each):.3f} s"
        print(f"| {n} | {rows:,} | {width:,} | {hold} | {second:.3f} s | {told} |")
    a, b, c, t = each
    print(f"\ncompute {1e9 * a:.2f} ns a nonzero; read {1e9 * b:.2f} ns a byte of text;")
    print(f"mix {1e9 * c:.2f} ns a weight and change; {1e3 * t:.2f} ms a shard for its tasks\n")
    predict(each)


def predicted(n, each, nonzeros=1e12, width=2**24, wire=1.25e9):
    """Seconds of an epoch on `n` workers with a shard each: compute, read, mix, tasks."""
    a, b, c, t = each
    depth = ceil(log(n, FAN))
    up = c * width * (1 + FAN * depth) + FAN * depth * 16 * width / wire
    down = ceil(log(n, 2)) * 16 * width / wire
    return a * nonzeros / n, b * 12 * nonzeros / n, up + down, t * n


def predict(each):
    """What an epoch over 10^12 nonzeros takes on many machines, on a wire of 10 Gbit/s."""
    print("| workers | compute | read | mix | tasks | an epoch |")
    print("|---|---|---|---|---|---|")
    for n in (10, 100, 1_000, 10_000):
        parts = predicted(n, each)
        cells = " | ".join(f"{part:,.1f} s" for part in (*parts, sum(parts)))
        print(f"| {n:,} | {cells} |")
    grid = np.unique(np.geomspace(2, 1e5, 400).astype(int)).tolist()
    best = min(grid, key=lambda n: sum(predicted(n, each)))
    half = next(n for n in grid if sum(predicted(n, each)[2:]) > sum(predicted(n, each)[:2]))
    print(
        f"\nmixing takes more than half of an epoch from {half:,} shards on, and more shards than"
    )
    print(f"{best:,} make an epoch longer")


if __name__ == "__main__":
    began = time.perf_counter()
    {"accuracy": accuracy, "speed": speed, "cost": cost}[sys.argv[1]]()
    print(f"({time.perf_counter() - began:.0f} s)")
