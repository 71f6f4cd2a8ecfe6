"""The learners: one algorithm per file."""

from novikoff.learners.arow import AROW
from novikoff.learners.averaged import AveragedPerceptron
from novikoff.learners.balanced_winnow import BalancedWinnow
from novikoff.learners.base import MistakeDriven
from novikoff.learners.kernel import KernelPerceptron
from novikoff.learners.kernels.machine import DualLearner
from novikoff.learners.passive_aggressive import PassiveAggressive
from novikoff.learners.perceptron import Perceptron
from novikoff.learners.pocket import Pocket
from novikoff.learners.romma import Romma
from novikoff.learners.scw import SCW
from novikoff.learners.second_order import SecondOrderPerceptron
from novikoff.learners.voted import VotedPerceptron
from novikoff.learners.winnow import Winnow

LEARNERS: tuple[type[MistakeDriven], ...] = (
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
"""All linear learners. The tests of `tests/laws` run for each of them."""

DUALS: tuple[type[DualLearner], ...] = (KernelPerceptron, Romma)
"""All kernel learners. The tests of `tests/laws/test_kernels.py` run for each of them."""

__all__ = [
    "AROW",
    "DUALS",
    "LEARNERS",
    "SCW",
    "AveragedPerceptron",
    "BalancedWinnow",
    "KernelPerceptron",
    "PassiveAggressive",
    "Perceptron",
    "Pocket",
    "Romma",
    "SecondOrderPerceptron",
    "VotedPerceptron",
    "Winnow",
]
