"""A perceptron for sequences comes back from its file as it was, to the last bit, and learns on."""

import pickle
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.exceptions import NotFittedError

import hostile
import novikoff
from anatomy import apart
from laws.test_templates import templates
from novikoff import SequencePerceptron, store
from novikoff.errors import ModelFileError, ParameterError
from novikoff.inputs import templates as language
from novikoff.inputs.templates import BUILT_IN
from round_trip import there_and_back

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

TEXTS = st.text(max_size=2)
WORDS = st.text("aB1-\N{LATIN SMALL LETTER U WITH DIAERESIS}\ud800", min_size=1, max_size=3)
TOKENS = st.tuples(WORDS, WORDS)
VALUES = TEXTS | st.sampled_from([0, 1, -2.5, True, False]) | st.frozensets(TEXTS, max_size=2)
NAMED = st.dictionaries(TEXTS, VALUES, max_size=3)
STEPS = {
    "names": NAMED,
    "texts": st.dictionaries(TEXTS, TEXTS, max_size=3),
    "strings": st.lists(TEXTS, max_size=3),
    "hashes": NAMED,
    "numbers": st.lists(st.sampled_from([0.0, 1.0, -0.3, 2.0]), min_size=2, max_size=2),
    "template": TOKENS,
    "hashed template": TOKENS,
}
LABELS = {
    "strings": ["a", "b", "longer", "z\ud800"],
    "integers": [-1, 0, 5, 2**40],
    "floats": [-1.0, 0.0, 3.0, 7e9],
}


@st.composite
def blocks(draw, kind, labels):
    """Sequences with their labels, two of which are there, and weights or none."""
    X = draw(st.lists(st.lists(STEPS[kind], min_size=1, max_size=3), min_size=2, max_size=4))
    y = [[draw(st.sampled_from(labels)) for _ in steps] for steps in X]
    y[0][0], y[-1][-1] = labels[:2]
    if kind == "numbers":
        X = [np.array(steps) for steps in X]
    weight = st.lists(st.sampled_from([0.0, 0.5, 3.0]), min_size=len(X), max_size=len(X))
    return {"X": X, "y": y, "sample_weight": draw(st.none() | weight.filter(any))}


@st.composite
def options(draw, kind):
    """Parameters, of which some need care to be written down."""
    several = {
        "averaged": st.booleans(),
        "margin": st.sampled_from([0.0, 0.5, np.float32(1.0)]),
        "fit_intercept": st.booleans(),
        "eta0": st.sampled_from([1.0, 0.1]),
        "beam": st.sampled_from([None, 1, 2]),
        "update": st.sampled_from(["early", "max-violation"]),
        "max_iter": st.sampled_from([1, 3]),
        "shuffle": st.booleans(),
        "record": st.booleans(),
    }
    if kind.startswith("hashe"):
        several["n_features"] = st.sampled_from([1, np.int64(8)])
    if kind.endswith("template"):
        several["template"] = templates() | st.sampled_from([*BUILT_IN])
    return draw(st.fixed_dictionaries(several))


def told(model, X):
    """All that a model says of itself, and what it predicts, to the bit."""
    arrays = model.coef_, model.intercept_, model.transition_, model.classes_, model.mistakes_
    parameters = [(name, apart(value)) for name, value in model.get_params().items()]
    return {
        "arrays": [*map(apart, [*arrays, *model.decision_function(X)])],
        "proved": (model.margin_, model.mistake_bound_, model.update_bound_, model.radius_),
        "counted": (model.n_updates_, model.n_features_in_, model.converged_),
        "parameters": parameters,
        "features": model.feature_names_,
        "predicted": model.predict(X),
        "record": recorded(model.trace_) if model.record else None,
    }


def recorded(trace):
    """All that a trace has without its data."""
    columns = trace.to_pandas().to_numpy().tolist()
    return columns, [z.tolist() for z in trace.rivals], trace.start.tolist(), len(trace)


@pytest.mark.parametrize("kind", STEPS)
@given(data=st.data())
def test_round_trip_and_going_on(kind, path, data):
    """With new labels and new features, before the file and after it."""
    labels = LABELS[data.draw(st.sampled_from([*LABELS]))]
    first, *more = (data.draw(blocks(kind, labels[:n])) for n in (2, 3, 4))
    random = np.random.RandomState(7)
    model = SequencePerceptron(random_state=random, **data.draw(options(kind)))
    model = (model.fit if data.draw(st.booleans()) else model.partial_fit)(**first)
    if data.draw(st.booleans()):
        model.partial_fit(**more[0])
    loaded = there_and_back(model, path)
    assert loaded.random_state is not random
    for block in more:
        assert told(loaded, block["X"]) == told(model, block["X"])
        model.partial_fit(**block)
        loaded.partial_fit(**block)
        assert told(loaded, block["X"]) == told(model, block["X"])
    loaded.save(path)
    content = path.read_bytes()
    model.save(path)
    assert path.read_bytes() == content
    assert told(pickle.loads(pickle.dumps(loaded)), block["X"]) == told(model, block["X"])


def test_a_stream_of_one_label_so_far(path):
    X, y = [[{"w": "a"}, {"w": "b"}]], [["N", "N"]]
    model = SequencePerceptron().partial_fit(X, y)
    loaded = there_and_back(model, path)
    assert loaded.predict(X) == y
    for one in (model, loaded):
        one.partial_fit([[{"w": "c"}, {"v": 2.0}]], [["V", "N"]])
    assert told(loaded, X) == told(model, X)


def test_no_features_at_all(path):
    model = SequencePerceptron(random_state=0).fit([[{}, {}, {}]], [["N", "V", "V"]])
    loaded = there_and_back(model, path)
    assert loaded.coef_.shape == (2, 0)
    assert loaded.predict([[{}, {}]]) == model.predict([[{}, {}]])
    for one in (model, loaded):
        one.partial_fit([[{"w": "c"}, {}]], [["V", "N"]])
    assert told(loaded, [[{"w": "c"}, {}]]) == told(model, [[{"w": "c"}, {}]])


@pytest.mark.parametrize("averaged", [True, False])
def test_what_is_proved_does_not_depend_on_the_room_for_more(averaged, path):
    """Which a stream has that brings new features block by block, and its file has not."""
    random = np.random.default_rng(0)
    X = [[{"w": str(random.integers(99)), "v": random.random()} for _ in "123"] for _ in range(40)]
    y = [[str(c) for c in random.integers(0, 3, 3)] for _ in X]
    options = {"shuffle": False, "averaged": averaged, "eta0": 1e-150, "fit_intercept": False}
    whole = SequencePerceptron(**options).partial_fit(X, y, classes=["0", "1", "2"])
    model = SequencePerceptron(**options)
    for steps, labels in zip(X, y, strict=True):
        model.partial_fit([steps], [labels], classes=["0", "1", "2"])
    assert model._state.weights.shape[1] > whole._state.weights.shape[1]
    assert told(whole, X) == told(model, X) == told(there_and_back(model, path), X)


def test_a_record_is_replayed_after_loading(path):
    """Also of what came before labels and features that were new."""
    X, y = [[{"w": "a"}, {"w": "b"}], [{"w": "c"}]], [["N", "V"], ["D"]]
    model = SequencePerceptron(record=True, averaged=False)
    for steps, labels in zip(X, y, strict=True):
        model.partial_fit([steps], [labels])
    trace = there_and_back(model, path).trace_.with_data(X, y)
    last = np.column_stack([model.coef_, model.intercept_, model.transition_.T])
    np.testing.assert_array_equal(trace.weights(len(trace)), last)


@pytest.mark.parametrize("averaged", [True, False])
def test_words_keep_what_was_made_of_them(averaged, path, monkeypatch):
    """Though another Python may take other characters for capitals."""
    X, y = [["An", "aN", "b"], ["B", "an"]], [["1", "1", "2"], ["3", "1"]]
    template = "U:%x[0,0,lower]\nU:%x[-1,0,shape]/%x[0,0]\nB"
    model = SequencePerceptron(template=template, averaged=averaged, random_state=0).fit(X, y)
    model.save(path)
    before = told(model, X)
    monkeypatch.setattr(language, "function", lambda name: str.swapcase)
    loaded = novikoff.load(path)
    assert told(loaded, X) == before
    assert told(pickle.loads(pickle.dumps(loaded)), X) == before
    loaded.partial_fit(X, y)
    assert loaded.feature_names_ == model.feature_names_
    loaded.save(path)


def test_built_in_templates_stay_as_files_know_them():
    """By name: the features of a file are those of the lines of its template, by number."""
    found = {name: sha256(text.encode()).hexdigest()[:16] for name, text in BUILT_IN.items()}
    assert found == {"tagging": "e900f5b53397ac12", "chunking": "9fa8c04010e4201d"}


@pytest.mark.parametrize("kind", ["strings", "numbers", "template"])
def test_labels_keep_their_type(kind, path):
    X = {"strings": [[["a"], ["b"]]], "numbers": [np.eye(2)], "template": [["a", "b"]]}[kind]
    template = "U:%x[0,0]\nB" if kind == "template" else None
    for labels in ([False, True], [np.uint8(3), np.uint8(200)], ['\0 \ud800"\\\n', "\U0001f600"]):
        model = SequencePerceptron(template=template).fit(X, [np.array(labels)])
        loaded = there_and_back(model, path)
        assert apart(loaded.classes_) == apart(model.classes_)
        assert store.describe(path)["classes"] == model.classes_.tolist()


def test_describe_tells_the_summary(path):
    for model in hostile.taggers().values():
        model.save(path)
        about = store.describe(path)
        assert about["learner"] == "SequencePerceptron"
        assert about["parameters"] | {"n_jobs": None} == model.get_params()
        assert about["features"] == {"count": model.n_features_in_, "hash": None}
        assert about["summary"] == {
            "sequences": model._state.stream.n_seen,
            "passes": model.n_iter_,
            "mistakes": model.n_mistakes_,
            "converged": False,
            "radius": model.radius_,
            "margin_lower": model.margin_.lower,
            "margin_upper": model.margin_.upper,
        }


def test_before_fitting_there_is_nothing_to_save(path):
    with pytest.raises(NotFittedError):
        SequencePerceptron().save(path)


def test_what_cannot_be_saved(path):
    model = hostile.taggers()["numeric SequencePerceptron"]
    with pytest.raises(ParameterError, match=r"beam=0 was given"):
        model.set_params(beam=0).save(path)
    model.set_params(beam=None)
    model._state.extra["transitions"][0, 0] = np.nan
    with pytest.raises(
        ModelFileError, match=r"cannot be saved: The tensor 'transitions' has a NaN"
    ):
        model.save(path)
