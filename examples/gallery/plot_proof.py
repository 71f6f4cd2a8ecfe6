r"""
The proof of convergence
========================

Novikoff's theorem, carried out on a run: after :math:`k` mistakes,
:math:`k\gamma \le \langle w, u\rangle \le \|w\| \le \sqrt k R`. Where the outer curves cross, no
further mistake is possible.
"""

from novikoff import Perceptron
from novikoff.plots import ProofDisplay

X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]
model = Perceptron(record=True, shuffle=False).fit(X, y)
proof = ProofDisplay.from_trace(model.trace_)

# %%
# Another start
# -------------
#
# From other weights than 0 the curves begin elsewhere, and the bound is weaker.

away = Perceptron(record=True, shuffle=False, max_iter=100).fit(X, y, coef_init=[-3.0, 2.0])
proof_from_another_start = ProofDisplay.from_trace(away.trace_)
