"""NumPy's `.npy` files: one array, a table of numbers, `label` and `weight` being its columns.

References
----------
NumPy, `numpy.lib.format`.
"""

from typing import IO

import numpy as np

from novikoff.data.formats import Handler
from novikoff.data.opener import Opened
from novikoff.data.reader_options import Options
from novikoff.data.results import Blocks, Data, Place
from novikoff.data.tables.layout import Layout, layout_of
from novikoff.data.tables.soundness import as_asked, require_table, sound
from novikoff.errors import FileError
from novikoff.typing import Array


def stream(source: Opened, options: Options, start: Place) -> Blocks:
    """A file, block by block."""
    file = source.as_file()
    shape, dtype, first = header_of(file, source.name)
    layout = layout_of(None, shape[1], options, source.name)
    row_bytes = max(shape[1] * dtype.itemsize, 1)
    size = max(options.block_bytes // row_bytes, 1)
    for at in range(start.offset, shape[0], size):
        n = min(size, shape[0] - at)
        file.seek(first + at * row_bytes)
        table = np.frombuffer(exactly(file, n * row_bytes, source.name), dtype).reshape(n, shape[1])
        yield as_data(table, layout, options, source.name, at)


def header_of(file: IO[bytes], name: str) -> tuple[tuple[int, int], np.dtype[np.generic], int]:
    """Shape and type of the array in a `.npy` file, and where its values start."""
    try:
        file.seek(0)
        version = np.lib.format.read_magic(file)
        first, second = np.lib.format.read_array_header_1_0, np.lib.format.read_array_header_2_0
        shape, fortran, dtype = (first if version == (1, 0) else second)(file)
    except Exception as error:  # NumPy may raise anything on damaged data
        raise FileError(name, f"found damaged npy data: {error}") from error
    require_table(shape, dtype, name)
    if fortran and min(shape) > 1:
        raise FileError(
            name,
            "found an array in Fortran's order, expected C's: save np.ascontiguousarray(X)",
        )
    return (shape[0], shape[1]), dtype, file.tell()


def exactly(file: IO[bytes], n: int, name: str) -> bytearray:
    """The next `n` bytes."""
    taken = bytearray()
    while len(taken) < n:
        more = file.read(n - len(taken))
        if not more:
            raise FileError(name, "found the end of the file, expected more rows: it is truncated")
        taken += more
    return taken


def as_data(table: Array, layout: Layout, options: Options, name: str, at: int) -> Data:
    """Rows of a table, the first of which is number `at`, as examples."""
    y = None if layout.label is None else table[:, layout.label]
    weight = None if layout.weight is None else table[:, layout.weight].astype(np.float64)
    X = table if len(layout.features) == table.shape[1] else table[:, layout.features]
    kept = layout.kept_of(lambda j: table[:, j])
    place = Place(at, at + 1)
    return sound(as_asked(X, options), y, weight, layout, options, name, place, kept=kept)


HANDLER = Handler(stream)
