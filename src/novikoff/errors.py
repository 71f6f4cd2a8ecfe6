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
        """The message, with parameters as `spell` writes them: ``(name)`` or ``(name, value)``.

        It replaces the names of `parameters` in braces, and leaves all other braces.
        """

        def found(m: re.Match[str]) -> str:
            if m[1] not in self.parameters:
                return m[0]
            return spell(m[1], self.parameters[m[1]]) if m[2] else spell(m[1])

        return NAMED.sub(found, str(self.args[0]))

    def about(self, what: str) -> Self:
        """The same error, with `what` and a colon before its message."""
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
    """The workers or their scheduler cannot be reached, lack something, or were lost."""


class DataError(NovikoffError, ValueError):
    """The data cannot be used to learn from, or to predict on."""


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
        """The same error in a stream, after `n` earlier rows."""
        same = copy(self)
        same.row, same.within = self.row + n, " of the stream"
        return same

    def spelled(self, spell: Callable[..., str]) -> str:
        """The message, with the place of the row in it."""
        place = f"row {self.row}{self.within}"
        return super().spelled(lambda name, *v: place if name == "row" else spell(name, *v))


class FileError(DataError):
    """A file, or a line in it, cannot be read: `path`, and `line` and `column` if known.

    Lines and columns count from 1. In text, columns count bytes.
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
        """The description of the error, without the place."""
        return str(self.args[0])

    def moved(self, path: str, lines: int = 0) -> "FileError":
        """The same error for another path, with the line number increased by `lines`."""
        same = copy(self)
        same.path, same.line = path, None if self.line is None else self.line + lines
        return same

    def spelled(self, spell: Callable[..., str]) -> str:
        """The message, after the place."""
        place = "".join(f":{n}" for n in (self.line, self.column) if n is not None)
        return f"{self.path}{place}: {super().spelled(spell)}"


class ModelFileError(DataError):
    """The file is not a model file, is damaged, or has an unknown format version."""


class NotSeparable(DataError):
    """No hyperplane separates the data, but the call needs one.

    Parameters
    ----------
    message : str
    separability : Separability
        The verdict, with its proof.

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
    """The time budget ran out before anything was proved.

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
    """A parameter has a value that is not allowed.

    If a single parameter is to blame, `parameter` is its name, `given` is its value, and `allowed`
    describes the allowed values.
    """

    parameter: str | None = None
    given: Any = None
    allowed: str = ""

    @classmethod
    def of(cls, parameter: str, given: Any, allowed: str) -> "ParameterError":
        """The error for a parameter with this value, which is not allowed."""
        text = f"{{{parameter}=}} was given, but it must be {allowed}."
        error = cls(text, **{parameter: given})
        error.parameter, error.given, error.allowed = parameter, given, allowed
        return error


class WriteError(NovikoffError, OSError):
    """A file could not be written. `errno` has the reason, as for any `OSError`."""

    def __init__(self, message: str, errno: int | None = None) -> None:
        super().__init__(message)
        self.errno = errno

    def __reduce__(self) -> tuple[Any, ...]:
        made, given, state = super().__reduce__()
        return made, given, state | {"errno": self.errno}  # which is no part of `__dict__`


class WeightOverflow(NovikoffError, ArithmeticError, ValueError):
    """The weights, or a score, left the range of their floating-point type."""
