"""Data: readers for files of many formats, small real data sets, and generated data.

Names are imported when they are first used: those of `__init__.pyi`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
