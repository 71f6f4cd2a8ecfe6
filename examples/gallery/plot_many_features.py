"""
More than two features
======================

Thirty features do not fit into a plane. The picture shows the examples along the weights, and along
the direction in which they differ most otherwise. So the boundary is still a straight line.
"""

from novikoff import AveragedPerceptron
from novikoff.data import load
from novikoff.plots import BoundaryDisplay

X, tumour, _ = load("wdbc")
X = (X - X.mean(axis=0)) / X.std(axis=0)
model = AveragedPerceptron(random_state=0).fit(X, tumour)
boundary_projected = BoundaryDisplay.from_estimator(model, X, tumour)
