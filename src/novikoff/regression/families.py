r"""What separation means for a model: the directions along which its likelihood never falls.

Every model here has a log-likelihood that is a sum over observations, and concave in its
coefficients (of a negative binomial, at a given dispersion).
Along a direction $\gamma$ it never falls if and only if certain linear forms of $\gamma$ are at
least 0, and others are 0. So each model is a set of rows; observations whose rows can be above 0
are separated, and the rest is the same for all (`novikoff.certificates.estimates`).

For an observation with outcome $y$ and $\eta = \langle\gamma, x\rangle$:

- **binary**, by logit, probit or cloglog: $\eta \ge 0$ if $y = 1$, and $\eta \le 0$ if $y = 0$
  (Albert & Anderson 1984).
- **fractional** and **binomial**, where $y$ is a share: the same if $y$ is 1 or 0, else $\eta = 0$.
- **poisson**, and any count model with a log link: $\eta \le 0$ if $y = 0$, else $\eta = 0$
  (Correia, Guimaraes & Zylkin 2019).
- **log-binomial**: $\eta \le 0$ if $y = 0$, and $\eta = 0$ if $y = 1$ (Schwendinger et al. 2021).
- **multinomial**: $\eta_y \ge \eta_r$ for every other class $r$ (Albert & Anderson 1984).
- **cumulative**, $P(y \le k) = F(\alpha_k - \eta)$: $\alpha_{y-1} \le \eta \le \alpha_y$
  (Haberman 1980).
- **sequential**, $P(y = k \mid y \ge k) = F(\alpha_k - \eta)$: $\eta \le \alpha_y$, and
  $\eta \ge \alpha_k$ for all $k < y$.
- **adjacent**, $\log P(k + 1)/P(k) = \eta - \alpha_k$: $s_y \ge s_r$ for every other class $r$,
  with $s_k = k\eta - \alpha_0 - \dots - \alpha_{k-1}$ (Agresti 2010).

(In a log-binomial model $\eta$ cannot exceed 0, since the probability would exceed 1.)

References
----------
Correia, S., Guimaraes, P. & Zylkin, T. (2019). Verifying the existence of maximum likelihood
estimates for generalized linear models. arXiv:1903.01633.
Schwendinger, F., Gruen, B. & Hornik, K. (2021). A comparison of optimization solvers for log
binomial regression including conic programming. Computational Statistics 36.
Haberman, S. J. (1980). Discussion of McCullagh, Regression models for ordinal data. JRSS B 42.
Agresti, A. (2010). Analysis of Ordinal Categorical Data, 2nd edition, section 4.1.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from novikoff.certificates.kesler import ManyClasses
from novikoff.certificates.two_classes import TwoClasses
from novikoff.errors import BadRow, DataError
from novikoff.inputs.labels import as_labels
from novikoff.typing import Array, Matrix

INTERCEPT = "Intercept"


class Design(NamedTuple):
    """What the outcome is explained by."""

    X: Matrix
    names: list[str]
    intercept: bool


class Model(NamedTuple):
    """The rows of a model."""

    rows: TwoClasses
    observation: Array
    """The observation of every row, -1 for rows that only tie coefficients to each other."""
    names: list[str]
    """The coefficients: the columns, and last a bias if the rows have one."""
    shown: list[int]
    """Those to report, in that order."""


# ------------------------------------------------------------- one row an observation


def of_sides(design: Design, sides: Array) -> Model:
    """Rows that are to be at least 0 (side +1), at most 0 (-1), or 0 (0)."""
    equal = sides == 0
    signs = np.where(equal, 1, sides).astype(np.int8)
    rows = TwoClasses(design.X, signs, 2, design.intercept, equal if equal.any() else None)
    names = [*design.names, *[INTERCEPT] * design.intercept]
    d = len(design.names)
    return Model(rows, np.arange(len(sides)), names, [*[d] * design.intercept, *range(d)])


def binary(y: Array, classes: Sequence[object]) -> Array:
    """Two labels, the larger of which is a success."""
    if len(classes) != 2:
        raise DataError(
            f"y has {len(classes)} different values, but a model of two outcomes needs two: choose "
            'family="multinomial" or "ordered" for classes, "fractional" for shares, "poisson" for '
            "counts."
            if len(classes) > 2
            else f"All outcomes are {classes[0]!r}, so nothing can be estimated: y must have both."
        )
    return np.where(y == 1, 1, -1)


def log_binomial(y: Array, classes: Sequence[object]) -> Array:
    """Two labels, and a probability that is an exponential."""
    return np.minimum(binary(y, classes), 0)


def shares(y: Array) -> Array:
    """Shares between 0 and 1."""
    refuse(
        ~((y >= 0) & (y <= 1)),
        y,
        "a share",
        "must be between 0 and 1: for counts of successes, give trials",
    )
    return np.where(y == 1, 1, np.where(y == 0, -1, 0))


def counts(y: Array) -> Array:
    """Outcomes of at least 0, with a log link."""
    refuse(
        ~((y >= 0) & np.isfinite(y)),
        y,
        "an outcome",
        "must be at least 0 and finite: correct it, or drop the row",
    )
    return np.where(y == 0, -1, 0)


# ------------------------------------------------------------- many classes


def multinomial(design: Design, y: Array, classes: Sequence[object]) -> Model:
    """A row for every class that an observation is not of; the first class is the reference."""
    require_classes(classes, "multinomial")
    D = ManyClasses(design.X, y, len(classes), design.intercept)
    every = D.every_vector
    own = [*design.names, *[INTERCEPT] * design.intercept]
    names = [f"{label}: {name}" for label in classes[1:] for name in own]
    width, d = len(own), len(design.names)
    first = [d, *range(d)] if design.intercept else [*range(d)]
    shown = [block * width + j for block in range(len(classes) - 1) for j in first]
    return Model(D.against_first(every), every // len(classes), names, shown)


def thresholds(design: Design, classes: Sequence[object]) -> list[str]:
    """The names of what lies between classes."""
    require_classes(classes, "ordered")
    if not design.intercept:
        raise DataError(
            "{fit_intercept=} was given, but an ordered model has thresholds in the place of an "
            "intercept: leave it True, and remove any constant column from X.",
            fit_intercept=False,
        )
    return [f"{a}|{b}" for a, b in pairwise(classes)]


def ordered(
    design: Design, y: Array, classes: Sequence[object], of_class: Callable[[int], list[int]]
) -> Model:
    r"""Rows $\alpha_k - \eta$, called `k + 1` by `of_class`, and $\eta - \alpha_k$, `-(k + 1)`."""
    names = thresholds(design, classes)
    parts = []
    for c in range(len(classes)):
        rows = np.flatnonzero(y == c)
        for k in of_class(c):
            parts.append((rows, np.full(len(rows), abs(k) - 1), np.full(len(rows), np.sign(k))))
    observation, at, sign = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(observation, kind="stable")
    observation, at, sign = observation[order], at[order], sign[order]
    n = len(observation)
    T = sparse.csr_array((np.ones(n), (np.arange(n), at)), shape=(n, len(names)))
    Z = sparse.csr_array(sparse.hstack([T, -sparse.csr_array(design.X).astype(float)[observation]]))
    Z.sort_indices()
    whole = [*names, *design.names]
    D = TwoClasses(Z, sign.astype(np.int8), 2, False)
    return Model(D, observation, whole, [*range(len(whole))])


def cumulative(design: Design, y: Array, classes: Sequence[object]) -> Model:
    """Between the two thresholds of its class."""
    last = len(classes) - 1
    return ordered(design, y, classes, lambda c: [*[c + 1] * (c < last), *[-c] * (c > 0)])


def sequential(design: Design, y: Array, classes: Sequence[object]) -> Model:
    """Past every threshold before its class, and not past that of its own."""
    last = len(classes) - 1
    return ordered(
        design, y, classes, lambda c: [*[c + 1] * (c < last), *(-k for k in range(1, c + 1))]
    )


def adjacent(design: Design, y: Array, classes: Sequence[object]) -> Model:
    r"""A row for every class that an observation is not of.

    Multiples of $x$ need not be floats, so there is a block of coefficients for each $m\beta$ (and
    one for each sum of thresholds), and equations tie them to each other.
    """
    names, K, d = thresholds(design, classes), len(classes), design.X.shape[1]
    X = sparse.csr_array(design.X).astype(float)
    observation, rival = (part.ravel() for part in np.indices((len(y), K)))
    other = rival != y[observation]
    observation, rival = observation[other], rival[other]
    ahead = y[observation].astype(np.int64) - rival
    n = len(observation)
    # s_y - s_r = (y - r) eta - (the thresholds from r to y): those are a difference of sums
    rows = np.arange(n)
    sums = sparse.csr_array((np.ones(n), (rows, rival)), shape=(n, K))
    sums = (sums - sparse.csr_array((np.ones(n), (rows, y[observation])), shape=(n, K)))[:, 1:]
    taken = X[observation]
    entries = np.repeat(rows, np.diff(taken.indptr))
    columns = (abs(ahead[entries]) - 1) * d + taken.indices
    signed = taken.data * np.sign(ahead[entries])
    blocks = sparse.csr_array((signed, (entries, columns)), shape=(n, (K - 1) * d))
    free = sparse.csr_array((n, K - 1))
    Z = sparse.hstack([free, sums, blocks])
    # the sums are of thresholds, and the blocks of the first
    one = sparse.eye_array(K - 1)
    below = sparse.eye_array(K - 1, k=-1)
    chain = sparse.hstack([-one, one - below, sparse.csr_array((K - 1, (K - 1) * d))])
    links = [chain]
    for m in range(1, K - 1):
        link = sparse.lil_array((d, (K - 1) * d))
        for j in range(d):
            link[j, m * d + j], link[j, (m - 1) * d + j] = 1.0, -1.0
            link[j, j] = link[j, j] - 1.0
        links.append(sparse.hstack([sparse.csr_array((d, 2 * (K - 1))), link]))
    whole = sparse.csr_array(sparse.vstack([Z, *links]))
    whole.sum_duplicates()
    whole.eliminate_zeros()
    tied = whole.shape[0] - n
    equal = np.append(np.zeros(n, bool), np.ones(tied, bool))
    # the first block comes last, so that of columns that depend on others those in it are aliased
    start = 2 * (K - 1)
    leading = (*range(start), *range(start + d, whole.shape[1]))
    D = TwoClasses(whole, np.ones(n + tied, np.int8), 2, False, equal, leading)
    every = [*names, *[""] * (K - 1), *design.names, *[""] * ((K - 2) * d)]
    shown = [*range(K - 1), *range(start, start + d)]
    return Model(D, np.append(observation, np.full(tied, -1)), every, shown)


def require_classes(classes: Sequence[object], kind: str) -> None:
    """There must be two classes at least."""
    if len(classes) < 2:
        raise DataError(
            f"All outcomes are {classes[0]!r}, but a model of {kind} outcomes needs at least two "
            "classes."
        )


# ------------------------------------------------------------- the table


class Family(NamedTuple):
    """A kind of outcome."""

    labels: bool
    """Are outcomes labels, or numbers?"""
    sides: Callable[..., Array] | None = None
    """On which side of 0 the one row of every observation is to be,"""
    rows: Callable[..., Model] | None = None
    """or else the rows of the model."""

    @property
    def ordered(self) -> bool:
        """Are there thresholds?"""
        return self.rows in (cumulative, adjacent, sequential)

    def numbered(self, y: object) -> tuple[object, ...]:
        """The outcomes as `sides` and `rows` take them: numbers, or those of classes and these."""
        if not self.labels:
            return (y,)
        classes, numbers = numbered_classes(y)
        return numbers, classes

    def model(self, design: Design, y: object) -> Model:
        """The model of these outcomes."""
        if self.sides is not None:
            return of_sides(design, self.sides(*self.numbered(y)))
        assert self.rows is not None
        return self.rows(design, *self.numbered(y))


FAMILIES = {
    **dict.fromkeys(("binary", "logit", "probit", "cloglog"), Family(True, binary)),
    **dict.fromkeys(("fractional", "binomial"), Family(False, shares)),
    "multinomial": Family(True, rows=multinomial),
    **dict.fromkeys(("cumulative", "ordered"), Family(True, rows=cumulative)),
    "adjacent": Family(True, rows=adjacent),
    "sequential": Family(True, rows=sequential),
    **dict.fromkeys(("poisson", "ppml", "negative-binomial"), Family(False, counts)),
    "log-binomial": Family(True, log_binomial),
}
"""The families by name; some have several."""


def numbered_classes(y: object) -> tuple[list[object], Array]:
    """The classes, sorted or in the order of an ordered categorical, and which each outcome is."""
    categories = getattr(getattr(y, "cat", y), "categories", None)
    if categories is not None and getattr(getattr(y, "cat", y), "ordered", False):
        codes = np.asarray(getattr(getattr(y, "cat", y), "codes", None))
        refuse(codes < 0, codes, "an outcome", "must not be missing")
        present = np.unique(codes)
        return [categories[k] for k in present], np.searchsorted(present, codes)
    classes, numbers = np.unique(as_labels(y), return_inverse=True)
    return classes.tolist(), numbers


def refuse(bad: Array, y: Array, what: str, why: str) -> None:
    """Raise an error for the first bad outcome."""
    if bad.any():
        row = int(np.argmax(bad))
        raise BadRow(f"y has {y[row]} in {{row}}, but {what} {why}.", row)
