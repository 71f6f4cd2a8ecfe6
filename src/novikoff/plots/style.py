"""What all displays have in common: colours, axes, and examples in a plane.

References
----------
Okabe, M. & Ito, K. (2008). Color universal design: how to make figures and presentations
that are friendly to colorblind people.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from novikoff.errors import ParameterError
from novikoff.inputs.arrays import dense
from novikoff.typing import Array, Matrix

Axes: TypeAlias = Any
"""matplotlib's axes, which may not be installed; or several of them, where that is said."""
Artist: TypeAlias = Any
"""A legend or a name that matplotlib has drawn."""
Names: TypeAlias = Sequence[object] | Array
"""What classes or features are called."""

BLUE, VERMILLION, GREEN = "#0072B2", "#D55E00", "#009E73"
ORANGE, SKY, PURPLE, YELLOW = "#E69F00", "#56B4E9", "#CC79A7", "#F0E442"
GREY = "#8c8c8c"
"""Between black and white, so that it shows on both."""

CLASSES = (
    (SKY, "o"),
    (ORANGE, "^"),
    (GREEN, "s"),
    (PURPLE, "D"),
    (BLUE, "v"),
    (YELLOW, "P"),
    (VERMILLION, "X"),
    (GREY, "*"),
)
"""Colour and marker of each class, the first one first."""

SMALL, LARGE = 26.0, 230.0
"""The areas of an example that was never a mistake, and of the one that was most often."""

GRID = 201
ROOM = 4.0
"""Between names and the frame of the axes, in points."""
COLUMNS = 3
"""Of a legend below the axes, at the most."""

PLACES = tuple(
    f"{height} {side}" for height in ("upper", "lower", "center") for side in ("right", "left")
)
"""Where a legend may be in the axes."""


def pyplot() -> Any:
    """matplotlib's, or an error that says where to get it."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ParameterError(
            "Drawing needs the package matplotlib: pip install 'novikoff[plots]'."
        ) from error
    return pyplot


class Display(ABC):
    """A picture (abstract)."""

    SIZE: ClassVar[tuple[float, float]]
    """Of a new figure, in inches."""
    PARTS: ClassVar[int] = 1
    """How many axes it is drawn on, side by side."""

    def plot(self, ax: Axes = None) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib axes, optional
            The axes to draw on. None: a new figure. A `ComparisonDisplay` also takes four, one for
            each boundary, and a `ProgressDisplay` three (it divides a single one into three).

        Returns
        -------
        Display
            The display itself. `ax_` and `figure_` are what it was drawn on; `axes_` has all axes.
        """
        axes = self._axes(ax)
        self._draw(axes)
        self.axes_, self.ax_, self.figure_ = axes, axes[0], axes[0].figure
        return self

    def _axes(self, ax: Axes) -> list[Axes]:
        """The axes given, the parts of one that is divided, or those of a new figure."""
        draw = pyplot()
        if ax is None:
            ax = draw.subplots(1, self.PARTS, figsize=self.SIZE, layout="constrained")[1]
        elif self.PARTS > 1 and not np.ndim(ax):
            ax.set_axis_off()
            parts = ax.get_subplotspec().subgridspec(1, self.PARTS, wspace=0.45)
            ax = [ax.figure.add_subplot(part) for part in parts]
        return list(np.ravel(ax))

    @abstractmethod
    def _draw(self, axes: list[Axes]) -> None:
        """Draw it on these."""


@dataclass(kw_only=True, eq=False, repr=False)
class PlaneDisplay(Display):
    """A picture of examples in a plane (abstract); its subclasses say what the fields are."""

    points: Array
    signs: Array
    grid: tuple[Array, ...]
    classes: Names
    names: Names | None = None

    def _examples(self, ax: Axes, updates: Array | None = None) -> None:
        """The classes; an example is the larger the more often it was a mistake."""
        size = np.full(len(self.points), SMALL)
        if updates is not None and updates.any():
            size += (LARGE - SMALL) * updates / updates.max()
        known = (-1, 1) if len(self.classes) == 2 else range(len(self.classes))
        for sign, (colour, marker), label in zip(known, CLASSES, self.classes, strict=False):
            own = self.signs == sign
            ax.scatter(
                *self.points[own].T,
                s=size[own],
                color=colour,
                marker=marker,
                edgecolor=ink(),
                linewidth=0.6,
                alpha=0.85,
                label=str(label),
                zorder=3,
            )
        name_axes(ax, self.names)
        x, y = self.grid[:2]
        ax.set(xlim=(x.min(), x.max()), ylim=(y.min(), y.max()))


def ink() -> str:
    """The colour of text, which follows matplotlib's style: dark on light, or light on dark."""
    return str(pyplot().rcParams["text.color"])


def name_axes(ax: Axes, names: Names | None) -> None:
    """Label the axes of a plane, which is that of two features if nothing else is said."""
    first, second = names if names is not None else ("$x_1$", "$x_2$")
    ax.set(xlabel=str(first), ylabel=str(second))


def two_features(X: Matrix, what: str) -> Array:
    """The examples, if they lie in a plane."""
    if X.shape[1] != 2:
        raise ParameterError(
            f"{what} is drawn in the plane of two features, but X has {X.shape[1]}: choose two."
        )
    return dense(X)


def grid_around(points: Array) -> tuple[Array, Array, Array]:
    """A grid that fills a frame with some room around points, as two coordinates and as rows."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = 0.12 * np.where(high > low, high - low, 1.0)
    x, y = np.meshgrid(*np.linspace(low - room, high + room, GRID).T)
    return x, y, np.column_stack([x.ravel(), y.ravel()])


def draw_line(
    ax: Axes, x: Array, y: Array, s: Array, colour: str, width: float, style: str = "-"
) -> list[Array]:
    """The line on which a score is 0, if it crosses the picture: the points of its pieces."""
    if not s.min() < 0 < s.max():
        return []
    how = {"colors": [colour], "linewidths": width, "linestyles": style, "zorder": 2}
    return list(ax.contour(x, y, s, levels=[0.0], **how).allsegs[0])


def lay_out(ax: Axes) -> None:
    """Give axes the place that they will be drawn in."""
    root = ax.figure.figure
    if (layout := root.get_layout_engine()) is not None:
        with suppress(ValueError):  # a drawing goes on too where there is no room for the axes
            layout.execute(root)
    locator = ax.get_axes_locator()
    ax.apply_aspect(locator(ax, None) if locator else None)


def keep_inside(ax: Axes, names: list[Artist]) -> None:
    """Move annotations that run out of the axes back into them, with some points to spare."""
    lay_out(ax)
    frame, points = ax.get_window_extent(), 72 / ax.figure.dpi
    for name in names:
        box = name.get_window_extent()
        past = np.maximum(points * (box.max - frame.max) + ROOM, 0.0)
        short = np.maximum(points * (frame.min - box.min) + ROOM, 0.0)
        name.set_position(tuple(np.asarray(name.xyann) - past + short))


def legend(ax: Axes, **options: object) -> Artist:
    """A legend that hides nothing behind a frame of its own colour."""
    return ax.legend(**{"framealpha": 0.85, "fontsize": "small"} | options)


def legend_below(ax: Axes) -> Artist:
    """A legend under the axes, past what is written there.

    One that is wider than the figure would make a layout squeeze the axes more at every drawing.
    """
    from matplotlib.transforms import ScaledTranslation

    down = 3.8 * pyplot().rcParams["font.size"] / 72
    under = ax.transAxes + ScaledTranslation(0, -down, ax.figure.dpi_scale_trans)
    place = {"bbox_to_anchor": (0.5, 0.0), "bbox_transform": under}
    for n in range(COLUMNS, 0, -1):
        found = legend(ax, loc="upper center", ncols=n, borderaxespad=0, **place)
        if found.get_window_extent().width < 0.9 * ax.figure.bbox.width:  # a layout pads it
            return found
    found.set_in_layout(False)
    return found


def legend_beside(ax: Axes, points: Array, line: list[Array]) -> Artist:
    """A legend that covers none of the examples: in a free part of the axes, or else below.

    If it can it leaves the points of a line free too. Where nothing makes room below the axes,
    it stays in them, where it covers the fewest.
    """
    has_layout = ax.figure.figure.get_layout_engine() is not None
    if has_layout:
        lay_out(ax)
    found = legend(ax, loc="upper right")
    room = np.sqrt(LARGE / np.pi) * ax.figure.dpi / 72  # the radius of the largest example
    places = points, np.vstack([points[:0], *line])

    def covered(place: str) -> tuple[int, int]:
        found.set_loc(place)
        box = found.get_window_extent()
        low, high = (box.x0 - room, box.y0 - room), (box.x1 + room, box.y1 + room)
        pixels = (ax.transData.transform(p) for p in places)
        first, second = (int(((p > low) & (p < high)).all(axis=1).sum()) for p in pixels)
        return first, second

    best = min(PLACES, key=covered)
    if covered(best)[0] and has_layout:
        return legend_below(ax)
    return found
