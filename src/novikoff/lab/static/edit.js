// Editing the points: by mouse, by touch, and by keyboard.

import { svg } from "./drawing.js";
import { nameOfPoint, vector } from "./words.js";
import { SIZE } from "./plane.js";

export class Editor {
  // `change(points, said, {live, tag})` takes the new points; `sign()` is the class to add.
  constructor(plane, { change, sign, select }) {
    Object.assign(this, { plane, change, sign, select });
    this.chosen = null;
    this.dragged = null;
    this.cursor = null;
    const element = plane.element;
    element.classList.add("editable");
    element.setAttribute("tabindex", "0");
    element.setAttribute("aria-describedby", "plane-help");
    this.cross = svg("path", { class: "cursor", d: "M-14 0H14M0 -14V14" });
    element.append(this.cross);
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.move(event));
    element.addEventListener("pointerup", (event) => this.up(event));
    element.addEventListener("pointercancel", (event) => this.up(event));
    element.addEventListener("click", (event) => this.click(event));
    element.addEventListener("keydown", (event) => this.key(event));
    element.addEventListener("focusin", (event) => this.focus(event));
    element.addEventListener("focusout", () => this.cross.classList.remove("shown"));
  }

  get points() {
    const { points, signs } = this.plane.frames;
    return points.map(([x, y], i) => [x, y, signs[i]]);
  }

  // Numbers as fine as the picture.
  rounded(values) {
    const fine = 10 ** Math.floor(Math.log10(this.plane.view.side / 200));
    const digits = Math.max(0, -Math.round(Math.log10(fine)));
    return values.map((v) => Number((Math.round(v / fine) * fine).toFixed(digits)) + 0);
  }

  place(event) {
    const box = this.plane.element.getBoundingClientRect();
    const unit = SIZE / box.width;
    return this.rounded(this.plane.at((event.clientX - box.left) * unit, (event.clientY - box.top) * unit));
  }

  inside([x, y]) {
    const { view } = this.plane;
    return x >= view.x && x <= view.x + view.side && y >= view.y && y <= view.y + view.side;
  }

  // Called after the points were drawn anew.
  refresh({ focus = false } = {}) {
    const shown = [...this.plane.layers.points.children];
    if (this.chosen !== null && this.chosen >= shown.length) this.chosen = shown.length ? shown.length - 1 : null;
    shown.forEach((point, i) => {
      point.setAttribute("role", "button");
      point.setAttribute("aria-roledescription", "point");
      point.setAttribute("tabindex", i === (this.chosen ?? 0) ? "0" : "-1");
      point.classList.toggle("chosen", i === this.chosen);
    });
    if (focus && this.chosen !== null) shown[this.chosen].focus();
    this.select(this.chosen);
  }

  choose(i, { focus = true } = {}) {
    this.chosen = i;
    this.refresh({ focus });
  }

  // ------------------------------------------------------------ mouse and touch

  down(event) {
    const point = event.target.closest(".points [data-point]");
    if (!point || event.button !== 0) return;
    const i = Number(point.dataset.point);
    this.dragged = { i, from: [event.clientX, event.clientY], moved: false };
    this.plane.element.setPointerCapture(event.pointerId);
    event.preventDefault();
    this.choose(i);
  }

  move(event) {
    const { dragged } = this;
    if (!dragged) return;
    const [x, y] = dragged.from;
    if (!dragged.moved && Math.hypot(event.clientX - x, event.clientY - y) < 4) return;
    dragged.moved = true;
    this.plane.frozen = true;
    dragged.to = this.place(event);
    this.follow();
    this.change(this.moved(dragged.i, dragged.to), null, { live: true });
  }

  // While it is dragged, a point is where the pointer is.
  follow() {
    if (!this.dragged || !this.dragged.to) return;
    const [px, py] = this.plane.px(this.dragged.to);
    const point = this.plane.layers.points.children[this.dragged.i];
    if (point) point.setAttribute("transform", `translate(${px} ${py})`);
  }

  up(event) {
    const { dragged } = this;
    if (!dragged) return;
    this.dragged = null;
    this.plane.frozen = false;
    this.plane.element.releasePointerCapture(event.pointerId);
    this.justDragged = true;
    setTimeout(() => { this.justDragged = false; }, 0);
    if (dragged.moved) this.change(this.moved(dragged.i, dragged.to), `Moved to ${vector(dragged.to)}.`, {});
  }

  click(event) {
    if (this.justDragged || event.target.closest(".points [data-point]")) return;
    const place = this.place(event);
    if (this.inside(place)) this.add(place, event.shiftKey ? -this.sign() : this.sign(), false);
  }

  // ------------------------------------------------------------ changes

  moved(i, [x, y]) {
    const points = this.points;
    points[i] = [x, y, points[i][2]];
    return points;
  }

  add(place, sign, focus) {
    const points = [...this.points, [...place, sign]];
    this.chosen = focus ? this.chosen : points.length - 1;
    this.change(points, `Added a point at ${vector(place)}.`, {});
  }

  remove(i = this.chosen) {
    if (i === null || i >= this.points.length) return;
    const told = `Removed ${nameOfPoint(this.plane.frames, i)}.`;
    this.chosen = this.points.length > 1 ? Math.min(i, this.points.length - 2) : null;
    this.change(this.points.filter((_, j) => j !== i), told, {});
  }

  flip(i = this.chosen) {
    if (i === null) return;
    const points = this.points;
    points[i][2] = -points[i][2];
    this.change(points, "Changed to the other class.", {});
  }

  // ------------------------------------------------------------ keyboard

  focus(event) {
    const point = event.target.closest(".points [data-point]");
    this.cross.classList.toggle("shown", !point && this.plane.element.matches(":focus-visible"));
    if (point) {
      const i = Number(point.dataset.point);
      if (i !== this.chosen) this.choose(i, { focus: false });
    } else this.drawCursor();
  }

  drawCursor() {
    const { x, y, side } = this.plane.view;
    if (!this.cursor || !this.inside(this.cursor)) this.cursor = this.rounded([x + side / 2, y + side / 2]);
    const [px, py] = this.plane.px(this.cursor);
    this.cross.setAttribute("transform", `translate(${px} ${py})`);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const point = event.target.closest(".points [data-point]");
    const handled = point ? this.pointKey(event, Number(point.dataset.point)) : this.planeKey(event);
    if (!handled) return;
    event.preventDefault();
    event.stopPropagation();
  }

  step(event) {
    const size = (this.plane.view.side / 60) * (event.shiftKey ? 5 : 1);
    return { ArrowLeft: [-size, 0], ArrowRight: [size, 0], ArrowUp: [0, size], ArrowDown: [0, -size] }[event.key];
  }

  pointKey(event, i) {
    const by = this.step(event);
    if (by) {
      const to = this.rounded(this.points[i].slice(0, 2).map((v, j) => v + by[j]));
      this.change(this.moved(i, to), `Moved to ${vector(to)}.`, { tag: `move ${i}` });
      return true;
    }
    const n = this.points.length;
    const actions = {
      Delete: () => this.remove(i),
      Backspace: () => this.remove(i),
      Enter: () => this.flip(i),
      c: () => this.flip(i),
      PageDown: () => this.choose((i + 1) % n),
      PageUp: () => this.choose((i + n - 1) % n),
      Escape: () => this.plane.element.focus(),
    };
    if (!actions[event.key]) return false;
    actions[event.key]();
    return true;
  }

  planeKey(event) {
    const by = this.step(event);
    if (by) {
      const to = this.rounded(this.cursor.map((v, j) => v + by[j]));
      if (this.inside(to)) this.cursor = to;
      this.cross.classList.add("shown");
      this.drawCursor();
      this.select(this.chosen, `Cursor at ${vector(this.cursor)}.`);
      return true;
    }
    if (event.key === "Enter") {
      this.add(this.cursor, event.shiftKey ? -this.sign() : this.sign(), true);
      return true;
    }
    if (event.key === "PageDown" && this.points.length) {
      this.choose(this.chosen ?? 0);
      return true;
    }
    return false;
  }
}
