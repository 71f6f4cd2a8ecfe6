"""Data: the small real sets that come with the library, and planted ones of any size."""

from novikoff.data.bundled_sets import BUNDLED, DataSet, load
from novikoff.data.generators import planted

__all__ = ["BUNDLED", "DataSet", "load", "planted"]
