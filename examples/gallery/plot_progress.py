"""
How a run went
==============

Mistakes in every epoch, all mistakes beside the bound, and the two ends between which the run has
proved the margin to be.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from novikoff import Perceptron
from novikoff.data import load
from novikoff.plots import ProgressDisplay

rng = np.random.default_rng(5)
X = rng.uniform((0.4, 0.3), (3.4, 2.8), (70, 2))
score = X @ [0.8, 1.0] - 2.9
X, score = X[abs(score) > 0.2], score[abs(score) > 0.2]
y = np.where(score > 0, "yes", "no")
model = Perceptron(record=True, random_state=0, max_iter=1000).fit(X, y)
progress = ProgressDisplay.from_trace(model.trace_)

# %%
# Where nothing separates the classes, the mistakes do not end.

X, species, _ = load("iris")
two = species != "setosa"
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)
    model = Perceptron(record=True, max_iter=30, random_state=0).fit(X[two, 2:], species[two])
progress_inseparable = ProgressDisplay.from_trace(model.trace_)
