r"""Novikoff's theorem on a run: the space of the run, a direction, and the four quantities."""

from dataclasses import dataclass
from math import inf, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from novikoff.certificates.geometry import longest
from novikoff.certificates.joint import of_many
from novikoff.certificates.kesler import ManyClasses
from novikoff.certificates.report import html_table
from novikoff.core.clock import now
from novikoff.errors import NotSeparable, OutOfTime, ParameterError
from novikoff.inputs.arrays import as_seen
from novikoff.learners.additive import Additive
from novikoff.max_margin.estimator import MaxMargin
from novikoff.proofs.bounds import novikoff_bound
from novikoff.typing import Array, Matrix

if TYPE_CHECKING:
    import pandas as pd

    from novikoff.proofs.record import Record
    from novikoff.proofs.trace import Trace

BUDGET = 60.0
"""Seconds after which the search for the margin of many classes is given up."""


@dataclass(frozen=True, eq=False, repr=False)
class Proof:
    r"""Novikoff's proof, carried out on a run: its four quantities after every update.

    $$\langle w_0, u\rangle + \gamma\sum_{j \le k} a_j \;\le\; \langle w_k, u\rangle \;\le\;
      \|w_k\| \;\le\; \sqrt{\|w_0\|^2 + R^2\sum_{j \le k} a_j^2}$$

    Here $w_k$ are the weights after $k$ updates, $u$ is a unit vector with margin $\gamma$, and
    $a_j$ is the size of step $j$. In a run from 0 with steps of 1, this is
    $k\gamma \le \langle w_k, u\rangle \le \|w_k\| \le \sqrt k\,R$. A learner with the parameter
    `margin`, $\tau$, also updates on correct predictions: then $(1 + 2\tau)R^2$ replaces $R^2$.

    Parameters
    ----------
    u : ndarray
        The unit vector, in the space of the run: with a bias, it has one more entry. With more than
        two classes, a row for each.
    margin : float
        $\gamma$: no $y_i\langle u, x_i\rangle$ is smaller. With more than two classes, no
        $\langle u_y - u_r, x_i\rangle$ is, where $y$ is the right class and $r$ another.
    radius : float
        $R$: no $\|x_i\|$ is larger. With more than two classes, $\sqrt2$ times that, the length of
        an update.
    bound : float
        The number of updates beyond which the first quantity would exceed the last.
    mistakes : ndarray of int
        $k$: the number of mistakes so far; of updates, if `update_margin` is above 0.
    least, progress, length, most : ndarrays of float
        The four quantities after each update, from left to right.
    progress_grew : ndarray of bool
        The first lemma: whether the update added at least $a_k\gamma$ to $\langle w, u\rangle$.
    length_held : ndarray of bool
        The second lemma: whether it added at most $a_k^2R^2$ to $\|w\|^2$, or with a `margin`
        $(1 + 2\tau)a_k^2R^2$.
    start : tuple of float
        $\langle w_0, u\rangle$ and $\|w_0\|$.
    steps : ndarray of float
        The step sizes $a_k$.
    update_margin : float
        $\tau$.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> model = Perceptron(fit_intercept=False, record=True, shuffle=False)
    >>> proof = model.fit([[3.0, 4.0], [-4.0, 3.0]], [1, 0]).trace_.proof(u=[1.0, 0.0])
    >>> proof.least, proof.progress
    (array([3., 6.]), array([3., 7.]))
    >>> proof.length.round(2), proof.most.round(2), round(proof.bound, 2)
    (array([5.  , 7.07]), array([5.  , 7.07]), 2.78)
    """

    u: Array
    margin: float
    radius: float
    bound: float
    mistakes: Array
    least: Array
    progress: Array
    length: Array
    most: Array
    progress_grew: Array
    length_held: Array
    start: tuple[float, float]
    steps: Array
    update_margin: float = 0.0

    @property
    def counts(self) -> str:
        """What `mistakes` counts: "mistakes", or "updates" if `update_margin` is above 0."""
        return "updates" if self.update_margin else "mistakes"

    def __repr__(self) -> str:
        made = int(self.mistakes[-1]) if len(self.mistakes) else 0
        return (
            f"Proof({self.counts}={made}, bound={self.bound:.6g}, margin={self.margin:.6g}, "
            f"radius={self.radius:.6g}, holds={self.holds})"
        )

    def _repr_html_(self) -> str:
        made = int(self.mistakes[-1]) if len(self.mistakes) else 0
        sentence = (
            f"The proof {'holds' if self.holds else 'does not hold'}: the run made {made:,} "
            f"{self.counts}, and no more than {self.bound:,.6g} are possible."
        )
        columns = {
            self.counts: self.mistakes,
            "kγ": self.least,  # noqa: RUF001
            "⟨w, u⟩": self.progress,
            "‖w‖": self.length,
            "√k R": self.most,
            "first lemma": self.progress_grew,
            "second lemma": self.length_held,
        }
        return html_table(sentence, columns)

    @property
    def holds(self) -> bool:
        """Whether both lemmas hold at every update."""
        return bool(self.progress_grew.all() and self.length_held.all())

    def to_pandas(self) -> "pd.DataFrame":
        """The four quantities and the two lemmas as a pandas DataFrame, one row per update.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas as pd

        names = ("mistakes", "least", "progress", "length", "most", "progress_grew", "length_held")
        return pd.DataFrame({name: getattr(self, name) for name in names})


def proof_of(trace: "Trace", u: ArrayLike | None) -> Proof:
    """The four quantities on a trace, for a direction or the one of the widest margin."""
    require_additive(trace, "the four quantities are those of perceptrons")
    if trace._apart:
        raise ParameterError(
            "Each class has a machine of its own here, with a proof of its own: "
            f"trace.machine(label).proof() has it, for a label of {trace._classes.tolist()}."
        )
    X, y = trace.data
    Z = as_in_run(trace)
    K = len(trace.start) if trace.start.ndim > 1 else 1
    if u is None:
        v, gamma = widest(Z, y, K)
    else:
        v = direction(u, X.shape[1], Z.shape[1], trace._space["fit_intercept"], K)
        gamma = least_margin(Z, y, v)
    R = longest(Z)
    return quantities(trace, v, gamma, R if K == 1 else sqrt(2) * R)


def require_additive(trace: "Trace", what: str) -> None:
    """Raise an error, which says what is of perceptrons only, if this is the run of another."""
    learner = trace._learner
    if not isinstance(learner, Additive):
        raise ParameterError(f"{type(learner).__name__} {learner._other_proof}: {what}.")


def quantities(trace: "Record", u: Array, gamma: float, R: float) -> Proof:
    """The same for a direction with this margin, and this radius."""
    width, every = trace.start.shape[-1], np.arange(len(trace) + 1)
    progress = np.array([np.vdot(w, u[..., :width]) for w in trace._replayed(every)])
    if u.shape[-1] > width:  # private coordinates
        own, place = trace.step * float(trace._space["slack"]), width + trace.example
        many = trace.gained is not None
        along = u[trace.gained, place] - u[trace.lost, place] if many else u[place]
        progress[1:] += np.cumsum(own * along)
    a, square = abs(trace.step), np.append(trace._square, trace.squared_norm)
    tau, made = float(trace._space["margin"]), counted(trace)
    length = np.sqrt(square)
    start, terms = (float(progress[0]), float(length[0])), length[1:] + length[:-1] + a * R
    # how far rounding may have brought the weights when they were learned, and the sums here
    doubts = 8 * (trace.start.size + 8) * float(np.finfo(trace.start.dtype).eps) * terms
    return Proof(
        u=u,
        margin=gamma,
        radius=R,
        bound=bound_of(gamma, R, start, a, made, tau),
        mistakes=made,
        least=progress[0] + gamma * np.cumsum(a),
        progress=progress[1:],
        length=length[1:],
        most=np.sqrt(square[0] + (1 + 2 * tau) * R * R * np.cumsum(a * a)),
        progress_grew=np.diff(progress) >= a * gamma - doubts,
        length_held=np.diff(square) <= (1 + 2 * tau) * (a * R) ** 2 + doubts * terms,
        start=start,
        steps=a,
        update_margin=tau,
    )


def as_in_run(trace: "Trace") -> Matrix:
    """The examples as the theorem sees them: with all coordinates that the run gave them."""
    space, Z = trace._space, as_seen(trace.data[0], trace._space)
    n = Z.shape[0]
    # the weights of a hyperplane through the origin have a place for the bias too
    one = np.full((n, 1), float(space["fit_intercept"]))
    if space["slack"]:
        own = float(space["slack"]) * sparse.eye_array(n)
        return sparse.hstack([sparse.csr_array(Z), one, own], format="csr")
    return sparse.hstack([Z, one], format="csr") if sparse.issparse(Z) else np.hstack([Z, one])


def widest(Z: Matrix, y: Array, n_classes: int) -> tuple[Array, float]:
    """The unit vector of the widest margin, and a margin that it is proved to have.

    Of many classes it is in Kesler's space: a row for each.
    """
    if n_classes == 1:
        try:
            model = MaxMargin(fit_intercept=False).fit(Z, y)
            return model.coef_[0] / np.linalg.norm(model.coef_), model.margin_.lower
        except NotSeparable as error:
            found = error.separability
    else:
        found = of_many(ManyClasses(Z, y, n_classes, False), 1e-6, now() + BUDGET)
        if found.verdict == "undecided":
            raise OutOfTime(
                f"Within {BUDGET:g} seconds no margin was found, and no proof that there is none: "
                "give a direction u."
            )
        if found.coef is not None and found.verdict == "separable":
            return found.coef / np.linalg.norm(found.coef), found.margin.lower
    raise NotSeparable(
        f"The theorem needs data with a margin, but this is {found.verdict} in the space of the "
        "run. Learn with {slack} above 0.",
        found,
        hint="(Or give a direction u all the same.)",
        slack=0.0,
    )


def least_margin(Z: Matrix, y: Array, u: Array) -> float:
    r"""The least $y_i\langle u, x_i\rangle$ over all examples.

    Of many classes, the least $\langle u_y - u_r, x_i\rangle$, over all other classes $r$ as well.
    """
    lead = np.asarray(Z @ u.T, np.float64)
    if u.ndim == 1:
        return float((y * lead).min())
    own = np.arange(len(y)), y
    lead = lead[own][:, None] - lead
    lead[own] = np.inf
    return float(lead.min())


def direction(given: ArrayLike, d: int, width: int, bias: bool, n_classes: int = 1) -> Array:
    """The unit vector along what was given, in all `width` coordinates of the run.

    Of many classes a row each, of unit length together.
    """
    u = np.asarray(given, np.float64)
    u = u.ravel() if n_classes == 1 else u
    fits = u.shape[-1:] in {(d,), (d + bias,), (width,)} and u.size == n_classes * u.shape[-1]
    if not fits or u.ndim > 2 or not np.isfinite(u).all() or not u.any():
        entries = f"{d} entries, or {d + 1} with that of the bias" if bias else f"{d} entries"
        rows = "" if n_classes == 1 else f"{n_classes} rows of "
        has = f"it has {len(u)}" if n_classes == 1 else f"its shape is {u.shape}"
        raise ParameterError(f"u must have {rows}{entries}, finite and not all 0; {has}.")
    full = np.zeros((*u.shape[:-1], width))
    full[..., : u.shape[-1]] = u
    unit: Array = full / np.linalg.norm(full)
    return unit


def counted(trace: "Record") -> Array:
    """How many mistakes there were after each update; with a margin, how many updates."""
    return 1 + np.arange(len(trace)) if trace._space.get("margin") else trace.mistakes


def made_before(mistakes: Array) -> float:
    """How many mistakes there were before the recording began, whose mistakes these are."""
    return float(mistakes[0] - 1) if len(mistakes) else 0.0


def bound_of(
    gamma: float, R: float, start: tuple[float, float], a: Array, mistakes: Array, tau: float
) -> float:
    """The number of updates past which the first quantity would exceed the last."""
    progress, length = start
    if not gamma > 0 or not np.isfinite(length):
        return inf
    a = a if len(a) else np.ones(1)
    progress, largest = min(length, max(-length, progress)), float(a.max())
    return made_before(mistakes) + novikoff_bound(
        R,
        gamma,
        start_norm=length,
        start_progress=progress,
        eta0=largest,
        step_ratio=largest / float(a.min()),
        update_margin=tau,
    )
