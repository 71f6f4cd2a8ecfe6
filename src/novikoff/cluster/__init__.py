"""More than one machine: shards of data on the workers of a dask cluster (extra `cluster`).

`sources.py` says what a shard is and `survey.py` what all have in common; `worker.py` is what a
worker does, and `mix.py` the arithmetic. `scheduler.py` finds the workers and `tasks.py` has them
work; `epochs.py` asks for the epochs of a run, whose numbers and checkpoints are in `history.py`,
and `answers.py` for certificates (`novikoff.separation.sharded` asks the questions). Workers that
are started here load `preload.py` first.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from novikoff.cluster.answers import certify, measure, verify
    from novikoff.cluster.epochs import fit
    from novikoff.cluster.history import Epoch, Mixed, Moment

_HOME = {
    "Epoch": "history",
    "Mixed": "history",
    "Moment": "history",
    "certify": "answers",
    "fit": "epochs",
    "measure": "answers",
    "verify": "answers",
}

__all__ = ["Epoch", "Mixed", "Moment", "certify", "fit", "measure", "verify"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        found = getattr(import_module(f"novikoff.cluster.{_HOME[name]}"), name)
        globals()[name] = found
        return found
    raise AttributeError(f"module 'novikoff.cluster' has no attribute {name!r}")
