"""The lab's player in a notebook: Jupyter, marimo, VS Code (extra `notebook`)."""

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from novikoff.errors import ParameterError
from novikoff.lab.frames import of_trace
from novikoff.proofs.trace import Trace

if TYPE_CHECKING:
    from anywidget import AnyWidget
    from traitlets import Bunch

MODULES = ("words.js", "drawing.js", "plane.js", "vectors.js", "charts.js", "player.js")
"""The modules of the player, each after those that it imports."""

IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./([a-z]+)\.js";$', re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:class|const|function) (\w+))", re.M)


@cache
def module() -> str:
    """The player as one module: a notebook has no place to import the others from.

    Each module becomes a function that returns what it exports, so that its other names stay
    its own.
    """
    static, parts = files("novikoff.lab").joinpath("static"), []
    for name in MODULES:
        text = static.joinpath(name).read_text("utf-8")
        text = IMPORT.sub(r"const \1 = \2;", text)
        exported = EXPORT.findall(text) + ["render"] * (name == MODULES[-1])
        text = EXPORT.sub("", text).replace("export default { render };\n", "")
        parts.append(
            f"const {name.removesuffix('.js')} = (() => {{\n{text}"
            f"return {{ {', '.join(exported)} }};\n}})();\n"
        )
    return "\n".join([*parts, "export default { render: player.render };\n"])


@cache
def _player_class() -> "type[AnyWidget]":
    try:
        import anywidget
        import traitlets
    except ModuleNotFoundError as error:
        raise ParameterError(
            "The player in a notebook needs anywidget, which is not installed: "
            "pip install 'novikoff[notebook]'."
        ) from error

    class Player(anywidget.AnyWidget):
        """A run, step by step. `step` is how many have been made: read it, or set it."""

        _esm = module()
        _css = files("novikoff.lab").joinpath("static", "player.css").read_text("utf-8")
        frames = traitlets.Dict().tag(sync=True)
        step = traitlets.Int(0).tag(sync=True)

        @traitlets.validate("step")
        def _inside(self, proposal: "Bunch") -> int:
            return max(0, min(int(proposal["value"]), len(self.frames["visits"]["example"])))

    return Player


def player(trace: Trace) -> "AnyWidget":
    """A widget that shows the run of a trace: see `Trace.player`."""
    kind = _player_class()
    return kind(frames=of_trace(trace, classes=trace._classes.tolist()))
