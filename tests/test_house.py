"""The house is kept: everything public is documented, and only kernels go untyped."""

import ast
import inspect
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import novikoff
from novikoff.learners import DUALS, LEARNERS as LINEAR

LEARNERS = (*LINEAR, *DUALS)
ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))
REFERENCE = (ROOT / "docs" / "reference" / "python.md").read_text()
TABLE = (ROOT / "docs" / "learners.md").read_text()
FROM_DATA = ("Data", "feature_index", "load", "planted", "read", "stream", "write")
FROM_CLUSTER = ("Epoch", "Mixed", "Moment", "certify", "fit", "measure", "verify")
PUBLIC = [
    *sorted(novikoff.__all__),
    *(f"data.{name}" for name in FROM_DATA),
    *(f"cluster.{name}" for name in FROM_CLUSTER),
]


def public(name):
    """What a public name stands for."""
    found = novikoff
    for part in name.split("."):
        found = getattr(found, part) if hasattr(found, part) else import_module(f"novikoff.{part}")
    return found


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_are_documented(name):
    doc = inspect.getdoc(public(name))
    assert doc
    if not name.endswith(("Error", "Overflow")):
        for section in ("Parameters", "Examples"):
            assert f"{section}\n---" in doc, section
    if inspect.isclass(public(name)) and public(name) in LEARNERS:
        for section in ("Attributes", "References"):
            assert f"{section}\n---" in doc, section
        assert "$$" in doc or "$\\" in doc  # its math


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_parameter_is_documented(learner):
    doc = inspect.getdoc(learner)
    for parameter in learner().get_params():
        assert re.search(rf"^[\w, ]*\b{parameter}\b", doc, re.M), parameter


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_are_in_the_reference(name):
    assert re.search(rf"^   ([a-z]+\.)?{name.split('.')[-1]}$", REFERENCE, re.M)


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_has_its_line_in_the_table(learner):
    file = Path(inspect.getsourcefile(learner)).relative_to(ROOT)
    line = next(line for line in TABLE.splitlines() if line.startswith(f"| `{learner.__name__}`"))
    assert str(file) in line


def untyped(function):
    arguments = [*function.args.args, *function.args.kwonlyargs]
    unannotated = [a for a in arguments if a.annotation is None and a.arg not in ("self", "cls")]
    return unannotated or function.returns is None


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT / "src")))
def test_only_kernels_go_untyped(path):
    def visit(node, in_kernel):
        for child in ast.iter_child_nodes(node):
            kernel = in_kernel
            if isinstance(child, ast.FunctionDef):
                decorators = {ast.unparse(d).split("(")[0] for d in child.decorator_list}
                kernel = in_kernel or bool(decorators & {"njit", "overload", "intrinsic", "of"})
                assert kernel or not untyped(child), f"{path}:{child.lineno} {child.name}"
            visit(child, kernel)

    visit(ast.parse(path.read_text()), False)


def test_mypy_skips_no_package_that_we_import():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    skipped = {
        name.removesuffix(".*")
        for override in settings["overrides"]
        if override.get("follow_imports") == "skip"
        for name in override["module"]
    }
    nodes = [node for path in SOURCES for node in ast.walk(ast.parse(path.read_text()))]
    imported = {a.name for node in nodes if isinstance(node, ast.Import) for a in node.names}
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    assert skipped
    assert not skipped & {name.split(".")[0] for name in imported}


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT / "src")))
def test_a_file_past_400_lines_is_two_files(path):
    assert len(path.read_text().splitlines()) <= 400


def test_all_is_what_it_says():
    assert novikoff.__all__ == sorted(novikoff.__all__)
    assert set(novikoff.__all__) <= set(dir(novikoff))
    for name in dir(novikoff):
        assert getattr(novikoff, name) is not None
    with pytest.raises(AttributeError, match="No novikoff attribute perceptron"):
        novikoff.perceptron  # noqa: B018


SAME_WORD_FOR_THE_SAME = {
    "certify.py",
    "perceptron.py",
    "predict.py",
    "separation.py",
    "verify.py",
}
"""River's perceptron is one too, and a command is called as what it does."""


def test_no_two_files_of_one_name_mean_different_things():
    names = [path.name for path in SOURCES if path.name not in ("__init__.py", "__main__.py")]
    twice = {name for name in names if names.count(name) > 1}
    assert twice == SAME_WORD_FOR_THE_SAME


def test_a_folder_has_no_more_files_than_can_be_looked_over():
    for folder in {path.parent for path in SOURCES}:
        assert len(list(folder.glob("*.py"))) <= 22, folder
