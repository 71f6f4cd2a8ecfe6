"""The averaged perceptron with automatic choice of its settings."""

from collections.abc import Iterator
from itertools import product
from math import isfinite
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from novikoff.core.examples import shuffled
from novikoff.errors import ParameterError
from novikoff.inputs.arrays import names_in, overflow, read, require_sound
from novikoff.inputs.labels import as_labels, numbered
from novikoff.inputs.weights import example_weights, require_some
from novikoff.learners.additive import Additive
from novikoff.learners.arow import AROW
from novikoff.learners.averaged import AveragedPerceptron
from novikoff.learners.base import MistakeDriven
from novikoff.learners.predict import FIT_INTERCEPT
from novikoff.learners.scw import SCW
from novikoff.learners.state import undone_on_error
from novikoff.model_selection.folds import ENOUGH, REPEATS, SPLITTER, Fold, folds, held_out
from novikoff.model_selection.race import Contender, Setting, judge, learn, results, rungs, teams
from novikoff.parallel.cores import n_threads, side_by_side
from novikoff.parameters import (
    FLAG,
    JOBS,
    Kind,
    Parameterised,
    again,
    given,
    is_whole,
    number,
    real,
    whole,
)
from novikoff.typing import Array, Given, Matrix, MatrixLike

BYTES, MEMORY = 12, 1 << 30
"""What a weight and its mean take; and what all settings may take before fewer are held out."""
LEARNERS: dict[str, Any] = {kind.__name__: kind for kind in (AveragedPerceptron, AROW, SCW)}


def several(one: Kind, *, none: bool = False) -> Kind:
    """A value of a kind, or a sequence of them."""

    def allows(some: Any) -> bool:
        values = listed(some)
        return (none or len(values) > 0) and all(map(one.allows, values))

    few = "list or tuple" if none else "non-empty list or tuple"
    return Kind(f"sequence of {one.word}", f"a {few} of values, each {one.expected}", allows)


def listed(some: Any) -> list[Any]:
    """Several values, or one, as a list."""
    values = some.tolist() if isinstance(some, np.ndarray) else some
    return list(values) if isinstance(values, list | tuple) else [values]


SCORING = Kind(
    "str or function",
    "the name of one score, or a scorer",
    lambda scoring: isinstance(scoring, str) or callable(scoring),
)
VERBOSE = Kind(
    "int or bool",
    "True, False, or a whole number of 0 or more",
    lambda verbose: isinstance(verbose, bool) or is_whole(verbose, 0),
)


class AveragedPerceptronCV(Parameterised, ClassifierMixin, BaseEstimator):
    r"""The averaged perceptron, with the settings that do best on held-out examples.

    It chooses the margin $\tau$, whether to scale rows to unit length, and the number of epochs.
    `AROW` and `SCW`, which often do better on text, compete with the averaged perceptron. The
    winner is then trained on all examples.

    All settings are in memory together: about 12 bytes for each setting, fold, class and feature.

    Attributes
    ----------
    best_estimator_ : AveragedPerceptron, AROW or SCW
        The winner, trained on all examples. It has all the methods of its class, such as `save`
        and `partial_fit`.
    best_params_ : dict
        The winning settings, and the name of its class as `learner`.
    best_score_ : float
        Its mean score on the held-out examples.
    best_index_ : int
        Its place in `cv_results_`.
    cv_results_ : dict of arrays
        As in scikit-learn's `GridSearchCV`, without the times: a row for each setting and each
        number of epochs. A setting that left the race has NaN for its later scores.
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
    Maron, O. & Moore, A. W. (1994). Hoeffding races. NIPS 6.
    McNemar, Q. (1947). Note on the sampling error of the difference between correlated
    proportions or percentages. Psychometrika 12(2).
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
        text="""The largest number of epochs to try. Smaller ones (1, 2, 3, 5, 10, 20, 30, 50, ...)
        are tried on the way.""",
    )
    cv: Any = given(
        default=None,
        kind=SPLITTER,
        words=(None,),
        short="how examples are held out",
        text=f"""How examples are held out: a number of folds, a scikit-learn splitter, or a list of
        pairs (rows to learn from, rows to hold out), such as ``list(splitter.split(X, y,
        groups))``. With None, `validation_fraction` of the examples is held out; if that is fewer
        than {ENOUGH:,}, this is repeated with other examples until {ENOUGH:,} have been, or
        {REPEATS} times.""",
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
        text="""How settings are compared, as in scikit-learn. With None, by accuracy, weighted as
        in training. With any other score, all settings run to the end. A scorer gets arrays or
        sparse matrices, and may be called from several threads.""",
    )
    fit_intercept: bool = FIT_INTERCEPT
    multi_class: str = again(
        Additive._parameters["multi_class"],
        text="""How the averaged perceptron learns more than two classes: "joint", or "ovr", each
        class against the rest. `AROW` and `SCW` always learn each class against the rest.""",
    )
    class_weight: Any = again(
        MistakeDriven._parameters["class_weight"],
        text="A weight for each class, which works like a `sample_weight` of all its examples.",
    )
    shuffle: bool = again(MistakeDriven._parameters["shuffle"])
    random_state: Any = again(
        MistakeDriven._parameters["random_state"],
        text="The seed, or generator, for the held-out examples and the orders.",
    )
    n_jobs: int | None = given(
        default=None,
        kind=JOBS,
        words=(None,),
        short="threads",
        text="""The number of threads that train settings in parallel: None for one, -1 for all. The
        model is the same to the last bit.""",
    )
    verbose: int = given(
        default=0,
        kind=VERBOSE,
        short="show progress",
        text="Show a progress bar on standard error, if it is not 0.",
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
            there = np.arange(len(codes)) if weight is None else np.flatnonzero(weight)
            every = list(self._every())
            each = BYTES * len(every) * len(self.classes_) * rows.shape[1]
            most = min(REPEATS, max(1, MEMORY // each))
            splits = held_out(codes, there, self.validation_fraction, most, random)
            ways = list(folds(self.cv, rows, labels, there, splits))
            settings = [self._setting(params, rows, codes, weight, ways) for params in every]
            self._race(settings, labels, there, random)
            found = results(settings, rungs(self.max_iter), len(ways))
            settings.clear()  # they take memory
            best = int(found["rank_test_score"].argmin())
            self.cv_results_, self.best_index_ = found, best
            self.best_params_ = found["params"][best]
            self.best_score_ = float(found["mean_test_score"][best])
            if not isfinite(self.best_score_):
                raise ParameterError(
                    "{scoring} gave no finite score for any setting. Choose another score, or "
                    "folds with examples of every class ({cv}).",
                    scoring=self.scoring,
                    cv=self.cv,
                )
            model = self._model(**self.best_params_)
            model.set_params(
                class_weight=self.class_weight, random_state=self.random_state, n_jobs=self.n_jobs
            )
            self.best_estimator_ = model.fit(X, labels, sample_weight=sample_weight)
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

    def _every(self) -> Iterator[dict[str, Any]]:
        """All settings."""
        for normalize, margin in product(listed(self.normalize), listed(self.margins)):
            yield {"learner": "AveragedPerceptron", "margin": margin, "normalize": normalize}
        yield from ({"learner": "AROW", "r": r} for r in listed(self.r))
        yield from ({"learner": "SCW", "C": C} for C in listed(self.C))

    def _setting(
        self,
        params: dict[str, Any],
        X: Matrix,
        y: Array,
        weight: Array | None,
        folds: list[Fold],
    ) -> Setting:
        """A setting at the start."""
        contenders = []
        for fold in folds:
            model = self._model(**params)
            model.classes_, model.n_features_in_ = self.classes_, X.shape[1]
            contenders.append(Contender(model, fold, X, y, weight))
        return Setting(params, contenders)

    def _race(self, settings: list[Setting], labels: Array, there: Array, random: Any) -> None:
        """Train all settings side by side, and drop those that fall behind."""
        racing, n, threads = list(settings), len(labels), n_threads(self.n_jobs)
        ladder, scorer = rungs(self.max_iter), None
        if self.scoring is not None:
            scorer = check_scoring(settings[0].contenders[0].model, self.scoring)
        for epoch in self._epochs(racing):
            order = shuffled(there, n, random) if self.shuffle else there
            every = [one for setting in racing for one in setting.contenders]
            learning = [one for one in every if not one.ended]
            if not learning:
                for setting in racing:
                    setting.note(*(k for k in ladder if k >= epoch))
                break
            side_by_side(learn, [(team, order) for team in teams(learning, threads)])
            racing[:] = [setting for setting in racing if setting.failure is None]
            if not any(setting.scores for setting in settings) and not racing:
                raise settings[0].failure or overflow(np.float64)
            if epoch not in ladder or not racing:
                continue
            every = [one for setting in racing for one in setting.contenders]
            side_by_side(judge, [(team, labels, scorer) for team in teams(every, threads)])
            for setting in racing:
                setting.note(epoch)
            best = max(racing, key=lambda setting: np.mean(setting.scores[epoch]))
            for setting in list(racing):
                if scorer is None and setting.is_behind(best):
                    racing.remove(setting)
                    setting.contenders.clear()

    def _epochs(self, racing: list[Setting]) -> Iterator[int]:
        """The epochs, with a progress bar if `verbose`."""
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
                bar.set_postfix_str(f"{len(racing)} settings{best}", refresh=False)

    def _winner(self) -> MistakeDriven:
        if not hasattr(self, "best_estimator_"):
            raise NotFittedError(
                "This AveragedPerceptronCV instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before using this estimator."
            )
        return self.best_estimator_

    def predict(self, X: MatrixLike) -> Array:
        """Predict the class of each row with `best_estimator_`.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._winner().predict(X)

    def decision_function(self, X: MatrixLike) -> Array:
        """The scores that `best_estimator_` gives each row.

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
        """The number of epochs of `best_estimator_`."""
        return self._winner().n_iter_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "best_estimator_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
