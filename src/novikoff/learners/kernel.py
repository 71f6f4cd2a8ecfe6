r"""The kernel perceptron (Aizerman, Braverman & Rozonoer 1964; Freund & Schapire 1999).

It has the loop and the update rule of the perceptron, with the feature map $\phi(x)$ of a kernel
$k(x, x') = \langle\phi(x), \phi(x')\rangle$ in place of $x$. Example $i$ has the label $y_i$ of -1
or +1 and the score $s = \sum_j \alpha_j\,k(x_j, x_i)$. If $y_i s \le 0$,

$$\alpha_i \leftarrow \alpha_i + y_i, \qquad\text{that is}\qquad w \leftarrow w + y_i\,\phi(x_i).$$

With more than two classes, there is a weight vector for each. Joint: on an example of class $y$,
if the largest score of another class $r$ reaches that of $y$, then $w_y \leftarrow w_y + \phi(x)$
and $w_r \leftarrow w_r - \phi(x)$. One against the rest: each class has a perceptron of its own.

Novikoff's theorem holds in the feature space: with $\|\phi(x)\|^2 = k(x, x) \le R^2$ and margin
$\gamma$ there are at most $(R/\gamma)^2$ mistakes. If $\gamma$ is a joint margin,
$\langle w_y - w_r, \phi(x)\rangle \ge \gamma$ for all $r$ with $\sum_c \|w_c\|^2 = 1$, there are
at most $2(R/\gamma)^2$, since an update then has the length $\sqrt2\,\|\phi(x)\|$.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from novikoff.core.log import Log
from novikoff.errors import ParameterError
from novikoff.inputs.arrays import overflow
from novikoff.learners.additive import TIES, Rule
from novikoff.learners.base import MistakeDriven
from novikoff.learners.kernels import gram
from novikoff.learners.kernels.blocks import Made, Targets, blocks
from novikoff.learners.kernels.forgetron import Cycle, forgetful
from novikoff.learners.kernels.gram import Block
from novikoff.learners.kernels.ledger import DualMargin
from novikoff.learners.kernels.machine import DualLearner
from novikoff.learners.kernels.mistakes import Events, shares, votes
from novikoff.learners.kernels.run import DualState
from novikoff.learners.kernels.support import Support
from novikoff.parameters import again, choice, number, whole
from novikoff.typing import Array, Given, Matrix, MatrixLike


class KernelPerceptron(DualMargin, DualLearner):
    r"""The kernel perceptron: a perceptron in the feature space of a kernel.

    $$w = \sum_j \alpha_j\,\phi(x_j), \qquad
      \langle w, \phi(x)\rangle = \sum_j \alpha_j\,k(x_j, x)$$

    The sums are over the examples $x_j$ with an update, $k$ is the kernel, $\phi$ its feature map,
    and the model keeps the coefficients $\alpha_j$. On a mistake, the label, -1 or +1, is added to
    the coefficient of the example. With ``kernel="linear"`` it makes the same mistakes as
    ``Perceptron(fit_intercept=False)``. The run stops after the first epoch without an update, or
    after `max_iter` epochs. The full kernel matrix is never computed.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        The indices of the examples with an update; in a stream, counted from its start.
    support_vectors_ : array or sparse matrix of shape (n_support, n_features)
        Their rows.
    dual_coef_ : ndarray of shape (n_outputs, n_support)
        Their coefficients in the last weights: one output with two classes, else one per class.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    n_iter_, mistakes_, n_mistakes_, n_updates_, converged_
        As for `Perceptron`.
    radius_ : float
        The largest $\sqrt{k(x, x)}$.
    margin_ : Bracket
        Bounds on the margin in the feature space that the run proves. With
        ``multi_class="ovr"``, on the smallest margin of a class against the rest.
    mistake_bound_, update_bound_ : float
        No order of these examples can force more mistakes, or more updates, than this.
    trace_ : DualTrace
        A record of every update, if ``record=True``.

    Examples
    --------
    >>> from novikoff import KernelPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> xor = KernelPerceptron(kernel="poly", gamma=1, degree=2, shuffle=False).fit(X, y)
    >>> xor.predict(X), xor.n_mistakes_, xor.converged_
    (array([0, 1, 1, 0]), 21, True)
    >>> round(xor.mistake_bound_)  # no order of these examples can force more
    351

    References
    ----------
    Aizerman, M. A., Braverman, E. M. & Rozonoer, L. I. (1964). Theoretical foundations of the
    potential function method in pattern recognition learning. Automation and Remote Control 25.
    Freund, Y. & Schapire, R. E. (1999). Large margin classification using the perceptron
    algorithm. Machine Learning 37(3), section 3 and figure 1.
    Novikoff, A. B. J. (1962). On convergence proofs on perceptrons. Symposium on the
    Mathematical Theory of Automata, 12.
    """

    multi_class: str = choice(
        default="joint",
        choices=("joint", "ovr"),
        short="learn many classes jointly, or each against the rest",
        text="""How to learn more than two classes: jointly, or with one binary classifier for
        each class against the rest ("ovr"). With "ovr", the mistakes of all of these are
        counted.""",
    )
    predict_with: str = choice(
        default="last",
        choices=("last", "averaged", "voted"),
        short="predict with the last weights, their mean or their votes",
        text="""Predict with the last weights, with their mean over all examples visited, or by a
        vote of all weights of the run, as `VotedPerceptron` does. One run supports all three: you
        can change this after `fit`.""",
    )
    tie: str = choice(
        default="mistake",
        choices=tuple(TIES),
        short="treat a score of 0 as a mistake, or as one of the classes",
        text="""How to count equal scores (with two classes, a score of 0): as a mistake whatever
        the label ("mistake"), or as a prediction of the first ("negative") or the last of these
        classes ("positive"). With "mistake", `predict` returns the first.""",
    )
    margin: float = number(
        default=0.0,
        least=0.0,
        short="also learn from correct predictions up to this margin",
        text=r"""The margin $\tau$ to aim for, in units of updates, as for `Perceptron`. Lengths
        are measured in the feature space.""",
    )
    budget: int | None = whole(
        default=None,
        words=(None,),
        short="keep at most this many examples (default: all)",
        text="""Keep at most this many examples. Every mistake shrinks all coefficients a little,
        and when the budget is full, the oldest example is dropped (the Forgetron; its mistake bound
        is `novikoff.forgetron_bound`). Needs ``predict_with="last"`` and
        ``multi_class="joint"``.""",
    )
    class_weight = again(
        MistakeDriven._parameters["class_weight"],
        text="A weight for each class, as for `Perceptron`.",
    )

    # ------------------------------------------------------ learning

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: Given = None) -> Self:
        """Fit the model: repeat epochs until one makes no update, at most `max_iter` of them.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            With ``kernel="precomputed"``, the kernel matrix of the examples, of shape
            (n_samples, n_samples).
        y : array of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array of shape (n_samples,), optional
            A weight for each example, which multiplies its updates. Examples of weight 0 are left
            out.

        Returns
        -------
        self
        """
        self._require_none_on_budget("sample_weight", sample_weight)
        return self._fit(X, y, sample_weight)

    def partial_fit(
        self, X: MatrixLike, y: ArrayLike, classes: Given = None, sample_weight: Given = None
    ) -> Self:
        """Learn from the next block of a stream, in a single pass over it.

        The model copies the rows it updates on. A call that raises an error leaves the model as it
        was.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Labels. A new class takes part from this block on.
        classes : array of labels, optional
            All classes, including those of earlier calls. They take part from now on, even if the
            block does not have them, and any other label is an error.
        sample_weight : array of shape (n_samples,), optional
            As for `fit`.

        Returns
        -------
        self
        """
        self._require_none_on_budget("sample_weight", sample_weight)
        return self._partial_fit(X, y, classes, sample_weight)

    def _require_none_on_budget(self, name: str, weight: Any) -> None:
        if self.budget is not None and weight is not None:
            raise ParameterError(
                "{budget=} shrinks and forgets rows that were added with steps of 1, and has no "
                f"bound with others: leave {{{name}}} out, or leave {{budget}} out.",
                **{name: weight, "budget": self.budget},
            )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.budget is None:
            return
        self._require_none_on_budget("class_weight", self.class_weight)
        if self.predict_with != "last":
            raise ParameterError(
                "{predict_with=} needs all rows that were ever erred on, but {budget=} forgets "
                "them: use 'last', or leave {budget} out.",
                predict_with=self.predict_with,
                budget=self.budget,
            )
        if self.margin:
            raise ParameterError(
                "{margin=} was given, but with {budget=} no bound is known for a margin: leave "
                "one of them out.",
                margin=self.margin,
                budget=self.budget,
            )
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ParameterError(
                "{budget=} was given, but to forget a row takes its kernel with others, and "
                "{kernel=} keeps none: give a kernel that can be computed.",
                budget=self.budget,
                kernel=self.kernel,
            )
        if self.multi_class == "ovr":
            raise ParameterError(
                "{budget=} is for one decision among all classes, and not for {multi_class=}: "
                "leave one of them out.",
                budget=self.budget,
                multi_class=self.multi_class,
            )

    def _problems(self, outputs: int) -> int:
        return outputs if self.multi_class == "ovr" or outputs < 2 else 1

    def _history(self, outputs: int) -> Any:
        return Events.none() if self.budget is None else Cycle(int(self.budget))

    def _look(self, run: DualState, X: Matrix) -> None:
        if self.budget is not None:  # what is shrunk to depends on the longest row of all
            for places in blocks(np.arange(X.shape[0])):
                A = gram.block(run.kernel, X, places, run.dtype)
                run.ledger.largest = max(
                    run.ledger.largest, float(gram.diagonal(run.kernel, A).max())
                )

    def _revisits(self, run: DualState) -> bool:
        return isinstance(run.history, Events)

    def _learn_block(self, run: DualState, A: Block, wanted: Targets, places: Array) -> None:
        if isinstance(run.history, Events):
            super()._learn_block(run, A, wanted, places)
            return
        run.ledger.longest = max(run.ledger.longest, float(A.squares.max()))
        run.ledger.largest = max(run.ledger.largest, float(gram.diagonal(run.kernel, A).max()))
        log, shrunk = forgetful(run, A, wanted, self._rule(run))
        if log is None or not run.ledger.largest < np.inf:
            raise overflow(run.dtype)
        run.note(places, wanted.y, log, shrunk)
        made = len(log.time)
        run.ledger.mistakes[-1] += made
        run.ledger.counts[:1] += made
        run.ledger.total[:1] += made

    def _rule(self, run: DualState) -> Rule:
        least = run.ledger.margin * run.ledger.lengths.mean * (1 + run.is_joint)
        return Rule(1.0, 0.0, TIES[self.tie], least=least)

    def _made(self, run: DualState, log: Log, extra: Array, G: Array) -> Made:
        joint, delta = run.is_joint, np.zeros((len(G), run.outputs))
        gains, loses = log.gained >= 0, log.lost >= 0
        sign = np.where(gains, 1.0, -1.0)
        if run.outputs == 1:
            which = np.zeros(len(sign), np.int64)
            delta[log.time, 0] = sign * log.step
        else:
            which = np.zeros_like(log.gained) if joint else np.maximum(log.gained, log.lost)
            delta[log.time[gains], log.gained[gains]] = log.step[gains]
            delta[log.time[loses], log.lost[loses]] = -log.step[loses]
        np.add.at(run.ledger.counts, which, 1)
        np.add.at(run.ledger.total, which, log.step)
        m, xx = log.score if joint else sign * log.score, G.diagonal()[log.time]
        longer = 2 * log.step * m + (1 + joint) * log.step**2 * xx
        for c in np.unique(which):
            own = which == c
            squares = np.cumsum(np.append(run.ledger.squares[c], longer[own]))
            log.square[own], run.ledger.squares[c] = squares[1:], squares[-1]
        return Made(delta, np.ones(run.outputs))

    def _remember(self, run: DualState, times: Array, rows: Array, delta: Array) -> None:
        run.history.append(times, rows, delta)

    def _begin(self, X: Matrix, outputs: int) -> DualState:
        run = super()._begin(X, outputs)
        run.ledger.margin = float(self.margin)
        return run

    def _resumed(self, classes: Array) -> DualState:
        before = self._state
        if before.ledger.margin != self.margin:
            raise ParameterError(
                f"{{margin}} was {before.ledger.margin:g} when the run began and is "
                f"{self.margin:g} now: set it back, or start anew with fit.",
                margin=self.margin,
            )
        if before.outputs > 1 and len(before.ledger.counts) != self._problems(before.outputs):
            raise ParameterError(
                "{multi_class=} is not what the run began with: set it back, or start anew with "
                "fit.",
                multi_class=self.multi_class,
            )
        kept = before.history.budget if isinstance(before.history, Cycle) else None
        if kept != self.budget:
            raise ParameterError(
                f"{{budget}} was {kept} when the run began and is {self.budget} now: set it back, "
                "or start anew with fit.",
                budget=self.budget,
            )
        run = super()._resumed(classes)
        if kept is not None:
            run.support.detach()
        if run.outputs > 1 and len(run.ledger.counts) != self._problems(run.outputs):
            run.ledger.counts, run.ledger.least = (
                run.ledger.counts.sum(keepdims=True) // 2,
                np.zeros(1),
            )
            run.ledger.total = run.ledger.total.sum(keepdims=True) / 2
            run.ledger.squares = run.ledger.squares.sum(keepdims=True)
        return run

    def _advice(self) -> str:
        if self.predict_with != "last":
            return ""
        return (
            "More epochs may find a separator: raise max_iter. A kernel of a higher degree or a "
            "larger gamma separates more. predict_with='averaged' and 'voted' need no end."
        )

    # ------------------------------------------------------ predicting

    def _on_line(self) -> int:
        return +1 if self.tie == "positive" else -1

    def _predicted(self, run: DualState, A: Block) -> tuple[Array, Any]:
        self._check_parameters()
        support: Support = run.support
        T = run.stream.n_seen
        if self.predict_with == "last" or not T:
            return super()._predicted(run, A)
        scatter = self._scatter(run, A)
        if self.predict_with == "averaged":
            u = run.history.tally(support.n, run.outputs)
            sums = T * support.coef[: support.n] - u
            return support.scores(run.kernel, A, coef=sums) / T, support.size(sums) * scatter / T
        V, unsure = np.zeros((len(A.numbers), run.outputs)), np.zeros(len(A.numbers), np.int64)
        vote = shares if run.is_joint else votes
        vote(self._table(run, A), run.history.columns(), T, self._on_line(), scatter, V, unsure)
        return V / T, unsure / T

    def _table(self, run: DualState, A: Block) -> Array:
        """The kernel of a block with the whole support."""
        parts = [gram.table(run.kernel, A, B) for B, _ in run.support.chunks()]
        return np.hstack([np.zeros((len(A.numbers), 0), run.dtype), *parts])
