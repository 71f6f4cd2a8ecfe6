r"""The search for the best labels of a sequence, and for the best wrong ones (Viterbi 1967).

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

With a beam, only so many of the best $B_t(c)$ lead on. The right labels may then be lost on the
way: when as many wrong ones are at least as good. The best wrong labels up to such a step are a
violation, and so are those up to the step where they lead by most; an update on either moves the
weights as the theorem asks (Huang, Fayong & Guo 2012), one on whole sequences may not.

References
----------
Collins, M. (2002). Discriminative training methods for hidden Markov models. EMNLP.
Collins, M., & Roark, B. (2004). Incremental parsing with the perceptron algorithm. ACL.
Huang, L., Fayong, S., & Guo, Y. (2012). Structured perceptron with inexact search. NAACL.
Viterbi, A. J. (1967). Error bounds for convolutional codes and an asymptotically optimum decoding
algorithm. IEEE Transactions on Information Theory 13(2).
"""

import numpy as np

from novikoff.core.jit import njit
from novikoff.core.prefetch import ask
from novikoff.core.products import dots
from novikoff.core.rows import U, column, first, last

LINE = 8
"""How many weights share a cache line."""


def room_to_decode(longest: int, n_labels: int) -> int:
    """How many numbers the search works on, for sequences of so many steps.

    The transitions; the scores of all steps, the best up to each, and the score of the right labels
    up to it.
    """
    return n_labels**2 + longest * (2 * n_labels + 1)


@njit
def ask_for(W, rows, j):
    """Ask for the weights of a step, which lie far apart, ahead of their use."""
    for k in range(first(rows, j), last(rows, j)):
        own = W[:, column(rows, k)]
        for c in range(0, len(W), LINE):
            ask(own, c)
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
def reach_from_some(before, T, after):
    """The same from the labels that a beam has left."""
    K = U(len(T))
    after[:] = -np.inf
    for q in range(U(0), K):
        if before[q] > -np.inf:
            for c in range(U(0), K):
                s = before[q] + T[q, c]
                after[c] = s if s > after[c] else after[c]


@njit
def prune(B, beam):
    """Of the scores, leave the `beam` best; of those that are as good, the first."""
    least, at = np.inf, -1
    for _ in range(beam):
        found = -1
        for c in range(len(B)):
            left = B[c] < least or (B[c] == least and c > at)
            if left and (found < 0 or B[c] > B[found]):
                found = c
        if found < 0:
            return
        least, at = B[found], found
    for c in range(len(B)):
        if B[c] < least or (B[c] == least and c > at):
            B[c] = -np.inf


@njit
def is_lost(B, right, beam):
    """Are so many wrong labels at least as good as the right ones that a beam loses these?"""
    above = 0
    for c in range(len(B)):
        above += B[c] >= right
    return above >= beam


@njit
def first_of_best(B):
    """The first label with the best score."""
    best = 0
    for c in range(len(B)):
        if B[c] > B[best]:
            best = c
    return best


@njit
def came_from(before, T, c):
    """The first label from which label `c` is reached with the best score."""
    best = 0
    for q in range(1, len(T)):
        if before[q] + T[q, c] > before[best] + T[best, c]:
            best = q
    return best


@njit
def best_rival(S, T, y, cost, kind):
    """The score of the labels `y`, that of the best others, the last of these, and how many.

    A wrong label scores `cost` more. `S` has the scores of all steps, and room for more. With a
    beam, both scores may be those up to a violation, after fewer steps than `y` has.
    """
    K, n, beam = len(T), len(y), kind.beam
    every, right = parts(S, K)
    B = every[:K]
    right[0] = S[y[0]]
    for c in range(U(0), U(K)):
        B[c] = S[c] + cost
    B[y[0]] = -np.inf
    lost, lead, largest, violated, steps = False, -np.inf, -np.inf, n, n
    for t in range(n):
        if t > 0:
            A, was, now = right[t - 1], y[t - 1], y[t]
            s, after = S[t * K : (t + 1) * K], every[t * K : (t + 1) * K]
            wrong = B[was]
            q = came_from(B, T, now)  # to the right label, from what was wrong before
            best = B[q] + T[q, now]
            B[was] = A if wrong < A else wrong
            if beam > 0:
                reach_from_some(B, T, after)
            else:
                reach(B, T, after)
            B[was] = wrong
            for c in range(U(0), U(K)):
                after[c] = after[c] + s[c] + cost
            after[now] = best + s[now]
            right[t] = A + T[was, now] + s[now]
            B = after
        if beam > 0:
            lost |= is_lost(B, right[t], beam)
            prune(B, beam)
            lead = B[first_of_best(B)] - right[t]
            if lead >= largest:
                largest, violated = lead, t + 1
            if lost and kind.early:
                steps = t + 1
                break
    if not kind.early and (lost or lead >= 0.0):
        steps = violated
    B = every[(steps - 1) * K : steps * K]
    last = first_of_best(B)
    return np.float64(right[steps - 1]), np.float64(B[last]), last, steps


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
def best(S, T, n, path, beam):
    """The best labels of a sequence whose steps have the scores `S`, and their score."""
    K = len(T)
    every, _ = parts(S, K)
    for c in range(U(0), U(K)):
        every[c] = S[c]
    for t in range(1, n):
        before, s, after = (
            every[(t - 1) * K : t * K],
            S[t * K : (t + 1) * K],
            every[t * K : (t + 1) * K],
        )
        if beam > 0:
            prune(before, beam)
            reach_from_some(before, T, after)
        else:
            reach(before, T, after)
        for c in range(U(0), U(K)):
            after[c] += s[c]
    c = first_of_best(every[(n - 1) * K : n * K])
    score = every[(n - 1) * K + c]
    for t in range(n - 1, -1, -1):
        path[t] = c
        if t > 0:
            c = came_from(every[(t - 1) * K : t * K], T, c)
    return score
