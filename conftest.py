"""Doctests write files as a reader would, into a folder of their own."""

import pytest


@pytest.fixture(autouse=True)
def _doctests_in_a_folder_of_their_own(request):
    if isinstance(request.node, pytest.DoctestItem):
        folder = request.getfixturevalue("tmp_path")
        request.getfixturevalue("monkeypatch").chdir(folder)
