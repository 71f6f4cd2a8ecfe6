"""Whether a regression model has a finite estimate: the truth for every family, and its proof."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, strategies as st
from scipy import sparse

import commands
import naive_cones
from novikoff import DataError, ParameterError, describe, separability, separation
from novikoff.regression.two_factors import Cells, Potentials, potentials

DATA = Path(__file__).parent.parent.parent / "shared" / "data"
OUTCOMES = {
    "binary": 2,
    "poisson": 3,
    "log-binomial": 2,
    "fractional": 3,
    "multinomial": 3,
    "cumulative": 3,
    "sequential": 3,
    "adjacent": 3,
}


@st.composite
def tables(draw, family):
    """A few observations, every outcome among them, and at most two small features."""
    K, d = OUTCOMES[family], draw(st.integers(1, 1 if family == "multinomial" else 2))
    y = list(range(K)) + draw(st.lists(st.integers(0, K - 1), max_size=4))
    X = [[draw(st.integers(0, 3)) for _ in range(d)] for _ in y]
    return X, y


def asked(X, y, family, **options):
    outcomes = np.array(y) / 2 if family == "fractional" else y
    return separation(np.array(X, float), outcomes, family=family, **options)


@pytest.mark.parametrize("family", OUTCOMES)
@given(data=st.data())
def test_the_answer_is_the_truth(family, data):
    X, y = data.draw(tables(family))
    result = asked(X, y, family)
    above, equal, of = naive_cones.family_rows(family, X, y)
    strict, kinds = naive_cones.separation(above, equal, [*range(len((above + equal)[0]))])
    rows = [[s for s, i in zip(strict, of, strict=True) if i == k] for k in range(len(y))]
    assert list(result.coefficients.values()) == kinds
    assert result.separated.tolist() == [bool(row) and all(row) for row in rows]
    partly = [any(row) and not all(row) for row in rows]
    assert result.partly_separated.tolist() == partly
    assert result.exists == (not any(strict))
    assert result.verify()


def log_likelihood(family, X, y, beta):
    """That of a logistic model, from its own formula; coefficients as they are reported."""
    X = np.asarray(X, float)
    d, K = X.shape[1], max(y) + 1
    y = np.asarray(y)
    if family == "multinomial":
        eta = np.vstack([np.zeros(len(y)), beta.reshape(K - 1, d + 1) @ with_one(X).T]).T
        return (eta[np.arange(len(y)), y] - np.logaddexp.reduce(eta, axis=1)).sum()
    if family in ("cumulative", "sequential", "adjacent"):
        alpha, eta = beta[: K - 1], X @ beta[K - 1 :]
        if family == "adjacent":
            scores = np.arange(K) * eta[:, None] - np.append(0, np.cumsum(alpha))
            return (scores[np.arange(len(y)), y] - np.logaddexp.reduce(scores, axis=1)).sum()
        below = -np.logaddexp(0, -(alpha - eta[:, None]))  # log F
        beyond = -np.logaddexp(0, alpha - eta[:, None])
        if family == "sequential":
            stops = [below[i, c] if c < K - 1 else 0.0 for i, c in enumerate(y)]
            return sum(stops) + sum(beyond[i, :c].sum() for i, c in enumerate(y))
        high = np.append(np.exp(below), np.ones((len(y), 1)), axis=1)[np.arange(len(y)), y]
        low = np.append(np.zeros((len(y), 1)), np.exp(below), axis=1)[np.arange(len(y)), y]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(high - low).sum()
    eta = with_one(X) @ beta
    if family == "poisson":
        return (y * eta - np.exp(eta)).sum()
    if family == "log-binomial":
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(y == 1, eta, np.log1p(-np.exp(eta))).sum()
    share = y / 2 if family == "fractional" else y
    return (share * eta - np.logaddexp(0, eta)).sum()


def with_one(X):
    return np.column_stack([np.ones(len(X)), X])


@pytest.mark.parametrize("family", OUTCOMES)
@given(data=st.data())
def test_the_likelihood_never_falls_along_the_direction(family, data):
    """And rises if anything is separated, wherever it starts."""
    X, y = data.draw(tables(family))
    result = asked(X, y, family)
    if result.exists:
        return
    whole = np.array([float(f) for f in result.certificate.direction])
    direction = whole[result.model.shown] / abs(whole[result.model.shown]).max()
    K = OUTCOMES[family]
    start = np.zeros(len(direction))
    if family in ("cumulative", "sequential", "adjacent"):
        start[: K - 1] = np.arange(K - 1)
    if family == "log-binomial":
        start[0] = -1.0
    values = [log_likelihood(family, X, y, start + t * direction) for t in (0.0, 0.5, 1.0, 4.0)]
    assert (np.diff(values) >= -1e-9).all()
    assert values[-1] > values[0]


@pytest.mark.skipif(not DATA.exists(), reason="the data is not at ../shared/data")
@pytest.mark.parametrize("number", range(1, 13))
@pytest.mark.parametrize("absorbed", [True, False])
def test_the_benchmarks_of_ppmlhdfe(number, absorbed):
    frame = pd.read_csv(DATA / "separation_poisson" / f"{number:02d}.csv")
    x, ids = (frame[[c for c in frame if c.startswith(kind)]] for kind in ("x", "id"))
    if absorbed:
        given = {"fixed_effects": ids if ids.shape[1] else None}
        result = separation(x if x.shape[1] else None, frame["y"], family="poisson", **given)
    else:
        result = separation(
            pd.concat([x, ids.astype("category")], axis=1), frame["y"], family="ppml"
        )
    assert result.separated.tolist() == frame["separated"].astype(bool).tolist()
    assert result.verify()


@pytest.mark.skipif(not DATA.exists(), reason="the data is not at ../shared/data")
def test_a_result_to_read():
    frame = pd.read_csv(DATA / "separability" / "endometrial.csv")
    frame.index = [f"patient {k}" for k in range(len(frame))]
    result = separation(frame[["NV", "PI", "EH"]], frame["HG"])
    assert result.sentence == (
        "No finite estimate exists: NV is infinite (+); 13 of 79 observations are predicted "
        "perfectly."
    )
    assert str(result).startswith(result.sentence)
    assert describe(result) == str(result)
    for part in (
        "NV           diverges to +infinity",
        "patient 2",
        "Firth",
        "To get the estimates of Intercept, PI and EH, drop the separated observations and NV",
    ):
        assert part in str(result)
    assert result.estimable == ("Intercept", "PI", "EH")
    assert result.index[result.separated][0] == frame.index[result.separated][0]
    assert result.to_frame().loc["NV", "estimate"] == "+inf"
    assert r"NV & $+\infty$ \\" in result.to_latex()
    assert "<td style='text-align:left'>diverges to +infinity</td>" in result._repr_html_()
    assert "NV is infinite" in repr(result)


def test_advice_fits_the_answer():
    x = [[0], [0], [0], [1], [1], [1], [0]]
    partly = separation(x, list("abcbcba"), family="multinomial")
    assert "for 3 of 7 observations some outcomes are ruled out" in partly.sentence
    assert "dropping observations does not help" in str(partly)
    assert "brmultinom" in str(partly)
    whole = separation([[0], [1], [2], [3]], [0, 0, 1, 1])
    assert "dropping them would leave no data" in str(whole)
    effects = separation(None, [1, 0, 0, 2], family="poisson", fixed_effects=[0, 1, 1, 2])
    assert effects.sentence.startswith("No finite estimate exists for some fixed effects: 2 of 4")
    assert "coefficient" not in str(effects)
    zero = separation([[1], [2], [3]], [0, 0, 0], family="poisson")
    assert "may be infinite (sign open)" in zero.sentence
    twice = separation([[1, 1], [2, 2], [3, 3]], [0, 1, 0])
    assert twice.sentence.endswith("It is not unique: x2 is aliased, so leave it out.")
    weighed = separation([[0], [1], [2], [3], [4]], [0, 0, 1, 1, 0], sample_weight=[1, 1, 1, 1, 0])
    assert "4 of 4 observations" in weighed.sentence


# ------------------------------------------------------------- two factors


@st.composite
def cells(draw):
    n = draw(st.integers(1, 12))
    each = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    first, second = np.array(draw(each)), np.array(draw(each))
    y = np.array(draw(st.lists(st.sampled_from([0, 0, 1, 5]), min_size=n, max_size=n)))
    return first, second, y


@given(table=cells())
def test_two_factors_are_their_dummies(table):
    first, second, y = table
    effects = np.column_stack([first, second])
    result = separation(None, y, family="poisson", fixed_effects=effects)
    frame = pd.DataFrame({"a": first, "b": second}).astype("category")
    assert result.separated.tolist() == separation(frame, y, family="poisson").separated.tolist()
    assert result.verify()
    again = separation(np.zeros((len(y), 1)), y, family="poisson", fixed_effects=effects)
    assert again.separated.tolist() == result.separated.tolist()


@given(table=cells(), data=st.data())
def test_other_potentials_prove_nothing(table, data):
    first, second, y = table
    levels = [np.unique(part, return_inverse=True)[1] for part in (first, second)]
    observed = Cells(*levels, np.where(y > 0, 0, -1))
    found = potentials(observed)
    assert found.verify(observed)
    moved = found.first.copy()
    level = data.draw(st.integers(0, len(moved) - 1))
    moved[level] += data.draw(st.sampled_from([-1, 1]))
    bad = Potentials(moved, found.second)
    if bad.separated(observed).tolist() != found.separated(observed).tolist():
        assert not bad.verify(observed)
    nothing = Potentials(0 * found.first, 0 * found.second)
    assert nothing.verify(observed) == (not found.separated(observed).any())


@given(table=cells())
def test_two_factors_of_any_family_with_a_row_each(table):
    """Cells that may be raised are edges the other way."""
    first, second, y = table
    for family, outcomes in (("binary", y > 0), ("fractional", y / 5), ("log-binomial", y > 0)):
        if family != "fractional" and len({*outcomes}) < 2:
            continue
        effects = pd.DataFrame({"a": first, "b": second})
        result = separation(None, outcomes, family=family, fixed_effects=effects)
        again = separation(effects.astype("category"), outcomes, family=family)
        assert result.separated.tolist() == again.separated.tolist()
        assert result.verify()


# ------------------------------------------------------------- fixed effects and regressors


WIDE = 2.0**-40, 1.0, 2.0**40 / 3
"""Numbers whose sums do not fit into a float, nor into 64 bits."""


@st.composite
def panels(draw):
    """One to three factors, and one or two regressors, some with numbers far from each other."""
    n, n_factors = draw(st.integers(2, 9)), draw(st.integers(1, 3))
    each = st.lists(st.integers(0, 2), min_size=n, max_size=n)
    factors = [draw(each) for _ in range(n_factors)]
    columns = [draw(each) for _ in range(draw(st.integers(1, 2)))]
    values = draw(st.sampled_from([(0, 1, 2), (0.1, 0.2, 0.3), (2.0**52, 2.0**52 + 1, 0), WIDE]))
    columns[0] = [values[v] for v in columns[0]]
    y = draw(st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=n, max_size=n))
    return factors, columns, y


def of_definition(factors, columns, y):
    """Separated observations, and what becomes of the regressors: by brute force in fractions."""
    rows = []
    for i in range(len(y)):
        row = [int(f[i] == level) for f in factors for level in sorted({*f})]
        rows.append([*row, *(Fraction(c[i]) for c in columns)])
    above = [[-v for v in row] for row, label in zip(rows, y, strict=True) if not label]
    equal = [row for row, label in zip(rows, y, strict=True) if label]
    strict, kinds = naive_cones.separation(above, equal, [*range(len(rows[0]))])
    mask = iter(strict)
    return [not label and next(mask) for label in y], kinds[len(kinds) - len(columns) :]


@given(panel=panels())
@example(
    panel=(
        [[0, 0, 0, 0, 1], [0, 0, 1, 0, 0]],
        [[1.0, 0.0, 0.0, 1.0, 0.0], [1, 0, 0, 1, 0]],
        [1, 1, 0, 1, 0],
    )
)
def test_effects_beside_regressors_are_their_dummies(panel):
    factors, columns, y = panel
    X, effects = np.array(columns, float).T, np.array(factors).T
    result = separation(X, y, family="poisson", fixed_effects=effects)
    separated, kinds = of_definition(factors, columns, y)
    assert result.separated.tolist() == separated
    assert list(result.coefficients.values()) == kinds
    assert result.exists == (not any(separated))
    assert result.verify()
    left = np.flatnonzero(~np.array(separated))
    if len(left):  # what is finite can be estimated on what is left, by itself
        of_left = of_definition(
            *(np.array(part)[:, left].tolist() for part in panel[:2]), [1] * len(left)
        )
        finite = [f"x{j + 1}" for j, kind in enumerate(kinds) if kind == "finite"]
        assert list(result.estimable) == finite
        assert all(of_left[1][int(name[1:]) - 1] == "finite" for name in finite)


# ------------------------------------------------------------- what people have


def test_weights_and_trials():
    x, y = [[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]
    assert separation(x, y).coefficients == {"Intercept": "-inf", "x1": "+inf"}
    assert separation(x, y, sample_weight=[1, 0, 1, 1]).separated.tolist() == [
        True,
        False,
        True,
        True,
    ]
    grouped = separation([[0.0], [1.0], [2.0]], [0, 1, 1], family="binomial", trials=[3, 2, 1])
    assert grouped.separated.tolist() == [True, False, True]
    columns = separation([[0.0], [1.0], [2.0]], [[0, 3], [1, 1], [1, 0]], family="binomial")
    assert columns.coefficients == grouped.coefficients
    table = separability([[0.0], [1.0], [1.0]], [0, 0, 1], sample_weight=[2, 0, 5])
    assert table.verdict == "separable"


def test_an_ordered_categorical_has_its_own_order():
    levels = ["low", "medium", "high"]
    y = pd.Series(pd.Categorical(["low", "low", "medium", "high"], levels, ordered=True))
    result = separation(pd.DataFrame({"dose": [0.0, 1.0, 2.0, 3.0]}), y, family="cumulative")
    assert list(result.coefficients) == ["low|medium", "medium|high", "dose"]
    assert result.coefficients["dose"] == "+inf"
    assert result.separated.all()


@given(data=st.data())
def test_sparse_is_dense(data):
    X, y = data.draw(tables("poisson"))
    dense = asked(X, y, "poisson")
    other = separation(sparse.csr_array(np.array(X, float)), y, family="poisson")
    assert other.coefficients == dense.coefficients
    assert other.separated.tolist() == dense.separated.tolist()


def test_a_certificate_that_was_tampered_with_fails():
    result = separation([[0], [0], [0], [1], [1]], [0, 3, 1, 0, 0], family="poisson")
    proof = result.certificate
    assert proof.verify(result.model)
    for change in (
        {"direction": tuple(-f for f in proof.direction)},
        {"separated": proof.separated[1:]},
        {"separated": (0, *proof.separated)},
        {"rows": (), "multipliers": ()},
        {"multipliers": tuple(p + Fraction(1, 7) for p in proof.multipliers)},
        {"estimates": replace(proof.estimates, kinds=("finite", "finite"))},
    ):
        assert not replace(proof, **change).verify(result.model), change


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: separation([[1], [2]], [0, 1], family="gaussian"), "family"),
        (lambda: separation([[1], [2]], [0, 0]), "All outcomes are 0"),
        (lambda: separation([[1], [2]], [0, -1], family="poisson"), "must be at least 0"),
        (lambda: separation([[1], [2]], [0, 2], family="fractional"), "between 0 and 1"),
        (lambda: separation(None, [0, 1], family="poisson"), "give X, or fixed_effects"),
        (lambda: separation([[1], [2]], [3, 1], family="binomial", trials=[2, 2]), "no more succ"),
        (
            lambda: separation([[1], [2]], [0, 1], family="poisson", trials=[2, 2]),
            "does not use them",
        ),
        (
            lambda: separation([[1], [2]], [0, 1], family="ordered", fit_intercept=False),
            "has thresholds in the place of",
        ),
        (lambda: separation(pd.DataFrame({"age": [1.0, None]}), [0, 1]), "'age' has missing"),
        (lambda: separation([[1], [2], [3]], [0, 1, 2]), "y has 3 different values"),
        (lambda: separation([[1], [2]], [0, 1], trials=[2, 2]), "does not use them"),
        (lambda: separation([[1], [2]], [0, 1, 1]), "X has 2 rows, but y has 3"),
        (
            lambda: separation([[1], [-1]], [1, 0], family="log-binomial", fit_intercept=False),
            "constant",
        ),
        (
            lambda: separation(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), [0, 1]),
            "two columns",
        ),
        (lambda: separation(pd.DataFrame({"Intercept": [1, 1]}), [0, 1]), "adds another"),
        (
            lambda: separation(None, [0, 1], family="poisson", fixed_effects=[np.nan, 1.0]),
            "missing value in row 0",
        ),
        (
            lambda: separation([[1], [2]], [0, 1], sample_weight=[0, 0]),
            "is 0 for every observation",
        ),
        (
            lambda: separation([[1], [2]], ["a", "b"], family="poisson"),
            "needs numbers: give counts",
        ),
        (
            lambda: separation(pd.DataFrame({"day": pd.to_datetime(["2020", "2021"])}), [0, 1]),
            "'day' has dates: convert",
        ),
    ],
)
def test_errors_say_what_to_do(call, message):
    with pytest.raises((DataError, ParameterError), match=message):
        call()


def test_out_of_time_is_undecided():
    random = np.random.default_rng(0)
    result = separation(random.standard_normal((300, 20)), random.integers(0, 2, 300), budget=1e-9)
    assert result.exists is None
    assert {*result.coefficients.values()} == {"undecided"}
    assert "larger budget" in result.sentence
    assert not result.verify()


# ------------------------------------------------------------- formulas and fitted models


def trade():
    return pd.DataFrame(
        {
            "flow": [0, 3, 1, 0, 0, 2],
            "embargo": [0, 0, 0, 1, 1, 0],
            "distance": [1.0, 2.0, 3.0, 1.0, 2.0, 1.0],
            "region": list("nnssns"),
        },
        index=list("abcdef"),
    )


def test_a_formula_says_the_same():
    data = trade()
    told = separation("flow ~ embargo + distance", data, family="poisson")
    given_arrays = separation(data[["embargo", "distance"]], data["flow"], family="poisson")
    assert told.coefficients == given_arrays.coefficients
    assert told.index[told.separated].tolist() == ["d", "e"]
    absorbed = separation("flow ~ embargo | region", data, family="poisson")
    assert absorbed.coefficients == {"embargo": "-inf"}
    dummies = separation("flow ~ embargo + C(region)", data, family="poisson")
    assert dummies.separated.tolist() == absorbed.separated.tolist()
    ordered = separation("region ~ distance", data, family="cumulative")
    assert list(ordered.coefficients) == ["n|s", "distance"]


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("flow", "is not a valid formula"),
        ("flow ~ x | distance * 2", r"join columns with \+"),
        ("flow ~ embargo | nation", "uses column 'nation', but the data has only: flow"),
        ("flow ~ nation", "does not fit the data"),
    ],
)
def test_a_formula_that_cannot_be(formula, message):
    with pytest.raises(DataError, match=message):
        separation(formula, trade(), family="poisson")
    with pytest.raises(DataError, match="needs a pandas DataFrame"):
        separation(formula, [1, 2])


@pytest.mark.filterwarnings("ignore")
def test_models_that_statsmodels_fitted():
    import statsmodels.api as sm
    import statsmodels.formula.api as smf
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    from novikoff import check_separation

    data = trade().assign(any=lambda d: (d["flow"] > 0).astype(int))
    for fitted, family in [
        (smf.logit("any ~ embargo + distance", data).fit(disp=0), "binary"),
        (smf.probit("any ~ embargo + distance", data).fit(disp=0, maxiter=5), "binary"),
        (smf.poisson("flow ~ embargo + distance", data).fit(disp=0, maxiter=5), "poisson"),
        (smf.glm("flow ~ embargo + distance", data, family=sm.families.Poisson()).fit(), "poisson"),
        (
            smf.glm("any ~ embargo + distance", data, family=sm.families.Binomial()).fit(),
            "fractional",
        ),
    ]:
        result = check_separation(fitted)
        own = separation(data[["embargo", "distance"]], fitted.model.endog, family=family)
        assert list(result.coefficients.values()) == list(own.coefficients.values())
        assert result.separated.tolist() == own.separated.tolist()
        assert result.index.tolist() == list("abcdef")
        assert "embargo" in result.coefficients
    design = sm.add_constant(data[["embargo", "distance"]])
    several = check_separation(sm.MNLogit(data["flow"], design))
    own = separation(data[["embargo", "distance"]], data["flow"], family="multinomial")
    assert list(several.coefficients.values()) == list(own.coefficients.values())
    levels = pd.Series(pd.Categorical(list("aabbcc"), ordered=True))
    ordered = OrderedModel(levels, data[["distance"]].reset_index(drop=True), distr="logit")
    assert list(check_separation(ordered).coefficients) == ["a|b", "b|c", "distance"]
    with pytest.raises(DataError, match="does not support OLS"):
        check_separation(sm.OLS(data["flow"], design))
    with pytest.raises(DataError, match="takes a model of statsmodels or pyfixest"):
        check_separation(separation)
    for link in (sm.families.links.Identity(), sm.families.links.LogC()):
        binomial = sm.GLM(data["any"], design, family=sm.families.Binomial(link))
        with pytest.raises(DataError, match="with the links logit"):
            check_separation(binomial)
    with pytest.raises(DataError, match="link"):
        check_separation(sm.GLM(data["flow"], design, family=sm.families.Gaussian()))


def panel_of_trade(rng, n=300):
    """Zeros of five embargoes among flows of twelve exporters and twelve importers."""
    data = pd.DataFrame(
        {
            "flow": rng.poisson(0.8, n),
            "distance": rng.normal(size=n),
            "exporter": rng.integers(0, 12, n),
            "importer": rng.integers(0, 12, n),
        }
    )
    zeros = np.flatnonzero(data["flow"] == 0)[:5]
    return data.assign(embargo=np.isin(np.arange(n), zeros).astype(float))


@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore")
def test_models_that_pyfixest_fitted():
    pf = pytest.importorskip("pyfixest")
    from novikoff import check_separation

    data = panel_of_trade(np.random.default_rng(0))
    fit = pf.fepois("flow ~ distance + embargo | exporter + importer", data)
    assert fit.convergence  # although there is nothing to converge to
    result = check_separation(fit)
    assert result.coefficients == {"distance": "finite", "embargo": "-inf"}
    assert result.index[result.separated].tolist() == data.index[data["embargo"] > 0].tolist()
    assert result.verify()
    clean = check_separation(pf.fepois("flow ~ distance | exporter + importer", data))
    assert clean.exists
    assert clean.coefficients == {"distance": "finite"}
    alone = check_separation(pf.fepois("flow ~ distance + embargo", data))
    assert [*alone.coefficients] == ["Intercept", "distance", "embargo"]
    logit = pf.feglm("any ~ distance | exporter", data.assign(any=data["flow"] > 0), "logit")
    assert check_separation(logit).exists
    with pytest.raises(DataError, match="does not support pyfixest's feols"):
        check_separation(pf.feols("flow ~ distance", data))
    with pytest.raises(DataError, match="store_data=True"):
        check_separation(pf.fepois("flow ~ distance", data, lean=True))


def test_a_factor_of_pairs():
    data = panel_of_trade(np.random.default_rng(1))
    result = separation("flow ~ distance | exporter^importer", data, family="poisson")
    pairs = data["exporter"] * 12 + data["importer"]
    again = separation(data[["distance"]], data["flow"], family="poisson", fixed_effects=pairs)
    assert result.separated.tolist() == again.separated.tolist()
    assert result.separated.any()


def test_the_command(tmp_path):
    trade().to_csv(tmp_path / "trade.csv", index=False)

    def asked_for(formula, *words, file="trade.csv"):
        given_words = "--formula", formula, "--family", "poisson", *words
        done = commands.run("separation", tmp_path / file, *given_words)
        return done.returncode, done.stdout, done.stderr

    status, out, _ = asked_for("flow ~ embargo + distance")
    assert status == 1
    assert out.startswith("No finite estimate exists: embargo is infinite (-); 2 of 6")
    status, out, _ = asked_for("flow ~ distance", "--json")
    assert status == 0
    assert json.loads(out)["coefficients"] == {"Intercept": "finite", "distance": "finite"}
    assert asked_for("flow ~ embargo", "--weight", "distance")[0] == 1
    for formula, words, message in [
        ("flow ~ embargo", ("--weight", "age"), "no column 'age'"),
        ("flow ~ age", (), "does not fit the data"),
    ]:
        status, _, err = asked_for(formula, *words)
        assert (status, message in err) == (3, True)
    status, _, err = asked_for("y ~ x", file="none.csv")
    assert (status, "none.csv" in err) == (3, True)
    status, out, _ = asked_for("flow ~ distance", "--budget", "1e-9")
    assert (status, "could not be decided" in out) == (5, True)
