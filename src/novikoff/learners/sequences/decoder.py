"""The labels that a tagger predicts."""

import numpy as np

from novikoff.core.chains import decode
from novikoff.core.products import suited
from novikoff.core.rows import Chain
from novikoff.core.viterbi import room_to_decode
from novikoff.inputs.arrays import as_rows, overflow, require_sound
from novikoff.inputs.sequences import Sequences
from novikoff.learners.sequences.schemes import require_any
from novikoff.parallel.cores import n_threads, side_by_side, spans
from novikoff.typing import Array


def decoded(W: Array, T: Array, read: Sequences, beam: int | None, n_jobs: int | None) -> Array:
    """The best labels of all steps."""
    path, lengths = np.empty(int(read.starts[-1]), np.int32), np.diff(read.starts)
    rows = Chain(as_rows(read.rows), read.starts, path, read.grammar)
    task = suited(W, rows), T, rows, min(beam or 0, len(W))
    room = room_to_decode(int(lengths.max()), len(W))
    threads = min(n_threads(n_jobs), 1 + len(path) // 4096)
    parts = [(*task, np.empty(room), path, *some) for some in spans(len(lengths), threads)]
    stopped = [i for i in side_by_side(decode, parts) if i >= 0]
    if stopped:
        require_sound(read.rows)
        require_any(read.grammar, int(lengths[min(stopped)]), min(stopped))
        raise overflow(W.dtype)
    return path
