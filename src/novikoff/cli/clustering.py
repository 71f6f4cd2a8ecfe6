"""`novikoff fit --cluster`: shards, on the workers of a dask cluster."""

import logging
import os
import sys
import time
from argparse import Namespace
from contextlib import ExitStack
from typing import Any, Self

from novikoff.cli import DONE, STOPPED, TERMINATED, Terminated, say
from novikoff.cli.fitting import again, checkpoint_of, finish, summarize, weights_of_classes
from novikoff.cli.meaning import require_meaning
from novikoff.cli.reading import asked
from novikoff.cli.training import weights_by_label
from novikoff.cli.wording import counted
from novikoff.cluster.epochs import fitted_on
from novikoff.cluster.history import Mixed, Moment
from novikoff.cluster.scheduler import connected, gigabytes, require_dask
from novikoff.cluster.sources import SHARD_BYTES, sharded


def hush_dask() -> None:
    """Keep dask and its event loop from logging what the command says itself, as after Ctrl-C."""
    require_dask()  # which sets the levels itself when it is imported
    for name in ("distributed.client", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def on_cluster(model: Any, arguments: Namespace) -> int:
    """Train on shards, and write the model."""
    started = time.monotonic()
    reading = asked(arguments)
    shards = sharded(arguments.data, **reading).shards
    require_meaning(arguments, shards[0].name, shards[0].reading["format"])
    checkpoint = checkpoint_of(arguments, once=False) if arguments.checkpoint else None
    resume = arguments.resume and os.path.exists(checkpoint or "")
    if arguments.resume and not resume:
        say(f"{checkpoint} does not exist: starting from the beginning.")
    hush_dask()
    weights, before = weights_of_classes(arguments), None if resume else written(checkpoint)
    with ShardProgress(hidden=arguments.quiet) as progress:
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
                    **reading,
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
        summarize(model, time.monotonic() - started)
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


class ShardProgress(ExitStack):
    """A bar of shards, on a terminal only; and where the dashboard is."""

    def __init__(self, *, hidden: bool) -> None:
        super().__init__()
        self.hidden, self.epoch, self.told = hidden, 0, False
        self.bar: Any = None

    def __enter__(self) -> Self:
        return self

    def __call__(self, moment: Moment) -> None:
        """After every shard."""
        self.epoch = moment.epoch
        if self.hidden:
            return
        if not self.told and moment.dashboard:
            say(f"the dashboard is at {moment.dashboard}")
        self.told = True
        if not sys.stderr.isatty():
            return
        if self.bar is None:
            from tqdm import tqdm

            whole = moment.n_shards * (moment.n_epochs + 1)
            self.bar = self.enter_context(
                tqdm(total=whole, unit=" shards", file=sys.stderr, leave=False)
            )
        done = moment.epoch * moment.n_shards + moment.shard
        what = f"epoch {moment.epoch}/{moment.n_epochs}" if moment.epoch else "looking"
        last = moment.last
        moved = f", {gigabytes(last.bytes_moved)} moved" if last and last.bytes_moved >= 0 else ""
        self.bar.set_description(what, False)
        self.bar.set_postfix_str(counted(moment.mistakes, "mistake") + moved, False)
        self.bar.update(done - self.bar.n)
