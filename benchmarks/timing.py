"""Time things side by side."""

import time
from collections.abc import Callable


def best_of(rounds: int, *works: Callable[[], object]) -> list[float]:
    """The least seconds of each work, taken in turns after a warm-up, so that all meet the
    same weather.
    """
    for work in works:
        work()
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for k, work in enumerate(works):
            start = time.perf_counter()
            work()
            best[k] = min(best[k], time.perf_counter() - start)
    return best
