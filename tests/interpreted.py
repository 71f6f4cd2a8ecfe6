"""Print what every learner does on small exact data; run compiled and uncompiled by a test.

Sixteen examples in two epochs: a mean of 32 vectors of integers is exact too.
"""

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from scipy import sparse

from laws.learners import RECORDED, ROUNDED
from novikoff.core.examples import Examples
from novikoff.core.rows import Gram
from novikoff.data import read
from novikoff.learners import LEARNERS, KernelPerceptron, Romma
from novikoff.learners.additive import Rule
from novikoff.learners.sequences.perceptron import SequencePerceptron
from one_pass import one_pass

warnings.simplefilter("ignore")
random = np.random.default_rng(0)
values = random.integers(-3, 4, (16, 5))
bits = (random.random((16, 5)) < 0.4).astype(int)
y = np.array([-1, 1] * 8)


def tell(name, model, X):
    print(name, model.coef_.tolist(), model.intercept_.tolist(), model.mistakes_.tolist())
    print(name, model.radius_, model.dual_coef_.tolist(), model.decision_function(X).tolist())


for learner in LEARNERS:
    if learner in ROUNDED:
        continue
    winnow = learner.__name__ == "Winnow"
    data = bits if winnow else values
    kinds = {"dense": data.astype(float), "csr": sparse.csr_array(data.astype(float))}
    if learner is LEARNERS[0]:  # the others read rows by the same functions
        kinds |= {t: data.astype(t) for t in ("float32", "int8", "int16")}
        kinds |= {"uint8": bits.astype(np.uint8), "bool": bits.astype(bool)}
        kinds |= {"csr8": sparse.csr_array(data.astype(np.int8))}
    if winnow:
        settings = [{}, {"binarize": 0.0}, {"threshold": 2.0, "factor": 4.0}]
    else:
        settings = [
            {"fit_intercept": False},
            {"tie": "negative", "eta0": 0.5},
            {"slack": 1.0, "tie": "positive"},
        ]
    for kind, X in kinds.items():
        for setting in settings:
            recorded = {"record": True} if learner in RECORDED else {}
            model = learner(max_iter=2, shuffle=False, **recorded, **setting).fit(X, y)
            tell(f"{learner.__name__} {kind} {setting}", model, X)
            if not recorded:
                continue
            trace = model.trace_
            print(trace.score.tolist(), trace.squared_norm.tolist(), trace.weights(3).tolist())
    model = learner(max_iter=2, random_state=0).fit(data, y)
    tell(f"{learner.__name__} shuffled", model, data)
    if not winnow:
        powers = 2.0 ** np.abs(values[:, :1]) * np.eye(5)[np.arange(16) % 5]  # exact lengths
        model = learner(max_iter=2, shuffle=False, normalize=True).fit(powers, y)
        tell(f"{learner.__name__} unit", model, powers)
        weights = 2.0 ** (np.arange(16) % 3)
        model = learner(max_iter=2, shuffle=False).fit(values, y, sample_weight=weights)
        tell(f"{learner.__name__} weighted", model, values)


def rounded(numbers):
    return [f"{number:.9e}" for number in np.ravel(numbers)]


noisy, three = values * random.standard_normal(values.shape), np.arange(16) % 3
for learner in ROUNDED:
    for kind, X in {"dense": noisy, "csr": sparse.csr_array(noisy), "bool": bits > 0}.items():
        for labels in (y, three):
            model = learner(max_iter=2, shuffle=False).fit(X, labels)
            print(learner.__name__, kind, rounded(model.coef_), rounded(model.intercept_))
            print(model.mistakes_.tolist(), model.n_updates_, rounded(model.decision_function(X)))

K = (values @ values.T).astype(float)
W = np.zeros((1, 17))
log, longest = one_pass(W, Examples(Gram(K), y.astype(np.int8)), Rule(1.0, 1.0, 0))
print("Gram", W.tolist(), longest, *(column.tolist() for column in log))

poly = {"kernel": "poly", "gamma": 1.0, "degree": 3, "max_iter": 2, "shuffle": False}
three = np.arange(16) % 3
for rows in (values.astype(float), sparse.csr_array(values.astype(np.float32))):
    for multi_class in ("joint", "ovr"):
        for tie in ("mistake", "negative", "positive"):
            model = KernelPerceptron(multi_class=multi_class, tie=tie, **poly).fit(rows, three)
            print(multi_class, tie, model.mistakes_.tolist(), model.dual_coef_.tolist())
            for reading in ("last", "averaged", "voted"):
                model.set_params(predict_with=reading)
                print(reading, model.decision_function(rows).tolist())
    for labels in (y, three):
        model = KernelPerceptron(budget=3, **poly).fit(rows, labels)
        print("budget", model.mistakes_.tolist(), model.dual_coef_.round(6).tolist())
for update_on in ("mistake", "margin"):
    model = Romma(update_on=update_on, **(poly | {"max_iter": 1})).fit(values, y)
    print(update_on, model.mistakes_.tolist(), model.dual_coef_.round(9).tolist())

sequences = [values[:5].astype(float), values[5:6].astype(float), values[6:].astype(float)]
labels = [["a", "b", "c", "a", "b"], ["c"], list("abcabcabca")]
for margin in (0.0, 1.0):
    model = SequencePerceptron(max_iter=3, shuffle=False, margin=margin).fit(sequences, labels)
    model.partial_fit([np.ones((2, values.shape[1]))], [["d", "a"]])
    print("sequences", model.mistakes_.tolist(), model.n_updates_, rounded(model.coef_))
    print(rounded(model.transition_), model.predict(sequences), rounded(model.radius_))

SVMLIGHT = b"1 1:1 3:-2.5e-3 # a comment\n0 qid:3 2:123456789012345678901 7:1e30\n1 1:.5\n"
VW = b"1 2.0 'tag|f a b:2.5 |g:0.5 c 17:3\n-1 |f c:1e-3 d:98765432109876543210.5\n"
WORDS = "kočka 1:1 3:2 # 1\n2:3\npes qid:1 1:.5\n12\nkočka#\n😀 2:1\n".encode()
VW_WORDS = "kočka 2.0 'tag|f a\n|f a b\npes tag|g a:2\n12 |\nkočka |f\n".encode()
for name, text, options in (
    ("a.svm", SVMLIGHT.replace(b"1e400", b"1e30"), {}),
    ("a.vw", VW, {"bits": 10}),
    ("words.svm", WORDS, {"labels": "optional"}),
    ("words.vw", VW_WORDS, {"bits": 10, "labels": "optional"}),
):
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(text)
        found = read(path, **options)
        print(name, found.X.toarray().nonzero(), found.X.data.tolist(), found.y.tolist())
        print(found.base, found.weight, found.X.shape)
