"""Compiled code on disk is used whenever it is right, and never when it is not."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Timer

import numpy as np
import pytest

import novikoff
from novikoff.core import jit

PACKAGE = Path(novikoff.__file__).parent
COMPILED = [p for p in sorted(PACKAGE.rglob("*.py")) if jit.COMPILED.search(p.read_text())]
KERNELS = {"njit", "overload", "intrinsic", "of"}
"""The decorators of what is compiled."""
REGISTERING = {"overload": slice(0, 1), "of": slice(1, None)}
"""Which of their arguments say by whose file a compiled form is known."""

KERNEL = """
from novikoff.core.jit import njit
from novikoff.core.rows import norm

@njit(cache=True)
def length(X, i):
    return norm(X, i)
"""
PROGRAM = """
import numpy as np
from novikoff.parallel import atomics  # compiled code that lengths have no part in
from novikoff.kernel import length
X = np.array([[3.0, 4.0]])
print(length(X, 0), sum(length.stats.cache_misses.values()))
"""


def file_of(module):
    path = PACKAGE.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def imported(tree):
    """The names that a module has from others of the package, and which others."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("novikoff"):
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                yield name.asname or name.name, inner if file_of(inner).exists() else node.module


def is_kernel(function):
    decorators = {ast.unparse(d).split("(")[0] for d in function.decorator_list}
    return bool(decorators & KERNELS)


@pytest.mark.parametrize("path", COMPILED, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_kernels_take_names_from_modules_with_compiled_code_only(path):
    """Since an edit of another module would not be seen."""
    tree = ast.parse(path.read_text())
    names = dict(imported(tree))
    passed = {  # functions that are compiled because they are given to another
        argument.id
        for node in tree.body
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        for argument in node.value.args
        if isinstance(argument, ast.Name)
    }
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        if is_kernel(function) or function.name in passed:
            used = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)} & set(names)
            for name in used:
                text = file_of(names[name]).read_text()
                assert jit.COMPILED.search(text), f"{function.name} uses {name}"


@pytest.mark.parametrize("path", COMPILED, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_compiled_forms_are_in_the_file_of_the_function_or_of_the_class(path):
    """Where a form is chosen by a type, the text of that type's module is part of its name."""
    tree = ast.parse(path.read_text())
    here = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := ast.unparse(node.func)) in REGISTERING:
            for argument in map(ast.unparse, node.args[REGISTERING[name]]):
                assert argument in here or path.name == "rules.py", ast.unparse(node)


@pytest.mark.parametrize("path", COMPILED, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_are_found_as_python_finds_them(path):
    module = ".".join(("novikoff", *path.relative_to(PACKAGE).with_suffix("").parts))
    __import__(module)
    expected = {m for _, m in imported(ast.parse(path.read_text()))}
    compiled = {m for m in expected if jit.COMPILED.search(file_of(m).read_text())}
    assert compiled <= jit.imports(module)


READING = [PACKAGE / "core" / f"{name}.py" for name in ("rows", "products", "prefetch")]
INDICES = [PACKAGE / "learners" / "kernels" / "mistakes.py", PACKAGE / "learners" / "voted.py"]
"""What is called `rows` there are the numbers of rows."""


@pytest.mark.parametrize("path", COMPILED, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_kernels_touch_data_through_rows_only(path):
    """So the types of data are tested on the rows, and on one learner from end to end."""
    for function in ast.walk(ast.parse(path.read_text())):
        if path in READING or not isinstance(function, ast.FunctionDef) or not is_kernel(function):
            continue
        held = {"X", "D.rows", "p.D.rows"} | (set() if path in INDICES else {"rows"})
        for node in ast.walk(function):
            if isinstance(node, ast.Subscript | ast.Attribute):
                inside = ast.unparse(node.value)
                assert inside not in held, ast.unparse(node)


class Copy:
    """The package once more, elsewhere on the disk, and the program run with it."""

    def __init__(self, folder, cache):
        self.folder, self.cache = folder, cache
        shutil.copytree(PACKAGE, folder / "novikoff", ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "novikoff" / "kernel.py").write_text(KERNEL)

    def edit(self, module, old, new):
        path = self.folder / "novikoff" / module
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new) if old else text + new)

    def run(self):
        """The length it found, and how many kernels it compiled for that."""
        env = os.environ | {"PYTHONPATH": str(self.folder), "NUMBA_CACHE_DIR": str(self.cache)}
        words = [sys.executable, "-B", "-c", PROGRAM]
        ran = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
        return [float(word) for word in ran.stdout.split()]


@pytest.mark.heavy
def test_what_one_clone_compiled_serves_another_and_an_edit_is_seen(tmp_path):
    one, other = (Copy(tmp_path / name, tmp_path / "cache") for name in ("one", "other"))
    assert one.run() == [5.0, 1]
    assert other.run() == [5.0, 0]
    other.edit("parallel/atomics.py", "", "# which has no part in it\n")
    other.edit("errors.py", "", "# which no kernel uses\n")
    assert other.run() == [5.0, 0]
    other.edit("core/rows.py", "return np.sqrt(s)", "return 2.0 * np.sqrt(s)")
    assert other.run() == [10.0, 1]
    assert one.run() == [5.0, 0]


@jit.njit(cache=True)
def doubled(x):
    return 2.0 * x


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, and a kernel that is in no other; modules are known by their files."""
    monkeypatch.setattr(jit.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(jit, "texts", lambda modules: "the same")
    yield tmp_path
    jit.remove_unused.cache_clear()


def fresh():
    return jit.njit(doubled.py_func, cache=True)


def misses(kernel):
    return sum(kernel.stats.cache_misses.values())


def test_each_form_is_a_file(cache):
    kernel = fresh()
    assert kernel(1.5) == 3.0
    assert kernel(np.float32(1.5)) == 3.0
    assert len([*cache.rglob("*.nbc")]) == 2
    again = fresh()
    assert (again(1.5), again(np.float32(1.5)), misses(again)) == (3.0, 3.0, 0)


def test_a_damaged_file_is_made_again(cache):
    fresh()(1.5)
    [file] = cache.rglob("*.nbc")
    whole = file.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], b"nonsense"):
        file.write_bytes(damaged)
        kernel = fresh()
        assert (kernel(1.5), misses(kernel)) == (3.0, 1)
        kernel = fresh()
        assert (kernel(1.5), misses(kernel)) == (3.0, 0)


@pytest.mark.skipif(jit.fcntl is None, reason="files cannot be locked here")
def test_what_another_process_compiles_is_waited_for_but_not_forever(cache, monkeypatch):
    fresh()(1.5)
    [file] = cache.rglob("*.nbc")
    other, hidden = fresh()._cache, file.with_suffix(".hidden")
    file.rename(hidden)
    other._claim(file)

    def finish():
        hidden.rename(file)
        other._release(file)

    Timer(0.3, finish).start()
    kernel = fresh()
    assert (kernel(1.5), misses(kernel)) == (3.0, 0)
    file.unlink()
    other._claim(file)
    monkeypatch.setattr(jit, "PATIENCE", 0.1)
    kernel = fresh()
    assert (kernel(1.5), misses(kernel)) == (3.0, 1)
    other._release(file)
    assert not [*cache.rglob("*.lock")]


def test_without_a_place_for_files_it_compiles_all_the_same(cache, monkeypatch):
    (cache / "file").write_text("no folder")
    monkeypatch.setattr(jit.config, "CACHE_DIR", str(cache / "file"))
    assert fresh()(1.5) == 3.0


def test_what_was_edited_while_it_runs_is_not_kept(cache, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(jit.config, "CACHE_DIR", str(cache))
    monkeypatch.setattr(jit, "STARTED", 0.0)
    jit.texts.cache_clear()
    assert jit.texts(frozenset({"novikoff.core.rows"})) is None
    jit.texts.cache_clear()


def test_what_nobody_uses_for_a_month_is_removed(cache):
    kernel = fresh()
    kernel(1.5)
    [old] = cache.rglob("*.nbc")
    os.utime(old, (0, 0))
    fresh()(1.5)  # which uses it
    assert old.stat().st_mtime > 0
    os.utime(old, (0, 0))
    jit.remove_unused.cache_clear()
    kernel(np.float32(1.5))
    assert not old.exists()
    assert len([*cache.rglob("*.nbc")]) == 1


def test_uncompiled_there_is_nothing_to_keep():
    program = "from novikoff.core.examples import shuffle; print(type(shuffle).__name__)"
    env = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    words = [sys.executable, "-c", program]
    ran = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
    assert re.fullmatch("function\n", ran.stdout)


MAKING = {
    *("arange", "array", "astype", "concatenate", "copy", "cumsum", "argsort", "flatten", "ravel"),
    *("empty", "full", "ones", "zeros", "empty_like", "full_like", "ones_like", "zeros_like"),
}


def makes_arrays(node, returned_by=frozenset()):
    """Does it call one of numpy's makers of arrays, or a kernel that returns a new one?"""
    called = [n.func for n in ast.walk(node) if isinstance(n, ast.Call)]
    own = {f.attr for f in called if isinstance(f, ast.Attribute)} & MAKING
    return bool(own or {f.id for f in called if isinstance(f, ast.Name)} & returned_by)


def returns_new_array(function):
    made = {
        name.id
        for n in ast.walk(function)
        if isinstance(n, ast.Assign) and makes_arrays(n.value)
        for name in ast.walk(n)
        if isinstance(name, ast.Name)
    }
    returned = [n.value for n in ast.walk(function) if isinstance(n, ast.Return) and n.value]
    return any(makes_arrays(v) or (isinstance(v, ast.Name) and v.id in made) for v in returned)


def test_kernels_that_make_arrays_say_so():
    """Or nobody would count the references to them, and they would never be freed."""
    kernels = [
        (path, function)
        for path in COMPILED
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef) and is_kernel(function)
    ]
    new = {function.name for _, function in kernels if returns_new_array(function)}
    assert "room_beside" in new
    for path, function in kernels:
        told = any("allocates=True" in ast.unparse(d) for d in function.decorator_list)
        assert told or not makes_arrays(function, new), f"{path}: {function.name}"


@jit.njit
def inner(x):
    return x + 1


@jit.njit(cache=True)
def outer(x):
    return inner(x)


def test_a_kernel_without_an_entry_for_python_says_so():
    """Also where it is compiled already, for a kernel that calls it."""
    for _ in range(2):
        with pytest.raises(TypeError, match="inner is called by kernels only"):
            inner(1)
        assert outer(1) == 2
