"""`separability` beside the linear program that answers the same question without a proof.

    python -m benchmarks.separate

The peer is `scipy.optimize.linprog` (HiGHS) on the full program: find v with z_i . v >= 1
for all i. Feasible means separable; infeasible says no more than "not separable", without
telling quasi-separation from overlap, and neither answer comes with a proof. Ours is
verified, with the margin closed to 1e-6 where there is one. One core, best of three.
"""

import warnings
from time import perf_counter

import numpy as np
from scipy.optimize import linprog

from benchmarks.timing import best_of
from benchmarks.widest import SHARED, text_like
from novikoff import separability

SIZES = ((1_000, 20), (10_000, 20), (100_000, 20))
LARGE = 1_000_000, 50


def data(n, d, kind, rng):
    """Separable, with one label flipped, or with a flag that only one class has."""
    X = rng.standard_normal((n, d))
    u = rng.standard_normal(d)
    s = X @ u
    noise = 0.0 if kind == "separable" else rng.standard_normal(n)
    y = np.where(s + noise > 0, 1, -1)
    if kind == "separable":
        X += np.outer(0.05 * y, u / np.linalg.norm(u))
    if kind == "quasi-separable":
        X[:, 0] = (y > 0) & (rng.random(n) < 0.1)
    return X, y


def full_program(X, y):
    """The linear program over all rows."""
    Z = np.hstack([X, np.ones((len(X), 1))]) * y[:, None]
    bounds = [(None, None)] * Z.shape[1]
    return linprog(np.zeros(Z.shape[1]), -Z, -np.ones(len(Z)), bounds=bounds, method="highs")


def hard_sets(rng):
    """Real, wide, sparse, and barely separable."""
    path = SHARED / "covtype" / "covtype.data.gz"
    if path.exists():
        table = np.loadtxt(path, delimiter=",", dtype=np.float32)
        yield "covtype, class 2 against the rest, 581,012 x 54", table[:, :-1], table[:, -1] == 2
    yield "like rcv1, 20,242 x 47,236, sparse", *text_like(20_242)
    for d in (200, 500):
        yield f"noise, 8,000 x {d}", rng.standard_normal((8_000, d)), rng.random(8_000) < 0.5
    X = rng.standard_normal((10_000, 10))
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] = 1e-9 * y
    yield "a margin of 1e-9, 10,000 x 10", X, y


def main():
    """Print the tables."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    print("| data | verdict | `separability` | `linprog` | ratio | growth in n |")
    print("|---|---|---|---|---|---|")
    for kind in ("separable", "quasi-separable", "inseparable"):
        before = None
        for n, d in SIZES:
            X, y = data(n, d, kind, rng)
            result = separability(X, y)
            assert result.verdict == kind, result.verdict
            ours, theirs = best_of(
                3, lambda X=X, y=y: separability(X, y), lambda X=X, y=y: full_program(X, y)
            )
            growth = f"{ours / before:.1f}x for 10x rows" if before else ""
            times = f"{1e3 * ours:.0f} ms | {1e3 * theirs:.0f} ms | **{theirs / ours:.1f}x**"
            print(f"| {n:,} x {d} | {kind} | {times} | {growth} |", flush=True)
            before = ours
    n, d = LARGE
    print("\n| large | verdict | `separability` | of which `verify` |\n|---|---|---|---|")
    for kind in ("separable", "quasi-separable", "inseparable"):
        X, y = data(n, d, kind, rng)
        result = separability(X, y)
        ours, check = best_of(
            1, lambda X=X, y=y: separability(X, y), lambda X=X, y=y, r=result: r.verify(X, y)
        )
        print(f"| {n:,} x {d} | {result.verdict} | {ours:.2f} s | {check:.2f} s |", flush=True)
    print("\n| hard | verdict | rows of the proof | bracket closed to | `separability` |")
    print("|---|---|---|---|---|")
    for name, X, y in hard_sets(rng):
        start = perf_counter()
        result = separability(X, y)
        took = perf_counter() - start
        closed = (
            f"{result.margin.gap / result.margin.upper:.0e}"
            if result.coef is not None and result.margin.upper
            else ""
        )
        print(
            f"| {name} | {result.verdict} | {len(result.rows)} | {closed} | {took:.2f} s |",
            flush=True,
        )


if __name__ == "__main__":
    main()
