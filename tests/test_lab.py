"""The lab computes what the library does: states, what is shown of them, tables, programs."""

import json
import warnings
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from sklearn.exceptions import ConvergenceWarning

import novikoff
from novikoff.errors import DataError, NovikoffError, ParameterError
from novikoff.lab import sheet
from novikoff.lab.frames import of_state, of_trace
from novikoff.lab.link import (
    FIELDS,
    LEARNERS,
    MOST_POINTS,
    USUAL,
    State,
    from_link,
    plain,
    to_link,
)
from novikoff.lab.notebook import MODULES, module
from novikoff.lab.presets import NAMES, preset
from novikoff.lab.visits import MOST_STEPS

WHOLE = st.integers(-4, 4).map(float)
POINT = st.tuples(WHOLE, WHOLE, st.sampled_from([-1, 1]))
ADDITIVE = [name for name in LEARNERS if name != "winnow"]


@st.composite
def states(draw, learners=tuple(LEARNERS)):
    """States whose arithmetic is exact in floats, unless examples are brought to unit length."""
    bias = draw(st.booleans())
    return State(
        points=tuple(draw(st.lists(POINT, max_size=8))),
        learner=draw(st.sampled_from(learners)),
        tie=draw(st.sampled_from(["mistake", "negative", "positive"])),
        fit_intercept=bias,
        normalize=draw(st.booleans()),
        shuffle=draw(st.booleans()),
        random_state=draw(st.integers(0, 5)),
        eta0=draw(st.sampled_from([0.5, 1.0, 2.0])),
        slack=draw(st.sampled_from([0.0, 0.0, 0.5, 1.0])),
        margin=draw(st.sampled_from([0.0, 0.0, 0.5, 2.0])),
        coef_init=draw(st.tuples(WHOLE, WHOLE)),
        intercept_init=draw(WHOLE) if bias else 0.0,
        max_iter=draw(st.integers(1, 12)),
        threshold=draw(st.sampled_from([1.0, 2.0])),
        view=draw(st.none() | st.just((-5.0, -5.0, 10.0))),
        step=draw(st.integers(0, 50)),
    )


def learns(state):
    return len({sign for *_, sign in state.points}) == 2


# ------------------------------------------------------------- links


@given(states())
def test_a_link_says_all_of_a_state(state):
    assert from_link(to_link(state)) == state


@pytest.mark.parametrize("name", NAMES)
def test_presets_have_short_links(name):
    state = from_link(f"data={name}")
    assert to_link(state) == f"data={name}"
    assert state.points == preset(name).points
    assert {sign for *_, sign in state.points} == {-1, 1}


NUMBER = st.floats(-1e6, 1e6) | WHOLE


@given(st.lists(st.tuples(NUMBER, NUMBER, st.sampled_from([-1, 1])), max_size=4))
def test_points_go_through_a_link_bit_for_bit(points):
    points = tuple(
        (x if abs(x) >= 1e-6 else 0.0, y if abs(y) >= 1e-6 else 0.0, c) for x, y, c in points
    )
    assert from_link(to_link(State(points=points))).points == points


@given(
    st.text(max_size=60)
    | st.lists(
        st.sampled_from(
            ["points", "=", "&", "1,2,p", ";", "nan", "step", "eta0", "-1", "%00", "data", "xor"]
        )
    ).map("".join)
)
@example("points=nan,0,p")
@example("points=1e999,0,p")
@example("eta0=nan")
@example("slack=inf")
@example("data=xor&points=1,2,p")
@example("points=1,2,p&data=xor")
@example("step=-1")
@example("step=٣")
@example("names=a")
def test_any_text_is_a_state_or_a_clear_error(text):
    with suppress(ParameterError):  # and nothing else is raised
        from_link(text)


@pytest.mark.parametrize(
    ("link", "told"),
    [
        (
            "points=" + ";".join(["1,2,p"] * (MOST_POINTS + 1)),
            "501 points .* takes 500 at the most",
        ),
        ("points=1,2,q", "point 1 is '1,2,q', but it must be written as x,y,p or x,y,n"),
        ("points=nan,2,p", "point 1 is 'nan', but it must be a number from -1e"),
        ("points=1,2e7,p", "point 1 is '2e7'"),
        ("learner=svm", "one of perceptron, averaged, voted, winnow"),
        ("eta0=0", r"“Step η” \(eta0\) is '0', but it must be a number from 1e-06"),
        ("max_iter=abc", r"^“Epochs, at most” \(max_iter\) is 'abc', but it must be a whole"),
        ("slack=-1", "0, or a number from 0.001"),
        ("max_iter=1000000", "a whole number from 1 to 10,000"),
        ("coef_init=1", "two numbers"),
        ("colour=red", "A part of the link is 'colour'"),
        ("tie=mistake&tie=mistake", "twice"),
        ("data=xor&points=1,2,p", "twice"),
        ("learner", "written as name=value"),
        ("&".join(["tie=mistake"] * 100), "written as name=value"),
        ("x" * 100_000, "100,000 letters"),
    ],
)
def test_what_is_wrong_with_a_link_is_said(link, told):
    with pytest.raises(ParameterError, match=told):
        from_link(link)


# ------------------------------------------------------------- what is shown


def followed(state, frames):
    """The run again, as a student follows it with pencil and paper: mistakes, and all weights."""
    seen = frames["seen"] or frames["points"]
    w, own = list(frames["weights"][0]), [0.0] * len(seen)
    updates, mistakes, weights, squares, mean = [], [], [list(w)], [], None
    for t, i in enumerate(frames["visits"]["example"]):
        (x1, x2), y = seen[i], state.points[i][2]
        s = w[0] * x1 + w[1] * x2 + w[2]
        if state.learner == "winnow":
            wrong = learns = (s >= 0) != (y > 0)
            if wrong:
                times = state.factor if y > 0 else 1 / state.factor
                w = [w[0] * times if x1 else w[0], w[1] * times if x2 else w[1], w[2]]
        else:
            m = y * s + state.slack**2 * own[i]
            side = {"mistake": 0, "negative": -1, "positive": 1}[state.tie]
            wrong = m < 0 or (m == 0 and y != side)
            if t == len(seen):
                mean = sum(squares) / t
            asked = 0.0 if mean is None else mean + state.fit_intercept + state.slack**2
            learns = wrong or (state.margin > 0 and m <= state.margin * (state.eta0 * asked))
            squares.append(x1 * x1 + x2 * x2)
            if t < len(seen) and len(squares).bit_count() == 1:  # 1, 2, 4, ... have come
                mean = sum(squares) / len(squares)
            if learns:
                step = state.eta0 * y
                w = [w[0] + step * x1, w[1] + step * x2, w[2] + step * state.fit_intercept]
                own[i] += state.eta0
        mistakes.append(int(wrong))
        updates.append(int(learns))
        if learns:
            weights.append(list(w))
    return updates, mistakes, weights


@given(states())
def test_every_visit_is_as_by_hand(state):
    frames = of_state(state)
    json.dumps(frames, allow_nan=False)
    if not learns(state):
        assert "wanting" in frames
        return
    visits = frames["visits"]
    n, epochs = len(state.points), frames["epochs"]
    assert visits["complete"]
    assert len(visits["example"]) == n * epochs
    for epoch in range(epochs):  # every example once in every epoch
        assert sorted(visits["example"][epoch * n : (epoch + 1) * n]) == list(range(n))
    assert sum(visits["mistake"]) == frames["mistakes"]
    assert sum(visits["update"]) == len(frames["steps"]) == len(frames["weights"]) - 1
    if state.normalize and state.learner != "winnow":
        return  # rounding decides ties then, and by hand one rounds otherwise
    updates, mistakes, weights = followed(state, frames)
    assert visits["mistake"] == mistakes
    assert visits["update"] == updates
    assert frames["weights"] == weights


@given(states(learners=("averaged",)))
def test_the_mean_at_the_end_is_what_predicts(state):
    if learns(state):
        frames = of_state(state)
        model = executed(frames["code"])["model"]
        w = [*model.coef_[0], model.intercept_[0]]
        assert np.allclose(frames["mean"][-1], w, rtol=1e-12, atol=1e-12)


@given(states(learners=ADDITIVE))
def test_the_bound_and_the_four_quantities_are_the_theorems(state):
    if not learns(state):
        return
    frames = of_state(state)
    theorem = frames["theorem"]
    if "why" in theorem:
        if not state.normalize:
            assert not state.slack
            assert frames["verdict"]["verdict"] in ("quasi-separable", "inseparable")
        return
    assert theorem["holds"]
    made = len(frames["steps"])
    assert theorem["bound"] is None or made <= theorem["bound"] * (1 + 1e-9)
    quantities = [np.array(theorem[name]) for name in ("least", "progress", "length", "most")]
    assert all(len(q) == made + 1 for q in quantities)
    scale = 1 + max(abs(q).max() for q in quantities)
    for smaller, larger in pairwise(quantities):
        assert (smaller <= larger + 1e-9 * scale).all()
    bracket = frames["bracket"]
    assert bracket["k"] == list(range(1, made + 1))
    for lower, upper in zip(bracket["lower"], bracket["upper"], strict=True):
        assert lower <= theorem["margin"] * (1 + 1e-6) + 1e-12
        assert theorem["margin"] <= upper * (1 + 1e-9) + 1e-12


@given(states())
def test_multipliers_prove_that_no_line_does_it(state):
    if not learns(state):
        return
    frames = of_state(state)
    verdict = frames["verdict"]
    seen = frames["seen"] or frames["points"]
    if verdict["verdict"] == "undecided":  # points that rounding brought within an ulp
        assert state.normalize
    elif verdict["verdict"] == "separable":
        (a, b, c), (low, high) = verdict["band"], verdict["margin"]
        assert a * a + b * b == pytest.approx(1)
        assert 0 < low <= high
        scores = [
            sign * (a * x + b * y + c) for (x, y), sign in zip(seen, frames["signs"], strict=True)
        ]
        assert min(scores) == pytest.approx(low, rel=1e-6)
    else:
        z = np.array([[x, y, 1.0] for x, y in seen]) * np.array(frames["signs"])[:, None]
        bias = state.fit_intercept or state.learner == "winnow"
        total = np.array(verdict["multipliers"]) @ z[verdict["rows"]]
        assert np.allclose(total[: 2 + bias], 0, atol=1e-9 * abs(z).max())
        assert sum(verdict["multipliers"]) == pytest.approx(1)


def test_xor_has_its_certificate():
    verdict = of_state(from_link("data=xor"))["verdict"]
    assert verdict["verdict"] == "inseparable"
    assert verdict["rows"] == [0, 1, 2, 3]
    assert [Fraction(p) for p in verdict["exact"]] == [Fraction(1, 4)] * 4


def test_winnow_says_its_own_bound():
    theorem = of_state(from_link("data=or&learner=winnow"))["theorem"]
    assert theorem["bound"] == novikoff.winnow_bound(2, 2)
    assert "another proof" in theorem["no_curves"]
    assert "why" in of_state(from_link("data=xor&learner=winnow"))["theorem"]
    assert "why" in of_state(from_link("data=or&learner=winnow&factor=3"))["theorem"]


EXTREME = st.sampled_from([0.0, 1e-6, -1e-6, 1.0, -1.0, 1e6, -1e6, 0.1, 123456.789])


@given(
    st.lists(st.tuples(EXTREME, EXTREME, st.sampled_from([-1, 1])), min_size=2, max_size=5),
    st.sampled_from(sorted(LEARNERS)),
    st.booleans(),
    st.sampled_from([1e-6, 1.0, 1e6]),
    st.sampled_from([0.0, 1e-3, 1e3]),
    st.tuples(EXTREME, EXTREME),
)
def test_extreme_numbers_are_shown_or_refused(points, learner, normalize, eta0, slack, start):
    state = State(
        points=tuple(points),
        learner=learner,
        normalize=normalize,
        eta0=eta0,
        slack=slack,
        coef_init=start,
        max_iter=20,
    )
    with suppress(NovikoffError):  # and nothing else is raised
        json.dumps(of_state(state), allow_nan=False)


def test_long_runs_are_cut_and_said_to_be():
    points = tuple((float(i % 25), float(i // 25), (-1) ** i) for i in range(MOST_POINTS))
    frames = of_state(State(points=points, max_iter=10_000))
    assert len(frames["visits"]["example"]) <= MOST_STEPS
    assert "40 epochs" in frames["notes"][0]
    assert "max_iter=40" in frames["code"]


# ------------------------------------------------------------- programs


def executed(code):
    """What a program defines; that a run did not converge, or that time ran out, is no error."""
    found = {}
    with warnings.catch_warnings(), suppress(novikoff.OutOfTime):
        warnings.simplefilter("ignore", ConvergenceWarning)
        exec(code, {"print": lambda *words: None}, found)
    return found


@given(states())
def test_the_program_makes_the_same_run(state):
    if not learns(state):
        return
    frames = of_state(state)
    found = executed(frames["code"])
    assert found["trace"].weights(range(len(found["trace"]) + 1)).tolist() == frames["weights"]
    if frames["verdict"]["verdict"] == "undecided":
        return
    assert found["verdict"].verdict == frames["verdict"]["verdict"]
    assert list(found["verdict"].rows) == frames["verdict"]["rows"]
    if "bound" in frames["theorem"] and state.learner != "winnow":
        assert found["proof"].bound == (frames["theorem"]["bound"] or np.inf)


# ------------------------------------------------------------- traces


def test_a_trace_without_a_known_order_shows_its_updates():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 0, 1]
    frames = of_trace(novikoff.Perceptron(record=True, max_iter=100).fit(X, y).trace_)
    visits = frames["visits"]
    assert not visits["complete"]
    assert visits["mistake"] == [1] * frames["mistakes"]
    assert "Each step is an update" in frames["notes"][0]
    stream = novikoff.Perceptron(record=True, shuffle=False).partial_fit(X, y)
    assert of_trace(stream.trace_.with_data(X, y))["visits"]["complete"]


def test_examples_of_weight_zero_are_not_visited():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 0, 1]
    model = novikoff.Perceptron(record=True, shuffle=False, max_iter=100)
    trace = model.fit(X, y, sample_weight=[1, 1, 0, 1]).trace_
    assert not of_trace(trace)["visits"]["complete"]


def test_fields_of_the_page_are_called_what_they_are_called_there():
    page = (Path(novikoff.__file__).parent / "lab" / "static" / "index.html").read_text()
    said = page.replace("<i>", "").replace("</i>", "")
    for name, field in FIELDS.items():
        assert name in USUAL
        assert field.startswith("Start") or f"<span>{field}</span>" in said, name


def test_what_was_made_before_the_recording_is_left_out():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 0, 1]
    model = novikoff.Perceptron(shuffle=False).partial_fit(X, y)
    model.set_params(record=True).partial_fit(X, y)
    trace = model.trace_.with_data(X, y)
    before, proof = int(trace.mistakes[0] - 1), trace.proof()
    assert before > 0
    theorem = of_trace(trace)["theorem"]
    assert theorem["bound"] == pytest.approx(proof.bound - before)
    assert theorem["curves"]["k"][0] == 0
    np.testing.assert_allclose(theorem["curves"]["least"][0], proof.start[0])


def test_a_warm_start_shows_its_updates():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 0, 1]
    model = novikoff.Perceptron(record=True, warm_start=True, max_iter=100, random_state=3)
    trace = model.fit(X, y).fit(X, y).trace_
    frames = of_trace(trace)
    assert frames["mistakes"] == len(frames["weights"]) - 1


@pytest.mark.parametrize("d", [1, 3])
def test_a_player_needs_two_features(d):
    X = np.eye(4)[:, :d]
    trace = (
        novikoff.Perceptron(record=True, shuffle=False, slack=1.0, max_iter=50)
        .fit(X, [0, 1, 1, 0])
        .trace_
    )
    with pytest.raises(ParameterError, match=f"X has {d}: choose two"):
        of_trace(trace)


def test_the_player_is_a_widget_with_the_run_in_it():
    pytest.importorskip("anywidget")
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]
    trace = novikoff.Perceptron(shuffle=False, record=True).fit(X, y).trace_
    widget = trace.player()
    assert widget.frames["classes"] == ["no", "yes"]
    assert widget.frames["theorem"]["bound"] == trace.proof().bound
    widget.step = 10**6
    assert widget.step == len(widget.frames["visits"]["example"])
    widget.step = -5
    assert widget.step == 0
    json.dumps(widget.frames, allow_nan=False)


def test_the_player_of_one_machine_names_its_class_and_the_rest():
    pytest.importorskip("anywidget")
    X, y = [[0.0, 1.0], [1.0, 0.0], [-1.0, -1.0]], ["a", "b", "c"]
    model = novikoff.Perceptron(multi_class="ovr", shuffle=False, record=True).fit(X, y)
    frames = model.trace_.machine("c").player().frames
    assert frames["classes"] == ["not c", "c"]
    assert frames["signs"] == [-1, -1, 1]


def test_the_module_of_notebooks_stands_alone():
    text = module()
    assert text.count("export ") == 1
    assert "import " not in text.replace("// What a notebook", "")
    assert all(f"const {name.removesuffix('.js')} = " in text for name in MODULES)


# ------------------------------------------------------------- tables


TABLE = "length,width,kind,n\n1,2,a,1\n2,1,a,2\n3,5,b,3\n4,4.5,b,4\n9,9,c,5\n"


def test_two_columns_of_a_table():
    table = sheet.parsed(TABLE)
    found = sheet.columns(table)
    assert found["label"] == 2
    assert found["numeric"] == [0, 1, 3]
    state = sheet.chosen(table, 2, "a", "b", 0, 1)
    assert state.points == ((1.0, 2.0, -1), (2.0, 1.0, -1), (3.0, 5.0, 1), (4.0, 4.5, 1))
    assert (state.names, state.classes) == (("length", "width"), ("a", "b"))
    assert from_link(to_link(state)) == state


def test_a_projection_keeps_what_varies_most():
    t = np.linspace(-1, 1, 9)
    X = np.column_stack([t, t, t, 0.01 * t**2])
    plane = sheet.projected(X)
    assert abs(np.corrcoef(plane[:, 0], t)[0, 1]) > 0.999
    assert plane[:, 0].var() > plane[:, 1].var()
    rows = "\n".join(f"{a},{b},{c},{d},{'pn'[j % 2]}" for j, (a, b, c, d) in enumerate(X))
    state = sheet.chosen(sheet.parsed(f"a,b,c,d,y\n{rows}"), 4, "p", "n", sheet.PROJECTED, 0)
    assert [(x, y) for x, y, _ in state.points] == [tuple(p) for p in plane.tolist()]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("a\n1\n", "1 column, but 3"),
        ("a,b,c\n1,2\n", "Row 2 has 2 values"),
        ("a,b,c\nx,y,z\n", "0 columns? of finite numbers|0 column"),
        ("a,b,c\n1,nan,z\n2,inf,y\n", "1 column of finite numbers"),
        ('a,b,c\n"1,2,x\n', "cannot be read"),
        (",".join("abcdefgh" * 40), "320 columns"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(text, told):
    with pytest.raises(DataError, match=told):
        sheet.parsed(text)


def test_what_is_wrong_with_a_choice_is_said():
    table = sheet.parsed(TABLE)
    for label, first, second, x, y in [
        (9, "a", "b", 0, 1),
        (-1, "a", "b", 0, 1),
        (2, "a", "a", 0, 1),
        (2, "a", "zebra", 0, 1),
        (2, "a", "b", 0, 0),
        (2, "a", "b", 0, 2),
        (2, "a", "b", 0, 17),
    ]:
        with pytest.raises(ParameterError):
            sheet.chosen(table, label, first, second, x, y)
    many = "x,y,z\n" + "".join(f"{j},{j},{'ab'[j % 2]}\n" for j in range(MOST_POINTS + 2))
    with pytest.raises(DataError, match="500 points at the most"):
        sheet.chosen(sheet.parsed(many), 2, "a", "b", 0, 1)
    far = "x,y,z\n1e9,1,a\n2,2,b\n"
    with pytest.raises(DataError, match="scale them"):
        sheet.chosen(sheet.parsed(far), 2, "a", "b", 0, 1)
    for huge in ("1e308", "-1e308"):
        farther = f"x,y,z\n1,{huge},a\n2,1e308,b\n"
        with pytest.raises(DataError, match=r"The column y goes to 1e\+308, .* scale it"):
            sheet.chosen(sheet.parsed(farther), 2, "a", "b", sheet.PROJECTED, 0)


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(["a", "1", ",", "\n", '"', ";", "\t", "\0", "nan"])).map("".join)
)
def test_any_text_is_a_table_or_a_clear_error(text):
    with suppress(DataError):  # and nothing else is raised
        sheet.columns(sheet.parsed(text))


@given(st.text(max_size=90))
def test_plain_names_go_into_links(name):
    kept = plain(name)
    if kept and kept != "x":
        state = State(names=(kept, "x"))
        assert from_link(to_link(state)) == state
