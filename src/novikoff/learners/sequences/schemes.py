"""Schemes of labels: which labels of chunks may follow each other.

A label is `O`, outside all chunks, or a tag with the kind of its chunk, as in `B-NP`.
"""

from typing import NamedTuple

import numpy as np

from novikoff.core.grammar import Grammar
from novikoff.errors import BadRow, DataError
from novikoff.inputs.labels import codes
from novikoff.inputs.sequences import Sequences
from novikoff.typing import Array


class Scheme(NamedTuple):
    """What the tags of a scheme mean."""

    tags: str
    after: str
    """Those that come only inside a chunk: right after one of `open` of their kind."""
    open: str
    """Those after which the chunk may go on."""
    unfinished: str = ""
    """Those after which it must."""


SCHEMES = {
    "iob1": Scheme("BI", after="B", open="BI"),  # B only where a chunk meets another of its kind
    "iob2": Scheme("BI", after="I", open="BI"),  # every chunk begins with B
    "bioes": Scheme("BIES", after="IE", open="BI", unfinished="BI"),  # and ends with E, or is S
}
"""Tjong Kim Sang & Veenstra (1999), Representing text chunks, EACL; BIOES of Ratinov & Roth
(2009), Design challenges and misconceptions in named entity recognition, CoNLL."""


def labelled(read: Sequences, labels: Array, classes: Array, name: str | None) -> Sequences:
    """The sequences with their labels, and which of these may follow each other by a scheme."""
    y, grammar = codes(labels, classes), grammar_of(name, classes)
    require_valid(grammar, y, read.starts, classes, name)
    return read._replace(labels=y, grammar=grammar)


def grammar_of(name: str | None, classes: Array) -> Grammar:
    """Which of the labels may follow each other by a scheme; without one, all."""
    if name is None:
        return Grammar()
    scheme = SCHEMES[name]
    labels = [parts(label, name, scheme) for label in classes.tolist()]
    after = [[may_follow(scheme, one, other) for other in labels] for one in labels]
    return Grammar(
        *(
            np.where(np.array(may, np.bool_), 0.0, -np.inf)
            for may in (
                [tag not in scheme.after for tag, _ in labels],
                [tag not in scheme.unfinished for tag, _ in labels],
                after,
            )
        )
    )


def parts(label: object, name: str, scheme: Scheme) -> tuple[str, str]:
    """The tag of a label, and the kind of its chunk."""
    tag, dash, kind = str(label).partition("-")
    if label != "O" and not (dash and kind and len(tag) == 1 and tag in scheme.tags):
        wanted = ", ".join(f"{tag}-..." for tag in scheme.tags)
        raise DataError(
            f"y has the label {label!r}, but with {{constraints=}} labels are O, {wanted}: "
            "correct it, or leave {constraints} out.",
            constraints=name,
            label=label,
        )
    return tag, kind


def may_follow(scheme: Scheme, one: tuple[str, str], other: tuple[str, str]) -> bool:
    """May the second label come right after the first?"""
    (tag, kind), (then, next_kind) = one, other
    if then in scheme.after:
        return tag in scheme.open and kind == next_kind
    return tag not in scheme.unfinished


def require_valid(
    grammar: Grammar, y: Array, starts: Array, classes: Array, name: str | None
) -> None:
    """Raise an error for the first step whose label may not stand there."""
    if not len(grammar.first) or not len(y):
        return
    low, last = starts[:-1], starts[1:] - 1
    bad = np.append(False, grammar.after[y[:-1], y[1:]] < 0)
    bad[low] = grammar.first[y[low]] < 0
    bad[last] |= grammar.last[y[last]] < 0
    if not bad.any():
        return
    j = int(bad.argmax())
    i = int(np.searchsorted(starts, j, side="right")) - 1
    t, label = j - int(starts[i]), classes[y[j] : y[j] + 1].tolist()[0]
    if t and grammar.after[y[j - 1], y[j]] < 0:
        where = f"after {classes[y[j - 1] : y[j - 1] + 1].tolist()[0]!r}"
    else:
        where = "at the beginning" if grammar.first[y[j]] < 0 and not t else "at the end"
    raise BadRow(
        f"Sequence {i} has the label {label!r} {where} (step {t}), which {{constraints=}} rules "
        "out: correct the labels, or leave {constraints} out.",
        i,
        t,
        what=f"found the label {label!r} {where}, which {{constraints=}} rules out",
        constraints=name,
    )


def require_any(grammar: Grammar, n: int, i: int) -> None:
    """Raise an error if no labels of `n` steps keep to the scheme; they are for sequence `i`."""
    if not len(grammar.first):
        return
    reached = grammar.first == 0
    for _ in range(n - 1):
        reached = (grammar.after[reached] == 0).any(axis=0)
    if not (reached & (grammar.last == 0)).any():
        raise DataError(
            f"No labels of {n} step{'s' * (n != 1)} keep to the scheme, so sequence {i} can have "
            "none: leave {constraints} out.",
            constraints=None,
        )
