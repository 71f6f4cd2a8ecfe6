"""The public names, once: type checkers read them here, and so does `__init__.py`."""

from .answers import certify as certify, measure as measure, verify as verify
from .epochs import fit as fit
from .history import Epoch as Epoch, Mixed as Mixed, Moment as Moment
