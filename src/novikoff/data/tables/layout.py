"""Which column of a table is what: labels, weights, features, or nothing."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from novikoff.data.reader_options import Column, Leader, Options
from novikoff.data.tables.columns import each_of
from novikoff.data.tables.plan import TablePlan
from novikoff.errors import DataError, FileError, ParameterError

INDEX = re.compile(r"__index_level_\d+__")
LABEL = "label"
"""What the column of the labels is called, unless told."""


class Layout(NamedTuple):
    """Which columns of a table are what."""

    names: list[str] | None
    n_columns: int
    label: int | None
    weight: int | None
    ignored: frozenset[int] = frozenset()
    kept: tuple[int, ...] = ()
    """These are copied as they stand, whatever else they are."""

    @property
    def features(self) -> list[int]:
        """The numbers of the other columns."""
        others = {self.label, self.weight, *self.ignored}
        return [j for j in range(self.n_columns) if j not in others]

    @property
    def feature_names(self) -> list[str] | None:
        """Their names, if there are names."""
        return None if self.names is None else [self.names[j] for j in self.features]

    def kept_of(self, column: Callable[[int], Any]) -> dict[str, Any] | None:
        """The columns to copy, by what they are called; None if there are none."""
        called = map(str, range(self.n_columns)) if self.names is None else self.names
        names = dict(enumerate(called))
        return {names[j]: column(j) for j in self.kept} or None


class Table(NamedTuple):
    """Which columns of a table are what, and what becomes of them."""

    layout: Layout
    plan: TablePlan
    places: list[int]
    """Which column of the table each column of the plan is; -1 for one that is not there."""

    @property
    def names(self) -> list[str] | None:
        """What features are called; None if the table has no names, and the plan has some."""
        if self.layout.names is None and any(isinstance(c.name, str) for c in self.plan.columns_):
            return None
        return self.plan.names

    @property
    def unused(self) -> tuple[str, ...]:
        """The columns of features that the plan does not have."""
        names = self.layout.names
        others = {*self.layout.features} - {*self.places} if names else ()
        return tuple(names[j] for j in sorted(others)) if names else ()

    @classmethod
    def of(cls, layout: Layout, plan: TablePlan, name: str) -> "Table":
        """A table of this layout that has the columns of a plan."""
        features = layout.features
        try:
            found = plan.places(layout.feature_names or features)
        except DataError as error:
            hint = ""
            if layout.names is None and len(features) == len(plan.columns_) - 1:
                hint = ". Give {labels=} if no column has the labels"
            raise FileError(name, f"{error}{hint}", labels="optional") from None
        return cls(layout, plan, [features[k] if k >= 0 else -1 for k in found])

    @classmethod
    def settled(
        cls,
        layout: Layout,
        columns: Sequence[Any],
        options: Options,
        name: str,
        decimal: str = ".",
    ) -> "Table":
        """The same with the plan that the options have, or one that these columns settle."""
        plan = options.settled_plan
        if plan is None:
            plan = clone(options.plan or TablePlan())
            names, features = layout.names, layout.features
            called: list[str | int] = [j if names is None else names[j] for j in features]
            plan._check_parameters()
            n = len(columns[0]) if columns else 0
            plan._settle(called, [columns[j] for j in features], n, decimal)
        return cls.of(layout, plan, name)


def layout_of(names: list[str] | None, n_columns: int, options: Options, name: str) -> Layout:
    """Which columns are what, as the options say."""
    out = each_of(options.ignore, names)
    if options.labels == "optional" and options.settled_plan is not None and names is None:
        own = [None if isinstance(c, str) else c for c in (options.label, options.weight)]
        out = [c for c in out if not isinstance(c, str)]
        options = replace(options, label=own[0], weight=own[1])
    if options.labels == "optional" and names is not None:  # and so are columns of these names
        label, weight = (
            None if isinstance(column, str) and column not in names else column
            for column in (options.label, options.weight)
        )
        out = [c for c in out if not isinstance(c, str) or c in names]
        options = replace(options, label=label, weight=weight)
    place = place_of(options.label, names, n_columns, name, "label")
    if options.label is None and names is not None and LABEL in names:
        place = names.index(LABEL)
    if place is None and options.labels == "required":
        raise FileError(
            name,
            f"found no column called {LABEL!r}{listed(names)}, expected labels: say which column "
            "has them, by {label}: its name, or its number (-1 is the last)",
            hint="(Or give labels='optional'.)",
            label=None,
        )
    weight = place_of(options.weight, names, n_columns, name, "weight")
    ignored = {place_of(c, names, n_columns, name, "ignore"): c for c in out}
    for what, used in (("labels", place), ("weights", weight)):
        if used is not None and used in ignored:
            raise ParameterError(
                f"{{ignore=}} was given, but that column has the {what}: name others.",
                ignore=ignored[used],
            )
    left_out = frozenset(j for j in ignored if j is not None)
    kept = kept_places(names, n_columns, options, name)
    layout = Layout(names, n_columns, place, weight, left_out, kept)
    require_names(layout, name)
    return layout


def kept_places(
    names: list[str] | None, n_columns: int, options: Options, name: str
) -> tuple[int, ...]:
    """The numbers of the columns to copy, each once."""
    found: list[int] = []
    for column in each_of(options.keep, names):
        place = place_of(column, names, n_columns, name, "keep")
        assert place is not None  # each of them is named
        if place not in found:
            found.append(place)
    for k, place in enumerate(found if names else ()):
        twin = next((j for j in found[:k] if names and names[j] == names[place]), None)
        if twin is not None:
            raise ParameterError(
                f"{{keep=}} was given, but columns {twin} and {place} have one name: rename one, "
                "or keep one.",
                keep=place,
            )
    return tuple(found)


def leading(options: Options, layout: Layout, leader: Leader) -> Options:
    """The options for files that follow one of this layout: a column with a name goes by that."""
    names = layout.names or []

    def by_name(column: Any) -> Any:
        named = names and isinstance(column, int | np.integer)
        return names[column] if named and names.count(names[column]) == 1 else column

    return replace(
        options,
        leader=leader,
        label=by_name(options.label),
        weight=by_name(options.weight),
        ignore=None if options.ignore is None else [*map(by_name, each_of(options.ignore, names))],
        keep=None if options.keep is None else [*map(by_name, each_of(options.keep, names))],
    )


def require_names(layout: Layout, name: str) -> None:
    """Raise an error for columns that nobody can have meant as features."""
    found: dict[str, int] = {}
    for j, called in zip(layout.features, layout.feature_names or [], strict=False):
        if called == "":
            raise FileError(
                name,
                f"found column {j} without a name, which is how pandas saves an index: leave it "
                "out ({ignore=}), or give it a name",
                ignore=j,
            )
        if INDEX.fullmatch(called):
            raise FileError(
                name,
                f"found column {called!r}, the index of a pandas frame, expected features: leave "
                "it out ({ignore=}), or save the frame with index=False",
                ignore=called,
            )
        if called in found:
            raise FileError(
                name,
                f"found two columns called {called!r}, with the numbers {found[called]} and {j}: "
                "rename one, or leave one out ({ignore=})",
                ignore=j,
            )
        found[called] = j


def place_of(
    column: Column, names: list[str] | None, n_columns: int, name: str, what: str
) -> int | None:
    """The number of a column given by name or number."""
    if column is None:
        return None
    if isinstance(column, str):
        if names is None:
            told = f"{n_columns} columns without names, expected one called {column!r}"
            raise FileError(name, f"found {told}: give its number")
        if column not in names:
            raise FileError(name, f"found no column called {column!r}{listed(names)}")
        if names.count(column) > 1:
            raise FileError(name, f"found more than one column called {column!r}: give its number")
        return names.index(column)
    if not isinstance(column, int | np.integer):
        raise ParameterError.of(what, column, "the name or the number of a column")
    if not -n_columns <= column < n_columns:
        raise FileError(name, f"found {n_columns} columns, expected one with number {column}")
    return int(column) % n_columns


def listed(names: list[str] | None) -> str:
    """The names there are, for a message."""
    if names is None:
        return ""
    more = ", ..." if len(names) > 8 else ""
    return f" among {', '.join(map(repr, names[:8]))}{more}"


def title(layout: Layout, column: int) -> str:
    """What a column is called."""
    return str(column) if layout.names is None else repr(layout.names[column])


def said(value: str | float | None) -> str:
    """A value that is no good, for a message."""
    if isinstance(value, str) or value is None:
        return repr(str(value)) if value else "no label"
    return "NaN or nothing" if np.isnan(value) else str(value)
