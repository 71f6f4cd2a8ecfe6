"""How many cores to use, and work done on them side by side."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from novikoff.parameters import JOBS, require

THREADS: ContextVar[int] = ContextVar("THREADS", default=1)
"""How many threads may go through rows."""
ROWS_EACH = 1 << 13
"""How many rows are worth a thread."""


@cache
def n_cores() -> int:
    """How many cores this process may use, when that is first asked."""
    from joblib import cpu_count  # takes longer to import than a small command does its work

    return int(cpu_count())


def n_threads(n_jobs: int | None) -> int:
    """How many threads `n_jobs` asks for: None is one, -1 as many as there are cores.

    Uncompiled code runs in one thread at a time anyway.
    """
    if n_jobs is None:
        return 1
    import numba  # importing the readers need not wait for it

    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return 1
    return n_cores() if n_jobs < 0 else int(n_jobs)


@contextmanager
def using(n_jobs: int | None) -> Iterator[None]:
    """Inside, `row_by_row` may use so many threads."""
    require("n_jobs", n_jobs, JOBS, words=(None,))
    before = THREADS.set(n_threads(n_jobs))
    try:
        yield
    finally:
        THREADS.reset(before)


def row_by_row(kernel: Callable[..., Any], n: int, *args: Any) -> None:
    """Let a kernel do its work on `n` rows: ``kernel(*args, low, high)`` for runs of them."""
    parts = min(THREADS.get(), 1 + n // ROWS_EACH)
    side_by_side(kernel, [(*args, low, high) for low, high in spans(n, parts)])


def spans(n: int, parts: int, unit: int = 1) -> Iterator[tuple[int, int]]:
    """The numbers below `n` in so many runs of about the same length, none of them empty.

    All but the last have a multiple of `unit`.
    """
    units = -(-n // unit)
    for low, high in pairwise(np.linspace(0, units, max(1, parts) + 1).astype(int).tolist()):
        if low < high:
            yield unit * low, min(unit * high, n)


@contextmanager
def one_thread_each(parts: list[Any]) -> Iterator[None]:
    """Where several threads multiply matrices, each does it alone."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, "blas") if len(parts) > 1 else nullcontext():
        yield


def side_by_side(work: Callable[..., Any], tasks: list[Any]) -> list[Any]:
    """`work(*task)` for every task, each on a thread of its own; the results in order.

    The first task is done by the thread that asks.
    """
    if not tasks:
        return []
    first, *others = tasks
    if not others:
        return [work(*first)]
    with ThreadPoolExecutor(len(others)) as pool:
        begun = [pool.submit(work, *task) for task in others]
        done = [work(*first)]
        return done + [task.result() for task in begun]
