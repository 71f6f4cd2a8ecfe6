"""The model is the same to the bit, whatever the number of threads."""

import pickle
import threading
import time
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse

from novikoff import (
    AROW,
    SCW,
    AveragedPerceptron,
    BalancedWinnow,
    DataError,
    ParameterError,
    PassiveAggressive,
    Perceptron,
    Pocket,
    SecondOrderPerceptron,
    VotedPerceptron,
    Winnow,
    separability,
)
from novikoff.cli import main
from novikoff.data import write
from novikoff.parallel import cores, pool as teams, speculate as ahead

SOME, FEW = (settings(max_examples=1 + settings.default.max_examples // part) for part in (3, 6))
"""Threads that wait for each other while other tests have the cores take their time."""
PERCEPTRONS = (Perceptron, AveragedPerceptron, VotedPerceptron, Pocket)
TOLD = ("mistakes_", "dual_coef_", "radius_", "mistake_bound_", "coef_", "intercept_")

pytestmark = [
    pytest.mark.heavy,  # `make quick` leaves it out
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


class Eager(teams.Team):
    """A team that always works together, whatever the clock says; it counts what it did."""

    visits = 0

    def size(self):
        self.seconds = self.seconds or 1e-7
        return self.most

    def epoch(self, p):
        result = super().epoch(p)
        Eager.visits += self.together
        self.together = 0
        return result


@pytest.fixture(autouse=True, scope="module")
def always_together():
    """No test waits for a clock: every pass is made by the team."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(teams, "Team", Eager)
        yield


def told(model, X):
    """Everything a model says, as bytes."""
    names = [name for name in TOLD if hasattr(model, name)]
    said = [np.array(getattr(model, name), np.float64).tobytes() for name in names]
    return [*said, model.margin_, model.predict(X).tobytes(), model.decision_function(X).tobytes()]


@st.composite
def examples(draw, most=400):
    """Enough rows for many rounds, of a width where sums are reassociated, and with hard labels."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(2, most)), draw(st.sampled_from([1, 3, 17, 64, 130]))
    n_classes = draw(st.sampled_from([2, 2, 3, 5]))
    X = rng.standard_normal((n, d)) * draw(st.sampled_from([1.0, 100.0]))
    W = rng.standard_normal((d, n_classes))
    noise = draw(st.sampled_from([0.0, 0.05, 0.5])) * rng.standard_normal((n, n_classes))
    y = (X @ W + np.abs(X).mean() * noise).argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)[: len(y)]
    if draw(st.booleans()):
        X = X.astype(np.float32)
    else:
        X = sparse.csr_array(np.where(rng.random(X.shape) < 0.3, X, 0.0))
    weight = rng.choice([0.5, 2.0], n) if draw(st.booleans()) else None
    return X, y, weight, {"shuffle": draw(st.booleans()), "random_state": 0}


options = st.fixed_dictionaries(
    {
        "fit_intercept": st.booleans(),
        "tie": st.sampled_from(["mistake", "negative", "positive"]),
        "slack": st.sampled_from([0.0, 0.5]),
    }
)


@given(
    examples(),
    options,
    st.sampled_from(PERCEPTRONS),
    st.sampled_from(["joint", "ovr"]),
    st.sampled_from([2, 3, 5]),
)
@SOME
def test_every_number_of_threads_gives_the_same_model(D, given_options, learner, multi_class, n):
    X, y, weight, order = D
    chosen = given_options | order | {"max_iter": 4}
    if learner is not Pocket:
        chosen["multi_class"] = multi_class
    one, several = (
        learner(**chosen, n_jobs=jobs).fit(X, y, sample_weight=weight) for jobs in (None, n)
    )
    assert told(one, X) == told(several, X)
    pickle.dumps(several)  # no thread is kept


@given(examples(), options, st.sampled_from(PERCEPTRONS), st.integers(1, 400))
@FEW
def test_and_so_does_a_stream_of_blocks(D, given_options, learner, cut):
    X, y, weight, order = D
    models = [learner(**given_options, **order, n_jobs=jobs) for jobs in (1, 3)]
    for low in range(0, len(y), cut):
        block = slice(low, low + cut)
        for model in models:
            some = None if weight is None else weight[block]
            model.partial_fit(X[block], y[block], sample_weight=some)
    assert told(models[0], X) == told(models[1], X)


MACHINES = {
    AROW: {},
    BalancedWinnow: {},
    PassiveAggressive: {"multi_class": "ovr"},
    SCW: {},
    SecondOrderPerceptron: {},
}


@pytest.mark.parametrize("form", ["dense", "csr"])
@pytest.mark.parametrize(  # of three classes, a thread may have one alone
    ("learner", "n_classes"), [*product(MACHINES, (4, 6)), (PassiveAggressive, 3)]
)
def test_machines_of_many_classes_are_shared_out(learner, n_classes, form):
    rng = np.random.default_rng(n_classes)
    X = rng.random((300, 33))
    y = (X @ rng.standard_normal((33, n_classes))).argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)
    X = X if form == "dense" else sparse.csr_array(np.where(X < 0.4, X, 0))
    said = []
    for jobs in (None, 2, 4):
        model = learner(max_iter=3, shuffle=False, n_jobs=jobs, **MACHINES[learner]).fit(X, y)
        told_of_it = (model.coef_, model.intercept_, model.mistakes_, model.dual_coef_)
        said.append([a.tobytes() for a in told_of_it] + [model.n_updates_, model.radius_])
    assert said[0] == said[1] == said[2]


HEEDFUL = {  # one form of data each, since each has to be compiled
    "AROW": (AROW, {}, True),
    "AROW, full": (AROW, {"covariance": "full"}, False),
    "balanced Winnow": (BalancedWinnow, {}, False),
    "PA": (PassiveAggressive, {"variant": "PA"}, True),
    "PA-I": (PassiveAggressive, {"variant": "PA-I", "C": 0.1}, False),
    "PA-II": (PassiveAggressive, {"variant": "PA-II", "fit_intercept": False}, True),
    "second-order": (SecondOrderPerceptron, {}, True),
    "SCW": (SCW, {}, False),
    "Winnow": (Winnow, {}, True),
    "Winnow, sparse": (Winnow, {}, False),
}


@pytest.mark.parametrize("name", HEEDFUL)
@given(st.integers(0, 2**32))
@FEW
def test_two_classes_are_learned_ahead_by_every_learner(name, seed):
    learner, chosen, flat = HEEDFUL[name]
    rng = np.random.default_rng(seed)
    X = (rng.random((rng.integers(2, 150), 33)) < 0.3) * 1.0
    y = X[:, 0] + X[:, 1] > rng.choice([0, 2], p=[0.97, 0.03], size=len(X))
    y[:2] = False, True
    X = X.astype(np.float32) if flat else sparse.csr_array(X)
    weight = {} if learner is Winnow or flat else {"sample_weight": rng.choice([0.5, 2.0], len(y))}
    said = []
    Eager.visits = 0
    for jobs in (None, 3):
        model = learner(max_iter=4, shuffle=not flat, random_state=1, n_jobs=jobs, **chosen)
        model.fit(X, y, **weight).partial_fit(X[::2], y[::2])
        told_of_it = (model.coef_, model.intercept_, model.mistakes_)
        said.append([a.tobytes() for a in told_of_it] + [model.radius_, model.converged_])
        said[-1].append(getattr(model, "n_updates_", 0))
    assert said[0] == said[1]
    visits = len(y) * (model.n_iter_ - 1) + len(y[::2])
    assert Eager.visits == (0 if learner is SCW else visits)


@given(st.integers(0, 2**32), st.sampled_from(["PA", "PA-I", "PA-II"]))
@FEW
def test_and_many_classes_by_the_joint_one(seed, variant):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rng.integers(5, 150), 17))
    y = (X @ rng.standard_normal((17, 5))).argmax(axis=1)
    y[:5] = np.arange(5)
    X = X.astype(np.float32)
    said = []
    for jobs in (None, 3):
        model = PassiveAggressive(variant=variant, max_iter=3, random_state=0, n_jobs=jobs)
        model.fit(X, y).partial_fit(X[:50], y[:50] + (y[:50] == 4))  # and a class never seen
        told_of_it = (model.coef_, model.intercept_, model.mistakes_)
        said.append([a.tobytes() for a in told_of_it] + [model.radius_, model.n_updates_])
    assert said[0] == said[1]


class Fickle(Eager):
    """A team of another size in every turn, and of many turns in a pass."""

    def size(self):
        self.seconds = 1e-3
        return int(np.random.default_rng(self.together).integers(2, self.most + 1))


@given(st.integers(0, 2**32), st.integers(2, 5))
@FEW
def test_a_team_may_change_from_turn_to_turn(seed, most):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((3000, 17)).astype(np.float32)
    y = X @ rng.standard_normal(17) + rng.standard_normal(3000) * rng.choice([0, 0.1]) > 0
    chosen = {"max_iter": 6, "shuffle": False}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(teams, "Team", Fickle)
        one, several = (Perceptron(**chosen, n_jobs=n).fit(X, y) for n in (None, most))
    assert told(one, X) == told(several, X)


def test_the_team_did_work():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((5000, 40)).astype(np.float32)
    Eager.visits = 0
    Perceptron(max_iter=3, shuffle=False, n_jobs=2).fit(X, X[:, 0] > 0)
    assert Eager.visits == 3 * 5000


def until(true, seconds=30.0):
    """Wait until that is so."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_an_interrupt_on_the_way_back_leaves_no_thread_waiting():
    """The turn is over, but a slow thread has not seen its last round end: it is sent home too."""

    class Remembered(Eager):
        def _together(self, p, *rest):
            Remembered.p = p
            return super()._together(p, *rest)

    X = np.random.default_rng(0).standard_normal((300, 20)).astype(np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(teams, "Team", Remembered)
        Perceptron(shuffle=False, n_jobs=2).fit(X, X[:, 0] > 0)
    board = ahead.Board.of(2)
    marks = board.marks
    marks[ahead.FIRST], marks[ahead.OVER] = -1, 0  # nothing to score
    marks[ahead.ARRIVED] = marks[ahead.ROUND] = 0
    marks[ahead.SEAT + ahead.WIDTH] = ahead.CALLED
    slow = threading.Thread(target=ahead.follow, args=(Remembered.p, board, 1), daemon=True)
    slow.start()
    for round_ in (1, 2, 3):
        until(lambda: marks[ahead.ARRIVED] == 1)
        marks[ahead.ARRIVED] = 0
        if round_ < 3:
            marks[ahead.ROUND] = round_
    ahead.send_home(board, 2)
    slow.join(30.0)
    assert not slow.is_alive()


def test_an_interrupt_leaves_no_thread_waiting():
    class Interrupted(Eager):
        def __init__(self, most):
            super().__init__(most)
            self.puts, put = 0, self.tasks.put

            class Tasks:
                get = self.tasks.get

                @staticmethod
                def put(task):
                    self.puts += 1
                    if self.puts == 2:
                        raise KeyboardInterrupt
                    put(task)

            self.tasks = Tasks()

    X = np.random.default_rng(0).standard_normal((3000, 20)).astype(np.float32)
    before = threading.active_count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(teams, "Team", Interrupted)
        with pytest.raises(KeyboardInterrupt):
            Perceptron(shuffle=False, n_jobs=3).fit(X, X[:, 0] > 0)
    assert threading.active_count() == before


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("multi_class", ["joint", "ovr"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_row_that_is_not_finite_is_told_as_ever(bad, multi_class, n_classes):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((600, 20)).astype(np.float32), rng.integers(0, n_classes, 600)
    X[400, 7] = bad
    said = []
    for jobs in (None, 4):
        model = Perceptron(multi_class=multi_class, shuffle=False, n_jobs=jobs)
        model.partial_fit(X[:100], y[:100])
        before = told(model, X[:100])
        with pytest.raises(DataError) as raised:
            model.partial_fit(X[100:], y[100:])
        assert told(model, X[:100]) == before
        said.append(str(raised.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("bad", [0, -2, 1.5, "all", True])
def test_a_number_of_threads_that_has_no_meaning(bad):
    with pytest.raises(ParameterError, match="n_jobs"):
        Perceptron(n_jobs=bad).fit([[0.0], [1.0]], [0, 1])


def test_other_work_on_the_cores_makes_a_team_rest():
    team = teams.__dict__["Team"].__mro__[1](4)
    team.seconds, team.gap = 1e-6, 1e6
    assert team.size() == 4
    team._judge(4, 1000, 2e-3)  # slower than one thread
    assert team.size() == 1


@given(st.floats(1e-9, 1e-3), st.floats(1, 1e6), st.integers(2, 64))
def test_the_model_never_chooses_a_team_that_it_thinks_slower(seconds, gap, most):
    team = teams.__dict__["Team"].__mro__[1](most)
    team.seconds, team.gap = seconds, gap
    size = team.size()
    assert 1 <= size <= most
    if size > 1:
        assert teams._together(gap * seconds, size) < gap * seconds
        assert gap * seconds > teams._least_apart(size)


@given(examples(most=150))
@FEW
def test_a_verdict_is_the_same_for_every_number_of_threads(D):
    X, y = D[:2]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cores, "ROWS_EACH", 16)
        one, several = (separability(X, y > 0, n_jobs=jobs, budget=1e6) for jobs in (None, 3))
    assert one.to_json() == several.to_json()


def test_the_command_writes_the_same_file(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 20)).astype(np.float32)
    data = str(tmp_path / "data.npz")
    write(data, X, X[:, 0] > 0.3)
    files = []
    for jobs in ("1", "3"):
        model = tmp_path / f"model{jobs}"
        words = ["fit", data, "-o", str(model), "--epochs", "3", "--no-shuffle", "--quiet"]
        assert main([*words, "--n-jobs", jobs]) == 0
        files.append(model.read_bytes())
    assert files[0] == files[1]
