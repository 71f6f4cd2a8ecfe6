"""Pictures have the artists, the data and the names that they say."""

import runpy
import sys
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from commands import to_its_end
from laws.learners import ADDITIVE, fitted
from novikoff import (
    AROW,
    BalancedWinnow,
    KernelPerceptron,
    MaxMargin,
    NotSeparable,
    PassiveAggressive,
    Perceptron,
    Romma,
    VotedPerceptron,
    Winnow,
    margin,
)
from novikoff.data import load
from novikoff.errors import DataError, ParameterError

matplotlib.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb
from matplotlib.contour import QuadContourSet

from novikoff.plots import (
    BoundaryDisplay,
    ComparisonDisplay,
    ProgressDisplay,
    ProofDisplay,
    UpdateDisplay,
)
from novikoff.plots.boundary import projected
from novikoff.plots.convergence import brackets
from novikoff.plots.style import CLASSES

pytestmark = pytest.mark.heavy  # `make quick` leaves it out

GATE = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array(["no", "no", "no", "yes"])
XOR = GATE[0], np.array([0, 1, 1, 0])
THREE = [[0.0, 1.0], [1.0, 0.0], [-1.0, -1.0], [0.5, 1.5]], ["a", "b", "c", "a"]


@pytest.fixture(autouse=True)
def _closed():
    """No figure is left open, and each can be drawn, if the test has not done it."""
    yield
    for number in plt.get_fignums():
        figure = plt.figure(number)
        if figure.stale:
            figure.canvas.draw()
    plt.close("all")


@pytest.fixture(params=["default", "dark_background"])
def style(request):
    with plt.style.context(request.param):
        yield request.param


@pytest.fixture
def gate():
    return Perceptron(record=True, shuffle=False).fit(*GATE)


def texts(ax):
    return [t.get_text() for t in ax.get_legend().get_texts()]


# ------------------------------------------------------------- the boundary


def test_boundary(gate, style):
    display = BoundaryDisplay.from_estimator(gate, *GATE)
    ax = display.ax_
    assert display.figure_ is ax.figure
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$x_1$", "$x_2$")
    most = gate.dual_coef_.max()
    assert texts(ax) == [
        "no",
        "yes",
        r"$\langle w, x\rangle + b = 0$",
        r"within the margin $\gamma$",
        f"mistaken {most} times",
    ]
    no, yes = (c for c in ax.collections if isinstance(c, PathCollection) and len(c.get_offsets()))
    np.testing.assert_array_equal(np.vstack([no.get_offsets(), yes.get_offsets()]), GATE[0])
    sizes = np.append(no.get_sizes(), yes.get_sizes())
    assert np.corrcoef(sizes, gate.dual_coef_)[0, 1] == pytest.approx(1)
    w = gate.coef_[0]
    gamma = margin(*GATE, w, gate.intercept_[0])
    assert display.half_width == pytest.approx(gamma * np.linalg.norm(w))
    line = ax.collections[3].get_paths()[0].vertices  # after the sides, the band and its rims
    np.testing.assert_allclose(line @ w + gate.intercept_[0], 0, atol=1e-9)


def test_boundary_without_a_band():
    model = fitted(Perceptron, *XOR, max_iter=3)
    display = BoundaryDisplay.from_estimator(model, *XOR)
    assert display.half_width is None
    assert not any("margin" in text for text in texts(display.ax_))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_boundary_of_many_features_is_projected(form):
    X, y, _ = load("wdbc")
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = fitted(Perceptron, form(X), y, random_state=0)
    display = BoundaryDisplay.from_estimator(model, form(X), y)
    assert display.ax_.get_xlabel().endswith("distance from the boundary")
    assert display.ax_.get_ylabel() == "first principal direction of the rest"
    w = model.coef_[0]
    distances = (X @ w + model.intercept_[0]) / np.linalg.norm(w)
    np.testing.assert_allclose(display.points[:, 0], distances)
    rest = X - np.outer(X @ w, w) / (w @ w)
    rest -= rest.mean(axis=0)
    first = np.linalg.svd(rest, full_matrices=False)[2][0]
    np.testing.assert_allclose(abs(display.points[:, 1]), abs(rest @ first), atol=1e-6)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("learner", [Winnow(binarize=5.0), BalancedWinnow(clip=True)])
def test_examples_are_projected_as_the_learner_saw_them(learner, form):
    X = np.random.default_rng(3).uniform(0, 10, (60, 4)) * [1, 1, 0.1, 0.1]
    y = (X[:, 0] > 5) | (X[:, 1] > 5) if learner.get_params().get("binarize") else X[:, 2] > 0.5
    X = form(X.astype(np.float32))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = learner.fit(X, y)
    points = BoundaryDisplay.from_estimator(model, X, y).points
    off_line = abs(points[:, 0]) > 1e-9  # Winnow's scores are often 0, on neither side
    assert off_line.sum() > 20
    np.testing.assert_array_equal(points[off_line, 0] > 0, model.predict(X)[off_line])
    scores = model.decision_function(X) / np.linalg.norm(model.coef_)
    np.testing.assert_allclose(points[:, 0], scores, rtol=1e-5, atol=1e-5)


def test_projections_of_little_data():
    X = np.array([[1.0, 2.0, 3.0], [-1.0, -2.0, -3.0]])
    flat = projected(X, np.array([1.0, 2.0, 3.0]), 0.0)
    np.testing.assert_allclose(flat, [[14**0.5, 0], [-(14**0.5), 0]], atol=1e-12)
    model = Perceptron(shuffle=False, normalize=True).fit(X, [1, 0])
    assert BoundaryDisplay.from_estimator(model, X, [1, 0]).points.shape == (2, 2)


@pytest.mark.parametrize("learner", [*ADDITIVE, MaxMargin])
def test_boundaries_of_every_kind(learner):
    frame = pd.DataFrame(GATE[0], columns=["left", "right"])
    options = {} if learner is MaxMargin else {"max_iter": 1000}
    model = learner(**options).fit(frame, GATE[1])
    display = BoundaryDisplay.from_estimator(model, frame, GATE[1])
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("left", "right")
    if learner is VotedPerceptron:
        assert "the vote is even" in texts(display.ax_)
    if learner is MaxMargin:
        assert texts(display.ax_)[-1] == "supports the margin"
        assert display.half_width == pytest.approx(1.0, rel=1e-5)


def test_boundaries_that_are_not_lines():
    winnow = Winnow(binarize=0.5).fit(*GATE)
    assert BoundaryDisplay.from_estimator(winnow, *GATE).half_width is None
    plain = fitted(Winnow, *GATE)
    assert BoundaryDisplay.from_estimator(plain, *GATE).grid[2].shape == (201, 201)
    unit = fitted(Perceptron, *GATE, normalize=True)
    assert BoundaryDisplay.from_estimator(unit, *GATE).half_width is None
    soft = MaxMargin(C=1.0).fit(*XOR)
    assert BoundaryDisplay.from_estimator(soft, *XOR).ax_ is not None
    stream = Perceptron().partial_fit(*GATE)
    assert BoundaryDisplay.from_estimator(stream, *GATE).updates is None


def test_boundaries_that_cannot_be_drawn(gate):
    with pytest.raises(NotFittedError):
        BoundaryDisplay.from_estimator(Perceptron(), *GATE)
    with pytest.raises(ParameterError, match="X has 1 features and the model 1"):
        BoundaryDisplay.from_estimator(Perceptron().fit([[0.0], [1.0]], [0, 1]), [[0.0]], [0])
    with pytest.raises(ParameterError, match="X has 3 features and the model 2"):
        BoundaryDisplay.from_estimator(gate, np.eye(3), GATE[1][1:])


def region_of(ax, point):
    """The class in the colour of which the ground below a point is drawn; None if it is bare."""
    colours = [to_rgb(colour) for colour, _ in CLASSES]
    found = [
        colours.index(tuple(colour[:3]))
        for drawn in ax.collections
        if isinstance(drawn, QuadContourSet) and drawn.filled
        for path, colour in zip(drawn.get_paths(), drawn.get_facecolor(), strict=True)
        if path.contains_point(point)
    ]
    assert len(found) <= 1
    return found[0] if found else None


def clouds(n_classes):
    """Points in the plane, of so many classes, in fields like a chessboard's."""
    X = np.random.default_rng(n_classes).uniform(-1, 1, (80, 2))
    fields = 2 * np.digitize(X[:, 0], [-0.3, 0.3]) + (X[:, 1] > 0)
    return X, np.array(list("abcdef"))[fields % n_classes]


@pytest.mark.filterwarnings("ignore:.*stopped at max_iter")
@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize(
    "learner",
    [
        KernelPerceptron(kernel="rbf", gamma=4.0, random_state=0),
        KernelPerceptron(kernel="poly", predict_with="voted", random_state=0),
        Romma(kernel="linear", random_state=0),
        Perceptron(random_state=0),
        Perceptron(multi_class="ovr", normalize=True, random_state=0),
        VotedPerceptron(max_iter=3, random_state=0),
        AROW(random_state=0),
    ],
    ids=str,
)
def test_every_example_lies_in_the_region_that_predict_gives(learner, n_classes):
    X, y = clouds(n_classes)
    model = clone(learner).fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y)
    assert texts(display.ax_)[:n_classes] == model.classes_.tolist()
    if display.half_width is not None:
        return  # the band is an area too
    drawn = np.array([region_of(display.ax_, point) for point in X])
    found = np.array([place is not None for place in drawn])
    assert (~found).sum() <= 1  # where six lines meet, regions are thinner than the grid
    assert model.classes_[drawn[found].astype(int)].tolist() == model.predict(X)[found].tolist()


def test_large_examples_of_kernel_machines_are_their_support(style):
    model = KernelPerceptron(kernel="rbf", random_state=0).fit(*XOR)
    display = BoundaryDisplay.from_estimator(model, *XOR)
    np.testing.assert_array_equal(np.flatnonzero(display.updates), np.sort(model.support_))
    assert texts(display.ax_)[-2:] == ["the score is 0", "in the support"]


def test_regions_where_scores_are_equal_are_those_of_predict():
    model = Perceptron(shuffle=False, tie="negative").fit([[1.0, 0.0], [2.0, 1.0]], ["a", "b"])
    model.partial_fit([[0.0, 0.0]], ["c"], classes=["a", "b", "c"])
    model._state.weights[:] = 0
    display = BoundaryDisplay.from_estimator(model, [[0.0, 0.0], [1.0, 1.0]], ["a", "b"])
    assert region_of(display.ax_, (0.5, 0.5)) == 0


def test_regions_that_cannot_be_drawn():
    X, species, _ = load("iris")
    for learner in (Perceptron(max_iter=2), KernelPerceptron(max_iter=2)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            three, two = learner.fit(X, species), clone(learner).fit(X, species == "setosa")
        with pytest.raises(ParameterError, match="of 3 classes are drawn in the plane of two"):
            BoundaryDisplay.from_estimator(three, X, species)
        if isinstance(two, KernelPerceptron):
            with pytest.raises(
                ParameterError, match="a kernel machine are drawn in the plane of two"
            ):
                BoundaryDisplay.from_estimator(two, X, species == "setosa")
    many = Perceptron().partial_fit(np.eye(9)[:, :2], list("abcdefghi"))
    with pytest.raises(ParameterError, match="9 classes, but there are colours for 8"):
        BoundaryDisplay.from_estimator(many, np.eye(9)[:, :2], list("abcdefghi"))
    one = Perceptron().partial_fit([[0.0, 1.0]], ["a"])
    with pytest.raises(ParameterError, match="one class only, 'a'"):
        BoundaryDisplay.from_estimator(one, [[0.0, 1.0]], ["a"])
    model = fitted(Perceptron, *THREE)
    with pytest.raises(DataError, match="none of the model's 3 classes, first in row 1: 'd'"):
        BoundaryDisplay.from_estimator(model, THREE[0], ["a", "d", "c", "a"])


# ------------------------------------------------------------- an update


def test_update(gate, style):
    display = UpdateDisplay.from_trace(gate.trace_, 5)
    ax = display.ax_
    trace = gate.trace_
    np.testing.assert_array_equal(display.old, trace.weights(4))
    np.testing.assert_array_equal(
        display.new - display.old, [*(trace.step[4] * display.x), trace.step[4]]
    )
    assert ax.get_aspect() == 1.0
    assert ax.get_title().startswith("Update 5: ")
    assert texts(ax) == ["old line", "new line", f"$x$, of the class $y = {trace.label[4]:+d}$"]
    named = [t.get_text() for t in ax.texts if t.get_text()]
    assert named == ["$w_{old}$", rf"$y\,x = {'+' if trace.step[4] > 0 else '-'}x$", "$w_{new}$"]


def test_the_first_update_starts_at_zero():
    model = Perceptron(record=True, shuffle=False, eta0=0.5).fit([[2.0, 1.0], [1.0, 2.0]], [1, 0])
    display = UpdateDisplay.from_trace(model.trace_, 1)
    named = [t.get_text() for t in display.ax_.texts if t.get_text()]
    assert named == ["$w_{old}$ $= 0$", r"$\eta\,y\,x = +0.5\,x$", "$w_{new}$"]
    assert texts(display.ax_)[0] == "new line"


def test_names_of_an_update_stay_in_the_axes(gate):
    for k in range(1, len(gate.trace_) + 1):
        ax = UpdateDisplay.from_trace(gate.trace_, k).ax_
        ax.figure.canvas.draw()
        frame = ax.get_window_extent()
        for name in (t for t in ax.texts if t.get_text()):
            box = name.get_window_extent()
            assert frame.x0 < box.x0 < box.x1 < frame.x1
            assert frame.y0 < box.y0 < box.y1 < frame.y1
        plt.close(ax.figure)


def test_an_update_of_the_bias_alone(gate):
    nothing = UpdateDisplay.from_trace(gate.trace_, 1).ax_  # the example (0, 0), from 0
    named = [t.get_text() for t in nothing.texts if t.get_text()]
    assert named == [r"$y\,x = -x$ $= 0$", "$w_{new} = w_{old}$ $= 0$"]
    first, second = (t.get_window_extent() for t in nothing.texts)
    assert not first.overlaps(second)
    later = UpdateDisplay.from_trace(gate.trace_, 3).ax_
    assert "$w_{new} = w_{old}$" in [t.get_text() for t in later.texts]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_an_update_of_many_features_is_drawn_in_its_plane(form):
    X, species, _ = load("iris")
    model = Perceptron(record=True, random_state=0).fit(form(X), species == "setosa")
    trace = model.trace_
    for k in (1, 2, len(trace)):
        display = UpdateDisplay.from_trace(trace, k)
        x, w = X[trace.example[k - 1]], trace.weights(k)
        assert np.linalg.norm(display.x) == pytest.approx(np.linalg.norm(x))
        assert np.linalg.norm(display.new[:2]) == pytest.approx(np.linalg.norm(w[:-1]))
        assert display.new[:2] @ display.x == pytest.approx(w[:-1] @ x)
        assert "in the plane of" in display.ax_.get_ylabel()


def test_updates_that_cannot_be_drawn(gate):
    for k in (0, len(gate.trace_) + 1):
        with pytest.raises(ParameterError, match="updates are numbered 1 to"):
            UpdateDisplay.from_trace(gate.trace_, k)
    with pytest.raises(ParameterError, match="as perceptrons do it"):
        UpdateDisplay.from_trace(fitted(Winnow, *GATE, record=True).trace_, 1)
    narrow = Perceptron(record=True).fit([[0.0], [1.0]], [0, 1]).trace_
    with pytest.raises(ParameterError, match="two features or more"):
        UpdateDisplay.from_trace(narrow, 1)
    with pytest.raises(DataError, match="with_data"):
        UpdateDisplay.from_trace(Perceptron(record=True).partial_fit(*GATE).trace_, 1)


# ------------------------------------------------------------- the proof


def test_proof(gate, style):
    proof = gate.trace_.proof()
    ax = ProofDisplay(proof).plot().ax_
    most, length, progress, least = ax.lines[:4]
    assert texts(ax) == [r"$\sqrt{k}\,R$", r"$\|w_k\|$", r"$\langle w_k, u\rangle$", r"$k\gamma$"]
    np.testing.assert_allclose(length.get_ydata()[1:], proof.length)
    np.testing.assert_allclose(progress.get_ydata()[1:], proof.progress)
    crossing = np.interp(proof.bound, *most.get_data()), np.interp(proof.bound, *least.get_data())
    assert crossing[0] == pytest.approx(crossing[1], rel=1e-3)
    assert ax.get_xlim()[1] > proof.bound
    assert ax.get_title() == rf"18 mistakes, at most $(R/\gamma)^2 = ${proof.bound:.1f}"
    assert ax.get_xscale() == "linear"


def test_a_proof_that_ended_early_is_logarithmic():
    X, species, _ = load("iris")
    model = Perceptron(record=True, random_state=0).fit(X, species == "setosa")
    ax = ProofDisplay.from_trace(model.trace_).ax_
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


def test_proofs_of_other_kinds():
    from_far = Perceptron(record=True, shuffle=False).fit(*GATE, coef_init=[-9.0, 2.0])
    ax = ProofDisplay.from_trace(from_far.trace_).ax_
    assert texts(ax)[-1] == r"$\langle w_0, u\rangle + \gamma\sum\eta_j$"
    weighted = Perceptron(record=True, shuffle=False).fit(*GATE, sample_weight=[1, 2, 3, 4])
    proof = weighted.trace_.proof()
    ax = ProofDisplay(proof).plot().ax_
    np.testing.assert_allclose(ax.lines[0].get_ydata()[1:], proof.most)
    stuck = fitted(Perceptron, *XOR, record=True, max_iter=3).trace_
    with pytest.raises(NotSeparable):
        ProofDisplay.from_trace(stuck)
    assert ProofDisplay.from_trace(stuck, u=[1.0, 1.0]).ax_.get_title().endswith("mistakes")
    calm = Perceptron(record=True).fit([[1.0], [-1.0]], [1, 0], coef_init=[5.0])
    assert ProofDisplay.from_trace(calm.trace_).ax_.get_title().startswith("0 mistakes")


# ------------------------------------------------------------- progress


def test_progress(gate, style):
    display = ProgressDisplay.from_trace(gate.trace_)
    per_epoch, so_far, bracket = display.axes_
    np.testing.assert_array_equal([bar.get_height() for bar in per_epoch.patches], gate.mistakes_)
    assert so_far.lines[0].get_ydata()[-1] == gate.n_mistakes_
    assert so_far.lines[1].get_ydata()[0] == gate.trace_.proof().bound
    assert texts(so_far) == ["$k$", "at most 51"]
    assert bracket.get_ylabel() == r"margin $\gamma$"
    assert display.figure_ is per_epoch.figure


@pytest.mark.parametrize("slack", [0.0, 1.0])
def test_the_bracket_narrows_around_the_margin(slack):
    model = Perceptron(record=True, shuffle=False, slack=slack).fit(*GATE)
    k, lower, upper = brackets(model.trace_)
    assert (np.diff(lower) >= 0).all()
    assert (np.diff(upper) <= 0).all()
    true = model.trace_.proof().margin
    assert (lower <= true * (1 + 1e-9)).all()
    assert (true <= upper * (1 + 1e-6)).all()
    assert k[-1] == model.n_mistakes_
    assert lower[-1] == pytest.approx(model.margin_.lower, rel=1e-6)
    assert upper[-1] <= model.margin_.upper


def test_what_has_no_line_has_no_name():
    bracket = (np.array([1, 2, 3]), np.zeros(3), np.array([9.0, 3.0, 1.0]))
    common = {"mistakes_per_epoch": np.array([3]), "times": np.zeros(3), "bound": np.inf}
    common["mistakes"] = np.array([1, 2, 3])
    far = ProgressDisplay(bracket=bracket, **common).plot().axes_[2]
    assert far.get_yscale() == "log"
    assert texts(far) == [r"no more: $\|w_k\|/k$"]
    bracket = (bracket[0], np.array([0.0, 0.0, 0.2]), bracket[2])
    found = ProgressDisplay(bracket=bracket, **common).plot().axes_[2]
    assert texts(found)[-1] == "no less: margin of $w_k$"


def test_progress_into_given_axes_and_of_other_runs():
    figure, axes = plt.subplots(1, 3)
    stuck = fitted(Perceptron, *XOR, record=True, max_iter=80).trace_
    assert ProgressDisplay.from_trace(stuck, ax=axes).figure_ is figure
    assert len(axes[1].lines) == 1  # no bound
    _, one = plt.subplots()
    display = ProgressDisplay.from_trace(fitted(Winnow, *GATE, record=True).trace_, ax=one)
    assert len(display.axes_) == 3
    assert display.axes_[2].texts[0].get_text() == "no margin bracket"
    assert not one.axison
    calm = Perceptron(record=True).fit([[1.0], [-1.0]], [1, 0], coef_init=[5.0])
    assert ProgressDisplay.from_trace(calm.trace_).bound == 0  # this start is a separator


# ------------------------------------------------------------- comparison


def test_comparison(style):
    display = ComparisonDisplay.from_data(*GATE, random_state=0)
    ax = display.ax_
    assert texts(ax)[:4] == ["AB: standard", "CD: max-margin", "EF: averaged", "GH: voted"]
    assert sorted(t.get_text() for t in ax.texts) == list("ABCDEFGH")
    x, y = display.grid
    widest = MaxMargin().fit(*GATE)
    expected = widest.decision_function(np.column_stack([x.ravel(), y.ravel()]))
    np.testing.assert_allclose(display.scores["max-margin"].ravel(), expected, atol=1e-6)


def test_legends_cover_no_letter_of_a_comparison():
    for seed in range(4):
        ax = ComparisonDisplay.from_data(*GATE, random_state=seed).ax_
        ax.figure.canvas.draw()
        box = ax.get_legend().get_window_extent()
        assert not any(box.overlaps(letter.get_window_extent()) for letter in ax.texts)


def test_comparison_side_by_side():
    _, axes = plt.subplots(2, 2)
    frame = pd.DataFrame(GATE[0], columns=["left", "right"])
    display = ComparisonDisplay.from_data(frame, GATE[1], random_state=0, ax=axes)
    assert display.axes_ == list(axes.ravel())
    assert [texts(ax)[0] for ax in display.axes_] == [
        "AB: standard",
        "CD: max-margin",
        "EF: averaged",
        "GH: voted",
    ]
    assert axes[0, 0].get_xlabel() == "left"


def test_comparison_without_a_separator():
    with pytest.raises(NotSeparable):
        ComparisonDisplay.from_data(*XOR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        display = ComparisonDisplay.from_data(*XOR, C=1.0, max_iter=3, random_state=0)
    assert len(display.scores) == 4
    with pytest.raises(ParameterError, match="X has 3: choose two"):
        ComparisonDisplay.from_data(np.eye(3), [0, 1, 0])


# ------------------------------------------------------------- the company they keep


@pytest.mark.parametrize("draw", ["boundary", "update", "proof", "comparison"])
def test_axes_are_accepted_and_returned(gate, draw):
    figure, ax = plt.subplots()
    display = {
        "boundary": lambda: BoundaryDisplay.from_estimator(gate, *GATE, ax=ax),
        "update": lambda: UpdateDisplay.from_trace(gate.trace_, 2, ax=ax),
        "proof": lambda: ProofDisplay.from_trace(gate.trace_, ax=ax),
        "comparison": lambda: ComparisonDisplay.from_data(*GATE, ax=ax),
    }[draw]()
    assert display.ax_ is ax
    assert display.figure_ is figure
    again = display.plot()
    assert again is display
    assert display.ax_ is not ax


def test_without_matplotlib_the_error_names_the_extra(gate, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ParameterError, match=r"pip install 'novikoff\[plots\]'"):
        ProofDisplay.from_trace(gate.trace_)
    with pytest.raises(ParameterError, match=r"pip install 'novikoff\[plots\]'"):
        BoundaryDisplay.from_estimator(gate, *GATE)


def test_nothing_but_a_picture_imports_matplotlib():
    script = (
        "import sys, novikoff.plots, novikoff.proofs.trace; sys.exit('matplotlib' in sys.modules)"
    )
    assert to_its_end([sys.executable, "-c", script]).returncode == 0


@pytest.mark.parametrize("name", ["gallery_pictures", "lab_pictures"])
def test_examples_say_how_they_are_called(name, tmp_path, monkeypatch, capsys):
    path = Path(__file__).parent.parent / "examples" / f"{name}.py"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(path), "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(path), run_name="__main__")
    assert ended.value.code == 0
    assert "folder" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


def test_photographs_of_the_lab_say_what_they_need(monkeypatch):
    path = Path(__file__).parent.parent / "examples" / "lab_pictures.py"
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    with pytest.raises(SystemExit, match=r"pip install playwright pillow"):
        runpy.run_path(str(path))


def test_the_pictures_of_the_documentation_are_small():
    folder = Path(__file__).parent.parent / "docs" / "pictures"
    pictures = sorted(folder.glob("*.png"))
    assert [p.stem for p in pictures] == ["comparison", "lab", "lab_dark", "lattice", "proof"]
    assert all(p.stat().st_size < 100_000 for p in pictures)


# ------------------------------------------------------------- legends


def covered(ax, points):
    """How many examples, of whatever size, the legend covers once all is in place."""
    ax.figure.canvas.draw()
    box = ax.get_legend().get_window_extent()
    pixels = ax.transData.transform(points)
    radius = max(
        np.sqrt(drawn.get_sizes().max() / np.pi) * ax.figure.dpi / 72
        for drawn in ax.collections
        if isinstance(drawn, PathCollection) and len(drawn.get_offsets())
    )
    near = np.maximum(np.maximum((box.min - pixels), (pixels - box.max)), 0)
    return int((np.hypot(*near.T) < radius).sum())


def inside(ax):
    """Is the legend in the axes?"""
    box, frame = ax.get_legend().get_window_extent(), ax.get_window_extent()
    return frame.y0 < box.y0 < box.y1 < frame.y1


@pytest.mark.filterwarnings("ignore:.*stopped at max_iter")
@pytest.mark.parametrize("n", [4, 30, 120, 1000])
@pytest.mark.parametrize("features", [2, 5])
def test_legends_cover_no_example(n, features):
    for seed in range(3):
        X = np.random.default_rng(seed).uniform(size=(n, features))
        y = np.where(X[:, 0] > np.median(X[:, 0]), "yes", "no")
        display = BoundaryDisplay.from_estimator(fitted(Perceptron, X, y, max_iter=5), X, y)
        assert covered(display.ax_, display.points) == 0
        box = display.ax_.get_legend().get_window_extent()
        assert 0 <= box.x0 < box.x1 <= display.figure_.bbox.width
        assert 0 <= box.y0 < box.y1 <= display.figure_.bbox.height
        assert n < 1000 or not inside(display.ax_)
        if features == 2:
            display = ComparisonDisplay.from_data(X, y, C=1.0, max_iter=5)
            assert covered(display.ax_, display.points) == 0


def test_legends_stay_in_axes_around_which_there_is_no_room():
    X = np.random.default_rng(0).uniform(size=(1000, 2))
    y = X[:, 0] > 0.5
    _, ax = plt.subplots()
    BoundaryDisplay.from_estimator(fitted(Perceptron, X, y, max_iter=5), X, y, ax=ax)
    assert inside(ax)
    figure = plt.figure(layout="constrained")
    ax = figure.subfigures(1, 2)[1].subplots()
    BoundaryDisplay.from_estimator(fitted(Perceptron, X, y, max_iter=5), X, y, ax=ax)
    figure.canvas.draw()
    assert not inside(ax)


@pytest.mark.parametrize("width", [6.4, 4.0, 2.0])
def test_a_legend_does_not_squeeze_the_axes_more_at_every_drawing(width):
    """One that is wider than the figure would, until nothing is left of them."""
    X = np.random.default_rng(0).uniform(size=(1000, 2))
    y = np.where(X[:, 0] > 0.5, "a class with a long name", "another")
    figure = plt.figure(layout="constrained", figsize=(width, 4.8))
    ax = figure.subfigures(1, 2)[1].subplots()
    model = fitted(Perceptron, X, y, max_iter=5, random_state=0)
    BoundaryDisplay.from_estimator(model, X, y, ax=ax)
    figure.canvas.draw()
    widths = []
    for _ in range(5):
        figure.canvas.draw()
        widths.append(ax.get_window_extent().width)
    assert min(widths) == pytest.approx(max(widths), rel=0.01)


# ------------------------------------------------------------- more than two classes


@pytest.mark.parametrize("slack", [0.0, 1.0])
def test_pictures_of_many_classes(slack):
    model = fitted(Perceptron, *THREE, record=True, shuffle=False, slack=slack)
    trace = model.trace_
    assert ProofDisplay.from_trace(trace).ax_.get_title().startswith(f"{len(trace)} mistakes")
    _, lower, upper = brackets(trace)
    true = trace.proof().margin
    assert (lower <= true * (1 + 1e-5)).all()
    assert (upper >= true).all()
    assert lower[-1] > 0
    ends = np.sqrt(trace.squared_norm) / trace.mistakes
    np.testing.assert_allclose(upper, np.minimum.accumulate(ends))
    display = ProgressDisplay.from_trace(trace)
    assert display.bound == trace.proof().bound
    with pytest.raises(ParameterError, match="here are 3: choose two classes"):
        UpdateDisplay.from_trace(trace, 1)
    with pytest.raises(ParameterError, match="a perceptron or of Winnow on two classes"):
        trace.player()


def test_pictures_of_machines_and_of_other_learners():
    trace = fitted(Perceptron, *THREE, record=True, multi_class="ovr").trace_
    assert ProgressDisplay.from_trace(trace).bound == np.inf
    with pytest.raises(ParameterError, match="here are 3: give that of one machine"):
        UpdateDisplay.from_trace(trace, 1)
    machine = trace.machine("b")
    assert UpdateDisplay.from_trace(machine, 1).k == 1
    assert ProofDisplay.from_trace(machine).proof.holds
    assert ProgressDisplay.from_trace(machine).bound == machine.proof().bound
    other = fitted(PassiveAggressive, *THREE, record=True).trace_
    assert ProgressDisplay.from_trace(other).bracket is None
    for draw in (ProofDisplay.from_trace, lambda trace: UpdateDisplay.from_trace(trace, 1)):
        with pytest.raises(ParameterError, match="passive_aggressive_bound"):
            draw(other)
