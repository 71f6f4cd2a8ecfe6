"""Only the lab's own page can talk to the lab, and it can reach nothing else through it."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread
from urllib.request import Request, urlopen

import pytest

from asgi import Client
from commands import command, run
from forks import Popen
from novikoff.errors import ParameterError
from novikoff.lab import server
from novikoff.lab.guard import LARGEST, Guard
from novikoff.lab.server import LOOPBACK, application, bound

HOST = "127.0.0.1:1962"
HOME = f"http://{HOST}"
XOR = {"state": "data=xor"}


@pytest.fixture(scope="module")
def app():
    return application()


@pytest.fixture
def page(app):
    """The lab's own page, which sends its origin."""
    return Client(app, host=HOST, origin=HOME)


@pytest.fixture
def stranger(app):
    """Someone who sends no origin, as typing an address does."""
    return Client(app, host=HOST)


# ------------------------------------------------------------- what it answers


def test_the_page_and_its_parts(stranger):
    front = stranger.get("/")
    assert front.status_code == 200
    assert "novikoff" in front.text
    for name in ("lab.js", "player.js", "player.css", "lab.css", "words.js", "icon.svg"):
        assert stranger.get(f"/{name}").status_code == 200
    assert stranger.get("/api/presets").json()["presets"][0]["name"] == "separable"


def test_nothing_of_the_page_is_from_elsewhere():
    static = Path(server.__file__).parent / "static"
    for path in static.iterdir():
        text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text, path.name
        assert "https:" not in text, path.name
        assert " style=" not in text, path.name  # the policy forbids it


def test_a_state_is_shown(page):
    shown = page.post("/api/run", XOR)
    assert shown.status_code == 200
    assert shown.json()["verdict"]["exact"] == ["1/4"] * 4


def test_a_table_becomes_a_link(page):
    table = "a,b,y\n1,2,p\n2,1,q\n"
    columns = page.post("/api/columns", {"table": table}).json()
    assert columns["label"] == 2
    chosen = {"table": table, "label": 2, "first": "p", "second": "q", "x": 0, "y": 1}
    link = page.post("/api/choose", chosen).json()["link"]
    assert link == "points=1,2,n;2,1,p&names=a,b&classes=p,q"


# ------------------------------------------------------------- who may ask


@pytest.mark.parametrize("host", ["127.0.0.1:1962", "localhost:1962", "[::1]:1962", "LOCALHOST"])
def test_its_own_names(stranger, host):
    assert stranger.get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:1962",
        "127.0.0.1.evil.example",
        "localhost.evil.example:1962",
        "127.0.0.1:1962@evil.example",
        "localhost:evil",
        "192.168.0.7:1962",
        "",
        "[::1",
        "[evil]:1962",
    ],
)
def test_a_name_bound_anew_to_this_machine_is_refused(stranger, page, host):
    """DNS rebinding: the browser thinks it talks to the other page, and says so."""
    assert stranger.get("/", headers={"host": host}).status_code == 421
    headers = {"host": host, "origin": f"http://{host}"}
    assert page.post("/api/run", XOR, headers=headers).status_code == 421


def test_a_request_has_one_host(app, stranger):
    assert stranger.get("/", headers={"host": None}).status_code == 421
    twice = Client(app, host=HOST, Host="evil.example")
    assert twice.get("/").status_code == 421


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "https://127.0.0.1:1962",
        "http://127.0.0.1",
        "http://127.0.0.1:1963",
        "http://localhost:1962",
        "http://127.0.0.1:1962.evil.example",
        "",
    ],
)
def test_other_pages_may_not_ask(page, origin):
    reply = page.post("/api/run", XOR, headers={"origin": origin})
    assert reply.status_code == 403
    assert "access-control-allow-origin" not in reply.headers


def test_what_names_no_origin_may_not_ask(stranger):
    assert stranger.post("/api/run", XOR).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_what_comes_from_another_site_may_not_ask(page, site):
    reply = page.post("/api/run", XOR, headers={"sec-fetch-site": site})
    assert reply.status_code == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_what_a_form_can_send_is_no_question(page, kind):
    reply = page.post("/api/run", XOR, headers={"content-type": kind})
    assert reply.status_code == 415


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(page, method):
    assert page.request(method, "/api/run").status_code == 405


def test_every_answer_is_sealed(page, stranger):
    answers = [
        stranger.get("/"),
        stranger.get("/nothing"),
        stranger.get("/", headers={"host": "evil.example"}),
        page.post("/api/run", XOR),
        page.post("/api/run", content=b"{"),
    ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"


def test_a_lab_for_others_takes_numbers_and_its_own_names():
    guard = Guard(None, frozenset({*LOOPBACK, "lecture.example"}), any_address=True)
    for host in ("192.168.0.7:1962", "[fe80::1]:1962", "lecture.example:1962", "localhost"):
        assert guard.knows(host), host
    for host in ("evil.example:1962", "192.168.0.7.evil.example", "192.168.0"):
        assert not guard.knows(host), host


# ------------------------------------------------------------- what it accepts


def test_large_requests_are_refused(page):
    reply = page.post("/api/run", content=b" " * (LARGEST + 1))
    assert reply.status_code == 413
    drops = [b" " * 2**16] * (LARGEST // 2**16 + 1)  # of a length that is not announced
    assert page.post("/api/run", content=drops).status_code == 413
    for length in ("-1", "1e3", str(10**30), "9" * 5000):
        reply = page.post("/api/run", content=b"", headers={"content-length": length})
        assert reply.status_code == 413


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff", b'{"state": NaN}', b'{"state": Infinity}', b"[" * 100_000]
)
def test_what_is_not_json_is_refused(page, body):
    reply = page.post("/api/run", content=body)
    assert reply.status_code == 400
    assert reply.json() == {"error": "The question is not JSON."}


@pytest.mark.parametrize(
    "told",
    [
        None,
        [],
        "data=xor",
        {},
        {"state": 1},
        {"state": None},
        {"state": ["data=xor"]},
        {"state": "data=xor", "path": "/etc/passwd"},
        {"state": "points=nan,0,p"},
        {"state": "points=1,2,p;" * 600},
        {"state": "data=../../etc/passwd"},
        {"state": "\ud800"},
    ],
)
def test_questions_without_a_meaning_are_refused(page, told):
    reply = page.post("/api/run", told)
    assert reply.status_code == 422
    assert reply.json()["error"]


def test_a_flag_is_no_number(page):
    told = {"table": "", "label": True, "first": "p", "second": "q", "x": 0, "y": 1}
    reply = page.post("/api/choose", told)
    assert reply.status_code == 422
    assert reply.json()["error"] == "label must be of the type int."


# ------------------------------------------------------------- what it cannot reach


@pytest.mark.parametrize(
    "path",
    [
        "/../server.py",
        "/%2e%2e/server.py",
        "/..%2fserver.py",
        "/static/../../server.py",
        "/static/index.html",
        "//etc/passwd",
        "/lab.js/../../state.py",
        "/__init__.py",
        "/%00",
        "/lab.js%00.html",
        "/api/run/../../state.py",
        "/C:/windows",
    ],
)
def test_no_path_leads_to_a_file(stranger, path):
    assert stranger.get(path).status_code in (404, 405)


opened = []


def watch(event, arguments):
    if event == "open" and opened is not None and watching:
        opened.append(arguments[0])


watching = False
sys.addaudithook(watch)


def test_no_question_opens_a_file(page, stranger):
    """Once everything is compiled and loaded."""
    global watching
    table = {"table": "a,b,y\n/etc/passwd,2,p\n2,1,q\n3,4,p\n"}

    def all_questions():
        page.post("/api/run", {"state": "data=iris-setosa-versicolor&learner=averaged"})
        page.post("/api/run", {"state": "data=/etc/passwd"})
        page.post("/api/columns", table)
        for name in ("/", "/lab.js", "/api/presets", "/../server.py"):
            stranger.get(name)

    all_questions()
    opened.clear()
    watching = True
    try:
        all_questions()
    finally:
        watching = False
    assert opened == []


# ------------------------------------------------------------- the command


def test_the_command_serves_until_it_is_stopped(tmp_path):
    pytest.importorskip("uvicorn")
    process = Popen(
        command("lab", "--port", 0, "--no-browser"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    try:
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        question = Request(
            f"{url}api/run",
            json.dumps(XOR).encode(),
            {"content-type": "application/json", "origin": url.rstrip("/")},
        )
        with urlopen(question, timeout=120) as reply:
            assert json.load(reply)["verdict"]["verdict"] == "inseparable"
            assert "server" not in reply.headers
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
        assert process.returncode == 0, said
        assert "Ctrl-C closes it" in said
        assert "Traceback" not in said
    finally:
        process.kill()
        process.communicate()
    assert os.listdir(tmp_path) == []


def test_a_port_that_is_taken_is_said_to_be():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        finished = run("lab", "--no-browser", "--port", taken.getsockname()[1])
    assert finished.returncode == 2
    assert "Is it running already? Choose another --port" in finished.stderr
    assert "Traceback" not in finished.stderr


def test_an_address_of_another_machine_is_said_to_be():
    finished = run("lab", "--no-browser", "--host", "192.0.2.1", "--port", 0)
    assert finished.returncode == 2
    assert "Give an address of this machine as --host" in finished.stderr
    assert "running already" not in finished.stderr


def test_a_socket_that_cannot_listen_is_closed():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ParameterError) as error:
            bound("127.0.0.1", taken.getsockname()[1])
    tried = error.traceback[-1].frame.f_locals["found"]
    assert tried.fileno() == -1


def test_only_this_machine_can_reach_it():
    with bound("127.0.0.1", 0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"


def test_without_the_extra_it_says_which():
    program = (
        "import sys\nsys.modules['uvicorn'] = None\n"
        "from novikoff.cli import main\nsys.exit(main(['lab', '--no-browser']))"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=120
    )
    assert finished.returncode == 2
    assert "pip install 'novikoff[lab]'" in finished.stderr


def test_without_its_extra_the_player_says_which():
    program = (
        "import sys\nsys.modules['anywidget'] = None\nfrom novikoff import Perceptron\n"
        "Perceptron(record=True).fit([[0, 1], [1, 0]], [0, 1]).trace_.player()"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=120
    )
    assert "pip install 'novikoff[notebook]'" in finished.stderr


def test_idle_connections_keep_nobody_out(monkeypatch):
    """More than may be open at a time, and none of them asks for anything."""
    monkeypatch.setattr(server, "PATIENCE", 0.3)
    known, address = Event(), []
    ready = lambda url: (address.append(url), known.set())  # noqa: E731
    Thread(target=server.serve, kwargs={"port": 0, "ready": ready}, daemon=True).start()
    assert known.wait(60)
    port = int(address[0].rstrip("/").rsplit(":", 1)[1])
    idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(70)]
    for one in idle:
        one.settimeout(60)
        assert one.recv(1) == b""  # it was closed at the other end
        one.close()
    with urlopen(address[0], timeout=60) as answer:
        assert answer.status == 200
