r"""Progressive validation: predict an example, score the prediction, then learn from it.

The model has never seen an example when it predicts it. So the rate of wrong predictions is an
unbiased measure of how good the model was while it learned; over a window, of how good it is now
(Blum, Kalai & Langford 1999).
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from novikoff.data.results import Data
from novikoff.errors import BadRow, DataError, ParameterError
from novikoff.parameters import WHOLE, require
from novikoff.typing import Array, Matrix, MatrixLike

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

Interval = tuple[float, float]
Source = Iterable[Data | tuple[MatrixLike, ...]]


@dataclass(frozen=True)
class Progress:
    """The number of wrong predictions so far, and in a window of the last examples.

    Parameters
    ----------
    examples, mistakes : int
        The number of examples so far, and of wrong predictions on them.
    window_examples, window_mistakes : int
        The same for the window of the last examples.
    confidence : float
        The confidence level of the intervals.

    Examples
    --------
    >>> from novikoff import Progress
    >>> progress = Progress(examples=1000, mistakes=100, window_examples=200, window_mistakes=10)
    >>> progress.rate, progress.window_rate
    (0.1, 0.05)
    >>> low, high = progress.interval
    >>> f"{low:.3f} to {high:.3f}"
    '0.083 to 0.120'
    """

    examples: int
    mistakes: int
    window_examples: int
    window_mistakes: int
    confidence: float = 0.95

    @property
    def rate(self) -> float:
        """The fraction of wrong predictions."""
        return self.mistakes / self.examples

    @property
    def window_rate(self) -> float:
        """The fraction of wrong predictions in the window."""
        return self.window_mistakes / self.window_examples

    @property
    def interval(self) -> Interval:
        """A confidence interval for the probability of a mistake, averaged over all examples."""
        return wilson(self.mistakes, self.examples, self.confidence)

    @property
    def window_interval(self) -> Interval:
        """A confidence interval for the probability of a mistake, averaged over the window."""
        return wilson(self.window_mistakes, self.window_examples, self.confidence)

    def __str__(self) -> str:
        (low, high), (late_low, late_high) = self.interval, self.window_interval
        return (
            f"{self.examples:,} examples, {self.rate:.2%} wrong ({low:.2%} to {high:.2%}); "
            f"of the last {self.window_examples:,}, {self.window_rate:.2%} "
            f"({late_low:.2%} to {late_high:.2%})"
        )


def wilson(mistakes: int, examples: int, confidence: float) -> Interval:
    r"""Wilson's score interval for a probability.

    All $p$ with $|\hat p - p| \le z\sqrt{p(1-p)/n}$, where $\hat p$ is the fraction of mistakes on
    $n$ examples, and $z$ is the normal quantile of the confidence. The examples must be drawn
    independently. If the model changes on the way, $p$ is the average of its probabilities.

    Parameters
    ----------
    mistakes, examples : int
    confidence : float

    Returns
    -------
    tuple of two floats

    Examples
    --------
    >>> from novikoff.progressive_validation import wilson
    >>> [round(end, 4) for end in wilson(0, 100, 0.95)]
    [0.0, 0.037]

    References
    ----------
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
    Journal of the American Statistical Association 22(158).
    """
    z, n = NormalDist().inv_cdf(0.5 + confidence / 2), examples
    p = mistakes / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    # at 0 and at n the ends are those of the share, but for rounding
    return min(max(0.0, middle - half), p), max(min(1.0, middle + half), p)


def progressive(
    model: "BaseEstimator",
    source: Source,
    *,
    window: int = 1000,
    every: int = 1000,
    chunk: int = 1,
    confidence: float = 0.95,
    classes: ArrayLike | None = None,
) -> Iterator[Progress]:
    """Predict each example of a stream, then learn from it, and report the rate of mistakes.

    Parameters
    ----------
    model : estimator with `predict` and `partial_fit`
        Any learner of novikoff or scikit-learn. This function trains it. The first prediction of an
        unfitted model counts as a mistake.
    source : iterable of blocks or of examples
        A stream of `novikoff.data.stream`; or tuples ``(X, y)`` or ``(X, y, sample_weight)``; or
        such tuples of single examples: a row, its label and its weight. It may be endless. If the
        blocks are data frames, the model learns their column names.
    window : int, default=1000
        The number of last examples in the window.
    every : int, default=1000
        The number of examples between reports.
    chunk : int, default=1
        The number of examples to predict before learning from them. A larger chunk is faster, but
        each prediction then uses the model from before its chunk.
    confidence : float, default=0.95
        The confidence level of the intervals.
    classes : array of labels, optional
        Passed to `partial_fit`, for learners that need all labels at the start.

    Yields
    ------
    Progress
        A report after every `every` examples, and at the end.

    Examples
    --------
    >>> from novikoff import Perceptron, progressive
    >>> from novikoff.data import planted
    >>> X, y, _ = planted(3000, 10, margin=0.05)
    >>> for progress in progressive(Perceptron(), [(X, y)], every=1500):
    ...     print(progress)
    1,500 examples, 2.33% wrong (1.68% to 3.23%); of the last 1,000, 1.00% (0.54% to 1.83%)
    3,000 examples, 1.77% wrong (1.35% to 2.30%); of the last 1,000, 1.80% (1.14% to 2.83%)

    References
    ----------
    Blum, A., Kalai, A. & Langford, J. (1999). Beating the hold-out: bounds for k-fold and
    progressive cross-validation. COLT.
    """
    for name, given in (("window", window), ("every", every), ("chunk", chunk)):
        require(name, given, WHOLE)
    if not isinstance(confidence, float) or not 0 < confidence < 1:
        raise ParameterError.of("confidence", confidence, "a number between 0 and 1")
    every, chunk, late = int(every), int(chunk), deque[bool](maxlen=int(window))

    def told() -> Iterator[Progress]:
        examples = mistakes = 0
        fresh = not getattr(model, "__sklearn_is_fitted__", lambda: hasattr(model, "classes_"))()
        for X, y, weight in _blocks(source):
            cut = _cutting(X, named=fresh or hasattr(model, "feature_names_in_"))
            n, low = len(y), 0
            while low < n:
                high = min(n, low + chunk, low + every - examples % every)
                rows, labels = cut(low, high), y[low:high]
                options: dict[str, ArrayLike] = {}
                if weight is not None:
                    options["sample_weight"] = weight[low:high]
                if fresh and classes is not None:
                    options["classes"] = classes
                try:
                    wrong = np.ones(high - low, bool) if fresh else model.predict(rows) != labels
                    model.partial_fit(rows, labels, **options)
                except BadRow as error:
                    raise error.after(examples) from None
                fresh, low = False, high
                examples, mistakes = examples + len(wrong), mistakes + int(wrong.sum())
                late.extend(wrong.tolist())
                if examples % every == 0:
                    yield Progress(examples, mistakes, len(late), sum(late), confidence)
        if not examples:
            raise DataError("The source has no examples: there is nothing to predict.")
        if examples % every:
            yield Progress(examples, mistakes, len(late), sum(late), confidence)

    return told()  # what is wrong with the options was said at once, not when it is first asked


def _blocks(source: Source) -> Iterator[tuple[Matrix, Array, Array | None]]:
    """Rows, labels and weights of every block."""
    for block in source:
        if isinstance(block, Data):
            X, y, weight = block.X, block.y, block.weight
        elif isinstance(block, tuple) and len(block) in (2, 3):
            X, y, weight = (*block, None)[:3]
        else:
            raise DataError(
                f"The source has a {type(block).__name__}: it must have tuples (X, y) or (X, y, "
                "sample_weight), or be a stream of novikoff.data."
            )
        if y is None:
            raise DataError("A block of the source has no labels: there is nothing to score.")
        X, y = _row(X) if np.ndim(y) == 0 else _matrix(X), np.atleast_1d(y)
        n = X.shape[0] if X.shape else 0
        if n != len(y):
            raise DataError(f"A block has {n} rows, but {len(y)} labels: give one each.")
        yield X, y, None if weight is None else np.atleast_1d(weight)


def _row(x: MatrixLike) -> Matrix:
    """A single example as a block of one row."""
    if isinstance(x, dict):
        raise DataError(
            "An example of the source is a dictionary: give rows of numbers (sklearn's "
            "DictVectorizer makes them), or use novikoff.river.RiverPerceptron."
        )
    if hasattr(x, "to_frame") and hasattr(x, "index"):  # a row of a frame
        return x.to_frame().T
    x = _matrix(x)
    return x.reshape(1, -1) if len(x.shape) == 1 else x


def _matrix(X: MatrixLike) -> Matrix:
    """Sparse matrices and frames as they are, the rest as an array."""
    return X if sparse.issparse(X) or _is_frame(X) else np.asarray(X)


def _is_frame(X: MatrixLike) -> bool:
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def _cutting(X: Matrix, *, named: bool) -> Callable[[int, int], Matrix]:
    """What cuts rows out of a block; those of a frame keep their names if they have a use."""
    if sparse.issparse(X):
        return _sparse_cutting(sparse.csr_array(X))
    rows = X if _is_frame(X) and named else np.asarray(X)
    rows = getattr(rows, "iloc", rows)
    return lambda low, high: rows[low:high]


def _sparse_cutting(X: Matrix) -> Callable[[int, int], Matrix]:
    """The same. A single row is put together here: by scipy that takes as long as to learn it."""
    blank = sparse.csr_array((1, X.shape[1]), dtype=X.dtype)
    data, indices, indptr = X.data, X.indices, X.indptr

    def cut(low: int, high: int) -> Matrix:
        if high - low != 1:
            return X[low:high]
        row, start, end = copy(blank), indptr[low], indptr[high]
        row.data, row.indices = data[start:end], indices[start:end]
        row.indptr = indptr[low : high + 1] - start
        return row

    return cut
