"""The learners, one algorithm a file."""

from novikoff.learners.averaged import AveragedPerceptron
from novikoff.learners.passive_aggressive import PassiveAggressive
from novikoff.learners.perceptron import Perceptron
from novikoff.learners.voted import VotedPerceptron
from novikoff.learners.winnow import Winnow

LEARNERS = (Perceptron, AveragedPerceptron, VotedPerceptron, Winnow, PassiveAggressive)
"""Every learner; the laws of `tests/laws` hold for each of them."""

__all__ = [
    "LEARNERS",
    "AveragedPerceptron",
    "PassiveAggressive",
    "Perceptron",
    "VotedPerceptron",
    "Winnow",
]
