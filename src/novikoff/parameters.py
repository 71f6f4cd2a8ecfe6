"""What a parameter may be, said once: validation, the command, the lab and the docs read it.

A learner declares its parameters in the body of its class,

    r: float = number(default=1.0, above=0.0, short="how much steps shrink", text="...")

and gets its constructor from that, its checks, and the section "Parameters" of its docstring. A
subclass inherits them, may declare some anew, and gives one up by setting it to a plain value.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import Parameter as Argument, Signature
from numbers import Integral, Real
from operator import ge, gt, le, lt
from textwrap import fill
from typing import Any, ClassVar, dataclass_transform

import numpy as np

from novikoff.errors import ParameterError

LARGEST: Any = sys.float_info.max


@dataclass(frozen=True)
class Kind:
    """What the values of a parameter may be."""

    word: str
    """What the docs call its type."""
    expected: str
    """What is expected, to be read after "it must be"."""
    allows: Callable[[Any], bool]
    """Is this one of them?"""
    read: Callable[[str], Any] = str
    """Make one from a text, or raise a `ValueError`."""
    choices: tuple[str, ...] | None = None
    """All of them, if they are words."""
    is_flag: bool = False
    """Are they True and False?"""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a learner."""

    default: Any
    kind: Kind
    short: str
    """What it is, in a few words, for the help of the command."""
    text: str
    """What it is, for the docs."""
    words: tuple[str | None, ...] = ()
    """What may be given beside a value of its kind."""
    space: bool = False
    """Does it make the space of a run, so that the run cannot change it on the way?"""
    positional: bool = False

    @property
    def expected(self) -> str:
        """What it may be."""
        return ", or ".join([self.kind.expected, *map(repr, self.words)])

    def check(self, name: str, given: object) -> None:
        """Raise a `ParameterError` if it cannot be this."""
        for word in self.words:
            if given is word or (isinstance(given, str) and given == word):
                return
        if not self.kind.allows(given):
            raise ParameterError.of(name, given, self.expected)

    def read(self, text: str) -> Any:
        """Its value from a text, or a `ValueError`."""
        return text if text in self.words else self.kind.read(text)

    def described(self, name: str) -> str:
        """What the docs say about it."""
        shown = f'"{self.default}"' if isinstance(self.default, str) else self.default
        quoted = ", ".join(f'"{word}"' for word in self.words if word is not None)
        types = [f"{{{quoted}}}"] if quoted else []
        types += [self.kind.word, *(["None"] if None in self.words else [])]
        head = f"    {name} : {' or '.join(types)}, default={shown}"
        text = " ".join(self.text.split())
        return f"{head}\n{fill(text, 96, initial_indent=' ' * 8, subsequent_indent=' ' * 8)}\n"


# ------------------------------------------------------------- the kinds there are


def is_finite(given: Any) -> bool:
    """Is it a real number, and in the range of doubles?"""
    # in numpy's single precision the bound itself would be infinite
    number = given.item() if isinstance(given, np.generic) else given
    real = isinstance(number, Real) and not isinstance(number, bool)
    return real and bool(abs(number) <= LARGEST)


def real(
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
    infinite: bool = False,
) -> Kind:
    """Real numbers within bounds; infinity is one of them if `infinite`."""
    tests = {"above": (above, gt), "of at least": (least, ge), "below": (below, lt)}
    tests |= {"of at most": (most, le)}
    bounds = {word: (bound, test) for word, (bound, test) in tests.items() if bound is not None}

    def allows(given: Any) -> bool:
        known = is_finite(given) or (infinite and isinstance(given, Real) and given == np.inf)
        return known and all(test(given, bound) for bound, test in bounds.values())

    told = " and".join(f" {word} {bound:g}" for word, (bound, _) in bounds.items())
    return Kind("float", f"a {'' if infinite else 'finite '}number{told}", allows, float)


def is_whole(given: object, least: int = 1) -> bool:
    """Is it a whole number, and large enough?"""
    return isinstance(given, Integral) and not isinstance(given, bool) and int(given) >= least


def one_of(*choices: str, function: bool = False) -> Kind:
    """One of a few words, or, with `function`, a function in their place."""
    words = ", ".join(map(repr, choices)) + (", or a function" if function else "")

    def allows(given: object) -> bool:
        return (isinstance(given, str) and given in choices) or (function and callable(given))

    word = "{" + ", ".join(f'"{word}"' for word in choices) + "}" + " or function" * function
    return Kind(word, f"one of {words}", allows, choices=choices)


WHOLE = Kind("int", "a whole number, 1 or more", is_whole, int)
FLAG = Kind(
    "bool",
    "True or False",
    lambda given: isinstance(given, bool | np.bool_),
    lambda text: {"True": True, "False": False}[text],
    is_flag=True,
)
JOBS = Kind(
    "int",
    "a number of threads, 1 or more, or -1 for all cores",
    lambda given: is_whole(given) or (is_whole(given, -1) and given == -1),
    int,
)
SEED = Kind(
    "int or RandomState", "what scikit-learn makes random numbers from", lambda _: True, int
)
"""scikit-learn's `check_random_state` says what is wrong."""
CLASS_WEIGHT = Kind("dict", "a dictionary from class to weight", lambda _: True)
"""Only the classes say what is wrong (`novikoff.inputs.weights`)."""


def number(
    *,
    default: float | str | None,
    short: str,
    text: str,
    words: tuple[str | None, ...] = (),
    space: bool = False,
    positional: bool = False,
    **bounds: Any,
) -> Any:
    """A real number within the bounds of `real`."""
    return Parameter(default, real(**bounds), short, text, words, space, positional)


def whole(*, default: int | None, short: str, text: str, **more: Any) -> Any:
    """A whole number of at least 1."""
    return Parameter(default, WHOLE, short, text, **more)


def flag(*, default: bool, short: str, text: str, **more: Any) -> Any:
    """True or False."""
    return Parameter(default, FLAG, short, text, **more)


def choice(
    *,
    default: str,
    choices: tuple[str, ...],
    short: str,
    text: str,
    function: bool = False,
    **more: Any,
) -> Any:
    """One of a few words, or, with `function`, a function in their place."""
    return Parameter(default, one_of(*choices, function=function), short, text, **more)


def given(*, default: Any, kind: Kind, short: str, text: str, **more: Any) -> Any:
    """A value of another kind."""
    return Parameter(default, kind, short, text, **more)


def again(parameter: Parameter, **changes: Any) -> Any:
    """The same parameter in another class, perhaps with another default or text."""
    return replace(parameter, **changes)


# ------------------------------------------------------------- classes that have parameters


@dataclass_transform(
    kw_only_default=True,
    eq_default=False,
    field_specifiers=(number, whole, flag, choice, given, again),
)
class Parameterised:
    """A class with parameters (abstract)."""

    _parameters: ClassVar[dict[str, Parameter]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        found: dict[str, object] = {}
        for base in cls.__mro__:
            found = {**found, **{n: v for n, v in vars(base).items() if n not in found}}
        cls._parameters = {n: p for n, p in found.items() if isinstance(p, Parameter)}
        cls.__init__ = constructor(cls._parameters)  # type: ignore[method-assign]
        before, attributes, after = (cls.__doc__ or "").partition("    Attributes\n")
        if attributes:
            listed = "".join(p.described(name) for name, p in cls._parameters.items())
            section = f"    Parameters\n    ----------\n{listed}\n"
            cls.__doc__ = before + section + attributes + after

    def _check_parameters(self) -> None:
        """Raise a `ParameterError` for a parameter that has a value it cannot have."""
        for name, parameter in self._parameters.items():
            if (given := getattr(self, name)) is not parameter.default:
                parameter.check(name, given)

    def _space(self) -> dict[str, Any]:
        """The parameters that a run cannot change on the way."""
        return {name: getattr(self, name) for name, p in self._parameters.items() if p.space}


def constructor(parameters: dict[str, Parameter]) -> Callable[..., None]:
    """An `__init__` that takes these, and keeps them as they are."""

    def kind(p: Parameter) -> Any:
        return Argument.POSITIONAL_OR_KEYWORD if p.positional else Argument.KEYWORD_ONLY

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        if args or not kwargs.keys() <= parameters.keys():  # Python puts them in their places
            kwargs = signature.bind(self, *args, **kwargs).arguments
        for name, parameter in parameters.items():
            setattr(self, name, kwargs.get(name, parameter.default))

    arguments = [Argument(name, kind(p), default=p.default) for name, p in parameters.items()]
    arguments.sort(key=lambda argument: argument.kind)
    signature = Signature([Argument("self", Argument.POSITIONAL_OR_KEYWORD), *arguments])
    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


def require(name: str, given: object, kind: Kind, words: tuple[str | None, ...] = ()) -> None:
    """Raise a `ParameterError` if an argument that is no parameter of a learner cannot be this."""
    Parameter(None, kind, "", "", words).check(name, given)
