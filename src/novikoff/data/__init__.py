"""Data: files of every kind, the small real sets that come with the library, and planted ones.

Names are imported when they are first used: those of `__init__.pyi`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
