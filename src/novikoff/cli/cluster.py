"""`novikoff fit`, `certify` and `verify` with `--cluster`: shards, which dask's workers have."""

import logging
import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager

from novikoff import Separability
from novikoff.certificates.sharded.coordinator import Travel
from novikoff.cli import DONE, STOPPED, TERMINATED, say
from novikoff.cli.checkpoint import again, checkpoint_of
from novikoff.cli.commands.certify import BYTES_EACH
from novikoff.cli.conflicts import require_meaning
from novikoff.cli.data_file import asked, require_room
from novikoff.cli.paths import require_different
from novikoff.cli.progress import Bar
from novikoff.cli.signals import Terminated
from novikoff.cli.summary import finish
from novikoff.cli.text import counted, tell_skipped
from novikoff.cli.training import weights_by_label, weights_of_classes
from novikoff.cluster.answers import Workers
from novikoff.cluster.epochs import fitted_on
from novikoff.cluster.history import Mixed, Moment
from novikoff.cluster.scheduler import connected, gigabytes, require_dask
from novikoff.cluster.sources import SHARD_BYTES, FileShard, Sharded, sharded
from novikoff.cluster.survey import Layout
from novikoff.learners.base import MistakeDriven


def hush_dask() -> None:
    """Keep dask and its event loop from logging what the command says itself, as after Ctrl-C."""
    require_dask()  # which sets the levels itself when it is imported
    for name in ("distributed.client", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def found_shards(arguments: Namespace) -> Sharded:
    """The shards of the files that were named; no option may be idle."""
    size = arguments.shard_bytes or SHARD_BYTES
    data = sharded(arguments.data, shard_bytes=size, **asked(arguments))
    for shard in data.shards:
        require_meaning(arguments, shard.name, shard.reading["format"])
    paths = {shard.path for shard in data.shards if isinstance(shard, FileShard)}
    outputs = [getattr(arguments, name, None) for name in ("save", "output", "checkpoint")]
    for path in sorted(paths):
        require_different(path, *outputs)
    return data


# ------------------------------------------------------------- certificates


def certified(arguments: Namespace) -> tuple[Separability, Layout, str]:
    """The verdict on all shards, what is in them, and how many rows were sent about."""
    how = (arguments.fit_intercept, arguments.tol, arguments.budget)
    with working(arguments) as workers, TravelBar() as watch:
        result, travel = workers.certify(*how, watch=watch)
    layout = workers.layout
    told = (
        f"{travel.rows:,} of {travel.n_examples:,} examples, in {travel.passes:,} passes over "
        f"{counted(workers.count, 'shard')}"
    )
    return result, layout, told


def verified(arguments: Namespace, certificate: Separability) -> bool:
    """Does a certificate hold for all shards?"""
    with working(arguments) as workers, TravelBar() as watch:
        return workers.verify(certificate, watch)


@contextmanager
def working(arguments: Namespace) -> Iterator[Workers]:
    """The workers, when they have looked at their shards."""
    data = found_shards(arguments)
    hush_dask()
    with connected(arguments.cluster, arguments.workers) as client:
        workers = Workers(data, client)
        tell_skipped(workers.layout.skipped)
        words = arguments.data if isinstance(arguments.data, list) else [arguments.data]
        require_room(", ".join(words), workers.layout.n_features, BYTES_EACH)
        yield workers


class TravelBar(Bar):
    """A bar of passes over all shards."""

    def __call__(self, travel: Travel) -> None:
        """After every pass."""
        self.start(unit=" passes")
        self.show(travel.passes, f"{travel.rows:,} rows travelled")


# ------------------------------------------------------------- learning


def fit_on_cluster(model: MistakeDriven, arguments: Namespace) -> int:
    """Train on shards, and write the model."""
    found_shards(arguments)
    checkpoint = checkpoint_of(arguments, once=False) if arguments.checkpoint else None
    resume = arguments.resume and os.path.exists(checkpoint or "")
    if arguments.resume and not resume:
        say(f"{checkpoint} does not exist: starting from the beginning.")
    hush_dask()
    weights, before = weights_of_classes(arguments), None if resume else written(checkpoint)
    with ShardsBar(hidden=arguments.quiet) as progress:
        try:
            with connected(arguments.cluster, arguments.workers) as client:
                fitted = fitted_on(
                    client,
                    model,
                    arguments.data,
                    mixing=arguments.mixing or "uniform",
                    classes=arguments.classes,
                    shard_bytes=arguments.shard_bytes or SHARD_BYTES,
                    hold=None,
                    checkpoint=checkpoint,
                    resume=resume,
                    watch=progress,
                    weigh=None if weights is None else lambda c: weights_by_label(weights, c),
                    **asked(arguments),
                )
        except (KeyboardInterrupt, Terminated) as signal:
            if written(checkpoint) == before:
                raise
            say(f"stopped in epoch {max(1, progress.epoch)}. Go on with:\n  {again()}")
            return TERMINATED if isinstance(signal, Terminated) else STOPPED
    layout = fitted.layout
    n_examples = sum(layout.n_examples)
    finish(model, layout.names, layout.reading, layout.skipped, n_examples, arguments)
    if checkpoint is not None and os.path.exists(checkpoint):
        os.remove(checkpoint)
    if not arguments.quiet:
        summarize_mix(fitted.mixed)
    return DONE


def written(checkpoint: str | None) -> tuple[int, int] | None:
    """What tells a checkpoint from one that was there before; None if there is none."""
    if checkpoint is None or not os.path.exists(checkpoint):
        return None
    found = os.stat(checkpoint)
    return found.st_mtime_ns, found.st_ino


def summarize_mix(mixed: Mixed) -> None:
    """What mixing came to, for people."""
    bound = f", and at most {mixed.bound:,.0f} can be" if mixed.bound < float("inf") else ""
    known = [epoch.bytes_moved for epoch in mixed.epochs if epoch.bytes_moved >= 0]
    moved = f"; {gigabytes(sum(known) // len(known))} moved in an epoch" if known else ""
    print(
        f"{counted(mixed.n_shards, 'shard')}, mixed after each epoch: "
        f"{mixed.weighted_mistakes:,.1f} weighted mistakes{bound}{moved}",
        file=sys.stderr,
    )


class ShardsBar(Bar):
    """A bar of shards; and where the dashboard is, terminal or not."""

    def __init__(self, *, hidden: bool) -> None:
        super().__init__(hidden=hidden)
        self.hidden, self.epoch, self.told = hidden, 0, False

    def __call__(self, moment: Moment) -> None:
        """After every shard."""
        self.epoch = moment.epoch
        if not self.told and moment.dashboard and not self.hidden:
            say(f"the dashboard is at {moment.dashboard}")
        self.told = True
        self.start(total=moment.n_shards * (moment.n_epochs + 1), unit=" shards")
        last = moment.last
        moved = f", {gigabytes(last.bytes_moved)} moved" if last and last.bytes_moved >= 0 else ""
        self.show(
            moment.epoch * moment.n_shards + moment.shard,
            counted(moment.mistakes, "mistake") + moved,
            f"epoch {moment.epoch}/{moment.n_epochs}" if moment.epoch else "looking",
        )
