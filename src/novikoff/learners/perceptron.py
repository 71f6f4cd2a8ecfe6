r"""The perceptron (Rosenblatt 1958): predict with the last weights of the run.

The training loop is in `novikoff.core.loops`. The averaged and the voted perceptron run the same
loop and predict differently.
"""

from novikoff.learners.additive import SEPARATE, Additive
from novikoff.parameters import again


class Perceptron(Additive):
    r"""The perceptron: on each mistake, add the example to the weights or subtract it.

    An example $x_i$ has a label $y_i$ of -1 or +1, and the score $\langle w, x_i\rangle + b$. If
    $y_i(\langle w, x_i\rangle + b) \le 0$, it is a mistake, and the weights $w$ and the bias $b$
    change:

    $$w \leftarrow w + \eta\,c_i\,y_i x_i, \qquad b \leftarrow b + \eta\,c_i\,y_i.$$

    Here $\eta$ is the step size `eta0`, and $c_i$ is the weight of the example: 1, unless you give
    `sample_weight` or `class_weight`. The run stops after the first epoch without an update, or
    after `max_iter` epochs.

    If a unit vector $u$ separates the examples with margin $\gamma$, and no example is longer than
    $R$, a run from 0 with all $c_i = 1$ makes at most $(R/\gamma)^2$ updates, in whatever order the
    examples come (`novikoff.novikoff_bound`). Lengths and margins are measured in the space of the
    run: with a bias, every example has one more coordinate, which is 1.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features), or (n_classes, n_features) for more than two classes
        The weights.
    intercept_ : ndarray of shape (1,), or (n_classes,) for more than two classes
        The bias.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted. With two classes, the second is the positive class.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, if `X` had names.
    n_iter_ : int
        The number of epochs.
    mistakes_ : ndarray of shape (n_epochs,)
        The number of mistakes in each epoch.
    n_mistakes_ : int
        The number of mistakes in all epochs.
    n_updates_ : int
        The number of updates in all epochs. With ``margin=0``, every update is a mistake.
    converged_ : bool
        True if the last epoch made no update.
    dual_coef_ : ndarray of shape (n_samples,)
        The number of updates on each example of the last `fit`. Warm starts on the same data
        add up.
    radius_ : float
        The length $R$ of the longest example, in the space of the run.
    margin_ : Bracket
        Bounds on the margin $\gamma$ that the run proves, in the space of the run.
    mistake_bound_, update_bound_ : float
        No order of these examples can force more mistakes, or more updates, than this.
    trace_ : Trace
        A record of every update, if ``record=True``.

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
    Journal of Physics A 20(11) (the parameter `margin`).
    Freund, Y. & Schapire, R. E. (1999). Large margin classification using the perceptron
    algorithm. Machine Learning 37(3), section 3 (`slack`, and the bound for data that no
    hyperplane separates).
    """

    max_iter = again(Additive._parameters["max_iter"], default=100)

    def _advice(self) -> str:
        return f"{SEPARATE} AveragedPerceptron does well without an end."
