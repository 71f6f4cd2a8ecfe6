r"""The perceptron (Rosenblatt 1958): predict with the last weights.

Its loop is in `novikoff.core.loops`; averaging and voting are other ways of predicting
from what that loop did.
"""

from novikoff.learners.additive import SEPARATE, Additive
from novikoff.parameters import again


class Perceptron(Additive):
    r"""The perceptron: add the examples it errs on until it errs on none.

    On example $i$ with $y_i(\langle w, x_i\rangle + b) \le 0$:

    $$w \leftarrow w + \eta\,c_i\,y_i x_i, \qquad b \leftarrow b + \eta\,c_i\,y_i.$$

    If a unit vector $u$ of the run's space separates the examples with margin $\gamma$, at
    most $(R/\gamma)^2$ updates happen (`novikoff.novikoff_bound`), however the examples
    are ordered; the run stops at the first epoch without one, and at nothing else before
    `max_iter`.

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
        Mistakes in all.
    n_updates_ : int
        Updates in all: the mistakes, unless a `margin` is asked for.
    converged_ : bool
        Was the last epoch free of updates?
    dual_coef_ : ndarray of shape (n_samples,)
        Updates on each example of the last `fit`, and of warm starts on the same data before it.
    radius_ : float
        The largest length of an example in the run's space, bias coordinate included.
    margin_ : Bracket
        What the run proves about the margin, in the run's space.
    mistake_bound_, update_bound_ : float
        The most mistakes, and updates, that any order of the examples can force.
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
    Krauth, W. & Mézard, M. (1987). Learning algorithms with optimal stability in neural networks.
    Journal of Physics A 20(11) (the margin).
    Freund, Y. & Schapire, R. E. (1999). Large margin classification using the perceptron
    algorithm. Machine Learning 37(3), section 3 (slack, and the bound without separability).
    """

    max_iter = again(Additive._parameters["max_iter"], default=100)

    def _advice(self) -> str:
        return f"{SEPARATE} AveragedPerceptron does well without an end."
