r"""The same run on many cores: between two mistakes the weights stand still.

So the examples ahead can be scored on all cores at once; what was scored past a mistake is
thrown away, and scored again with the new weights. Every update is made by the plain loop, on the
weights that it would have met: **the run has the same bits, whatever the number of threads.**

The visits ahead are cut into blocks of a few, which the threads take in turn, so that all of them
are always near the front. Each looks for the first mistake of its block; none begins on a block
that is known to be past a mistake. When all that come before it are done, the thread that leads
lets the plain loop make that one visit, and a new round begins behind it. At the end of a turn the
others stay awake for a moment: an epoch over rows in the cache takes no longer than to wake them.

`novikoff.parallel.pool` has the other side of it: who works, and when that pays.
"""

from typing import Any, NamedTuple

import numpy as np

from novikoff.core.drive import drive
from novikoff.core.examples import n_visits, visit
from novikoff.core.jit import njit
from novikoff.core.loops import Pass
from novikoff.core.prefetch import touch
from novikoff.core.rows import first, last
from novikoff.parallel.atomics import (
    WIDTH,
    add_to,
    look_up,
    lower_to,
    put,
    wait_for,
    wait_while,
    watch,
)
from novikoff.typing import Array

PATIENCE = 16
"""A turn together ends when threads had to wait this often for one that does not run."""
AHEAD = 2048
"""How many values of its next block a thread asks for beforehand."""
BLOCKS = 256
"""The most blocks of a round."""
AWAKE = 8000
"""How often a thread looks whether it is called to another turn before it goes to sleep: some
0.1 milliseconds."""

FAR = np.int64(2**62)

# the whole numbers on a board; those in lines of their own are changed by all threads at once
NEXT, FIRST, ARRIVED, ROUND, LATE = range(0, 5 * WIDTH, WIDTH)
AT, SIZE, OVER, MADE, STOPPED, SINCE, UNTIL, TEAM = range(5 * WIDTH, 5 * WIDTH + 8)
SEAT = 5 * WIDTH
"""The seat of thread `me` is `SEAT + me * WIDTH`, for all but the one that leads. On it stands:"""
BUSY, WAITING, CALLED, AWAY = -8, 0, 1, 2

# the other numbers; the largest length that thread `me` met is `(1 + me) * WIDTH`
GAP, FEWEST, MOST, BEGINNING = range(4)


class Board(NamedTuple):
    """What the threads of a team tell each other."""

    marks: Array
    """Whole numbers: the next block to take, the first mistake found, and so on."""
    numbers: Array
    """Others: how far mistakes are apart, and so on."""
    leasts: Array
    """The least margin of every block, as far as it was scored."""

    @classmethod
    def of(cls, team: int) -> "Board":
        """A board for so many threads, none of which is there yet."""
        marks = np.full((5 + team) * WIDTH, AWAY, np.int64)
        return cls(marks, np.zeros((1 + team) * WIDTH), np.empty(BLOCKS * WIDTH))


class Plan(NamedTuple):
    """A turn, as it is to be."""

    at: int
    """The visit to begin with,"""
    until: int
    """and the one to end with, or soon after."""
    made: int
    """How many updates the pass has made."""
    team: int
    """How many threads take part, if all are there."""
    since: int
    """How many visits there were since the last mistake,"""
    gap: float
    """and how many a mistake was apart from the next lately;"""
    fewest: float
    """with fewer than these,"""
    most: float
    """and with more than these, the turn ends."""
    beginning: float
    """As how many visits it costs to begin a block."""


NO_PLAN = Plan(0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0)

# ------------------------------------------------------------- a turn


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
def scout(p, board, R):
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
        p.least[0] = np.inf
        _, R, t = drive(p, 0, low, high, R, True)
        board.leasts[block * WIDTH] = p.least[0]
        if t >= 0:
            lower_to(marks, FIRST, t)
        block = following


@njit
def close(p, board, R):
    """End a round: count what was right, let the plain loop make the first mistake, go on there."""
    marks, numbers, n = board.marks, board.numbers, n_visits(p.D)
    begin, size, found = marks[AT], marks[SIZE], marks[FIRST]
    end = min(n, begin + BLOCKS * size)
    if found >= end and p.least[0] > 0.0:  # the margin of a mistake is less than all others
        for block in range((end - 1 - begin) // size + 1):
            p.least[0] = min(p.least[0], board.leasts[block * WIDTH])
    marks[SINCE] += min(found, end) - begin
    if found < end:
        marks[MADE], R, marks[STOPPED] = drive(p, marks[MADE], found, found + 1, R, False)
        end = found + 1
        numbers[GAP] += (marks[SINCE] + 1 - numbers[GAP]) / 8
        marks[SINCE] = 0
    gap = max(numbers[GAP], np.float64(marks[SINCE]))
    frequent_or_rare = gap < numbers[FEWEST] or gap > numbers[MOST]
    marks[AT], marks[NEXT], marks[FIRST] = end, 0, FAR
    done = end >= min(n, marks[UNTIL]) or marks[LATE] > PATIENCE * marks[TEAM]
    marks[OVER] = done or marks[STOPPED] >= 0 or frequent_or_rare
    return R


@njit
def resize(board):
    """Choose how many visits a block has.

    At a mistake about a block is lost: so blocks are the longer the rarer mistakes are, but
    twice as long only where they are four times as rare.
    """
    gap = max(board.numbers[GAP], np.float64(board.marks[SINCE]))
    board.marks[SIZE] = 1 + np.int64(np.sqrt(gap * board.numbers[BEGINNING]))


@njit
def take_part(p, own, board, me):
    """What every thread of a team does in a turn; `own` is the pass with room of its own."""
    marks, R, round_ = board.marks, 0.0, 0
    while True:
        R = scout(own, board, R)
        round_ += 1
        if me == 0:
            in_time = wait_for(marks, ARRIVED, marks[TEAM] - 1)
            board.numbers[WIDTH] = R = close(p, board, R)
            resize(board)
            marks[ARRIVED] = 0
            put(marks, ROUND, round_)
        else:
            board.numbers[(1 + me) * WIDTH] = R
            add_to(marks, ARRIVED, 1)
            in_time = wait_for(marks, ROUND, round_)
        if not in_time and round_ > 1:  # some start late
            add_to(marks, LATE, 1)
        if marks[OVER]:
            return


@njit
def call(board, plan):
    """Write a turn on the board, and call the others to it."""
    marks, numbers = board.marks, board.numbers
    for seat in range(SEAT + WIDTH, len(marks), WIDTH):
        wait_while(marks, seat, BUSY)  # with the end of the last one, also if not called to this
    marks[NEXT], marks[FIRST], marks[ARRIVED], marks[ROUND], marks[LATE] = 0, FAR, 0, 0, 0
    marks[AT], marks[UNTIL] = plan.at, plan.until
    marks[MADE], marks[SINCE] = plan.made, plan.since
    marks[STOPPED], marks[OVER], marks[TEAM] = -1, 0, 1
    numbers[:] = 0.0
    numbers[BEGINNING] = plan.beginning
    numbers[GAP], numbers[FEWEST], numbers[MOST] = plan.gap, plan.fewest, plan.most
    resize(board)
    for me in range(1, plan.team):
        if add_to(marks, SEAT + me * WIDTH, CALLED) == WAITING:
            marks[TEAM] += 1
        else:  # it has just gone to sleep
            put(marks, SEAT + me * WIDTH, AWAY)


@njit(nogil=True, cache=True)
def take_turns(p, own, board, plan, me):
    """One turn for the thread that leads; for another, as long as one comes soon after the other.

    Both in one kernel, since it has the loops of a pass in it, which take long to compile.
    """
    marks, numbers, seat = board.marks, board.numbers, SEAT + me * WIDTH
    if me == 0:
        call(board, plan)
    else:
        wait_for(marks, seat, CALLED)
        put(marks, seat, BUSY)
    while True:
        take_part(p, own, board, me)
        if me == 0:
            break
        put(marks, seat, WAITING)
        watch(marks, seat, WAITING, AWAKE)
        if add_to(marks, seat, AWAY) != CALLED:
            break
        put(marks, seat, BUSY)
    R = 0.0
    for other in range(plan.team):
        R = max(R, numbers[(1 + other) * WIDTH])
    return marks[AT], (marks[MADE], R, marks[STOPPED]), numbers[GAP], marks[SINCE]


def lead(p: Pass, own: Pass, board: Board, plan: Plan) -> Any:
    """A turn, by the thread that leads; `own` is the pass with other room, to look ahead with.

    Where it ended, what the loop returns, how far apart mistakes were lately, and how far back the
    last one is.
    """
    return take_turns(p, own, board, plan, 0)


def follow(own: Pass, board: Board, me: int) -> None:
    """Turns, by another thread."""
    take_turns(own, own, board, NO_PLAN, me)


def send_home(board: Board, team: int) -> None:
    """End a turn that was interrupted: one that did not begin, for those who were called to it, or
    one that is over, for those who have not seen its last round end.
    """
    marks = board.marks
    marks[FIRST], marks[OVER], marks[ROUND] = -1, 1, FAR
    for me in range(1, team):
        marks[SEAT + me * WIDTH] = CALLED
