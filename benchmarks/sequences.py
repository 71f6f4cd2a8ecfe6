"""Tagging and chunking beside CRFsuite: accuracy, seconds to learn and to tag.

    python -m benchmarks.sequences [epochs]

Needs python-crfsuite, and the data at ../shared/data: CoNLL-2000 (Tjong Kim Sang & Buchholz 2000)
and UD English-EWT. Chunks have the features of CRFsuite's own example; tags have words,
affixes and shapes. All learn from dictionaries in memory, on one core, averaged, in ten epochs.
"""

import lzma
import re
import resource
import sys
import tempfile
import warnings
from pathlib import Path
from time import perf_counter

from novikoff import SequencePerceptron

DATA = Path(__file__).parent.parent.parent / "shared" / "data"
SHIFTS = (-2, -1, 0, 1, 2)
TEMPLATES = [
    *((("w", k),) for k in SHIFTS),
    (("w", -1), ("w", 0)),
    (("w", 0), ("w", 1)),
    *((("pos", k),) for k in SHIFTS),
    *((("pos", k), ("pos", k + 1)) for k in SHIFTS[:-1]),
    *((("pos", k), ("pos", k + 1), ("pos", k + 2)) for k in SHIFTS[:-2]),
]


def columns(name, comment="#"):
    """Sentences of a file of columns, a list of rows each."""
    sentence = []
    with lzma.open(DATA / name, "rt", encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and not line.startswith(comment + " "):
                sentence.append(words)
            elif not words and sentence:
                yield sentence
                sentence = []
    if sentence:
        yield sentence


def chunking(part):
    """Sentences of CoNLL-2000 as dictionaries, and their chunks."""
    X, y = [], []
    for rows in columns(f"conll2000/{part}.txt.xz", comment="\0"):
        own = {"w": [row[0] for row in rows], "pos": [row[1] for row in rows]}
        steps = [{} for _ in rows]
        for template in TEMPLATES:
            name = "|".join(f"{field}[{k}]" for field, k in template)
            low = max(0, *(-k for _, k in template))
            high = len(rows) - max(0, *(k for _, k in template), 0)
            for t in range(low, high):
                steps[t][name] = "|".join(own[field][t + k] for field, k in template)
        steps[0]["edge"], steps[-1]["edge"] = "first", "last"
        X.append(steps)
        y.append([row[2] for row in rows])
    return X, y


def shape_of(word):
    """Which of its letters are large, and which are digits; three alike are as many as more."""
    kinds = "".join(
        "X" if c.isupper() else "x" if c.islower() else "0" if c.isdigit() else c for c in word
    )
    return re.sub(r"(.)\1{2,}", r"\1\1\1", kinds)


def tagging(part):
    """Sentences of UD English-EWT as dictionaries, and their universal tags."""
    X, y = [], []
    for rows in columns(f"ud_english_ewt/en_ewt-ud-{part}.conllu.xz"):
        rows = [row for row in rows if row[0].isdigit()]
        words = ["<<", "<", *(row[1] for row in rows), ">", ">>"]
        lower, shapes = [word.lower() for word in words], [shape_of(word) for word in words]
        steps = []
        for t in range(2, len(words) - 2):
            low = lower[t]
            step = {"w": words[t], "shape": shapes[t], "first": str(t == 2)}
            step |= {f"w{k:+}": lower[t + k] for k in (-2, -1, 0, 1, 2)}
            step |= {f"w{k:+},{k + 1:+}": f"{lower[t + k]}|{lower[t + k + 1]}" for k in (-1, 0)}
            step |= {f"end{k:+}": lower[t + k][-3:] for k in (-1, 1)}
            step |= {f"shape{k:+}": shapes[t + k] for k in (-1, 1)}
            step |= {f"begin {k}": low[:k] for k in (1, 2, 3, 4) if len(low) > k}
            step |= {f"end {k}": low[-k:] for k in (1, 2, 3, 4, 5) if len(low) > k}
            steps.append(step)
        X.append(steps)
        y.append([row[3] for row in rows])
    return X, y


def chunks(labels):
    """The chunks of a sentence, as conlleval counts them."""
    found, start, kind = set(), None, None
    for t, label in enumerate([*labels, "O"]):
        tag, _, own = label.partition("-")
        if start is not None and (tag in ("B", "O") or own != kind):
            found.add((start, t, kind))
            start = None
        if tag == "B" or (tag == "I" and start is None):
            start, kind = t, own
    return found


def f1(truth, told):
    """That of chunks, in percent."""
    pairs = [(chunks(a), chunks(b)) for a, b in zip(truth, told, strict=True)]
    right = sum(len(a & b) for a, b in pairs)
    return 200.0 * right / sum(len(a) + len(b) for a, b in pairs)


def accuracy(truth, told):
    """The share of right labels, in percent."""
    same = [a == b for y, z in zip(truth, told, strict=True) for a, b in zip(y, z, strict=True)]
    return 100.0 * sum(same) / len(same)


def ours(train, test, epochs, **options):
    """Labels of the test sentences, and the seconds to learn and to tag."""
    X, y = train
    SequencePerceptron(max_iter=1, **options).fit(X[:20], y[:20]).predict(X[:2])  # compiled now
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SequencePerceptron(max_iter=epochs, random_state=0, **options).fit(X, y)
    learned = perf_counter()
    told = model.predict(test[0])
    return told, learned - start, perf_counter() - learned


def crfsuite(train, test, epochs, algorithm="ap"):
    """The same by CRFsuite."""
    import pycrfsuite

    start = perf_counter()
    trainer = pycrfsuite.Trainer(algorithm=algorithm, verbose=False)
    for xs, labels in zip(*train, strict=True):
        trainer.append(xs, labels)
    loaded = perf_counter()
    trainer.set_params({"max_iterations": epochs} if algorithm == "ap" else {})
    with tempfile.TemporaryDirectory() as folder:
        trainer.train(f"{folder}/model")
        learned = perf_counter()
        print(f"    (of which CRFsuite loads for {loaded - start:.1f} s)")
        tagger = pycrfsuite.Tagger()
        tagger.open(f"{folder}/model")
        told = [tagger.tag(xs) for xs in test[0]]
    return told, learned - start, perf_counter() - learned


def main() -> None:
    """Print a row for each data set and each peer."""
    epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    for name, read, parts, measure in (
        ("CoNLL-2000 chunks, F1", chunking, ("train", "test"), f1),
        ("UD English-EWT tags, %", tagging, ("train", "test"), accuracy),
    ):
        train, test = (read(part) for part in parts)
        tokens, tagged = (sum(map(len, y)) for _, y in (train, test))
        print(f"{name}: {tokens:,} tokens to learn from, {tagged:,} to tag", flush=True)
        for peer, work in (
            ("novikoff", lambda a, b: ours(a, b, epochs)),
            ("CRFsuite ap", lambda a, b: crfsuite(a, b, epochs)),
        ):
            told, learning, tagging_ = work(train, test)
            print(
                f"  {peer:12} {measure(test[1], told):6.2f}  learned in {learning:6.2f} s, "
                f"tagged {tagged / tagging_:9,.0f} tokens a second",
                flush=True,
            )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"largest memory {peak:.1f} GB, data and all")


if __name__ == "__main__":
    main()
