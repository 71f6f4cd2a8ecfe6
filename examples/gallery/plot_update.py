"""
One update
==========

The perceptron has made a mistake on the example that is marked. It adds the example to its weights
(or takes it away), and the line turns.
"""

import numpy as np

from novikoff import Perceptron
from novikoff.plots import UpdateDisplay

rng = np.random.default_rng(5)
X = rng.uniform((0.4, 0.3), (3.4, 2.8), (70, 2))
score = X @ [0.8, 1.0] - 2.9
X, score = X[abs(score) > 0.2], score[abs(score) > 0.2]
y = np.where(score > 0, "yes", "no")
trace = Perceptron(record=True, random_state=0, max_iter=1000).fit(X, y).trace_
update = UpdateDisplay.from_trace(trace, 6)

# %%
# The first update starts from weights of 0, for which there is no line yet.

update_first = UpdateDisplay.from_trace(trace, 1)
