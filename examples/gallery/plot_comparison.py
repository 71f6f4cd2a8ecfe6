"""
Four ways to choose a line
==========================

The last weights of a perceptron, their average, their vote, and the widest separator, on the same
examples.
"""

import numpy as np

from novikoff.plots import ComparisonDisplay

rng = np.random.default_rng(5)
X = rng.uniform((0.4, 0.3), (3.4, 2.8), (70, 2))
score = X @ [0.8, 1.0] - 2.9
X, score = X[abs(score) > 0.2], score[abs(score) > 0.2]
y = np.where(score > 0, "yes", "no")
comparison = ComparisonDisplay.from_data(X, y, random_state=0)
