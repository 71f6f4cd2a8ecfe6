"""The terminal sessions in the docs are what a terminal shows; the page of theorems is whole."""

import re
import subprocess
from pathlib import Path

import pytest

import novikoff
from forks import python

pytestmark = pytest.mark.heavy  # `make quick` leaves it out

ROOT = Path(__file__).parent.parent
SESSION = re.compile(r"```console\n(\$ (?:python -c|printf) .*?)```", re.S)


def played(session, folder):
    """The session again, with what its commands really print."""
    shown = []
    for line in session.splitlines():
        if not line.startswith("$ "):
            continue
        words = line[2:].replace("novikoff ", f"{python()} -m novikoff ", 1)
        words = re.sub(r"^python ", f"{python()} ", words) if "-c" in words else words
        out = subprocess.run(
            ["bash", "-c", words],
            cwd=folder,
            check=True,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ).stdout
        shown += [line, *out.splitlines()]
    return "\n".join(shown) + "\n"


@pytest.mark.parametrize("page", ["README.md", "docs/command.md", "docs/sequences.md"])
def test_the_session_is_real(tmp_path, page):
    [session] = SESSION.findall((ROOT / page).read_text())
    seconds = re.compile(r"\d+\.\d s$", re.M)
    (tmp_path / "compiled").mkdir()
    played(session, tmp_path / "compiled")  # a command that compiles for long says what it does
    assert seconds.sub("- s", played(session, tmp_path)) == seconds.sub("- s", session)


def test_every_bound_has_its_proof_and_every_law_is_there():
    """Each row of docs/theorems.md names a function and a test that exist; no bound is left out."""
    page = (ROOT / "docs" / "theorems.md").read_text()
    tests = "".join(file.read_text() for file in (ROOT / "tests").rglob("test_*.py"))
    laws = re.findall(r"`(test_\w+)`", page)
    for law in laws:
        assert f"def {law}(" in tests, law
    rows = re.findall(r"^\| (\d+) \| (.*)$", page, re.M)
    theorems = re.findall(r"^\*\*Theorem (\d+)\*?", page, re.M)
    assert [number for number, _ in rows] == theorems
    assert len(laws) >= len(theorems)
    assert len(theorems) == len(re.findall(r"^\*Proof\.\*", page, re.M)) - 1  # and the lemma's
    bounds = [name for name in novikoff.__all__ if name.endswith("_bound")]
    assert bounds
    for name in bounds:
        assert any(f"`{name}`" in row for _, row in rows), name
