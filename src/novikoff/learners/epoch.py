"""A pass over the examples: the arguments of the training loop, and the threads that run it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from novikoff.core.drive import drive
from novikoff.core.examples import Examples, n_visits, steps_of
from novikoff.core.log import Log
from novikoff.core.loops import Apart, Pass
from novikoff.core.products import suited
from novikoff.core.rows import Chain
from novikoff.core.rules import is_foreseen
from novikoff.core.viterbi import room_to_decode
from novikoff.inputs.arrays import as_rows, lengths_of, overflow
from novikoff.learners.state import State
from novikoff.parallel.cores import n_threads
from novikoff.parallel.pool import Team, shared_out
from novikoff.typing import Array, Matrix

ROOM = 1 << 22
"""How many updates of a pass to make room for at once, where one visit can make many."""
NONE, NO_SHARES = np.empty(0), np.empty((0, 0), np.int32)
NO_EXTRA, AT_ONCE = np.empty((1, 0)), np.zeros(1, np.int64)


def first_visits(D: Examples, late: Array) -> Array:
    """From which visit on each class takes part: a late one from its first example on."""
    since = np.zeros(len(late), np.int64)
    if late.any():
        since[late] = n_visits(D)
        labels, times = labels_met(D)
        classes, first = np.unique(labels, return_index=True)
        since[classes] = np.where(late[classes], times[first], 0)
    return since


def labels_met(D: Examples) -> tuple[Array, Array]:
    """The labels in the order of the visits, and which visit each is of."""
    visits = D.visits()
    if not isinstance(D.rows, Chain):
        return D.y[visits], np.arange(len(visits))
    steps, n = steps_of(D.rows.starts, visits)
    return D.rows.labels[steps], np.repeat(np.arange(len(visits)), n)


class Work(NamedTuple):
    """A pass to be made, or a piece of one."""

    D: Examples
    since: Array
    """The visit from which on each class takes part."""
    updates: Array
    """How often each example was updated on before."""
    log: Log
    """Room for its updates."""
    squares: Array = NONE
    """The squared lengths before it, and then those after it; empty if it is not recorded."""
    measure: bool = False
    """Are rows to be checked, and their lengths taken?"""
    team: Team | None = None
    """The threads that make it, if there are several."""

    def tally(self, k: int) -> None:
        """Count the `k` updates that it made with the examples they were made on."""
        rows = self.D.rows_at(self.log.time[:k])
        np.add.at(self.updates, rows, 1)


def most_updates(learner: Any, run: State) -> int:
    """How many updates one visit can make."""
    return len(run.weights) if learner._machines(run.space) else 1


def room(learner: Any, run: State, n: int, steps: int = 0) -> Log:
    """Room for the updates of a pass over `n` examples, or of a piece of it.

    Of sequences, with so many steps in all.
    """
    each = most_updates(learner, run)
    most = n if each == 1 else min(n, max(1, ROOM // each)) * each
    return Log.room(most, recorded=run.log is not None, steps=steps)


def steps_in(D: Examples) -> int:
    """How many steps sequences have in all; 0 where examples are none."""
    return len(D.rows.labels) if isinstance(D.rows, Chain) else 0


def pieces(learner: Any, run: State, whole: Work) -> Iterator[Work]:
    """A pass in one piece, or in as many as there is room for the updates of.

    Also where the mean length changes that a margin is measured by.
    """
    D, n, low = whole.D, n_visits(whole.D), 0
    most = max(1, len(whole.log.time) // most_updates(learner, run))
    lengthened = learner._measures(run.space) and not run.ledger.lengths.known
    if n <= most and run.log is None and not lengthened:  # as nearly always
        yield whole
        return
    visits = D.visits()
    while low < n:
        high = min(n, low + most, low + run.ledger.lengths.left() if lengthened else n)
        part = D if high - low == n else D.visited(visits[low:high])
        squares = NONE if run.log is None else run.log.now.copy()
        yield whole._replace(D=part, since=whole.since - low, squares=squares)
        if lengthened:
            run.ledger.lengths = run.ledger.lengths.after(part)
        low = high


def pass_over(learner: Any, run: State, work: Work) -> Pass:
    """All that a loop needs."""
    apart, since = run.many and learner._machines(run.space), work.since
    if run.many:
        run.weights = suited(run.weights, work.D.rows)
    if apart:  # there is a rest only once there is a second class
        since = np.maximum(since, np.sort(since)[1])
    W, kept, rows = run.weights, learner._kept_by_rule, work.D.rows
    n_scores = len(W)
    if isinstance(rows, Chain):
        n_scores = room_to_decode(int(np.diff(rows.starts).max(initial=0)), n_scores)
    return Pass(
        kind=learner._kind(run),
        W=W,
        extra=run.extra[kept] if kept else _no_extra(len(W)),
        shares=learner._shares(run, work),
        log=work.log,
        D=work.D,
        rule=learner._rule(run),
        since=since if run.many or isinstance(rows, Chain) else AT_ONCE,
        scores=np.empty(n_scores, W.dtype),
        least=np.array([np.inf] * (len(W) if apart else 1)),
        squares=work.squares,
        mistakes=np.array([sum(run.ledger.mistakes)]),
        whole=learner._changes_all(run.space),
        measure=work.measure,
    )


def _no_extra(n: int) -> Array:
    return NO_EXTRA if n == 1 else np.empty((n, 0))


def made(p: Pass, team: Team | None, n_jobs: int | None) -> tuple[int, float, int]:
    """Make a pass: by a loop, or by threads that share its machines, or look ahead."""
    if isinstance(p.kind, Apart):
        return shared_out(1 if len(p.squares) else n_threads(n_jobs), p)
    if team is not None and is_foreseen(p.rule):
        return team.epoch(p)
    done: tuple[int, float, int] = drive(p, 0, 0, n_visits(p.D), 0.0, False)
    return done


def learn(learner: Any, run: State, X: Matrix, work: Work) -> None:
    """Let the loop pass over some examples once, and bring the run up to date."""
    k, length, stopped = learner._epoch(run, work)
    if stopped >= 0:
        learner._require_sound(X, run.space)
        raise overflow(run.weights.dtype)
    run.ledger.length = max(run.ledger.length, length)
    n, log, D = n_visits(work.D), work.log.some(0, k), work.D
    if k:
        if not run.stream.is_open:
            work.tally(k)
        learner._account(run, log)
        safe = learner._reach(run) < float(np.finfo(run.weights.dtype).max) / 4
        if not safe and not np.isfinite(run.weights).all():
            raise overflow(run.weights.dtype)
        learner._remember(run, D, log)
        if run.log is not None:
            recorder, epoch = learner._recorder(run), len(run.ledger.mistakes) - 1
            run.log.follow(tuple(recorder.rule))
            run.log.append(epoch, D, log, work.squares, signed=recorder.signed)
    if run.log is not None:
        run.log.visited += n
    run.mean = None
    run.stream.n_seen += n
    run.ledger.count(k)


def look_on(learner: Any, run: State, X: Matrix, D: Examples, n: int) -> Examples:
    """Visit `n` examples while there is one class, and nothing to learn; the others."""
    learner._require_sound(X, run.space)
    every = D.visits()
    lengths = lengths_of(as_rows(X), X.shape[0])[every[:n]]
    run.ledger.length = max(run.ledger.length, float(lengths.max(initial=0.0)))
    if learner._measures(run.space) and not run.ledger.lengths.known:
        run.ledger.lengths = run.ledger.lengths.after(D.visited(every[:n]))
    run.stream.n_seen += n
    if run.log is not None:
        run.log.visited += n
    return D.visited(every[n:])


class Course:
    """A `fit` under way: epoch after epoch over the same examples.

    It visits at most `most` of them at once; `again` says that the run has passed over them before.
    """

    def __init__(
        self, learner: Any, run: State, X: Matrix, D: Examples, most: int, *, again: bool = False
    ) -> None:
        self.learner, self.run, self.X, self.D, self.again = learner, run, X, D, again
        self.since = np.zeros(max(2, len(run.weights)), np.int64)
        self.log, self.epochs = room(learner, run, most, steps_in(D)), 0

    def begin_epoch(self) -> None:
        """One more epoch begins."""
        run = self.run
        run.begin_pass()
        if self.epochs or self.again:
            run.ledger.lengths = run.ledger.lengths.of_all()
        self.epochs += 1

    def visit(self, order: Array | None, team: Team | None = None) -> None:
        """Visit these rows, or all, as a part of the epoch; in the first they are measured."""
        updates: Any = self.run.ledger.updates
        D, first = self.D.visited(order), self.epochs == 1
        whole = Work(D, self.since, updates, self.log, measure=first, team=team)
        for work in pieces(self.learner, self.run, whole):
            learn(self.learner, self.run, self.X, work)
