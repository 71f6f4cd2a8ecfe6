"""How the columns of a table become features: numbers, categories, words, dates, or nothing."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from novikoff.data.tables.columns import PlannedColumn, each_of
from novikoff.data.tables.listing import TOLD, counted, joined
from novikoff.errors import DataError, ParameterError
from novikoff.parameters import WHOLE, Kind, Parameterised, choice, flag, given
from novikoff.typing import Matrix

if TYPE_CHECKING:
    from novikoff.data.tables.encode import Raw

SPARSE = 3
"""Rows are sparse where at most one entry in so many can be different from 0."""
MOST_BITS = 30


def is_columns(value: object) -> bool:
    """Is it a column, or several of them?"""
    one = isinstance(value, str | int | np.integer)
    return one or (isinstance(value, list | tuple) and all(map(is_columns, value)))


COLUMNS = Kind("str, int or list of them", "the name or number of a column, or a list", is_columns)
DATES = Kind(
    "bool or str", "True, False, or how dates are written, as '%d.%m.%Y'",
    lambda value: isinstance(value, bool | np.bool_ | str),
)  # fmt: skip
BITS = Kind(
    "int", f"a whole number from 1 to {MOST_BITS}",
    lambda value: WHOLE.allows(value) and value <= MOST_BITS, int,
)  # fmt: skip


class TablePlan(Parameterised, TransformerMixin, BaseEstimator):
    """Turn a table of numbers, categories, texts and dates into a matrix of numbers.

    `novikoff.data.read` fits a plan to the first rows of a file, and returns it. It is also a
    scikit-learn transformer, for data frames.

    - Numbers stay. A blank becomes the mean of the column, and a second column marks it.
    - Yes and no, true and false, become 1 and 0.
    - A text column with few different values becomes a category: a column for each value, 1 in
      the column of its own value and 0 in the others. With more values than `one_hot`, it is
      hashed.
    - A text column in which more than half of the values are different, such as names or ticket
      numbers, is left out, unless `text` or `categories` names it.
    - Dates are left out, unless `dates` is set.

    Attributes
    ----------
    columns_ : list of PlannedColumn
        What becomes of each column, in the order of the table.
    n_rows_ : int
        The number of rows it was fitted to.
    n_features_in_ : int
        The number of columns of the table.
    decimal_ : str
        The decimal mark of numbers that are written as text.

    Examples
    --------
    >>> import pandas as pd
    >>> from novikoff.data import TablePlan
    >>> table = pd.DataFrame({"age": [22, None, 30], "port": ["S", "C", "S"]})
    >>> plan = TablePlan().fit(table)
    >>> print(plan.summary())
    2 columns: 1 number (with blanks), 1 category (2 values)
    >>> plan.get_feature_names_out().tolist()
    ['age', 'age is missing', 'port=C', 'port=S']
    >>> plan.transform(table).tolist()
    [[22.0, 0.0, 0.0, 1.0], [26.0, 1.0, 1.0, 0.0], [30.0, 0.0, 0.0, 1.0]]

    References
    ----------
    K. Weinberger et al., "Feature hashing for large scale multitask learning", ICML 2009.
    """

    text: Any = given(
        default=(),
        kind=COLUMNS,
        short="columns of text, to learn from their words",
        text="Columns whose words become features, counted and hashed.",
    )
    categories: Any = given(
        default=(),
        kind=COLUMNS,
        short="columns that are categories, whatever is in them",
        text="Columns that are categories, even if they have numbers, or very many values.",
    )
    dates: bool | str = given(
        default=False,
        kind=DATES,
        short="make numbers of dates: days since 1970",
        text="""Turn dates into numbers, the days since 1970. Give the format of the dates, such as
        "%d.%m.%Y", or True to detect it.""",
    )
    missing: str = choice(
        default="indicator",
        choices=("indicator", "mean", "error"),
        short="what a blank in a column of numbers becomes",
        text="""How to handle a blank in a column of numbers. "mean" replaces it by the mean of the
        column; "indicator" also marks it in a second column; "error" raises an error.""",
    )
    scale: bool = flag(
        default=False,
        short="standardise numbers: mean 0 and standard deviation 1",
        text="""Standardise numbers and dates to mean 0 and standard deviation 1 on the rows that
        the plan is fitted to.""",
    )
    one_hot: int = given(
        default=100,
        kind=WHOLE,
        short="the most values of a category with a column for each",
        text="Categories with more values than this are hashed.",
    )
    bits: int = given(
        default=18,
        kind=BITS,
        short="hash words and large categories into 2^N columns",
        text="Words and large categories share $2^{bits}$ columns, which come after the others.",
    )

    # ------------------------------------------------------ settling it

    def fit(self, X: Any, y: object = None) -> Self:
        """Decide what becomes of each column.

        Parameters
        ----------
        X : data frame, Arrow table or array of shape (n, n_columns)
        y : ignored

        Returns
        -------
        self
        """
        from novikoff.data.tables.dataframes import columns_of

        self._check_parameters()
        names, columns, n = columns_of(X)
        return self._settle(names, columns, n)

    def _settle(
        self,
        names: Sequence[str | int],
        columns: Sequence[Any],
        n: int,
        decimal: str = ".",
    ) -> Self:
        """The same for columns of Arrow's, of which those of text may have numbers in them."""
        from novikoff.data.tables.look import looked_at
        from novikoff.data.tables.numerals import Numbers

        for name in (*self.named("text", names), *self.named("categories", names)):
            if name not in names:
                raise ParameterError(
                    f"There is no column {name!r}: give one of {', '.join(map(repr, names[:8]))}."
                )
        self.columns_ = looked_at(self, names, columns, Numbers(decimal))
        self.decimal_ = decimal
        self.n_rows_, self.n_features_in_ = n, len(self.columns_)
        return self

    def named(self, what: str, names: Sequence[str | int]) -> list[str | int]:
        """The columns that a parameter lists, by name or number."""
        n, wished = len(names), each_of(getattr(self, what), names)
        return [
            names[w] if not isinstance(w, str) and w not in names and -n <= w < n else w
            for w in wished
        ]

    # ------------------------------------------------------ what it makes

    def transform(self, X: Any) -> Matrix:
        """Turn a table into a matrix of numbers. Columns are found by name, or else by order.

        Parameters
        ----------
        X : data frame, Arrow table or array of shape (n, n_columns)

        Returns
        -------
        ndarray or csr_array of shape (n, n_features)
            Sparse if most of its entries are 0.
        """
        from novikoff.data.tables.dataframes import columns_of, raw_of
        from novikoff.data.tables.encode import encoded
        from novikoff.data.tables.numerals import Numbers

        check_is_fitted(self)
        names, columns, n = columns_of(X)
        try:
            places = self.places(names)
        except DataError as error:
            raise DataError(f"The table does not fit the plan: {error}.") from None
        raw: list[Raw] = [
            raw_of(None if j < 0 else columns[j], column, Numbers(self.decimal_))
            for column, j in zip(self.columns_, places, strict=True)
        ]
        found = encoded(self, raw, n, np.dtype(np.float64))
        if found.faults:
            row, k, value = found.faults[0]
            column = self.columns_[k]
            raise DataError(
                f"Row {row} has {value} in {column.called}, expected {expected(column)}."
            )
        return found.X

    def places(self, names: Sequence[str | int]) -> list[int]:
        """The index of each column of the plan in a table; -1 if it is ignored and not there.

        Columns are found by name; if the plan or the table has no names, by their order.
        """
        wanted = [column.name for column in self.columns_]
        if not (any(isinstance(n, str) for n in names) and any(isinstance(n, str) for n in wanted)):
            if len(names) == len(wanted):
                return [*range(len(wanted))]
            found = counted(len(names), "column")
            raise DataError(f"it has {found} of features, and the plan is for {len(wanted):,}")
        there = {name: j for j, name in enumerate(names)}
        lacking = [c.title for c in self.columns_ if c.name not in there and c.kind != "ignored"]
        if lacking:
            one = len(lacking) == 1
            names_of = f"column{'s' * (not one)} {joined([*map(repr, lacking)])}"
            raise DataError(f"it lacks the {names_of}: add {'it' if one else 'them'}")
        return [there.get(name, -1) for name in wanted]

    def get_feature_names_out(self, input_features: object = None) -> npt.NDArray[Any]:
        """The names of the columns of the result.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str objects
        """
        check_is_fitted(self)
        names = self._own_names
        hashed = (f"hash {k}" for k in range(self.n_features - len(names)))
        return np.array([*names, *hashed], dtype=object)

    @property
    def _own_names(self) -> list[str]:
        """What the columns of the result are called, before those that words are hashed into."""
        return [name for column in self.columns_ for name in column.names]

    @property
    def names(self) -> list[str] | None:
        """The names of the columns of the result; None if some are hashed or none has a name."""
        named = any(isinstance(column.name, str) for column in self.columns_)
        return None if self.is_hashed or (self.is_plain and not named) else self._own_names

    @property
    def is_hashed(self) -> bool:
        """Whether words, or the values of a category, are hashed."""
        return any(column.kind in ("hashed", "text") for column in self.columns_)

    @property
    def width(self) -> int:
        """The number of columns of the result before the hashed ones."""
        return sum(column.width for column in self.columns_)

    @property
    def n_features(self) -> int:
        """The number of columns of the result."""
        return self.width + (1 << self.bits) * self.is_hashed

    @property
    def is_sparse(self) -> bool:
        """Whether the result is a sparse matrix."""
        entries = sum(column.kind != "ignored" for column in self.columns_)
        return self.is_hashed or self.width >= SPARSE * entries > 0

    @property
    def is_plain(self) -> bool:
        """Whether all columns are numbers that do not change."""
        return all(
            c.kind == "number" and not (c.has_blanks or c.spread or c.form) for c in self.columns_
        )

    # ------------------------------------------------------ in words, and in a file

    def summary(self) -> str:
        """What becomes of the columns, as a phrase.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        groups = {kind: [c for c in self.columns_ if c.kind == kind] for kind in TOLD}
        told = [TOLD[kind](group) for kind, group in groups.items() if group]
        return f"{counted(len(self.columns_), 'column')}: {', '.join(told)}"

    def to_dict(self) -> dict[str, Any]:
        """The plan as a dictionary that can be written as JSON."""
        check_is_fitted(self)
        bare, columns = asdict(PlannedColumn("", "")), []
        for column in self.columns_:
            told = {k: v for k, v in asdict(column).items() if v != bare[k] or k == "name"}
            columns.append({k: as_list(v) for k, v in told.items()})
        parameters = {name: as_list(getattr(self, name)) for name in self._parameters}
        decimal = {} if self.decimal_ == "." else {"decimal": self.decimal_}
        return {"parameters": parameters, "n_rows": self.n_rows_, "columns": columns} | decimal

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> Self:
        """The plan from a dictionary that `to_dict` returned."""
        plan = cls(**given["parameters"])
        plan._check_parameters()
        plan.columns_ = [
            replace(PlannedColumn(**column), values=tuple(column.get("values", ())))
            for column in given["columns"]
        ]
        plan.n_rows_, plan.n_features_in_ = given["n_rows"], len(plan.columns_)
        plan.decimal_ = given.get("decimal", ".")
        return plan

    @classmethod
    def of_numbers(cls, names: Sequence[str | int]) -> Self:
        """A plan for a table of numbers without blanks."""
        plan = cls(missing="error")
        plan.columns_ = [PlannedColumn(name, "number") for name in names]
        plan.n_rows_, plan.n_features_in_, plan.decimal_ = 0, len(names), "."
        return plan

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "columns_")


def as_list(value: Any) -> Any:
    """A value as JSON has it."""
    return [*value] if isinstance(value, tuple) else value


def expected(column: PlannedColumn) -> str:
    """What a column of numbers has to have in it."""
    if column.kind == "date":
        return "a date" if column.form == "stored" else f"a date, written as {column.form}"
    return "yes or no" if column.kind == "boolean" else "a finite number"
