"""Perceptrons with proofs: fast, mistake-driven linear classifiers that account for themselves.

Names are imported when they are first used, so that ``import novikoff`` costs nothing.
"""

from importlib import import_module
from time import time
from typing import TYPE_CHECKING, Any

_STARTED = time()
"""Before any other module of the package was read: `novikoff.jit` asks which were edited since."""

if TYPE_CHECKING:
    from novikoff.dual_trace import DualTrace
    from novikoff.errors import (
        ClusterError,
        DataError,
        FileError,
        ModelFileError,
        NotSeparable,
        NovikoffError,
        OutOfTime,
        ParameterError,
        WeightOverflow,
        WriteError,
    )
    from novikoff.learners.arow import AROW
    from novikoff.learners.averaged import AveragedPerceptron
    from novikoff.learners.balanced_winnow import BalancedWinnow
    from novikoff.learners.kernel import KernelPerceptron
    from novikoff.learners.loss import perceptron_loss, perceptron_subgradient
    from novikoff.learners.passive_aggressive import PassiveAggressive
    from novikoff.learners.perceptron import Perceptron
    from novikoff.learners.pocket import Pocket
    from novikoff.learners.romma import Romma
    from novikoff.learners.scw import SCW
    from novikoff.learners.second_order import SecondOrderPerceptron
    from novikoff.learners.voted import VotedPerceptron
    from novikoff.learners.winnow import Winnow
    from novikoff.margins.bounds import (
        forgetron_bound,
        freund_schapire_bound,
        novikoff_bound,
        winnow_bound,
    )
    from novikoff.margins.bracket import Bracket
    from novikoff.margins.certificate import Separability
    from novikoff.margins.hyperplane import distance, margin
    from novikoff.margins.max_margin import MaxMargin
    from novikoff.margins.online_bounds import (
        arow_bound,
        balanced_winnow_bound,
        passive_aggressive_bound,
        second_order_bound,
    )
    from novikoff.margins.separability import separability
    from novikoff.progressive_validation import Progress, progressive
    from novikoff.store.models import load
    from novikoff.theorem import Proof
    from novikoff.trace import Trace
    from novikoff.words import describe

__version__ = "0.1.0"

_HOME = {
    "AROW": "learners.arow",
    "AveragedPerceptron": "learners.averaged",
    "BalancedWinnow": "learners.balanced_winnow",
    "Bracket": "margins.bracket",
    "ClusterError": "errors",
    "DataError": "errors",
    "DualTrace": "dual_trace",
    "FileError": "errors",
    "KernelPerceptron": "learners.kernel",
    "MaxMargin": "margins.max_margin",
    "ModelFileError": "errors",
    "NotSeparable": "errors",
    "NovikoffError": "errors",
    "OutOfTime": "errors",
    "ParameterError": "errors",
    "PassiveAggressive": "learners.passive_aggressive",
    "Perceptron": "learners.perceptron",
    "Pocket": "learners.pocket",
    "Progress": "progressive_validation",
    "Proof": "theorem",
    "Romma": "learners.romma",
    "SCW": "learners.scw",
    "SecondOrderPerceptron": "learners.second_order",
    "Separability": "margins.certificate",
    "Trace": "trace",
    "VotedPerceptron": "learners.voted",
    "WeightOverflow": "errors",
    "Winnow": "learners.winnow",
    "WriteError": "errors",
    "arow_bound": "margins.online_bounds",
    "balanced_winnow_bound": "margins.online_bounds",
    "describe": "words",
    "distance": "margins.hyperplane",
    "forgetron_bound": "margins.bounds",
    "freund_schapire_bound": "margins.bounds",
    "load": "store.models",
    "margin": "margins.hyperplane",
    "novikoff_bound": "margins.bounds",
    "passive_aggressive_bound": "margins.online_bounds",
    "perceptron_loss": "learners.loss",
    "perceptron_subgradient": "learners.loss",
    "progressive": "progressive_validation",
    "second_order_bound": "margins.online_bounds",
    "separability": "margins.separability",
    "winnow_bound": "margins.bounds",
}

__all__ = [  # noqa: RUF022 (names in capitals do not come first)
    "AROW",
    "AveragedPerceptron",
    "BalancedWinnow",
    "Bracket",
    "ClusterError",
    "DataError",
    "DualTrace",
    "FileError",
    "KernelPerceptron",
    "MaxMargin",
    "ModelFileError",
    "NotSeparable",
    "NovikoffError",
    "OutOfTime",
    "ParameterError",
    "PassiveAggressive",
    "Perceptron",
    "Pocket",
    "Progress",
    "Proof",
    "Romma",
    "SCW",
    "SecondOrderPerceptron",
    "Separability",
    "Trace",
    "VotedPerceptron",
    "WeightOverflow",
    "Winnow",
    "WriteError",
    "arow_bound",
    "balanced_winnow_bound",
    "describe",
    "distance",
    "forgetron_bound",
    "freund_schapire_bound",
    "load",
    "margin",
    "novikoff_bound",
    "passive_aggressive_bound",
    "perceptron_loss",
    "perceptron_subgradient",
    "progressive",
    "second_order_bound",
    "separability",
    "winnow_bound",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        found = getattr(import_module(f"novikoff.{_HOME[name]}"), name)
        globals()[name] = found
        return found
    raise AttributeError(f"module 'novikoff' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__"})
