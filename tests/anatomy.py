"""A model taken apart, so that two can be compared to the last bit."""

import dataclasses

import numpy as np
from scipy import sparse

from novikoff.core.log import Updates
from novikoff.learners.voted import Mistakes


def anatomy(model):
    """Everything in a model, in terms that can be compared with ==."""
    return {name: apart(value) for name, value in vars(model).items()}


def apart(value):
    """The same, for a part of it."""
    if isinstance(value, np.ndarray):
        data = value.tolist() if value.dtype == object else value.tobytes()
        return value.dtype.str, value.shape, data, value.flags.writeable
    if sparse.issparse(value):
        return value.shape, *(apart(part) for part in (value.data, value.indices, value.indptr))
    if isinstance(value, Mistakes):
        return {
            "support": apart(value.stacked()) if value.support else None,
            "n_kept": value.n_kept,
            "unsettled": value.unsettled,
        } | {
            name: apart(np.concatenate([np.zeros(0, dtype), *getattr(value, name)]))
            for name, dtype in (
                ("times", np.int64),
                ("steps", np.float64),
                ("rows", np.int64),
                ("gained", np.int32),
                ("lost", np.int32),
            )
        }
    if isinstance(value, Updates):
        names = (name for name in value.__slots__ if name not in ("table", "data"))
        told = {name: apart(getattr(value, name)) for name in names}
        return told | {"table": value.table[: value.n].tolist()}
    if dataclasses.is_dataclass(value):
        names = (field.name for field in dataclasses.fields(value))
        # the mean follows from the rest, and is known from the first prediction on
        return {name: apart(getattr(value, name)) for name in names if name != "mean"}
    if isinstance(value, np.random.RandomState):
        return [apart(part) for part in value.get_state()]
    if isinstance(value, dict):
        return {key: apart(entry) for key, entry in value.items()}
    return type(value), repr(value)
