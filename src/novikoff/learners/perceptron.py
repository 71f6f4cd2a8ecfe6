r"""The perceptron (Rosenblatt 1958): predict with the last weights.

Its loop is in `novikoff.core.loops`; averaging and voting are other ways of predicting
from what that loop did.
"""

from typing import Any

from novikoff.learners.additive import SEPARATE, Additive


class Perceptron(Additive):
    r"""The perceptron: add the examples it errs on until it errs on none.

    On example $i$ with $y_i(\langle w, x_i\rangle + b) \le 0$:

    $$w \leftarrow w + \eta\,c_i\,y_i x_i, \qquad b \leftarrow b + \eta\,c_i\,y_i.$$

    If a unit vector $u$ of the run's space separates the examples with margin $\gamma$, at
    most $(R/\gamma)^2$ updates happen (`novikoff.novikoff_bound`), however the examples
    are ordered; the run stops at the first epoch without one, and at nothing else before
    `max_iter`.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Learn a bias $b$; without it the hyperplane goes through the origin.
    normalize : bool, default=False
        Scale every example to unit length, in fitting and predicting alike. The bias
        input stays 1, a zero row stays zero.
    tie : {"mistake", "negative", "positive"}, default="mistake"
        What a score of exactly 0 is: a mistake whatever the label, or a prediction of the
        first or of the second class. With "mistake", `predict` gives the first class. Of many
        classes with the same score, the first or the last is predicted.
    eta0 : float, default=1.0
        The step $\eta$. From a start at 0 it changes the length of $w$ and nothing else.
    slack : float, default=0.0
        The $\Delta$ of Freund & Schapire's construction: every example gets a feature of
        its own, of value $\Delta$. With any $\Delta > 0$ the run ends on all data, given
        the epochs. Predictions use the shared weights only.
    max_iter : int, default=100
        The most epochs to make.
    shuffle : bool, default=True
        Visit the examples in a new random order every epoch.
    random_state : int, RandomState or None, default=None
        What the orders are drawn from.
    warm_start : bool, default=False
        Let `fit` go on from the last run instead of starting at 0.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the updates on a class. In a stream, "balanced" goes by what has come so far.
    record : bool, default=False
        Keep a record of every update, 45 bytes each, in `trace_`; of more than two classes, 56.
    multi_class : {"joint", "ovr"}, default="joint"
        How more than two classes are learned. "joint": one weight vector each; on a mistake the
        right class gains the example and the class it was taken for loses it, so that at most
        $2(R/\gamma)^2$ updates happen (Kesler's construction). "ovr": a machine for each class
        against the rest; all of them learn in the same pass.
    n_jobs : int or None, default=None
        How many threads may learn and predict: None for one, -1 for all cores. The model is the
        same to the bit; see `docs/scale.md` for when it is faster.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features), or (n_classes, n_features) for more than two
    intercept_ : ndarray of shape (1,), or (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,), if `X` had names
    n_iter_ : int
        Epochs made.
    mistakes_ : ndarray of shape (n_iter_,)
        Mistakes in each epoch.
    n_mistakes_ : int
        Mistakes, and so updates, in all.
    converged_ : bool
        Was the last epoch free of mistakes?
    dual_coef_ : ndarray of shape (n_samples,)
        Updates on each example of the last `fit`, and of warm starts on the same data before it.
    radius_ : float
        The largest length of an example in the run's space, bias coordinate included.
    margin_ : Bracket
        What the run proves about the margin, in the run's space.
    mistake_bound_ : float
        The most mistakes that any order of the examples can force.
    trace_ : Trace
        What happened, update by update, if `record` is set.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]
    >>> and_gate = Perceptron(shuffle=False).fit(X, y)
    >>> and_gate.predict([[1, 1], [1, 0]])
    array(['yes', 'no'], dtype='<U3')
    >>> and_gate.n_mistakes_, and_gate.n_iter_, and_gate.converged_
    (18, 9, True)
    >>> round(and_gate.mistake_bound_)  # no order of these examples can force more
    87

    References
    ----------
    Rosenblatt, F. (1958). The perceptron: a probabilistic model for information storage and
    organization in the brain. Psychological Review 65(6).
    Novikoff, A. B. J. (1962). On convergence proofs on perceptrons. Symposium on the
    Mathematical Theory of Automata, 12.
    Freund, Y. & Schapire, R. E. (1999). Large margin classification using the perceptron
    algorithm. Machine Learning 37(3), section 3 (slack, and the bound without separability).
    """

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        normalize: bool = False,
        tie: str = "mistake",
        eta0: float = 1.0,
        slack: float = 0.0,
        max_iter: int = 100,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        class_weight: Any = None,
        record: bool = False,
        multi_class: str = "joint",
        n_jobs: int | None = None,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.tie = tie
        self.eta0 = eta0
        self.slack = slack
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.record = record
        self.multi_class = multi_class
        self.n_jobs = n_jobs

    def _advice(self) -> str:
        return f"{SEPARATE} AveragedPerceptron does well without an end."
