"""What must be known of all shards before anything can be learned from one.

Each shard is looked at where it is; what comes back is small. From that follow the classes, the
number of features, the base of svmlight indices, and what is wrong with the whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from novikoff.cluster.sources import Reading, Shard, digest_of
from novikoff.data.locations import first_not_among, third_label
from novikoff.data.results import Data, Skipped
from novikoff.errors import DataError, FileError
from novikoff.inputs.arrays import size_of
from novikoff.inputs.labels import as_label, as_labels, as_written, first_classes
from novikoff.typing import Array


@dataclass(frozen=True)
class Layout:
    """What one shard has in it, or what all shards have in common. It can be pickled."""

    classes: Array
    n_features: int
    base: int
    """What svmlight indices start at; of one shard, its least index, 2^62 if there is none."""
    single: bool
    """Are values, and so weights, of single precision?"""
    names: list[str] | None
    reading: Reading
    """The options of `novikoff.data.read`, with what the shards told filled in."""
    n_examples: list[int] = field(default_factory=list)
    """Of each shard."""
    totals: list[float] = field(default_factory=list)
    """How much the examples of each class weigh, or how many there are."""
    weighted: bool = False
    """Has some example a weight of its own?"""
    n_bytes: int = 0
    """What the largest shard takes in memory."""
    skipped: Skipped = field(default_factory=Skipped)
    digest: str = ""
    """Of all examples, in their order."""

    @property
    def n_vectors(self) -> int:
        """How many weight vectors there are: one for two classes, or one for each of more."""
        return len(self.classes) if len(self.classes) > 2 else 1

    @property
    def brief(self) -> "Layout":
        """What the tasks on a shard need of it, which is less to send."""
        return replace(self, names=None, n_examples=[], digest="")


def look(shard: Shard, data: Data) -> Layout:
    """What is in a shard that was loaded."""
    X, y = data.X, data.y
    if y is None:
        raise DataError(f"{shard.name} has no labels: a classifier learns from labelled examples.")
    try:
        y = as_labels(y)
    except DataError as error:
        raise error.about(shard.name) from None
    labels, places = np.unique(y, return_inverse=True)
    totals = np.bincount(places, data.weight, len(labels))
    least = 2**62
    if sparse.issparse(X) and X.nnz:
        least = int(X.indices.min()) + data.base
    return Layout(
        classes=labels,
        n_features=int(X.shape[1]),
        base=least,
        single=X.dtype == np.float32,
        names=data.names,
        reading=shard.reading,
        n_examples=[int(X.shape[0])],
        totals=totals.tolist(),
        weighted=data.weight is not None,
        n_bytes=size_of(X),
        skipped=data.skipped,
        digest=digest_of(data),
    )


def layout_of(
    shards: Sequence[Shard], seen: Sequence[Layout], classes: Sequence[str] | None = None
) -> Layout:
    """What all shards have in common, or an error about the first that differs.

    `classes` are all labels as written, if they were told beforehand.
    """
    there = [
        (shard, each) for shard, each in zip(shards, seen, strict=True) if any(each.n_examples)
    ]
    called = shards[0].name if len(shards) == 1 else f"{shards[0].name} to {shards[-1].name}"
    if not there:
        raise DataError(f"{called}: found no examples, expected at least one")
    found = _labels(there)
    told = found
    if classes is not None:
        told = sorted({as_label(word, np.asarray(found).dtype) for word in classes})
    if len(told) < 2:
        raise FileError(
            called, f"found only one label, {as_written(told[0])}: a classifier needs two"
        )
    base, n_features = _columns(there)
    names = there[0][1].names
    for shard, each in there:
        if each.names != names:
            raise FileError(shard.name, f"its columns are not those of {there[0][0].name}")
    reading = dict(shards[0].reading)
    if reading.get("format") == "svmlight":
        reading |= {"n_features": n_features, "zero_based": base == 0}
    by_label = dict.fromkeys(told, 0.0)
    for _, each in there:
        for label, total in zip(each.classes.tolist(), each.totals, strict=True):
            if label in by_label:
                by_label[label] += total
    return Layout(
        classes=first_classes(np.array(told)),
        n_features=n_features,
        base=base,
        single=all(each.single for _, each in there),
        names=names,
        reading=reading,
        n_examples=[n for each in seen for n in each.n_examples],
        totals=[by_label[label] for label in sorted(by_label)],
        weighted=any(each.weighted for _, each in there),
        n_bytes=max(each.n_bytes for each in seen),
        skipped=sum((each.skipped for each in seen), Skipped()),
        digest=" ".join(each.digest for each in seen),
    )


def _labels(there: list[tuple[Shard, Layout]]) -> list[Any]:
    """The labels of all shards, sorted."""
    words = [each.classes.dtype.kind in "US" for _, each in there]
    for (shard, each), is_word in zip(there, words, strict=True):
        if is_word != words[0]:
            first = there[0]
            raise FileError(
                shard.name,
                f"found labels like {each.classes.tolist()[0]!r}, but {first[0].name} has labels "
                f"like {first[1].classes.tolist()[0]!r}: give labels of one kind",
            )
    return sorted({label for _, each in there for label in each.classes.tolist()})


def _columns(there: list[tuple[Shard, Layout]]) -> tuple[int, int]:
    """What the first column is called, and how many there are."""
    shard, first = there[0]
    if shard.reading.get("format") == "svmlight":
        told = shard.reading.get("zero_based", "auto")
        least = min(each.base for _, each in there)
        base = int(least > 0) if shard.base_is_open else int(not told)
        shift = base if shard.base_is_open else 0
        most = max(each.n_features for _, each in there) - shift
        return base, int(shard.reading.get("n_features") or max(most, 1))
    for other, each in there:
        if each.n_features != first.n_features:
            raise FileError(
                other.name,
                f"found {each.n_features} features, expected {first.n_features} as in {shard.name}",
            )
    return 0, first.n_features


def settled(shard: Shard, data: Data, layout: Layout) -> Data:
    """The examples of a shard as all shards have them: columns, precision, labels that are known.

    A label that is none of the classes is an error at its line.
    """
    data = shard.settled(data, layout.n_features, layout.base)
    y = as_labels(data.y)
    other = first_not_among(y, layout.classes.tolist()) if len(y) else None
    if other is not None:
        what = third_label(other[1], layout.classes.tolist())
        raise shard.blamed(data, other[0], what, layout.reading)
    X = data.X
    if X.dtype == np.float32 and not layout.single:
        X = X.astype(np.float64)
    return data._replace(X=X, y=y)
