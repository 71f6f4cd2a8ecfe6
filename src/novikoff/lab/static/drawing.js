// Elements, scales and lines.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// About n round numbers in a range.
export function ticks(low, high, n = 6) {
  const rough = (high - low) / n;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= rough * 0.999);
  const found = [];
  for (let j = Math.ceil(low / step - 1e-9); j * step <= high + step * 1e-9; j += 1) {
    found.push(Number((j * step).toPrecision(12)));
  }
  return found;
}

// The powers of ten in a range, and twos and fives where there are few.
export function logTicks(low, high) {
  const found = [];
  const few = Math.log10(high / low) < 1.6;
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e += 1) {
    for (const m of few ? [1, 2, 5] : [1]) {
      const value = m * 10 ** e;
      if (value >= low * 0.999 && value <= high * 1.001) found.push(value);
    }
  }
  return found;
}

// From numbers to pixels, evenly or by their logarithms.
export function scale(low, high, from, to, log = false) {
  const f = log ? Math.log : (v) => v;
  const [a, b] = [f(low), f(high)];
  return (v) => from + ((f(v) - a) / (b - a || 1)) * (to - from);
}

// The part of a convex polygon where w·x + b ≥ 0.
export function halfPlane([w1, w2, b], corners) {
  const side = ([x, y]) => w1 * x + w2 * y + b;
  const kept = [];
  corners.forEach((p, j) => {
    const q = corners[(j + 1) % corners.length];
    const [s, t] = [side(p), side(q)];
    if (s >= 0) kept.push(p);
    if ((s < 0 && t > 0) || (s > 0 && t < 0)) {
      const share = s / (s - t);
      kept.push([p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])]);
    }
  });
  return kept;
}

// The two ends of the line w·x + b = 0 in a square, or null.
export function lineIn([w1, w2, b], corners) {
  const side = ([x, y]) => w1 * x + w2 * y + b;
  const ends = [];
  corners.forEach((p, j) => {
    const q = corners[(j + 1) % corners.length];
    const [s, t] = [side(p), side(q)];
    if ((s < 0 && t >= 0) || (s >= 0 && t < 0)) {
      const share = s / (s - t);
      ends.push([p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])]);
    }
  });
  return ends.length === 2 ? ends : null;
}

// An arrow as a path, its head at the tip, in pixels.
export function arrow([x1, y1], [x2, y2], head = 9) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [u, v] = [(x2 - x1) / length, (y2 - y1) / length];
  const h = Math.min(head, length * 0.6);
  const [bx, by] = [x2 - h * u, y2 - h * v];
  const s = h * 0.5;
  return {
    shaft: `M${x1} ${y1}L${bx} ${by}`,
    head: `M${x2} ${y2}L${bx - s * v} ${by + s * u}L${bx + s * v} ${by - s * u}Z`,
  };
}

// The marker of a class: a disc, or a triangle.
export function marker(sign, size) {
  if (sign < 0) return svg("circle", { class: "mark", r: size });
  const s = size * 1.25;
  return svg("path", { class: "mark", d: `M0 ${-s}L${s * 0.95} ${s * 0.7}L${-s * 0.95} ${s * 0.7}Z` });
}
