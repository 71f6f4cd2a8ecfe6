"""Test error and training time of every learner, beside scikit-learn's linear classifiers.

    python -m benchmarks.accuracy                 # all sets, to docs/accuracy.md
    python -m benchmarks.accuracy a9a mnist       # some, to the screen
    python -m benchmarks.accuracy --processes 8   # some learners at a time, on a core each

"Tuned" is the best of a few settings on a fifth of the training rows (at most 10,000) that were
kept apart, trained on at most 10,000 others; the model is then trained on all. Sets without a
test set of their own are cut: a fifth, drawn at random, is the test. Times are of one fit on one
core, after another that compiles. AveragedPerceptronCV tunes itself, so its two columns are one,
and its seconds are of all its tuning.
"""

import argparse
import gzip
import io
import multiprocessing
import os
import re
import tarfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.accuracy_page import PAGE, rewritten
from benchmarks.many import SHARED, mnist
from novikoff import AveragedPerceptronCV, VotedPerceptron
from novikoff.data import read
from novikoff.learners import LEARNERS

FOR_TUNING = 10_000
FOR_PAIRS = 200
"""How many features may have a full covariance."""
FOR_VOTES = 10_000
"""How many test rows to vote on: every hyperplane of the run scores each."""

# ------------------------------------------------------------- the data


def text_file(name, test=None):
    """An svmlight file, and its test file."""
    folder = SHARED / name.split(".")[0]
    train = read(folder / name)
    if test is None:
        return cut(train.X, train.y)
    other = read(folder / test, n_features=train.X.shape[1])
    return train.X, train.y, other.X, other.y


def cut(X, y):
    """A fifth of the rows is the test."""
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
    return X, y, X_test, y_test


def scaled(X, y, X_test, y_test):
    """Columns of mean 0 and deviation 1 in the training rows."""
    scaler = StandardScaler().fit(X)
    return (
        scaler.transform(X).astype(np.float32),
        y,
        scaler.transform(X_test).astype(np.float32),
        y_test,
    )


def table(path):
    """Columns of numbers, the last the label."""
    rows = np.loadtxt(io.BytesIO(gzip.decompress(path.read_bytes())), delimiter=",")
    return scaled(*cut(rows[:, :-1], rows[:, -1].astype(int)))


def posts():
    """Words of the raw newsgroup posts, without headers, weighed by rarity, at unit length."""
    parts = {"train": ([], []), "test": ([], [])}
    with tarfile.open(SHARED / "20news_bydate" / "20news-bydate.tar.xz") as archive:
        for member in archive:
            if member.isfile():
                part, group, _ = member.name.split("/")[-3:]
                texts, labels = parts[part.rsplit("-", 1)[-1]]
                text = archive.extractfile(member).read().decode("latin-1")
                texts.append(re.split(r"\n\s*\n", text, maxsplit=1)[-1])
                labels.append(group)
    words = TfidfVectorizer(sublinear_tf=True, min_df=2, dtype=np.float32)
    X = sparse.csr_array(words.fit_transform(parts["train"][0]))
    X_test = sparse.csr_array(words.transform(parts["test"][0]))
    return X, np.array(parts["train"][1]), X_test, np.array(parts["test"][1])


def digits():
    """MNIST, pixels from 0 to 1."""
    return (*mnist("train"), *mnist("t10k"))


def one_file(folder, pattern):
    """The file of a folder that is not its provenance."""
    return next((SHARED / folder).glob(pattern))


SETS = {
    "mushrooms": lambda: text_file("mushrooms.gz"),
    "a9a": lambda: text_file("a9a.gz", "a9a.t.gz"),
    "w7a": lambda: text_file(one_file("w7a", "w7a.[gbx]*").name, one_file("w7a", "w7a.t.*").name),
    "ijcnn1": lambda: text_file("ijcnn1.bz2", "ijcnn1.t.bz2"),
    "spambase": lambda: table(one_file("spambase", "*.gz")),
    "news20": lambda: cut(*read(SHARED / "news20_multiclass" / "news20.bz2", dtype=np.float32)[:2]),
    "20news": posts,
    "mnist": digits,
    "covtype": lambda: table(SHARED / "covtype" / "covtype.data.gz"),
}

# ------------------------------------------------------------- the learners

THEIRS = {
    "SGDClassifier": (SGDClassifier, {"alpha": [1e-6, 1e-5, 1e-4, 1e-3], "average": [False, True]}),
    "LinearSVC": (LinearSVC, {"C": [0.01, 0.1, 1.0, 10.0]}),
    "LogisticRegression": (LogisticRegression, {"C": [0.01, 0.1, 1.0, 10.0]}),
}
GRID = {
    "max_iter": [1, 3, 10, 30],
    "normalize": [False, True],
    "margin": [0.0, 0.1, 1.0, 10.0],
    "C": [0.001, 0.01, 0.1, 1.0],
    "r": [0.1, 1.0, 10.0],
}
"""What is tuned of ours, where a learner has it."""


def ours(d):
    """Every learner and the settings to try; of many features, without a matrix of all pairs."""
    yield "AveragedPerceptronCV", (AveragedPerceptronCV, {})
    for learner in LEARNERS:
        known = learner().get_params()
        grid = {k: v for k, v in GRID.items() if k in known}
        if learner is VotedPerceptron:  # a margin makes many hyperplanes, and all of them vote
            del grid["margin"]
        if "covariance" in known and d > FOR_PAIRS:
            grid["covariance"] = ["diagonal"]
        yield learner.__name__, (learner, grid)


def trained(kind, X, y, options):
    """A model, and the seconds it took."""
    model = kind(**options)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    start = time.perf_counter()
    model.fit(X, y)
    return model, time.perf_counter() - start


def tuned(kind, grid, X, y):
    """The best of the settings on rows that were kept apart."""
    rows = np.random.default_rng(0).permutation(X.shape[0])
    apart = rows[: min(len(rows) // 5, FOR_TUNING)]
    rest = rows[len(apart) :][:FOR_TUNING]
    best, chosen = -1.0, {}
    for values in product(*grid.values()):
        options = dict(zip(grid, values, strict=True))
        score = trained(kind, X[rest], y[rest], options)[0].score(X[apart], y[apart])
        if score > best:
            best, chosen = score, options
    return chosen


def cell(kind, options, data):
    """Error and seconds, or why there are none; and the settings."""
    X, y, X_test, y_test = data
    try:
        if kind.__module__.startswith("novikoff"):
            trained(kind, X, y, options | {"max_iter": 2})
        model, seconds = trained(kind, X, y, options)
    except ValueError as error:
        return None, str(error).split(":")[0][:60], options
    if kind is VotedPerceptron and len(y_test) > FOR_VOTES:
        some = np.random.default_rng(0).choice(len(y_test), FOR_VOTES, replace=False)
        X_test, y_test = X_test[some], y_test[some]
    options = getattr(model, "best_params_", options)
    return 100 * (1 - model.score(X_test, y_test)), f"{seconds:.2f} s", options


DATA = {}
"""The sets at hand; processes inherit them."""


def learners(name):
    """What is tried on a set."""
    return dict([*ours(DATA[name][0].shape[1]), *THEIRS.items()])


def row(name, label):
    """The row of the table for one learner on one set."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    data, (kind, grid) = DATA[name], learners(name)[label]
    fixed = {k: v[0] for k, v in grid.items() if len(v) == 1}
    error, told, options = cell(kind, fixed, data)
    if error is None:
        return f"| `{label}` | does not learn this: {told} | | | | |"
    better, seconds = error, told
    if grid != {k: [v] for k, v in fixed.items()}:
        better, seconds, options = cell(kind, tuned(kind, grid, *data[:2]), data)
    settings = ", ".join(f"{k}={v}" for k, v in options.items())
    return f"| `{label}` | {error:.2f}% | {told} | {better:.2f}% | {seconds} | {settings} |"


def lines(name, rows):
    """The section of the page for one set."""
    X, y = DATA[name][:2]
    yield f"\n## {name}: {X.shape[0]:,} x {X.shape[1]:,}, {len(np.unique(y))} classes\n"
    yield "| learner | default: error | seconds | tuned: error | seconds | tuned to |"
    yield "|---|---|---|---|---|---|"
    for label in learners(name):
        yield rows[name, label]


def all_rows(names, args):
    """All rows of these sets; what is not done in time says so."""
    tasks = [(name, label) for name in names for label in learners(name)]
    context = multiprocessing.get_context("fork")
    deadline = time.monotonic() + args.seconds
    with ProcessPoolExecutor(args.processes, context) as pool:
        # what takes longest begins first: scikit-learn's solvers on the largest sets
        slow = sorted(tasks, key=lambda t: (t[1] not in THEIRS, -DATA[t[0]][0].shape[0]))
        begun = {task: pool.submit(row, *task) for task in slow}
        rows = {}
        for task in slow:
            try:
                rows[task] = begun[task].result(max(0.0, deadline - time.monotonic()))
                print(*task, rows[task], flush=True)
            except TimeoutError:
                rows[task] = f"| `{task[1]}` | not done in {args.seconds:.0f} s | | | | |"
        pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.kill()
    return rows


def main():
    """Write the page, or print some of it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SETS))
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e6, help="when to give up")
    parser.add_argument("--output", type=Path, default=None)
    args = parser.parse_args()
    names = args.names or list(SETS)
    for name in names:
        DATA[name] = SETS[name]()
    rows = all_rows(names, args)
    sections = "\n".join(line for name in names for line in lines(name, rows))
    if args.names and args.output is None:
        print(sections)
    else:
        (args.output or PAGE).write_text(rewritten(PAGE.read_text(), sections))


if __name__ == "__main__":
    main()
