"""Training and certificates on several machines, with dask. Needs the extra `cluster`.

The data is divided into shards, which stay on the workers. `sources.py` defines a shard, and
`survey.py` collects what all shards have in common. `worker.py` has the work of a worker, and
`mix.py` the arithmetic of mixing. `scheduler.py` finds the workers, and `tasks.py` gives them work.
`epochs.py` runs the epochs, `history.py` keeps their numbers and checkpoints, and `answers.py` is
for certificates (`novikoff.certificates.sharded` asks the questions). Workers that are started here
load `preload.py` first. Names are imported when they are first used: those of `__init__.pyi`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
