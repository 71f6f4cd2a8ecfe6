"""More than one machine: shards of data on the workers of a dask cluster (extra `cluster`).

`sources.py` says what a shard is and `surveying.py` what all have in common; `shard.py` is what a
worker does, `mixing.py` the arithmetic, `history.py` the numbers of a run and its
checkpoints; `connecting.py` finds the workers, `coordinating.py` asks them for epochs, and
`certifying.py` for certificates (`novikoff.separation.sharded` asks the questions).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from novikoff.cluster.certifying import certify, measure, verify
    from novikoff.cluster.fitting import fit
    from novikoff.cluster.report import Epoch, Mixed, Moment

_HOME = {
    "Epoch": "report",
    "Mixed": "report",
    "Moment": "report",
    "certify": "certifying",
    "fit": "fitting",
    "measure": "certifying",
    "verify": "certifying",
}

__all__ = ["Epoch", "Mixed", "Moment", "certify", "fit", "measure", "verify"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        found = getattr(import_module(f"novikoff.cluster.{_HOME[name]}"), name)
        globals()[name] = found
        return found
    raise AttributeError(f"module 'novikoff.cluster' has no attribute {name!r}")
