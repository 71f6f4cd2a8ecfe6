// The plane: points, the line as it stands, and the verdict.

import { halfPlane, lineIn, marker, svg, ticks } from "./drawing.js";
import { nameOfPoint, number, stepOf, vector } from "./words.js";

export const SIZE = 600;
const [LEFT, RIGHT, TOP, BOTTOM] = [58, 12, 12, 58];
const INNER = SIZE - LEFT - RIGHT;

// The square that has all points in it, the origin too if it is near; or the one that was asked for.
export function viewOf(frames) {
  const all = [...frames.points, ...(frames.seen || [])];
  const span = (j) => [Math.min(...all.map((p) => p[j])), Math.max(...all.map((p) => p[j]))];
  const ends = all.length ? [span(0), span(1)] : [[0, 0], [0, 0]];
  if (frames.view) {
    const [x, y, side] = frames.view;
    const inside = ends.every(([low, high], j) => low >= [x, y][j] && high <= [x, y][j] + side);
    if (inside || !all.length) return { x, y, side };
  }
  const spread = Math.max(...ends.map(([low, high]) => high - low));
  const size = Math.max(...ends.flat().map(Math.abs));
  if (spread <= 1e-6 * size || !spread) {
    const side = 2 * Math.max(3, 1.2 * size);
    return { x: -side / 2, y: -side / 2, side };
  }
  const withOrigin = ends.map(([low, high]) => [Math.min(low, 0), Math.max(high, 0)]);
  const near = Math.max(...withOrigin.map(([low, high]) => high - low)) <= 1.6 * spread;
  const kept = near ? withOrigin : ends;
  const wide = Math.max(...kept.map(([low, high]) => high - low)) * 1.24;
  const fine = 10 ** Math.floor(Math.log10(wide)) / 20;
  const round = (v) => Number((Math.round(v / fine) * fine).toPrecision(12));
  const side = round(wide + fine / 2);
  const [x, y] = kept.map(([low, high]) => round((low + high) / 2 - side / 2));
  return { x, y, side };
}

export class Plane {
  constructor() {
    this.layers = {};
    this.element = svg("svg", {
      class: "plane",
      viewBox: `0 0 ${SIZE} ${SIZE}`,
      role: "group",
    });
    this.clip = `clip-${Math.random().toString(36).slice(2)}`;
    const frame = { x: LEFT, y: TOP, width: INNER, height: INNER };
    this.element.append(
      svg("defs", {}, svg("clipPath", { id: this.clip }, svg("rect", frame))),
      svg("rect", { class: "ground", ...frame }),
    );
    for (const name of ["mesh", "sides", "band", "lines", "seen", "points", "rings", "marks"]) {
      const clipped = ["sides", "band", "lines"].includes(name);
      this.layers[name] = svg("g", { class: name, "clip-path": clipped ? `url(#${this.clip})` : null });
      if (name !== "points") this.layers[name].setAttribute("aria-hidden", "true");
      this.element.append(this.layers[name]);
    }
    this.element.append(svg("rect", { class: "frame", ...frame }));
  }

  px([x, y]) {
    const { view } = this;
    return [
      LEFT + ((x - view.x) / view.side) * INNER,
      TOP + (1 - (y - view.y) / view.side) * INNER,
    ];
  }

  // From pixels of the picture back to the plane.
  at(px, py) {
    const { view } = this;
    return [
      view.x + ((px - LEFT) / INNER) * view.side,
      view.y + (1 - (py - TOP) / INNER) * view.side,
    ];
  }

  corners() {
    const { x, y, side } = this.view;
    return [[x, y], [x + side, y], [x + side, y + side], [x, y + side]];
  }

  // Draw everything: new points, new run.
  show(frames) {
    this.frames = frames;
    if (!this.frozen) this.view = viewOf(frames);
    const what = `Plane with ${frames.points.length} points`;
    this.element.setAttribute("aria-label", what);
    this.drawGrid();
    this.drawPoints();
  }

  drawGrid() {
    const { x, y, side } = this.view;
    const parts = [];
    for (const v of ticks(x, x + side)) {
      const [px] = this.px([v, 0]);
      parts.push(svg("line", { x1: px, x2: px, y1: TOP, y2: TOP + INNER, class: v === 0 ? "zero" : "" }));
      parts.push(svg("text", { x: px, y: TOP + INNER + 20, "text-anchor": "middle" }, number(v)));
    }
    for (const v of ticks(y, y + side)) {
      const [, py] = this.px([0, v]);
      parts.push(svg("line", { y1: py, y2: py, x1: LEFT, x2: LEFT + INNER, class: v === 0 ? "zero" : "" }));
      parts.push(svg("text", { x: LEFT - 6, y: py + 5, "text-anchor": "end" }, number(v)));
    }
    const [first, second] = this.frames.names.map((name) => ({ x1: "x₁", x2: "x₂" })[name] || name);
    const middle = TOP + INNER / 2;
    parts.push(
      svg("text", { class: "axis", x: LEFT + INNER / 2, y: SIZE - 8, "text-anchor": "middle" }, first),
      svg("text", { class: "axis", x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})` }, second),
    );
    this.layers.mesh.replaceChildren(...parts);
  }

  drawPoints() {
    const { points, signs, seen } = this.frames;
    const size = points.length > 60 ? 5.5 : 7;
    const shown = points.map((p, i) => {
      const [px, py] = this.px(p);
      return svg("g", {
        class: `point ${signs[i] < 0 ? "negative" : "positive"}${seen ? " given" : ""}`,
        transform: `translate(${px} ${py})`,
        "data-point": i,
        role: "img",
        "aria-label": `${nameOfPoint(this.frames, i)} at ${vector(p)}`,
      }, svg("circle", { class: "hold", r: 2.3 * size }), marker(signs[i], size));
    });
    this.layers.points.replaceChildren(...shown);
    this.layers.seen.replaceChildren(...(seen || []).flatMap((p, i) => {
      const [px, py] = this.px(p);
      const [ox, oy] = this.px(points[i]);
      return [
        svg("line", { class: "tie", x1: ox, y1: oy, x2: px, y2: py }),
        svg("g", { class: `point ${signs[i] < 0 ? "negative" : "positive"}`, transform: `translate(${px} ${py})` },
          marker(signs[i], size * 0.8)),
      ];
    }));
  }

  // Draw what depends on the step.
  at_step(t, { verdict = true } = {}) {
    const { frames } = this;
    const clear = ["sides", "band", "lines", "rings", "marks"];
    for (const name of clear) this.layers[name].replaceChildren();
    if (!frames.weights) return;
    const step = stepOf(frames, t);
    const w = step ? step.now : frames.weights[0];
    if (verdict) this.drawVerdict();
    const mean = frames.mean && t > 0 ? frames.mean[t - 1] : null;
    this.drawSides(mean || w);
    if (frames.kind === "VotedPerceptron") this.drawVoters(t);
    if (step && step.update) this.line(step.old, "before");
    this.line(w, mean ? "now beside" : "now");
    if (mean) this.line(mean, "mean");
    if (step) this.drawVisited(step);
  }

  line(w, name, opacity = null) {
    const ends = lineIn(w, this.corners());
    if (!ends) return;
    const [[x1, y1], [x2, y2]] = ends.map((p) => this.px(p));
    this.layers.lines.append(svg("line", { class: name, x1, y1, x2, y2, "stroke-opacity": opacity }));
  }

  polygon(corners, name) {
    const text = corners.map((p) => this.px(p).map((v) => v.toFixed(2)).join(",")).join(" ");
    return svg("polygon", { class: name, points: text });
  }

  drawSides(w) {
    if (!w[0] && !w[1]) return;
    const corners = this.corners();
    this.layers.sides.append(
      this.polygon(halfPlane(w, corners), "positive"),
      this.polygon(halfPlane(w.map((v) => -v), corners), "negative"),
    );
  }

  // The widest band, or the points whose multipliers prove that there is none.
  drawVerdict() {
    const { verdict, seen, points } = this.frames;
    if (verdict.band) {
      const [a, b, c] = verdict.band;
      const m = verdict.margin[0];
      const inside = halfPlane([-a, -b, m - c], halfPlane([a, b, m + c], this.corners()));
      this.layers.band.append(this.polygon(inside, "widest"));
      for (const offset of [-m, m]) {
        const ends = lineIn([a, b, c + offset], this.corners());
        if (!ends) continue;
        const [[x1, y1], [x2, y2]] = ends.map((p) => this.px(p));
        this.layers.band.append(svg("line", { x1, y1, x2, y2 }));
      }
    }
    if (verdict.touching) this.line(verdict.touching, "touching");
    const proves = verdict.verdict !== "separable";
    const labels = [];
    verdict.rows.forEach((i, j) => {
      const [cx, cy] = this.px((seen || points)[i]);
      this.layers.rings.append(svg("circle", { class: proves ? "proves" : "holds", cx, cy, r: proves ? 13 : 12 }));
      if (!proves) return;
      // above the point, or below, or nowhere if other labels are in the way: the table has all
      const free = (y) => y > TOP + 14 && y < SIZE - BOTTOM && !labels.some(([a, b]) => Math.abs(a - cx) < 76 && Math.abs(b - y) < 17);
      const y = [cy - 18, cy + 30].find(free);
      if (y === undefined) return;
      labels.push([cx, y]);
      this.layers.rings.append(svg("text", { x: cx, y, "text-anchor": "middle" }, `p = ${verdict.exact[j]}`));
    });
  }

  // Every line so far, the stronger the longer it survived.
  drawVoters(t) {
    const { before, update } = this.frames.visits;
    const survived = new Map();
    for (let j = 0; j < t; j += 1) {
      const k = before[j] + update[j];
      survived.set(k, (survived.get(k) || 0) + 1);
    }
    const strongest = [...survived].sort((a, b) => b[1] - a[1]).slice(0, 60);
    const most = strongest.length ? strongest[0][1] : 1;
    for (const [k, votes] of strongest) this.line(this.frames.weights[k], "voter", 0.12 + (0.6 * votes) / most);
  }

  drawVisited(step) {
    const [px, py] = this.px(step.x);
    const name = step.mistake ? "mistake" : "right";
    const marks = this.layers.marks;
    marks.append(svg("circle", { class: `visited ${name}`, cx: px, cy: py, r: 17 }));
    const mark = step.mistake ? "M-4 -4L4 4M-4 4L4 -4" : "M-5 0L-1 4L5 -4";
    const [mx, my] = [px + (px > SIZE - 60 ? -20 : 20), py + (py > SIZE - 90 ? -18 : 18)];
    marks.append(
      svg("circle", { class: `badge ${name}`, cx: mx, cy: my, r: 9 }),
      svg("path", { class: "sign", d: mark, transform: `translate(${mx} ${my})` }),
    );
  }
}
