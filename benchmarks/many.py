"""Many classes in one pass: an epoch of MNIST and of news20 beside scikit-learn's.

    python -m benchmarks.many

Whole `fit` calls in single precision, one core, warm, the best of several rounds in turns. The
limit is what the processor can do at best: a product and a sum for every value and class, as a
matrix product of the same size does them, and no less than reading the data once.
"""

import gzip
import os
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as Theirs, SGDClassifier

from benchmarks.timing import best_of
from novikoff import AveragedPerceptron, Perceptron
from novikoff.data import read

SHARED = Path(__file__).parent.parent.parent / "shared" / "data"
EPOCH = "| {} | {:.1f} ms | {:.1f} ms | {:.1f} ms | **{:.1f}x** | {} | {:.1f} ms |"


def mnist(part):
    """Images as rows of numbers from 0 to 1, and their digits."""
    images, labels = (
        gzip.decompress((SHARED / "mnist" / f"{part}-{name}.gz").read_bytes())
        for name in ("images-idx3-ubyte", "labels-idx1-ubyte")
    )
    X = np.frombuffer(images, np.uint8, offset=16).reshape(-1, 784) / np.float32(255)
    return X, np.frombuffer(labels, np.uint8, offset=8).astype(np.int64)


def an_epoch(name, X, y, target):
    """One epoch, in the order of the data."""
    one = {"max_iter": 1, "shuffle": False}
    W = np.zeros((X.shape[1], len(np.unique(y))), np.float32)
    jointly, each, theirs, limit = best_of(
        5,
        fitting(Perceptron(**one), X, y),
        fitting(Perceptron(**one, multi_class="ovr"), X, y),
        fitting(Theirs(**one, tol=None), X, y),
        lambda: X @ W,
    )
    times = (1e3 * t for t in (jointly, each, theirs))
    print(EPOCH.format(name, *times, theirs / jointly, target, 1e3 * limit))


def fitting(model, X, y):
    """The work of fitting a model."""
    return lambda: model.fit(X, y)


def averaged(X, y, X_test, y_test):
    """Ten averaged epochs, and the test error."""
    ours = AveragedPerceptron(max_iter=10, random_state=0)
    theirs = SGDClassifier(
        loss="perceptron",
        average=True,
        max_iter=10,
        tol=None,
        penalty=None,
        learning_rate="constant",
        eta0=1.0,
        random_state=0,
    )
    seconds = best_of(2, fitting(ours, X, y), fitting(theirs, X, y))
    errors = [100 * (1 - model.score(X_test, y_test)) for model in (ours, theirs)]
    print("\n| MNIST, 10 averaged epochs | seconds | test error |\n|---|---|---|")
    print(f"| novikoff, joint | {seconds[0]:.2f} | {errors[0]:.2f}% |")
    print(f"| scikit-learn, one against the rest | {seconds[1]:.2f} | {errors[1]:.2f}% |")
    print(f"| ratio | **{seconds[1] / seconds[0]:.1f}x** (target 20x) | |")


def main():
    """Print the tables."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    print(
        "| one epoch | joint | one against the rest | scikit-learn | ratio | target | a product |"
    )
    print("|---|---|---|---|---|---|---|")
    X, y = mnist("train")
    an_epoch("MNIST, 60,000 x 784, 10 classes", X, y, "10x")
    news = SHARED / "news20_multiclass" / "news20.bz2"
    data = read(news, dtype=np.float32) if news.exists() else None
    if data is not None:
        n, d = data.X.shape
        an_epoch(f"news20, {n:,} x {d:,}, 20 classes, sparse", data.X, data.y, "")
    averaged(X, y, *mnist("t10k"))


if __name__ == "__main__":
    main()
