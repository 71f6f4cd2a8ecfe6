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
from contextlib import contextmanager
from math import sqrt
from queue import SimpleQueue
from threading import Thread
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import overload

from novikoff.atomics import WIDTH, add_to, look_up, lower_to, put, wait_for
from novikoff.cores import n_threads
from novikoff.examples import n_visits, visit
from novikoff.learners import joint, loop
from novikoff.learners.joint import Made
from novikoff.learners.run import Run
from novikoff.rows import first, last, touch

ALONE, EACH = 1.5e-6, 0.4e-6
r"""$\sigma_0$ and $\sigma_1$, in seconds."""
WORTH_IT = 1.25
"""Work together if that promises to be faster by this factor, and until it is by none."""
STRETCH, TURN = 1e-3, 20e-3
"""How long to work alone and together, in seconds, before asking again."""
LONGEST_PAUSE = 1.0
"""How long to work alone, at most, where a team was no faster: other work may have the cores."""
TAKING = 0.05e-6
"""What it costs to take a block, in seconds."""
PATIENCE = 16
"""A turn together ends when threads had to wait this often for one that does not run."""
AHEAD = 2048
"""How many values of its next block a thread asks for beforehand."""
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
    lengths: Any
    """The largest length that each thread has met."""
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
def announce_block(D, low, size):
    """Ask for the first rows of a block ahead of its use.

    The memory does not see them come, since the rows before them are another thread's.
    """
    values = 0
    for t in range(low, min(low + size, n_visits(D))):
        i = visit(D, t)
        touch(D.rows, i)
        values += np.int64(last(D.rows, i) - first(D.rows, i))
        if values >= AHEAD:
            break


@njit
def scout(p, classes, board, R):
    """Score blocks ahead until all are taken, or all that are left lie past a mistake."""
    marks, n = board.marks, n_visits(p.D)
    begin, size = marks[AT], marks[SIZE]
    block = add_to(marks, NEXT, 1)
    while True:
        low = begin + block * size
        if block >= BLOCKS or low >= n or low > look_up(marks, FIRST):
            return R
        high = min(low + size, n)
        following = add_to(marks, NEXT, 1)
        announce_block(p.D, begin + following * size, size)
        t, board.leasts[block * WIDTH], R = search(p, classes, low, high, R)
        if t < high:
            lower_to(marks, FIRST, t)
        block = following


@njit
def close(p, classes, board, team, R):
    """End a round: count what was right, let the plain loop make the first mistake, go on there."""
    marks, n = board.marks, n_visits(p.D)
    begin, size, found = marks[AT], marks[SIZE], marks[FIRST]
    end = min(n, begin + BLOCKS * size)
    for block in range((min(found, end - 1) - begin) // size + 1):
        board.least[0] = min(board.least[0], board.leasts[block * WIDTH])
    marks[SINCE] += min(found, end) - begin
    if found < end:
        k, R, least, stopped = learn(p, classes, marks[MADE], found, found + 1)
        board.least[0] = min(board.least[0], least)
        marks[MADE] += k
        marks[STOPPED] = stopped
        end = found + 1
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
def work(p, classes, board, me, team, taking):
    """What every thread of a team does."""
    marks, R, round_ = board.marks, 0.0, 0
    while True:
        R = scout(p, classes, board, R)
        board.lengths[me * WIDTH] = R
        round_ += 1
        if add_to(marks, ARRIVED, 1) == team - 1:
            board.lengths[me * WIDTH] = R = max(R, close(p, classes, board, team, R))
            resize(board, taking)
            marks[ARRIVED] = 0
            put(marks, ROUND, round_)
        elif not wait_for(marks, ROUND, round_) and round_ > 1:  # some start late
            add_to(marks, LATE, 1)
        if marks[OVER]:
            return


def serve(tasks: "SimpleQueue[Any]") -> None:
    """What a thread of a team does from turn to turn, until it is given nothing more."""
    while (task := tasks.get()) is not None:
        work(*task)


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
        self.tasks: SimpleQueue[Any] = SimpleQueue()
        self.others: list[Thread] = []

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
                self._judge(size, (perf_counter() - start) / (t - at))
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

    def _judge(self, size: int, seconds: float) -> None:
        """Was a turn together of so many threads, at so many seconds a visit, worth it?"""
        self.seconds = min(self.seconds, size * seconds)
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
        leasts, lengths = np.empty(BLOCKS * WIDTH), np.zeros(size * WIDTH)
        gaps = np.array([self.gap, apart, more])
        board = Board(marks, leasts, np.array([np.inf]), lengths, gaps)
        resize(board, taking)
        while len(self.others) < size - 1:
            self.others.append(Thread(target=serve, args=(self.tasks,), daemon=True))
            self.others[-1].start()
        try:
            for me in range(1, size):
                self.tasks.put((p, _own(p.classes), board, me, size, taking))
            work(p, p.classes, board, 0, size, taking)
        except BaseException:  # interrupted on the way there: the others need not wait
            marks[OVER] = marks[ROUND] = 1
            raise
        self.together += int(marks[AT]) - t
        self.gap, self.since = float(board.gaps[0]), int(marks[SINCE])
        made = int(marks[MADE]) - k
        R, least = float(board.lengths[::WIDTH].max()), float(board.least[0])
        return int(marks[AT]), made, R, least, int(marks[STOPPED])

    def go_home(self) -> None:
        """End the threads."""
        for _ in self.others:
            self.tasks.put(None)
        for other in self.others:
            other.join()


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
        run.team.go_home()
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
