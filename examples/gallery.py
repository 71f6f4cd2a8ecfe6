"""Render every picture of `novikoff.plots`: ``python examples/gallery.py [folder] [--dark]``.

Without a folder, the pictures of the documentation are written to `docs/pictures`.
"""

import argparse
import warnings
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from novikoff import KernelPerceptron, MaxMargin, Perceptron, SequencePerceptron, VotedPerceptron
from novikoff.data import load
from novikoff.plots import (
    BoundaryDisplay,
    ComparisonDisplay,
    LatticeDisplay,
    ProgressDisplay,
    ProofDisplay,
    UpdateDisplay,
)

DOCUMENTED = ("comparison", "proof", "lattice")
PICTURES = Path(__file__).parent.parent / "docs" / "pictures"


def two_clouds():
    """Points in the plane that a line separates, not by much and not through the origin."""
    random = np.random.default_rng(5)
    X = random.uniform((0.4, 0.3), (3.4, 2.8), (70, 2))
    s = X @ [0.8, 1.0] - 2.9
    keep = (abs(s) > 0.2) & (abs(s) < 1.6)
    return X[keep], np.where(s[keep] > 0, "yes", "no")


def pictures():
    """The name of each picture, and how to draw it."""
    X, y = two_clouds()
    model = Perceptron(record=True, random_state=0, max_iter=1000).fit(X, y)
    trace = model.trace_
    gate = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    gate = Perceptron(record=True, shuffle=False).fit(*gate).trace_
    iris, species, _ = load("iris")
    petals = iris[:, 2:]
    wdbc, tumour, _ = load("wdbc")
    wdbc = (wdbc - wdbc.mean(axis=0)) / wdbc.std(axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        two = species != "setosa"
        never = Perceptron(max_iter=20, random_state=0).fit(petals[two], species[two])
        vote = VotedPerceptron(max_iter=20, random_state=0).fit(petals[two], species[two])
        stuck = Perceptron(record=True, max_iter=30, random_state=0).fit(petals[two], species[two])
        three = VotedPerceptron(max_iter=30, random_state=0).fit(petals, species)
        high = Perceptron(random_state=0, max_iter=2000).fit(wdbc, tumour)
    square = np.random.default_rng(0).uniform(-1, 1, (90, 2))
    xor = np.where(square.prod(axis=1) > 0, "same", "different")
    curved = KernelPerceptron(kernel="rbf", gamma=3.0, random_state=0, max_iter=100)
    setosa = Perceptron(record=True, random_state=0).fit(iris, species == "setosa")
    words = ["the", "old", "man", "runs"], ["a", "man", "runs"], ["the", "old", "sleep"]
    tags = ["DET", "ADJ", "NOUN", "VERB"], ["DET", "NOUN", "VERB"], ["DET", "NOUN", "VERB"]
    features = [[{"word": word} for word in sentence] for sentence in words]
    tagger = SequencePerceptron(record=True, shuffle=False).fit(features, tags).trace_
    return {
        "lattice": lambda: LatticeDisplay.from_trace(
            tagger, 5, steps=words[int(tagger.example[4])]
        ),
        "boundary": lambda: BoundaryDisplay.from_estimator(model, X, y),
        "boundary_inseparable": lambda: BoundaryDisplay.from_estimator(
            never, petals[two], species[two]
        ),
        "boundary_voted": lambda: BoundaryDisplay.from_estimator(vote, petals[two], species[two]),
        "boundary_projected": lambda: BoundaryDisplay.from_estimator(high, wdbc, tumour),
        "boundary_widest": lambda: BoundaryDisplay.from_estimator(MaxMargin().fit(X, y), X, y),
        "boundary_of_three": lambda: BoundaryDisplay.from_estimator(three, petals, species),
        "boundary_of_a_kernel": lambda: BoundaryDisplay.from_estimator(
            curved.fit(square, xor), square, xor
        ),
        "update_first": lambda: UpdateDisplay.from_trace(trace, 1),
        "update": lambda: UpdateDisplay.from_trace(trace, 6),
        "update_in_a_plane": lambda: UpdateDisplay.from_trace(setosa.trace_, 3),
        "proof": lambda: ProofDisplay.from_trace(gate),
        "proof_far": lambda: ProofDisplay.from_trace(setosa.trace_),
        "proof_long": lambda: ProofDisplay.from_trace(trace),
        "proof_from_another_start": lambda: ProofDisplay.from_trace(
            clone(model).fit(X, y, coef_init=[-6.0, 2.0]).trace_
        ),
        "progress": lambda: ProgressDisplay.from_trace(trace),
        "progress_inseparable": lambda: ProgressDisplay.from_trace(stuck.trace_),
        "comparison": lambda: ComparisonDisplay.from_data(X, y, random_state=0),
    }


def main(words=None):
    """Write them."""
    parser = argparse.ArgumentParser(description="Render every picture of novikoff.plots.")
    parser.add_argument("folder", nargs="?", type=Path, help="none: those of the documentation")
    parser.add_argument("--dark", action="store_true", help="on a dark ground")
    told = parser.parse_args(words)
    matplotlib.use("Agg")
    from matplotlib import pyplot

    if told.dark:
        pyplot.style.use("dark_background")
    folder = told.folder or PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in pictures().items():
        if told.folder or name in DOCUMENTED:
            draw().figure_.savefig(folder / f"{name}.png", dpi=120)
            pyplot.close("all")
            print(folder / f"{name}.png")


if __name__ == "__main__":
    main()
