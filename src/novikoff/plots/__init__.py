"""Pictures of data, runs and proofs: scikit-learn's displays, with matplotlib.

Needs the extra `plots`: ``pip install novikoff[plots]``. Every display has a method
``plot(ax=None)`` that draws into given axes or a new figure, and keeps them as `ax_` and
`figure_`. The colours are those of Okabe & Ito, which all eyes tell apart, and are legible on
white and on black; text and frames follow matplotlib's style.
"""

from novikoff.plots.boundary import BoundaryDisplay
from novikoff.plots.comparison import ComparisonDisplay
from novikoff.plots.convergence import ProgressDisplay
from novikoff.plots.lattice import LatticeDisplay
from novikoff.plots.theorem import ProofDisplay
from novikoff.plots.update import UpdateDisplay

__all__ = [
    "BoundaryDisplay",
    "ComparisonDisplay",
    "LatticeDisplay",
    "ProgressDisplay",
    "ProofDisplay",
    "UpdateDisplay",
]
