"""
The boundary of a perceptron
============================

The line is where the score is 0, and the band reaches to the nearest example on each side. The
larger an example is drawn, the more often the perceptron was mistaken on it.
"""

import numpy as np

from novikoff import MaxMargin, Perceptron
from novikoff.plots import BoundaryDisplay

rng = np.random.default_rng(5)
X = rng.uniform((0.4, 0.3), (3.4, 2.8), (70, 2))
score = X @ [0.8, 1.0] - 2.9
X, score = X[abs(score) > 0.2], score[abs(score) > 0.2]
y = np.where(score > 0, "yes", "no")
model = Perceptron(random_state=0, max_iter=1000).fit(X, y)
boundary = BoundaryDisplay.from_estimator(model, X, y)

# %%
# The widest separator of the same examples
# -----------------------------------------
#
# `MaxMargin` has the widest band of all. The examples on its edge are the support vectors.

boundary_widest = BoundaryDisplay.from_estimator(MaxMargin().fit(X, y), X, y)
