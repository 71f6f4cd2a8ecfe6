"""Ask for memory ahead of its use. It has no effect but on time.

Measured on a Zen 5 with 4 epochs of `Perceptron`: rows in random order take half the time if they
are asked for early enough (20 or 54 columns, or 15 entries), rows in order two thirds if they are
sparse or have 64 to 384 columns. Of shorter rows in order a processor sees enough ahead by itself,
and longer ones are a stream that it follows.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.numpy_support import as_dtype

from novikoff.core.jit import overload
from novikoff.core.rows import CSR, Above, Chain, Clipped, Gram, Unit, is_a
from novikoff.typing import Array, Rows

CACHE_LINE = 64
LATE = 4, 24
"""Dense rows in order come late if they have so many cache lines, at least and at most."""


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


def touch(X: Rows, i: int) -> None:
    """Ask for row `i`."""


@overload(touch)
def _touch(X, i):
    if is_a(X, Unit, Above, Clipped):
        return lambda X, i: touch(X.rows, i)
    if is_a(X, CSR):
        values, indices = per_line(X.types[0]), per_line(X.types[1])

        def csr(X, i):
            start, stop = X.indptr[i], X.indptr[i + 1]
            if start == stop:
                return
            for k in range(start, stop, indices):
                prefetch(X.indices, k)
            for k in range(start, stop, values):
                prefetch(X.data, k)
            prefetch(X.indices, stop - 1)
            prefetch(X.data, stop - 1)

        return csr
    if is_a(X, Gram):
        return lambda X, i: touch(X.K, i)
    if is_a(X, Chain):  # it is long enough for the processor to see where it leads
        return lambda X, i: None

    values = per_line(X)

    def dense(X, i):
        row = X[i]
        for k in range(0, X.shape[1], values):
            prefetch(row, k)
        prefetch(row, X.shape[1] - 1)

    return dense


def locate(X: Rows, i: int) -> None:
    """Ask for what `touch` has to know of row `i`: of a sparse one, where it is."""


@overload(locate)
def _locate(X, i):
    if is_a(X, Unit, Above, Clipped):
        return lambda X, i: locate(X.rows, i)
    return (lambda X, i: prefetch(X.indptr, i)) if is_a(X, CSR) else lambda X, i: None


def is_late(X: Rows) -> bool:
    """Would rows that are visited in order come late, unless they are asked for?"""
    return False


@overload(is_late)
def _is_late(X):
    if is_a(X, Unit, Above, Clipped):
        return lambda X: is_late(X.rows)
    if is_a(X, CSR, Gram, Chain):
        late = is_a(X, CSR)
        return lambda X: late
    least, most = (lines * per_line(X) for lines in LATE)
    return lambda X: least <= X.shape[1] <= most
