"""The player in the notebooks that it is meant for, in a real browser.

A picture of each is left in .cache/notebooks.
"""

import json
from pathlib import Path

import pytest

import notebooks
import novikoff.lab
import vscode
from browser import FLAGS, chromium
from novikoff import Perceptron
from novikoff.lab.frames import of_trace
from novikoff.lab.notebook import module
from probes import CELL, RENDER, STYLES

pytestmark = pytest.mark.heavy  # `make quick` leaves it out

playwright_api = pytest.importorskip("playwright.sync_api")
expect = playwright_api.expect
expect.set_options(timeout=20_000)  # other tests may keep the machine busy
STYLE = Path(novikoff.lab.__file__).parent / "static" / "player.css"
SHOTS = Path(__file__).parent.parent / ".cache" / "notebooks"
LONG = 120_000
"""Milliseconds, for what starts a Python of its own, which may have to compile."""


@pytest.fixture(scope="module")
def browser():
    with playwright_api.sync_playwright() as playwright:
        path = chromium(playwright.chromium.executable_path)
        launched = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield launched
        launched.close()


@pytest.fixture
def new_context(browser):
    contexts = []

    def made(**options):
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 1500}, **options))
        return contexts[-1]

    yield made
    for context in contexts:
        context.close()


@pytest.fixture
def open_page(new_context):
    """Opens pages that can reach this machine only."""

    def opened(address, **options):
        context = new_context(**options)
        inside = (f"http://{notebooks.LOOPBACK}:", "blob:", "data:")
        context.route(
            "**/*",
            lambda route: (
                route.continue_() if route.request.url.startswith(inside) else route.abort()
            ),
        )
        page = context.new_page()
        page.set_default_timeout(LONG)
        page.goto(address)
        return page

    return opened


@pytest.fixture(scope="module")
def trace():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]
    return Perceptron(shuffle=False, record=True).fit(X, y).trace_


def shown(player):
    data = player.evaluate("element => ({...element.dataset})")
    return int(data["step"]), int(data["mistakes"]), float(data["bound"])


def mistakes_after(trace, steps):
    """How many mistakes the library counts in the first so many visits of four examples."""
    return int((4 * trace.epoch + trace.position < steps).sum())


def walk(player, trace):
    """Go through the run with the player's own controls; what it shows is the library's."""
    bound = trace.proof().bound
    expect(player).to_have_attribute("data-step", "0")
    assert shown(player) == (0, 0, bound)
    for step in (1, 2, 3):
        player.get_by_role("button", name="Step", exact=True).click()
        assert shown(player) == (step, mistakes_after(trace, step), bound)
    player.get_by_role("button", name="Next mistake").click()
    assert shown(player) == (4, 2, bound)
    player.get_by_role("button", name="Back").click()
    assert shown(player) == (3, 1, bound)
    player.press("End")
    assert shown(player) == (36, len(trace), bound)
    said = player.locator(".said")
    expect(said).to_contain_text(f"Converged: an epoch without a mistake. {len(trace)} mistakes")
    player.get_by_role("button", name="Start").click()
    player.press("ArrowRight")
    player.press("m")
    assert shown(player) == (4, 2, bound)


def ground(player):
    return player.evaluate("element => getComputedStyle(element).backgroundColor")


def alone(page, trace, theme, width):
    """How the player looks at step 4 where no other style sheet reaches it."""
    frames = json.loads(json.dumps(of_trace(trace, classes=["no", "yes"]), allow_nan=False))
    page.set_content(CELL)
    page.add_style_tag(content=STYLE.read_text())
    page.add_style_tag(content=f"#cell {{ width: {width}px; color-scheme: {theme}; }}")
    page.evaluate(RENDER, {"module": module(), "frames": frames})
    page.evaluate("model.tell('step', 4)")
    return page.locator(".novikoff").evaluate(STYLES)


@pytest.fixture
def changed(new_context, trace):
    """What the style sheets around a player change in it."""

    def found(player, theme):
        player.page.mouse.move(0, 0)
        player.evaluate("element => element.getRootNode().activeElement?.blur()")
        page = new_context(color_scheme=theme).new_page()
        own = alone(page, trace, theme, player.bounding_box()["width"])
        here = player.evaluate(STYLES)
        assert [name for name, *_ in here] == [name for name, *_ in own]
        return sorted(
            {
                f"{name}: {a}, not {b}"
                for (name, *there), (_, *looks) in zip(here, own, strict=True)
                for a, b in zip(there, looks, strict=True)
                if a != b
            }
        )

    return found


def kept(page, name):
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png")


GROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 24, 28)"}
OTHER = {"light": "dark", "dark": "light"}
"""What the system is set to: the notebook's own theme is to win."""


@pytest.fixture(scope="module")
def jupyterlab(tmp_path_factory):
    pytest.importorskip("jupyterlab", reason="JUPYTERLAB WAS NOT TESTED: pip install jupyterlab")
    with notebooks.jupyterlab(tmp_path_factory.mktemp("jupyter")) as opened:
        yield opened


@pytest.mark.parametrize("theme", GROUNDS)
def test_in_jupyterlab(open_page, trace, changed, jupyterlab, theme):
    page = open_page(jupyterlab(theme), color_scheme=OTHER[theme])
    first, second, third = (page.locator(".jp-CodeCell").nth(j) for j in range(3))
    kernel = page.get_by_text("| Idle")
    expect(kernel).to_be_visible(timeout=LONG)
    first.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    player = first.locator(".novikoff")
    player.wait_for()
    walk(player, trace)
    assert ground(player) == GROUNDS[theme]
    second.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    expect(second).to_contain_text("Python is told of step 4")
    player.get_by_role("button", name="End").click()
    third.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    expect(player).to_have_attribute("data-step", "4", timeout=LONG)
    player.evaluate("element => element.scrollIntoView()")
    kept(page, f"jupyterlab_{theme}")
    assert changed(player, theme) == []


@pytest.fixture(scope="module")
def marimo(tmp_path_factory):
    pytest.importorskip("marimo", reason="MARIMO WAS NOT TESTED: pip install marimo")
    with notebooks.marimo(tmp_path_factory.mktemp("marimo")) as opened:
        yield opened


@pytest.mark.parametrize("theme", GROUNDS)
def test_in_marimo(open_page, trace, changed, marimo, theme):
    page = open_page(marimo(theme), color_scheme=OTHER[theme])
    players = page.locator(".novikoff")
    expect(players).to_have_count(2, timeout=LONG)
    for player in players.all():
        walk(player, trace)
        assert ground(player) == GROUNDS[theme]
    expect(page.get_by_text("Python is told of step 4")).to_be_visible(timeout=LONG)
    players.nth(0).get_by_role("button", name="End").click()
    page.get_by_role("button", name="to step 4").click()
    expect(players.nth(0)).to_have_attribute("data-step", "4", timeout=LONG)
    kept(page, f"marimo_{theme}")
    assert changed(players.nth(0), theme) == []


@pytest.mark.parametrize("theme", GROUNDS)
def test_in_the_widget_manager_of_vs_code(new_context, trace, changed, monkeypatch, theme):
    """VS Code itself is not started here; the part of it that shows widgets is its own."""
    wire = vscode.Wire(monkeypatch)
    widget = trace.player()
    page = vscode.open_page(new_context(color_scheme=OTHER[theme]), theme, wire)
    page.evaluate("messages => receive(messages)", wire.fetched())
    page.evaluate("id => display(id)", widget.model_id)
    player = page.locator("#output .novikoff")
    walk(player, trace)
    assert ground(player) == GROUNDS[theme]
    page.wait_for_function("pending === 0")
    assert widget.step == 4
    player.get_by_role("button", name="End").click()
    page.wait_for_function("pending === 0")
    assert widget.step == 36
    widget.step = 4
    page.evaluate("messages => receive(messages)", wire.fetched())
    expect(player).to_have_attribute("data-step", "4")
    kept(page, f"vscode_{theme}")
    assert changed(player, theme) == []
    assert page.evaluate("wrong") == []
