"""Pictures of data, runs and proofs, as scikit-learn displays with matplotlib.

Needs the extra `plots`: ``pip install novikoff[plots]``. Every display has a method
``plot(ax=None)``, which draws on the given axes or on a new figure, and sets `ax_` and `figure_`.
The colours are those of Okabe & Ito: readers with colour-vision deficiency can distinguish them,
on white and on black. Text and frames follow the style of matplotlib.
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
