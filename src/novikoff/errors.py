"""Every exception the library raises on purpose.

```
NovikoffError
├── ClusterError (RuntimeError)   the workers or their scheduler cannot do it, or are gone
├── DataError (ValueError)        these examples or labels cannot be learned from
│   ├── BadRow                    this row cannot be learned from
│   ├── FileError                 this file cannot be read, at this line and column
│   ├── ModelFileError            this file holds no model, or a damaged one
│   └── NotSeparable              they have no separator; carries the proof
├── OutOfTime (TimeoutError)      neither an answer nor its opposite was proved within the budget
├── ParameterError (ValueError)   this option does not have a meaning
├── WriteError (OSError)          this file could not be written; the old one is as it was
└── WeightOverflow (ArithmeticError, ValueError)   the weights left the range of their type
```

A message names parameters in braces: ``"{C=} was given"`` reads "C=-1 was given" in Python, and
"--C -1 was given" on the command line, which spells them by `NovikoffError.spelled`. What only
those who write Python can do about it is its `hint`. Every error can be pickled, as it is.

A model that has not been fitted raises scikit-learn's `NotFittedError`; a run that ended
before it converged is a result, announced by scikit-learn's `ConvergenceWarning`.
"""

import re
from collections.abc import Callable
from copy import copy
from typing import Any, Self

NAMED = re.compile(r"\{(\w+)(=?)\}")


def in_python(name: str, *value: object) -> str:
    """A parameter, and the value it was given if that is to be said, as Python writes them."""
    return f"{name}={value[0]!r}" if value else name


class NovikoffError(Exception):
    """The root of the tree. (scikit-learn's own checks of shapes raise plain ValueErrors.)

    `parameters` has the values of the parameters that the message names, `hint` a sentence that is
    for those who write Python only.
    """

    def __init__(self, message: str, *, hint: str = "", **parameters: Any) -> None:
        super().__init__(message)
        self.hint, self.parameters = hint, parameters

    def __str__(self) -> str:
        told = self.spelled(in_python)
        return f"{told} {self.hint}" if self.hint else told

    def spelled(self, spell: Callable[..., str]) -> str:
        """The message, with parameters spelled as `spell` does: by ``(name)`` or ``(name, value)``.

        Of what stands in braces, only the names of `parameters` are replaced.
        """

        def found(m: re.Match[str]) -> str:
            if m[1] not in self.parameters:
                return m[0]
            return spell(m[1], self.parameters[m[1]]) if m[2] else spell(m[1])

        return NAMED.sub(found, str(self.args[0]))

    def about(self, what: str) -> Self:
        """The same error, with what it is about before its message."""
        same = copy(self)
        same.args = (f"{what}: {self.args[0]}",)
        return same

    def __reduce__(self) -> tuple[Any, ...]:
        return _as_it_was, (type(self), self.args), self.__dict__


def _as_it_was(kind: type[NovikoffError], args: tuple[Any, ...]) -> NovikoffError:
    """An error without what its constructor would make of the arguments."""
    error = kind.__new__(kind)
    error.args = args
    return error


class ClusterError(NovikoffError, RuntimeError):
    """The workers, or their scheduler, cannot be reached, do not fit, or were lost."""


class DataError(NovikoffError, ValueError):
    """The data given cannot be learned from, or predicted on."""


class BadRow(DataError):
    """A row that cannot be learned from: `row`, and `column` where one is to blame, from 0 on.

    ``{row}`` in the message stands for its place. Of a file, where it is another one, `what` is to
    be said instead, and `advice`; these are empty where the message will do.
    """

    def __init__(
        self,
        message: str,
        row: int,
        column: int | None = None,
        *,
        what: str = "",
        advice: str = "",
        **given: Any,
    ) -> None:
        super().__init__(message, row=row, **given)
        self.row, self.column, self.what, self.advice = row, column, what, advice
        self.within = ""

    def after(self, n: int) -> "BadRow":
        """The same error in a stream, of which so many rows came before."""
        same = copy(self)
        same.row, same.within = self.row + n, " of the stream"
        return same

    def spelled(self, spell: Callable[..., str]) -> str:
        """The message, with the place of the row in it."""
        place = f"row {self.row}{self.within}"
        return super().spelled(lambda name, *v: place if name == "row" else spell(name, *v))


class FileError(DataError):
    """A file that cannot be read, or a line in it: `path`, and `line` and `column` where known.

    Both count from 1; columns of a text are bytes.
    """

    def __init__(
        self,
        path: str,
        what: str,
        *,
        line: int | None = None,
        column: int | None = None,
        **parameters: Any,
    ) -> None:
        super().__init__(what, **parameters)
        self.path, self.line, self.column = path, line, column

    @property
    def what(self) -> str:
        """What is wrong there."""
        return str(self.args[0])

    def moved(self, path: str, lines: int = 0) -> "FileError":
        """The same error in what is called otherwise, so many lines further down."""
        same = copy(self)
        same.path, same.line = path, None if self.line is None else self.line + lines
        return same

    def spelled(self, spell: Callable[..., str]) -> str:
        """The message, after the place."""
        place = "".join(f":{n}" for n in (self.line, self.column) if n is not None)
        return f"{self.path}{place}: {super().spelled(spell)}"


class ModelFileError(DataError):
    """The file is not a model file, is damaged, or is of a version not known here."""


class NotSeparable(DataError):
    """A separator was asked for, and none was found.

    Parameters
    ----------
    message : str
    separability : Separability
        The verdict on the data, with its proof.

    Examples
    --------
    >>> from novikoff import MaxMargin, NotSeparable
    >>> try:
    ...     MaxMargin().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    ... except NotSeparable as error:
    ...     print(error.separability.verdict, *error.separability.multipliers)
    inseparable 1/4 1/4 1/4 1/4
    """

    def __init__(self, message: str, separability: Any, **given: Any) -> None:
        super().__init__(message, **given)
        self.separability = separability


class OutOfTime(NovikoffError, TimeoutError):
    """The budget was spent before anything was proved.

    Parameters
    ----------
    message : str

    Examples
    --------
    >>> from novikoff import MaxMargin, OutOfTime
    >>> try:
    ...     MaxMargin(budget=1e-9).fit([[0.0], [1.0]], [0, 1])
    ... except OutOfTime as error:
    ...     print(error)
    Within budget=1e-09 seconds no separator was found, and no proof that there is none: give a
    larger budget, or a finite C.
    """


class ParameterError(NovikoffError, ValueError):
    """A parameter was given a value that it cannot have.

    Where a single one is to blame, `parameter` is its name, `given` its value, and `allowed` says
    what it may be.
    """

    parameter: str | None = None
    given: Any = None
    allowed: str = ""

    @classmethod
    def of(cls, parameter: str, given: Any, allowed: str) -> "ParameterError":
        """That this parameter cannot have this value."""
        text = f"{{{parameter}=}} was given, but it must be {allowed}."
        error = cls(text, **{parameter: given})
        error.parameter, error.given, error.allowed = parameter, given, allowed
        return error


class WriteError(NovikoffError, OSError):
    """A file could not be written. `errno` says why, as for any `OSError`."""

    def __init__(self, message: str, errno: int | None = None) -> None:
        super().__init__(message)
        self.errno = errno

    def __reduce__(self) -> tuple[Any, ...]:
        made, given, state = super().__reduce__()
        return made, given, state | {"errno": self.errno}  # which is no part of `__dict__`


class WeightOverflow(NovikoffError, ArithmeticError, ValueError):
    """The weights, or a score, left the range of their floating-point type."""
