r"""The perceptron loss, and the perceptron as subgradient descent on it.

$$L(w, b) = \sum_i \max(0, -y_i(\langle w, x_i\rangle + b))$$

A step of size $\eta$ against a subgradient on one example, with $k = -1$ at a score of 0, is the
update of the perceptron. The loss as a whole is smallest at $w = 0$. So the perceptron is useful
because of where it stops, and not because it minimises this loss.
"""

import numpy as np
from numpy.typing import ArrayLike

from novikoff.certificates.hyperplane import labelled_scores
from novikoff.parameters import real, require
from novikoff.typing import Array, MatrixLike


def perceptron_loss(
    X: MatrixLike, y: ArrayLike, coef: ArrayLike, intercept: ArrayLike = 0.0
) -> float:
    r"""The perceptron loss $\sum_i \max(0, -y_i(\langle w, x_i\rangle + b))$.

    Parameters
    ----------
    X, y, coef, intercept
        The examples $x_i$, their labels $y_i$ and the hyperplane, as for `margin`. If the labels
        are -1 and +1, one of them may be missing.

    Returns
    -------
    float

    Examples
    --------
    >>> from novikoff import perceptron_loss
    >>> perceptron_loss([[1.0], [3.0]], [+1, -1], coef=[2.0])
    6.0

    References
    ----------
    Lecture note 004, "Perceptron loss".
    """
    _, signs, s = labelled_scores(X, y, coef, intercept)
    return float(np.maximum(0.0, -(signs * s)).sum())


def perceptron_subgradient(
    X: MatrixLike, y: ArrayLike, coef: ArrayLike, intercept: ArrayLike = 0.0, *, k: float = -1.0
) -> tuple[Array, float]:
    r"""A subgradient of the perceptron loss with respect to the weights and the bias $(w, b)$.

    $$g = \sum_i g_i (x_i, 1), \qquad g_i = \begin{cases}
      0 & y_i s_i > 0 \\ -y_i & y_i s_i < 0 \\ k\,y_i & y_i s_i = 0\end{cases}$$

    with $s_i = \langle w, x_i\rangle + b$. It is a subgradient for every $k \in [-1, 0]$.

    Parameters
    ----------
    X, y, coef, intercept
        As for `perceptron_loss`.
    k : float in [-1, 0], default=-1.0
        The factor for a score of 0. With -1, the subgradient gives the update of the perceptron.

    Returns
    -------
    (ndarray of shape (n_features,), float)
        The parts with respect to $w$ and to $b$.

    Examples
    --------
    >>> from novikoff import perceptron_subgradient
    >>> perceptron_subgradient([[1.0, 2.0]], [+1], coef=[0.0, 0.0])
    (array([-1., -2.]), -1.0)

    References
    ----------
    Lecture note 004, "Perceptron loss".
    """
    require("k", k, real(least=-1.0, most=0.0))
    X, signs, s = labelled_scores(X, y, coef, intercept)
    m = signs * s
    g = np.where(m > 0, 0.0, np.where(m < 0, -1.0, k)) * signs
    return np.asarray(g @ X), float(g.sum())
