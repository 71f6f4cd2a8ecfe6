"""One pass of a loop over examples, without a learner."""

import numpy as np

from novikoff.core.drive import drive
from novikoff.core.examples import n_visits
from novikoff.core.log import Log
from novikoff.core.loops import Joint, Pass, Single


def one_pass(W, D, rule, shares=None):
    """Pass over `D` once; the log, and the largest length. Two rows of weights learn jointly."""
    n, K = n_visits(D), len(W)
    p = Pass(
        kind=Single() if K == 1 else Joint(),
        W=W,
        extra=np.empty((K, 0)),
        shares=np.zeros((n, 2), np.int32) if shares is None else shares,
        log=Log.room(n),
        D=D,
        rule=rule,
        since=np.zeros(K, np.int64),
        scores=np.empty(K, W.dtype),
        least=np.full(1, np.inf),
        squares=np.empty(0),
        mistakes=np.zeros(1, np.int64),
        whole=False,
        measure=True,
    )
    k, R, stopped = drive(p, 0, 0, n, 0.0, False)
    assert stopped < 0
    return p.log.some(0, k), R
