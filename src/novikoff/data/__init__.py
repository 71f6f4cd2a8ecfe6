"""Data: files of every kind, the small real sets that come with the library, and planted ones.

What compiles is imported when it is first used.
"""

from typing import TYPE_CHECKING, Any

from novikoff.data.bundled_sets import BUNDLED, DataSet, load
from novikoff.data.generators import planted
from novikoff.data.reader import read, stream
from novikoff.data.results import Data, Place, Skipped
from novikoff.data.writer import write

if TYPE_CHECKING:
    from novikoff.data.hashing import feature_index

__all__ = [
    "BUNDLED",
    "Data",
    "DataSet",
    "Place",
    "Skipped",
    "feature_index",
    "load",
    "planted",
    "read",
    "stream",
    "write",
]


def __getattr__(name: str) -> Any:
    if name == "feature_index":
        from novikoff.data.hashing import feature_index

        return feature_index
    raise AttributeError(f"module 'novikoff.data' has no attribute {name!r}")
