"""Parquet files: tables by columns, through pyarrow, as in arrow.py.

References
----------
Apache Parquet, https://parquet.apache.org/docs/file-format/.
"""

from collections.abc import Iterator
from functools import partial
from typing import IO

import pyarrow
from pyarrow import parquet

from novikoff.data.formats import Handler
from novikoff.data.formats.arrow import rows_of_block, settle_batches, stream_batches, table_of
from novikoff.data.reader_options import Options
from novikoff.data.results import Data


def stored(file: IO[bytes], options: Options) -> Iterator[pyarrow.RecordBatch]:
    """The batches of a Parquet file, of the size of a block."""
    table = parquet.ParquetFile(file)
    size = rows_of_block(len(table.schema_arrow.names), options)
    for batch in table.iter_batches(batch_size=size):
        batch.validate(full=True)
        yield batch


def write(data: Data, file: IO[bytes]) -> None:
    """Examples as a Parquet file."""
    parquet.write_table(table_of(data, "parquet"), file)


HANDLER = Handler(
    partial(stream_batches, stored), settle=partial(settle_batches, stored), write=write
)
