"""What the learners share whose weights may start anywhere, and whose examples may have weights."""

from typing import Any, Self

from novikoff.learners.base import MistakeDriven
from novikoff.parameters import flag


class Linear(MistakeDriven):
    """A learner of two classes or more, whose examples may have weights (abstract)."""

    fit_intercept: bool = flag(
        default=True,
        short="have a bias",
        text="""Learn a bias $b$, as the weight of one more feature that is always 1. Without it the
        hyperplane goes through the origin.""",
        space=True,
    )

    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Pass over the data until an epoch makes no update, or `max_iter` times.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Dense or any scipy sparse format, a pandas or polars frame. Floats of single
            and double precision, booleans and unsigned bytes are read as they are; all
            else is converted to doubles first.
        y : array of shape (n_samples,)
            Labels of two classes or more. Of two, the larger is the positive class.
        coef_init : array of shape (n_features,) or (1, n_features), optional
            The weights to start from, instead of 0; of shape (n_classes, n_features) for more
            than two classes.
        intercept_init : float or array of shape (1,), optional
            The bias to start from, instead of 0; one each for more than two classes.
        sample_weight : array of shape (n_samples,), optional
            How much each example counts: what its update is multiplied by, unless the learner
            says otherwise. Weight 0 leaves it out.

        Returns
        -------
        self
        """
        return self._fit(X, y, coef_init, intercept_init, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from one more block of a stream: a single pass over it.

        A chain of calls gives bit for bit what one epoch of `fit` over all blocks gives
        (with ``shuffle=False``). A call that raises leaves the model as it was.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        classes : array of labels, optional
            All labels there are: they take part from the start, and another is an error. Without
            it those of the first block do, and any label that comes later is a class that
            takes part from its first example on, with weights of 0.
        sample_weight : array of shape (n_samples,), optional

        Returns
        -------
        self
        """
        return self._partial_fit(X, y, classes, sample_weight)
