"""Perceptrons with proofs: fast, mistake-driven linear classifiers with certified results.

Names are imported when they are first used, so that ``import novikoff`` costs nothing: those of
`__init__.pyi`.
"""

from time import time

import lazy_loader

_STARTED = time()
"""Before any other module of the package was read: `core.jit` asks which were edited since."""

__version__ = "0.1.0"

__getattr__, __dir__, _names = lazy_loader.attach_stub(__name__, __file__)

__all__ = sorted({*_names} - {"cluster", "data", "lab", "plots", "river", "store"})
