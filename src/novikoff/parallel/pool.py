r"""Who works on a pass: one thread or a team, and when that pays.

Let an example cost $r$ seconds to score, one of $g$ be a mistake, and a round of
$P$ threads cost $\sigma_P$ more than its scoring. From one mistake to the next take

$$g\,r \quad\text{alone}, \qquad \frac{g\,r}{P} + \sigma_P \quad\text{together}, \qquad
  \sigma_P \approx \sigma_0 + \sigma_1 P,$$

so together is faster where mistakes are far apart, $g\,r > \sigma_P\,P/(P - 1)$, and
$\sqrt{g\,r/\sigma_1}$ threads are the best number. Both $r$ and $g$ are measured on the way: the
clock decides who works, and never what comes out (`novikoff.parallel.speculate`).
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from math import inf, sqrt
from queue import SimpleQueue
from threading import Thread
from time import perf_counter
from typing import Any

import numpy as np

from novikoff.core.drive import drive
from novikoff.core.examples import n_visits
from novikoff.core.log import Log
from novikoff.core.loops import Apart, Pass
from novikoff.core.products import PAIR, suited
from novikoff.core.rows import CSR
from novikoff.parallel.atomics import WIDTH
from novikoff.parallel.cores import n_threads, side_by_side, spans
from novikoff.parallel.speculate import (
    AWAY,
    SEAT,
    WAITING,
    Board,
    Plan,
    follow,
    lead,
    send_home,
)
from novikoff.typing import Rows

ALONE, EACH = 1.5e-6, 0.4e-6
r"""$\sigma_0$ and $\sigma_1$, in seconds."""
WORTH_IT = 1.25
"""Work together if that promises to be faster by this factor, and until it is by none."""
STRETCH, TURN = 1e-3, 20e-3
"""How long to work alone and together, in seconds, before asking again."""
LONGEST_PAUSE = 1.0
"""How long to work alone, at most, where a team was no faster: other work may have the cores."""
DENSE, SPARSE = 0.15e-6, 0.03e-6
"""What it costs to begin a block, in seconds: where rows are dense, it is a stream of memory that
has to get going; where they are sparse, the weights under them are met at random anyway."""


def serve(tasks: "SimpleQueue[Any]") -> None:
    """What a thread of a team does when it is woken, until it is given nothing more."""
    while (task := tasks.get()) is not None:
        follow(*task)


class Team:
    """Threads that make the passes of a run together, and what they know of their pace."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.seconds = 0.0
        """What a visit costs one thread; 0 before that is known."""
        self.gap = 1.0
        """How many visits a mistake is apart from the next lately,"""
        self.since = 0
        """and how many there were since the last."""
        self.together = 0
        """How many visits were made together."""
        self.pause = STRETCH
        """How long to work alone if the next turn together turns out to be slower,"""
        self.not_before = 0.0
        """and the time of the next one."""
        self.stretch = 64
        """How many visits to make alone before asking again."""
        self.lately = (1, 0, 0.0)
        """How many threads worked lately, how many visits they made, and how long it took."""
        self.board = Board.of(most)
        self.shared: Any = None
        """The pass that the others know."""
        self.tasks: SimpleQueue[Any] = SimpleQueue()
        self.others: list[Thread] = []

    def size(self) -> int:
        """How many threads promise to be fastest: 1 if a team is not worth it."""
        apart = max(self.gap, 4.0 * self.since) * self.seconds
        if perf_counter() < self.not_before:
            return 1
        size = max(1, min(self.most, round(sqrt(apart / EACH))))
        return size if size > 1 and apart > WORTH_IT * _together(apart, size) else 1

    def epoch(self, p: Pass) -> tuple[int, float, int]:
        """One pass; returns what the loop returns."""
        t = k = 0
        R, stopped = 0.0, -1
        while t < n_visits(p.D) and stopped < 0:
            size, at, start = self.size(), t, perf_counter()
            if size > 1:
                t, (k, longest, stopped) = self._together(p, size, at, k)
            else:
                t, before = min(n_visits(p.D), at + self.stretch), k
                k, longest, stopped = drive(p, k, at, t, R, False)
                self.gap = (t - at) / (k - before + 1)
                self.since = 0 if k > before else self.since + t - at
            self._judge(size, t - at, perf_counter() - start)
            R = max(R, longest)
        return k, R, stopped

    def _judge(self, size: int, visits: int, took: float) -> None:
        """Learn from so many visits by so many threads: how fast is one, is a team worth it?"""
        if size == 1:
            self.stretch = max(1, min(2 * self.stretch, int(TURN * visits / took)))
            if took < STRETCH / 50:
                return  # most of it was the way to the loop and back
        before = self.lately if self.lately[0] == size else (size, 0, 0.0)
        visits, took = before[1] + visits, before[2] + took
        self.lately = size, visits, took
        if took < (STRETCH / 4 if size == 1 else STRETCH):
            return  # too little to tell
        self.lately = (size, 0, 0.0)
        seconds = took / visits
        if size == 1:
            self.seconds = seconds
            return
        self.seconds = min(self.seconds, size * seconds)
        if seconds < self.seconds:
            self.pause = STRETCH
        else:
            self.pause = min(2 * self.pause, LONGEST_PAUSE)
            self.not_before = perf_counter() + self.pause

    def _together(self, p: Pass, size: int, t: int, k: int) -> tuple[int, Any]:
        apart = max(self.gap, 4.0 * self.since)
        plan = Plan(
            at=t,
            until=t + int(size * TURN / self.seconds),
            made=k,
            team=size,
            since=self.since,
            gap=self.gap,
            fewest=_least_apart(size) / self.seconds,
            most=inf if size == self.most else 8 * apart,
            beginning=(SPARSE if _is_sparse(p.D.rows) else DENSE) / self.seconds,
        )
        try:
            self._gather(p, size)
            end, done, self.gap, self.since = lead(p, _with_own_room(p), self.board, plan)
        except BaseException:  # interrupted on the way there, or back: the others need not wait
            send_home(self.board, size)
            raise
        self.together += end - t
        return end, done

    def _gather(self, p: Pass, size: int) -> None:
        """Wake the threads that sleep, or all if this is not the pass that they know."""
        if self.shared is None or not _is_again(p, self.shared):
            D = p.D._replace(order=p.D.order.copy())
            self.board, self.shared = Board.of(self.most), p._replace(D=D)
        else:
            self.shared.D.order[:] = p.D.order
        for me in range(1, size):
            if len(self.others) < me:
                self.others.append(Thread(target=serve, args=(self.tasks,), daemon=True))
                self.others[-1].start()
            if self.board.marks[SEAT + me * WIDTH] == AWAY:
                self.board.marks[SEAT + me * WIDTH] = WAITING
                self.tasks.put((_with_own_room(self.shared), self.board, me))

    def go_home(self) -> None:
        """End the threads."""
        for me in range(1, len(self.others) + 1):
            if self.board.marks[SEAT + me * WIDTH] == WAITING:
                self.board.marks[SEAT + me * WIDTH] = AWAY
            self.tasks.put(None)
        for other in self.others:
            if other.ident is not None:  # it was started
                other.join()


NO_TEAM = nullcontext()


def at_work(n_jobs: int | None) -> AbstractContextManager[Team | None]:
    """A team while it is needed; None if `n_jobs` asks for one thread."""
    threads = n_threads(n_jobs)
    return NO_TEAM if threads == 1 else _together_for_a_while(threads)


@contextmanager
def _together_for_a_while(threads: int) -> Iterator[Team]:
    team = Team(threads)
    try:
        yield team
    finally:
        team.go_home()


def shared_out(threads: int, p: Pass) -> tuple[int, float, int]:
    """A pass with the machines shared out: the same updates, in the same order.

    No machine knows of another.
    """
    n = n_visits(p.D)
    if threads == 1:
        done: tuple[int, float, int] = drive(p, 0, 0, n, 0.0, False)
        return done

    def some(low: int, high: int) -> Any:
        own = p._replace(  # numbers that threads write side by side would slow them down
            W=suited(p.W[low:high], p.D.rows),
            extra=p.extra[low:high],
            log=Log.room(n * (high - low)),
            kind=Apart(p.kind.base + low),
            since=p.since[low:high],
            scores=np.empty(high - low, p.scores.dtype),
            least=p.least[low:high].copy(),
            mistakes=np.zeros(1, np.int64),
        )
        k, R, stopped = drive(own, 0, 0, n, 0.0, False)
        p.W[low:high], p.least[low:high] = own.W, own.least
        return own.log.some(0, k), int(own.mistakes[0]), R, stopped

    logs, mistakes, R, stopped = zip(
        *side_by_side(some, list(spans(len(p.W), threads, PAIR))), strict=True
    )
    log = Log(*map(np.concatenate, zip(*logs, strict=True)))
    order = np.argsort(log.time * len(p.W) + np.maximum(log.gained, log.lost), kind="stable")
    for room, column in zip(p.log[:4], log[:4], strict=True):
        room[: len(order)] = column[order]
    p.mistakes[0] += sum(mistakes)
    return len(order), max(R), max(stopped)


def _together(apart: float, size: int) -> float:
    """From one mistake to the next, in seconds, for so many threads."""
    return apart / size + ALONE + EACH * size


def _least_apart(size: int) -> float:
    """How far apart mistakes must be, in seconds, for so many threads to be no slower than one."""
    return (ALONE + EACH * size) * size / (size - 1)


def _is_again(p: Pass, before: Any) -> bool:
    """Is this the pass before, but for its order and the room for its updates?"""
    if (p.kind, p.rule, p.measure) != (before.kind, before.rule, before.measure):
        return False
    if len(p.D.order) != len(before.D.order) or not np.array_equal(p.since, before.since):
        return False
    mine, others = ((q.W, q.extra, q.shares, q.D.y, q.D.weight) for q in (p, before))
    same = (_is_same(a, b) for a, b in zip(mine, others, strict=True))
    return p.D.rows is before.D.rows and all(same)


def _is_same(a: Any, b: Any) -> bool:
    """Are these the same numbers in memory?"""
    return a is b or (a.__array_interface__ == b.__array_interface__)


def _is_sparse(rows: Rows) -> bool:
    return isinstance(getattr(rows, "rows", rows), CSR)


def _with_own_room(p: Pass) -> Pass:
    """A pass for one more thread: it shares all but the room for scores and the least margin."""
    return p._replace(scores=np.empty_like(p.scores), least=np.empty_like(p.least))
