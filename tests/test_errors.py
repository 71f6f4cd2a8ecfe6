"""Errors carry fields: they can be pickled, moved, and spelled in the words of others."""

import ast
import copy
import errno
import inspect
import pickle
import re
from pathlib import Path

import pytest

from novikoff import MaxMargin, separability
from novikoff.data import read
from novikoff.errors import (
    BadRow,
    ClusterError,
    DataError,
    FileError,
    ModelFileError,
    NotSeparable,
    NovikoffError,
    OutOfTime,
    ParameterError,
    WeightOverflow,
    WriteError,
)
from novikoff.learners import DUALS, LEARNERS

SOURCES = sorted((Path(__file__).parent.parent / "src").rglob("*.py"))
KINDS = [
    *(ClusterError, DataError, ModelFileError, OutOfTime, ParameterError, WeightOverflow),
    *(BadRow, FileError, NotSeparable, WriteError),
]
NOT_SEPARABLE = separability([[0.0], [0.0]], [0, 1])

ERRORS = [
    *(kind("{C=} of {n}", hint="Do.", C=-1, n=3) for kind in KINDS[:6]),
    BadRow("X has {C=} in {row}", 3, 2, what="found it", advice="Leave it.", C=-1),
    FileError("x.svm", "found {bits=}", line=3, column=7, bits=99),
    NotSeparable("No. Give {C}.", NOT_SEPARABLE, hint="Look.", C=1),
    ParameterError.of("tie", "never", "one of a few"),
    WriteError("The disk is full.", errno.ENOSPC),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("how", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy])
def test_errors_can_be_sent_elsewhere(error, how):
    same = how(error)
    assert type(same) is type(error)
    assert (str(same), same.args) == (str(error), error.args)
    assert same.__dict__.keys() == error.__dict__.keys()
    for name, value in error.__dict__.items():
        if name != "separability":
            assert getattr(same, name) == value, name
    assert getattr(same, "errno", None) == getattr(error, "errno", None)


def test_every_kind_is_among_them():
    def below(kind):
        own = [k for k in kind.__subclasses__() if k.__module__ == "novikoff.errors"]
        return {*own, *(each for k in own for each in below(k))}

    assert below(NovikoffError) == {type(error) for error in ERRORS} == set(KINDS)


def test_messages_are_spelled_as_asked():
    error = DataError("{C=}, {bits} and {other}", hint="Or do it in Python.", C=-1.0, bits=3)
    assert str(error) == "C=-1.0, bits and {other} Or do it in Python."
    loud = error.spelled(lambda name, *value: " ".join([name.upper(), *map(str, value)]))
    assert loud == "C -1.0, BITS and {other}"
    assert str(error.about("{C} here")) == "C here: C=-1.0, bits and {other} Or do it in Python."


def test_errors_of_rows_and_lines_can_be_moved():
    error = BadRow("X has {C=} in {row}, column 2", 3, 2, C=-1)
    assert str(error) == "X has C=-1 in row 3, column 2"
    moved = error.after(30)
    assert (moved.row, moved.column) == (33, 2)
    assert str(moved) == "X has C=-1 in row 33 of the stream, column 2"
    assert error.row == 3
    error = FileError("x", "found {bits=}", line=3, column=7, bits=99)
    assert str(error) == "x:3:7: found bits=99"
    moved = error.moved("y", 10)
    assert (moved.path, moved.line, moved.column) == ("y", 13, 7)
    assert str(moved) == "y:13:7: found bits=99"
    assert str(FileError("x", "it is odd").moved("y", 10)) == "y: it is odd"


def test_a_parameter_error_says_what_was_given_and_what_may_be():
    with pytest.raises(ParameterError) as caught:
        MaxMargin(tol=-1.0).fit([[0.0], [1.0]], [0, 1])
    error = caught.value
    assert (error.parameter, error.given) == ("tol", -1.0)
    assert str(error) == f"tol=-1.0 was given, but it must be {error.allowed}."


# ------------------------------------------------------------- what the sources say


def raised(path):
    """Every call that makes an error, and the text of its message as far as it is written there."""
    for node in ast.walk(ast.parse(path.read_text())):
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if called in {kind.__name__ for kind in KINDS}:
            messages = node.args[1:2] if called == "FileError" else node.args[:1]
            parts = [p for message in messages for p in ast.walk(message)]
            texts = [p.value for p in parts if isinstance(p, ast.Constant)]
            yield node, "".join(text for text in texts if isinstance(text, str))


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_messages_name_parameters_in_braces(path):
    """Or the command could not call them by the names of its options."""
    learners = [*LEARNERS, *DUALS, MaxMargin]
    names = {name for learner in learners for name in inspect.signature(learner).parameters}
    names |= {*inspect.signature(read).parameters, "sample_weight", "shard_bytes", "resume"}
    for node, text in raised(path):
        where = f"{path}:{node.lineno}"
        bare = re.findall(r"(?<![\w{-])(\w+)=", text)
        assert not names.intersection(bare), where
        given = {keyword.arg for keyword in node.keywords}
        for name in re.findall(r"\{(\w+)=?\}", text):
            assert {name, None} & given or name == "row", f"{where}: {name}"
