"""`novikoff certify --cluster` and `verify --cluster`: data that workers have."""

import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from novikoff import Separability
from novikoff.cli.clustering import hush_dask
from novikoff.cli.meaning import require_meaning
from novikoff.cli.paths import require_different
from novikoff.cli.proving import BYTES_EACH, About
from novikoff.cli.reading import asked, require_room_for, tell_skipped
from novikoff.cluster.answers import Workers
from novikoff.cluster.scheduler import connected
from novikoff.cluster.sources import SHARD_BYTES, FileShard, Sharded, sharded
from novikoff.separation.sharded.coordinator import Travel


def certified(arguments: Namespace, **options: Any) -> tuple[Separability, About]:
    """The verdict on all shards, and what is to be said of them."""
    with working(arguments) as workers, watching() as watch:
        result, travel = workers.certify(**options, watch=watch)
    layout = workers.layout
    shards = workers.count
    told = (
        f"{travel.rows:,} of {travel.n_examples:,} examples, in {travel.passes:,} passes over "
        f"{shards:,} shard{'s' * (shards != 1)}"
    )
    return result, About(layout.n_features, layout.names, layout.base, told)


def verified(arguments: Namespace, certificate: Separability) -> bool:
    """Does a certificate hold for all shards?"""
    with working(arguments) as workers, watching() as watch:
        return workers.verify(certificate, watch)


@contextmanager
def working(arguments: Namespace) -> Iterator[Workers]:
    """The workers, when they have looked at their shards."""
    data = found_shards(arguments)
    hush_dask()
    with connected(arguments.cluster, arguments.workers) as client:
        workers = Workers(data, client)
        tell_skipped(workers.layout.skipped)
        require_room_for(arguments.data, workers.layout.n_features, BYTES_EACH)
        yield workers


def found_shards(arguments: Namespace) -> Sharded:
    """The shards of the files that were named; no option may be idle."""
    size = SHARD_BYTES if arguments.shard_bytes is None else arguments.shard_bytes
    data = sharded(arguments.data, shard_bytes=size, **asked(arguments))
    for shard in data.shards:
        require_meaning(arguments, shard.name, shard.reading["format"])
    paths = {shard.path for shard in data.shards if isinstance(shard, FileShard)}
    for path in sorted(paths):
        require_different(path, getattr(arguments, "save", None))
    return data


@contextmanager
def watching() -> Iterator[Any]:
    """What is told while it goes on: on a terminal, how far it is."""
    if not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(file=sys.stderr, unit=" passes", leave=False) as bar:

        def watch(travel: Travel) -> None:
            bar.set_postfix_str(f"{travel.rows:,} rows travelled", False)
            bar.update(travel.passes - bar.n)

        yield watch
