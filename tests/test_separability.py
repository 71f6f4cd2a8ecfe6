"""Every verdict is the truth, every proof holds, and a proof that was tampered with does not."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import hostile
import naive
from novikoff import (
    Bracket,
    DataError,
    ParameterError,
    Perceptron,
    Separability,
    describe,
    margin,
    novikoff_bound,
    separability,
)
from novikoff.certificates.exact import (
    N_LIMBS,
    compensated_score,
    exact_sign,
    expansion,
    plain_score,
    signs,
)
from novikoff.core.jit import njit
from novikoff.data import load, planted
from worlds import planted as planted_worlds, worlds

CLASSICS = Path(__file__).parent.parent.parent / "shared" / "data" / "separability"
GATES = [[0, 0], [0, 1], [1, 0], [1, 1]]


def small_worlds(columns, low, high):
    """Few rows of few whole numbers."""
    return worlds(max_rows=8, max_columns=columns, entries=st.integers(low, high))


def check(X, y, **options):
    """Ask, and let the checker of the tests look at the answer too."""
    result = separability(X, y, **options)
    dense = X.toarray() if sparse.issparse(X) else np.asarray(X)
    labels = np.where(np.asarray(y) == max(np.asarray(y).tolist()), 1, -1).tolist()
    assert result.verify(X, y)
    assert naive.check_certificate(json.loads(result.to_json()), dense.tolist(), labels)
    m = dense.shape[1] + result.fit_intercept
    assert len(result.infinite) == m
    if result.verdict != "separable":
        assert len(result.rows) <= 2 * (dense.shape[1] + 1)
        assert result.margin == Bracket(0.0, 0.0)
        assert result.novikoff == np.inf
    return result


@pytest.mark.parametrize("bias", [True, False])
@given(world=small_worlds(3, -2, 2))
def test_the_verdict_is_the_truth(bias, world):
    X, y = world.lists
    result = check(world.X, world.y, fit_intercept=bias)
    assert result.verdict == naive.verdict(X, y, bias)
    assert (result.verdict == "inseparable") == (not any(result.infinite))


@given(
    world=worlds(max_rows=8, max_columns=3, entries=st.integers(0, 1)), kind=st.sampled_from("dsf")
)
def test_verdicts_on_zeros_and_ones(world, kind):
    """Where quasi-separation lives; dense, sparse and in single precision."""
    form = {"d": np.asarray, "s": sparse.csr_array, "f": np.float32}[kind]
    result = check(form(world.X), world.y)
    assert result.verdict == naive.verdict(*world.lists)


@pytest.mark.parametrize("bias", [True, False])
@given(data=st.data())
def test_the_bracket_holds_the_margin(bias, data):
    (X, y), u, b = data.draw(planted_worlds(fit_intercept=bias))
    result = check(X, y, fit_intercept=bias)
    assert result.verdict == "separable"
    assert 0 < result.margin.lower <= result.margin.upper
    assert result.margin.gap <= 1e-6 * result.margin.upper
    assert margin(X, y, u, b) <= result.margin.upper
    assert margin(X, y, result.coef, result.intercept) == pytest.approx(result.margin.lower)
    run = Perceptron(fit_intercept=bias, max_iter=100_000, random_state=0).fit(X, y)
    assert run.n_mistakes_ <= result.novikoff * (1 + 1e-9)
    own = np.hstack([X, np.full((len(X), 1), float(bias))])
    assert result.novikoff <= novikoff_bound(run.radius_, margin(own, y, np.append(u, b))) * (
        1 + 1e-5
    )
    multipliers = np.array([float(p) for p in result.multipliers])
    rows = list(result.rows)
    combination = (multipliers * y[rows]) @ X[rows]
    assert np.linalg.norm(combination) == pytest.approx(result.margin.upper)


@pytest.mark.parametrize("exponent", [-150, -20, 20, 150])
@given(world=small_worlds(3, -2, 2))
def test_scaling_a_feature_changes_no_verdict(exponent, world):
    X = world.X.copy()
    X[:, 0] *= 2.0 ** round(exponent * 3.32)
    assert check(X, world.y).verdict == naive.verdict(*world.lists)


@given(
    world=worlds(max_rows=8, max_columns=2, entries=st.integers(-2, 2)), copies=st.integers(1, 3)
)
def test_useless_columns_and_repeated_rows_change_no_verdict(world, copies):
    X, y = world
    wide = np.hstack([X, X[:, :1] * 3, np.zeros((len(X), 1)), np.full((len(X), 1), 7.0)])
    result = check(np.tile(wide, (copies, 1)), np.tile(y, copies))
    assert result.verdict == naive.verdict(*world.lists)


@pytest.mark.parametrize(
    ("labels", "verdict"),
    [([0, 0, 0, 1], "separable"), ([0, 1, 1, 1], "separable"), ([0, 1, 1, 0], "inseparable")],
)
def test_gates(labels, verdict):
    assert check(np.array(GATES), labels).verdict == verdict


def test_edges():
    assert check([[1.0], [2.0], [3.0]], [0, 0, 1]).margin.upper == pytest.approx(0.5)
    assert check([[1.0], [2.0], [2.0], [3.0]], [0, 0, 1, 1]).verdict == "quasi-separable"
    assert check([[1.0, 2.0], [1.0, 2.0]], [0, 1]).verdict == "inseparable"
    assert check([[1.0, 2.0], [4.0, 6.0]], [0, 1]).margin.lower == pytest.approx(2.5)
    assert check(np.zeros((2, 3)), [0, 1], fit_intercept=False).verdict == "inseparable"
    wide = np.random.default_rng(0).standard_normal((10, 40))
    assert check(wide, np.arange(10) % 2).verdict == "separable"


def test_bundled_sets():
    X, species, _ = load("iris")
    assert check(X, species == "setosa").verdict == "separable"
    rest = species != "setosa"
    assert check(X[rest], species[rest]).verdict == "inseparable"
    for name in ("versicolor", "virginica"):
        assert check(X, species == name).verdict == "inseparable"
    for name in ("sonar", "wdbc"):
        X, y, _ = load(name)
        result = check(X, y == max(y.tolist()))
        assert result.verdict == "separable"
        assert result.margin.gap <= 1e-6 * result.margin.upper
    X, y, _ = load("wine")
    assert all(check(X, y == c).verdict == "separable" for c in sorted(set(y)))


def dummies(frame, *names):
    """Factors as R codes them: the first level is the base."""
    return pd.get_dummies(frame[list(names)], drop_first=True, dtype=float).to_numpy()


@pytest.mark.skipif(not CLASSICS.exists(), reason="the classic data sets are not at ../shared/data")
def test_the_statisticians_classics():
    frame = pd.read_csv(CLASSICS / "endometrial.csv")
    result = check(frame[["NV", "PI", "EH"]].to_numpy(float), frame["HG"].to_numpy())
    assert result.verdict == "quasi-separable"
    assert result.infinite == (1, 0, 0, 0)  # the coefficient of NV alone
    assert (
        check(frame[["PI", "EH"]].to_numpy(float), frame["HG"].to_numpy()).verdict == "inseparable"
    )
    frame = pd.read_csv(CLASSICS / "sex2.csv")
    result = check(frame.drop(columns="case").to_numpy(float), frame["case"].to_numpy())
    assert result.verdict == "quasi-separable"
    frame = pd.read_csv(CLASSICS / "vaso.csv")
    X = np.log(frame[["Volume", "Rate"]].to_numpy(float))
    assert check(X, frame["Y"].to_numpy()).verdict == "inseparable"
    frame = pd.read_csv(CLASSICS / "lizards.csv")
    X = dummies(frame, "height", "diameter", "light", "time")
    counts = [frame[c].to_numpy(int) for c in ("grahami", "opalinus")]
    both = np.vstack([np.repeat(X, count, axis=0) for count in counts])
    species = np.repeat([0, 1], [count.sum() for count in counts])
    result = check(both, species)
    assert result.verdict == "inseparable"
    assert not any(result.infinite)


@pytest.mark.parametrize("relative", [1e-3, 1e-6, 1e-9])
def test_tiny_margins(relative):
    X, y, u = planted(2000, 10, margin=0.5, seed=1)
    X -= np.outer(X @ u, u)
    X += np.outer(y * relative * (1 + np.random.default_rng(0).random(len(y))), u)
    result = separability(X, y)
    assert result.verdict == "separable"
    assert result.margin.gap <= 1e-6 * result.margin.upper
    assert result.margin.lower == pytest.approx(relative, rel=0.1)
    assert result.verify(X, y)


@pytest.mark.heavy
def test_many_rows_without_a_copy():
    import tracemalloc

    X, y, _ = planted(100_000, 20, margin=0.01, seed=0)
    separability(X, y)
    tracemalloc.start()
    separability(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes
    y[0] = -y[0]
    assert separability(X, y).verdict == "inseparable"


@pytest.mark.heavy
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_more_features_than_fit_a_dense_working_set(form):
    X = sparse.random_array((60, 1200), density=0.05, format="csr", rng=0).toarray()
    y = np.arange(60) % 2
    result = separability(form(X), y)
    assert result.verdict == "separable"
    assert result.verify(form(X), y)
    assert result.margin.gap <= 1e-6 * result.margin.upper
    assert len(result.infinite) == 1201
    twice, both = np.vstack([X, X[:1]]), np.append(y, 1 - y[0])
    assert separability(form(twice), both, budget=5.0).verdict != "separable"


def test_the_script_in_the_docs_checks_what_we_write():
    page = (Path(__file__).parent.parent / "docs" / "certificates.md").read_text()
    script = page.split("<!-- checker -->")[1].split("```python\n")[1].split("```")[0]
    names = {}
    exec(script, names)  # it is ours
    random = np.random.default_rng(0)
    seen = set()
    for _ in range(60):
        X = random.integers(0, 2, (7, 2)).astype(float)
        y = np.where(random.random(7) < 0.5, 1, -1)
        if len(set(y.tolist())) < 2:
            continue
        for bias in (True, False):
            result = separability(X, y, fit_intercept=bias)
            seen.add(result.verdict)
            assert names["holds"](result.to_json(), X.tolist(), y.tolist())
            for bad in tampered(result) if len(result.rows) > 1 else ():
                assert bad.verify(X, y) == names["holds"](bad.to_json(), X.tolist(), y.tolist())
    assert len(seen) == 3


def tampered(result):
    """Certificates that differ in one thing, each of which makes them false."""
    if result.verdict == "separable":
        yield replace(result, coef=-result.coef)
        j = int(abs(result.coef).argmax())
        flipped = result.coef.copy()
        flipped[j] = -flipped[j]
        yield replace(result, coef=flipped)
        yield replace(result, verdict="inseparable")
        return
    nudged = list(result.multipliers)
    nudged[0] += Fraction(1, 10**30)
    yield replace(result, multipliers=tuple(nudged))
    nudged[1] -= Fraction(1, 10**30)
    yield replace(result, multipliers=tuple(nudged))
    yield replace(result, rows=result.rows[1:] + result.rows[:1])
    yield replace(result, multipliers=(-result.multipliers[0], *result.multipliers[1:]))
    if result.verdict == "quasi-separable":
        yield replace(result, witness=tuple(-f for f in result.witness))
        yield replace(result, verdict="inseparable")
    else:
        n = len(result.infinite) + (not result.fit_intercept)
        yield replace(result, verdict="quasi-separable", witness=(Fraction(0),) * n)


def test_a_corrupted_certificate_fails():
    X, species, _ = load("iris")
    rest = species != "setosa"
    large = (species == "virginica") & (X[:, 0] > 6)  # a flag that only one class has
    quasi = np.column_stack([X[:, :3], large])[rest]
    cases = [(X, species == "setosa"), (X[rest], species[rest]), (quasi, species[rest])]
    cases[2] = (
        np.column_stack([X[rest][:, :3], (species[rest] == "virginica") & (X[rest][:, 0] > 6)]),
        species[rest],
    )
    verdicts = set()
    for data, y in cases:
        result = check(data, y)
        verdicts.add(result.verdict)
        for number, bad in enumerate(tampered(result)):
            assert not bad.verify(data, y), (result.verdict, number)
            assert not Separability.from_json(bad.to_json()).verify(data, y)
        with pytest.raises(ValueError, match="inconsistent"):
            result.verify(data[1:], y)
        if result.verdict != "separable":
            assert not result.verify(data[::-1], y[::-1])
    assert verdicts == {"separable", "quasi-separable", "inseparable"}


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("wide", [True, False])
def test_a_corrupted_margin_fails(bias, wide):
    X, species, _ = load("iris")
    X = sparse.csr_array(np.hstack([X, np.zeros((150, 600))])) if wide else X
    y = species == "setosa"
    result = separability(X, y, fit_intercept=bias)
    lower, upper = result.margin.lower, result.margin.upper
    assert result.verify(X, y)
    shares = list(result.multipliers)
    shares[0], shares[1] = shares[0] + Fraction(1, 10**9), shares[1] - Fraction(1, 10**9)
    for bad in (
        {"margin": Bracket(1.0001 * upper, 2 * upper)},
        {"margin": Bracket(lower, 0.9999 * lower)},
        {"multipliers": tuple(shares), "margin": Bracket(lower, lower)},
        {"multipliers": tuple(2 * p for p in result.multipliers)},
        {"rows": result.rows[1:], "multipliers": result.multipliers[1:]},
    ):
        assert not replace(result, **bad).verify(X, y)


def test_false_margins_of_huge_numbers_fail():
    """Where sums overflow, nothing is known, and nothing else is forgotten."""
    X = np.array([[1e-3, 0], [1e301, -1e301], [3, 0], [-1e-3, 0]])
    half = Fraction(1, 2)
    result = Separability(
        "separable",
        np.array([1, 1 - 2.0**-53]),
        0.0,
        None,
        (0, 3),
        (half, half),
        Bracket(1.0, 10.0),
        1.0,
        (1, 0, 0),
        True,
    )
    assert not result.verify(X, [1, 1, 1, 0])


def test_margins_and_witnesses_must_fit_the_verdict():
    xor = separability(GATES, [0, 1, 1, 0])
    assert not replace(xor, margin=Bracket(5.0, 6.0)).verify(GATES, [0, 1, 1, 0])
    X, y = [[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]
    quasi = separability(X, y)
    assert quasi.verdict == "quasi-separable"
    assert not replace(quasi, coef=-quasi.coef).verify(X, y)
    assert not replace(quasi, rows=(0.5, *quasi.rows[1:])).verify(X, y)
    long = tuple(f * Fraction(2) ** 3000 + 1 for f in quasi.witness)
    assert not replace(quasi, witness=long).verify(X, y)


@pytest.mark.parametrize("d", [110, 600])
def test_contradictory_rows_among_many_features(d):
    X = np.random.default_rng(0).normal(size=(6, d))
    X[1] = X[0]
    assert check(X, [0, 1, 0, 1, 1, 0]).verdict == "quasi-separable"


@pytest.mark.parametrize(
    "change",
    [
        {"multipliers": [1]},
        {"margin": ["0x1p99999", "0x0p0"]},
        {"rows": [float("inf")]},
        {"fit_intercept": "false"},
    ],
)
def test_damaged_json_is_refused(change):
    told = json.loads(separability(GATES, [0, 1, 1, 0]).to_json())
    with pytest.raises(DataError):
        Separability.from_json(json.dumps(told | change))


@pytest.mark.parametrize("options", [{"tol": "a"}, {"budget": None}, {"fit_intercept": "no"}])
def test_arguments_without_a_meaning(options):
    with pytest.raises(ParameterError, match=f"{next(iter(options))}="):
        separability(GATES, [0, 1, 1, 0], **options)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("exponents", [(-150, -150, 150, 150), (-126, 113, 133, -71)])
def test_brackets_close_on_every_scale(exponents, bias):
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 4))
    y = np.where(X @ random.standard_normal(4) > 0, 1, -1)
    result = check(X * 10.0 ** np.array(exponents), y, fit_intercept=bias)
    assert result.verdict == "separable"
    assert result.margin.gap <= 1e-6 * result.margin.upper


@given(world=small_worlds(3, -2, 2))
def test_certificates_survive_json(world):
    result = separability(*world)
    again = Separability.from_json(result.to_json())
    assert again.to_json() == result.to_json()
    assert again.verify(*world)


def test_bad_certificates_and_arguments():
    for text in ("{}", "[]", "not json", '{"format": "other"}', '{"format": 3}'):
        with pytest.raises(DataError):
            Separability.from_json(text)
    with pytest.raises(ParameterError, match="must be a number above 0"):
        separability(GATES, [0, 0, 0, 1], tol=0)
    with pytest.raises(DataError, match="row 1, column 0"):
        separability([[0.0], [np.nan]], [0, 1])
    with pytest.raises(DataError, match="one class only"):
        separability([[0.0], [1.0]], [1, 1])


@pytest.mark.parametrize("seed", [127, 3, 4])
def test_a_point_in_the_span_of_the_others_by_rounding(seed):
    """127: the factors of the nearest point cannot be updated there, and are made anew."""
    random = np.random.default_rng(seed)
    X, y = random.standard_normal((21, 3)), random.integers(0, 5, 21)
    result = separability(X, y)
    assert result.verdict != "undecided"
    assert result.verify(X, y)


@pytest.mark.parametrize("labels", [[0, 1, 1, 0], [0, 0, 1, 1], [0, 0, 1, 2]])
def test_certificates_can_be_compared(labels):
    one, other = separability(GATES, labels), separability(GATES, labels)
    assert one == other
    assert len({one, other, Separability.from_json(one.to_json())}) == 1
    assert one != replace(one, novikoff=17.0)
    assert one != "one"


def test_a_dummy_for_every_level_says_what_one_fewer_says():
    """R drops the last: level c is pure, and its coefficient alone runs away."""
    levels, y = np.array(list("aaaabbbbccc")), [0, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1]
    every = (levels[:, None] == np.array(["c", "b", "a"])).astype(float)
    assert separability(every[:, :2], y).infinite == (1, 0, 0)
    assert separability(every, y).infinite == (1, 0, None, 0)
    assert separability(every, y, fit_intercept=False).infinite == (1, 0, 0)


@given(world=worlds(), data=st.data())
def test_combinations_of_columns_before_them_are_never_told(world, data):
    X, y = world
    d = X.shape[1]
    M = np.array(
        data.draw(
            st.lists(st.lists(st.integers(-2, 2), min_size=d, max_size=d), min_size=d, max_size=d)
        )
    )
    result, twice = separability(X, y), separability(np.hstack([X, X @ M + 1.0]), y)
    assert twice.verdict == result.verdict
    assert twice.coefficients[d : 2 * d] == ("aliased",) * d
    assert any(twice.infinite) == any(result.infinite)


def test_without_time_the_verdict_is_undecided():
    X, y, _ = planted(1000, 5, margin=0.1)
    result = separability(X, y, budget=1e-9)
    assert result.verdict == "undecided"
    assert result.margin.lower == 0.0
    assert result.margin.upper >= 0.1
    assert not result.verify(X, y)


def test_the_warning_points_here():
    with pytest.warns(ConvergenceWarning, match=r"separability\(X, y\)"):
        Perceptron(max_iter=2).fit(GATES, [0, 1, 1, 0])


def test_the_least_product_does_not_touch_the_largest():
    """1.7e308 squared less 1.6e308 squared, and two of the least floats: the bits are far apart."""
    x = np.array([[1.6e308, 1.7e308, 5e-324, 0.0]])
    limbs = np.zeros(N_LIMBS, np.int64)
    for last in (5e-324, -5e-324, 1.0):
        for sign in (1.0, -1.0):
            V = sign * np.array([[-1.6e308, 1.7e308, last, 0.0, 0.0]])
            assert exact_sign(V, x, 0, limbs) == sign
            assert not limbs.any()
    V = np.array([[1.7e308, -1.6e308, 5e-324, 0.0, 0.0]])  # the large ones cancel
    assert exact_sign(V, x, 0, limbs) == 1


# alone, they are called by tests only
SCORED = [njit(kernel.py_func, cache=True) for kernel in (plain_score, compensated_score)]


@given(data=st.data(), d=st.integers(1, 6))
def test_signs_are_exact_at_every_scale(data, d):
    numbers = st.one_of(
        st.integers(-4, 4).map(float),
        st.floats(-1e150, 1e150, allow_subnormal=True),
        st.floats(-1e-140, 1e-140),
        st.sampled_from([5e-324, -5e-324, 2.0**-1022, 1e308, -1.7e308]),
    )
    x = np.array([data.draw(st.lists(numbers, min_size=d, max_size=d))])
    V = np.array(
        data.draw(
            st.lists(st.lists(numbers, min_size=d + 1, max_size=d + 1), min_size=1, max_size=2)
        )
    )
    if data.draw(st.booleans()) and d > 1:  # products that cancel
        V[0] = 0.0
        V[0, 0], V[0, 1] = x[0, 1], -x[0, 0]
    exact = sum(naive.inner(v, [*x[0].tolist(), 1]) for v in V.tolist())
    sign = (exact > 0) - (exact < 0)
    limbs = np.zeros(N_LIMBS, np.int64)
    assert exact_sign(V, x, 0, limbs) == sign
    assert not limbs.any()
    for y in (1, -1):
        out = np.empty(1, np.int8)
        signs(V, x, np.array([y], np.int8), out)
        assert out[0] == y * sign
    one = naive.inner(V[0].tolist(), [*x[0].tolist(), 1])
    for scored in SCORED:
        s, error = scored(V[0], x, 0)
        if np.isfinite(s) and np.isfinite(error):
            assert abs(Fraction(s) - one) <= Fraction(error)


@given(st.lists(st.fractions(max_denominator=10**12), min_size=1, max_size=6))
def test_expansions_are_exact(numbers):
    total = [sum(Fraction(v) for v in column) for column in expansion(numbers).T.tolist()]
    ratios = {t / f for t, f in zip(total, numbers, strict=True) if f}
    assert len(ratios) <= 1
    assert all(r > 0 for r in ratios)
    assert [bool(t) for t in total] == [bool(f) for f in numbers]


@given(small_worlds(4, -1, 1), st.lists(st.booleans(), min_size=4, max_size=4), st.booleans())
def test_columns_that_no_example_uses_change_nothing(world, kept, fit_intercept):
    y = world.y
    X = np.asarray(world.X, float) * np.array(kept[: np.shape(world.X)[1]])
    used = np.flatnonzero(X.any(axis=0))
    dense, wide = (
        separability(given, y, fit_intercept=fit_intercept) for given in (X, sparse.csr_array(X))
    )
    assert dense.verdict == wide.verdict
    for result in (dense, wide):
        assert result.verify(X, y)
        assert result.verify(sparse.csr_array(X), y)
        assert len(result.infinite) == X.shape[1] + fit_intercept
        assert not any(s for j, s in enumerate(result.infinite[: X.shape[1]]) if j not in used)
    if len(used):
        narrow = separability(X[:, used], y, fit_intercept=fit_intercept)
        assert narrow.verdict == wide.verdict
        assert narrow.margin == dense.margin


def test_a_million_empty_columns_take_no_time():
    X = sparse.csr_array(([1.0] * 4, ([1, 2, 3, 3], [0, 999_999, 0, 999_999])), (4, 1_000_000))
    result = separability(X, [0, 1, 1, 0])
    assert result.verdict == "inseparable"
    assert result.verify(X, [0, 1, 1, 0])


@pytest.mark.parametrize("steps", [5, 40])
def test_a_proof_of_many_steps_stays_short(steps):
    """Each step cancels two rows more: the digits of their shares do not multiply."""
    X = np.tril(np.full((steps, steps + 1), 3.0), -1) + np.eye(steps, steps + 1)
    X[:, -1] = np.arange(steps) % 3
    far = np.eye(steps + 1)[-1:]
    rows = np.vstack([np.repeat(X, 2, axis=0), far, -far])
    result = check(rows, np.append(np.tile([1, -1], steps), [1, -1]))
    assert result.verdict == "quasi-separable"
    assert set(result.multipliers) == {Fraction(1, 2 * steps)}


@given(draw=st.randoms(use_true_random=False), many=st.booleans())
def test_a_certificate_with_anything_in_it_is_checked_or_refused(draw, many):
    y = [0, 1, 2, 2] if many else [0, 1, 1, draw.choice([0, 1])]
    told = json.loads(separability(GATES, y).to_json())
    for _ in range(draw.randint(1, 3)):
        told = hostile.with_other_value(told, draw)
    try:
        found = Separability.from_json(json.dumps(told))
    except DataError:
        return
    assert found.verify(GATES, y) in (True, False)


@pytest.mark.parametrize(
    "change",
    [{"coef": "0x1p0"}, {"coef": [["0x1p0"]]}, {"rows": [16.5]}, {"multipliers": [["1/2"]]}],
)
def test_such_as_these(change):
    told = json.loads(separability([[0.0], [1.0]], [0, 1]).to_json())
    with pytest.raises(DataError, match="This is not a separability certificate"):
        Separability.from_json(json.dumps(told | change))
    deep = json.dumps(told).replace('"coef": [', '"coef": [' + "[" * 5000)
    with pytest.raises(DataError, match="This is not a separability certificate"):
        Separability.from_json(deep)


@given(world=small_worlds(3, -2, 2), data=st.data(), bias=st.booleans())
def test_an_example_of_weight_0_is_not_there(world, data, bias):
    X, y = world
    weight = np.array([data.draw(st.sampled_from([0.0, 0.5, 3.0])) for _ in y])
    kept = np.flatnonzero(weight)
    if len(set(y[kept].tolist())) < 2:
        with pytest.raises(DataError, match="one class only|weight of every example is 0"):
            separability(X, y, sample_weight=weight)
        return
    found = separability(X, y, fit_intercept=bias, sample_weight=weight)
    without = separability(X[kept], y[kept], fit_intercept=bias)
    renumbered = without.with_numbers(dict(enumerate(kept.tolist())))
    assert replace(found, coef=None) == replace(renumbered, coef=None)
    assert found.verify(X, y, weight)
    if len(kept) < len(y) and found.rows:
        weight[list(found.rows)] = 0.0
        if len(set(y[weight > 0].tolist())) == 2:
            assert not found.verify(X, y, weight)


def test_weights_must_be_weights():
    with pytest.raises(DataError, match=r"sample_weight must .* not negative, but entry 1 is -1"):
        separability(GATES, [0, 0, 0, 1], sample_weight=[1, -1, 1, 1])


def test_a_verdict_to_read():
    """Names in, names out; a sentence, the coefficients, and what the rows of the proof are."""
    measured, species, names = load("iris")
    X = pd.DataFrame(measured, columns=names)
    X.index = [f"flower {k}" for k in range(len(X))]
    one = separability(X, species == "setosa")
    assert "with a margin of 0.817556" in " ".join(str(one).split())
    assert one.by_name == dict.fromkeys(["Intercept", *names], "inf")
    assert "examples flower 23, flower 41 and flower 98" in str(one)
    assert describe(one) == str(one)
    assert [*one.to_frame().index] == [*one.by_name]
    assert r"petal\_length & $\pm\infty$" in one.to_latex()
    assert "petal_length</th>" in one._repr_html_()
    every = separability(X, species)
    assert [*every.by_name][:2] == ["versicolor: Intercept", "versicolor: sepal_length"]
    assert [*every.by_name][5] == "virginica: Intercept"
    assert "flower 77 (against virginica)" in str(every)
    kinds = [
        every.by_name[f"{c}: {name}"]
        for c in ("versicolor", "virginica")
        for name in (*names, "Intercept")
    ]
    assert tuple(kinds) == every.coefficients
    touching = separability([[1], [2], [2], [3]], [0, 0, 1, 1], fit_intercept=True)
    assert touching.by_name == {"Intercept": "-inf", "x1": "+inf"}
    assert "x1 is infinite (+); Intercept is infinite (-)" in " ".join(str(touching).split())
    assert "rows 1 and 2, with multipliers 1/2 and 1/2" in str(touching)
    again = Separability.from_json(touching.to_json())
    assert again == touching
    assert str(again) == str(touching)
    without = separability([[1, 0], [0, 1]], [0, 1], fit_intercept=False)
    assert [*without.by_name] == ["x1", "x2"]
