"""What threads of compiled code need to work together: numbers that all of them may change.

Each function below is one instruction of the processor on one number of an array of 64-bit
integers, and orders what is read and written around it: what a thread wrote before it changed
such a number is there for a thread that has seen the change. The Python bodies are
the definitions.
"""

import platform
import sys
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from novikoff.core.jit import overload
from novikoff.typing import Array

ORDER = "seq_cst"
WIDTH = 8
"""Of an array of 64-bit numbers, as many are in a line of the cache: those that are often changed
stand that far apart."""

MOMENT = 1000
"""How often a thread looks whether it must still wait before it lets others go first."""
PAUSE = {"x86_64": "llvm.x86.sse2.pause", "AMD64": "llvm.x86.sse2.pause"}
YIELD = types.ExternalFunction(
    "SwitchToThread" if sys.platform == "win32" else "sched_yield", types.int32()
)


def _place(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [index])


@intrinsic
def _add(context, array, index, amount):
    def codegen(context, builder, signature, args):
        place = _place(context, builder, signature.args[0], args[0], args[1])
        return builder.atomic_rmw("add", place, args[2], ORDER)

    return types.int64(array, types.int64, types.int64), codegen


@intrinsic
def _lower(context, array, index, value):
    def codegen(context, builder, signature, args):
        place = _place(context, builder, signature.args[0], args[0], args[1])
        return builder.atomic_rmw("min", place, args[2], ORDER)

    return types.int64(array, types.int64, types.int64), codegen


@intrinsic
def _load(context, array, index):
    def codegen(context, builder, signature, args):
        place = _place(context, builder, signature.args[0], args[0], args[1])
        return builder.load_atomic(place, ORDER, WIDTH)

    return types.int64(array, types.int64), codegen


@intrinsic
def _store(context, array, index, value):
    def codegen(context, builder, signature, args):
        place = _place(context, builder, signature.args[0], args[0], args[1])
        builder.store_atomic(args[2], place, ORDER, WIDTH)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), codegen


@intrinsic
def _rest(context):
    """Let the processor rest for some cycles: what a thread does that waits for another."""

    def codegen(context, builder, signature, args):
        instruction = PAUSE.get(platform.machine())
        if instruction is not None:
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(builder.module.declare_intrinsic(instruction, (), kind), [])
        return context.get_dummy_value()

    return types.void(), codegen


def add_to(array: Array, index: int, amount: int) -> int:
    """Add to a number; returns what it was."""
    before = int(array[index])
    array[index] += amount
    return before


@overload(add_to)
def _add_to(array, index, amount):
    return lambda array, index, amount: _add(array, index, amount)


def lower_to(array: Array, index: int, value: int) -> None:
    """Make a number this small, if it is larger."""
    array[index] = min(int(array[index]), value)


@overload(lower_to)
def _lower_to(array, index, value):
    def lower(array, index, value):
        _lower(array, index, value)

    return lower


def look_up(array: Array, index: int) -> int:
    """What a number is now."""
    return int(array[index])


@overload(look_up)
def _look_up(array, index):
    return lambda array, index: _load(array, index)


def put(array: Array, index: int, value: int) -> None:
    """Set a number: all that was written before is then there for those who see it."""
    array[index] = value


@overload(put)
def _put(array, index, value):
    return lambda array, index, value: _store(array, index, value)


def watch(array: Array, index: int, value: int, tries: int) -> None:
    """Stay awake while a number is this, but look at it no more than so often."""


@overload(watch)
def _watch(array, index, value, tries):
    def look(array, index, value, tries):
        for _ in range(tries):
            if _load(array, index) != value:
                return
            _rest()

    return look


def wait_while(array: Array, index: int, value: int) -> None:
    """Wait while a number is this: awake for a moment, then letting other threads go first."""
    while array[index] == value:
        pass


@overload(wait_while)
def _wait_while(array, index, value):
    def wait(array, index, value):
        watch(array, index, value, MOMENT)
        while _load(array, index) == value:
            YIELD()

    return wait


def wait_for(array: Array, index: int, value: int) -> bool:
    """Wait until a number is this or more: awake for a moment, then letting others go first.

    Was the moment enough?
    """
    while array[index] < value:
        pass
    return True


@overload(wait_for)
def _wait_for(array, index, value):
    def wait(array, index, value):
        tries = 0
        while _load(array, index) < value:
            tries += 1
            if tries < MOMENT:
                _rest()
            else:
                YIELD()
        return tries < MOMENT

    return wait
