"""The lab in a real browser, as a student, a lecturer and a screen reader meet it."""

import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import pytest

import novikoff
import novikoff.lab
from browser import FLAGS, chromium
from novikoff.lab import server
from novikoff.lab.frames import of_state, of_trace
from novikoff.lab.guard import Guard
from novikoff.lab.link import from_link
from novikoff.lab.notebook import module
from novikoff.lab.server import serve
from probes import ATTACK, CELL, DRAWN, FOCUSED, FRAME, OUTSIDE, PLACE, POOR, RENDER, UNNAMED

pytestmark = pytest.mark.heavy  # `make quick` leaves it out

pytest.importorskip("uvicorn")
playwright_api = pytest.importorskip("playwright.sync_api")
expect = playwright_api.expect
expect.set_options(timeout=20_000)  # other tests may keep the machine busy
SHOTS = Path(__file__).parent.parent / ".cache" / "lab"
MINUS = "\N{MINUS SIGN}"
LONG = 120_000
"""Milliseconds, for the first question, which may have to compile."""


@pytest.fixture(scope="module")
def home():
    """The address of a lab of our own."""
    known, address = Event(), []
    ready = lambda url: (address.append(url), known.set())  # noqa: E731
    Thread(target=serve, kwargs={"port": 0, "ready": ready}, daemon=True).start()
    assert known.wait(60)
    return address[0]


@pytest.fixture(scope="module")
def browser():
    with playwright_api.sync_playwright() as playwright:
        path = chromium(playwright.chromium.executable_path)
        launched = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield launched
        launched.close()


@pytest.fixture
def open_lab(browser, home):
    """Opens pages that may reach nothing but the lab, and must not complain."""
    contexts, wrong = [], []

    def opened(link="", width=1440, height=900, allowed=(), **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)

        def route(route):
            inside = route.request.url.startswith((home, "blob:", "data:"))
            if not inside:
                wrong.append(f"asked for {route.request.url}")
            route.continue_() if inside else route.abort()

        context.route("**/*", route)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("pageerror", lambda error: wrong.append(str(error)))

        harmless = re.compile("|".join(allowed) or "^$")

        def said(message):
            if message.type in ("error", "warning") and not harmless.search(message.text):
                wrong.append(message.text)

        page.on("console", said)
        page.goto(home + (f"#{link}" if link else ""))
        page.wait_for_selector("body.ready", timeout=LONG)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


def shown(page):
    """Where the player is: the step, the mistakes and the bound that it shows."""
    data = page.locator("#player .novikoff").evaluate("element => ({...element.dataset})")
    return int(data["step"]), int(data["mistakes"]), float(data["bound"]) if data["bound"] else None


def link(page):
    """The link in the address, once it is written."""
    page.wait_for_timeout(350)
    return page.evaluate("location.hash.slice(1)")


def until_still(page):
    """Wait until the last question is answered."""
    page.wait_for_selector("body:not(.waiting)")


def click_at(page, x, y, **options):
    """Click at a point of the plane."""
    place = page.evaluate(PLACE, [x, y, CORNER])
    page.mouse.click(*place, **options)
    until_still(page)
    return place


EMPTY = "view=-3,-3,6"
CORNER = (-3, -3, 6)


# ------------------------------------------------------------- points, and a run to its end


def test_points_are_added_and_the_run_converges_within_the_bound(open_lab):
    page = open_lab(EMPTY)
    expect(page.locator(".said")).to_contain_text("Add points of both classes")
    page.get_by_label(f"{MINUS}1", exact=True).check()
    click_at(page, -1, -1)
    expect(page.locator(".said")).to_contain_text("Add a point of the class +1")
    click_at(page, 0.5, -1.5)
    page.get_by_label("+1", exact=True).check()
    click_at(page, 1, 1.5)
    click_at(page, 2, 0.5)
    assert page.locator(".points [data-point]").count() == 4
    state = from_link(link(page))
    assert [sign for *_, sign in state.points] == [-1, -1, 1, 1]
    for (x, y, _), (a, b) in zip(
        state.points, [(-1, -1), (0.5, -1.5), (1, 1.5), (2, 0.5)], strict=True
    ):
        assert abs(x - a) < 0.03
        assert abs(y - b) < 0.03
    page.get_by_label("Speed").select_option("very fast")
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".said")).to_contain_text("Converged", timeout=20_000)
    expect(page.get_by_role("button", name="Play")).to_be_visible()  # it has stopped
    step, mistakes, bound = shown(page)
    X, y = [[a, b] for a, b, _ in state.points], [sign for *_, sign in state.points]
    model = novikoff.Perceptron(shuffle=False, max_iter=100, record=True).fit(X, y)
    assert mistakes == model.n_mistakes_
    assert bound == model.trace_.proof().bound
    assert step == model.n_iter_ * 4
    expect(page.locator(".count")).to_have_text(f"{mistakes} so far, at most {int(bound)}")
    meter = page.get_by_role("meter")
    assert float(meter.get_attribute("aria-valuemax")) == bound
    assert int(meter.get_attribute("aria-valuenow")) == mistakes


def test_stepping_back_leads_to_the_start(open_lab):
    page = open_lab("data=and")
    frames = of_state(from_link("data=and"))
    last = len(frames["visits"]["example"])
    page.get_by_role("button", name="End").click()
    told = []
    for step in range(last, 0, -1):
        assert shown(page)[0] == step
        told.append(page.locator(".said").inner_text())
        page.get_by_role("button", name="Back").click()
    assert shown(page)[:2] == (0, 0)
    expect(page.locator(".said")).to_contain_text("Start: w = (0, 0), b = 0")
    for step in range(1, last + 1):  # and forward it is the same again
        page.get_by_role("button", name="Step").click()
        assert page.locator(".said").inner_text() == told.pop()
        assert shown(page)[1] == sum(frames["visits"]["mistake"][:step])


def test_the_next_mistake_is_written_and_drawn(open_lab):
    page = open_lab("data=separable")
    frames = of_state(from_link("data=separable"))
    times = [t + 1 for t, wrong in enumerate(frames["visits"]["mistake"]) if wrong]
    for number, t in enumerate(times, 1):
        page.get_by_role("button", name="Next mistake").click()
        assert shown(page)[:2] == (t, number)
        expect(page.locator(".formula")).to_contain_text("a mistake")
        w = frames["weights"][number]
        written = ", ".join(f"{round(v, 4):.4g}".replace("-", MINUS) for v in w[:2])
        assert f"({written})" in page.locator(".formula").inner_text().replace("\u00a0", " ")
        expect(page.locator(".vectors .step.shaft")).to_have_count(1)
        expect(page.locator(".visited.mistake")).to_have_count(1)
    page.get_by_role("button", name="Next mistake").click()  # there is none
    expect(page.locator(".said")).to_contain_text("Converged")


def test_with_a_margin_right_answers_are_learned_from(open_lab):
    link = "data=separable&margin=1"
    page, frames = open_lab(link), of_state(from_link(link))
    visits = frames["visits"]
    times = [t + 1 for t, learned in enumerate(visits["update"]) if learned]
    assert 0 < frames["mistakes"] < len(times)
    for number, t in enumerate(times[:15], 1):
        page.get_by_role("button", name="Next update").click()
        assert shown(page)[:2] == (t, number)
        why = "a mistake" if visits["mistake"][t - 1] else "right, but by too little"
        expect(page.locator(".formula")).to_contain_text(why)
        expect(page.locator(".said")).to_contain_text(f"{why}. Update {number}. The weights become")
        expect(page.locator(".vectors .step.shaft")).to_have_count(1)
    expect(page.locator(".mistakes h2")).to_have_text("Updates")
    expect(page.locator(".note.bound")).to_contain_text("(1 + 2τ)(R/")
    page.get_by_role("button", name="End").click()
    made = f"{len(times)} updates ({frames['mistakes']} mistakes) in all"
    expect(page.locator(".said")).to_contain_text(f"an epoch without an update. {made}")


def test_xor_shows_its_certificate(open_lab):
    page = open_lab()
    page.get_by_role("combobox", name="Data").select_option("XOR")
    until_still(page)
    expect(page.locator(".told")).to_contain_text("Not separable")
    expect(page.locator(".rings .proves")).to_have_count(4)
    rows = page.locator(".multipliers tbody tr")
    assert [row.locator("td").last.inner_text() for row in rows.all()] == ["1/4"] * 4
    assert page.locator(".rings text").all_text_contents() == ["p = 1/4"] * 4
    expect(page.locator(".count")).not_to_contain_text("at most")
    page.get_by_label("show the verdict in the plane").uncheck()
    expect(page.locator(".rings .proves")).to_have_count(0)


def test_the_options_reach_the_learner(open_lab):
    page = open_lab("data=barely")
    for label, value in [("Step η", "0.5"), ("Slack Δ", "1.5"), ("w₁", "2"), ("b", "-1")]:
        page.get_by_label(label, exact=True).fill(value)
        page.keyboard.press("Tab")
        until_still(page)
    page.get_by_label("A tie is").select_option("positive")
    page.get_by_label("Order").select_option("shuffled")
    until_still(page)
    page.get_by_label("Seed").fill("7")
    page.keyboard.press("Tab")
    until_still(page)
    state = from_link(link(page))
    assert (state.eta0, state.slack, state.coef_init, state.intercept_init) == (
        0.5,
        1.5,
        (2, 0),
        -1,
    )
    assert (state.tie, state.shuffle, state.random_state) == ("positive", True, 7)
    assert shown(page)[2] == of_state(state)["theorem"]["bound"]
    page.get_by_label("Algorithm").select_option("Winnow")
    until_still(page)
    expect(page.get_by_label("A tie is")).to_be_hidden()
    expect(page.get_by_label("Threshold θ")).to_be_visible()
    expect(page.locator(".proof")).to_contain_text("another proof")


def test_what_has_no_meaning_is_said_and_changes_nothing(open_lab):
    page = open_lab("data=xor", allowed=["422"])
    before = link(page)
    page.get_by_label("Step η").fill("-1")
    page.keyboard.press("Tab")
    expect(page.get_by_role("alert")).to_contain_text("“Step η” (eta0) is '-1', but it must be")
    assert link(page) == before
    expect(page.get_by_label("Step η")).to_have_value("1")
    page.get_by_label("Step η").fill("2")
    page.keyboard.press("Tab")
    expect(page.locator("#error")).to_be_hidden()


def test_the_page_says_what_it_waits_for(browser, home):
    context = browser.new_context()
    page, held = context.new_page(), []
    # the first answer is long in coming, as if it had to be compiled
    page.route("**/api/run", lambda route: held.append(route))
    page.goto(home)
    expect(page.get_by_text("Compiling: a few seconds the first time")).to_be_visible()
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    page.wait_for_selector("body.ready", timeout=LONG)
    expect(page.get_by_text("Compiling")).to_be_hidden()
    context.close()


def test_a_bad_link_is_said_to_be_one(open_lab):
    page = open_lab("learner=oracle", allowed=["422"])
    told = "“Algorithm” (learner) is 'oracle', but it must be one of"
    expect(page.get_by_role("alert")).to_contain_text(told)
    expect(page.get_by_role("combobox", name="Data")).to_have_value("separable")
    late = open_lab("data=and&step=999")  # of a run that was longer
    expect(late.locator(".said")).to_contain_text("Converged")


# ------------------------------------------------------------- links, undo, moving


def test_a_link_shows_the_same_again(open_lab):
    page = open_lab(EMPTY)
    click_at(page, -1, 0)
    page.get_by_label("+1", exact=True).check()
    click_at(page, 1.2, 0.4)
    click_at(page, 0.2, 2)
    page.get_by_label("Algorithm").select_option("averaged")
    until_still(page)
    page.get_by_role("button", name="Step").click()
    page.get_by_role("button", name="Step").click()
    address = link(page)

    def picture(page):
        return page.evaluate(DRAWN)

    before = shown(page), page.locator(".said").inner_text(), picture(page)
    page.reload()
    page.wait_for_selector("body.ready", timeout=LONG)
    assert (shown(page), page.locator(".said").inner_text(), picture(page)) == before
    other = open_lab(address)
    assert (shown(other), other.locator(".said").inner_text(), picture(other)) == before
    assert link(other) == address
    other.evaluate("location.hash = 'data=and&step=3'")  # a link pasted into the address
    expect(other.locator("#preset")).to_have_value("and")
    other.wait_for_selector("#player .novikoff[data-step='3']")


def test_points_are_dragged_deleted_flipped_and_all_of_it_undone(open_lab):
    page = open_lab("data=xor")
    point = page.locator(".points [data-point='3']")
    box = point.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 60, y + 30, steps=5)
    page.mouse.up()
    until_still(page)
    moved = from_link(link(page))
    assert moved.points[3][0] < 0.95
    assert moved.points[3][1] < 0.98
    assert len(moved.points) == 4
    expect(page.locator("#chosen")).to_contain_text("point 4")
    page.get_by_role("button", name="Flip").click()
    until_still(page)
    assert from_link(link(page)).points[3][2] == 1
    expect(page.locator(".told")).to_contain_text("Separable")
    page.get_by_role("button", name="Delete").click()
    until_still(page)
    assert len(from_link(link(page)).points) == 3
    for _ in range(3):
        page.get_by_role("button", name="Undo").click()
        until_still(page)
    assert link(page) == "data=xor"
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    page.keyboard.press("Control+y")
    until_still(page)
    assert from_link(link(page)).points == moved.points
    page.get_by_role("button", name="Clear").click()
    until_still(page)
    assert from_link(link(page)).points == ()
    page.keyboard.press("Control+z")
    until_still(page)
    assert from_link(link(page)).points == moved.points


def test_a_finger_adds_and_moves_points(open_lab):
    page = open_lab(EMPTY, 390, 844, has_touch=True, is_mobile=True)
    page.locator(".plane").scroll_into_view_if_needed()
    page.touchscreen.tap(*page.evaluate(PLACE, [1, 1, CORNER]))
    until_still(page)
    assert len(from_link(link(page)).points) == 1
    page.touchscreen.tap(*page.evaluate(PLACE, [1, 1, CORNER]))  # on the point: it is chosen
    until_still(page)
    assert len(from_link(link(page)).points) == 1
    page.get_by_role("button", name="Delete").tap()
    until_still(page)
    assert from_link(link(page)).points == ()


# ------------------------------------------------------------- without a mouse


def focused(page):
    return page.evaluate(FOCUSED)


def test_everything_works_by_keyboard(open_lab):
    page = open_lab(EMPTY)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('plane')"):
            break
    else:
        pytest.fail("Tab does not lead to the plane")
    for key in ["ArrowLeft"] * 8:
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    until_still(page)
    for key in ["Shift+ArrowRight"] * 3 + ["ArrowUp"] * 4:
        page.keyboard.press(key)
    page.keyboard.press("Shift+Enter")
    until_still(page)
    state = from_link(link(page))
    assert [(round(x, 1), round(y, 1), c) for x, y, c in state.points] == [
        (-0.8, 0, -1),
        (0.7, 0.4, 1),
    ]
    page.keyboard.press("PageDown")
    assert focused(page) == "0"
    page.keyboard.press("ArrowUp")
    until_still(page)
    page.keyboard.press("ArrowUp")
    until_still(page)
    assert focused(page) == "0"
    assert from_link(link(page)).points[0][1] == pytest.approx(0.2)
    page.keyboard.press("PageDown")
    assert focused(page) == "1"
    page.keyboard.press("c")
    until_still(page)
    assert from_link(link(page)).points[1][2] == -1
    page.keyboard.press("c")
    until_still(page)
    page.keyboard.press("Delete")
    until_still(page)
    assert len(from_link(link(page)).points) == 1
    assert focused(page) == "0"
    page.keyboard.press("Control+z")
    until_still(page)
    assert len(from_link(link(page)).points) == 2
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowRight")
    assert shown(page)[0] == 1
    page.keyboard.press("m")
    page.keyboard.press("End")
    expect(page.locator(".said")).to_contain_text("Converged")
    page.keyboard.press("ArrowLeft")
    last = shown(page)[0]
    page.keyboard.press("Home")
    assert shown(page)[0] == 0
    page.get_by_label("Speed").select_option("very fast")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press(" ")
    page.wait_for_selector(f"#player .novikoff[data-step='{last + 1}']")


def test_keys_do_nothing_where_text_is_written(open_lab):
    page = open_lab("data=and", allowed=["422"])  # what is typed is no number
    page.get_by_label("Step η").focus()
    for key in ("End", "m", "ArrowRight", " "):
        page.keyboard.press(key)
    assert shown(page)[0] == 0
    page.get_by_role("button", name="Step").focus()
    page.keyboard.press(" ")  # presses the button, and does not play
    assert shown(page)[0] == 1
    page.wait_for_timeout(400)
    assert shown(page)[0] == 1


def test_a_screen_reader_finds_names_for_everything(open_lab):
    page = open_lab("data=separable&step=9")
    assert page.evaluate(UNNAMED) == []
    expect(
        page.get_by_role("button", name=f"point 9 of class {MINUS}1 at (1.7,\u00a0{MINUS}0.3)")
    ).to_be_visible()
    live = page.locator("#player [aria-live=polite]")
    page.get_by_role("button", name="Step").click()
    expect(live).to_contain_text("Epoch 1, visit 10: point 10 of class +1 has score")
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    assert page.evaluate("document.documentElement.lang") == "en"


@pytest.mark.parametrize("ground", ["light", "dark"])
@pytest.mark.parametrize("state", ["data=separable&step=9", "data=xor&step=7"])
def test_text_stands_out(open_lab, ground, state):
    """WCAG 2, level AA: a contrast of 4.5 for all text."""
    page = open_lab(state, color_scheme=ground)
    looked, poor = page.evaluate(POOR)
    assert looked > 60
    assert poor == []


# ------------------------------------------------------------- every view, to look at


VIEWS = {
    "separable": "data=separable&step=9",
    "xor": "data=xor&step=7",
    "slack": "data=outlier&slack=1.5&step=22",
    "margin": "data=separable&margin=1&step=30",
    "winnow": "data=or&learner=winnow&step=3",
    "averaged": "data=iris-versicolor-virginica&learner=averaged&max_iter=30&step=302",
    "voted": "data=barely&learner=voted&step=60",
    "unit_length": "data=separable&normalize=1&step=9",
    "empty": EMPTY,
}
SIZES = {"desk": (1440, 900), "phone": (390, 844)}


@pytest.mark.parametrize(("size", "ground"), [("desk", "light"), ("phone", "dark")])
def test_every_view_fits_its_window(open_lab, size, ground):
    """A picture of each is left in .cache/lab."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    width, height = SIZES[size]
    for name, state in VIEWS.items():
        page = open_lab(state, width, height, color_scheme=ground)
        page.screenshot(path=SHOTS / f"{name}_{size}_{ground}.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        assert page.evaluate(OUTSIDE) == [], name
        ground_colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (ground_colour == "rgb(255, 255, 255)") == (ground == "light")
        page.context.close()


def test_the_ground_can_be_chosen(open_lab):
    page = open_lab(color_scheme="light")
    page.get_by_label("dark", exact=True).check(force=True)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 28)"


# ------------------------------------------------------------- taking it along


def downloaded(page, name, tmp_path):
    with page.expect_download() as waiting:
        page.get_by_role("button", name=name, exact=True).click()
    path = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def test_pictures_and_programs_are_exported(open_lab, tmp_path):
    page = open_lab("data=separable&step=9")
    text = downloaded(page, "SVG", tmp_path).read_text()
    assert text.startswith("<svg")
    assert "point 9 of class" in text
    assert "var(" not in text
    assert "class=" not in text
    assert "data=separable" in text
    picture = downloaded(page, "PNG", tmp_path)
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert picture.stat().st_size > 20_000
    SHOTS.mkdir(parents=True, exist_ok=True)
    (SHOTS / "exported.png").write_bytes(picture.read_bytes())
    page.get_by_role("button", name="Python").click()
    code = page.locator("#code").inner_text()
    assert code == of_state(from_link("data=separable"))["code"].rstrip("\n") + "\n"
    assert downloaded(page, "Save", tmp_path).read_text() == page.locator("#code").text_content()
    page.keyboard.press("Escape")
    expect(page.locator("#code-dialog")).to_be_hidden()


def test_a_table_of_ones_own(open_lab, tmp_path):
    table = tmp_path / "mine.csv"
    table.write_text(
        "a,b,c,kind\n" + "".join(f"{i},{i * i % 7},{-i},{'xy'[i > 4]}\n" for i in range(10))
    )
    page = open_lab()
    page.get_by_role("button", name="A table of your own…").click()
    page.get_by_label("File").set_input_files(table)
    expect(page.get_by_role("combobox", name=f"Class {MINUS}1")).to_have_value("x")
    page.get_by_label("Up").select_option("c")
    page.get_by_role("button", name="Take these").click()
    until_still(page)
    state = from_link(link(page))
    assert (state.names, state.classes, len(state.points)) == (("a", "c"), ("x", "y"), 10)
    page.get_by_role("button", name="A table of your own…").click()
    page.get_by_label("Across").select_option("-1")
    expect(page.get_by_label("Up")).to_be_hidden()
    page.get_by_role("button", name="Take these").click()
    until_still(page)
    assert from_link(link(page)).names[0] == "1st principal direction"


def test_a_table_that_cannot_be_read_is_said_to_be(open_lab, tmp_path):
    page = open_lab(allowed=["422"])
    table = tmp_path / "mine.csv"
    table.write_text("a\n<img src=x onerror=alert(1)>\n")
    page.get_by_role("button", name="A table of your own…").click()
    page.get_by_label("File").set_input_files(table)
    expect(page.locator("#table-error")).to_contain_text("1 column, but 3 to 200 are needed")


def test_names_from_a_link_are_text_and_nothing_else(open_lab):
    evil = "points=0,0,n;1,1,p&names=%3Cimg src=x onerror=alert(1)%3E,b&classes=%3Cb%3Ea,c"
    page = open_lab(evil)
    expect(page.locator(".plane .axis").first).to_have_text("<img src=x onerror=alert(1)>")
    assert page.locator("img, .legend b").count() == 0


class Elsewhere(BaseHTTPRequestHandler):
    """Someone else's server, with an empty page."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()

    def log_message(self, *told):
        pass


@pytest.fixture
def evil():
    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}/"
        running.shutdown()


def test_another_web_page_cannot_drive_the_lab(browser, home, evil, monkeypatch):
    """A page of someone else, open in the same browser, asks in every way that it has."""
    answered, complaints, complaint = [], [], Guard._complaint

    def noted(guard, scope):
        complaints.append(complaint(guard, scope))
        return complaints[-1]

    monkeypatch.setattr(Guard, "_complaint", noted)
    monkeypatch.setattr(server, "answer", lambda *asked: answered.append(asked) or (200, "{}"))
    context = browser.new_context()
    page = context.new_page()
    page.goto(evil)
    assert page.evaluate(ATTACK, home) == ["refused"] * 4
    # two of the ways go to the lab at once, two ask for leave first
    assert sorted(status for status, _ in complaints) == [403, 403, 405, 405]
    assert answered == []
    page.evaluate(FRAME, home)
    page.wait_for_timeout(500)
    assert all(not frame.locator("#player").count() for frame in page.frames)
    context.close()


# ------------------------------------------------------------- in a notebook


def test_the_player_renders_as_a_widget_alone(browser):
    """As anywidget calls it: one module, one style sheet, no server."""
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]
    trace = novikoff.Perceptron(shuffle=False, record=True).fit(X, y).trace_
    frames = json.loads(json.dumps(of_trace(trace, classes=["no", "yes"]), allow_nan=False))
    context = browser.new_context(viewport={"width": 900, "height": 800})
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "console", lambda message: wrong.append(message.text) if message.type == "error" else None
    )
    page.on(
        "request",
        lambda request: wrong.append(request.url) if request.url.startswith("http") else None,
    )
    page.set_content(CELL)
    style = Path(novikoff.lab.__file__).parent / "static" / "player.css"
    page.add_style_tag(content=style.read_text())
    page.evaluate(RENDER, {"module": module(), "frames": frames})
    expect(page.locator(".said")).to_contain_text("Start: w = (0, 0)")
    page.get_by_role("button", name="Next mistake").click()
    assert page.evaluate("[model.get('step'), model.saved]") == [1, 1]
    page.locator(".novikoff").focus()
    page.keyboard.press("End")
    expect(page.locator(".said")).to_contain_text(
        "Converged: an epoch without a mistake. 18 mistakes"
    )
    bound = float(page.locator(".novikoff").get_attribute("data-bound"))
    assert bound == trace.proof().bound
    page.evaluate("model.tell('step', 4)")  # set from Python
    assert page.locator(".novikoff").get_attribute("data-step") == "4"
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / "widget.png", full_page=True)
    page.evaluate("forget()")
    assert page.locator(".novikoff").count() == 0
    assert page.evaluate("Object.values(model.listeners).flat().length") == 0
    assert wrong == []
    context.close()
