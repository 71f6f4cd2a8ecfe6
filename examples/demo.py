"""Train the four learners on real data and print their mistakes beside the bound.

Run it with ``make demo``.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from novikoff import (
    AveragedPerceptron,
    Perceptron,
    VotedPerceptron,
    Winnow,
    margin,
    novikoff_bound,
    winnow_bound,
)
from novikoff.data import load


def margin_of_run(model, X, y):
    """The margin of a model's hyperplane in the space of its run, where the bias is a weight."""
    augmented = np.hstack([X, np.ones((len(X), 1))])
    return margin(augmented, y, np.append(model.coef_, model.intercept_))


def report(title, X, y, winnow, winnow_limit):
    """Fit everything, and print a line each."""
    print(f"\n{title}: {X.shape[0]} examples, {X.shape[1]} features")
    perceptrons = [
        learner(max_iter=1000, random_state=0).fit(X, y)
        for learner in (Perceptron, AveragedPerceptron, VotedPerceptron)
    ]
    # Any hyperplane that separates the data bounds the mistakes; take the widest we have.
    gamma = max(margin_of_run(model, X, y) for model in perceptrons)
    limit = novikoff_bound(perceptrons[0].radius_, gamma)
    print(
        f"  a hyperplane separates them with margin {gamma:.3g}; R = {perceptrons[0].radius_:.3g}"
    )
    print(f"  {'learner':<20}{'mistakes':>9}{'at most':>9}{'epochs':>8}{'accuracy':>10}")
    for model, most in [(m, limit) for m in perceptrons] + [(winnow, winnow_limit)]:
        print(
            f"  {type(model).__name__:<20}{model.n_mistakes_:>9}"
            f"{f'{most:.0f}' if most else '-':>9}{model.n_iter_:>8}{model.score(X, y):>10.3f}"
        )


def main():
    """Iris, where one feature tells, and wine, where it takes several."""
    X, species, _ = load("iris")
    y = species != "setosa"
    # "Not setosa" is a disjunction of one variable: the petal is longer than 2.5 cm.
    winnow = Winnow(binarize=2.5, random_state=0).fit(X, y)
    report("iris, setosa against the rest", X, y, winnow, winnow_bound(r=1, n=4))

    X, cultivar, _ = load("wine")
    X, y = StandardScaler().fit_transform(X), cultivar == "class_0"
    with warnings.catch_warnings():  # no disjunction: Winnow has no bound here, and no end
        warnings.simplefilter("ignore", ConvergenceWarning)
        winnow = Winnow(binarize=0.0, random_state=0).fit(X, y)
    report("wine, class_0 against the rest (standardised)", X, y, winnow, None)


if __name__ == "__main__":
    main()
