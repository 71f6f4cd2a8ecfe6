"""Models in words: what is said is what the model has."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Perceptron as Another

from laws.learners import LEARNERS, data_for, fitted, options_for
from novikoff import AveragedPerceptron, MaxMargin, Perceptron, VotedPerceptron, Winnow, describe
from novikoff.data import load
from novikoff.description import MINUS
from novikoff.errors import ParameterError


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("learner", LEARNERS)
@given(data=st.data())
def test_every_model_has_words(learner, form, data):
    X, y = data.draw(data_for(learner))
    model = fitted(learner, form(X), y, max_iter=3, **data.draw(options_for(learner)))
    for text in (describe(model), describe(model, form(X))):
        assert text.startswith(f"This {learner.__name__}")
        assert text.endswith(".")
        assert f"It made {model.n_mistakes_} mistake" in text
        assert "\n" not in text
        assert ("has not converged" in text) == (not model.converged_)


def test_the_numbers_are_the_models():
    X = np.array([[3.0, -1.0], [-2.0, 1.0], [4.0, 0.5]])
    model = Perceptron(shuffle=False, fit_intercept=True).fit(X, ["no", "yes", "no"])
    model._state.weights[:] = [-1.0, 2.5, 3.0]
    text = describe(model)
    assert f"'yes' where {MINUS}x1 + 2.5·x2 > {MINUS}3, and 'no' elsewhere." in text
    assert f"The boundary is {3 / np.hypot(1, 2.5):.4g} from the origin." in text
    assert "Per unit, x2 (by 2.5) pushes towards 'yes'; x1 (by 1) pushes towards 'no'." in text
    text = describe(model, X)
    assert f"x1 (by {X[:, 0].std():.4g}) pushes towards 'no'" in text
    assert f"x2 (by {2.5 * X[:, 1].std():.4g}) pushes towards 'yes'" in text
    assert describe(model, sparse.csr_array(X)) == text
    assert f"more than {model.mistake_bound_:,.0f} mistakes" in text


def test_deviations_far_from_the_origin():
    """The mean of the squares less the square of the mean would be lost in rounding."""
    X = np.array([[1e8, 1.0], [1e8 + 1, 2.0], [1e8 + 2, 0.0]])
    model = fitted(Perceptron, X, [0, 1, 0], max_iter=3, random_state=0)
    assert describe(model, sparse.csr_array(X)) == describe(model, X)


def test_names_and_many_features():
    X, rock_or_mine, names = load("sonar")
    model = fitted(
        Perceptron, pd.DataFrame(X, columns=names), rock_or_mine, max_iter=2, random_state=0
    )
    text = describe(model, pd.DataFrame(X, columns=names))
    assert "(54 more)" in text
    assert len(text) < 1000
    said = set(re.findall(r"·(\w+)", text))
    largest = np.argsort(-abs(model.coef_[0] * X.std(axis=0)))[:6]
    assert said == {names[j] for j in largest}
    wide = np.eye(2000)[:, :1500]
    model = fitted(
        Perceptron, sparse.csr_array(wide), np.arange(2000) % 2, max_iter=1, shuffle=False
    )
    assert re.search(r"… \([\d,]{3,} more\) .* and [\d,]{3,} more push towards 1;", describe(model))


def test_each_kind_says_what_it_is():
    X, species, names = load("iris")
    X, y = pd.DataFrame(X, columns=names), species == "setosa"
    assert "the mean of all weights" in describe(AveragedPerceptron(random_state=0).fit(X, y))
    text = describe(VotedPerceptron(random_state=0).fit(X, y))
    assert "a vote of all hyperplanes on the way, of which the last says" in text
    assert "That hyperplane is" in text
    text = describe(Winnow(binarize=2.5, random_state=0).fit(X, ~y), X)
    assert "≥ 4 (features being 1 above 2.5, else 0), and False elsewhere" in text
    text = describe(Perceptron(normalize=True, fit_intercept=False, random_state=0).fit(X, y))
    assert "> 0 (of examples at unit length)" in text
    assert "goes through the origin" in text
    text = describe(MaxMargin().fit(X, y), X)
    assert "The margin is between 0.817556 and 0.817556; 3 examples support it." in text
    assert "Its (soft) margin is between" in describe(MaxMargin(C=1.0).fit(X, y))
    stream = Perceptron().partial_fit(X[:1], y[:1], classes=[False, True])
    assert "It made 1 mistake in 1 epoch of a stream." in describe(stream)
    nothing = Perceptron(tie="negative").partial_fit([[0.0]], [0], classes=[0, 1])
    assert describe(nothing).startswith("This Perceptron knows nothing yet: all its weights are 0.")


def test_what_has_no_words():
    with pytest.raises(NotFittedError):
        describe(Perceptron())
    with pytest.raises(ParameterError, match="for the linear models of novikoff"):
        describe(Another().fit(np.eye(2), [0, 1]))
    with pytest.raises(ParameterError, match="X has 3 features, but the model has 2"):
        describe(Perceptron().fit(np.eye(2), [0, 1]), np.eye(3))


def test_many_classes_in_words():
    X, species, names = load("iris")
    X = pd.DataFrame(X, columns=names)
    model = fitted(Perceptron, X, species, random_state=0, max_iter=5)
    text = describe(model, X)
    assert "predicts that of 3 classes with the largest score" in text
    effect = model.coef_ * X.to_numpy().std(axis=0)
    for label, row in zip(model.classes_, effect, strict=True):
        first = names[abs(row).argmax()]
        assert f"{str(label)!r} ({first} by " in text
