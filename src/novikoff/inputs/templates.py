r"""Templates: which features tokens have, in the language of CRF++.

    # the word two before, the words around, and its last three letters, in lower case
    U00:%x[-2,0]
    U01:%x[-1,0]/%x[1,0]
    U02:%x[0,0,lower,suffix3]
    B

A line `U...` is a feature of every token, in which `%x[row,column]` stands for what is so many rows
below the token, in that column; beyond the sequence that is `_B-1`, `_B-2` or `_B+1`, ... Beyond
CRF++, functions may follow: `lower`, `shape`, `prefixN`, `suffixN`. The line `B` says that labels
depend on the label before, as they always do here.
"""

import re
from collections.abc import Callable, Iterable
from hashlib import blake2b
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from novikoff.core.expansion import Plan
from novikoff.errors import ParameterError

BUILT_IN = {
    "tagging": """
U00:%x[0,0]
U01:%x[0,0,shape]
U02:%x[-2,0,lower]
U03:%x[-1,0,lower]
U04:%x[0,0,lower]
U05:%x[1,0,lower]
U06:%x[2,0,lower]
U07:%x[-1,0,lower]/%x[0,0,lower]
U08:%x[0,0,lower]/%x[1,0,lower]
U09:%x[-1,0,lower,suffix3]
U10:%x[1,0,lower,suffix3]
U11:%x[-1,0,shape]
U12:%x[1,0,shape]
U13:%x[0,0,lower,prefix1]
U14:%x[0,0,lower,prefix2]
U15:%x[0,0,lower,prefix3]
U16:%x[0,0,lower,prefix4]
U17:%x[0,0,lower,suffix1]
U18:%x[0,0,lower,suffix2]
U19:%x[0,0,lower,suffix3]
U20:%x[0,0,lower,suffix4]
U21:%x[0,0,lower,suffix5]
U22:%x[0,0,lower,prefix5]
U23:%x[-1,0,lower,suffix1]
U24:%x[1,0,lower,suffix1]
U25:%x[-1,0,lower,suffix3]/%x[0,0,lower,suffix3]
U26:%x[0,0,lower,suffix3]/%x[1,0,lower,suffix3]
U27:%x[0,0,shape]/%x[0,0,lower,suffix3]
U28:%x[-1,0,shape]/%x[0,0,shape]
B
""",
    "chunking": """
U00:%x[-2,0]
U01:%x[-1,0]
U02:%x[0,0]
U03:%x[1,0]
U04:%x[2,0]
U05:%x[-1,0]/%x[0,0]
U06:%x[0,0]/%x[1,0]
U10:%x[-2,1]
U11:%x[-1,1]
U12:%x[0,1]
U13:%x[1,1]
U14:%x[2,1]
U15:%x[-2,1]/%x[-1,1]
U16:%x[-1,1]/%x[0,1]
U17:%x[0,1]/%x[1,1]
U18:%x[1,1]/%x[2,1]
U20:%x[-2,1]/%x[-1,1]/%x[0,1]
U21:%x[-1,1]/%x[0,1]/%x[1,1]
U22:%x[0,1]/%x[1,1]/%x[2,1]
B
""",
}
"""Templates by name: for words, and for words with their tags."""
MACRO = re.compile(r"%x\[\s*([-+]?\d{1,4})\s*,\s*(\d{1,4})\s*((?:,\s*\w+\s*)*)\]")
LONG_RUN = re.compile(r"(.)\1{3,}", re.DOTALL)
AFFIX = re.compile(r"(prefix|suffix)([1-9]\d{0,2})")
FUNCTIONS = "lower, shape, prefixN and suffixN"


class Kinds(dict[int, str]):
    """The kinds of characters, by their code points, as `str.translate` asks for them."""

    def __missing__(self, point: int) -> str:
        c = chr(point)
        self[point] = kind = (
            "X" if c.isupper() else "x" if c.islower() else "0" if c.isdigit() else c
        )
        return kind


KINDS = Kinds()


def shape_of(word: str) -> str:
    """Capitals as X, small letters as x, digits as 0; at most three alike in a row."""
    return LONG_RUN.sub(lambda run: run[1] * 3, word.translate(KINDS))


def function(name: str) -> Callable[[str], str] | None:
    """What `%x[row,column,name]` makes of a word; None if there is no such function."""
    if name in ("lower", "shape"):
        return str.lower if name == "lower" else shape_of
    if (found := AFFIX.fullmatch(name)) is None:
        return None
    n = int(found[2])
    return itemgetter(slice(n) if found[1] == "prefix" else slice(-n, None))


class Atom(NamedTuple):
    """What templates ask of a token: what is in a column, after some functions."""

    column: int
    functions: tuple[str, ...]

    def of(self, words: Iterable[str]) -> Iterable[str]:
        """What it is for each of these, which are in the column."""
        for name in self.functions:
            words = map(function(name), words)  # type: ignore[arg-type]
        return words


class Template:
    """A template that was read; a `ParameterError` says what is wrong with it."""

    def __init__(self, text: str, n_columns: int | None = None) -> None:
        self.atoms: list[Atom] = []
        self.skeletons: dict[tuple[str | Atom, ...], int] = {}
        """What lines are made of, distances left out: those with the same make the same features;
        texts alternate with atoms."""
        starts: list[int] = [0]
        atoms: list[int] = []
        distances: list[int] = []
        groups: list[int] = []
        labels = False
        for number, line in enumerate(BUILT_IN.get(text, text).splitlines(), 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            if line == "B":
                labels = True
                continue
            texts, found = read_line(line, number, text)
            skeleton: list[str | Atom] = [texts[0]]
            for (distance, atom), text_after in zip(found, texts[1:], strict=True):
                skeleton += [atom, text_after]
                if atom not in self.atoms:
                    self.atoms.append(atom)
                atoms.append(self.atoms.index(atom))
                distances.append(distance)
            groups.append(self.skeletons.setdefault(tuple(skeleton), len(self.skeletons)))
            starts.append(len(atoms))
        if not groups:
            raise wrong(text, "it has no line that starts with U: give one, as U00:%x[0,0]")
        if not labels:
            raise wrong(text, "it has no line B: add one, since labels depend on the label before")
        self.width = 1 + max(np.diff(starts))
        """How many numbers a feature is: its group, and its codes."""
        self.n_tokens = 1 + max((atom.column for atom in self.atoms), default=0)
        """How many columns a token must have."""
        self.repeats = n_columns is not None or len(set(groups)) < len(groups)
        """Can a feature occur twice at a token?"""
        parts = ([part for part in own if isinstance(part, Atom)] for own in self.skeletons)
        self.singles = np.array(
            [self.atoms.index(own[0]) if len(own) == 1 else -1 for own in parts], np.int64
        )
        """For each group, the atom that its features are made of; -1 if of none or several."""
        self.farthest = 2 * max(map(abs, distances), default=0) + 3
        """How many codes there are for what is unknown, or lies before or after a sequence."""
        seeds = [hashed(repr(skeleton)) for skeleton in self.skeletons]
        self.plan = Plan(
            starts=np.array(starts, np.int64),
            atoms=np.array(atoms, np.int64),
            distances=np.array(distances, np.int64),
            groups=np.array(groups, np.int64),
            seeds=np.array(seeds, np.int64).view(np.uint64),
            n_columns=n_columns or 0,
        )

    @property
    def n_lines(self) -> int:
        """How many features a token has."""
        return len(self.plan.groups)


def read_line(line: str, number: int, text: str) -> tuple[list[str], list[tuple[int, Atom]]]:
    """The texts of a line, and between them, the atoms and their distances."""
    where = f"line {number}, {line!r}"
    if line[0] == "B":
        raise wrong(text, f"{where}: features of two labels at once are not offered, only 'B'")
    if line[0] != "U":
        raise wrong(text, f"{where}: a line starts with U, B or #")
    texts, found, at = [], [], 0
    for macro in MACRO.finditer(line):
        names = tuple(name.strip() for name in macro[3].split(",")[1:])
        for name in names:
            if function(name) is None:
                raise wrong(text, f"{where}: {name!r} is no function; there are {FUNCTIONS}")
        texts.append(line[at : macro.start()])
        found.append((int(macro[1]), Atom(int(macro[2]), names)))
        at = macro.end()
    texts.append(line[at:])
    if any("%" in part for part in texts):
        raise wrong(text, f"{where}: after % must come x[row,column], as in %x[-1,0]")
    return texts, found


def wrong(text: str, what: str) -> ParameterError:
    """What to say of a template."""
    if "\n" not in text and not text.startswith(("U", "B", "#")):
        named = ", ".join(map(repr, BUILT_IN))
        return ParameterError.of("template", text, f"one of {named}, or the text of a template")
    return ParameterError(f"The {{template}} cannot be read: {what}.", template=text)


def hashed(text: str) -> int:
    """A number of 64 bits for a text, the same everywhere."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)
