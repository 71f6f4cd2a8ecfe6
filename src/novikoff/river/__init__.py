r"""The perceptron for River: one example at a time, as a dictionary (extra `river`).

River's models learn from dictionaries of features, which may come and go. This is the perceptron
of `novikoff.core.loops` for them: a feature that was never seen has the weight 0, a class
that was never seen takes part from its first example on, and what is learned is what
`novikoff.Perceptron` learns from the same examples in one pass.

`dictionaries.py` says what an example is, `vectors.py` keeps the weights, `perceptron.py` learns.
"""

from novikoff.river.perceptron import RiverPerceptron

__all__ = ["RiverPerceptron"]
