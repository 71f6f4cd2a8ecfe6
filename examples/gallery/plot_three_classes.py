"""
Three classes
=============

Each region is where `predict` gives that class.
"""

from novikoff import VotedPerceptron
from novikoff.data import load
from novikoff.plots import BoundaryDisplay

X, species, _ = load("iris")
petals = X[:, 2:]
model = VotedPerceptron(max_iter=30, random_state=0).fit(petals, species)
boundary_of_three = BoundaryDisplay.from_estimator(model, petals, species)
