"""Parquet files: tables by columns, through pyarrow, as in arrow.py.

References
----------
Apache Parquet, https://parquet.apache.org/docs/file-format/.
"""

from collections.abc import Iterator
from typing import IO

import pyarrow
from pyarrow import parquet

from novikoff.data.formats import Handler
from novikoff.data.formats.arrow import examples, rows_of_block, table_of
from novikoff.data.opener import Opened
from novikoff.data.reader_options import Options
from novikoff.data.results import Blocks, Data, Place


def stream(source: Opened, options: Options, start: Place) -> Blocks:
    """A table, block by block."""

    def batches(file: IO[bytes]) -> Iterator[pyarrow.RecordBatch]:
        table = parquet.ParquetFile(file)
        size = rows_of_block(len(table.schema_arrow.names), options)
        for batch in table.iter_batches(batch_size=size):
            batch.validate(full=True)
            yield batch

    yield from examples(batches(source.as_file()), source, options, start)


def write(data: Data, file: IO[bytes]) -> None:
    """Examples as a Parquet file."""
    parquet.write_table(table_of(data, "parquet"), file)


HANDLER = Handler(stream, write=write)
