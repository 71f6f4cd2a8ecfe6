"""How Sphinx builds the site: `make docs`."""

import re
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

import novikoff

DOCS = Path(__file__).parent
ROOT = DOCS.parent

project = "novikoff"
author = "The novikoff developers"
copyright = author  # noqa: A001
release = version = novikoff.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["build"]
nitpicky = False

myst_enable_extensions = ["amsmath", "dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["myst.xref_missing"]  # links out of docs/, to the sources: `to_sources` below

templates_path = ["templates"]
autosummary_generate = True
autodoc_typehints = "none"  # the docstrings have them
numpydoc_show_class_members = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples" / "gallery"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "reset_modules": ("matplotlib",),
    "min_reported_time": 1000,
}

html_theme = "pydata_sphinx_theme"
html_title = "novikoff"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "navigation_with_keys": True,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_math_renderer = "mathml"


# ------------------------------------------------------------- mathematics without a script


def inline_math(page: HTML5Translator, node: nodes.math) -> None:
    """A formula in the text, as MathML, which browsers draw by themselves."""
    page.body.append(convert(node.astext()))
    raise nodes.SkipNode


def display_math(page: HTML5Translator, node: nodes.math_block) -> None:
    """A formula on a line of its own."""
    page.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>\n')
    raise nodes.SkipNode


# ------------------------------------------------------------- pages that are made


def write_command_pages(app: Sphinx) -> None:
    """A page for each command, from the parser that reads its options."""
    from novikoff.cli.parser import build

    folder = DOCS / "reference" / "command"
    folder.mkdir(parents=True, exist_ok=True)
    parsers: dict[str, ArgumentParser] = build(complete=True).parsers()
    for name, parser in parsers.items():
        text = f"# novikoff {name}\n\n```text\n{parser.format_help().rstrip()}\n```\n"
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def to_sources(app: Sphinx, tree: nodes.document, name: str) -> None:
    """Links out of the documentation, to the sources and the README, name their file only."""
    for link in list(tree.findall(nodes.reference)):
        target = link.get("refuri", "")
        if target.startswith("../") and not target.endswith(".html"):
            link.replace_self(nodes.literal(text=link.astext()))


# ------------------------------------------------------------- docstrings

CODE = re.compile(r"(?<![`:\w])`([^`\n]+)`(?!`)")
FORMULA = re.compile(r"(?<![\\$])\$(?!\$)([^$]+?)\$")
STAR = re.compile(r"(?<=[\w-])(\*+)(?=[\w.])")
"""Within a pattern or a power, a star is no emphasis."""
DISPLAYED = re.compile(r"^( *)\$\$(.+?)\$\$([.,]?)$", re.M | re.S)


def from_markdown(
    app: Sphinx, what: str, name: str, it: Any, options: Any, lines: list[str]
) -> None:
    """Code between backticks and formulas between dollars, as reStructuredText has them."""
    text = "\n".join(lines)
    if "sklearn" in str(getattr(it, "__module__", "")):
        # what it refers to is on scikit-learn's own site
        text = re.sub(r":\w+:`([^<`]+?) ?(<[^`]*>)?`", r"\1", text.partition("\n")[0])

    def display(found: re.Match[str]) -> str:
        indent, formula, end = found.groups()
        return f"\n{indent}.. math:: {' '.join((formula + end).split())}\n"

    def reference(found: re.Match[str]) -> str:
        own = found[1]
        return f":py:obj:`~novikoff.{own}`" if own in novikoff.__all__ else f"``{own}``"

    text = DISPLAYED.sub(display, text)
    lines[:] = [
        line if line.lstrip().startswith((">>>", "...")) else in_line(line, reference)
        for line in text.split("\n")
    ]


def in_line(line: str, reference: Any) -> str:
    """The same within a line."""
    parts = FORMULA.split(line)  # every second is a formula
    starless = [STAR.sub(lambda found: "\\*" * len(found[1]), part) for part in parts[::2]]
    parts[::2] = [CODE.sub(reference, part) for part in starless]
    parts[1::2] = [f":math:`{part}`" for part in parts[1::2]]
    glued = [
        part + "\\ " if k % 2 and parts[k + 1][:1].isalnum() else part
        for k, part in enumerate(parts)
    ]
    return "".join(glued)


def is_foreign(app: Sphinx, what: str, name: str, it: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what classes inherit from other packages, but for what users call."""
    module = str(getattr(it, "__module__", None) or "novikoff")
    kept = name in ("score", "get_params", "set_params")
    return None if module.startswith("novikoff") or kept else True


def setup(app: Sphinx) -> None:
    """Add them."""
    app.connect("autodoc-process-docstring", from_markdown, priority=400)  # before numpydoc
    app.connect("autodoc-skip-member", is_foreign)
    nothing = (lambda page, node: None,) * 2
    app.add_html_math_renderer("mathml", (inline_math, nothing[0]), (display_math, nothing[0]))
    app.connect("builder-inited", write_command_pages)
    app.connect("doctree-resolved", to_sources)
    sys.path.insert(0, str(ROOT))
