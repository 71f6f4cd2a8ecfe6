r"""The perceptron for sequences of labels (Collins 2002).

Labels $z$ of a sequence $x$ have the score

$$\langle W, \Phi(x, z)\rangle = \sum_t \left(\langle w_{z_t}, x_t\rangle + b_{z_t}\right)
  + \sum_{t > 1} T_{z_{t-1} z_t},$$

and those of the largest score are predicted (Viterbi). On a sequence with the right labels $y$,
with $z$ the best of all others, if the score of $y$ is not larger:

$$W \leftarrow W + \eta\,(\Phi(x, y) - \Phi(x, z)).$$

**Theorem** (Collins 2002, theorem 1). If some $U$ of unit length has
$\langle U, \Phi(x, y) - \Phi(x, z)\rangle \ge \delta$ for every sequence and all wrong $z$, and
$\|\Phi(x, y) - \Phi(x, z)\| \le R$, at most $(R/\delta)^2$ sequences are mistaken on the way. The
proof is Novikoff's: a mistake adds at least $\eta\delta$ to $\langle U, W\rangle$ and at most
$\eta^2R^2$ to $\|W\|^2$, since $\langle W, \Phi(x, y) - \Phi(x, z)\rangle \le 0$.

Sequences of one step make it the perceptron of many classes that learn jointly.
"""

from itertools import pairwise
from math import sqrt
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from novikoff.core.chains import decode, replay_sequences, room_to_decode
from novikoff.core.examples import Examples
from novikoff.core.loops import Log
from novikoff.core.products import suited
from novikoff.core.rows import Chain
from novikoff.errors import DataError
from novikoff.inputs.arrays import as_rows, overflow, require_sound
from novikoff.inputs.labels import as_labels, codes, growing_classes
from novikoff.inputs.sequences import Sequences, Vocabulary, read_labels, read_sequences
from novikoff.inputs.templates import Template
from novikoff.inputs.tokens import Tokens
from novikoff.inputs.weights import checked, require_some
from novikoff.learners.additive import Additive
from novikoff.learners.averaged import mean_weights
from novikoff.learners.state import WEIGHTS, Field, Space, State, undone_on_error
from novikoff.parallel.cores import n_threads, side_by_side, spans
from novikoff.parameters import WHOLE, Kind, flag, given
from novikoff.typing import Array, Given

FIXED = {"normalize": False, "slack": 0.0, "multi_class": "joint"}
"""Options of perceptrons that sequences do not have."""
TEMPLATE = Kind("str", "the text of a template", lambda given: isinstance(given, str))
TRANSITIONS = Field(("m", "m"), by_column=False)


class SequencePerceptron(Additive):
    r"""The structured perceptron for sequences: tag words, or other steps, all at once.

    $$\hat z = \arg\max_z \sum_t \langle w_{z_t}, x_t\rangle + b_{z_t} + T_{z_{t-1}z_t}, \qquad
      W \leftarrow W + \eta\,(\Phi(x, y) - \Phi(x, z)) \text{ on a mistake}$$

    A mistake is a sequence for which some wrong labels score at least as much as the right ones. If
    labels can be told apart with margin $\delta$, at most $(R/\delta)^2$ mistakes are made, in any
    order of the sequences.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    coef_ : ndarray of shape (n_classes, n_features)
    intercept_ : ndarray of shape (n_classes,)
    transition_ : ndarray of shape (n_classes, n_classes)
        The weight of each label (column) after each other (row).
    feature_names_ : list of str
        The features by column: those of dictionaries with a text are called "name:text".
    n_iter_, mistakes_, n_mistakes_, n_updates_, converged_, dual_coef_
        As for `Perceptron`, counted in sequences.
    radius_ : float
        No update is longer: $R = \sqrt2\max\sqrt{(\sum_t\|(x_t, 1)\|)^2 + (n - 1)^2}$ over the
        sequences, of $n$ steps.
    margin_ : Bracket
        What the run proves about $\delta$.
    mistake_bound_, update_bound_ : float
        The most mistakes, and updates, that any order of the sequences can force.

    Examples
    --------
    >>> from novikoff import SequencePerceptron
    >>> texts = "the dog barks", "a cat sleeps"
    >>> sentences = [[{"word": word} for word in text.split()] for text in texts]
    >>> tags = [["DET", "NOUN", "VERB"], ["DET", "NOUN", "VERB"]]
    >>> tagger = SequencePerceptron(random_state=0).fit(sentences, tags)
    >>> tagger.predict([[{"word": "the"}, {"word": "cat"}, {"word": "barks"}]])
    [['DET', 'NOUN', 'VERB']]

    References
    ----------
    Collins, M. (2002). Discriminative training methods for hidden Markov models: theory and
    experiments with perceptron algorithms. EMNLP.
    """

    averaged: bool = flag(
        default=True,
        short="predict with the mean of all weights on the way",
        text="Predict with the mean of the weights after every sequence, or with the last weights.",
        space=True,
    )
    n_features: int | None = given(
        default=None,
        kind=WHOLE,
        words=(None,),
        short="hash the names of features into so many columns",
        text="""Hash the names of features into so many columns, and keep no names: then memory is
        bounded, however many there are. None: every name has a column of its own.""",
        space=True,
    )
    template: str | None = given(
        default=None,
        kind=TEMPLATE,
        words=(None,),
        short="the features of tokens: tagging, chunking, or a template of CRF++",
        text="""The features of tokens, in the language of CRF++: the text of a template, or
        "tagging" (words, their affixes and shapes) or "chunking" (words and their tags). Then a
        step of a sequence is a token: a text, or a tuple of texts. See `docs/sequences.md`. None:
        steps have the features they are given with.""",
        space=True,
    )
    normalize, slack, tie, multi_class = False, 0.0, "mistake", "joint"
    class_weight, warm_start, record = None, False, False
    _kept_by_rule = "transitions"
    _waits_for_two = False
    _vocabulary: Vocabulary | Tokens

    # ------------------------------------------------------ learning

    def fit(self, X: Any, y: Any, sample_weight: Given = None) -> Self:  # type: ignore[override]
        """Pass over the sequences until an epoch makes no update, or `max_iter` times.

        Parameters
        ----------
        X : list of sequences
            Each is a list of steps. A step is a dictionary of features, by name: a number is a
            value, a text is a feature "name:text" of value 1, a set or list of texts are several,
            True is 1. Or a step is a list of strings, features of value 1; or a row of numbers, so
            that the sequence is an array or a sparse matrix. With a `template`, a step is a
            token: a text, or a tuple of texts.
        y : list of sequences of labels
            One for each step.
        sample_weight : array of shape (n_sequences,), optional
            What the update on a sequence is multiplied by. Weight 0 leaves it out.

        Returns
        -------
        self
        """
        self._check_parameters()
        with undone_on_error(self):
            vocabulary = self._new_vocabulary()
            read = read_sequences(X, vocabulary, grow=True, width=0)
            labels = as_labels(read_labels(y, read.starts))
            classes = np.unique(labels)
            if len(classes) < 2:
                raise DataError(
                    f"All labels are {classes[0].item()!r}, so there is nothing to tell apart: "
                    "give sequences with at least two labels."
                )
            weight = None
            if sample_weight is not None:
                weight = checked(sample_weight, read.shape[0])
                require_some(weight)
            read = read._replace(labels=codes(labels, classes))
            nothing = np.zeros(read.shape[0], np.int32)  # labels are those of the steps
            run = self._train(read, nothing, weight, len(classes), None, None)
            self.classes_, self._state, self._vocabulary = classes, run, vocabulary
            self.n_features_in_ = read.shape[1]
        if run.ledger.mistakes[-1]:
            self._warn(run, stacklevel=3)
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: Given = None, sample_weight: Given = None
    ) -> Self:
        """Learn from one more block of a stream: a single pass over its sequences.

        New labels and new features may come at any time.

        Parameters
        ----------
        X, y
            As for `fit`.
        classes : array of labels, optional
            All labels there are: they take part from the start, and another is an error.
        sample_weight : array of shape (n_sequences,), optional

        Returns
        -------
        self
        """
        self._check_parameters()
        run = self._state if self._is_fitted() else None
        if run is not None:
            run.require_space(self._space())
        vocabulary = self._new_vocabulary() if run is None else self._vocabulary
        with undone_on_error(self), vocabulary.unlearned_on_error():
            width = 0 if run is None else self.n_features_in_
            read = read_sequences(X, vocabulary, grow=True, width=width)
            labels = as_labels(read_labels(y, read.starts))
            known = None if run is None else self.classes_
            classes, late = growing_classes(labels, classes, known)
            n = read.shape[0]
            weight = None if sample_weight is None else checked(sample_weight, n)
            d = max(width, read.shape[1])
            if run is None:
                run = self._begin(read, len(classes), None, None)
            elif known is not None and (len(classes) > len(known) or d > run.weights.shape[1] - 1):
                run = self._enlarged(run, np.searchsorted(classes, known), len(classes), d)
            read = read._replace(labels=codes(labels, classes))
            self._stream(run, read, np.zeros(n, np.int32), weight, late)
            self.classes_, self._state, self._vocabulary = classes, run, vocabulary
            self.n_features_in_ = d
        return self

    def _new_vocabulary(self) -> Vocabulary | Tokens:
        if self.template is None:
            return Vocabulary(self.n_features)
        return Tokens(self.template, self.n_features)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.template is not None:
            Template(self.template)

    def _enlarged(self, run: State, places: Array, n_classes: int, d: int) -> State:
        """The run with room for more labels, and for features, of which more may come soon."""
        run, before = run.copy(), run.weights.shape[1] - 1
        width = before if d <= before else max(d, 2 * before)
        weights = np.zeros((n_classes, width + 1), run.weights.dtype, order="F")
        new = self._extra(run.space, weights)
        for name, field in (("", WEIGHTS), *run.declared.items()):
            old, larger = (run.extra[name], new[name]) if name else (run.weights, weights)
            if field.shape == TRANSITIONS.shape:
                field.spread(old, larger, places)
            else:
                larger[places, :before], larger[places, -1] = old[:, :before], old[:, -1]
        run.weights, run.extra, run.mean = weights, new, None
        return run

    def _space(self) -> Space:
        return super()._space() | FIXED

    def _declared(self, space: Space) -> dict[str, Field]:
        kept = {"transitions": TRANSITIONS}
        if space["averaged"]:
            kept["tally"] = Field(("m", "d"), np.float64)
            kept["transition_tally"] = TRANSITIONS._replace(dtype=np.float64)
        return kept

    def _begin(self, X: Any, n_classes: int, coef: Given, intercept: Given) -> State:
        return self._new(np.zeros((n_classes, X.shape[1] + 1), order="F"), n_classes)

    def _rows(self, X: Any, space: Space) -> Chain:
        return Chain(as_rows(X.rows), X.starts, X.labels)

    def _require_sound(self, X: Any, space: Space) -> None:
        require_sound(X.rows)

    def _remember(self, run: State, D: Examples, log: Log) -> None:
        if not run.space["averaged"]:
            return
        seen = run.stream.n_seen + int(log.time[-1]) + 1
        if not self._reach(run) * seen < np.finfo(np.float64).max / 4:
            raise overflow(np.float64)
        steps, kept = (run.stream.n_seen + log.time) * log.step, run.extra
        told = D.rows_at(log.time), steps, log.path, float(self.fit_intercept)
        replay_sequences(kept["tally"], kept["transition_tally"], D.rows, *told)

    # ------------------------------------------------------ predicting

    def _predicting(self) -> Array:
        """The weights that predict, and with them the transitions."""
        run = self._fitted()
        if not run.space["averaged"] or not run.stream.n_seen:
            return run.weights
        if run.mean is None:
            run.mean = mean_weights(run.weights, run.extra["tally"], run.stream.n_seen)
        return run.mean

    @property
    def transition_(self) -> Array:
        """The weight of each label (column) after each other (row)."""
        run = self._fitted()
        T = run.extra["transitions"]
        if not run.space["averaged"] or not run.stream.n_seen:
            return T.copy()
        return mean_weights(T, run.extra["transition_tally"], run.stream.n_seen)

    @property
    def coef_(self) -> Array:
        """The weights, of shape (n_classes, n_features)."""
        return self._predicting()[:, : self.n_features_in_].copy()

    @property
    def feature_names_(self) -> list[str]:
        """What the columns stand for, where features have names and are not hashed."""
        self._fitted()
        return self._vocabulary.features()

    def predict(self, X: Any) -> list[list[Any]]:  # type: ignore[override]
        """The best labels of each sequence. Features that were never seen count for nothing.

        Parameters
        ----------
        X : list of sequences
            As for `fit`.

        Returns
        -------
        list of lists of labels
        """
        read = self._read(X)
        labels = self.classes_[self._decoded(read)].tolist()
        return [labels[low:high] for low, high in pairwise(read.starts.tolist())]

    def _read(self, X: Any) -> Sequences:
        self._fitted()
        return read_sequences(X, self._vocabulary, grow=False, width=self.n_features_in_)

    def _decoded(self, read: Sequences) -> Array:
        W, T, n = self._predicting(), self.transition_, read.shape[0]
        path = np.empty(int(read.starts[-1]), np.int32)
        rows = Chain(as_rows(read.rows), read.starts, path)
        room = room_to_decode(int(np.diff(read.starts).max()), len(W))
        task = suited(W, rows), T, rows
        threads = min(n_threads(self.n_jobs), 1 + len(path) // 4096)
        stopped = side_by_side(
            decode, [(*task, np.empty(room), path, *some) for some in spans(n, threads)]
        )
        if max(stopped, default=-1) >= 0:
            require_sound(read.rows)
            raise overflow(W.dtype)
        return path

    def decision_function(self, X: Any) -> list[Array]:  # type: ignore[override]
        """The score of every label at every step, without transitions.

        Parameters
        ----------
        X : list of sequences

        Returns
        -------
        list of ndarrays of shape (n_steps, n_classes)
        """
        read = self._read(X)
        W = self._predicting()
        scores = read.rows @ W[:, : read.shape[1]].T + W[:, -1]
        return np.split(np.asarray(scores), read.starts[1:-1])

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """The share of the steps whose label is right.

        Parameters
        ----------
        X : list of sequences
        y : list of sequences of labels
        sample_weight : array of shape (n_sequences,), optional

        Returns
        -------
        float
        """
        read = self._read(X)
        right = self.classes_[self._decoded(read)] == as_labels(read_labels(y, read.starts))
        weight = None
        if sample_weight is not None:
            weight = checked(sample_weight, read.shape[0])
            require_some(weight)
            weight = np.repeat(weight, np.diff(read.starts))
        return float(np.average(right, weights=weight))

    # ------------------------------------------------------ what the run proves

    @property
    def radius_(self) -> float:
        """No update is longer than this."""
        return sqrt(2) * self._fitted().ledger.length

    def _all_weights(self, run: State) -> Array:
        return np.hstack([run.weights, run.extra["transitions"].T])

    def _is_joint(self, run: State) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = tags.classifier_tags = None  # no splits by class
        return tags

    def _advice(self) -> str:
        if self.averaged:
            return ""
        return "More epochs may find a separator: raise max_iter. averaged=True needs no end."
