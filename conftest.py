"""Doctests write files as a reader would, into a folder of their own; pictures go nowhere."""

import os
import shutil
import sys
from pathlib import Path

import pytest

os.environ.setdefault("MPLBACKEND", "Agg")
CLASSICS = Path(__file__).parent.parent / "shared" / "data" / "separability"
NEEDED = {"separation.md": CLASSICS / "endometrial.csv"}
"""Files that a reader of these pages has downloaded."""


@pytest.fixture(autouse=True)
def _doctests_in_a_folder_of_their_own(request):
    if isinstance(request.node, pytest.DoctestItem):
        folder = request.getfixturevalue("tmp_path")
        request.getfixturevalue("monkeypatch").chdir(folder)
        if (file := NEEDED.get(request.node.path.name)) is not None:
            if not file.exists():
                pytest.skip(f"{file.name} is not at {file.parent}")
            shutil.copy(file, folder)
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
