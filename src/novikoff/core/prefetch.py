"""Ask for memory ahead of its use."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.numpy_support import as_dtype

from novikoff.core.jit import overload
from novikoff.typing import Array

CACHE_LINE = 64


def per_line(array: types.Array) -> int:
    """How many elements of an array share a cache line (a constant: a division would cost)."""
    return int(CACHE_LINE // as_dtype(array.dtype).itemsize)


@intrinsic
def prefetch(context, array, index):
    """Fetch `array[index]` into the second-level cache."""

    def codegen(context, builder, signature, args):
        array_type, index_type = signature.args
        data = context.make_array(array_type)(context, builder, args[0]).data
        place = builder.gep(data, [context.cast(builder, args[1], index_type, types.intp)])
        place = builder.bitcast(place, ir.IntType(8).as_pointer())
        int32 = ir.IntType(32)
        to_read, in_second_level, as_data = (ir.Constant(int32, v) for v in (0, 2, 1))
        signature = ir.FunctionType(ir.VoidType(), [place.type, int32, int32, int32])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [place.type], signature)
        builder.call(fetch, [place, to_read, in_second_level, as_data])
        return context.get_dummy_value()

    return types.void(array, index), codegen


def ask(array: Array, index: int) -> None:
    """Ask for `array[index]` ahead of its use; uncompiled, nothing has to be asked for."""


@overload(ask)
def _ask(array, index):
    return lambda array, index: prefetch(array, index)
