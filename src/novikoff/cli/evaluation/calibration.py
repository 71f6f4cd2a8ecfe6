r"""Probabilities from scores: what held-out examples say about them.

A score $s_c$ for each class $c$ becomes the probability $p_c \propto \exp(a s_c + b_c)$. The slope
$a$ and the offsets $b$ minimise the log loss on held-out examples (Platt 1999 for two classes; Guo
et al. 2017 for many). So that few examples do not make it too sure, an example of class $c$ counts
as one of that class by $(n_c + 1)/(n_c + K)$ only, and of each other class by $1/(n_c + K)$, where
$n_c$ is the number of its class.

References
----------
J. Platt, "Probabilistic outputs for support vector machines", Advances in Large Margin Classifiers,
MIT Press, 1999.
C. Guo, G. Pleiss, Y. Sun and K. Weinberger, "On calibration of modern neural networks", ICML 2017.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from novikoff.typing import Array

MOST = 2**24
"""How many scores are kept, of all classes together."""


def by_class(scores: Array) -> Array:
    """Scores as one column a class; of two classes, half of the score with either sign."""
    columns = np.stack([-scores, scores], 1) / 2 if scores.ndim == 1 else scores
    centred: Array = columns - columns.mean(1, keepdims=True)
    return centred


@dataclass(frozen=True)
class Calibration:
    """The slope and the offsets of the log-odds of classes."""

    slope: float
    offsets: tuple[float, ...]
    examples: int
    """How many held-out examples it was made from."""

    def probabilities(self, scores: Array) -> Array:
        """The probability of each class."""
        found: Array = softmax(self.slope * by_class(scores) + np.array(self.offsets), axis=1)
        return found

    @classmethod
    def read(cls, told: Any, n_classes: int) -> "Calibration | None":
        """The one that a model file has, if it is sound."""
        try:
            found = cls(float(told["slope"]), tuple(map(float, told["offsets"])), told["examples"])
        except (KeyError, TypeError, ValueError):
            return None
        sound = np.isfinite([found.slope, *found.offsets]).all()
        return found if sound and len(found.offsets) == n_classes else None


@dataclass
class Calibrating:
    """Scores of held-out examples, by models that did not learn from them.

    A model that learns from more examples makes more updates and has larger scores. So scores
    are measured by their root mean square on the same examples, by either model.
    """

    n_classes: int
    scores: list[Array] = field(default_factory=list)
    y: list[Array] = field(default_factory=list)
    squares: float = 0.0
    """The sum of the squared scores of the model that learned from all examples."""

    def add(self, y: Array, scores: Array, final: Array) -> None:
        """Held-out examples: their classes, their scores, and those by the model itself."""
        room = MOST // self.n_classes - sum(map(len, self.y))
        self.y.append(y[:room])
        self.scores.append(by_class(scores[:room]))
        self.squares += float(np.square(by_class(final[:room])).sum())

    def end(self) -> Calibration:
        """The slope and the offsets with the least log loss."""
        S, y = np.concatenate(self.scores), np.concatenate(self.y)
        n, K = S.shape
        scale, final = np.sqrt(np.square(S).mean()), np.sqrt(self.squares / S.size)
        S = S / (scale or 1.0)
        counts = np.bincount(y, minlength=K)
        T = np.repeat(1.0 / (counts[y] + K), K).reshape(n, K)
        T[np.arange(n), y] = (counts[y] + 1.0) / (counts[y] + K)

        def loss(v: Array) -> tuple[float, Array]:
            Z = log_softmax(v[0] * S + np.append(v[1:], 0.0), axis=1)
            G = (np.exp(Z) - T) / n
            return float(-(T * Z).sum() / n), np.append((G * S).sum(), G.sum(0)[:-1])

        best = minimize(loss, np.append(1.0, np.zeros(K - 1)), jac=True, method="L-BFGS-B").x
        slope = best[0] / final if final > 0 else 0.0
        return Calibration(float(slope), (*best[1:].tolist(), 0.0), n)
