"""More than one machine: shards of data on the workers of a dask cluster (extra `cluster`).

`sources.py` says what a shard is and `survey.py` what all have in common; `worker.py` is what a
worker does, and `mix.py` the arithmetic. `scheduler.py` finds the workers and `tasks.py` has them
work; `epochs.py` asks for the epochs of a run, whose numbers and checkpoints are in `history.py`,
and `answers.py` for certificates (`novikoff.certificates.sharded` asks the questions). Workers that
are started here load `preload.py` first. Names are imported when they are first used: those of
`__init__.pyi`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
