r"""The same run on many cores: between two mistakes the weights stand still.

So the examples ahead can be scored on all cores at once; what was scored past a mistake is
thrown away, and scored again with the new weights. Every update is made by the plain loop, on the
weights that it would have met: **the run has the same bits, whatever the number of threads.**

The visits ahead are cut into blocks of a few, which the threads take in turn, so that all of them
are always near the front. Each looks for the first mistake of its block; none begins on a block
that is known to be past a mistake. When all that come before it are done, the last thread to arrive
lets the plain loop make that one visit, and a new round begins behind it.

**When it pays.** Let an example cost $r$ seconds to score, one of $g$ be a mistake, and a round of
$P$ threads cost $\sigma_P$ more than its scoring. From one mistake to the next take

$$g\,r \quad\text{alone}, \qquad \frac{g\,r}{P} + \sigma_P \quad\text{together}, \qquad
  \sigma_P \approx \sigma_0 + \sigma_1 P,$$

so together is faster where mistakes are far apart, $g\,r > \sigma_P\,P/(P - 1)$, and
$\sqrt{g\,r/\sigma_1}$ threads are the best number. Both $r$ and $g$ are measured on the way: the
clock decides who works, and never what comes out.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from math import sqrt
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import overload

from novikoff.atomics import WIDTH, add_to, look_up, lower_to, put, wait_for
from novikoff.cores import n_threads
from novikoff.examples import n_visits
from novikoff.learners import joint, loop
from novikoff.learners.joint import Made
from novikoff.learners.run import Run

ALONE, EACH = 1.5e-6, 0.4e-6
r"""$\sigma_0$ and $\sigma_1$, in seconds."""
WORTH_IT = 1.25
"""Work together if that promises to be faster by this factor, and until it is by none."""
STRETCH, TURN = 1e-3, 20e-3
"""How long to work alone and together, in seconds, before asking again."""
LONGEST_PAUSE = 1.0
"""How long to work alone, at most, where a team was no faster: other work may have the cores."""
TAKING = 0.1e-6
"""What it costs to take a block, in seconds."""
PATIENCE = 16
"""A turn together ends when threads had to wait this often for one that does not run."""
BLOCKS = 256
"""The most blocks of a round."""

FAR = np.int64(2**62)

# the places of the board on which the threads write; those in the first half, all at once
NEXT, FIRST, ARRIVED, ROUND, LATE = range(0, 5 * WIDTH, WIDTH)
AT, SIZE, OVER, MADE, STOPPED, SINCE, UNTIL = range(5 * WIDTH, 5 * WIDTH + 7)


class Board(NamedTuple):
    """What the threads of a team tell each other."""

    marks: Any
    """Whole numbers: the next block to take, the first mistake found, and so on."""
    leasts: Any
    """The least margin of every block, as far as it was scored,"""
    least: Any
    """and of all visits that are done."""
    gaps: Any
    """How many visits a mistake was apart from the next lately; with fewer, and with more than
    these, the team goes home."""


class Pass(NamedTuple):
    """All that the loop of a pass needs; `classes` is None where there are two."""

    w: Any
    alpha: Any
    made: Any
    D: Any
    rule: Any
    classes: Any
    measure: Any


def search(p: Pass, classes: Any, low: int, high: int, R: float) -> Any:
    """The first visit from `low` to `high` that needs the plain loop, or `high`.

    Then the least margin of those before it, and the largest length.
    """
    return (_search_two if classes is None else _search_many)(p, classes, low, high, R)


def learn(p: Pass, classes: Any, k: int, low: int, high: int) -> Any:
    """The plain loop, with room for mistakes from the `k`-th on."""
    if classes is None:
        return loop.epoch(p.w, p.alpha, p.made.times[k:], p.D, p.rule, p.measure, low, high)
    made = Made(*(column[k:] for column in p.made))
    return joint.epoch(p.w, p.alpha, made, p.D, p.rule, classes, p.measure, low, high)


@overload(search)
def _search(p, classes, low, high, R):
    if isinstance(classes, types.NoneType):
        return lambda p, classes, low, high, R: _search_two(p, classes, low, high, R)
    return lambda p, classes, low, high, R: _search_many(p, classes, low, high, R)


@overload(learn)
def _learn(p, classes, k, low, high):
    if isinstance(classes, types.NoneType):
        return lambda p, classes, k, low, high: _learn_two(p, classes, k, low, high)
    return lambda p, classes, k, low, high: _learn_many(p, classes, k, low, high)


@njit
def _search_two(p, classes, low, high, R):
    t, _, least, R = loop.next_mistake(p.w, p.alpha, p.D, p.rule, p.measure, low, high, np.inf, R)
    return t, least, R


@njit
def _search_many(p, classes, low, high, R):
    t, _, _, least, R = joint.next_mistake(
        p.w, p.D, p.rule, classes, p.measure, low, high, np.inf, R
    )
    return t, least, R


@njit
def _learn_two(p, classes, k, low, high):
    return loop.epoch(p.w, p.alpha, p.made.times[k:], p.D, p.rule, p.measure, low, high)


@njit
def _learn_many(p, classes, k, low, high):
    made = Made(p.made.times[k:], p.made.gained[k:], p.made.lost[k:])
    return joint.epoch(p.w, p.alpha, made, p.D, p.rule, classes, p.measure, low, high)


@njit
def scout(p, classes, board, R):
    """Score blocks ahead until all are taken, or all that are left lie past a mistake."""
    marks, n = board.marks, n_visits(p.D)
    begin, size = marks[AT], marks[SIZE]
    while True:
        block = add_to(marks, NEXT, 1)
        low = begin + block * size
        if block >= BLOCKS or low >= n or low > look_up(marks, FIRST):
            return R
        high = min(low + size, n)
        t, board.leasts[block], R = search(p, classes, low, high, R)
        if t < high:
            lower_to(marks, FIRST, t)


@njit
def close(p, classes, board, team, R):
    """End a round: count what was right, let the plain loop make the first mistake, go on there."""
    marks, n = board.marks, n_visits(p.D)
    begin, size, first = marks[AT], marks[SIZE], marks[FIRST]
    end = min(n, begin + BLOCKS * size)
    for block in range((min(first, end - 1) - begin) // size + 1):
        board.least[0] = min(board.least[0], board.leasts[block])
    marks[SINCE] += min(first, end) - begin
    if first < end:
        k, R, least, stopped = learn(p, classes, marks[MADE], first, first + 1)
        board.least[0] = min(board.least[0], least)
        marks[MADE] += k
        marks[STOPPED] = stopped
        end = first + 1
        board.gaps[0] += (marks[SINCE] + 1 - board.gaps[0]) / 8
        marks[SINCE] = 0
    gap = max(board.gaps[0], np.float64(marks[SINCE]))
    frequent_or_rare = gap < board.gaps[1] or gap > board.gaps[2]
    marks[AT], marks[NEXT], marks[FIRST] = end, 0, FAR
    done = end >= min(n, marks[UNTIL]) or marks[LATE] > PATIENCE * team
    marks[OVER] = done or marks[STOPPED] >= 0 or frequent_or_rare
    return R


@njit
def resize(board, taking):
    """Choose how many visits a block has; to take one costs as much as so many visits.

    At a mistake about a block is lost: so blocks are the longer the rarer mistakes are, but
    twice as long only where they are four times as rare.
    """
    gap = max(board.gaps[0], np.float64(board.marks[SINCE]))
    board.marks[SIZE] = 1 + np.int64(np.sqrt(gap * taking))


@njit(nogil=True, cache=True)
def work(p, classes, board, team, taking):
    """What every thread of a team does; returns the largest length it met."""
    marks, R, round_ = board.marks, 0.0, 0
    while True:
        R = scout(p, classes, board, R)
        round_ += 1
        if add_to(marks, ARRIVED, 1) == team - 1:
            R = max(R, close(p, classes, board, team, R))
            resize(board, taking)
            marks[ARRIVED] = 0
            put(marks, ROUND, round_)
        elif not wait_for(marks, ROUND, round_) and round_ > 1:  # some start late
            add_to(marks, LATE, 1)
        if marks[OVER]:
            return R


def in_turn(p: Pass) -> Any:
    """One pass by one thread."""
    return learn(p, p.classes, 0, 0, n_visits(p.D))


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
        self.pool = ThreadPoolExecutor(most - 1)  # starts its threads when they are needed

    def size(self) -> int:
        """How many threads promise to be fastest: 1 if a team is not worth it."""
        apart = max(self.gap, 4.0 * self.since) * self.seconds
        if perf_counter() < self.not_before:
            return 1
        size = max(1, min(self.most, round(sqrt(apart / EACH))))
        return size if size > 1 and apart > WORTH_IT * _together(apart, size) else 1

    def epoch(self, p: Pass) -> tuple[int, float, float, int]:
        """One pass; returns what the plain loop returns."""
        t = k = 0
        R, least, stopped = 0.0, np.inf, -1
        stretch = max(64, int(STRETCH / self.seconds)) if self.seconds else 64
        while t < n_visits(p.D) and stopped < 0:
            size, start = self.size(), perf_counter()
            if size > 1:
                at, (t, j, longest, lowest, stopped) = t, self._together(p, size, t, k)
                self._judge((perf_counter() - start) / (t - at))
            else:
                high = min(n_visits(p.D), t + stretch)
                j, longest, lowest, stopped = learn(p, p.classes, k, t, high)
                took = perf_counter() - start
                if took > STRETCH / 4:  # else most of it is the way to the loop and back
                    self.seconds = took / (high - t)
                self.gap, self.since = (high - t) / (j + 1), 0 if j else self.since + high - t
                stretch = max(1, min(2 * stretch, int(TURN * (high - t) / took)))
                t = high
            k, R, least = k + j, max(R, longest), min(least, lowest)
        return k, R, least, stopped

    def _judge(self, seconds: float) -> None:
        """Was a turn together, at so many seconds a visit, worth it?"""
        if seconds < self.seconds:
            self.pause = STRETCH
        else:
            self.pause = min(2 * self.pause, LONGEST_PAUSE)
            self.not_before = perf_counter() + self.pause

    def _together(self, p: Pass, size: int, t: int, k: int) -> tuple[int, int, float, float, int]:
        taking = TAKING / self.seconds
        marks = np.zeros(6 * WIDTH, np.int64)
        marks[AT], marks[MADE], marks[STOPPED], marks[FIRST] = t, k, -1, FAR
        marks[SINCE] = self.since
        marks[UNTIL] = t + int(size * TURN / self.seconds)
        apart = _least_apart(size) / self.seconds
        more = np.inf if size == self.most else 8 * max(self.gap, 4.0 * self.since)
        board = Board(
            marks, np.empty(BLOCKS), np.array([np.inf]), np.array([self.gap, apart, more])
        )
        resize(board, taking)
        own = [_own(p.classes) for _ in range(size)]
        task = (board, size, taking)
        others = [self.pool.submit(work, p, classes, *task) for classes in own[1:]]
        lengths = [work(p, own[0], *task), *(other.result() for other in others)]
        self.together += int(marks[AT]) - t
        self.gap, self.since = float(board.gaps[0]), int(marks[SINCE])
        made = int(marks[MADE]) - k
        return int(marks[AT]), made, max(lengths), float(board.least[0]), int(marks[STOPPED])


@contextmanager
def at_work(run: Run, n_jobs: int | None) -> Iterator[None]:
    """Inside, the run has a team, if `n_jobs` asks for more than one thread."""
    if n_threads(n_jobs) == 1:
        yield
        return
    run.team = Team(n_threads(n_jobs))
    try:
        yield
    finally:
        run.team.pool.shutdown()
        run.team = None


def _together(apart: float, size: int) -> float:
    """From one mistake to the next, in seconds, for so many threads."""
    return apart / size + ALONE + EACH * size


def _least_apart(size: int) -> float:
    """How far apart mistakes must be, in seconds, for so many threads to be no slower than one."""
    return (ALONE + EACH * size) * size / (size - 1)


def _own(classes: Any) -> Any:
    """The classes with room of one's own for their scores."""
    return None if classes is None else classes._replace(scores=np.empty_like(classes.scores))
