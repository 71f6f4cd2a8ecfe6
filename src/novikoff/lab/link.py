"""What is on the page: points, a learner, its options, and the step; as a link says it.

A link is text as ``learner=averaged&data=xor&eta0=0.5&step=3``: what is left out is as usual.
Nothing of it is believed before it is checked.
"""

from dataclasses import dataclass, fields
from math import isfinite
from typing import Any
from urllib.parse import parse_qsl, quote

from novikoff.errors import ParameterError
from novikoff.lab.presets import NAMES, Point, preset
from novikoff.learners import AveragedPerceptron, Perceptron, VotedPerceptron, Winnow
from novikoff.learners.additive import Additive

LEARNERS: dict[str, type[Additive | Winnow]] = {
    "perceptron": Perceptron,
    "averaged": AveragedPerceptron,
    "voted": VotedPerceptron,
    "winnow": Winnow,
}

MOST_POINTS = 500
FARTHEST = 1e6
"""No coordinate is larger, and none but 0 is smaller than the inverse."""
LONGEST_NAME = 40
LONGEST_LINK = 60_000
MOST_FIELDS = 40
CLASSES = {"n": -1, "p": 1}

Range = tuple[float, float]
PLANE: Range = (-FARTHEST, FARTHEST)
CORNER, SIDE = (-2 * FARTHEST, 2 * FARTHEST), (1 / FARTHEST, 4 * FARTHEST)
LIMITS: dict[str, Range] = {
    "random_state": (0, 2**32 - 1),
    "eta0": (1e-6, 1e6),
    "slack": (1e-3, 1e3),
    "margin": (1e-3, 1e3),
    "intercept_init": PLANE,
    "max_iter": (1, 10_000),
    "threshold": (1e-3, 1e6),
    "factor": (1.001, 1e3),
    "binarize": PLANE,
    "step": (0, 10**9),
}
"""From where to where the numbers of the lab go; the usual value may be another."""
CHOICES = {"learner": tuple(LEARNERS), "tie": ("mistake", "negative", "positive")}
SEVERAL: dict[str, tuple[str, *tuple[Range, ...]]] = {
    "coef_init": ("two numbers with a comma between them", PLANE, PLANE),
    "view": ("three numbers with commas between them: x, y and side", CORNER, CORNER, SIDE),
}
"""How several numbers are written, and from where to where each goes."""

FIELDS = {
    "learner": "Algorithm",
    "tie": "A tie is",
    "random_state": "Seed",
    "eta0": "Step η",
    "slack": "Slack Δ",
    "margin": "Margin τ",
    "coef_init": "Start w",
    "intercept_init": "Start b",
    "max_iter": "Epochs, at most",
    "threshold": "Threshold θ",
    "factor": "Factor",
    "binarize": "1 if above",
}
"""What the page calls the options that are written or chosen there."""


@dataclass(frozen=True)
class State:
    """Everything that a page shows follows from this.

    `view` is the square of the plane that is shown, its lower left corner and its side; None for
    one that fits. The options are those of the learners; `threshold`, `factor` and `binarize` are
    Winnow's.
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
    margin: float = 0.0
    coef_init: tuple[float, float] = (0.0, 0.0)
    intercept_init: float = 0.0
    max_iter: int = 100
    threshold: float = 2.0
    factor: float = 2.0
    binarize: float = 0.5
    view: tuple[float, float, float] | None = None
    step: int = 0

    @property
    def options(self) -> dict[str, object]:
        """All but the points, what they are called, and what of them is shown."""
        not_options = ("points", "names", "classes", "view", "step")
        return {name: getattr(self, name) for name in USUAL if name not in not_options}

    @property
    def preset(self) -> str | None:
        """The preset that these points are, if they are one."""
        for name in NAMES:
            found = preset(name)
            if found[1:] == (self.points, self.names, self.classes):
                return name
        return None


USUAL = {field.name: field.default for field in fields(State)}
"""What a link can say, and what is meant where it does not."""


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
            found = preset(choice(name, value, NAMES))
            told |= {"points": found.points, "names": found.names, "classes": found.classes}
        elif name in USUAL:
            told[name] = read(name, value)
        else:
            raise refuse("A part of the link", name, f"one of data, {', '.join(USUAL)}")
    return State(**told)


# ------------------------------------------------------------- what is read


def read(name: str, text: str) -> object:
    """What a link says of this: its kind is that of its usual value."""
    usual, told = USUAL[name], f"“{FIELDS[name]}” ({name})" if name in FIELDS else name
    if name == "points":
        return points(text)
    if name in ("names", "classes"):
        return pair(told, text)
    if name in CHOICES:
        return choice(told, text, CHOICES[name])
    if name in SEVERAL:
        needed, *ranges = SEVERAL[name]
        words = text.split(",")
        if len(words) != len(ranges):
            raise refuse(told, text, needed)
        return tuple(number(told, word, some) for word, some in zip(words, ranges, strict=True))
    if isinstance(usual, bool):
        return choice(told, text, ("0", "1")) == "1"
    if isinstance(usual, int):
        return whole(told, text, LIMITS[name])
    return number(told, text, LIMITS[name], usual=usual)


def refuse(name: str, given: str, needed: str) -> ParameterError:
    """What to say of a value without a meaning."""
    shown = given if len(given) <= 60 else f"{given[:57]}..."
    return ParameterError(f"{name} is {shown!r}, but it must be {needed}.")


def number(name: str, text: str, limits: Range, *, usual: object = None) -> float:
    """A number in a range, or the usual one beside it."""
    least, most = limits
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not (least <= value <= most or value == usual):
        also = f"{usual:g}, or " if isinstance(usual, float) and not least <= usual <= most else ""
        raise refuse(name, text, f"{also}a number from {least:g} to {most:g}")
    return value + 0.0  # no negative zero


def whole(name: str, text: str, limits: Range) -> int:
    """A whole number in a range."""
    least, most = limits
    digits = text.isascii() and text.isdigit() and len(text) < 12
    if not digits or not least <= int(text) <= most:
        raise refuse(name, text, f"a whole number from {least:,} to {most:,}")
    return int(text)


def choice(name: str, text: str, words: tuple[str, ...]) -> str:
    """One of some words."""
    if text not in words:
        raise refuse(name, text, f"one of {', '.join(words)}")
    return text


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


def points(text: str) -> tuple[Point, ...]:
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
        x, y = (number(f"point {place}", part, PLANE) for part in parts[:2])
        found.append((_not_tiny(x), _not_tiny(y), CLASSES[parts[2]]))
    return tuple(found)


def _not_tiny(value: float) -> float:
    """Squares of what is smaller would leave the range of floats."""
    return value if abs(value) * FARTHEST >= 1 else 0.0


# ------------------------------------------------------------- what is written


def to_link(state: State) -> str:
    """The shortest text that `from_link` makes this state of."""
    parts, known = {}, state.preset
    as_usual = ("points", "names", "classes") if known else ()
    if known:
        parts["data"] = known
    for name, usual in USUAL.items():
        value = getattr(state, name)
        if value != usual and name not in as_usual:
            parts[name] = written(value)
    return "&".join(f"{name}={quote(value, safe=',;:')}" for name, value in parts.items())


def written(value: object) -> str:
    """A value as `read` reads it."""
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
