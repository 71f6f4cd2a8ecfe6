r"""A picture of one update: $w_{new} = w_{old} + y\,x$ (the slides of note 003)."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from novikoff.errors import ParameterError
from novikoff.inputs.arrays import as_seen, dense
from novikoff.plots.style import (
    BLUE,
    CLASSES,
    GREY,
    VERMILLION,
    Artist,
    Axes,
    Display,
    Names,
    ink,
    keep_inside,
    legend_below,
    name_axes,
)
from novikoff.proofs.proof import require_additive
from novikoff.proofs.trace import Trace
from novikoff.typing import Array


@dataclass(kw_only=True, eq=False, repr=False)
class UpdateDisplay(Display):
    r"""One update as a sum of vectors, with the boundary before and after.

    The picture shows the old weights $w_{old}$, the example $x$, the step $y\,x$ from the tip of
    $w_{old}$, the new weights $w_{new}$ at its end, and the old and the new boundary. The step is
    multiplied by $\eta$ and the weight of the example, if they are not 1. With more than two
    features, the picture shows the plane of $w_{old}$ and $x$, which contains all of these.

    Parameters
    ----------
    old, new : ndarrays of shape (3,)
        The weights before and after, in the plane of the picture, bias last.
    x : ndarray of shape (2,)
        The example.
    label : int
        Its label, -1 or +1.
    k : int
        The number of the update.
    step : float
        The signed step.
    names : sequence of two str, optional
        The names of the axes.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.plots import UpdateDisplay
    >>> model = Perceptron(record=True, shuffle=False).fit([[2, 1], [1, 2]], [1, 0])
    >>> UpdateDisplay.from_trace(model.trace_, 2).ax_.get_title()
    'Update 2: $y = -1$, $\\langle w, x\\rangle + b = 5$'
    """

    SIZE = (5.6, 5.2)

    old: Array
    new: Array
    x: Array
    label: int
    k: int
    step: float
    names: Names | None = None

    @classmethod
    def from_trace(cls, trace: Trace, k: int, *, ax: Axes = None) -> Self:
        """Draw update `k` of a run.

        Parameters
        ----------
        trace : Trace
            The trace of a perceptron, with its data.
        k : int
            From 1, the first update, to the last.
        ax : matplotlib axes, optional

        Returns
        -------
        UpdateDisplay
        """
        added = "the picture is of an example added to the weights, as perceptrons do it"
        require_additive(trace, added)
        if trace.gained is not None:
            machine = "give that of one machine, trace.machine(label)"
            raise ParameterError(
                f"The picture is of one weight vector, but here are {len(trace.start)}: "
                f"{machine if trace._apart else 'choose two classes'}."
            )
        if not 1 <= k <= len(trace):
            told = f"{{k=}} was given, but updates are numbered 1 to {len(trace)}."
            raise ParameterError(told, k=k)
        old, new = trace.weights([k - 1, k]).astype(np.float64)
        x = dense(as_seen(trace.data[0][trace.example[k - 1 : k]], trace._space))[0]
        if len(x) < 2:
            raise ParameterError("The picture of an update needs two features or more.")
        names = None
        if len(x) > 2:
            names = ("along $x$", "across, in the plane of $x$ and $w_{old}$")
            plane = _plane(x, old[:-1])
            old, new = (np.append(plane @ w[:-1], w[-1]) for w in (old, new))
            x = plane @ x
        label, step = int(trace.label[k - 1]), float(trace.step[k - 1])
        return cls(old=old, new=new, x=x, label=label, k=k, step=step, names=names).plot(ax)

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        tips = np.array([self.old[:2], self.new[:2], self.x, [0.0, 0.0]])
        size = float(abs(tips).max()) or 1.0
        middle = (tips.max(axis=0) + tips.min(axis=0)) / 2
        half = 0.78 * max(float(np.ptp(tips, axis=0).max()), size / 2)
        ax.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half))
        ax.set_aspect("equal")
        ax.axhline(0, color=GREY, linewidth=0.6, alpha=0.5, zorder=0)
        ax.axvline(0, color=GREY, linewidth=0.6, alpha=0.5, zorder=0)
        self._line(ax, self.old, "--", "old line")
        self._line(ax, self.new, "-", "new line")
        colour, marker = CLASSES[self.label > 0]
        names = self._arrows(ax)
        about = {"s": 90, "color": colour, "marker": marker, "edgecolor": ink(), "zorder": 4}
        ax.scatter(*self.x, label=f"$x$, of the class $y = {self.label:+d}$", **about)
        ax.plot([0, self.x[0]], [0, self.x[1]], ":", color=ink(), linewidth=1, zorder=1)
        s = float(self.old[:2] @ self.x + self.old[2])
        name_axes(ax, self.names)
        ax.set_title(
            rf"Update {self.k}: $y = {self.label:+d}$, $\langle w, x\rangle + b = {s:.4g}$"
        )
        legend_below(ax)
        keep_inside(ax, names)

    def _name_of_step(self) -> str:
        sign, size = ("-" if self.step < 0 else "+"), abs(self.step)
        return rf"$y\,x = {sign}x$" if size == 1 else rf"$\eta\,y\,x = {sign}{size:.3g}\,x$"

    def _arrows(self, ax: Axes) -> list[Artist]:
        """The old weights, the step and the new weights; their names come back."""
        old, new, origin = self.old[:2], self.new[:2], np.zeros(2)
        step = (old, new, VERMILLION, self._name_of_step())
        arrows = [(origin, old, GREY, "$w_{old}$"), step, (origin, new, BLUE, "$w_{new}$")]
        if np.array_equal(old, new):  # the bias alone moves: one arrow for both
            arrows = [step, (origin, new, BLUE, "$w_{new} = w_{old}$")]
        names, below = [], 14
        for tail, tip, colour, name in arrows:
            if np.array_equal(tail, tip):  # the first update starts at 0
                ax.plot(*tip, "o", color=colour, markersize=6, zorder=4)
                offset = (-16, 9) if tip.any() else (8, -below)
                place = {"xytext": offset, "textcoords": "offset points"}
                names.append(ax.annotate(f"{name} $= 0$", tip, color=colour, **place))
                below += 17
            else:
                names.append(self._arrow(ax, tail, tip, colour, name))
        return names

    def _arrow(self, ax: Axes, tail: Array, tip: Array, colour: str, name: str) -> Artist:
        """An arrow, with its name outside the triangle that the three of them make."""
        along = tip - tail
        # the step is broad, since in the first update the new weights lie on top of it
        broad = colour == VERMILLION
        style = {"arrowstyle": "-|>", "color": colour, "linewidth": 5.0 if broad else 2.2}
        style |= {"alpha": 0.7 if broad else 1.0, "mutation_scale": 24 if broad else 16}
        style |= {"shrinkA": 0, "shrinkB": 0, "zorder": 2 if broad else 3}
        ax.annotate("", xy=tuple(tip), xytext=tuple(tail), arrowprops=style)
        wide = "=" in name
        across = np.array([-along[1], along[0]]) / np.linalg.norm(along)
        outward = across @ ((tail + tip) / 2 - (self.old[:2] + self.new[:2]) / 3)
        if broad if not self.old[:2].any() else outward < 0:
            across = -across
        return ax.annotate(
            name,
            xy=tuple((tail + tip) / 2),
            xytext=tuple((46 if wide else 26, 17) * across),  # names are wider than high
            textcoords="offset points",
            color=colour,
            fontsize="large",
            ha="center",
            va="center",
            bbox={"facecolor": ax.get_facecolor(), "alpha": 0.75, "linewidth": 0, "pad": 1},
            zorder=5,
        )

    def _line(self, ax: Axes, w: Array, style: str, name: str) -> None:
        """Where the score is 0, if there is such a line."""
        if w[:2].any():
            foot = -w[2] * w[:2] / (w[:2] @ w[:2])
            ax.axline(
                foot,
                foot + np.array([-w[1], w[0]]),
                linestyle=style,
                color=ink(),
                linewidth=1.3,
                label=name,
                zorder=1,
            )


def _plane(x: Array, w: Array) -> Array:
    """Two orthonormal rows that span `x` and `w`; any second one where they are parallel."""
    Q, R = np.linalg.qr(np.column_stack([x, w]))
    return np.where(np.diag(R) < 0, -Q, Q).T  # along them, not against them
