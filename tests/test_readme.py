"""The terminal session in the README is what a terminal shows."""

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"
SESSION = re.compile(r"```console\n(\$ python -c .*?)```", re.S)


def played(session, folder):
    """The session again, with what its commands really print."""
    shown = []
    for line in session.splitlines():
        if not line.startswith("$ "):
            continue
        words = line[2:].replace("novikoff ", f"{sys.executable} -m novikoff ", 1)
        words = re.sub(r"^python ", f"{sys.executable} ", words) if "-c" in words else words
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


def test_the_session_is_real(tmp_path):
    [session] = SESSION.findall(README.read_text())
    seconds = re.compile(r"\d+\.\d s$", re.M)
    assert seconds.sub("- s", played(session, tmp_path)) == seconds.sub("- s", session)
