"""Tagging and chunking beside CRFsuite and NLTK: accuracy, seconds to learn and to tag, memory.

    python -m benchmarks.sequences [epochs]

Needs python-crfsuite, sklearn-crfsuite and nltk, and the data at ../shared/data: CoNLL-2000 (Tjong
Kim Sang & Buchholz 2000) and UD English-EWT. All learn averaged, in ten epochs, on one core, each
in a process of its own. Chunks have the features of CRFsuite's own example, tags those of
`template="tagging"`: as dictionaries in memory, or made from a file's tokens on the way, by a
template or by Python. NLTK's tagger has its own features.
"""

import lzma
import multiprocessing
import re
import resource
import sys
import tempfile
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

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
REPEATS = 3


def sentences(name, comment):
    """The sentences of a file of columns, a list of rows each, as Python reads them."""
    found, rows = [], []
    with lzma.open(DATA / name, "rt", encoding="utf-8") as file:
        for line in [*file, ""]:
            row = line.split("\t") if comment else line.split()
            if len(row) > 1 and not (comment and line.startswith("#")):
                rows.append(row)
            elif rows and not line.strip():
                found.append(rows)
                rows = []
    return found


class Chunks:
    """CoNLL-2000: chunks of words that have tags."""

    name, template, unit = "CoNLL-2000 chunks", "chunking", "F1"

    @staticmethod
    def file(part):
        """Where a part lies."""
        return f"conll2000/{part}.txt.xz"

    def tokens(self, part):
        """Sentences of words with their tags, and the chunks."""
        every = sentences(self.file(part), comment=False)
        return [[(word, tag) for word, tag, _ in rows] for rows in every], labels_in(every, 2)

    def features(self, tokens):
        """The steps of a sentence."""
        own = {"w": [word for word, _ in tokens], "pos": [tag for _, tag in tokens]}
        steps = [{} for _ in tokens]
        for template in TEMPLATES:
            name = "|".join(f"{field}[{k}]" for field, k in template)
            low = max(0, *(-k for _, k in template))
            high = len(tokens) - max(0, *(k for _, k in template), 0)
            for t in range(low, high):
                steps[t][name] = "|".join(own[field][t + k] for field, k in template)
        steps[0]["edge"], steps[-1]["edge"] = "first", "last"
        return steps

    def score(self, truth, told):
        """F1 of chunks, in percent."""
        from novikoff.learners.sequences.chunks import ChunkCounts

        counts = ChunkCounts()
        counts.add(truth, told)
        return 100.0 * counts.all().f1


class Tags:
    """UD English-EWT: universal tags of words."""

    name, template, unit = "UD English-EWT universal tags", "tagging", "%"

    @staticmethod
    def file(part):
        """Where a part lies."""
        return f"ud_english_ewt/en_ewt-ud-{part}.conllu.xz"

    def tokens(self, part):
        """Sentences of words, and the tags."""
        every = sentences(self.file(part), comment=True)
        every = [[row for row in rows if row[0].isdigit()] for rows in every]
        return [[row[1] for row in rows] for rows in every], labels_in(every, 3)

    def features(self, tokens):
        """The steps of a sentence."""
        words = ["<<", "<", *tokens, ">", ">>"]
        lower, shapes = [word.lower() for word in words], [shape_of(word) for word in words]
        steps = []
        for t in range(2, len(words) - 2):
            low, end = lower[t], lower[t][-3:]
            before, after = lower[t - 1], lower[t + 1]
            step = {"w": words[t], "shape": shapes[t]}
            step |= {f"w{k:+}": lower[t + k] for k in SHIFTS}
            step |= {f"w{k:+},{k + 1:+}": f"{lower[t + k]}|{lower[t + k + 1]}" for k in (-1, 0)}
            step |= {"end-1": before[-3:], "end+1": after[-3:]}
            step |= {"last-1": before[-1:], "last+1": after[-1:]}
            step |= {"ends-1": f"{before[-3:]}|{end}", "ends+1": f"{end}|{after[-3:]}"}
            step |= {f"shape{k:+}": shapes[t + k] for k in (-1, 1)}
            step |= {"shape,end": f"{shapes[t]}|{end}", "shapes": f"{shapes[t - 1]}|{shapes[t]}"}
            step |= {f"begin {k}": low[:k] for k in (1, 2, 3, 4, 5)}
            step |= {f"end {k}": low[-k:] for k in (1, 2, 3, 4, 5)}
            steps.append(step)
        return steps

    def score(self, truth, told):
        """The share of right tags, in percent."""
        same = [a == b for y, z in zip(truth, told, strict=True) for a, b in zip(y, z, strict=True)]
        return 100.0 * sum(same) / len(same)


def labels_in(every, column):
    """The labels of sentences."""
    return [[row[column].strip() for row in rows] for rows in every]


def shape_of(word):
    """Which of its letters are large, and which are digits; three alike are as many as more."""
    kinds = "".join(
        "X" if c.isupper() else "x" if c.islower() else "0" if c.isdigit() else c for c in word
    )
    return re.sub(r"(.)\1{2,}", r"\1\1\1", kinds)


# ------------------------------------------------------------- those who learn


class Result(NamedTuple):
    """What one of them does."""

    score: float
    learning: float
    """Seconds to learn,"""
    tagging: float
    """and to tag, the best of several."""
    memory: float
    """In GB, data and all."""
    note: str = ""


def timed(work: Callable, repeats=1):
    """What some work gives, and the least seconds it takes."""
    best = float("inf")
    for _ in range(repeats):
        start = perf_counter()
        found = work()
        best = min(best, perf_counter() - start)
    return found, best


def result(task, truth, told, learning, tagging, note=""):
    """With the memory taken by now."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return Result(task.score(truth, told), learning, tagging, peak, note)


def learn_quietly(model, X, y):
    """Without the warning that a run did not end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


def ours_from_dictionaries(task, epochs):
    """Features in memory."""
    from novikoff import SequencePerceptron

    (tokens, y), (others, truth) = task.tokens("train"), task.tokens("test")
    X, Z = ([task.features(own) for own in every] for every in (tokens, others))
    learn_quietly(SequencePerceptron(max_iter=1), X[:20], y[:20]).predict(X[:2])  # compiled now
    model = SequencePerceptron(max_iter=epochs, random_state=0)
    model, learning = timed(lambda: learn_quietly(model, X, y))
    told, tagging = timed(lambda: model.predict(Z), REPEATS)
    return result(task, truth, told, learning, tagging)


def ours_from_a_file(task, epochs):
    """From a file to a model, by a template; and from tokens to tags."""
    from novikoff import SequencePerceptron
    from novikoff.data import read_conll

    def read(part):
        found = read_conll(DATA / task.file(part))
        if task.template == "chunking":
            return found
        return found._replace(X=[[token[0] for token in own] for own in found.X])

    test = read("test")
    model = SequencePerceptron(max_iter=1, template=task.template)
    learn_quietly(model, test.X[:20], test.y[:20]).predict(test.X[:2])
    model = SequencePerceptron(max_iter=epochs, template=task.template, random_state=0)
    train, reading = timed(lambda: read("train"))
    model, learning = timed(lambda: learn_quietly(model, train.X, train.y))
    told, tagging = timed(lambda: model.predict(test.X), REPEATS)
    note = f"{reading:.1f} s of it reading"
    return result(task, test.y, told, reading + learning, tagging, note)


def crfsuite_trained(X, y, epochs, path):
    """A tagger of CRFsuite's averaged perceptron, and the seconds it took to load."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
    start = perf_counter()
    for xs, labels in zip(X, y, strict=True):
        trainer.append(xs, labels)
    loading = perf_counter() - start
    trainer.set_params({"max_iterations": epochs})
    trainer.train(path)
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    return tagger, loading


def crfsuite_from_dictionaries(task, epochs):
    """python-crfsuite, with features in memory."""
    (tokens, y), (others, truth) = task.tokens("train"), task.tokens("test")
    X, Z = ([task.features(own) for own in every] for every in (tokens, others))
    with tempfile.TemporaryDirectory() as folder:
        work = lambda: crfsuite_trained(X, y, epochs, f"{folder}/model")  # noqa: E731
        (tagger, loading), learning = timed(work)
        told, tagging = timed(lambda: [tagger.tag(xs) for xs in Z], REPEATS)
    return result(task, truth, told, learning, tagging, f"{loading:.1f} s of it loading")


def crfsuite_from_a_file(task, epochs):
    """The same with its features made by Python on the way."""
    others, truth = task.tokens("test")
    with tempfile.TemporaryDirectory() as folder:

        def work():
            tokens, y = task.tokens("train")
            X = [task.features(own) for own in tokens]
            return crfsuite_trained(X, y, epochs, f"{folder}/model")

        (tagger, _), learning = timed(work)
        told, tagging = timed(lambda: [tagger.tag(task.features(own)) for own in others], REPEATS)
    return result(task, truth, told, learning, tagging)


def sklearn_crfsuite(task, epochs):
    """sklearn-crfsuite, with features in memory."""
    from sklearn_crfsuite import CRF

    (tokens, y), (others, truth) = task.tokens("train"), task.tokens("test")
    X, Z = ([task.features(own) for own in every] for every in (tokens, others))
    model, learning = timed(lambda: CRF(algorithm="ap", max_iterations=epochs).fit(X, y))
    told, tagging = timed(lambda: model.predict(Z), REPEATS)
    return result(task, truth, told, learning, tagging)


def nltk_tagger(task, epochs):
    """NLTK's averaged perceptron, which tags words from left to right."""
    from nltk.tag.perceptron import PerceptronTagger

    (tokens, y), (others, truth) = task.tokens("train"), task.tokens("test")
    pairs = [list(zip(own, labels, strict=True)) for own, labels in zip(tokens, y, strict=True)]
    tagger = PerceptronTagger(load=False)
    _, learning = timed(lambda: tagger.train(pairs, nr_iter=epochs))
    told, tagging = timed(lambda: [[tag for _, tag in tagger.tag(own)] for own in others])
    return result(task, truth, told, learning, tagging)


LEARNERS = {
    "novikoff": ours_from_dictionaries,
    "python-crfsuite": crfsuite_from_dictionaries,
    "sklearn-crfsuite": sklearn_crfsuite,
    "novikoff, file and template": ours_from_a_file,
    "python-crfsuite, file and Python": crfsuite_from_a_file,
    "NLTK, from tokens": nltk_tagger,
}
WORDS_ONLY = ("NLTK, from tokens",)


def main() -> None:
    """Print a row for each data set and each learner."""
    epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    alone = multiprocessing.get_context("spawn")
    for task in (Chunks(), Tags()):
        tokens, tagged = (sum(map(len, task.tokens(part)[1])) for part in ("train", "test"))
        print(f"{task.name}: {tokens:,} tokens to learn from, {tagged:,} to tag", flush=True)
        for name, work in LEARNERS.items():
            if name in WORDS_ONLY and task.template != "tagging":
                continue
            with ProcessPoolExecutor(1, mp_context=alone) as pool:
                found = pool.submit(work, task, epochs).result()
            print(
                f"  {name:32} {found.score:6.2f} {task.unit:2} learned in {found.learning:6.2f} s, "
                f"tagged {tagged / found.tagging:9,.0f} tokens a second, {found.memory:4.1f} GB "
                f"{found.note}",
                flush=True,
            )


if __name__ == "__main__":
    main()
