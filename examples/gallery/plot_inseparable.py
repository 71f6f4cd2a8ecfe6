"""
Classes that no line separates
==============================

Two kinds of iris overlap, so a perceptron never stops making mistakes, and its last line is one of
many. In a voted perceptron every line on the way has a vote, which draws a smoother boundary.
"""

import warnings

from sklearn.exceptions import ConvergenceWarning

from novikoff import Perceptron, VotedPerceptron
from novikoff.data import load
from novikoff.plots import BoundaryDisplay

X, species, _ = load("iris")
two = species != "setosa"
petals, kinds = X[two, 2:], species[two]
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)  # we know: nothing separates them
    last = Perceptron(max_iter=20, random_state=0).fit(petals, kinds)
boundary_inseparable = BoundaryDisplay.from_estimator(last, petals, kinds)

# %%
voted = VotedPerceptron(max_iter=20, random_state=0).fit(petals, kinds)
boundary_voted = BoundaryDisplay.from_estimator(voted, petals, kinds)
