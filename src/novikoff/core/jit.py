"""numba's `njit`, with a cache on disk that sees every edit and that all environments share.

numba's own cache looks at the file of a kernel, and not at the files of what the kernel calls. It
lies beside the sources, so each environment compiles everything again. And it numbers its files:
two processes that compile one kernel for two types at once may choose the same number.

Here each compiled form is one file in the user's cache folder, named by a digest of everything it
was made from: the kernel, its types, the processor, the versions of Python, numba and numpy, and
the text of every module that can have a part in it. These modules are the kernel's own and those
of the classes among its types (a rule's step stands in the file of the rule), and whatever
modules with compiled code these import. `tests/test_jit.py` checks that kernels use nothing else.

Where several processes need a form at once, one compiles it and the others wait.

``NUMBA_CACHE_DIR`` names another folder. A form that nobody has used for a month is removed.
"""

import hashlib
import os
import pickle
import re
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numba.extending
import numpy as np
from numba import types
from numba.core import config
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from numba.misc.appdirs import AppDirs

try:
    import fcntl
except ImportError:  # where files cannot be locked so, every process compiles for itself
    fcntl = None  # type: ignore[assignment]

STARTED: float = sys.modules["novikoff"]._STARTED
BARE: Any = {"_nrt": False, "error_model": "numpy", "no_cfunc_wrapper": True}
VERSIONS = (
    sys.implementation.cache_tag,
    numba.__version__,
    llvmlite.__version__,
    np.__version__,
)
SETTINGS = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "USING_SVML")
"""Those of numba that change what it compiles."""
MONTH = 30 * 24 * 3600.0
PATIENCE = 60.0
"""How long to wait for another process that compiles the same, in seconds."""
CLOCK = 0.02
"""How far the clock of files may be behind, in seconds."""
IMPORT = re.compile(r"^from (novikoff[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)
COMPILED = re.compile(r"^from (numba|novikoff\.core\.jit|novikoff\.core\.rules)\b", re.MULTILINE)


def njit(
    function: Any = None, /, *, cache: bool = False, allocates: bool = False, **options: Any
) -> Any:
    """Compile a function when it is called; with `cache`, keep the result on disk.

    Only a kernel with a `cache` can be called from Python: the others have no entry for that, which
    would take a tenth of the time it takes to compile them.

    Kernels look at arrays and keep none, so references to them are not counted: counting takes
    atomic instructions at every call. A kernel that makes arrays must say that it `allocates`.
    Divisions by zero give infinity or NaN, as in numpy.
    """
    if function is None:
        return lambda function: njit(function, cache=cache, allocates=allocates, **options)
    bare = BARE | {"_nrt": allocates, "no_cpython_wrapper": not cache}
    dispatcher = numba.njit(**bare, **options)(function)
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return dispatcher
    if cache:
        dispatcher._cache = KernelCache(function, options | {"allocates": allocates})
    else:  # numba would call what is not there
        dispatcher._insert = lambda *form, **how: None
        dispatcher._compile_for_args = partial(refuse, function.__name__)
    return dispatcher


def refuse(name: str, *args: Any, **kwargs: Any) -> None:
    """Say that a kernel has no entry for Python."""
    raise TypeError(f"{name} is called by kernels only: give it a cache to call it from Python.")


def overload(
    function: Any, *, allocates: bool = False, forceinline: bool = False, **options: Any
) -> Any:
    """How a function is compiled for certain types, with the same options."""
    jit_options = BARE | {"_nrt": allocates, "forceinline": forceinline}
    return numba.extending.overload(function, jit_options=jit_options, **options)


def folder() -> Path:
    """Where compiled forms are kept."""
    chosen = config.CACHE_DIR  # type: ignore[attr-defined]
    own = Path(chosen, "novikoff") if chosen else AppDirs("novikoff", False).user_cache_dir
    return Path(own, "kernels")


class KernelCache(NullCache):
    """The compiled forms of one kernel. Without a place to keep them, there are none."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        assert function.__closure__ is None  # it would be one more thing to know it by
        self.function = function
        self.options = sorted((name, sorted_if_set(value)) for name, value in options.items())
        self.claims: dict[Path, int] = {}
        """The files that this process has locked, since it compiles what belongs there."""

    @property
    def cache_path(self) -> str:
        return str(folder() / self.function.__module__)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled form for these types, or None."""
        target_context.refresh()
        path = self._path(sig, target_context.codegen())
        if path is None:
            return None
        payload = read(path)
        if payload is None:
            self._claim(path)
            payload = read(path)  # another process may have been at it
        if payload is None:
            return None
        self._release(path)
        with suppress(OSError):
            os.utime(path)
        return CompileResult._rebuild(target_context, *payload)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled form, if it does not refer to this process."""
        path = self._path(sig, data.codegen)
        if path is None:
            return
        with suppress(OSError):
            if not (data.lifted or data.library.has_dynamic_globals):
                beside = path.with_name(f"{uuid.uuid4().hex}.tmp")
                path.parent.mkdir(parents=True, exist_ok=True)
                beside.write_bytes(dumps(data._reduce()))
                beside.replace(path)
                remove_unused()
        self._release(path)

    def _claim(self, path: Path) -> None:
        """Lock the file of a form that is to be compiled; wait while another process has it."""
        if fcntl is None or path in self.claims:
            return
        until = time.monotonic() + PATIENCE
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            self.claims[path] = claim = os.open(path.with_suffix(".lock"), os.O_CREAT | os.O_RDWR)
            while time.monotonic() < until:
                try:
                    fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    time.sleep(0.02)

    def _release(self, path: Path) -> None:
        if (claim := self.claims.pop(path, None)) is not None:
            with suppress(OSError):
                path.with_suffix(".lock").unlink()
            os.close(claim)

    def _path(self, sig: Any, codegen: Any) -> Path | None:
        function = self.function
        classes = list(classes_in(sig))
        modules = {function.__module__, *(c.__module__ for c in classes)}
        text = texts(frozenset(modules))
        if text is None:
            return None
        kernel = function.__qualname__, self.options, str(sig), classes
        settings = [getattr(config, name, None) for name in SETTINGS]
        made_by = VERSIONS, codegen.magic_tuple(), settings
        name = hashlib.sha256(repr((kernel, made_by, text)).encode()).hexdigest()[:32]
        return Path(self.cache_path, f"{function.__qualname__}-{name}.nbc")


def read(path: Path) -> Any:
    """What is kept in a file; None if there is none, or if it is damaged."""
    try:
        return pickle.loads(path.read_bytes())
    except Exception:  # whatever is wrong with it, it will be made again
        return None


def sorted_if_set(value: Any) -> Any:
    """The same value, in an order that does not change from process to process."""
    return sorted(value) if isinstance(value, set | frozenset) else value


def classes_in(sig: Any) -> Iterator[type]:
    """The named tuples of the package among the types of a signature, however deep."""
    for each in sig if isinstance(sig, tuple) else sig.args:
        if isinstance(each, types.BaseTuple):
            if hasattr(each, "instance_class"):
                yield each.instance_class
            yield from classes_in(each.types)  # type: ignore[attr-defined]


# ------------------------------------------------------------- which sources go into it


@cache
def texts(modules: frozenset[str]) -> str | None:
    """A digest of the sources that these modules are compiled from.

    None if one cannot be read, or was edited since the process began: what runs may be older.
    """
    reached: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            try:
                reached[name] = source(name)
                file = os.stat(file_of(name))
                waiting += imports(name)
            except (OSError, ValueError, AttributeError, KeyError):  # it has no source, or no file
                return None
            if max(file.st_mtime, file.st_ctime) > STARTED - CLOCK:
                return None
    return hashlib.sha256(repr(sorted(reached.items())).encode()).hexdigest()


def file_of(name: str) -> str:
    """The file of a module that was imported."""
    return sys.modules[name].__file__ or ""


@cache
def source(name: str) -> str:
    """The text of a module."""
    return Path(file_of(name)).read_text(encoding="utf-8")


def imports(name: str) -> set[str]:
    """The modules with compiled code that a module imports names from."""
    found = set()
    for package, names in IMPORT.findall(source(name)):
        found |= {package, *(f"{package}.{word}" for word in re.findall(r"\w+", names))}
    return {each for each in found if each in sys.modules and COMPILED.search(source(each))}


@cache
def remove_unused() -> None:
    """Remove what was not used for a month, once per process."""
    for path in folder().glob("*/*"):
        with suppress(OSError):
            old = path.stat().st_mtime < time.time() - MONTH
            if old and path.suffix in (".nbc", ".tmp", ".lock"):
                path.unlink()
