"""What a rule says: when there is something to learn from an example, and what to do about it.

A rule is a named tuple of numbers, in the file of its learner. Beside it stand functions for what
the loops ask of rules of its kind, registered by `of`.
"""

from collections.abc import Callable
from functools import singledispatch
from inspect import signature
from typing import Any

from novikoff.core.jit import njit, overload
from novikoff.core.rows import is_a
from novikoff.typing import Array, Rows, Rule


@njit(forceinline=True)
def is_right(m, y, tie):
    """Is an example of sign `y` and this margin classified as it should be?

    On a tie, of margin 0, the sign `tie` wins, or none if it is 0.
    """
    return m > 0.0 or (m == 0.0 and y == tie)


# ------------------------------------------------------------- what loops ask


@singledispatch
def content(rule: Rule, m: float, y: int, D: Any, i: Any) -> Any:
    """Is it known from the margin, and from who wins a tie, that there is nothing to learn?"""
    return False


@singledispatch
def learn(rule: Rule, w: Array, extra: Array, y: int, m: float, D: Any, i: Any) -> Any:
    """Let a machine learn from example `i`, of sign `y` and margin `m`.

    Returns what the log calls its step: 0 if there was none, NaN if floats have no room for it.
    """
    raise NotImplementedError(type(rule))


@singledispatch
def push(rule: Rule, W: Array, y: int, r: int, m: float, D: Any, i: Any) -> Any:
    """Let class `y` gain example `i` and its rival `r` lose it; returns what `learn` does."""
    raise NotImplementedError(type(rule))


@singledispatch
def is_sound(rule: Rule, X: Rows, i: int) -> Any:
    """Can the rule learn from a row like this, which is finite?"""
    return True


@overload(content, forceinline=True)
def _content(rule, m, y, D, i):
    return None if is_answered(content, rule) else lambda rule, m, y, D, i: False


@overload(is_sound)
def _is_sound(rule, X, i):
    return None if is_answered(is_sound, rule) else lambda rule, X, i: True


def is_answered(question: Any, rule: Rule) -> bool:
    """Have rules of this type, as numba knows it, an answer of their own?"""
    return rule.instance_class in question.registry


def is_foreseen(rule: Rule) -> bool:
    """Can a look ahead say what the rule has nothing to learn from?"""
    return type(rule) in content.registry


def of(question: Any, *kinds: type, allocates: bool = False) -> Callable[[Any], Any]:
    """The function below answers this question for rules of these kinds."""

    def register(answer: Any) -> Any:
        def choose(*types: Any) -> Any:
            return answer if is_a(types[0], *kinds) else None

        choose.__signature__ = signature(answer)  # type: ignore[attr-defined]
        overload(question, allocates=allocates, forceinline=not allocates)(choose)
        for kind in kinds:
            question.register(kind, answer)
        return answer

    return register


def tie(rule: Rule) -> int:
    """Who wins a tie between classes: the last, the first (-1), or none (0)."""
    return int(getattr(rule, "tie", 0))


@overload(tie)
def _tie(rule):
    return (lambda rule: rule.tie) if "tie" in rule.fields else lambda rule: 0
