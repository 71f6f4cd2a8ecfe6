"""The public names, once: type checkers read them here, and so does `__init__.py`."""

from . import (
    cluster as cluster,
    data as data,
    lab as lab,
    plots as plots,
    river as river,
    store as store,
)
from .certificates.bracket import Bracket as Bracket
from .certificates.certificate import Separability as Separability
from .certificates.hyperplane import distance as distance, margin as margin
from .certificates.separability import separability as separability
from .description import describe as describe
from .errors import (
    ClusterError as ClusterError,
    DataError as DataError,
    FileError as FileError,
    ModelFileError as ModelFileError,
    NotSeparable as NotSeparable,
    NovikoffError as NovikoffError,
    OutOfTime as OutOfTime,
    ParameterError as ParameterError,
    WeightOverflow as WeightOverflow,
    WriteError as WriteError,
)
from .learners.arow import AROW as AROW
from .learners.averaged import AveragedPerceptron as AveragedPerceptron
from .learners.balanced_winnow import BalancedWinnow as BalancedWinnow
from .learners.kernel import KernelPerceptron as KernelPerceptron
from .learners.passive_aggressive import PassiveAggressive as PassiveAggressive
from .learners.perceptron import Perceptron as Perceptron
from .learners.pocket import Pocket as Pocket
from .learners.romma import Romma as Romma
from .learners.scw import SCW as SCW
from .learners.second_order import SecondOrderPerceptron as SecondOrderPerceptron
from .learners.sequences.perceptron import SequencePerceptron as SequencePerceptron
from .learners.voted import VotedPerceptron as VotedPerceptron
from .learners.winnow import Winnow as Winnow
from .max_margin.estimator import MaxMargin as MaxMargin
from .model_selection.averaged_perceptron_cv import AveragedPerceptronCV as AveragedPerceptronCV
from .progressive_validation import Progress as Progress, progressive as progressive
from .proofs.bounds import (
    forgetron_bound as forgetron_bound,
    freund_schapire_bound as freund_schapire_bound,
    novikoff_bound as novikoff_bound,
    winnow_bound as winnow_bound,
)
from .proofs.kernel_trace import DualTrace as DualTrace
from .proofs.loss import (
    perceptron_loss as perceptron_loss,
    perceptron_subgradient as perceptron_subgradient,
)
from .proofs.online_bounds import (
    arow_bound as arow_bound,
    balanced_winnow_bound as balanced_winnow_bound,
    passive_aggressive_bound as passive_aggressive_bound,
    second_order_bound as second_order_bound,
)
from .proofs.proof import Proof as Proof
from .proofs.sequence_trace import SequenceTrace as SequenceTrace
from .proofs.trace import Trace as Trace
from .regression.fitted import check_separation as check_separation
from .regression.result import Separation as Separation
from .regression.separation import separation as separation
from .store.models import load as load

__version__: str
_STARTED: float
