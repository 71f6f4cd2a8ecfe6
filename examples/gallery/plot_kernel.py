"""
A kernel perceptron
===================

No line tells the two diagonals of a square apart. With a Gaussian kernel a perceptron draws a
curve. The examples that it made mistakes on are its support, and are marked.
"""

import numpy as np

from novikoff import KernelPerceptron
from novikoff.plots import BoundaryDisplay

X = np.random.default_rng(0).uniform(-1, 1, (90, 2))
y = np.where(X.prod(axis=1) > 0, "same sign", "different signs")
model = KernelPerceptron(kernel="rbf", gamma=3.0, random_state=0, max_iter=100).fit(X, y)
boundary_of_a_kernel = BoundaryDisplay.from_estimator(model, X, y)
