"""What is on the page: points, a learner, its options, and the step; as a link says it.

A link is text as ``learner=averaged&data=xor&eta0=0.5&step=3``: what is left out is as usual.
Nothing of it is believed before it is checked.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from math import isfinite
from typing import Any
from urllib.parse import parse_qsl, quote

from novikoff.errors import ParameterError
from novikoff.lab.presets import NAMES, Point, preset

LEARNERS = {
    "perceptron": "Perceptron",
    "averaged": "AveragedPerceptron",
    "voted": "VotedPerceptron",
    "winnow": "Winnow",
}

MOST_POINTS = 500
FARTHEST = 1e6
"""No coordinate is larger, and none but 0 is smaller than the inverse."""
LONGEST_NAME = 40
LONGEST_LINK = 60_000
MOST_FIELDS = 40
CLASSES = {"n": -1, "p": 1}


def refuse(name: str, given: Any, needed: str) -> ParameterError:
    """What to say of a value without a meaning."""
    shown = str(given)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    return ParameterError(f"{name} is {shown!r}, but it must be {needed}.")


def number(least: float, most: float, *, zero: bool = False) -> Callable[[str, str], float]:
    """A reader of numbers in a range; `zero` allows 0 beside it."""

    def read(name: str, text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not (least <= value <= most or (zero and value == 0)):
            also = "0, or " if zero else ""
            raise refuse(name, text, f"{also}a number from {least:g} to {most:g}")
        return value + 0.0  # no negative zero

    return read


def whole(least: int, most: int) -> Callable[[str, str], int]:
    """A reader of whole numbers in a range."""

    def read(name: str, text: str) -> int:
        digits = text.isascii() and text.isdigit() and len(text) < 12
        if not digits or not least <= int(text) <= most:
            raise refuse(name, text, f"a whole number from {least:,} to {most:,}")
        return int(text)

    return read


def choice(*words: str) -> Callable[[str, str], str]:
    """A reader of one of some words."""

    def read(name: str, text: str) -> str:
        if text not in words:
            raise refuse(name, text, f"one of {', '.join(words)}")
        return text

    return read


def flag(name: str, text: str) -> bool:
    """True or False, written 1 or 0."""
    return choice("0", "1")(name, text) == "1"


def pair(name: str, text: str) -> tuple[str, str]:
    """Two different names."""
    words = tuple(text.split(","))
    if len(words) != 2 or words[0] == words[1]:
        raise refuse(name, text, "two different names with a comma between them")
    for word in words:
        if not 0 < len(word) <= LONGEST_NAME or not word.isprintable():
            raise refuse(name, text, f"two names of 1 to {LONGEST_NAME} printable letters")
    return words[0], words[1]


def plain(name: str) -> str:
    """A name that `pair` takes."""
    kept = "".join(letter for letter in name.replace(",", " ") if letter.isprintable())
    return kept.strip()[:LONGEST_NAME]


def start(name: str, text: str) -> tuple[float, float]:
    """The two weights of `coef_init`."""
    words = text.split(",")
    if len(words) != 2:
        raise refuse(name, text, "two numbers with a comma between them")
    first, second = (coordinate(name, word) for word in words)
    return first, second


def coordinate(name: str, text: str) -> float:
    """A number that points can have."""
    return number(-FARTHEST, FARTHEST)(name, text)


def square(name: str, text: str) -> tuple[float, float, float]:
    """The square of the plane that is shown: its lower left corner and its side."""
    words = text.split(",")
    if len(words) != 3:
        raise refuse(name, text, "three numbers with commas between them: x, y and side")
    x, y = (number(-2 * FARTHEST, 2 * FARTHEST)(name, word) for word in words[:2])
    return x, y, number(1 / FARTHEST, 4 * FARTHEST)(name, words[2])


def points(name: str, text: str) -> tuple[Point, ...]:
    """Points as "x,y,p;x,y,n": p for the positive class, n for the negative."""
    words = text.split(";") if text else []
    if len(words) > MOST_POINTS:
        raise ParameterError(
            f"{len(words):,} points were given, but the lab takes {MOST_POINTS} at the most: "
            "leave some out, or use the library itself, which takes millions."
        )
    found = []
    for place, word in enumerate(words, 1):
        parts = word.split(",")
        if len(parts) != 3 or parts[2] not in CLASSES:
            raise refuse(f"point {place}", word, "written as x,y,p or x,y,n")
        x, y = (coordinate(f"point {place}", part) for part in parts[:2])
        found.append((_not_tiny(x), _not_tiny(y), CLASSES[parts[2]]))
    return tuple(found)


def _not_tiny(value: float) -> float:
    """Squares of what is smaller would leave the range of floats."""
    return value if abs(value) * FARTHEST >= 1 else 0.0


READERS: dict[str, Callable[[str, str], Any]] = {
    "points": points,
    "names": pair,
    "classes": pair,
    "learner": choice(*LEARNERS),
    "tie": choice("mistake", "negative", "positive"),
    "fit_intercept": flag,
    "normalize": flag,
    "shuffle": flag,
    "random_state": whole(0, 2**32 - 1),
    "eta0": number(1e-6, 1e6),
    "slack": number(1e-3, 1e3, zero=True),
    "coef_init": start,
    "intercept_init": coordinate,
    "max_iter": whole(1, 10_000),
    "threshold": number(1e-3, 1e6),
    "factor": number(1.001, 1e3),
    "binarize": coordinate,
    "view": square,
    "step": whole(0, 10**9),
}


FIELDS = {
    "learner": "Algorithm",
    "tie": "A tie is",
    "random_state": "Seed",
    "eta0": "Step η",
    "slack": "Slack Δ",
    "coef_init": "Start w",
    "intercept_init": "Start b",
    "max_iter": "Epochs, at most",
    "threshold": "Threshold θ",
    "factor": "Factor",
    "binarize": "1 if above",
}
"""What the page calls the options that are written or chosen there."""


def called(name: str) -> str:
    """An option as the page calls it, and as links and the library do."""
    return f"“{FIELDS[name]}” ({name})" if name in FIELDS else name


@dataclass(frozen=True)
class State:
    """Everything that a page shows follows from this.

    `view` is the square of the plane that is shown; None for one that fits. The options are
    those of the learners; `threshold`, `factor` and `binarize` are Winnow's.
    """

    points: tuple[Point, ...] = ()
    names: tuple[str, str] = ("x1", "x2")
    classes: tuple[str, str] = ("-1", "+1")
    learner: str = "perceptron"
    tie: str = "mistake"
    fit_intercept: bool = True
    normalize: bool = False
    shuffle: bool = False
    random_state: int = 0
    eta0: float = 1.0
    slack: float = 0.0
    coef_init: tuple[float, float] = (0.0, 0.0)
    intercept_init: float = 0.0
    max_iter: int = 100
    threshold: float = 2.0
    factor: float = 2.0
    binarize: float = 0.5
    view: tuple[float, float, float] | None = None
    step: int = 0

    @property
    def options(self) -> dict[str, Any]:
        """All but the points and what they are called."""
        not_options = ("points", "names", "classes", "view", "step")
        named = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in named.items() if name not in not_options}

    @property
    def preset(self) -> str | None:
        """The preset that these points are, if they are one."""
        for name in NAMES:
            found = preset(name)
            if found[1:] == (self.points, self.names, self.classes):
                return name
        return None


def from_link(text: str) -> State:
    """The state that a link describes.

    Raises
    ------
    ParameterError
        It says which part has no meaning, and what would have one.
    """
    if len(text) > LONGEST_LINK:
        raise ParameterError(
            f"The link has {len(text):,} letters, but {LONGEST_LINK:,} are enough for any state."
        )
    try:
        pairs = parse_qsl(
            text, keep_blank_values=True, strict_parsing=bool(text), max_num_fields=MOST_FIELDS
        )
    except ValueError:
        raise refuse("The link", text, "written as name=value&name=value") from None
    told: dict[str, Any] = {}
    for name, value in pairs:
        if name in told or (name == "data" and "points" in told):
            raise ParameterError(f"{name} is in the link twice: leave one out.")
        if name == "data":
            found = preset(choice(*NAMES)(name, value))
            told |= {"points": found.points, "names": found.names, "classes": found.classes}
        elif name in READERS:
            told[name] = READERS[name](called(name), value)
        else:
            raise refuse("A part of the link", name, f"one of data, {', '.join(READERS)}")
    return State(**told)


def to_link(state: State) -> str:
    """The shortest text that `from_link` makes this state of."""
    usual, parts = State(), {}
    known = state.preset
    if known:
        parts["data"] = known
        usual = State(names=state.names, classes=state.classes)
    for name in READERS:
        value = getattr(state, name)
        if value != getattr(usual, name) and not (known and name == "points"):
            parts[name] = written(value)
    return "&".join(f"{name}={quote(value, safe=',;:')}" for name, value in parts.items())


def written(value: Any) -> str:
    """A value as its reader reads it."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return shortest(value)
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return ";".join(f"{shortest(x)},{shortest(y)},{'np'[c > 0]}" for x, y, c in value)
    if isinstance(value, tuple):
        return ",".join(written(part) for part in value)
    return str(value)


def shortest(value: float) -> str:
    """The shortest text of exactly this float."""
    if not isfinite(value):
        raise ParameterError(f"{value!r} is no number of the plane.")
    return repr(int(value)) if value == int(value) else repr(value)
