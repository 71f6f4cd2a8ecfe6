r"""Sequences of labels: the loop that learns them, and what else is done with their updates.

The margin of a sequence is the score of its right labels less that of the best wrong ones, which
`novikoff.core.viterbi` finds; where it is not above 0, the right labels gain what these lose.

References
----------
Collins, M. (2002). Discriminative training methods for hidden Markov models. EMNLP.
"""

import numpy as np

from novikoff.core.examples import visit, weight
from novikoff.core.grammar import allow, within_grammar
from novikoff.core.jit import njit
from novikoff.core.loops import move
from novikoff.core.rows import U, dot, norm, square_length
from novikoff.core.viterbi import (
    best,
    best_rival,
    parts,
    score_steps,
    without_late,
    write_rival,
)


@njit
def gain(w, a, rows, j, bias):
    r"""By how much $\|w\|^2$ grows when row `j` is added `a` times."""
    return a * (2.0 * (dot(w, rows, j) + w[-1] * bias) + a * (square_length(rows, j) + bias**2))


@njit
def correct(W, T, a, sequences, i, path, bias, squares):
    """The right labels of sequence `i` gain it `a` times, those of `path` lose it.

    Only up to where `path` ends, with -1. What the squared length of all weights gains is added
    to `squares`, unless that is empty.
    """
    low, y, rows = sequences.starts[i], sequences.labels, sequences.rows
    for j in range(low, sequences.starts[i + 1]):
        if path[j] < 0:
            break
        if y[j] != path[j]:
            if len(squares) > 0:
                squares[0] += gain(W[y[j]], a, rows, j, bias)
                squares[0] += gain(W[path[j]], -a, rows, j, bias)
            move(W, a, y[j], path[j], rows, j, bias)
        if j > low and (y[j] != path[j] or y[j - 1] != path[j - 1]):
            up, down = T[y[j - 1], y[j]], T[path[j - 1], path[j]]
            if len(squares) > 0:
                squares[0] += a * (2.0 * (up - down) + 2.0 * a)
            T[y[j - 1], y[j]] = up + a
            T[path[j - 1], path[j]] = down - a


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
    W, D, rule, log, kind = p.W, p.D, p.rule, p.log, p.kind
    sequences, K = D.rows, len(W)
    grammar = sequences.grammar
    T, S = allow(p.extra, grammar, p.scores)
    for t in range(U(low), U(high)):
        i = visit(D, t)
        start, stop = sequences.starts[i], sequences.starts[i + 1]
        y, path = sequences.labels[start:stop], log.path[start:stop]
        if p.measure:
            R = max(R, length_of_sequence(sequences, i, rule.bias))
        if not (score_steps(W, sequences, i, S) and np.inf > R):
            return k, R, np.int64(t)
        without_late(S, stop - start, K, p.since, t)
        within_grammar(S, stop - start, K, grammar)
        cost = rule.least * weight(D, i) / (stop - start)
        right, best, last, steps = best_rival(S, T, y, cost, kind)
        if not abs(right) < np.inf:
            return k, R, np.int64(t)
        m = right - best
        # a search that may miss the best wrong labels does not show that none is better
        p.least[0] = min(p.least[0], m + cost if kind.beam == 0 else 0.0)
        if m > 0.0:
            continue
        if search:
            return k, R, np.int64(t)
        path[steps:] = -1
        wrong = write_rival(S, T, y[:steps], last, path)
        led = m + cost * wrong
        if led > 0.0:  # wrong with their costs only: are others without?
            free, best, _, _ = best_rival(S, T, y, 0.0, kind)
            p.mistakes[0] += free <= best
        else:
            p.mistakes[0] += 1
        a = rule.eta * weight(D, i)
        correct(W, p.extra, a, sequences, i, log.path, rule.bias, p.squares)
        T, _ = allow(p.extra, grammar, p.scores)
        log.time[k], log.step[k] = t, a
        log.gained[k] = log.lost[k] = -1
        if len(log.score) > 0:
            log.score[k], log.mistakes[k], log.square[k] = led, p.mistakes[0], p.squares[0]
        k += 1
    return k, R, np.int64(-1)


@njit(cache=True)
def replay_sequences(W, T, sequences, examples, steps, path, bias, squares):
    """Make these updates on other weights."""
    for k in range(len(steps)):
        correct(W, T, steps[k], sequences, examples[k], path, bias, squares)


@njit(cache=True)
def redo(W, T, sequences, updates, path, bias, squares):
    """Make recorded updates again: those that `updates` has the examples and the steps of.

    And their rival labels, one update after the other, and where those of each begin.
    """
    examples, steps, rivals, begin = updates
    for k in range(len(steps)):
        i = examples[k]
        start, n = sequences.starts[i], begin[k + 1] - begin[k]
        for t in range(sequences.starts[i + 1] - start):
            path[start + t] = rivals[begin[k] + t] if t < n else -1
        correct(W, T, steps[k], sequences, i, path, bias, squares)


@njit(cache=True)
def least_lead(W, T, sequences, kind, room, all_the_way):
    """The least by which the right labels of any sequence lead all others.

    With `all_the_way`, also up to every step before the last.
    """
    least, K = np.inf, len(W)
    T, S = allow(T, sequences.grammar, room)
    for i in range(len(sequences.starts) - 1):
        start, stop = sequences.starts[i], sequences.starts[i + 1]
        n, y = stop - start, sequences.labels[start:stop]
        score_steps(W, sequences, i, S)
        within_grammar(S, n, K, sequences.grammar)
        right, best, _, _ = best_rival(S, T, y, 0.0, kind)
        least = min(least, right - best)
        every, own = parts(S, K)
        if all_the_way:
            for t in range(n - 1):
                for c in range(K):
                    least = min(least, own[t] - every[t * K + c])
    return least


@njit(nogil=True, cache=True)
def decode(W, T, sequences, beam, room, path, low, high):
    """The best labels of these sequences; the first whose scores are not finite, or -1."""
    T, S = allow(T, sequences.grammar, room)
    for i in range(low, high):
        start, stop = sequences.starts[i], sequences.starts[i + 1]
        if start == stop:
            continue
        if not score_steps(W, sequences, i, S):
            return i
        within_grammar(S, stop - start, len(W), sequences.grammar)
        found = best(S, T, stop - start, path[start:stop], beam)
        if beam > 0 and not found > -np.inf:  # what the beam left had no valid end
            found = best(S, T, stop - start, path[start:stop], 0)
        if not found > -np.inf:
            return i
    return -1
