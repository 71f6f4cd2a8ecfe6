"""Separation in Poisson models with fixed effects: seconds, beside pyfixest's iterative method.

    python -m benchmarks.fixed_effects [observations] [levels of each factor]

The first rows have both methods on the same data; pyfixest's is the iterative rectifier of Correia,
Guimaraes & Zylkin (2019), as `fepois(..., separation_check=["ir"])` calls it. Ours is exact, and
its time includes the proof and the check of it. The last row is ours alone, at the size asked
for: two factors and nothing else. Every observation is read a few times in random order, which is
what its time goes into.
"""

import resource
import sys
import warnings
from time import perf_counter

import numpy as np
import pandas as pd

from novikoff import separation

REGRESSORS = {"none": [], "1": ["distance"], "2, one separates": ["distance", "embargo"]}


def table(n, levels, rng):
    """Cells of a sparse bipartite graph, most outcomes 0."""
    frame = pd.DataFrame(
        {
            "exporter": rng.integers(0, levels, n),
            "importer": rng.integers(0, levels, n),
            "flow": rng.poisson(0.4, n),
            "distance": rng.normal(size=n),
        }
    )
    return frame.assign(embargo=((frame["flow"] == 0) & (rng.random(n) < 0.002)).astype(float))


def ours(data, regressors):
    """The separated observations, and the seconds."""
    start = perf_counter()
    X = data[regressors] if regressors else None
    effects = data[["exporter", "importer"]]
    result = separation(X, data["flow"], family="poisson", fixed_effects=effects, budget=600)
    return result.separated, perf_counter() - start


def theirs(data, regressors):
    """The same by pyfixest; None for seconds if it fails."""
    from pyfixest.estimation.models.fepois_ import _check_for_separation_ir as rectify

    terms = " + ".join(regressors) or "1"
    formula = f"flow ~ {terms} | exporter + importer"
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = rectify(
            fml=formula,
            data=data,
            Y=data[["flow"]],
            X=data[regressors],
            fe=data[["exporter", "importer"]],
        )
    mask = np.zeros(len(data), bool)
    mask[list(found)] = True
    return mask, perf_counter() - start


def main() -> None:
    """Print a row for each size and each set of regressors."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    levels = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    rng = np.random.default_rng(0)
    print(f"{'observations':>12} {'levels':>10}  {'regressors':18} {'separated':>9}", end="")
    print(f" {'ours, s':>9} {'pyfixest, s':>12}  pyfixest's answer")
    for rows, each in ((10_000, 500), (100_000, 5_000), (1_000_000, 50_000)):
        data = table(rows, each, rng)
        for name, regressors in REGRESSORS.items():
            ours(data.head(1000), regressors)  # compiled now
            mask, seconds = ours(data, regressors)
            other, their_seconds = theirs(data, regressors)
            missed, wrong = int((mask & ~other).sum()), int((other & ~mask).sum())
            told = "the same" if not missed + wrong else f"misses {missed:,}, {wrong:,} wrong"
            print(f"{rows:12,} {each:10,}  {name:18} {mask.sum():9,}", end="")
            print(f" {seconds:9.2f} {their_seconds:12.2f}  {told}", flush=True)
    data = table(n, levels, rng)[["exporter", "importer", "flow"]]
    mask, seconds = ours(data, [])
    print(f"{n:12,} {levels:10,}  {'none':18} {mask.sum():9,} {seconds:9.2f}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"largest memory {peak:.1f} GB")


if __name__ == "__main__":
    main()
