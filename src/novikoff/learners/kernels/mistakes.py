r"""The mistakes of a kernel perceptron, from which every way of predicting can be read.

With update $\delta_k$ at time $t_k$, counted from 0, the weights after $T$ examples are
$\sum_k \delta_k$, their mean over the way is $\frac1T\sum_k (T - t_k)\,\delta_k$, and the voters
are the prefix sums, each with the number of examples that it survived.
"""

from dataclasses import dataclass

import numpy as np

from novikoff.core.jit import njit
from novikoff.typing import Array


@dataclass(eq=False)
class Events:
    """Updates in the order they were made: time, row of the support, output, step."""

    times: Array
    rows: Array
    outputs: Array
    steps: Array
    n: int = 0

    @classmethod
    def none(cls) -> "Events":
        """No updates yet."""
        whole = np.zeros(0, np.int64)
        return cls(whole, whole.copy(), whole.copy(), np.zeros(0))

    def append(self, times: Array, rows: Array, delta: Array) -> None:
        """Add the updates of some rows, each a line of `delta`, at these times."""
        which, outputs = np.nonzero(delta)
        n = self.n + len(which)
        added = (times[which], rows[which], outputs, delta[which, outputs])
        for name, more in zip(("times", "rows", "outputs", "steps"), added, strict=True):
            column = getattr(self, name)
            if n > len(column):
                column = np.concatenate([column[: self.n], np.zeros_like(column, shape=n)])
                setattr(self, name, column)
            column[self.n : n] = more
        self.n = n

    def columns(self) -> tuple[Array, Array, Array, Array]:
        """The four columns, without spare room."""
        n = self.n
        return self.times[:n], self.rows[:n], self.outputs[:n], self.steps[:n]

    def branch(self, outputs: Array | None) -> "Events":
        """Events that can go their own way; with their outputs mixed if there are new classes."""
        if outputs is None:
            return Events(self.times, self.rows, self.outputs, self.steps, self.n)
        times, rows, old, steps = self.columns()
        which, new = np.nonzero(outputs[old])
        mixed = steps[which] * outputs[old][which, new]
        return Events(times[which], rows[which], new, mixed, len(which))

    def tally(self, support: int, outputs: int) -> Array:
        r"""$\sum_k t_k\,\delta_k$ for every row of the support and every output."""
        u = np.zeros((support, outputs))
        times, rows, which, steps = self.columns()
        np.add.at(u, (rows, which), times * steps)
        return u

    def __getstate__(self) -> dict[str, object]:
        """Without the spare room."""
        names = ("times", "rows", "outputs", "steps")
        kept = {name: column.copy() for name, column in zip(names, self.columns(), strict=True)}
        return kept | {"n": self.n}


@njit(allocates=True, cache=True)
def votes(K, events, T, on_line, scatter, V, unsure):
    """Add up the votes of all hyperplanes, each weight vector for itself, of -1 and +1.

    Kernel values are known up to `scatter` only: `unsure` gets the votes that could be others.
    """
    times, rows, outputs, steps = events
    s, doubt, since = np.empty(V.shape[1]), np.empty(V.shape[1]), np.empty(V.shape[1], np.int64)
    for i in range(len(V)):
        s[:], doubt[:], since[:] = 0.0, 0.0, 0
        for k in range(len(times)):
            c = outputs[k]
            stood = times[k] - since[c]
            V[i, c] += stood if s[c] > 0.0 or (s[c] == 0.0 and on_line > 0) else -stood
            unsure[i] += stood if s[c] * s[c] < doubt[c] else 0
            s[c] += steps[k] * K[i, rows[k]]
            doubt[c] += (2.0 * steps[k] * scatter) ** 2
            since[c] = times[k]
        for c in range(len(s)):
            stood = T - since[c]
            V[i, c] += stood if s[c] > 0.0 or (s[c] == 0.0 and on_line > 0) else -stood
            unsure[i] += stood if s[c] * s[c] < doubt[c] else 0


@njit(allocates=True, cache=True)
def shares(K, events, T, on_line, scatter, V, unsure):
    """Add up for how many examples each class had the highest score; `unsure` as for `votes`."""
    times, rows, outputs, steps = events
    s = np.empty(V.shape[1])
    for i in range(len(V)):
        s[:], doubt, since = 0.0, 0.0, 0
        for k in range(len(times) + 1):
            now = times[k] if k < len(times) else T
            if now > since:
                best, lead = 0, np.inf
                for c in range(1, len(s)):
                    if s[c] > s[best] or (s[c] == s[best] and on_line > 0):
                        best, lead = c, s[c] - s[best]
                    else:
                        lead = min(lead, s[best] - s[c])
                V[i, best] += now - since
                unsure[i] += now - since if lead * lead < doubt else 0
                since = now
            if k < len(times):
                s[outputs[k]] += steps[k] * K[i, rows[k]]
                doubt += (4.0 * steps[k] * scatter) ** 2
