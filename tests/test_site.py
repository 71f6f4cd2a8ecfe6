"""The site is built without a warning, and every link in it leads somewhere."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import novikoff

pytestmark = pytest.mark.heavy  # `make quick` leaves it out

DOCS = Path(__file__).parent.parent / "docs"


class Page(HTMLParser):
    """What a page links to, and what can be linked to in it."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], {""}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            if name in ("id", "name") and value:
                self.anchors.add(value)


@pytest.mark.parametrize(
    "path", [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))], ids=lambda path: path.name
)
def test_every_link_in_the_sources_names_a_file(path):
    """Also those that lead out of the site, which has no page for them."""
    if "gallery" in path.parts or "command" in path.parts:  # made by a build
        return
    for link in re.findall(r"\]\(([^)\s#]+)[^)]*\)", path.read_text()):
        made = link.endswith("gallery/index")
        assert link.startswith("http") or made or (path.parent / unquote(link)).exists(), link


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site")
    words = ["-q", "-W", "--keep-going", "-d", str(out / "trees"), str(DOCS), str(out / "html")]
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", *words],
        env=os.environ | {"MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    found = [path for path in (out / "html").rglob("*.html") if "_static" not in path.parts]
    pages = {path: Page(path.read_text()) for path in found}
    assert len(pages) > 100
    return out / "html", pages


def test_every_link_leads_somewhere(site):
    folder, pages = site
    lost = []
    for path, page in pages.items():
        for link in page.links:
            target = urlsplit(link)
            if target.scheme or target.netloc:
                continue
            where = (path.parent / unquote(target.path)).resolve() if target.path else path
            where = where / "index.html" if where.is_dir() else where
            found = where.exists()
            if found and target.fragment and where in pages:
                found = unquote(target.fragment) in pages[where].anchors
            if not found:
                lost.append(f"{path.relative_to(folder)}: {link}")
    assert not lost, "\n".join(sorted(set(lost)))


def test_every_public_name_has_a_page(site):
    folder, _ = site
    made = {path.stem.removeprefix("novikoff.") for path in (folder / "reference/python").iterdir()}
    modules = {"cluster", "data", "lab", "plots", "river", "store"}
    assert {name for name in novikoff.__all__ if not name.startswith("_")} - modules <= made


def test_formulas_are_drawn_by_the_browser_itself(site):
    folder, pages = site
    page = folder / "theorems.html"
    assert page.read_text().count("<math") > 50
    assert not [link for link in pages[page].links if "mathjax" in link.lower()]


def test_every_script_of_the_gallery_drew_its_pictures(site):
    folder, pages = site
    scripts = sorted((DOCS.parent / "examples" / "gallery").glob("plot_*.py"))
    drawn = set()
    for script in scripts:
        page = pages[folder / "gallery" / f"{script.stem}.html"]
        assert any(f"sphx_glr_{script.stem}_001" in link for link in page.links)
        drawn |= {word for word in script.read_text().split() if "Display" in word}
    for kind in ("Boundary", "Update", "Proof", "Progress", "Comparison", "Lattice"):
        assert any(f"{kind}Display" in word for word in drawn), kind
