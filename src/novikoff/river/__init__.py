r"""The perceptron for River: one example at a time, as a dictionary. Needs the extra `river`.

River's models learn from dictionaries of features, which may appear and disappear. This is the
perceptron of `novikoff.core.loops` for such data: a new feature has the weight 0, and a new class
takes part from its first example on. It learns what `novikoff.Perceptron` learns from the same
examples in one epoch.

`dictionaries.py` checks the examples, `vectors.py` has the weights, and `perceptron.py` the
learner.
"""

from novikoff.river.perceptron import RiverPerceptron

__all__ = ["RiverPerceptron"]
