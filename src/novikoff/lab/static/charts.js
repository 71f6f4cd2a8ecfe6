// The race of the proof, and the margin bracket, over the number of updates.

import { logTicks, scale, svg, ticks } from "./drawing.js";
import { number } from "./words.js";

const WIDE = 420;
const [LEFT, RIGHT, TOP, BOTTOM] = [52, 14, 10, 40];

// Some hundreds of places from 0 to n - 1: more would not be seen.
function thinned(n) {
  const step = Math.max(1, Math.ceil(n / 500));
  const places = [];
  for (let j = 0; j < n - 1; j += step) places.push(j);
  return [...places, n - 1];
}

class Chart {
  constructor(name, label, high) {
    this.high = high;
    this.element = svg("svg", { class: `chart ${name}`, viewBox: `0 0 ${WIDE} ${high}`, role: "img", "aria-label": label });
  }

  // Axes from these ranges, logarithmic or not.
  axes([x0, x1], [y0, y1], { logX = false, logY = false, y = "", word = "mistake" } = {}) {
    this.x = scale(x0, x1, LEFT, WIDE - RIGHT, logX);
    this.y = scale(y0, y1, this.high - BOTTOM, TOP, logY);
    const parts = [svg("rect", { class: "ground", x: LEFT, y: TOP, width: WIDE - LEFT - RIGHT, height: this.high - TOP - BOTTOM })];
    for (const v of logX ? logTicks(x0, x1) : ticks(x0, x1, 6).filter((n) => Number.isInteger(n))) {
      parts.push(
        svg("line", { class: "tick", x1: this.x(v), x2: this.x(v), y1: TOP, y2: this.high - BOTTOM }),
        svg("text", { x: this.x(v), y: this.high - BOTTOM + 15, "text-anchor": "middle" }, number(v)),
      );
    }
    for (const v of logY ? logTicks(y0, y1) : ticks(y0, y1, 4)) {
      parts.push(
        svg("line", { class: "tick", y1: this.y(v), y2: this.y(v), x1: LEFT, x2: WIDE - RIGHT }),
        svg("text", { x: LEFT - 5, y: this.y(v) + 4, "text-anchor": "end" }, number(v)),
      );
    }
    parts.push(
      svg("text", { class: "axis", x: (LEFT + WIDE - RIGHT) / 2, y: this.high - 5, "text-anchor": "middle" }, `${word}s k`),
      svg("text", { class: "axis", x: 11, y: this.high / 2, "text-anchor": "middle", transform: `rotate(-90 11 ${this.high / 2})` }, y),
    );
    this.element.replaceChildren(...parts);
  }

  path(xs, ys, name, { stairs = false } = {}) {
    let d = "";
    xs.forEach((v, j) => {
      const at = [this.x(v), this.y(ys[j])];
      if (!at.every(Number.isFinite)) return;
      const [px, py] = at.map((n) => n.toFixed(2));
      if (d && stairs) d += `H${px}V${py}`;
      else d += `${d ? "L" : "M"}${px} ${py}`;
    });
    if (d) this.element.append(svg("path", { class: name, d }));
  }

  dot(x, y, name) {
    const [cx, cy] = [this.x(x), this.y(y)];
    if ([cx, cy].every(Number.isFinite)) this.element.append(svg("circle", { class: name, cx, cy, r: 4.5 }));
  }
}

// The four quantities of the theorem: those of the run so far are strong, the rest is faint.
export class Race extends Chart {
  constructor() {
    super("race", "The four quantities of Novikoff's proof over k", 240);
  }

  show(theorem, k, word) {
    const { curves, least, progress, length, most } = theorem;
    const log = curves.log;
    const end = curves.k[curves.k.length - 1];
    const inside = log ? (values) => values.filter((v) => v > 0) : (values) => values;
    const all = inside([...curves.least, ...curves.most, ...progress, ...length]);
    const range = [Math.min(...all), Math.max(...all)];
    const y = log ? [range[0] * 0.8, range[1] * 1.2] : [Math.min(0, range[0]), range[1] * 1.04 || 1];
    this.axes([log ? 1 : 0, end], y, { logX: log, logY: log, y: "progress and length", word });
    const ks = thinned(length.length);
    const of = (places, values) => places.map((j) => values[j]);
    if (curves.crossing !== null) {
      const x = this.x(curves.crossing);
      this.element.append(
        svg("rect", { class: "beyond", x, y: TOP, width: WIDE - RIGHT - x, height: this.high - TOP - BOTTOM }),
        svg("line", { class: "crossing", x1: x, x2: x, y1: TOP, y2: this.high - BOTTOM }),
        svg("text", { class: "beyond", transform: `translate(${x - 4} ${this.high - BOTTOM - 6}) rotate(-90)` }, `no ${word} past here`),
      );
    }
    this.path(curves.k, curves.most, "of-most");
    this.path(curves.k, curves.least, "of-least");
    this.path(ks, of(ks, length), "of-length faint");
    this.path(ks, of(ks, progress), "of-progress faint");
    const so = [...ks.filter((j) => j < k), k];
    this.path(so, of(so, length), "of-length");
    this.path(so, of(so, progress), "of-progress");
    for (const [values, name] of [[most, "most"], [length, "length"], [progress, "progress"], [least, "least"]]) {
      this.dot(k, values[k], `now of-${name}`);
    }
  }
}

// Both ends of the margin bracket, the best so far.
export class Narrowing extends Chart {
  constructor() {
    super("narrowing", "The margin bracket over k", 180);
  }

  show(bracket, margin, k, word) {
    const { k: ks, lower, upper } = bracket;
    const top = Math.max(...upper, margin || 0) * 1.06 || 1;
    const end = Math.max(2, ks[ks.length - 1] || 0);
    const log = end > 30;
    this.axes([log ? 1 : 0, end], [0, top], { logX: log, y: "margin", word });
    const now = ks.filter((v) => v <= k).length;
    if (margin) {
      this.element.append(svg("line", { class: "margin", x1: LEFT, x2: WIDE - RIGHT, y1: this.y(margin), y2: this.y(margin) }));
    }
    for (const [values, name] of [[upper, "upper"], [lower, "lower"]]) {
      this.path(ks, values, `${name} faint`, { stairs: true });
      this.path(ks.slice(0, now), values.slice(0, now), name, { stairs: true });
      if (now) this.dot(ks[now - 1], values[now - 1], `now ${name}`);
    }
  }
}
