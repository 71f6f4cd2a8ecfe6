"""Notebooks with a player, and the programs that show them, each at an address of its own."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from novikoff.files import replacing

LOOPBACK = "127.0.0.1"
PACKED = Path(__file__).parent.parent / ".cache" / "packages"

CELLS = (
    "from novikoff import Perceptron\n"
    "X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ['no', 'no', 'no', 'yes']\n"
    "trace = Perceptron(shuffle=False, record=True).fit(X, y).trace_\n"
    "player = trace.player()\n"
    "player",
    "print('Python is told of step', player.step)",
    "player.step = 4",
)

APP = """
import marimo
app = marimo.App(width="full")

@app.cell
def _():
    import marimo as mo
    from novikoff import Perceptron
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]
    trace = Perceptron(shuffle=False, record=True).fit(X, y).trace_
    player = trace.player()
    player
    return mo, player, trace

@app.cell
def _(mo, player):
    button = mo.ui.button(label="to step 4", on_click=lambda _: setattr(player, "step", 4))
    button
    return

@app.cell
def _(mo, trace):
    watched = mo.ui.anywidget(trace.player())
    watched
    return (watched,)

@app.cell
def _(mo, watched):
    mo.md(f"Python is told of step {watched.value['step']}")
    return
"""

QUIET = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}
DARK = {"@jupyterlab/apputils-extension:themes": {"theme": "JupyterLab Dark"}}


def notebook(cells=CELLS):
    """The text of a notebook with these cells."""
    code = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    python = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return json.dumps(
        {
            "cells": [code | {"id": f"cell-{j}", "source": text} for j, text in enumerate(cells)],
            "metadata": {"kernelspec": python},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


def free_port():
    with socket.socket() as listening:
        listening.bind((LOOPBACK, 0))
        return listening.getsockname()[1]


@contextmanager
def serving(command, folder, port, **environment):
    """The address of a program that serves there, until it is no longer needed."""
    home = f"http://{LOOPBACK}:{port}"
    with (folder / "said.txt").open("w") as said:
        running = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
        )
    try:
        _until_it_answers(home, running, folder / "said.txt")
        yield home
    finally:
        running.terminate()
        try:
            running.wait(20)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


def _until_it_answers(home, running, said, patience=180):
    end = time.monotonic() + patience
    while time.monotonic() < end and running.poll() is None:
        try:
            urlopen(home, timeout=10).close()
        except (URLError, OSError):
            time.sleep(0.2)
        else:
            return
    raise AssertionError(f"{running.args[:3]} does not serve: {said.read_text()}")


@contextmanager
def jupyterlab(folder):
    """A JupyterLab that knows nothing but `folder`: the address of a notebook, light or dark."""
    settings = folder / "settings"
    settings.mkdir()
    own = {f"JUPYTER_{name}_DIR": str(folder / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    own |= {"JUPYTERLAB_SETTINGS_DIR": str(folder / "user"), "IPYTHONDIR": str(folder / "ipython")}
    port = free_port()
    options = {
        "ServerApp.ip": LOOPBACK,
        "ServerApp.port": port,
        "ServerApp.port_retries": 0,
        "ServerApp.open_browser": False,
        "ServerApp.allow_root": True,
        "IdentityProvider.token": "",
        "LabApp.app_settings_dir": settings,
        "LabApp.workspaces_dir": folder / "workspaces",
        "LabApp.news_url": None,
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "LabApp.extension_manager": "readonly",
    }
    command = [sys.executable, "-m", "jupyterlab"]
    command += [f"--{name}={value}" for name, value in options.items()]

    def opened(theme):
        (folder / f"{theme}.ipynb").write_text(notebook())
        chosen = QUIET | (DARK if theme == "dark" else {})
        (settings / "overrides.json").write_text(json.dumps(chosen))  # read when a page asks
        return f"{home}/lab/workspaces/{theme}/tree/{theme}.ipynb"

    with serving(command, folder, port, **own) as home:
        yield opened


@contextmanager
def marimo(folder):
    """A marimo that knows nothing but `folder`: the address of an app, light or dark."""
    for theme in ("light", "dark"):
        (folder / f"{theme}.py").write_text(
            f'# /// script\n# [tool.marimo.display]\n# theme = "{theme}"\n# ///\n{APP}'
        )
    port = free_port()
    command = [sys.executable, "-m", "marimo", "run", "light.py", "dark.py"]
    command += ["--headless", "--no-token", "--host", LOOPBACK, "--port", str(port)]
    own = {f"XDG_{name}_HOME": str(folder / name) for name in ("CONFIG", "STATE")}
    with serving(command, folder, port, MARIMO_SKIP_UPDATE_CHECK="1", **own) as home:
        yield lambda theme: f"{home}/?file={theme}.py"


def packed(package, version, member):
    """A file out of a package of the npm registry; it is asked for once."""
    kept = PACKED / f"{package.replace('/', '_')}-{version}" / Path(member).name
    if kept.exists():
        return kept.read_text("utf-8")
    why = f"VS CODE'S WIDGETS WERE NOT TESTED: {package} {version} is not here, and "
    if shutil.which("npm") is None:
        pytest.skip(why + "there is no npm to ask for it. Install one: apt-get install npm.")
    with TemporaryDirectory() as folder:  # another worker may be asking too
        try:
            asked = subprocess.run(
                ["npm", "pack", "--silent", f"{package}@{version}"],
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=300,
                check=True,
            )
        except subprocess.SubprocessError as error:
            pytest.skip(why + f"npm cannot bring it: {error}")
        with tarfile.open(Path(folder) / asked.stdout.split()[-1]) as opened:
            text = opened.extractfile(f"package/{member}").read()
    kept.parent.mkdir(parents=True, exist_ok=True)
    with replacing(kept) as file:
        file.write(text)
    return text.decode()
