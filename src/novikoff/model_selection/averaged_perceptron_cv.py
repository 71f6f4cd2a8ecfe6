"""The averaged perceptron that chooses its own settings."""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from novikoff.core.examples import shuffled
from novikoff.errors import DataError
from novikoff.inputs.arrays import names_in, read, require_sound
from novikoff.inputs.labels import as_labels, numbered
from novikoff.inputs.weights import example_weights, require_some
from novikoff.learners.additive import Additive
from novikoff.learners.arow import AROW
from novikoff.learners.averaged import AveragedPerceptron
from novikoff.learners.base import MistakeDriven
from novikoff.learners.predict import FIT_INTERCEPT
from novikoff.learners.scw import SCW
from novikoff.learners.state import undone_on_error
from novikoff.model_selection.race import (
    ENOUGH,
    Contender,
    Fold,
    Setting,
    held_out,
    judge,
    learn,
    results,
    rungs,
    teams,
)
from novikoff.parallel.cores import n_threads, side_by_side
from novikoff.parameters import (
    FLAG,
    JOBS,
    Kind,
    Parameterised,
    again,
    flag,
    given,
    is_whole,
    number,
    real,
    whole,
)
from novikoff.typing import Array, Given, Matrix, MatrixLike

LEARNERS: dict[str, Any] = {kind.__name__: kind for kind in (AveragedPerceptron, AROW, SCW)}


def several(one: Kind, *, none: bool = False) -> Kind:
    """A sequence of values of a kind."""

    def allows(some: Any) -> bool:
        listed = isinstance(some, list | tuple | np.ndarray)
        return listed and (none or len(some) > 0) and all(map(one.allows, some))

    few = "" if none else " that is not empty"
    return Kind(f"sequence of {one.word}", f"a list or tuple{few}, each {one.expected}", allows)


SPLITTER = Kind(
    "int, splitter or iterable",
    "a number of folds, 2 or more, a splitter of scikit-learn, or pairs of row numbers",
    lambda cv: is_whole(cv, 2) or hasattr(cv, "split") or isinstance(cv, Iterable),
)
SCORING = Kind("str or function", "the name of a score, or a scorer", lambda _: True)
"""scikit-learn's `check_scoring` says what is wrong."""


class AveragedPerceptronCV(Parameterised, ClassifierMixin, BaseEstimator):
    r"""The averaged perceptron with the settings that do best on held-out examples.

    The margin $\tau$, whether rows are scaled to unit length, and the number of epochs are chosen.
    `AROW` and `SCW`, which do better on many texts, compete with the averaged perceptron. The
    winner is then trained on all examples.

    Attributes
    ----------
    best_estimator_ : AveragedPerceptron, AROW or SCW
        The winner, trained on all examples. It has everything that its class has: what the run
        proves, `save`, `partial_fit`.
    best_params_ : dict
        Its class, as `learner`, and its settings.
    best_score_ : float
        Its mean score on the held-out examples.
    best_index_ : int
        Its place in `cv_results_`.
    cv_results_ : dict of arrays
        What scikit-learn's `GridSearchCV` calls the same, without times: a row for each setting and
        each number of epochs that was tried. A setting that left the race has no score (NaN) from
        then on.
    coef_, intercept_, n_iter_
        Those of `best_estimator_`.
    classes_, n_features_in_, feature_names_in_
        As for `Perceptron`.

    Examples
    --------
    >>> from novikoff import AveragedPerceptronCV
    >>> from novikoff.data import load
    >>> X, y, _ = load("wdbc")
    >>> model = AveragedPerceptronCV(random_state=0).fit(X, y)
    >>> model.best_score_ > 0.9
    True
    >>> sorted({params["max_iter"] for params in model.cv_results_["params"]})
    [1, 2, 3, 5, 10]

    References
    ----------
    Maron, O. & Moore, A. W. (1994). Hoeffding races: accelerating model selection search for
    classification and function approximation. NIPS 6.
    McNemar, Q. (1947). Note on the sampling error of the difference between correlated proportions
    or percentages. Psychometrika 12(2).
    """

    margins: Any = given(
        default=(0.0, 0.3, 1.0, 3.0),
        kind=several(real(least=0.0)),
        short="the margins to try",
        text="The values of `margin` to try with the averaged perceptron.",
    )
    normalize: Any = given(
        default=(False, True),
        kind=several(FLAG),
        short="the values of normalize to try",
        text="The values of `normalize` to try with the averaged perceptron.",
    )
    r: Any = given(
        default=(1.0, 10.0),
        kind=several(real(above=0.0), none=True),
        short="the values of r of AROW to try",
        text="""The values of `r` to try with `AROW`, with the diagonal of its covariance. An empty
        tuple leaves `AROW` out.""",
    )
    C: Any = given(
        default=(0.1, 1.0),
        kind=several(real(above=0.0), none=True),
        short="the values of C of SCW to try",
        text="""The values of `C` to try with `SCW`, with the diagonal of its covariance. An empty
        tuple leaves `SCW` out.""",
    )
    max_iter: int = whole(
        default=10,
        short="the most epochs to try",
        text="The most epochs to try. The numbers 1, 2, 3, 5, 10, 20, 30, 50, ... are tried too.",
    )
    cv: Any = given(
        default=None,
        kind=SPLITTER,
        words=(None,),
        short="how examples are held out",
        text=f"""How examples are held out: a number of folds, or anything else that scikit-learn
        takes for `cv`. With None, `validation_fraction` of them are, once, or as many times, with
        others, as it takes to hold out {ENOUGH:,}.""",
    )
    validation_fraction: float = number(
        default=0.1,
        above=0.0,
        most=0.5,
        short="how many examples are held out",
        text="The fraction of each class that is held out at a time, if `cv` is None.",
    )
    scoring: Any = given(
        default=None,
        kind=SCORING,
        words=(None,),
        short="how settings are compared",
        text="""How settings are compared, as in scikit-learn. With None, by their accuracy, where
        an example counts as much as in training. With anything else, no setting leaves the race
        early.""",
    )
    fit_intercept: bool = FIT_INTERCEPT
    multi_class: str = again(Additive._parameters["multi_class"])
    class_weight: Any = again(MistakeDriven._parameters["class_weight"])
    shuffle: bool = again(MistakeDriven._parameters["shuffle"])
    random_state: Any = again(
        MistakeDriven._parameters["random_state"],
        text="What the orders, and the examples that are held out, are drawn from.",
    )
    n_jobs: int | None = given(
        default=None,
        kind=JOBS,
        words=(None,),
        short="threads",
        text="""How many threads train settings side by side: None for one, -1 for all cores. The
        model is the same to the bit.""",
    )
    verbose: bool = flag(
        default=False,
        short="show progress",
        text="Show a progress bar on standard error.",
    )

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: Given = None) -> Self:
        """Choose the settings, and train on all examples.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            As for `Perceptron`.
        y : array of shape (n_samples,)
            Labels of two classes or more.
        sample_weight : array of shape (n_samples,), optional
            How much each example counts, in training and in the accuracy. Weight 0 leaves it out.

        Returns
        -------
        self
        """
        self._check_parameters()
        with undone_on_error(self):
            rows, labels = read(self, X, reset=True), as_labels(y)
            check_consistent_length(rows, labels)
            require_sound(rows, names_in(self))
            self.classes_, codes = numbered(labels)
            weight = example_weights(codes, self.classes_, self.class_weight, sample_weight)
            require_some(weight)
            random = check_random_state(self.random_state)
            folds = list(self._folds(rows, codes, weight, random))
            settings = self._settings(rows, codes, weight, folds)
            self._race(settings, labels, weight, random)
            found = results(settings, rungs(self.max_iter), len(folds))
            best = int(found["rank_test_score"].argmin())
            self.cv_results_, self.best_index_ = found, best
            self.best_params_ = found["params"][best]
            self.best_score_ = float(found["mean_test_score"][best])
            model = self._model(**self.best_params_)
            model.set_params(
                class_weight=self.class_weight, random_state=self.random_state, n_jobs=self.n_jobs
            )
            self.best_estimator_ = model.fit(X, y, sample_weight=sample_weight)
        return self

    def _model(self, learner: str, **params: Any) -> MistakeDriven:
        """A learner with these settings."""
        if learner == "AveragedPerceptron":
            params["multi_class"] = self.multi_class
        else:
            params["covariance"] = "diagonal"
        params |= {"fit_intercept": self.fit_intercept, "shuffle": self.shuffle}
        model: MistakeDriven = LEARNERS[learner](**params)
        return model

    def _folds(
        self, X: Matrix, y: Array, weight: Array | None, random: np.random.RandomState
    ) -> Iterator[Fold]:
        """The ways in which examples are held out, without those of weight 0."""
        there = np.ones(len(y), np.bool_) if weight is None else weight > 0
        if self.cv is None:
            splits = held_out(y, np.flatnonzero(there), self.validation_fraction, random)
        else:
            splits = check_cv(self.cv, y, classifier=True).split(X, y)
        for learned, held in splits:
            fold = Fold(np.zeros(len(y), np.bool_), held[there[held]])
            fold.learned[learned] = there[learned]
            if not (fold.learned.any() and len(fold.held)):
                raise DataError(
                    f"A fold has {fold.learned.sum()} examples to learn from and {len(fold.held)} "
                    "held out, of positive weight. It needs both: give more examples, or another "
                    "{cv}.",
                    cv=self.cv,
                )
            yield fold

    def _settings(
        self, X: Matrix, y: Array, weight: Array | None, folds: list[Fold]
    ) -> list[Setting]:
        """All settings at the start."""
        every: list[dict[str, Any]] = [
            {"learner": "AveragedPerceptron", "margin": margin, "normalize": normalize}
            for normalize, margin in product(self.normalize, self.margins)
        ]
        every += [{"learner": "AROW", "r": r} for r in self.r]
        every += [{"learner": "SCW", "C": C} for C in self.C]
        settings = []
        for params in every:
            contenders = []
            for fold in folds:
                model = self._model(**params)
                model.classes_, model.n_features_in_ = self.classes_, X.shape[1]
                contenders.append(Contender(model, fold, X, y, weight))
            settings.append(Setting(params, contenders))
        return settings

    def _race(
        self, settings: list[Setting], labels: Array, weight: Array | None, random: Any
    ) -> None:
        """Train all settings side by side, and let those go that fall behind."""
        racing, n, threads = list(settings), len(labels), n_threads(self.n_jobs)
        there = np.arange(n) if weight is None else np.flatnonzero(weight)
        scorer = None
        if self.scoring is not None:
            scorer = check_scoring(settings[0].contenders[0].model, self.scoring)
        for epoch in self._epochs(racing):
            order = shuffled(there, n, random) if self.shuffle else there
            every = [one for setting in racing for one in setting.contenders]
            learning = [one for one in every if not one.ended]
            side_by_side(learn, [(team, order) for team in teams(learning, threads)])
            if epoch not in rungs(self.max_iter):
                continue
            side_by_side(judge, [(team, labels, scorer) for team in teams(every, threads)])
            for setting in racing:
                setting.note(epoch)
            best = max(racing, key=lambda setting: np.mean(setting.scores[epoch]))
            for setting in list(racing):
                if scorer is None and setting.is_behind(best):
                    racing.remove(setting)
                    setting.contenders.clear()

    def _epochs(self, racing: list[Setting]) -> Iterator[int]:
        """The epochs, with a progress bar if it is asked for."""
        epochs = range(1, self.max_iter + 1)
        if not self.verbose:
            yield from epochs
            return
        from tqdm import tqdm

        with tqdm(epochs, unit="epoch") as bar:
            for epoch in bar:
                yield epoch
                told = [max(np.mean(s.scores[k]) for k in s.scores) for s in racing if s.scores]
                best = f", best score {max(told):.4f}" if told else ""
                bar.set_postfix_str(f"{len(racing)} settings{best}")

    def _winner(self) -> MistakeDriven:
        if not hasattr(self, "best_estimator_"):
            raise NotFittedError(
                "This AveragedPerceptronCV instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before using this estimator."
            )
        return self.best_estimator_

    def predict(self, X: MatrixLike) -> Array:
        """The class of each row, by `best_estimator_`.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._winner().predict(X)

    def decision_function(self, X: MatrixLike) -> Array:
        """The scores of each row, by `best_estimator_`.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), or (n_samples, n_classes) for more than two classes
        """
        return self._winner().decision_function(X)

    @property
    def coef_(self) -> Array:
        """The weights, of shape (1, n_features), or (n_classes, n_features)."""
        return self._winner().coef_

    @property
    def intercept_(self) -> Array:
        """The bias, of shape (1,), or (n_classes,)."""
        return self._winner().intercept_

    @property
    def n_iter_(self) -> int:
        """How many passes over all examples the winner made."""
        return self._winner().n_iter_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "best_estimator_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
