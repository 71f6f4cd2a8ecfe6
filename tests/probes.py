"""What tests ask of a page in its own language."""

PLACE = """([x, y, [vx, vy, side]]) => {
    const box = document.querySelector(".plane").getBoundingClientRect();
    const frame = document.querySelector(".plane .frame").getBBox();
    const unit = box.width / 600;
    return [box.left + unit * (frame.x + frame.width * (x - vx) / side),
            box.top + unit * (frame.y + frame.height * (1 - (y - vy) / side))];
}"""
"""Where on the screen a point of the plane is."""

DRAWN = """() => {
    const layers = [...document.querySelectorAll(".plane > g:not(.points)")];
    const points = [...document.querySelectorAll(".points [data-point]")];
    const told = (point) => [point.getAttribute("transform"), point.getAttribute("aria-label")];
    return [layers.map((layer) => layer.innerHTML), points.map(told)];
}"""
"""The picture in the plane, but for what is chosen or has the focus."""

FOCUSED = """() => {
    const point = document.activeElement.closest("[data-point]");
    return point ? point.dataset.point : document.activeElement.getAttribute("class");
}"""

UNNAMED = """() => {
    const parts = "button, input, select, svg[role], [role=img], [role=button], [role=meter]";
    const named = (e) => e.ariaLabel || e.textContent.trim()
        || [...(e.labels || [])].some((label) => label.textContent.trim());
    return [...document.querySelectorAll(parts)]
        .filter((e) => e.checkVisibility() && !named(e)).map((e) => e.outerHTML);
}"""
"""What a screen reader would have no name for."""

OUTSIDE = """() => [...document.querySelectorAll("body *")]
    .filter((e) => e.checkVisibility() && !e.closest(".unseen, .skip, dialog"))
    .filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
    .map((e) => e.outerHTML.slice(0, 80))
"""
"""What does not fit into the window."""

POOR = """(root) => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const parsed = (text) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = text;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
        .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, j) => sum + v * [0.2126, 0.7152, 0.0722][j], 0);
    const ground = (element) => {
        for (let e = element; e; e = e.parentElement) {
            const colour = parsed(getComputedStyle(e).backgroundColor);
            if (colour[3] === 255) return colour;
        }
        return parsed(getComputedStyle(document.documentElement).backgroundColor);
    };
    const walker = document.createTreeWalker(root || document.body, NodeFilter.SHOW_TEXT);
    const poor = [];
    let looked = 0;
    while (walker.nextNode()) {
        const [text, element] = [walker.currentNode.textContent, walker.currentNode.parentElement];
        if (!text.trim() || !element.checkVisibility()) continue;
        if (element.closest(":disabled, [aria-disabled=true], option, script, .unseen")) continue;
        const style = getComputedStyle(element);
        const colour = parsed(element.closest("svg") ? style.fill : style.color);
        const [a, b] = [colour, ground(element)].map(light);
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        looked += 1;
        if (ratio < 4.5) poor.push(`${ratio.toFixed(2)}: ${text}`);
    }
    return [looked, poor];
}"""
"""How many texts there are, and which do not stand out from their ground by 4.5 to 1."""

STYLES = """(root) => {
    const looked = ["display", "color", "backgroundColor", "fontSize", "fontWeight", "fontFamily",
        "fontStyle", "lineHeight", "textAlign", "textTransform", "letterSpacing", "boxShadow",
        "margin", "padding", "borderRadius", "opacity", "overflow", "stroke", "fill",
        "strokeWidth"];
    const sides = ["Top", "Right", "Bottom", "Left"];
    const borders = (style) => sides.map((side) => {
        const of = (what) => style[`border${side}${what}`];
        const [width, kind, colour] = [of("Width"), of("Style"), of("Color")];
        return width === "0px" ? "none" : `${width} ${kind} ${colour}`;
    }).join(", ");
    return [...root.querySelectorAll("*:not(input, option)")].map((e) => {
        const style = getComputedStyle(e);
        const told = looked.map((name) => `${name}: ${style[name]}`);
        return [`${e.tagName} ${e.getAttribute("class")}`, ...told, `borders: ${borders(style)}`];
    });
}"""
"""How everything in an element looks, but for what follows from its width, and for parts that
browsers draw.
"""

ATTACK = """async (home) => {
    const body = JSON.stringify({ state: "data=xor" });
    const json = { "content-type": "application/json" };
    const ways = [
        { method: "POST", body, headers: json },
        { method: "POST", body, headers: { "content-type": "text/plain" } },
        { method: "POST", body, mode: "no-cors" },
        { method: "PUT", body, headers: json },
    ];
    const tried = ways.map(async (way) => {
        try {
            const answer = await fetch(`${home}api/run`, way);
            return (await answer.text()) || (answer.type === "opaque" ? "refused" : "answered");
        } catch {
            return "refused";
        }
    });
    return Promise.all(tried);
}"""
"""Ask the lab from another page; what a page may not see of an answer it was refused."""

FRAME = """(home) => {
    const frame = document.createElement("iframe");
    frame.src = home;
    document.body.append(frame);
}"""

CELL = """<!doctype html>
<html lang="en"><meta charset="utf-8"><body><div id="cell"></div></body></html>"""

RENDER = """async ({ module, frames }) => {
    const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
    const { default: widget } = await import(address);
    const values = { frames, step: 0 };
    const listeners = {};
    window.model = {
        saved: 0,
        get: (name) => values[name],
        set: (name, value) => { values[name] = value; },
        save_changes: () => { window.model.saved += 1; },
        on: (event, f) => { (listeners[event] ||= []).push(f); },
        off: (event, f) => { listeners[event] = listeners[event].filter((g) => g !== f); },
        tell: (name, value) => {
            values[name] = value;
            listeners[`change:${name}`].forEach((f) => f());
        },
        listeners,
    };
    const el = document.querySelector("#cell");
    window.forget = await widget.render({ model: window.model, el });
}"""
"""Do what anywidget does."""
