"""Separation with two factors of many levels: seconds and memory, with a proof that is verified.

    python -m benchmarks.two_factors [observations] [levels of each factor]

Every observation is read a few times in random order, which is what the time goes into.
"""

import resource
import sys
from time import perf_counter

import numpy as np

from novikoff import separation


def table(n, levels, rng):
    """Cells of a sparse bipartite graph, most outcomes 0."""
    first, second = rng.integers(0, levels, n), rng.integers(0, levels, n)
    return np.column_stack([first, second]), rng.poisson(0.2, n)


def main() -> None:
    """Print a row for the sizes that are asked for."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    levels = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    rng = np.random.default_rng(0)
    small = table(max(100, n // 1000), max(10, levels // 1000), rng)
    separation(None, small[1], family="poisson", fixed_effects=small[0])  # compiled now
    for effects, y in (small, table(n, levels, rng)):
        start = perf_counter()
        result = separation(None, y, family="poisson", fixed_effects=effects)
        ours = perf_counter() - start
        told = f"{len(y):>12,} x 2 factors of {effects.max() + 1:,}: {ours:8.3f} s"
        told += f", {result.separated.sum():,} separated, verified"
        print(told)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"largest memory {peak:.1f} GB")


if __name__ == "__main__":
    main()
