// One update as vector addition: the old weights, the step put at their tip, the new weights.

import { arrow, lineIn, marker, svg } from "./drawing.js";
import { signed } from "./words.js";

const SIZE = 300;

export class Vectors {
  constructor() {
    this.element = svg("svg", { class: "vectors", viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img" });
  }

  show(step) {
    const { old, now, x, sign } = step;
    const tips = [old, now, x, [0, 0]];
    const span = (j) => [Math.min(...tips.map((p) => p[j])), Math.max(...tips.map((p) => p[j]))];
    const ends = [span(0), span(1)];
    const half = 0.66 * Math.max(...ends.map(([low, high]) => high - low), 1e-9);
    const [cx, cy] = ends.map(([low, high]) => (low + high) / 2);
    const px = ([a, b]) => [SIZE / 2 + ((a - cx) / half) * (SIZE / 2), SIZE / 2 - ((b - cy) / half) * (SIZE / 2)];
    const corners = [[cx - half, cy - half], [cx + half, cy - half], [cx + half, cy + half], [cx - half, cy + half]];
    const parts = [];
    const [ox, oy] = px([0, 0]);
    parts.push(svg("line", { class: "zero", x1: 0, x2: SIZE, y1: oy, y2: oy }));
    parts.push(svg("line", { class: "zero", x1: ox, x2: ox, y1: 0, y2: SIZE }));
    for (const [w, name] of [[old, "before"], [now, "now"]]) {
      const line = lineIn(w, corners);
      if (!line) continue;
      const [[x1, y1], [x2, y2]] = line.map(px);
      parts.push(svg("line", { class: name, x1, y1, x2, y2 }));
    }
    const [ax, ay] = px(x);
    parts.push(svg("line", { class: "reach", x1: ox, y1: oy, x2: ax, y2: ay }));
    this.arrow(parts, px(old), px(now), "step", this.nameOfStep(step), [px([0, 0]), px(old), px(now)]);
    this.arrow(parts, px([0, 0]), px(old), "old", "w", [px([0, 0]), px(old), px(now)]);
    this.arrow(parts, px([0, 0]), px(now), "new", "w′", [px([0, 0]), px(old), px(now)]);
    parts.push(
      svg("g", { class: `point ${sign < 0 ? "negative" : "positive"}`, transform: `translate(${ax} ${ay})` }, marker(sign, 6)),
      svg("text", { class: "name", x: ax + (ax > SIZE - 30 ? -14 : 12), y: ay + 4 }, "x"),
    );
    this.element.replaceChildren(...parts);
    this.element.setAttribute("aria-label",
      "The update as vector addition: the old weights w, the step at their tip, and the new weights w′.");
  }

  nameOfStep({ step }) {
    if (Math.abs(step) === 1) return step > 0 ? "+x" : "−x";
    return `${signed(step)}·x`;
  }

  // Its name goes outside the triangle that the three of them make.
  arrow(parts, from, to, name, text, triangle) {
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const length = Math.hypot(dx, dy);
    if (length < 2) {
      parts.push(svg("circle", { class: `${name} nothing`, cx: to[0], cy: to[1], r: 4 }));
      const left = to[0] > 70;
      const place = { x: to[0] + (left ? -8 : 8), y: to[1] + (to[1] > SIZE - 30 ? -10 : 18), "text-anchor": left ? "end" : "start" };
      if (name === "old") parts.push(svg("text", { class: `name ${name}`, ...place }, `${text} = 0`));
      return;
    }
    const drawn = arrow(from, to, name === "step" ? 13 : 10);
    parts.push(svg("path", { class: `${name} shaft`, d: drawn.shaft }), svg("path", { class: `${name} head`, d: drawn.head }));
    const middle = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
    const centre = [0, 1].map((j) => (triangle[0][j] + triangle[1][j] + triangle[2][j]) / 3);
    let across = [-dy / length, dx / length];
    let outward = across[0] * (middle[0] - centre[0]) + across[1] * (middle[1] - centre[1]);
    if (Math.abs(outward) < 1) outward = name === "new" ? 1 : -1;
    if (outward < 0) across = across.map((v) => -v);
    const far = name === "step" ? 20 : 15;
    parts.push(svg("text", {
      class: `name ${name}`,
      x: Math.min(SIZE - 22, Math.max(22, middle[0] + far * across[0])),
      y: Math.min(SIZE - 8, Math.max(14, middle[1] + far * across[1] + 5)),
      "text-anchor": "middle",
    }, text));
  }
}
