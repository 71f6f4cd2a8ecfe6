r"""A picture of the proof: $k\gamma \le \langle w, u\rangle \le \|w\| \le \sqrt k\,R$."""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from novikoff.plots.style import BLUE, GREEN, GREY, PURPLE, VERMILLION, Axes, Display, legend
from novikoff.proofs.proof import Proof, made_before
from novikoff.proofs.trace import Trace
from novikoff.typing import Array

FAR = 12.0
"""How many times its mistakes the bound may be before both axes become logarithmic."""


@dataclass(eq=False, repr=False)
class ProofDisplay(Display):
    r"""The four quantities of Novikoff's proof over the updates, and where they must cross.

    $k\gamma \le \langle w_k, u\rangle \le \|w_k\| \le \sqrt k\,R$ after $k$ updates, as in `Proof`.
    The first grows like $k$, the last like its root only: they cross at $k = (R/\gamma)^2$, and no
    run has more updates. If the run ended long before, both axes are logarithmic, where the two are
    straight lines. (From a start other than 0, the quantities can be negative, and the crossing may
    be outside the picture; the title has its number.)

    Parameters
    ----------
    proof : Proof
        The result of `Trace.proof`.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.plots import ProofDisplay
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> trace = Perceptron(shuffle=False, record=True).fit(X, y).trace_
    >>> [line.get_label() for line in ProofDisplay.from_trace(trace).ax_.lines[:4]]
    ['$\\sqrt{k}\\,R$', '$\\|w_k\\|$', '$\\langle w_k, u\\rangle$', '$k\\gamma$']

    References
    ----------
    Novikoff, A. B. J. (1962). On convergence proofs on perceptrons. Symposium on the
    Mathematical Theory of Automata, 12.
    """

    SIZE = (6.8, 4.6)

    proof: Proof

    @classmethod
    def from_trace(cls, trace: Trace, u: ArrayLike | None = None, *, ax: Axes = None) -> Self:
        """Compute the quantities of the proof on a run, and draw them.

        Parameters
        ----------
        trace : Trace
            The trace of a perceptron, with its data.
        u : array, optional
            As for `Trace.proof`.
        ax : matplotlib axes, optional

        Returns
        -------
        ProofDisplay
        """
        return cls(trace.proof(u)).plot(ax)

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        proof, drawn = self.proof, curves(self.proof)
        progress, length = proof.start
        at = np.append(drawn.before, proof.mistakes)
        tau = proof.update_margin
        symbols = self._symbols(drawn.simple, r"(1+2\tau)" if tau else "")
        few = {"marker": "o", "markersize": 3.5} if len(at) <= 60 else {}
        k, least, most = drawn[:3]
        ax.plot(k, most, color=BLUE, linewidth=2, linestyle="--", label=symbols[3])
        ax.plot(at, np.append(length, proof.length), color=GREEN, label=symbols[2], **few)
        ax.plot(at, np.append(progress, proof.progress), color=PURPLE, label=symbols[1], **few)
        ax.plot(k, least, color=VERMILLION, linewidth=2, linestyle="-.", label=symbols[0])
        ax.set(xlabel=f"{proof.counts} $k$", ylabel="progress and length")
        if drawn.log:
            ax.set(xscale="log", yscale="log", xlim=(1, drawn.end))
        else:
            ax.set_xlim(drawn.before, drawn.end)
        if drawn.crossing is not None:
            self._crossing(ax, *drawn.crossing, drawn.end)
        legend(ax, loc="upper left")
        made = int(at[-1])
        told = f"{made:,} {proof.counts[:-1]}{'s' * (made != 1)}"
        if drawn.crosses:
            formula = ""
            if proof.start == (0.0, 0.0):
                formula = rf"$(1 + 2\cdot{tau:g})(R/\gamma)^2 = $" if tau else r"$(R/\gamma)^2 = $"
            told += f", at most {formula}{proof.bound:,.{1 if proof.bound < 100 else 0}f}"
        ax.set_title(told + ("" if proof.holds else "; a lemma failed"))

    def _symbols(self, simple: bool, stretch: str) -> tuple[str, str, str, str]:
        between = (r"$\langle w_k, u\rangle$", r"$\|w_k\|$")
        if simple:
            return r"$k\gamma$", *between, rf"$\sqrt{{{stretch}k}}\,R$"
        return (
            r"$\langle w_0, u\rangle + \gamma\sum\eta_j$",
            *between,
            rf"$\sqrt{{\|w_0\|^2 + {stretch}R^2\sum\eta_j^2}}$",
        )

    def _crossing(self, ax: Axes, bound: float, height: float, end: float) -> None:
        """The point past which there is no update."""
        ax.axvspan(bound, end, color=GREY, alpha=0.2, linewidth=0)
        ax.axvline(bound, color=GREY, linewidth=1, linestyle=":")
        ax.plot([bound], [height], "D", color=GREY, markersize=6, zorder=4)
        ax.annotate(
            "no update past here",
            xy=(bound, 0.03),
            xycoords=("data", "axes fraction"),
            xytext=(-3, 0),
            textcoords="offset points",
            rotation=90,
            ha="right",
            va="bottom",
            fontsize="small",
        )


class Curves(NamedTuple):
    """The outer two quantities past the end of a run, up to where they cross."""

    k: Array
    """Mistakes, counted with those before the recording began."""
    least: Array
    most: Array
    before: float
    """How many mistakes there were before the recording began."""
    end: float
    """How far the picture reaches."""
    crosses: bool
    """Is it known where they cross? They do at the proof's bound."""
    crossing: tuple[float, float] | None
    """The point at which they do, if the picture reaches that far."""
    log: bool
    """Are both axes logarithmic?"""
    simple: bool
    r"""Are they $k\gamma$ and $\sqrt k\,R$?"""


def curves(proof: Proof, samples: int = 400) -> Curves:
    """The outer two quantities, at so many places."""
    k0, n = made_before(proof.mistakes), len(proof.steps)
    plain = proof.start == (0.0, 0.0)
    even = n == 0 or bool((proof.steps == proof.steps[0]).all())
    crosses = bool(np.isfinite(proof.bound)) and even
    far = crosses and proof.bound - k0 > FAR * max(n, 1.0)
    log = plain and far and k0 == 0
    end = proof.bound * (1.9 if log else 1.12) if crosses else k0 + n + 1
    if far and not log:  # what may be negative has no logarithm
        end = k0 + 3 * max(n, 1.0)
    end = max(end, k0 + n + 1, k0 + 2)
    k = np.geomspace(1.0, end, samples) if log else np.linspace(k0, end, samples)
    a, (progress, length) = (float(proof.steps[0]) if n else 1.0), proof.start
    least = progress + (k - k0) * a * proof.margin
    stretch = 1 + 2 * proof.update_margin
    most = np.sqrt(length**2 + stretch * (k - k0) * (a * proof.radius) ** 2)
    if not even:  # the outer two follow the steps as they were
        k = np.append(k0, proof.mistakes)
        least, most = np.append(progress, proof.least), np.append(length, proof.most)
    there = (proof.bound, progress + (proof.bound - k0) * a * proof.margin)
    crossing = there if crosses and end > proof.bound else None
    return Curves(k, least, most, k0, end, crosses, crossing, log, plain and a == 1.0 and even)
