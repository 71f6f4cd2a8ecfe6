"""The counts of conlleval, token by token, as its authors define them.

A chunk starts or ends between two labels by the cases that conlleval lists, those of the tags E and
S among them. One that both annotations have started together is right if they end it together.
"""

from collections import Counter


def starts(before, tag, kind_before, kind):
    """Does a chunk start at a label, after the one before?"""
    cases = [
        tag == "B",
        tag == "S",
        (before, tag) == ("E", "E"),
        (before, tag) == ("E", "I"),
        (before, tag) == ("S", "E"),
        (before, tag) == ("S", "I"),
        (before, tag) == ("O", "E"),
        (before, tag) == ("O", "I"),
        tag != "O" and kind_before != kind,
    ]
    return any(cases)


def ends(before, tag, kind_before, kind):
    """Does a chunk end at the label before?"""
    cases = [
        before == "E",
        before == "S",
        (before, tag) == ("B", "B"),
        (before, tag) == ("B", "S"),
        (before, tag) == ("B", "O"),
        (before, tag) == ("I", "B"),
        (before, tag) == ("I", "S"),
        (before, tag) == ("I", "O"),
        before != "O" and kind_before != kind,
    ]
    return any(cases)


def parted(label):
    tag, _, kind = label.partition("-")
    return tag, kind


def counts(y, predicted):
    """For each kind, how many chunks are there, were predicted, and are right."""
    there, told, right = Counter(), Counter(), Counter()
    for truth, guess in zip(y, predicted, strict=True):
        together = False
        last = [("O", ""), ("O", "")]
        for labels in [*zip(truth, guess, strict=True), ("O", "O")]:
            now = [parted(label) for label in labels]
            over, under = (ends(a[0], b[0], a[1], b[1]) for a, b in zip(last, now, strict=True))
            begun, begins = (starts(a[0], b[0], a[1], b[1]) for a, b in zip(last, now, strict=True))
            (_, kind), (_, own) = now
            if together and over and under and last[0][1] == last[1][1]:
                together = False
                right[last[0][1]] += 1
            elif together and (over != under or kind != own):
                together = False
            if begun and begins and kind == own:
                together = True
            there[kind] += begun
            told[own] += begins
            last = now
    return {
        kind: (there[kind], told[kind], right[kind])
        for kind in sorted({*there, *told})
        if there[kind] or told[kind]
    }
