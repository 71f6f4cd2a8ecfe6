"""Train the four learners on real data and print their mistakes beside the bound.

Run it with ``make demo``.
"""

import warnings

from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from novikoff import (
    AveragedPerceptron,
    Perceptron,
    VotedPerceptron,
    Winnow,
    separability,
    winnow_bound,
)
from novikoff.data import load


def report(title, X, y, winnow, winnow_limit):
    """Fit everything, and print a line each."""
    proof = separability(X, y)
    print(f"\n{title}: {X.shape[0]} examples, {X.shape[1]} features")
    print(f"  {proof.verdict}, margin {proof.margin.lower:.4g}; verified: {proof.verify(X, y)}")
    print(f"  {'learner':<20}{'mistakes':>9}{'at most':>9}{'epochs':>8}{'accuracy':>10}")
    perceptrons = [
        learner(max_iter=1000, random_state=0).fit(X, y)
        for learner in (Perceptron, AveragedPerceptron, VotedPerceptron)
    ]
    for model, most in [(m, proof.novikoff) for m in perceptrons] + [(winnow, winnow_limit)]:
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
