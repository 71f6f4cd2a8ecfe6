"""Model files taken apart, damaged, and put together again."""

import copy
import json
import random
from contextlib import suppress
from hashlib import sha256

import numpy as np
from scipy import sparse

from laws.learners import fitted
from novikoff import (
    AROW,
    SCW,
    AveragedPerceptron,
    BalancedWinnow,
    KernelPerceptron,
    MaxMargin,
    PassiveAggressive,
    Perceptron,
    Pocket,
    Romma,
    SecondOrderPerceptron,
    SequencePerceptron,
    VotedPerceptron,
    Winnow,
)
from novikoff.errors import NovikoffError
from novikoff.store import load
from novikoff.store.container import HEADER_SUM, TENSORS_SUM, header_sum
from novikoff.store.models import SECTIONS

X = np.array([[1.0, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1], [1, 0, 0]])
Y = np.array(["no", "yes", "yes", "no", "no"])
TOKENS = [[("The", "D"), ("dog", "N"), ("Barks", "V")], [("A", "D"), ("cat", "N")]]
TAGS = [["B-X", "I-X", "O"], ["B-X", "O"]]
TEMPLATE = "U:%x[-1,0]\nU:%x[0,0]\nU1:%x[0,1]/%x[2,0,lower]\nU2:%x[0,0,shape,prefix2]\nU3:\nB"


def models():
    """A model of every kind, with all that a file can hold."""
    drawn = {"random_state": np.random.RandomState(0), "eta0": np.float32(0.5)}
    named = fitted(Perceptron, X, Y, class_weight={"no": 2.0}, **drawn)
    named.feature_names_in_ = np.array(["a", "b", "c"], object)
    started = {"coef_init": [1.0, 2.0, 3.0]}
    small = sparse.csr_array(X.astype(np.int8))
    sparse_vote = fitted(VotedPerceptron, small, Y, normalize=True, random_state=2)
    sparse_vote.feature_hash_ = {"bits": 2}
    widest = MaxMargin(tol=np.float32(1e-5), fit_intercept=np.True_).fit(X, Y)
    widest.feature_names_in_ = np.array(["a", "b", "c"], object)
    poly = {"kernel": "poly", "gamma": 1.0, "degree": 2, "random_state": 5}
    three = np.array(["no", "maybe", "yes", "no", "yes"])
    voting = fitted(KernelPerceptron, small, three, predict_with="voted", **poly)
    given = fitted(KernelPerceptron, X @ X.T, three, multi_class="ovr", kernel="precomputed")
    few = KernelPerceptron(budget=2, **poly).partial_fit(X, three)
    return {
        "budget KernelPerceptron": few,
        "KernelPerceptron": fitted(KernelPerceptron, X.astype("f4"), three, **poly),
        "sparse KernelPerceptron": voting,
        "precomputed KernelPerceptron": given,
        "Romma": fitted(Romma, X, Y, **poly),
        "many AveragedPerceptron": fitted(AveragedPerceptron, X, three, random_state=11),
        "ovr VotedPerceptron": fitted(
            VotedPerceptron, small, three, multi_class="ovr", slack=1.0, random_state=12
        ),
        "linear Romma": Romma(kernel="linear", random_state=6).partial_fit(X, three),
        "Perceptron": named,
        "AveragedPerceptron": fitted(AveragedPerceptron, X, Y, fit=started, random_state=1),
        "VotedPerceptron": fitted(VotedPerceptron, X > 0, Y, slack=1.0, random_state=3),
        "sparse VotedPerceptron": sparse_vote,
        "Winnow": Winnow(binarize=0.5, random_state=4).partial_fit(X.astype("f4"), Y),
        "MaxMargin": widest,
        "PassiveAggressive": fitted(PassiveAggressive, X, Y, C=np.float32(0.5), random_state=5),
        "Pocket": fitted(Pocket, X, Y, random_state=6, max_iter=3),
        "BalancedWinnow": BalancedWinnow(random_state=7).partial_fit(X.astype("f4"), Y),
        "SecondOrderPerceptron": fitted(SecondOrderPerceptron, X, Y, random_state=8),
        "AROW": fitted(AROW, small, Y, class_weight="balanced", random_state=9, max_iter=2),
        "SCW": fitted(SCW, X.astype("f4"), Y, covariance="full", random_state=10, max_iter=2),
    } | taggers()


def taggers():
    """Models of sequences, of features of all kinds."""
    named, rows = steps(TOKENS, None), steps(TOKENS, 3)
    options = {"random_state": 13, "max_iter": 2}
    template = SequencePerceptron(
        template=TEMPLATE, constraints="iob2", averaged=False, record=True, **options
    )
    return {
        "SequencePerceptron": (
            SequencePerceptron(**options)  # with room for more, when two labels and features come
            .fit(named[:1], [["O", "O", "B-X"]])
            .partial_fit(named, TAGS)
        ),
        "template SequencePerceptron": template.partial_fit(TOKENS, TAGS),
        "numeric SequencePerceptron": SequencePerceptron(margin=1.0, **options).fit(rows, TAGS),
        "hashed SequencePerceptron": SequencePerceptron(
            n_features=8, template="chunking", beam=2, **options
        ).fit(TOKENS, TAGS),
    }


def steps(sentences, d):
    """Sentences as rows of so many numbers, or as dictionaries of texts and of numbers."""
    if d is not None:
        return [np.resize(X, (len(tokens), d)) for tokens in sentences]
    return [
        [{"word": word, "tag": {tag, word[-1:]}, "length": len(word)} for word, tag in tokens]
        for tokens in sentences
    ]


def examples(model):
    """Some that a model can read, and labels of its own."""
    if not isinstance(model, SequencePerceptron):
        return np.resize(X, (4, model.n_features_in_)), model.classes_[[0, 1, 1, 0]]
    sentences = [TOKENS[0][::-1], [("a", "D"), ("Wolf", "N")]]
    labels = [np.resize(model.classes_, len(tokens)) for tokens in sentences]
    if model._state.space["template"] is not None:
        return sentences, labels
    return steps(sentences, model.n_features_in_ if model._vocabulary.numeric else None), labels


class Parts:
    """A file in parts: the entries of its header, its metadata, parsed, and its tensors."""

    def __init__(self, content):
        length = int.from_bytes(content[:8], "little")
        self.header = json.loads(content[8 : 8 + length])
        self.meta = self.header.pop("__metadata__")
        for name in SECTIONS:
            self.meta[name] = json.loads(self.meta[name])
        self.data = content[8 + length :]
        self.tensors = {
            name: self.data[slice(*entry["data_offsets"])] for name, entry in self.header.items()
        }

    def joined(self):
        """The file again, with its metadata written and everything else as it is."""
        meta = {
            name: json.dumps(value) if name in SECTIONS else value
            for name, value in self.meta.items()
        }
        return sealed({"__metadata__": meta} | self.header, self.data)

    def laid_out(self):
        """The file again, with the tensors laid out anew."""
        self.data = b""
        for name, content in self.tensors.items():
            self.header[name]["data_offsets"] = [len(self.data), len(self.data) + len(content)]
            self.data += content
        return self.joined()

    def replace(self, name, array):
        """Put an array where a tensor is, or is not yet."""
        codes = {"f8": "F64", "f4": "F32", "i8": "I64", "i4": "I32", "u1": "U8", "b1": "BOOL"}
        self.header[name] = {"dtype": codes[array.dtype.str[1:]], "shape": list(array.shape)}
        self.tensors[name] = array.tobytes()


def sealed(header, data):
    """A file with these parts, whose checksums are as they should be."""
    if isinstance(header["__metadata__"], dict):
        meta = header["__metadata__"]
        meta[TENSORS_SUM] = sha256(data).hexdigest()
        meta[HEADER_SUM] = header_sum(header)
    return container(json.dumps(header), data)


def container(header, data=b""):
    """A safetensors file with this header."""
    text = header if isinstance(header, bytes) else header.encode()
    return len(text).to_bytes(8, "little") + text + data


# ------------------------------------------------------------- fuzzing

JUNK = [
    None,
    True,
    False,
    *(0, 1, -1, 2, 3, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**400),
    *(0.5, -0.0, 1e308, 5e-324, -1.5),
    *("", "x", "inf", "float64", "<O", "|O8", "<U999999999", "<m8[999999999999Y]", "\ud800", "\0"),
    *([], [[]], [1, 2], ["a", "b"], {}, {"": 0}, {"float": "nan"}, {"float": "inf"}),
    *({"float32": 1e300}, {"int8": 300}, {"dict": [[1, 2], [1, 2]]}, {"dict": [[[], 1]]}),
    *({"RandomState": {}}, {"float64": {"float64": 1.0}}, {"bool": 1}, {"uint64": -1}),
]
"""Values that could be trouble in the place of others."""


def nodes(value, path=()):
    """The paths of all values inside a JSON value."""
    yield path
    if isinstance(value, dict | list):
        children = value.items() if isinstance(value, dict) else enumerate(value)
        for key, child in children:
            yield from nodes(child, (*path, key))


def with_other_value(value, draw):
    """A copy with something in it replaced, removed, or added."""
    path = draw.choice(list(nodes(value)))
    if not path:
        return draw.choice(JUNK)
    value = copy.deepcopy(value)
    place = value
    for key in path[:-1]:
        place = place[key]
    how = draw.random()
    if how < 0.15:
        del place[path[-1]]
    elif how < 0.25 and isinstance(place, list):
        place.insert(path[-1], draw.choice(JUNK))
    elif how < 0.3 and isinstance(place, dict):
        place[draw.choice(["x", "weights", "dict", "count"])] = draw.choice(JUNK)
    else:
        place[path[-1]] = draw.choice(JUNK)
    return value


def damaged(content, draw):
    """A file that was damaged somewhere: in its bytes, its header, its metadata or its tensors."""
    how = draw.randrange(6)
    if how == 0:
        return content[: draw.randrange(len(content))]
    if how == 1:
        flipped = bytearray(content)
        for _ in range(draw.randint(1, 4)):
            flipped[draw.randrange(len(flipped))] = draw.randrange(256)
        return bytes(flipped)
    if how == 2:
        low, high = sorted(draw.randrange(len(content) + 1) for _ in range(2))
        return content[:low] + draw.choice([b"", draw.randbytes(8)]) + content[high:]
    parts = Parts(content)
    if how == 3:
        parts.header = with_other_value(parts.header, draw)
        if not isinstance(parts.header, dict):
            return container(json.dumps(parts.header), parts.data)
        return parts.joined()
    if how == 4:
        section = draw.choice([*SECTIONS, "state", "learner", "format_version"])
        parts.meta[section] = with_other_value(parts.meta[section], draw)
        return parts.joined()
    name = draw.choice(list(parts.tensors))
    if (
        parts.tensors[name][:1] == b"["
        and parts.header[name]["dtype"] == "U8"
        and draw.random() < 0.5
    ):
        texts = with_other_value(json.loads(parts.tensors[name]), draw)
        parts.replace(name, np.frombuffer(json.dumps(texts).encode(), np.uint8))
        return parts.laid_out()
    whole = parts.tensors[name][: len(parts.tensors[name]) // 8 * 8]
    numbers = np.frombuffer(whole, draw.choice(["<i8", "<f8"]))
    if len(numbers):
        numbers = numbers.copy()
        extremes = [0, -1, 1, 2**62, -(2**63)] if numbers.dtype.kind == "i" else [0, np.nan, 1e308]
        numbers[draw.randrange(len(numbers))] = draw.choice(extremes)
        parts.tensors[name] = numbers.tobytes() + parts.tensors[name][len(whole) :]
    if draw.random() < 0.3:
        shape = parts.header[name]["shape"]
        shape[-1] = draw.choice([0, 1, shape[-1] + 1, max(0, shape[-1] - 1)])
        parts.tensors[name] = (parts.tensors[name] * 2)[: 8 * int(np.prod(shape))]
    return parts.laid_out()


def attack(path, contents, seconds, clock, seed=0):
    """Damage files for some time; returns how often they were refused, and how often not.

    One that is not refused must be as good as any: it is made to predict, to learn on and
    to be saved. All errors but the library's own come out.
    """
    draw, refused, taken = random.Random(seed), 0, 0
    start = clock()
    while clock() - start < seconds:
        path.unlink(missing_ok=True)  # to write over a file, some systems wait for the disk
        path.write_bytes(damaged(draw.choice(contents), draw))
        try:
            model = load(path)
        except NovikoffError:
            refused += 1
            continue
        taken += 1
        use(model, path)
    return refused, taken


def use(model, path):
    """All that a user can do with a model; a separator keeps nothing to learn on from."""
    learns_on = hasattr(model, "partial_fit")
    if learns_on:
        model.set_params(max_iter=2)
    vars(model).pop("feature_names_in_", None)  # rows without names would be warned of
    rows, labels = examples(model)
    for action in (
        lambda: model.predict(rows),
        lambda: model.margin_.gap if hasattr(model, "margin_") else None,
        lambda: getattr(model, "trace_", None),
        lambda: model.save(path),
        lambda: load(path),
        lambda: learns_on and model.partial_fit(rows, labels),
        lambda: model.predict(sparse.csr_array(rows) if isinstance(rows, np.ndarray) else rows),
    ):
        with suppress(NovikoffError):  # weights may leave their range
            action()
