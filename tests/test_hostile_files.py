"""No file, however damaged or hostile, gives anything but a model or a clear error."""

import json
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import hostile
from hostile import Parts, container
from laws.learners import fitted
from novikoff import AROW, Perceptron, store
from novikoff.errors import ModelFileError

DATA = Path(__file__).parent / "data"
END = "-v1.safetensors"
KINDS = [f.name.removesuffix(END).replace("-", " ") for f in sorted(DATA.glob(f"*{END}"))]
KINDS += ["recorded", "recorded many", "recorded growing"]
"""The kinds of models, without making them: that takes a while."""
SECONDS = float(os.environ.get("NOVIKOFF_FUZZ_SECONDS", "3"))


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    """The bytes of a file of every kind."""
    path = tmp_path_factory.mktemp("sound") / "model"
    found = {}
    three = np.array(["no", "maybe", "yes", "no", "yes"])
    growing = AROW(record=True, shuffle=False).partial_fit(hostile.X, hostile.Y)
    recorded = {
        "recorded": fitted(Perceptron, hostile.X, hostile.Y, record=True),
        "recorded many": fitted(
            Perceptron, hostile.X, three, record=True, multi_class="ovr", random_state=0
        ),
        "recorded growing": growing.partial_fit(hostile.X, three),
    }
    for name, model in (hostile.models() | recorded).items():
        model.save(path, extra={"line": 3})
        found[name] = path.read_bytes()
    return found


@pytest.fixture
def refuses(tmp_path):
    """Loading these bytes raises an error that names the file and says what is wrong."""

    def refuses(content, says):
        path = tmp_path / "model"
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match=rf"^{path}: .*{says}"):
            store.load(path)

    return refuses


def test_what_is_no_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        store.load(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        store.load(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(ModelFileError, match="not a regular file"):
            store.load(path)


NO_MODELS = {
    "The file is empty": b"",
    "has 3 bytes": b"abc",
    "has 9 bytes": b"\x01" + 7 * b"\0" + b"{",
    "promise a header of 18446744073709551615 bytes": b"\xff" * 100,
    "This is not a model file: it begins with the text": b"1 1:0.5 3:2\n" * 20,  # examples, say
    "promise a header of 16777217 bytes": (2**24 + 1).to_bytes(8, "little") + b"{}",
    "truncated: its header should have 200 bytes and has 2": (200).to_bytes(8, "little") + b"{}",
    "header is damaged, or this is not a model file": container(b"\x80\x03]q\x00(K\x01K\x02e."),
    "header is damaged, or this is not a model file: .*utf-8": container(b'{"\xff": 1}'),
    "should be a JSON object": container("[1, 2]"),
    "nested too deeply": container(b"[" * 100_000 + b"]" * 100_000),
    "'a' is repeated": container('{"a": 1, "a": 2}'),
    "NaN is no JSON": container('{"a": NaN}'),
    "1e999 is too large": container('{"a": 1e999}'),
    "Exceeds the limit": container('{"a": ' + "1" * 5000 + "}"),
    "no metadata": container("{}"),
    "header has no metadata": container('{"__metadata__": {"format": 3}}'),
    "but no model file of novikoff": container('{"__metadata__": {"format": "pt"}}'),
}


@pytest.mark.parametrize("says", NO_MODELS)
def test_what_is_no_model_file(says, refuses):
    refuses(NO_MODELS[says], says)


def test_every_kind_is_there(contents):
    assert sorted(contents) == sorted(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_truncation(kind, contents, refuses, tmp_path):
    content, path = contents[kind], tmp_path / "truncated"
    refuses(content + b"\0", "has more in it than a model: its tensors should have")
    length = int.from_bytes(content[:8], "little")
    path.write_bytes(content)
    for end in reversed(range(len(content))):
        os.truncate(path, end)
        says = "truncated: its header" if end < 8 + length else "truncated: its tensors"
        with pytest.raises(ModelFileError, match=says if end >= 10 else "bytes|empty"):
            store.load(path)


def header(entry, **changes):
    """Change the entry of a tensor in the header."""

    def damaged(parts):
        parts.header[entry] |= changes
        return parts.joined()

    return damaged


def meta(name, value):
    """Change an entry of the metadata."""

    def damaged(parts):
        parts.meta[name] = value
        return parts.laid_out()

    return damaged


def section(name, key, value):
    """Change an entry of one of the sections of the metadata."""

    def damaged(parts):
        parts.meta[name][key] = value
        return parts.laid_out()

    return damaged


def tensor(name, array):
    """Change, or add, a tensor."""

    def damaged(parts):
        parts.replace(name, array)
        return parts.laid_out()

    return damaged


def record(**entries):
    """Change what is said of the record of a run."""

    def damaged(parts):
        parts.meta["state"]["record"] |= entries
        return parts.laid_out()

    return damaged


def without(name, key=None):
    """Remove a tensor, or an entry of a section."""

    def damaged(parts):
        if key is not None:
            del parts.meta[name][key]
        elif name in parts.meta:
            del parts.meta[name]
        else:
            del parts.tensors[name], parts.header[name]
        return parts.laid_out()

    return damaged


AVERAGED, VOTED, SPARSE = "AveragedPerceptron", "VotedPerceptron", "sparse VotedPerceptron"
WIDEST, GROWN = "MaxMargin", "recorded growing"
POLY = {"name": "poly", "gamma": 1.0, "degree": 2, "coef0": 1.0}
MANY, EACH = "many AveragedPerceptron", "ovr VotedPerceptron"
DAMAGED = [
    ("Perceptron", header("weights", dtype="F16"), 'has type "F16", which no model has'),
    ("Perceptron", header("weights", dtype=["F64"]), 'has type \\["F64"\\], which no model has'),
    ("Perceptron", header("weights", shape=[5]), "'weights' makes no sense"),
    ("Perceptron", header("weights", shape=[1, 1, 1, 4]), "'weights' makes no sense"),
    ("Perceptron", header("weights", shape=[-4]), "'weights' makes no sense"),
    ("Perceptron", header("weights", shape=[True, 4]), "'weights' makes no sense"),
    ("Perceptron", header("weights", more=1), "'weights' makes no sense"),
    ("Perceptron", header("weights", data_offsets=[0, 32]), "overlap"),
    ("Perceptron", header("brought", data_offsets=[2**60, 2**60 + 16]), "leave a gap"),
    ("Perceptron", header("brought", data_offsets=[16, 0]), "'brought' makes no sense"),
    ("Perceptron", header("brought", data_offsets=[0.0, 16.0]), "'brought' makes no sense"),
    ("Perceptron", meta("format_version", "3"), "format version 3, and novikoff .* up to 2.*later"),
    ("Perceptron", meta("format_version", "0"), "format version is '0'"),
    ("Perceptron", meta("format_version", "²"), "format version is"),
    ("Perceptron", meta("learner", "os.system"), "kind 'os.system', but this version knows Perc"),
    ("Perceptron", meta("color", "red"), "'color', which does not belong"),
    ("Perceptron", without("summary"), "lacks 'summary'"),
    ("Perceptron", without("library_version"), "lacks 'library_version'"),
    ("Perceptron", meta("state", []), "section 'state' is damaged: it should be a JSON object"),
    ("Perceptron", section("parameters", "momentum", 1), "unknown parameter 'momentum'"),
    ("Perceptron", without("parameters", "tie"), "lacks the parameter 'tie'"),
    ("Perceptron", section("parameters", "max_iter", 0), "without a meaning: max_iter=0"),
    ("Perceptron", section("parameters", "tie", "coin"), "without a meaning: tie='coin'"),
    ("Perceptron", section("parameters", "eta0", {"float": "inf"}), "meaning: eta0=inf"),
    ("Perceptron", section("parameters", "eta0", {"float32": 1e300}), "eta0 has a value that no"),
    ("Perceptron", section("parameters", "eta0", {"object": 1}), "eta0 has a value that no model"),
    ("Perceptron", section("parameters", "eta0", [1.0]), "eta0 has a value that no model"),
    ("Perceptron", section("parameters", "random_state", -1), "parameter without a meaning"),
    ("Perceptron", section("parameters", "random_state", {"RandomState": {}}), "random_state has"),
    ("Perceptron", section("parameters", "class_weight", {"dict": [["no", "x"]]}), "a meaning"),
    ("Perceptron", section("parameters", "class_weight", {"dict": [["no", -1]]}), "not negative"),
    ("Perceptron", section("classes", "values", ["a", "b", "c"]), "should have shape \\(3, any\\)"),
    (
        "Winnow",
        section("classes", "values", ["a", "b", "c"]),
        "3 classes, and its learner learns two",
    ),
    ("Perceptron", section("classes", "values", []), "has no classes"),
    ("Perceptron", section("classes", "values", ["yes", "no"]), "not labels in order"),
    ("Perceptron", section("classes", "values", ["no", "yeses"]), "not labels in order"),
    ("Perceptron", section("classes", "values", [1, 2]), "not labels in order"),
    ("Perceptron", section("classes", "dtype", "|O"), "not labels in order"),
    ("Perceptron", section("classes", "dtype", "<U999999999"), "not labels in order"),
    ("Perceptron", section("classes", "dtype", "i4,i4"), "not labels in order"),
    ("Perceptron", section("features", "count", 4), "4 features, but has weights for 3"),
    ("Perceptron", section("features", "hash", 4), "hash settings in the file are no JSON object"),
    ("Perceptron", section("features", "more", 4), "'more', which does not belong"),
    ("Perceptron", tensor("feature_names", np.frombuffer(b'["a"]', "u1")), "not 3 strings"),
    ("Perceptron", tensor("feature_names", np.frombuffer(b'["a', "u1")), "list of feature names"),
    ("Perceptron", tensor("weights", np.array([0, np.nan, 0, 0])), "'weights' has a NaN"),
    ("Perceptron", tensor("weights", np.array([0, np.inf, 0, 0])), "'weights' has a NaN or an inf"),
    ("Perceptron", tensor("weights", np.zeros(1)), "no features"),
    ("Perceptron", tensor("weights", np.zeros((2, 2))), r"shape \(2, 2\), and should have"),
    (
        "Perceptron",
        tensor("weights", np.zeros(4, int)),
        "type int64, and should be of type float64",
    ),
    (
        "Perceptron",
        tensor("mistakes", np.array([-1, 3])),
        "'mistakes' has a number .* out of range",
    ),
    ("Perceptron", tensor("mistakes", np.zeros(0, int)), "which cannot be"),
    ("Perceptron", tensor("mistakes", np.full(9, 5)), "45 mistakes were made .* cannot be"),
    ("Perceptron", tensor("updates", np.array([-1])), "'updates' has a number"),
    (
        "Perceptron",
        tensor("brought", np.array([-1.0, 0])),
        "'brought' has a number that is out of range: -1, and not one from 0",
    ),
    ("Perceptron", tensor("tally", np.zeros(4)), "'tally', which does not belong"),
    ("Perceptron", without("weights"), "lacks the tensor 'weights'"),
    (
        "Perceptron",
        section("state", "n_seen", 2**60),
        "'n_seen' is .* not a whole number from 0 to",
    ),
    (
        "Perceptron",
        section("state", "n_seen", 20.0),
        "'n_seen' is 20.0 .* not a whole number from 0",
    ),
    ("Perceptron", section("state", "length", {"float": "nan"}), "'length' is nan"),
    ("Perceptron", section("state", "length", 10**400), "'length' is 1000"),
    ("Perceptron", section("state", "length", True), "'length' is True"),
    ("Perceptron", section("state", "streaming", 1), "'streaming' is 1 .* not true or false"),
    ("Perceptron", section("state", "more", 1), "'more', which does not belong"),
    ("Perceptron", without("state", "least"), "lacks 'least'"),
    ("Perceptron", section("state", "space", 3), "lacks the space of the run"),
    ("Perceptron", section("state", "space", {}), "given by nothing .* not by .*fit_intercept"),
    ("Winnow", section("state", "space", {"binarize": "x", "threshold": 1}), "binarize='x'"),
    (AVERAGED, tensor("start", np.zeros(4, np.float32)), "'start' is of type float32"),
    (AVERAGED, tensor("tally", np.zeros(5)), r"'tally' has shape \(5,\), .* \(4\)"),
    (AVERAGED, tensor("weights", np.full(4, 1.7e308)), "averaged weights in the file leave"),
    (MANY, section("parameters", "multi_class", "ovr"), "lacks the tensor 'each.total'"),
    (EACH, without("parameters", "multi_class"), "lacks 'total'"),
    ("Romma", section("state", "kernel", POLY | {"degree": 10**400}), "'degree' is 1000"),
    ("Romma", section("state", "kernel", POLY | {"gamma": 0.0}), "meaning: gamma=0.0"),
    ("Romma", section("state", "kernel", POLY | {"gamma": "scale"}), "'gamma' is 'scale'"),
    ("recorded", section("state", "record", 3), "record of the run is no JSON object"),
    ("recorded", section("state", "record", {}), "lacks 'before'"),
    ("recorded", without("record.score"), "lacks the tensor 'record.score'"),
    ("recorded", without("state", "record"), r"'record\.\w+', which does not belong"),
    ("recorded", record(rules=[[0, [1.0]]]), "a rule that is none of its learner's"),
    ("recorded", record(growths=[[0, [0, 1], 3]]), "classes that cannot have come so"),
    (GROWN, record(growths=[]), "'record.start' has shape"),
    (GROWN, record(growths=7), "classes that cannot have come so"),
    (GROWN, record(growths=[[99, [1, 2], 3]]), "changes where there are no updates"),
    (GROWN, record(growths=[[0, [1, 1], 3]]), "classes that cannot have come so"),
    (GROWN, record(growths=[[0, [1, 5], 3]]), "classes that cannot have come so"),
    (GROWN, record(growths=[[0, [1, 2], 4]]), "classes that cannot have come so"),
    (GROWN, record(rules=[]), "changes where there are no updates"),
    (GROWN, record(rules=[[0, [1.0]]]), "a rule that is none of its learner's"),
    (GROWN, record(rules=[[0, [1, 1.0]]]), "a rule that is none of its learner's"),
    (
        GROWN,
        tensor("record.now", -np.ones(3)),
        "'record.now' has a number .*: -1, and not one from 0",
    ),
    (
        GROWN,
        tensor("record.beside", -np.ones(4)),
        "'record.beside' has a number .*: -1, and not one from 0",
    ),
    (GROWN, tensor("record.gained", np.full(9, 3, "i4")), "'record.gained' has"),
    (GROWN, without("record.mistakes"), "lacks the tensor 'record.mistakes'"),
    (AVERAGED, without("tally"), "lacks the tensor 'tally'"),
    (VOTED, tensor("mistake.times", np.zeros(2, int)), "'mistake.times' has shape"),
    (VOTED, without("support"), "lacks the tensor 'support.indptr'"),
    (VOTED, tensor("support", np.zeros((2, 3), bool)), "'mistake.rows' has a number"),
    (VOTED, tensor("support", np.zeros((5, 4), bool)), r"shape \(5, 4\), and should have .*any, 3"),
    (VOTED, tensor("support", np.full((5, 3), 7, "u1").view(bool)), "neither 0 nor 1"),
    (SPARSE, tensor("support.indptr", np.zeros(0, "i4")), "'support.indptr' is empty"),
    (SPARSE, tensor("support.indptr", np.full(4, 9, "i4")), "point outside themselves"),
    (SPARSE, tensor("support.data", np.zeros(99)), "'support.data' has shape"),
    (WIDEST, tensor("weights", np.array([1.0, np.nan, 0, 0])), "'weights' has a NaN"),
    (WIDEST, tensor("weights", np.zeros(4, np.float32)), "'weights' is of type float32"),
    (WIDEST, tensor("weights", np.zeros((1, 4))), r"'weights' has shape \(1, 4\)"),
    (WIDEST, tensor("weights", np.zeros(5)), "3 features, but has weights for 4"),
    (WIDEST, tensor("weights", np.zeros(1)), "no features"),
    (WIDEST, tensor("support.rows", np.array([0, 2, 1, 4])), "no row numbers in increasing order"),
    (WIDEST, tensor("support.rows", np.array([0, 1, 1, 4])), "no row numbers in increasing order"),
    (WIDEST, tensor("support.rows", np.array([-1, 1, 2, 4])), "no row numbers in increasing"),
    (
        WIDEST,
        tensor("support.rows", np.array([1, 2**63 - 1, -(2**63), 0])),
        "no row numbers in increasing order",
    ),
    (WIDEST, tensor("support.rows", np.zeros(4)), "'support.rows' is of type float64"),
    (WIDEST, tensor("support.rows", np.zeros((2, 2), int)), "'support.rows' has shape"),
    (WIDEST, tensor("support.rows", np.arange(2)), r"'support.dual_coef' has shape .* \(2\)"),
    (WIDEST, tensor("support.dual_coef", np.array([1.0, 0, 1, -1])), "'support.dual_coef' has a 0"),
    (WIDEST, tensor("support.dual_coef", np.full(4, np.inf)), "'support.dual_coef' has a NaN or"),
    (WIDEST, tensor("brought", np.zeros(2)), "'brought', which does not belong"),
    (WIDEST, without("support.rows"), "lacks the tensor 'support.rows'"),
    (WIDEST, without("state", "gap"), "lacks 'gap'"),
    (WIDEST, section("state", "gap", -1e-9), "'gap' is -1e-09 .* not a float from 0 to inf"),
    (WIDEST, section("state", "gap", {"float": "nan"}), "'gap' is nan"),
    (WIDEST, section("state", "gap", {"float16": 1.0}), r"'gap' is np.float16\(1.0\)"),
    (WIDEST, section("state", "n_iter", -1), "'n_iter' is -1"),
    (WIDEST, section("state", "n_iter", 1.0), "'n_iter' is 1.0 .* not a whole number from 0"),
    (WIDEST, section("state", "margin_lower", -0.5), "'margin_lower' is -0.5"),
    (WIDEST, section("state", "margin_lower", 9.5), "'margin_upper' is 0.* not a float from 9.5"),
    (
        WIDEST,
        section("state", "margin_lower", {"float": "inf"}),
        "'margin_upper' is .* not a float from inf",
    ),
    (WIDEST, section("state", "margin_upper", {"float": "nan"}), "'margin_upper' is nan"),
    (WIDEST, section("parameters", "C", 0), "without a meaning: C=0 was given, but it must be"),
    (WIDEST, section("parameters", "C", 2**1024 - 1), "without a meaning"),
    (WIDEST, section("parameters", "C", "1"), "without a meaning: C='1'"),
    (
        WIDEST,
        section("parameters", "tol", {"float": "inf"}),
        "tol=inf was given",
    ),
    (
        WIDEST,
        section("parameters", "fit_intercept", None),
        "fit_intercept=None was given",
    ),
]


@pytest.mark.parametrize(("kind", "damaged", "says"), DAMAGED)
def test_what_is_damaged(kind, damaged, says, contents, refuses):
    refuses(damaged(Parts(contents[kind])), says)


def test_no_bit_can_be_flipped(tmp_path):
    """Whatever it belongs to: the header, the checksums, a weight."""
    path = tmp_path / "model"
    fitted(Perceptron, hostile.X[:, :1], hostile.Y, max_iter=1).save(path)
    sound = path.read_bytes()
    length = int.from_bytes(sound[:8], "little")
    text = sound[8 : 8 + length].rstrip()
    for k in [*range(8 + len(text)), *range(8 + length, len(sound))]:
        flipped = bytearray(sound)
        flipped[k] ^= 1 << (k % 8)
        path.write_bytes(flipped)
        with pytest.raises(ModelFileError):
            store.load(path)
        if k < 8 + length:
            with pytest.raises(ModelFileError):
                store.describe(path)


def test_other_weights_are_seen(tmp_path, refuses, contents):
    for content in contents.values():
        refuses(content[:-1] + bytes([content[-1] ^ 1]), "tensors do not have their checksum")


@pytest.mark.parametrize("place", [-1, 3, 2**31 - 1])
def test_sparse_examples_that_point_outside(place, contents, refuses):
    """In compiled code nothing else would keep the loop inside the weights."""
    parts = Parts(contents["sparse VotedPerceptron"])
    indices = np.frombuffer(parts.tensors["support.indices"], "<i4").copy()
    indices[-1] = place
    parts.replace("support.indices", indices)
    refuses(parts.laid_out(), "point outside themselves")


def test_times_that_do_not_increase(contents, refuses):
    parts = Parts(contents["VotedPerceptron"])
    times = np.frombuffer(parts.tensors["mistake.times"], "<i8")[::-1]
    parts.replace("mistake.times", times.copy())
    refuses(parts.laid_out(), "times of the mistakes in the file do not increase")


def test_a_file_that_shrinks_while_it_is_read(tmp_path, monkeypatch):
    path, loads = tmp_path / "model", json.loads
    Perceptron().fit(np.eye(2, 100_000), [0, 1]).save(path)

    def meanwhile(*args, **kwargs):
        os.truncate(path, 400_000)
        return loads(*args, **kwargs)

    monkeypatch.setattr(json, "loads", meanwhile)
    with pytest.raises(ModelFileError, match="became shorter while it was read"):
        store.load(path)


def test_describe_refuses_the_same(contents, tmp_path):
    path = tmp_path / "model"
    path.write_bytes(contents["Winnow"][:-1])
    with pytest.raises(ModelFileError, match="truncated"):
        store.describe(path)


@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_fuzz(contents, tmp_path, monkeypatch):
    """A fixed short budget; NOVIKOFF_FUZZ_SECONDS=300 for a longer one."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    seed = int(os.environ.get("NOVIKOFF_FUZZ_SEED", "0"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = hostile.attack(
            tmp_path / "model", list(contents.values()), SECONDS, time.monotonic, seed
        )
    assert min(found) > 0
