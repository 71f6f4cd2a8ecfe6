"""`MaxMargin` beside libsvm and LIBLINEAR, which find the hard margin by a large C.

    python -m benchmarks.widest [--slow]

A peer counts if its separator is at least as wide as ours, to one part in a million; ratios
are to the faster one that does. Ours comes with a proof of its width (the gap), theirs with
none. LIBLINEAR penalises the bias, and so finds another hyperplane unless that is near 0. One
core, best of three where a fit takes less than a second. `--slow` lets libsvm try the largest
sparse sets too.
"""

import argparse
import gzip
import warnings
from bz2 import BZ2File
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import normalize
from sklearn.svm import SVC, LinearSVC

from novikoff import MaxMargin
from novikoff.data import load, planted

SHARED = Path(__file__).parent.parent.parent / "shared" / "data"
ENOUGH = 1e-6


def text_like(n, d=47_236, a_row=74, seed=0):
    """Sparse rows of unit length with the sizes of rcv1: words by Zipf's law, weighed by rarity."""
    random = np.random.default_rng(seed)
    share = 1.0 / (np.arange(d) + 20.0)
    share /= share.sum()
    columns = random.choice(d, size=n * a_row, p=share)
    values = np.log(1.0 / share)[columns]
    X = sparse.csr_matrix((values, (np.repeat(np.arange(n), a_row), columns)), shape=(n, d))
    X.sum_duplicates()
    X = normalize(X)
    scores = X @ random.standard_normal(d) + 0.05 * random.standard_normal(n)
    return X, np.where(scores > 0, 1, -1)


def small_indices(X):
    """scikit-learn's solvers take 32-bit indices only."""
    indices, indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return sparse.csr_matrix((X.data, indices, indptr), shape=X.shape)


def real_sets():
    """Those that are here."""
    X, y = load("sonar")[:2]
    yield "sonar", X, y
    path = SHARED / "mushrooms" / "mushrooms.gz"
    if path.exists():
        with gzip.open(path) as file:
            X, y = load_svmlight_file(file)
        yield "mushrooms", small_indices(X), y
    path = SHARED / "news20_multiclass" / "news20.bz2"
    if path.exists():
        with BZ2File(path) as file:
            X, y = load_svmlight_file(file)
        X, y = small_indices(normalize(X)), y <= 10
        groups = {}
        for i in range(len(y)):
            row = X[i]
            groups.setdefault((row.indices.tobytes(), row.data.tobytes()), []).append(i)
        kept = [i for rows in groups.values() if len({*y[rows].tolist()}) == 1 for i in rows]
        yield "news20, 1-10 against 11-20, posts in both left out", X[kept], y[kept]


def made_sets():
    """Three sizes of each kind."""
    for n in (1_000, 10_000, 100_000):
        X, y, *_ = planted(n, 50, margin=0.05, seed=0)
        yield f"planted, {n:,} x 50", X, y
    for n in (5_000, 10_000, 20_242):
        yield f"like rcv1, {n:,} x 47,236", *text_like(n)


def width(X, y, w):
    """The margin of a hyperplane of this direction, with the best bias."""
    scores, positive = X @ w, y == np.unique(y)[1]
    return (scores[positive].min() - scores[~positive].max()) / 2 / np.linalg.norm(w)


def timed(model, X, y):
    """The least seconds of a fit, and the width it found."""
    best = np.inf
    for _ in range(3):
        start = perf_counter()
        model.fit(X, y)
        best = min(best, perf_counter() - start)
        if best > 1.0:
            break
    w = model.coef_
    return best, width(X, y, np.asarray(w.todense() if sparse.issparse(w) else w).ravel())


def row(name, X, y, before, *, slow):
    """A line of the table."""
    MaxMargin().fit(X, y)  # compiled, from here on
    model = MaxMargin()
    ours, wide = timed(model, X, y)
    peers = {"LIBLINEAR": LinearSVC(C=1e10, loss="hinge", tol=1e-8, max_iter=10_000)}
    if not sparse.issparse(X) or X.shape[0] <= 10_000 or slow:
        peers["libsvm"] = SVC(kernel="linear", C=1e10, tol=1e-8, cache_size=2000, max_iter=10**6)
    cells, reaching = [], []
    for peer in ("LIBLINEAR", "libsvm"):
        if peer not in peers:
            cells.append("not tried")
            continue
        took, found = timed(peers[peer], X, y)
        reaches = found >= (1 - ENOUGH) * wide
        reaching += [took] if reaches else []
        cells.append(f"{took:.3g} s" + ("" if reaches else f", {found / wide:.3g} as wide"))
    ratio = f"**{min(reaching) / ours:.1f}x**" if reaching else "none reaches it"
    growth = f"{ours / before:.1f}x" if before else ""
    cells = [name, f"{wide:.6g}", f"{model.gap_:.0e}", f"{ours:.3g} s", *cells, ratio, growth]
    print(f"| {' | '.join(cells)} |", flush=True)
    return ours


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--slow", action="store_true")
    slow = parser.parse_args().slow
    warnings.simplefilter("ignore")
    print("| data | margin | gap | `MaxMargin` | LIBLINEAR | libsvm | ratio | growth in n |")
    print("|---|---|---|---|---|---|---|---|")
    for name, X, y in real_sets():
        row(name, X, y, None, slow=slow)
    before, kind = None, None
    for name, X, y in made_sets():
        before = row(name, X, y, before if kind == name.split(",")[0] else None, slow=slow)
        kind = name.split(",")[0]


if __name__ == "__main__":
    main()
