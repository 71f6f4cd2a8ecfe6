"""The learners, one algorithm a file."""

from novikoff.learners.arow import AROW
from novikoff.learners.averaged import AveragedPerceptron
from novikoff.learners.balanced_winnow import BalancedWinnow
from novikoff.learners.passive_aggressive import PassiveAggressive
from novikoff.learners.perceptron import Perceptron
from novikoff.learners.pocket import Pocket
from novikoff.learners.scw import SCW
from novikoff.learners.second_order import SecondOrderPerceptron
from novikoff.learners.voted import VotedPerceptron
from novikoff.learners.winnow import Winnow

LEARNERS = (
    Perceptron,
    AveragedPerceptron,
    VotedPerceptron,
    Pocket,
    Winnow,
    BalancedWinnow,
    PassiveAggressive,
    SecondOrderPerceptron,
    AROW,
    SCW,
)
"""Every learner; the laws of `tests/laws` hold for each of them."""

__all__ = [
    "AROW",
    "LEARNERS",
    "SCW",
    "AveragedPerceptron",
    "BalancedWinnow",
    "PassiveAggressive",
    "Perceptron",
    "Pocket",
    "SecondOrderPerceptron",
    "VotedPerceptron",
    "Winnow",
]
