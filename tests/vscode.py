"""What VS Code does with a widget, around its own widget manager, which Microsoft publishes.

The manager is the part of VS Code's Jupyter extension that opens comms, loads the code of
widgets and shows them. Here a page has it, and a kernel that passes every message on to the
Python of the tests.
"""

from importlib.resources import files

import comm
from comm.base_comm import BaseComm

from notebooks import packed

MANAGER = ("@vscode/jupyter-ipywidgets8", "1.0.9", "dist/ipywidgets.js")
LOADER = ("requirejs", "2.3.8", "require.js")
HOME = "http://vscode.invalid/"

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>VS Code's widgets</title>
<script src="loader.js"></script>
<body class="vscode-THEME"><div id="output"></div></body></html>"""

HOST = """async (home) => {
    requirejs.config({ baseUrl: home });
    const { activate } = await import(`${home}manager.js`);
    activate();
    window.vscIPyWidgets8.load();
    const silent = { connect() {}, disconnect() {} };
    const comms = {}, targets = {}, wrong = window.wrong = [];
    let asked = 0;
    window.pending = 0;
    window.receive = async (messages, parent = {}) => {
        for (const { type, id, target, data, metadata } of messages) {
            const header = { msg_type: type, msg_id: `python-${++asked}` };
            const content = { comm_id: id, target_name: target, data };
            const message = { header, parent_header: parent, metadata, content, buffers: [] };
            if (type === "comm_open") {
                comms[id] = kernel.createComm(target, id);
                await targets[target](comms[id], message);
            } else await comms[id].onMsg(message);
        }
    };
    const kernel = {
        id: "kernel", name: "python3", username: "", clientId: "page", status: "idle",
        handleComms: true,
        statusChanged: silent, connectionStatusChanged: silent, iopubMessage: silent,
        unhandledMessage: silent, anyMessage: silent, disposed: silent, pendingInput: silent,
        registerCommTarget: (name, opened) => { targets[name] = opened; },
        removeCommTarget: (name) => { delete targets[name]; },
        requestCommInfo: async () => ({ content: { comms: {} } }),
        createComm: (targetName, commId) => ({
            targetName, commId, onMsg() {}, onClose() {}, open() {}, close() {},
            send(data) {
                const header = { msg_type: "comm_msg", msg_id: `page-${++asked}` };
                const future = { msg: { header } };
                window.pending += 1;
                window.to_python({ id: commId, data }).then(async (answers) => {
                    await window.receive(answers, header);
                    const idle = { execution_state: "idle" };
                    const status = { header: { msg_type: "status" }, content: idle };
                    await future.onIOPub?.({ ...status, parent_header: header });
                    window.pending -= 1;
                });
                return future;
            },
        }),
    };
    const loader = {
        widgetsRegisteredInRequireJs: new Set(),
        loadWidgetScript: async (name) => loader.widgetsRegisteredInRequireJs.add(name),
        successHandler() {},
        errorHandler: (...what) => wrong.push(what.map(String).join(" ")),
    };
    const output = document.querySelector("#output");
    const manager = new window.vscIPyWidgets.WidgetManager(kernel, output, loader, () => {});
    window.display = async (id) => {
        const model = await manager.get_model(id);
        const view = await manager.create_view(model, { el: output });
        await manager.display_view(null, view, { node: output });
    };
}"""


class Wire:
    """The comms of Python's widgets: what they send is kept until the page fetches it."""

    def __init__(self, monkeypatch):
        self.sent, self.comms = [], {}
        wire = self

        class Comm(BaseComm):
            def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
                assert not buffers
                wire.comms[self.comm_id] = self
                wire.sent.append(
                    {
                        "type": msg_type,
                        "id": self.comm_id,
                        "target": self.target_name,
                        "data": data or {},
                        "metadata": metadata or {},
                    }
                )

        monkeypatch.setattr(comm, "create_comm", lambda **keys: Comm(**keys))

    def fetched(self):
        messages, self.sent = self.sent, []
        return messages

    def told(self, message):
        """Give a message of the page to the widget that it is for; what Python answers."""
        content = {"comm_id": message["id"], "data": message["data"]}
        self.comms[message["id"]].handle_msg({"content": content, "buffers": []})
        return self.fetched()


def open_page(context, theme, wire):
    """A page with VS Code's widget manager, connected to Python; it can load nothing else."""
    texts = {
        "": (PAGE.replace("THEME", theme), "text/html"),
        "loader.js": (packed(*LOADER), "text/javascript"),
        "manager.js": (packed(*MANAGER), "text/javascript"),
        "anywidget.js": (
            files("anywidget").joinpath("nbextension", "index.js").read_text("utf-8"),
            "text/javascript",
        ),
    }

    def answer(route):
        text, kind = texts.get(route.request.url.removeprefix(HOME), (None, None))
        if text is None:
            route.abort()
        else:
            route.fulfill(body=text, content_type=f"{kind}; charset=utf-8")

    context.route("**/*", answer)
    page = context.new_page()
    page.expose_function("to_python", wire.told)
    page.goto(HOME)
    page.evaluate(HOST, HOME)
    return page
