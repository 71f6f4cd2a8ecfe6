r"""Sequences of labels: the loop that learns them, and the search for the best (Viterbi 1967).

The labels $z$ of a sequence have the score $s(z) = \sum_t (\langle w_{z_t}, x_t\rangle + b_{z_t}) +
\sum_t T_{z_{t-1} z_t}$, where $T$ has a weight for every label after every other. The margin of a
sequence with the right labels $y$ is $m = s(y) - \max_{z \ne y} s(z)$, as that of a single example
of many classes is: where it is not above 0, the right labels gain what the best wrong ones lose
(Collins 2002).

The best *wrong* sequence is found in the same time as the best. Let $A_t$ be the score of the right
labels up to step $t$, and $B_t(c)$ the best score of labels up to step $t$ that end in $c$, one of
which is wrong. To a wrong label lead all labels before, right ones too; to the right label lead
only those that were wrong before:

$$B_t(c) = s_t(c) + \max_q \begin{cases} B_{t-1}(q) + T_{qc} & \text{if } c = y_t \\
  \max(B_{t-1}(q), A_{t-1}[q = y_{t-1}]) + T_{qc} & \text{else.} \end{cases}$$

Of labels that are as good, those with the least numbers win, read from the end; and, where these
are the same, those that were right so far.

References
----------
Collins, M. (2002). Discriminative training methods for hidden Markov models. EMNLP.
Viterbi, A. J. (1967). Error bounds for convolutional codes and an asymptotically optimum decoding
algorithm. IEEE Transactions on Information Theory 13(2).
"""

import numpy as np

from novikoff.core.examples import visit, weight
from novikoff.core.jit import njit
from novikoff.core.loops import move
from novikoff.core.prefetch import ask
from novikoff.core.products import dots
from novikoff.core.rows import U, column, first, last, norm


def room_to_decode(longest: int, n_labels: int) -> int:
    """How many numbers the search works on, for sequences of so many steps.

    The scores of all steps, the best up to each step, and the score of the right labels up to it.
    """
    return longest * (2 * n_labels + 1)


@njit
def ask_for(W, rows, j):
    """Ask for the weights of a step, which lie far apart, ahead of their use."""
    for k in range(first(rows, j), last(rows, j)):
        own = W[:, column(rows, k)]
        ask(own, 0)
        ask(own, len(W) - 1)


@njit
def score_steps(W, sequences, i, S):
    """The scores of all labels at all steps of sequence `i`, into `S`; are they finite?"""
    K, low = len(W), sequences.starts[i]
    total = 0.0
    for j in range(low, sequences.starts[i + 1]):
        s = S[(j - low) * K : (j - low + 1) * K]
        if j + 1 < sequences.starts[i + 1]:
            ask_for(W, sequences.rows, j + 1)
        dots(W, sequences.rows, j, s)
        for c in range(U(0), U(K)):
            s[c] += W[c, -1]
            total += abs(s[c])
    return total < np.inf


@njit
def without_late(S, n, K, since, t):
    """Leave out the labels that have not come by visit `t`."""
    for c in range(K):
        if np.int64(t) < since[c]:
            for k in range(n):
                S[k * K + c] = -np.inf


@njit
def parts(S, K):
    """The room for the best scores up to each step, and for those of the right labels."""
    longest = len(S) // (2 * K + 1)
    return S[longest * K : 2 * longest * K], S[2 * longest * K :]


@njit
def reach(before, T, after):
    r"""The best score with which each label can be reached: $\max_q b_q + T_{qc}$."""
    K = U(len(T))
    for c in range(U(0), K):
        after[c] = before[0] + T[0, c]
    for q in range(U(1), K - U(1), U(2)):  # two at a time, which halves what is stored
        u, v, one, other = before[q], before[q + U(1)], T[q], T[q + U(1)]
        for c in range(U(0), K):
            s, r = u + one[c], v + other[c]
            s = r if r > s else s
            after[c] = s if s > after[c] else after[c]
    if K % U(2) == U(0):
        v, row = before[K - U(1)], T[K - U(1)]
        for c in range(U(0), K):
            s = v + row[c]
            after[c] = s if s > after[c] else after[c]


@njit
def came_from(before, T, c):
    """The first label from which label `c` is reached with the best score."""
    best = 0
    for q in range(1, len(T)):
        if before[q] + T[q, c] > before[best] + T[best, c]:
            best = q
    return best


@njit
def best_rival(S, T, y, cost):
    """The score of the labels `y`, that of the best others, and the last label of these.

    A wrong label scores `cost` more. `S` has the scores of all steps, and room for more.
    """
    K, n = len(T), len(y)
    every, right = parts(S, K)
    B = every[:K]
    right[0] = S[y[0]]
    for c in range(U(0), U(K)):
        B[c] = S[c] + cost
    B[y[0]] = -np.inf
    for t in range(1, n):
        A, was, now = right[t - 1], y[t - 1], y[t]
        s, after = S[t * K : (t + 1) * K], every[t * K : (t + 1) * K]
        wrong = B[was]
        q = came_from(B, T, now)  # to the right label, from what was wrong before
        best = B[q] + T[q, now]
        B[was] = A if wrong < A else wrong
        reach(B, T, after)
        B[was] = wrong
        for c in range(U(0), U(K)):
            after[c] = after[c] + s[c] + cost
        after[now] = best + s[now]
        right[t] = A + T[was, now] + s[now]
        B = after
    last = 0
    for c in range(K):
        if B[c] > B[last]:
            last = c
    return np.float64(right[n - 1]), np.float64(B[last]), last


@njit
def write_rival(S, T, y, last, path):
    """The labels that `best_rival` found, read back from the last; how many are wrong."""
    K = len(T)
    every, right = parts(S, K)
    c, wrong = last, 0
    for t in range(len(y) - 1, -1, -1):
        path[t] = c
        wrong += c != y[t]
        if t == 0:
            break
        before, was, as_yet = every[(t - 1) * K : t * K], y[t - 1], right[t - 1]
        own = before[was]
        if c != y[t] and as_yet >= own:
            before[was] = as_yet
        q = came_from(before, T, c)
        before[was] = own
        if c != y[t] and q == was and as_yet >= own:  # all was right before
            for k in range(t):
                path[k] = y[k]
            break
        c = q
    return wrong


@njit
def correct(W, T, a, sequences, i, path, bias):
    """The right labels of sequence `i` gain it `a` times, those of `path` lose it."""
    low, y = sequences.starts[i], sequences.labels
    for j in range(low, sequences.starts[i + 1]):
        if y[j] != path[j]:
            move(W, a, y[j], path[j], sequences.rows, j, bias)
        if j > low and (y[j] != path[j] or y[j - 1] != path[j - 1]):
            T[y[j - 1], y[j]] += a
            T[path[j - 1], path[j]] -= a


@njit
def length_of_sequence(sequences, i, bias):
    r"""$\sqrt{(\sum_t\|(x_t, b)\|)^2 + (n - 1)^2}$: half of the square of any update's is no more.

    An update adds $\pm(x_t, b)$ to two labels at each step, and $\pm1$ to two of $T$ after the
    first: lengths that add up to at most $\sqrt2\sum_t\|(x_t, b)\|$ and $\sqrt2(n - 1)$.
    """
    total, low, high = 0.0, sequences.starts[i], sequences.starts[i + 1]
    for j in range(low, high):
        total += np.hypot(norm(sequences.rows, j), bias)
    return np.hypot(total, np.float64(high - low - 1))


@njit(nogil=True, cache=True)
def chain(p, k, low, high, R, search):
    """As `joint` does, for sequences: make the visits from `low` to `high`."""
    W, T, D, rule, log, S = p.W, p.extra, p.D, p.rule, p.log, p.scores
    sequences, K = D.rows, len(W)
    for t in range(U(low), U(high)):
        i = visit(D, t)
        start, stop = sequences.starts[i], sequences.starts[i + 1]
        y, path = sequences.labels[start:stop], log.path[start:stop]
        if p.measure:
            R = max(R, length_of_sequence(sequences, i, rule.bias))
        if not (score_steps(W, sequences, i, S) and np.inf > R):
            return k, R, np.int64(t)
        without_late(S, stop - start, K, p.since, t)
        cost = rule.least * weight(D, i) / (stop - start)
        right, best, last = best_rival(S, T, y, cost)
        if not abs(right) < np.inf:
            return k, R, np.int64(t)
        m = right - best
        if m + cost < p.least[0]:
            p.least[0] = m + cost
        if m > 0.0:
            continue
        if search:
            return k, R, np.int64(t)
        wrong = write_rival(S, T, y, last, path)
        if m + cost * wrong > 0.0:  # wrong with their costs only: are others without?
            free, best, _ = best_rival(S, T, y, 0.0)
            p.mistakes[0] += free <= best
        else:
            p.mistakes[0] += 1
        a = rule.eta * weight(D, i)
        correct(W, T, a, sequences, i, log.path, rule.bias)
        log.time[k], log.step[k] = t, a
        log.gained[k] = log.lost[k] = -1
        k += 1
    return k, R, np.int64(-1)


@njit(cache=True)
def replay_sequences(W, T, sequences, examples, steps, path, bias):
    """Make these updates on other weights."""
    for k in range(len(steps)):
        correct(W, T, steps[k], sequences, examples[k], path, bias)


@njit
def best(S, T, n, path):
    """The best labels of a sequence whose steps have the scores `S`."""
    K = len(T)
    every, _ = parts(S, K)
    for c in range(U(0), U(K)):
        every[c] = S[c]
    for t in range(1, n):
        s, after = S[t * K : (t + 1) * K], every[t * K : (t + 1) * K]
        reach(every[(t - 1) * K : t * K], T, after)
        for c in range(U(0), U(K)):
            after[c] += s[c]
    c = 0
    for q in range(K):
        if every[(n - 1) * K + q] > every[(n - 1) * K + c]:
            c = q
    for t in range(n - 1, -1, -1):
        path[t] = c
        if t > 0:
            c = came_from(every[(t - 1) * K : t * K], T, c)


@njit(nogil=True, cache=True)
def decode(W, T, sequences, S, path, low, high):
    """The best labels of these sequences; the first whose scores are not finite, or -1."""
    for i in range(low, high):
        start, stop = sequences.starts[i], sequences.starts[i + 1]
        if start == stop:
            continue
        if not score_steps(W, sequences, i, S):
            return i
        best(S, T, stop - start, path[start:stop])
    return -1
