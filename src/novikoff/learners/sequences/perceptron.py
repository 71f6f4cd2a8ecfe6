r"""The perceptron for sequences of labels (Collins 2002).

For a sequence $x$ with the steps $x_t$, the labels $z = (z_1, z_2, \dots)$ have the score

$$\langle W, \Phi(x, z)\rangle = \sum_t \left(\langle w_{z_t}, x_t\rangle + b_{z_t}\right)
  + \sum_{t > 1} T_{z_{t-1} z_t},$$

and the model predicts the labels with the largest score (Viterbi). Let $y$ be the right labels, and
$z$ the best of all others. If the score of $y$ is not larger than that of $z$:

$$W \leftarrow W + \eta\,(\Phi(x, y) - \Phi(x, z)).$$

**Theorem** (Collins 2002, theorem 1). If some $U$ of unit length has
$\langle U, \Phi(x, y) - \Phi(x, z)\rangle \ge \delta$ for every sequence and all wrong $z$, and
$\|\Phi(x, y) - \Phi(x, z)\| \le R$, there are at most $(R/\delta)^2$ mistakes, counted in
sequences. The proof is Novikoff's: a mistake adds at least $\eta\delta$ to $\langle U, W\rangle$
and at most $\eta^2R^2$ to $\|W\|^2$, since $\langle W, \Phi(x, y) - \Phi(x, z)\rangle \le 0$.

For sequences of one step, this is the joint perceptron for more than two classes.
"""

from functools import partial
from itertools import pairwise
from math import sqrt
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from novikoff.core.chains import replay_sequences
from novikoff.core.examples import Examples
from novikoff.core.log import Log
from novikoff.core.loops import Chained
from novikoff.core.rows import Chain
from novikoff.errors import DataError
from novikoff.inputs.arrays import as_rows, overflow, require_sound
from novikoff.inputs.labels import as_labels, growing_classes
from novikoff.inputs.sequences import (
    Sequences,
    Vocabulary,
    read_labels,
    read_sequences,
    vocabulary_of,
)
from novikoff.inputs.tokens import Tokens
from novikoff.inputs.weights import checked, some_weights
from novikoff.learners.additive import Additive
from novikoff.learners.averaged import mean_weights
from novikoff.learners.sequences.decoder import decoded
from novikoff.learners.sequences.growth import TRANSITIONS, enlarged, without_room
from novikoff.learners.sequences.rivals import Rivals
from novikoff.learners.sequences.schemes import SCHEMES, grammar_of, labelled
from novikoff.learners.state import Field, Space, State, undone_on_error
from novikoff.parameters import WHOLE, Kind, choice, flag, given, one_of
from novikoff.typing import Array, Given

NOT_CHOSEN = "normalize", "slack", "multi_class"
TEMPLATE = Kind("str", "the text of a template", lambda given: isinstance(given, str))


class SequencePerceptron(Additive):
    r"""The structured perceptron for sequences: label all words, or other steps, at once.

    $$\hat z = \arg\max_z \sum_t \langle w_{z_t}, x_t\rangle + b_{z_t} + T_{z_{t-1}z_t}, \qquad
      W \leftarrow W + \eta\,(\Phi(x, y) - \Phi(x, z)) \text{ on a mistake}$$

    The sequence $x$ has the steps $x_t$ and the right labels $y$. Label $c$ has the weights $w_c$
    and the bias $b_c$; $T_{cd}$ is the weight of label $d$ after $c$. $W$ is all of these together,
    $\langle W, \Phi(x, z)\rangle$ is the score of the labels $z$, and $\eta$ is `eta0`. It is a
    mistake if the best wrong labels $z$ score at least as much as $y$. If some $W$ of unit length
    separates $y$ from all $z$ by $\delta$, there are at most $(R/\delta)^2$ mistakes, in any order.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (n_classes, n_features)
    intercept_ : ndarray of shape (n_classes,)
    transition_ : ndarray of shape (n_classes, n_classes)
        The weight of each label (column) after each other label (row).
    feature_names_ : list of str
        The features, by column. A text value in a dictionary becomes a feature "name:text".
    n_iter_, mistakes_, n_mistakes_, n_updates_, converged_, dual_coef_
        As for `Perceptron`, counted in sequences.
    trace_ : SequenceTrace
        A record of every update, if ``record=True``.
    radius_ : float
        $R = \sqrt2\max\sqrt{(\sum_t\|(x_t, 1)\|)^2 + (n - 1)^2}$ over sequences of $n$ steps.
    margin_ : Bracket
        Bounds on $\delta$ that the run proves.
    mistake_bound_, update_bound_ : float
        No order of these sequences can force more mistakes, or more updates, than this.

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
        short="predict with the mean of all weights of the run",
        text="Predict with the mean of the weights after each sequence, not with the last weights.",
        space=True,
    )
    n_features: int | None = given(
        default=None,
        kind=WHOLE,
        words=(None,),
        short="hash the names of features into so many columns",
        text="""Hash feature names into this many columns, and keep no names. This bounds the
        memory for any number of features. None: one column per name.""",
        space=True,
    )
    template: str | None = given(
        default=None,
        kind=TEMPLATE,
        words=(None,),
        short="the features of tokens: tagging, chunking, or a template of CRF++",
        text="""How to make features of tokens: a template in the language of CRF++, as text, or
        "tagging" (words, their affixes and shapes) or "chunking" (words and their tags). A step of
        a sequence is then a token: a string, or a tuple of strings. See `docs/sequences.md`. None:
        steps already have features.""",
        space=True,
    )
    beam: int | None = given(
        default=None,
        kind=WHOLE,
        words=(None,),
        short="keep this many labels per token in the search (default: all)",
        text="""The number of labels that the search keeps at each step. A small beam is faster if
        there are many labels. None: keep all, which always finds the best labels.""",
    )
    update: str = choice(
        default="early",
        choices=("early", "max-violation"),
        short="with --beam, update where the right labels are lost, or where they are worst",
        text="""With a `beam`, learn from the steps up to where the right labels drop out of it
        ("early": Collins & Roark 2004), or up to where they are furthest behind the best others
        ("max-violation": Huang, Fayong & Guo 2012). The theorem holds for both.""",
    )
    constraints: str | None = given(
        default=None,
        kind=one_of(*SCHEMES),
        words=(None,),
        short="predict only labels that follow this scheme of chunks (default: any)",
        text="""A labelling scheme for chunks that all labels must follow, in `fit` and in
        `predict`. "iob2": I-NP comes only after B-NP or I-NP. "bioes": also, chunks end with E,
        or are a single S. "iob1": B only between two chunks of one kind.""",
    )
    normalize, slack, tie, multi_class = False, 0.0, "mistake", "joint"
    class_weight, warm_start = None, False
    _kept_by_rule = "transitions"
    _waits_for_two = False
    _vocabulary: Vocabulary | Tokens

    # ------------------------------------------------------ learning

    def fit(self, X: Any, y: Any, sample_weight: Given = None) -> Self:  # type: ignore[override]
        """Fit the model: repeat epochs until one makes no update, at most `max_iter` of them.

        Parameters
        ----------
        X : list of sequences
            A sequence is a list of steps. A step is a dictionary from names to values: a number is
            the value of the feature, a string stands for a feature "name:text" of value 1, a set or
            list of strings for several of these, and True for 1. Or a step is a list of strings,
            which are features of value 1. Or it is a row of numbers: the sequence is an array or a
            sparse matrix. With a `template`, a step is a token: a string, or a tuple of strings.
        y : list of sequences of labels
            One label for each step.
        sample_weight : array of shape (n_sequences,), optional
            A weight for each sequence: it multiplies its updates. Weight 0 leaves it out.

        Returns
        -------
        self
        """
        self._check_parameters()
        with undone_on_error(self):
            vocabulary = vocabulary_of(self.template, self.n_features)
            read = read_sequences(X, vocabulary, grow=True, width=0)
            labels = as_labels(read_labels(y, read.starts))
            classes = np.unique(labels)
            if len(classes) < 2:
                raise DataError(
                    f"All labels are {classes[0].item()!r}, so there is nothing to tell apart: "
                    "give sequences with at least two labels."
                )
            weight = some_weights(sample_weight, read.shape[0])
            read = labelled(read, labels, classes, self.constraints)
            run = self._train(read, read.unlabelled, weight, len(classes), None, None)
            self.classes_, self._state, self._vocabulary = classes, run, vocabulary
            self.n_features_in_ = read.shape[1]
        if run.ledger.mistakes[-1]:
            self._warn(run, stacklevel=3)
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: Given = None, sample_weight: Given = None
    ) -> Self:
        """Learn from the next block of a stream, in a single pass over its sequences.

        New labels and new features may come at any time.

        Parameters
        ----------
        X, y
            As for `fit`.
        classes : array of labels, optional
            All labels of the stream: they take part from now on, and any other is an error.
        sample_weight : array of shape (n_sequences,), optional

        Returns
        -------
        self
        """
        self._check_parameters()
        run = self._state if self._is_fitted() else None
        if run is not None:
            run.require_space(self._space())
        vocabulary = self._vocabulary if run else vocabulary_of(self.template, self.n_features)
        with undone_on_error(self), vocabulary.unlearned_on_error():
            width = 0 if run is None else self.n_features_in_
            read = read_sequences(X, vocabulary, grow=True, width=width)
            labels = as_labels(read_labels(y, read.starts))
            known = None if run is None else self.classes_
            classes, late = growing_classes(labels, classes, known)
            weight = None if sample_weight is None else checked(sample_weight, read.shape[0])
            d = max(width, read.shape[1])
            if run is None:
                run = self._begin(read, len(classes), None, None)
            elif known is not None and (len(classes) > len(known) or d > run.weights.shape[1] - 1):
                places = np.searchsorted(classes, known)
                run = enlarged(run, partial(self._extra, run.space), places, len(classes), d)
            read = labelled(read, labels, classes, self.constraints)
            self._stream(run, read, read.unlabelled, weight, late)
            self.classes_, self._state, self._vocabulary = classes, run, vocabulary
            self.n_features_in_ = d
        return self

    def _space(self) -> Space:
        return super()._space() | {name: getattr(self, name) for name in NOT_CHOSEN}

    def _declared(self, space: Space) -> dict[str, Field]:
        kept = {"transitions": TRANSITIONS}
        if space["averaged"]:
            kept["tally"] = Field(("m", "d"), np.float64)
            kept["transition_tally"] = TRANSITIONS._replace(dtype=np.float64)
        return kept

    def _begin(self, X: Any, n_classes: int, coef: Given, intercept: Given) -> State:
        return self._new(np.zeros((n_classes, X.shape[1] + 1), order="F"), n_classes)

    def _rows(self, X: Any, space: Space) -> Chain:
        return Chain(as_rows(X.rows), X.starts, X.labels, X.grammar)

    def _kind(self, run: State) -> Chained:
        beam = min(self.beam or 0, len(run.weights) + 1)  # which loses nothing
        return Chained(beam=beam, early=self.update == "early")

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
        replay_sequences(kept["tally"], kept["transition_tally"], D.rows, *told, np.empty(0))

    # ------------------------------------------------------ predicting

    def _predicting(self) -> Array:
        run = self._fitted()
        if run.mean is None:
            run.mean = self._mean(run.weights, "tally")
        return run.mean

    @property
    def transition_(self) -> Array:
        """The weight of each label (column) after each other label (row)."""
        return self._mean(self._fitted().extra["transitions"], "transition_tally").copy()

    def _mean(self, w: Array, tally: str) -> Array:
        """These weights, or their mean on the way, if that predicts."""
        run = self._state
        if not run.space["averaged"] or not run.stream.n_seen:
            return w
        return mean_weights(w, run.extra[tally], run.stream.n_seen)

    @property
    def coef_(self) -> Array:
        """The weights, of shape (n_classes, n_features)."""
        return self._predicting()[:, : self.n_features_in_].copy()

    @property
    def feature_names_(self) -> list[str]:
        """The names of the features, by column, if they have names and are not hashed."""
        self._fitted()
        return self._vocabulary.features()

    def predict(self, X: Any) -> list[list[Any]]:  # type: ignore[override]
        """Predict the labels of each sequence. Features not seen in training are ignored.

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
        read = read._replace(grammar=grammar_of(self.constraints, self.classes_))
        return decoded(self._predicting(), self.transition_, read, self.beam, self.n_jobs)

    def decision_function(self, X: Any) -> list[Array]:  # type: ignore[override]
        """The score of each label at each step, without transitions.

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
        """The fraction of steps whose label is predicted correctly.

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
        weight = some_weights(sample_weight, read.shape[0])
        if weight is not None:
            weight = np.repeat(weight, np.diff(read.starts))
        return float(np.average(right, weights=weight))

    # ------------------------------------------------------ what the run proves

    @property
    def radius_(self) -> float:
        """The bound $R$ on the length of an update, for steps of size 1."""
        return sqrt(2) * self._fitted().ledger.length

    def _all_weights(self, run: State) -> Array:
        W = without_room(run.weights, self.n_features_in_)
        return np.hstack([W, run.extra["transitions"].T])

    def _is_joint(self, run: State) -> bool:
        return True

    def _recorder(self, run: State) -> Rivals:  # type: ignore[override]
        return Rivals(counted=self._counts_updates(run.space))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = tags.classifier_tags = None  # no splits by class
        return tags

    def _advice(self) -> str:
        if self.averaged:
            return ""
        return "More epochs may find a separator: raise max_iter. averaged=True needs no end."
