r"""A separability verdict, and how anyone can check it.

With $z_i = y_i (x_i, 1)$, or $y_i x_i$ without a bias, exactly one of three statements is true.

- **separable**: some $v$ has $\langle v, z_i\rangle > 0$ for all $i$. The proof is $v$.
- **quasi-separable**: some $v$ has $\langle v, z_i\rangle \ge 0$ for all $i$ and $> 0$ for
  some, but no $v$ has it $> 0$ for all. The proof is $v$, and multipliers $p > 0$ on some rows with
  $\sum p_i z_i = 0$ (Gordan 1873: then no $v$ has it $> 0$ for all).
- **inseparable**: $\langle v, z_i\rangle \ge 0$ for all $i$ only if $= 0$ for all $i$. The
  proof is multipliers $p > 0$ on rows that span the space of all rows, with
  $\sum p_i z_i = 0$ (Stiemke 1915: then $v$ is orthogonal to those rows, and so to all).
"""

import json
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import hypot, inf, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from novikoff.certificates.bracket import Bracket
from novikoff.certificates.estimates import SIGNS, Estimates, Push
from novikoff.certificates.exact import Exact, rounded_to_floats
from novikoff.certificates.json_numbers import from_hex, in_hex, parsed, whole, written
from novikoff.certificates.kesler import labelled
from novikoff.certificates.report import as_frame, as_html, as_latex, as_text, proof_of, verdict_of
from novikoff.certificates.two_classes import AllRows, Labelled, weights_of
from novikoff.errors import DataError
from novikoff.typing import Array, MatrixLike

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 100
"""How long the lines of a summary are."""
MALFORMED = ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError
"""What may go wrong where a text is no certificate."""
NOTHING = Estimates()
"""Nothing said of coefficients."""
NONE = Bracket(0.0, 0.0)
"""The margin of what is not separable."""
FORMAT, FORMAT_OF_MANY = "novikoff-separability-2", "novikoff-joint-separability-2"
OLD = "novikoff-separability-1", "novikoff-joint-separability-1"
"""Formats that said nothing of coefficients that could be proved."""


@dataclass(frozen=True, eq=False)
class Separability:
    """The result of `separability`: the verdict, bounds on the margin, and the proof.

    Parameters
    ----------
    verdict : {"separable", "quasi-separable", "inseparable", "undecided"}
        "quasi-separable": a hyperplane can have no example on the wrong side, but some must lie on
        it. "undecided": there was no exact proof within the budget.
    coef, intercept
        The separating weights and bias, for the first two verdicts. For "separable" they *are* the
        proof.
    witness : tuple of Fraction
        The exact weights of "quasi-separable", bias last; `coef` and `intercept` are their rounding
        to floats. (A hyperplane that must touch examples need not have float coefficients.)
    rows, multipliers
        The rows of the proof and their exact multipliers, which sum to 1. For "separable"
        they prove the upper end of the margin: $\\gamma^\\star \\le \\|\\sum p_i z_i\\|$,
        where $z_i$ is example $i$, with a 1 appended for the bias, times its label of -1 or +1.
    margin : Bracket
        Bounds on the geometric margin, for weights of unit length. (0, 0) if not separable.
    novikoff : float
        The most mistakes a perceptron can make on this data; infinite if not separable.
    estimates : Estimates
        For each coefficient of a logistic regression, whether its estimate is finite, and the
        proof. `coefficients` has the result in words.
    fit_intercept : bool
        Whether the hyperplane may have a bias.
    rivals : tuple of int
        With more than two classes: for each row of the proof, the number of the class that its
        example is compared with (`novikoff.certificates.kesler`). `coef` then has a row and
        `intercept` an entry for each class, and the margin is that of Kesler's construction, where
        the bias is a coordinate. `coefficients` are those of all classes but the first, one class
        after the other.
    n_classes : int
    names, classes, index
        The names of features, classes and examples, for `summary`; empty if they have numbers only.
        They are not part of the certificate.

    Examples
    --------
    >>> from novikoff import separability
    >>> xor = separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> xor.verdict, xor.rows, [str(p) for p in xor.multipliers]
    ('inseparable', (0, 1, 2, 3), ['1/4', '1/4', '1/4', '1/4'])
    >>> print(xor.sentence)  # doctest: +NORMALIZE_WHITESPACE
    The data is not separable: every hyperplane has an example on the wrong side, unless all lie on
    it. Logistic regression has a finite estimate.
    """

    verdict: str
    coef: Array | None = None
    intercept: float | Array | None = None
    witness: tuple[Fraction, ...] | None = None
    rows: tuple[int, ...] = ()
    multipliers: tuple[Fraction, ...] = ()
    margin: Bracket = NONE
    novikoff: float = inf
    estimates: Estimates = NOTHING
    fit_intercept: bool = True
    rivals: tuple[int, ...] = ()
    n_classes: int = 2
    names: tuple[str, ...] = ()
    classes: tuple[object, ...] = ()
    index: Array | None = None

    def verify(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> bool:
        """Check the proof of the verdict and of the margin against the data.

        The check does not depend on how the result was found: it uses floats with rigorous error
        bounds, and integers where these do not decide. It does not check the bound on mistakes. An
        "undecided" verdict has no proof: the answer is False.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
            Examples of weight 0 are ignored.

        Returns
        -------
        bool
        """
        D, kept = labelled(X, y, self.fit_intercept, sample_weight)
        own = self if sample_weight is None else self.renumbered(kept)
        return own is not None and own.holds(D)

    def exact_witness(self) -> Exact | None:
        """The separating weights as fractions, a row or one per class; None if there are none."""
        if self.witness is not None:
            return self.exact_weights
        if self.coef is None:
            return None
        return np.array([[Fraction(f) for f in row] for row in self.weights.tolist()], object)

    @property
    def coefficients(self) -> tuple[str, ...]:
        """The kind of estimate that logistic regression has for each coefficient, intercept last.

        "finite", "+inf", "-inf", "inf" (it may diverge to either side, or stay finite), "aliased"
        (not identified: its column is a linear combination of columns before it) or "undecided".
        With more than two classes, for all classes but the first, which is the reference.
        """
        return self.estimates.kinds

    @property
    def infinite(self) -> tuple[float | None, ...]:
        """`coefficients` as numbers: 0, +1, -1, NaN if the sign is not known, None if aliased."""
        return tuple(SIGNS[kind] for kind in self.estimates.kinds)

    @property
    def by_name(self) -> dict[str, str]:
        """`coefficients` by name, intercept first. Of many classes, names start with the class."""
        d = len(self.coefficients) // max(1, self.n_classes - 1) - self.fit_intercept
        own = [
            *(self.names or (f"x{j + 1}" for j in range(d))),
            *["Intercept"] * self.fit_intercept,
        ]
        named = own
        if self.n_classes > 2:
            classes = self.classes or tuple(range(self.n_classes))
            named = [f"{label}: {name}" for label in classes[1:] for name in own]
        told = list(zip(named, self.coefficients, strict=False))
        width = len(own) or 1
        return dict(
            told[low + (k - self.fit_intercept) % width]
            for low in range(0, len(told), width)
            for k in range(width)
        )

    @property
    def sentence(self) -> str:
        """The verdict in a sentence, and the consequence for logistic regression."""
        return verdict_of(self)

    def summary(self) -> str:
        """A report: the verdict, the coefficients of logistic regression, and the proof."""
        lines = textwrap.wrap(self.sentence, WIDTH)
        if self.verdict == "separable" and self.novikoff < inf:
            lines += [
                f"A perceptron makes at most {self.novikoff:,.0f} mistakes, in whatever order."
            ]
        if self.by_name:
            lines += ["", *as_text(self.by_name)]
        return "\n".join([*lines, "", *textwrap.wrap(proof_of(self), WIDTH)]).strip()

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return as_html(self.sentence, self.by_name)

    def to_frame(self) -> "pd.DataFrame":
        """The kind of estimate of each coefficient, as a pandas DataFrame."""
        return as_frame(self.by_name)

    def to_latex(self) -> str:
        """The kind of estimate of each coefficient, as a LaTeX table."""
        return as_latex(self.by_name)

    def renumbered(self, numbers: Array) -> "Separability | None":
        """The same for a data set of these rows only; None if the proof needs others."""
        place = {number: k for k, number in enumerate(numbers.tolist())}
        if not all(row in place for row in self.all_rows):
            return None
        return self.with_numbers(place)

    @property
    def all_rows(self) -> set[int]:
        """The numbers of all rows that the proofs use."""
        return {*self.rows, *(v // self.rivalry for v in self.estimates.rows)}

    @property
    def rivalry(self) -> int:
        """The factor of row numbers in `estimates`, to which the number of the rival is added."""
        return self.n_classes if self.n_classes > 2 else 1

    def with_numbers(self, numbers: Mapping[int, int]) -> "Separability":
        """The same with other row numbers."""
        K = self.rivalry
        own = {v: numbers[v // K] * K + v % K for v in self.estimates.rows}
        rows = tuple(numbers[row] for row in self.rows)
        return replace(self, rows=rows, estimates=self.estimates.renumbered(own))

    def holds(self, D: Labelled, everywhere: AllRows | None = None) -> bool:
        """Whether the certificate holds for `D`; `everywhere` has all rows if `D` does not."""
        everywhere = D if everywhere is None else everywhere
        try:
            return self.verdict_holds(D, everywhere) and D.proved(self, everywhere)
        except OverflowError:  # numbers too long for `expansion`: nothing is shown by them
            return False

    def verdict_holds(self, D: Labelled, everywhere: AllRows) -> bool:
        """Whether the verdict and the margin are proved."""
        if self.n_classes != D.n_classes or not D.proper(self):
            return False
        if self.verdict == "separable":
            if not D.upper_end(self) <= self.margin.upper:
                return False
            if self.witness is not None:  # no floats would do
                exact = D.exactly_stated(self)
                least = nan if exact is None else everywhere.least_exact_margin(exact)
            else:
                W = D.stated(self)
                least = nan if W is None else everywhere.least_margin(W)
            return self.margin.lower <= least
        if self.margin != NONE or not D.cancels(self):
            return False
        if self.verdict == "quasi-separable":
            exact = D.exactly_stated(self)
            return exact is not None and everywhere.supports(exact)
        inseparable = self.verdict == "inseparable"
        return inseparable and everywhere.vanishes(*D.vanishing_on(self))

    @property
    def weights(self) -> Array:
        """The weights, one row or one per class, bias last."""
        return weights_of(self.coef, self.intercept)

    @property
    def exact_weights(self) -> Exact:
        """The exact witness, one row or one per class, bias last."""
        return np.array(self.witness, object).reshape(
            1 if self.n_classes == 2 else self.n_classes, -1
        )

    def with_exact_weights(self, W: Exact) -> "Separability":
        """The same with an exact witness, and its rounding to floats."""
        exact = replace(self, witness=tuple(map(Fraction, W.flat)))
        return exact.with_weights(rounded_to_floats(W))

    def with_weights(self, W: Array) -> "Separability":
        """The same with other weights."""
        if self.n_classes > 2:
            return replace(self, coef=W[:, :-1].copy(), intercept=W[:, -1].copy())
        return replace(self, coef=W[0, :-1], intercept=float(W[0, -1]))

    def with_proof(
        self, rows: Array, shares: Iterable[Fraction], rivals: tuple[int, ...] = ()
    ) -> "Separability":
        """The same with another proof, sorted by row."""
        numbers = rows.tolist()
        proof = sorted(zip(numbers, rivals or numbers, shares, strict=True))
        numbers, others, multipliers = zip(*proof, strict=True)
        others = others if rivals else ()
        return replace(self, rows=numbers, multipliers=multipliers, rivals=others)

    def __eq__(self, other: object) -> bool:
        """Whether both are the same certificate, to the last bit."""
        return isinstance(other, Separability) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def to_json(self) -> str:
        """The result as JSON text, with floats as hexadecimal literals and multipliers as "p/q".

        `docs/certificates.md` describes the format and has a short script that checks a file.
        """
        numbers = {
            "coef": in_hex(self.coef),
            "intercept": in_hex(self.intercept),
            "witness": None if self.witness is None else [written(f) for f in self.witness],
            "rows": list(self.rows),
            "multipliers": [written(p) for p in self.multipliers],
            "margin": [self.margin.lower.hex(), self.margin.upper.hex()],
            "novikoff": float(self.novikoff).hex(),
            "coefficients": list(self.coefficients),
            "spanning": list(self.estimates.spanning),
            "directions": [
                {str(j): written(f) for j, f in direction}
                for direction in self.estimates.directions
            ],
            "pushes": [
                {"coefficient": j, "rows": list(rows), "multipliers": [written(p) for p in shares]}
                for j, rows, shares in self.estimates.pushes
            ],
        }
        head = {"format": FORMAT, "verdict": self.verdict, "fit_intercept": self.fit_intercept}
        if self.n_classes > 2:
            head["format"] = FORMAT_OF_MANY
            numbers |= {"n_classes": self.n_classes, "rivals": list(self.rivals)}
        return json.dumps(head | numbers, indent=1)

    @classmethod
    def from_json(cls, text: str) -> "Separability":
        """Read what `to_json` wrote. This checks no claim in it: call `verify`."""
        try:
            told = json.loads(text)
            if told["format"] not in (FORMAT, FORMAT_OF_MANY, *OLD):
                raise DataError(f"The certificate has format {told['format']!r}, not {FORMAT!r}.")
            many = told["format"] in (FORMAT_OF_MANY, OLD[1])
            if type(told["fit_intercept"]) is not bool:
                raise DataError("The certificate's fit_intercept must be true or false.")
            coef, witness = told["coef"], told["witness"]
            lower, upper = (float.fromhex(m) for m in told["margin"])
            return cls(
                verdict=str(told["verdict"]),
                coef=None if coef is None else np.array(from_hex(coef, 1 + many), ndmin=1 + many),
                intercept=None if coef is None else from_hex(told["intercept"], int(many)),
                witness=None if witness is None else tuple(parsed(f) for f in witness),
                rows=tuple(whole(r) for r in told["rows"]),
                multipliers=tuple(parsed(p) for p in told["multipliers"]),
                margin=Bracket(lower, upper),
                novikoff=float.fromhex(told["novikoff"]),
                estimates=Estimates() if told["format"] in OLD else estimates_from(told),
                fit_intercept=told["fit_intercept"],
                rivals=tuple(whole(r) for r in told["rivals"]) if many else (),
                n_classes=whole(told["n_classes"]) if many else 2,
            )
        except DataError:
            raise
        except MALFORMED as error:
            raise DataError(f"This is not a separability certificate: {error!r}.") from error


def estimates_from(told: Any) -> Estimates:
    """What was written of the coefficients."""
    return Estimates(
        tuple(str(kind) for kind in told["coefficients"]),
        tuple(whole(row) for row in told["spanning"]),
        tuple(
            tuple((int(j), parsed(f)) for j, f in direction.items())
            for direction in told["directions"]
        ),
        tuple(
            Push(
                whole(push["coefficient"]),
                tuple(whole(row) for row in push["rows"]),
                tuple(parsed(p) for p in push["multipliers"]),
            )
            for push in told["pushes"]
        ),
    )


def undecided(longest: float, bias: bool, n_classes: int = 2) -> Separability:
    """Nothing was proved in time: no margin is larger than the longest example, or vector."""
    upper = longest if n_classes == 2 else sqrt(2) * hypot(longest, float(bias)) * (1 + 1e-9)
    margin = Bracket(0.0, upper)
    return Separability("undecided", margin=margin, fit_intercept=bias, n_classes=n_classes)
