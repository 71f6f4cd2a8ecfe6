r"""What the perceptrons have in common: the update rule, the start, and the mistake bound.

Example $i$ has features $x_i$, a label $y_i$ of -1 or +1, and a weight $c_i$. The bias is the
weight of one more feature, which is always 1. With the score $s = \langle w, x_i\rangle + b$ and
the step size $\eta$, if $y_i s \le 0$:

$$w \leftarrow w + \eta\,c_i\,y_i x_i, \qquad b \leftarrow b + \eta\,c_i\,y_i.$$

If some unit vector $u$ has $y_i\langle u, x_i\rangle \ge \gamma$ and $\|x_i\| \le R$ for all $i$,
there are at most $(R/\gamma)^2$ updates, in any order (Novikoff 1962).

With more than two classes, there is a weight vector $w_c$ and a score $s_c$ for each class $c$, and
the model predicts the class with the largest score. On example $i$ of class $y$, let $r$ be the
class with the largest score among the others. If $s_y \le s_r$:

$$w_y \leftarrow w_y + \eta\,c_i\,x_i, \qquad w_r \leftarrow w_r - \eta\,c_i\,x_i.$$

By Kesler's construction this is the perceptron itself, on longer vectors: they have one block per
class, with $x_i$ in block $y$, $-x_i$ in block $r$, and 0 elsewhere. Their length is
$\sqrt2\,\|x_i\|$. So if some $u$ of unit length has $\langle u_y - u_r, x_i\rangle \ge \gamma$ for
all examples and all $r \ne y$, there are at most $2(R/\gamma)^2$ updates (Crammer & Singer 2003,
theorem 1).
"""

from math import hypot, inf, sqrt
from typing import NamedTuple

import numpy as np

from novikoff.certificates.bracket import Bracket
from novikoff.core import rules
from novikoff.core.examples import ONE, weight
from novikoff.core.log import Log
from novikoff.core.loops import Pass, move
from novikoff.core.rows import Unit, add
from novikoff.core.rules import is_right, of
from novikoff.errors import ParameterError
from novikoff.inputs.arrays import as_rows, overflow
from novikoff.inputs.weights import felt, least_positive
from novikoff.learners.base import MistakeDriven
from novikoff.learners.epoch import Work
from novikoff.learners.predict import FIT_INTERCEPT
from novikoff.learners.replay import Moves
from novikoff.learners.state import WEIGHTS, Space, State, first_weights
from novikoff.parameters import choice, flag, number
from novikoff.proofs.bounds import Count, novikoff_bound
from novikoff.typing import Array, Given, Matrix, Rows

TIES = {"mistake": 0, "negative": -1, "positive": +1}


class Rule(NamedTuple):
    """The perceptron's rule."""

    eta: float
    bias: float
    """The bias input: 1, or 0 for a hyperplane through the origin."""
    tie: int
    """The class a score of 0 is taken for, -1 or +1; 0 for neither."""
    slack: float = 0.0
    r"""$\Delta$, what example $i$ is worth in a private coordinate of its own."""
    least: float = 0.0
    """With a margin: what the margin of an example of weight 1 must be above."""


@of(rules.content, Rule)
def content(rule, m, y, D, i):
    """Is the answer right, and by more than the margin that is asked for?"""
    return is_right(m, y, rule.tie) and (rule.least == 0.0 or m > rule.least * weight(D, i))


@of(rules.learn, Rule)
def learn(rule, w, extra, y, m, D, i):
    r"""$w \leftarrow w + \eta\,c_i\,y\,x_i$"""
    a = rule.eta * weight(D, i)
    add(w, a * y, D.rows, i)
    w[-1] += a * y * rule.bias
    return a


@of(rules.push, Rule)
def push(rule, W, y, r, m, D, i):
    r"""$w_y \leftarrow w_y + \eta\,c_i\,x_i$, $w_r \leftarrow w_r - \eta\,c_i\,x_i$"""
    a = rule.eta * weight(D, i)
    move(W, a, y, r, D.rows, i, rule.bias)
    return a


class Additive(MistakeDriven):
    """The perceptrons: learners that add examples to their weights (abstract)."""

    fit_intercept: bool = FIT_INTERCEPT
    normalize: bool = flag(
        default=False,
        short="scale every example to length 1",
        text="""Scale every example to unit length, both in `fit` and in `predict`. The feature of
        the bias stays 1, and a row of zeros stays zero.""",
        space=True,
    )
    tie: str = choice(
        default="mistake",
        choices=tuple(TIES),
        short="treat a score of 0 as a mistake, or as one of the classes",
        text="""How to count a score of exactly 0: as a mistake whatever the label ("mistake"), or
        as a prediction of the first ("negative") or the second class ("positive"). With "mistake",
        `predict` returns the first class. With more than two classes, it decides between classes
        with equal scores: "positive" predicts the last of them, the others the first.""",
    )
    eta0: float = number(
        default=1.0,
        above=0.0,
        short="step size of an update",
        text=r"""The step size $\eta$. In a run that starts at 0 it only scales the weights: the
        predictions stay the same.""",
    )
    slack: float = number(
        default=0.0,
        least=0.0,
        short="size of a private feature per example, which makes any data separable",
        text=r"""The $\Delta$ of Freund & Schapire's construction: every training example gets a
        private feature of value $\Delta$. With any $\Delta > 0$, all data becomes separable, and
        the run converges if `max_iter` is large enough. Predictions do not use the private
        features.""",
        space=True,
    )
    margin: float = number(
        default=0.0,
        least=0.0,
        short="also learn from correct predictions up to this margin",
        text=r"""The margin $\tau$ to aim for, in units of updates. An example is learned from
        unless its score is right by more than $\tau$ times what one update on an example of mean
        squared length adds. 0 is the plain perceptron; 1 often predicts better. There are at most
        $(1 + 2\tau)(R/\gamma)^2$ updates. If all examples have the same length and weight, and a
        run from 0 converges, its separator has more than $\tau/(1 + 2\tau)$ of the widest margin.
        In a stream, the mean is taken over the first $2^k$ examples, for the largest $2^k$ so
        far.""",
        space=True,
    )
    multi_class: str = choice(
        default="joint",
        choices=("joint", "ovr"),
        short="learn many classes jointly, or each against the rest",
        text=r"""How to learn more than two classes. "joint": one weight vector per class; on a
        mistake, the example is added to the weights of its own class and subtracted from those of
        the class with the largest other score. There are at most $2(R/\gamma)^2$ updates
        (Kesler's construction). "ovr": one binary classifier for each class against the rest, all
        trained in the same pass.""",
        space=True,
    )

    @property
    def radius_(self) -> float:
        r"""The length $R$ of the longest example, in the space of the run.

        That space has one more coordinate of 1 for the bias, and one of size $\Delta$ (`slack`)
        for each example's private feature: $R = \sqrt{\max_i \|x_i\|^2 + 1 + \Delta^2}$. If more
        than two classes are learned jointly, it is Kesler's space, where examples are $\sqrt2$
        times as long.
        """
        run = self._fitted()
        length = self._length(run.ledger.length, run.space)
        radius = hypot(length, float(run.space["fit_intercept"]), run.space["slack"])
        return sqrt(2) * radius if self._is_joint(run) else radius

    @property
    @np.errstate(over="ignore")  # the length of huge weights may be infinite, which proves nothing
    def margin_(self) -> Bracket:
        r"""Bounds on the margin of the examples that the run proves, in the space of the run.

        The lower end is the margin of the separator that the run found, or 0 if the run did not
        converge. The upper end is Novikoff's proof read backwards: after $\alpha_i$ updates on
        example $i$, and $M$ in all, no margin is larger than $\|\sum_i \alpha_i y_i x_i\| / M$.
        Both ends allow for rounding errors of the run. They need no pass over the data; to bring
        the two ends together, call `separability`.

        If more than two classes are learned jointly, the margin is that of Kesler's construction:
        the largest $\gamma$ with $\langle u_y - u_r, x_i\rangle \ge \gamma$ for all examples $i$ of
        class $y$ and all other classes $r$, where $\sum_c\|u_c\|^2 = 1$. With one binary classifier
        per class, it is the smallest of their margins.
        """
        ends = self._brackets(self._fitted())
        return Bracket(min(e.lower for e in ends), min(e.upper for e in ends))

    def _brackets(self, run: State) -> list[Bracket]:
        """What the run proves about the margin of each machine, or of all classes jointly."""
        R, u, ledger = self.radius_, float(np.finfo(run.weights.dtype).eps), run.ledger
        W = self._all_weights(run).astype(np.float64)
        moves = W if ledger.start is None else W - ledger.start
        if self._is_joint(run):
            W, moves = W[None], moves[None]
        ended = self.converged_ and run.stream.one_data_set and not run.stream.is_open
        told, found = (ledger.total, ledger.least, ledger.own_squares), []
        for w, moved, total, least, own in zip(
            W, moves, *map(np.ndarray.tolist, told), strict=True
        ):
            beside = sqrt(own) * float(run.space["slack"]) if run.space["slack"] else 0.0
            upper, lower, length = R, 0.0, hypot(length_of(w), beside)
            if total > 0:
                reach = ledger.reach + self._longest(run) * total
                strayed = ledger.n_changes * (2 * u * (reach + R) + self._unfelt(run, R))
                upper = min(R, (hypot(length_of(moved), beside) + strayed) / total)
            if ended and length > TINY:
                clear = least - self._unfelt(run, 8.0)
                lower = max(0.0, clear / length - 2 * u * (w.shape[-1] + 8) * R) * (1 - 8 * u)
            found.append(Bracket(float(lower), float(upper * (1 + 8 * u))))
        return found

    def _all_weights(self, run: State) -> Array:
        """All weights, a row for each class."""
        return run.weights

    def _is_joint(self, run: State) -> bool:
        """Do several classes learn jointly?"""
        return run.many and not self._machines(run.space)

    def _unfelt(self, run: State, R: float) -> float:
        """How much of an update, or of a score, is lost below the range of the weights' type.

        Each product is rounded to a multiple of the least number of that type.
        """
        least = float(np.finfo(run.weights.dtype).smallest_subnormal)
        d = int(self.n_features_in_)  # there may be room for more
        return 2 * least * (d + 1 + R)

    def _most(self, run: State, margin: float, count: Count) -> float:
        r"""How many mistakes, or updates, such a margin allows.

        Of each step $\eta$ a length of $\varepsilon$ may be lost, and of each score as much:
        with $\varepsilon' = \varepsilon/\eta$,
        $k(\gamma - \varepsilon') \le \sqrt{k}\,\sqrt{(R + \varepsilon')^2 + 2\varepsilon'}$.
        """
        R, rho = self.radius_, felt(run.ledger.step_ratio, run.weights.dtype)
        if rho == inf:
            return inf
        lost = self._unfelt(run, R + 8) / ((run.ledger.largest or self.eta0) / rho)
        return novikoff_bound(
            hypot(R + lost, sqrt(2 * lost)),
            max(0.0, margin - lost),
            step_ratio=rho,
            update_margin=run.space["margin"],
            count=count,
        )

    @property
    def mistake_bound_(self) -> float:
        """The largest number of mistakes that any order of these examples can force.

        It follows by Novikoff's theorem, for a run from 0, from the lower end of `margin_`; it is
        infinite if that is 0. With one binary classifier per class, it is the sum of their bounds.
        With weighted examples, it is multiplied by the ratio of the largest to the smallest weight.
        """
        run = self._fitted()
        return sum(self._most(run, end.lower, "mistakes") for end in self._brackets(run))

    @property
    def update_bound_(self) -> float:
        """The largest number of updates that any order of these examples can force, from 0.

        The same as `mistake_bound_`, unless `margin` is above 0.
        """
        run = self._fitted()
        return sum(self._most(run, end.lower, "updates") for end in self._brackets(run))

    @np.errstate(over="ignore")  # squares may be infinite, which proves nothing
    def _account(self, run: State, log: Log) -> None:
        """Add the steps up one by one, so that the cut of a stream into blocks does not matter."""
        ledger, joint = run.ledger, self._is_joint(run)
        which = np.maximum(log.gained, log.lost) if len(ledger.total) > 1 else 0 * log.gained
        ledger.total = _added(ledger.total, which, log.step)
        if not (ledger.total < inf).all():
            raise overflow(np.float64)
        ledger.largest = max(ledger.largest, float(log.step.max()))
        if run.stream.is_open or ledger.updates is None:
            ledger.own_squares = _added(ledger.own_squares, which, (1 + joint) * log.step**2)
        elif run.space["slack"]:
            shares = ledger.updates[:, None] if ledger.shares is None else ledger.shares
            squares = (shares**2.0).sum(axis=None if joint else 0)
            ledger.own_squares = ledger.largest**2 * np.atleast_1d(squares)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.slack and not 1e-150 < self.slack < 1e150:
            raise ParameterError.of("slack", self.slack, "a number whose square is a float")

    def _machines(self, space: Space) -> bool:
        return space.get("multi_class") == "ovr"

    def _measures(self, space: Space) -> bool:
        return bool(space["margin"])

    _counts_updates = _measures

    def _begin(self, X: Matrix, n_classes: int, coef: Given, intercept: Given) -> State:
        start = first_weights(X, n_classes, coef, intercept, self.fit_intercept)
        run = self._new(start.copy(), n_classes)
        if self._machines(run.space):
            run.ledger.total, run.ledger.least, run.ledger.own_squares = np.zeros((3, len(start)))
        if coef is not None or intercept is not None:
            run.ledger.start, run.ledger.reach = start, float(abs(start).max())
        return run

    def _epoch(self, run: State, work: Work) -> tuple[int, float, int]:
        weights = work.D.weight
        smallest = self.eta0 * (1.0 if weights is ONE else least_positive(weights))
        if not run.weights.dtype.type(smallest) > 0:
            raise ParameterError(
                f"A step of {{eta0}} times the weights is {smallest:.1g}, which is nothing in "
                f"{run.weights.dtype}: give larger ones.",
                eta0=self.eta0,
            )
        return super()._epoch(run, work)

    def _shares(self, run: State, work: Work) -> Array:
        if not self.slack:
            return super()._shares(run, work)
        n, K = len(work.D.y), max(2, len(work.since))
        if not run.many:
            signs = np.column_stack([np.zeros(n), np.where(work.D.y > 0, 1, -1)])
            return (signs * work.updates[:, None]).astype(np.int32)
        shares = run.ledger.shares
        if shares is None or len(shares) != n or run.stream.is_open:
            shares = np.zeros((n, K), np.int32)
            run.ledger.shares = None if run.stream.is_open else shares
        return shares

    def _conclude(self, run: State, p: Pass) -> None:
        run.ledger.least = np.minimum(run.ledger.least, p.least)

    def _widen(self, run: State, places: Array, n_classes: int) -> None:
        ledger = run.ledger
        if self._machines(run.space):
            for name in ("total", "own_squares"):
                new = np.zeros(n_classes)
                new[places] = getattr(ledger, name)
                setattr(ledger, name, new)
            ledger.least = np.full(n_classes, np.inf)
        if ledger.start is not None:
            start = np.zeros((n_classes, ledger.start.shape[1]), ledger.start.dtype)
            WEIGHTS.spread(ledger.start, start, places)
            ledger.start = start
        self._spread(run, places, n_classes)

    def _rule(self, run: State) -> Rule:
        eta, bias, slack = float(self.eta0), float(self.fit_intercept), float(self.slack)
        least, lengths = float(run.space["margin"]), run.ledger.lengths
        if least:  # before the first example no length is known
            square = lengths.mean + bias + slack**2 if lengths.n else 0.0
            least *= eta * square * (1 + self._is_joint(run))
            if not least < inf:
                raise overflow(np.float64)
        return Rule(eta, bias, TIES[self.tie], slack, least)

    def _recorder(self, run: State) -> Moves:
        space = run.space
        return Moves(apart=self._machines(space), counted=self._counts_updates(space))

    def _rows(self, X: Matrix, space: Space) -> Rows:
        return Unit(as_rows(X)) if space["normalize"] else as_rows(X)

    def _reach(self, run: State) -> float:
        return run.ledger.reach + self._longest(run) * float(run.ledger.total.max())

    def _longest(self, run: State) -> float:
        """How much of a step can be added to a weight."""
        return max(1.0, self._length(run.ledger.length, run.space))

    def _length(self, length: float, space: Space) -> float:
        """The length that the loop sees of a row this long."""
        return float(length > 0) if space["normalize"] else length

    def _on_line(self) -> int:
        return +1 if self.tie == "positive" else -1


TINY = 1e-140
"""Of shorter weights the squares may have lost digits."""
SEPARATE = (
    "If a hyperplane separates the data, more epochs will find one: raise max_iter, and scale "
    "the features. If none does, no number of epochs helps; slack > 0 lets every run end. "
    "separability(X, y) says which it is, and proves it."
)


def _added(sums: Array, which: Array, numbers: Array) -> Array:
    """The sums, with these numbers added one after the other."""
    after: Array = sums.copy()
    np.add.at(after, which, numbers)
    return after


def length_of(w: Array) -> float:
    """The length of weights, whose squares may be past the range of doubles, or below it."""
    _, exponent = np.frexp(abs(w).max(initial=0.0))
    return float(np.ldexp(np.linalg.norm(np.ldexp(w, -exponent)), exponent))
