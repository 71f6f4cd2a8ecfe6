"""Replaying a run from its record: the weights after any update, exactly as they were.

Each learner has a `Recorder`, which repeats its updates.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from novikoff.core.examples import Examples
from novikoff.core.jit import njit
from novikoff.core.log import LARGEST, Growth, Updates, columns
from novikoff.core.loops import replay
from novikoff.core.rules import learn, push, tie
from novikoff.learners.state import Space, State
from novikoff.typing import Array, Matrix


class Redone(NamedTuple):
    """Updates to be made again; classes are None where there are two."""

    examples: Array
    steps: Array
    """Of two classes, signed."""
    scores: Array
    gained: Array | None
    lost: Array | None


class Recorder(ABC):
    """How the updates of a learner are recorded, and made again (abstract)."""

    apart = False
    """Has each of many classes a machine, whose squared length is recorded?"""
    counted = False
    """Are mistakes counted apart, since there are updates that are none?"""
    signed = True
    """Of two classes, have steps the sign of the label?"""
    extra = ""
    """What updates change beside the weights, if they do."""
    rule: tuple[Any, ...] = ()
    """What it takes to make the updates again, beside their steps and the space of the run."""

    @abstractmethod
    def redo(self, run: State, rows: Any, made: Redone) -> None:
        """Make these updates on a run."""

    def with_rule(self, numbers: tuple[Any, ...]) -> "Recorder":
        """The same with another rule."""
        return self

    def begin(self, run: State) -> Updates:
        """A record that begins here."""
        own = run.ledger.own_squares * float(run.space.get("slack", 0.0)) ** 2
        with np.errstate(over="ignore"):
            squares = (run.weights.astype(np.float64) ** 2).sum(axis=1)
            square = (squares if self.apart else squares.sum(keepdims=True)) + own
        square = np.minimum(square, LARGEST)
        return Updates(
            run.weights.copy(),
            square,
            sum(run.ledger.mistakes),
            table=np.empty(0, columns(many=run.many, counted=self.counted)),
            extra=run.extra[self.extra].copy() if self.extra else None,
            now=square.copy(),
        )

    def grow(self, made: Updates, pair: tuple[float, float], places: Array, n_classes: int) -> None:
        """Go on recording where more classes have come; `pair` is as `pair_of` says."""
        if self.apart:
            now = np.zeros(n_classes)
            now[places] = made.now
        else:
            two = len(made.start) == 1 and not made.growths
            now = made.now * (pair[1] if two else 1.0)
        made.grow(places, n_classes, np.fmin(now, LARGEST))


def pair_of(learner: Any, space: Space, apart: bool) -> tuple[float, float]:
    """What a score of one weight vector, and its squared length, are when it becomes two.

    Where classes are learned jointly, the score is by how much one leads the other.
    """
    weights = np.ones((1, 2))
    run = State(space, weights, learner._extra(space, weights), learner._declared(space))
    learner._spread(run, np.arange(2), 3)
    low, high = run.weights[0, 0], run.weights[1, 0]
    return (float(high), float(high**2)) if apart else (float(high - low), float(high**2 + low**2))


class Moves(Recorder):
    """The updates of a perceptron; if `apart`, of one machine for each of many classes."""

    def __init__(self, *, apart: bool, counted: bool) -> None:
        self.apart, self.counted = apart, counted

    def redo(self, run: State, rows: Any, made: Redone) -> None:
        """Make these updates on a run."""
        W, bias = run.weights, float(run.space["fit_intercept"])
        gained, lost, base = made.gained, made.lost, 0
        if gained is None or lost is None:
            up = np.zeros(len(made.steps), np.int32)
            gained, lost = up, up - 1
        replay(W, rows, made.examples, made.steps, gained, lost, base, bias)


@njit(cache=True)
def relearn(W, extra, D, made, rule):
    """Make these updates again, with the scores there were; `D` has room for weights."""
    examples, weights, scores, machines, signs = made
    for k in range(len(examples)):
        i, c, y = examples[k], machines[k], signs[k]
        D.weight[i] = weights[k]
        learn(rule, W[c], extra[c], y, y * scores[k], D, i)


@njit(cache=True)
def repush(W, D, made, rule):
    """The same where the right class gained what its rival lost."""
    examples, weights, leads, gained, lost = made
    for k in range(len(examples)):
        D.weight[examples[k]] = weights[k]
        push(rule, W, gained[k], lost[k], leads[k], D, examples[k])


def recovered(rule: Any, numbers: tuple[Any, ...]) -> Any:
    """A rule of this kind, from its numbers."""
    kinds = (type(value) for value in rule)
    return type(rule)(*(kind(number) for kind, number in zip(kinds, numbers, strict=True)))


class Ruled(Recorder):
    """The updates of machines that learn by a rule, or, if not `apart`, of classes jointly."""

    counted = True

    def __init__(self, rule: Any, extra: str = "", *, apart: bool = True) -> None:
        self.rule, self.extra, self.apart = rule, extra, apart

    def with_rule(self, numbers: tuple[Any, ...]) -> "Ruled":
        """The same with another rule."""
        return Ruled(recovered(self.rule, numbers), self.extra, apart=self.apart)

    def redo(self, run: State, rows: Any, made: Redone) -> None:
        """Make these updates on a run."""
        W, weights = run.weights, abs(made.steps)
        D = Examples(rows, np.empty(0, np.int32), np.ones(int(made.examples.max()) + 1))
        if made.gained is None or made.lost is None:
            which, sign = np.zeros(len(weights), np.int64), np.sign(made.steps).astype(np.int64)
        elif not self.apart:
            pairs = made.examples, weights, made.scores, made.gained, made.lost
            repush(W, D, pairs, self.rule)
            return
        else:
            which = np.maximum(made.gained, made.lost).astype(np.int64)
            sign = np.where(made.gained >= 0, 1, -1)
        extra = run.extra[self.extra] if self.extra else np.empty((len(W), 0))
        relearn(W, extra, D, (made.examples, weights, made.scores, which, sign), self.rule)


class Replay:
    """A run on its way through its updates.

    Classes that a stream brought on the way make room for themselves here too, when they came.
    """

    def __init__(self, learner: Any, made: Updates, space: Space, X: Matrix) -> None:
        self.learner, self.made = learner, made
        self.run = State(space, made.start.copy(), declared=learner._declared(space))
        self.run.extra = learner._extra(space, self.run.weights)
        if made.extra is not None:
            self.run.extra[learner._kept_by_rule] = made.extra.copy()
        self.rows = None if X is None else learner._rows(X, space)
        self.at = 0
        self.growths = list(made.growths)

    def weights(self, ks: Array) -> Iterator[Array]:
        """The weights after each of these updates, in increasing order; the next overwrites it."""
        for k in ks.tolist():
            while self.growths and self.growths[0].at <= k:
                growth = self.growths.pop(0)
                self._redo(growth.at)
                self._grow(self.run, growth)
            self._redo(k)
            yield self.complete().weights

    def _redo(self, k: int) -> None:
        made = self.made
        recorder = self.learner._recorder(self.run)
        changes = [n for n, _ in made.rules if self.at < n < k]
        for end in (*changes, k):
            if end == self.at:
                continue
            rule = next((rule for n, rule in reversed(made.rules) if n <= self.at), ())
            some = made.table[self.at : end]
            recorder.with_rule(rule).redo(self.run, self.rows, redone(some, self.run.many))
            self.at = end

    def _grow(self, run: State, growth: Growth) -> None:
        self.learner._spread(run, np.array(growth.places), growth.n_classes)

    def complete(self) -> State:
        """The run with all classes there will be; those that are still to come have no weights."""
        run = self.run if not self.growths else self.run.copy()
        for growth in self.growths:
            self._grow(run, growth)
        return run


def redone(some: Array, many: bool) -> Redone:
    """These updates, as they are to be made again."""
    names = some.dtype.names or ()
    step = np.ascontiguousarray(some["step"])
    example, score = (np.ascontiguousarray(some[name]) for name in ("example", "score"))
    if many:
        gained, lost = (np.ascontiguousarray(some[name]) for name in ("gained", "lost"))
        return Redone(example, step, score, gained, lost)
    if "gained" in names:  # there were two classes then, and there are more now
        step = np.where(some["gained"] > 0, step, -step)
    return Redone(example, step, score, None, None)


def recorder_of(made: Updates, learner: Any, space: Space) -> Recorder:
    """The part of the learner that goes through the updates of a run like this one at its end."""
    w = made.start if not made.growths else np.empty((made.growths[-1].n_classes, 1))
    recorder: Recorder = learner._recorder(State(space, w))
    return recorder


def told(made: Updates, apart: bool, pair: tuple[float, float]) -> tuple[Array, Array]:
    """The updates and the squared length of the start, as of all the classes there are now.

    Is there a machine for each class? `pair` is as `pair_of` says.
    """
    table, square = made.table[: made.n].copy(), made.square
    two = len(made.start) == 1
    for growth in made.growths:
        some, places = table[: growth.at], np.array(growth.places)
        if two and len(places) > 1:
            score, length = pair
            with np.errstate(over="ignore"):
                lead = some["score"] * np.where(some["gained"] > 0, score, -score)
                some["score"] = np.clip(lead, -LARGEST, LARGEST)
                some["square"] = np.fmin(some["square"] * length, LARGEST)
                square = np.fmin(square * length, LARGEST)
        if apart:
            spread = np.zeros(growth.n_classes)
            spread[places] = square
            square = spread
        places = np.append(places, -1)  # -1, for none, stays
        for name in ("label", "gained", "lost"):
            classes = some[name]
            classes[:] = places[classes]
        two = False
    return table, square


def of_machine(made: Updates, replay: Replay, c: int, table: Array, square: Array) -> Updates:
    """The record of the machine of class `c` alone, from what `told` tells."""
    run, names = replay.complete(), table.dtype.names or ()
    some = (table["gained"] == c) | (table["lost"] == c)
    mine, own = table[some], np.empty(int(some.sum()), columns(counted="mistakes" in names))
    sign = np.where(mine["gained"] == c, 1, -1)
    for name in own.dtype.names or ():
        own[name] = mine[name]
    own["label"], own["step"] = sign, sign * mine["step"]
    # while there were two classes, one machine stood for both, and the score is of the one it was
    other = (mine["gained"] >= 0) & (mine["lost"] == c)
    own["score"] = np.where(other, -mine["score"], mine["score"])
    if "mistakes" in names:
        m, on_line = sign * own["score"], tie(replay.learner._rule(run))
        own["mistakes"] = np.cumsum((m < 0) | ((m == 0) & (sign != on_line)))
    before = np.append(0, np.cumsum(some))
    return replace(
        made,
        start=run.weights[c : c + 1].copy(),
        extra=None if made.extra is None else run.extra[replay.learner._kept_by_rule][c : c + 1],
        square=square[c : c + 1],
        before=0,
        table=own,
        n=len(own),
        growths=(),
        rules=tuple((int(before[n]), rule) for n, rule in made.rules),
    )
