r"""The position of examples relative to a hyperplane $\langle w, x\rangle + b = 0$."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils.validation import check_array, check_consistent_length

from novikoff.errors import DataError
from novikoff.inputs.arrays import in_canonical_order, require_sound
from novikoff.inputs.labels import Signs, as_labels, signs_of
from novikoff.typing import Array, Matrix, MatrixLike


def signed_scores(X: MatrixLike, coef: ArrayLike, intercept: ArrayLike) -> tuple[Matrix, Array]:
    r"""The examples, and $\langle w, x_i\rangle + b$, after checking that they fit."""
    X = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False)
    require_sound(in_canonical_order(X) if sparse.issparse(X) else X)
    w = np.asarray(coef, np.float64).ravel()
    b = np.asarray(intercept, np.float64).ravel()
    if len(w) != X.shape[1] or len(b) != 1:
        raise DataError(
            f"coef has {len(w)} entries and intercept {len(b)}, but X has {X.shape[1]} features: "
            f"give {X.shape[1]} weights and one bias."
        )
    if not (np.isfinite(w).all() and np.isfinite(b).all()):
        raise DataError("coef and intercept must be finite.")
    return X, np.asarray(X @ w) + b[0]


def labelled_scores(
    X: MatrixLike, y: ArrayLike, coef: ArrayLike, intercept: ArrayLike
) -> tuple[Matrix, Signs, Array]:
    """The same with labels, as signs."""
    X, s = signed_scores(X, coef, intercept)
    labels = as_labels(y)
    check_consistent_length(X, labels)
    return X, signs_of(labels), s


def near_unit(coef: ArrayLike, intercept: ArrayLike) -> tuple[Array, Array, float]:
    r"""$w$ and $b$ divided by a power of two, which is exact, and $\|w\|$ then: about 1."""
    w = np.asarray(coef, np.float64).ravel()
    b = np.asarray(intercept, np.float64).ravel()
    top = float(abs(w).max(initial=0.0))
    if top == 0.0:
        raise DataError("coef is zero, so there is no hyperplane: give weights that are not all 0.")
    if np.isfinite(top):
        exponent = -int(np.frexp(top)[1])
        w, b = np.ldexp(w, exponent), np.ldexp(b, exponent)
    return w, b, float(np.linalg.norm(w))


def distance(X: MatrixLike, coef: ArrayLike, intercept: ArrayLike = 0.0) -> Array:
    r"""The distance of each row to a hyperplane: $|\langle w, x\rangle + b| / \|w\|$.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    coef : array of shape (n_features,) or (1, n_features)
        The weights $w$, of any length but 0.
    intercept : float, default=0.0
        The bias $b$.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from novikoff import distance
    >>> distance([[3.0, 4.0], [0.0, 0.0]], coef=[3.0, 4.0], intercept=5.0)
    array([6., 1.])

    References
    ----------
    Lecture note 004, "Distance between point and hyperplane".
    """
    w, b, length = near_unit(coef, intercept)
    return abs(signed_scores(X, w, b)[1]) / length


def margin(X: MatrixLike, y: ArrayLike, coef: ArrayLike, intercept: ArrayLike = 0.0) -> float:
    r"""The margin of a hyperplane on labelled examples: the smallest distance to it.

    $$\min_i \frac{y_i(\langle w, x_i\rangle + b)}{\|w\|}$$

    if every example $x_i$ is strictly on the side of its label $y_i$, -1 or +1; otherwise
    $-\infty$. The bias $b$ does not count in the norm of the weights $w$, so this is a distance.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Two labels of any type. The larger is the positive class.
    coef : array of shape (n_features,) or (1, n_features)
        The weights $w$.
    intercept : float, default=0.0
        The bias $b$.

    Returns
    -------
    float

    Examples
    --------
    >>> from novikoff import margin
    >>> margin([[2.0, 0.0], [-1.0, 0.0]], ["b", "a"], coef=[2.0, 0.0])
    1.0
    >>> margin([[2.0, 0.0], [-1.0, 0.0]], ["b", "a"], coef=[0.0, 1.0])
    -inf

    References
    ----------
    Lecture note 003, equation (4.8), with $w$ normalised.
    """
    w, b, length = near_unit(coef, intercept)
    _, signs, s = labelled_scores(X, y, w, b)
    least = float((signs * s).min())
    return least / length if least > 0 else -np.inf
