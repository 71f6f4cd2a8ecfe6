"""The Python program that does what the page shows."""

from inspect import signature
from typing import Any

from novikoff.lab.link import LEARNERS, USUAL, State, shortest

OF_RUNS = ("max_iter", "shuffle", "random_state")
"""The options that have no usual value here."""


def parameters(state: State, max_iter: int) -> dict[str, Any]:
    """What the learner is made with, as the state says; what is as usual is left out."""
    usual, options = signature(LEARNERS[state.learner]).parameters, state.options
    names = [name for name in usual if name in options and name not in OF_RUNS]
    told = {name: options[name] for name in names if options[name] != usual[name].default}
    told["shuffle"] = state.shuffle
    if state.shuffle:
        told["random_state"] = state.random_state
    return told | {"max_iter": max_iter, "record": True}


def starting(state: State) -> dict[str, Any]:
    """What `fit` is given beside the examples."""
    names = () if state.learner == "winnow" else ("coef_init", "intercept_init")
    return {name: state.options[name] for name in names if state.options[name] != USUAL[name]}


def script(state: State, max_iter: int) -> str:
    """A program that makes the same run, and prints what the page shows of it."""
    kind, own = LEARNERS[state.learner].__name__, parameters(state, max_iter)
    options = ", ".join(f"{name}={_value(value)}" for name, value in own.items())
    given = "".join(f", {name}={_value(value)}" for name, value in starting(state).items())
    lines = [
        "import numpy as np",
        f"from novikoff import {kind}, NotSeparable, describe, separability",
        "",
        *_points(state),
        "",
        f"model = {kind}({options})",
        f"model.fit(X, y{given})",
        "trace = model.trace_",
        'print(trace, "converged" if model.converged_ else "not converged")',
        "print(describe(model))",
        "",
        *_theorem(state),
        "",
        *_verdict(state),
    ]
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    return shortest(value) if isinstance(value, float) else repr(value)


def _points(state: State) -> list[str]:
    rows = [f"    [{shortest(x)}, {shortest(y)}]," for x, y, _ in state.points]
    labels = [f"{sign}" for _, _, sign in state.points]
    lines = [", ".join(labels[k : k + 20]) for k in range(0, len(labels), 20)]
    first, second = state.classes
    named = [f"# -1 is {first}, 1 is {second}"] if first != "-1" else []
    return [
        "X = np.array([",
        *rows,
        "], float)",
        *named,
        "y = np.array([",
        *(f"    {line}," for line in lines),
        "])",
    ]


def _theorem(state: State) -> list[str]:
    if state.learner == "winnow":
        return []
    return [
        "try:",
        "    proof = trace.proof()  # of Novikoff's theorem, at every update",
        '    print(f"{len(trace)} {proof.counts}, at most {proof.bound:.6g}")',
        "except NotSeparable as error:",
        "    print(error)",
    ]


def _verdict(state: State) -> list[str]:
    seen, bias = "X", "" if state.fit_intercept else ", fit_intercept=False"
    lines = []
    if state.learner == "winnow":
        seen, bias = "seen", ""
        lines = [f"seen = (X > {shortest(state.binarize)}) * 1.0  # as the learner sees it"]
    elif state.normalize:
        seen = "seen"
        lines = [
            "length = np.linalg.norm(X, axis=1, keepdims=True)",
            "seen = X / np.where(length > 0, length, 1)  # as the learner sees it",
        ]
    return [
        *lines,
        f"verdict = separability({seen}, y{bias})",
        "print(verdict.verdict, verdict.margin)",
        "print(dict(zip(verdict.rows, map(str, verdict.multipliers))))",
    ]
