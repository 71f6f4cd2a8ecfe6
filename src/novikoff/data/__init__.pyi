"""The public names, once: type checkers read them here, and so does `__init__.py`."""

from .bundled_sets import BUNDLED as BUNDLED, DataSet as DataSet, load as load
from .conll import read_conll as read_conll, stream_conll as stream_conll
from .feature_hash import feature_index as feature_index
from .generators import planted as planted
from .reader import read as read, stream as stream
from .results import Data as Data, Place as Place, Skipped as Skipped
from .tables.columns import PlannedColumn as PlannedColumn
from .tables.plan import TablePlan as TablePlan
from .token_lines import Sentences as Sentences
from .writer import write as write
