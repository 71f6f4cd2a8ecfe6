// Pictures and texts to take along.

import { svg } from "./drawing.js";

const STYLES = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap",
  "stroke-linejoin", "opacity", "font-family", "font-size", "font-style", "font-weight", "text-anchor", "paint-order",
  "visibility", "display",
];

// A copy that looks the same without any style sheet.
function alone(element) {
  const copy = element.cloneNode(true);
  const [from, to] = [element, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  from.forEach((node, j) => {
    const style = getComputedStyle(node);
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      if (value) to[j].setAttribute(name, value);
    }
    for (const name of ["class", "tabindex", "role", "aria-hidden", "aria-describedby", "aria-roledescription"]) to[j].removeAttribute(name);
  });
  copy.querySelectorAll("[display=none]").forEach((node) => node.remove());
  return copy;
}

// Words in lines of a few letters.
function lines(text, width) {
  const found = [""];
  for (const word of text.split(" ")) {
    const last = found[found.length - 1];
    if (last && last.length + word.length >= width) found.push(word);
    else found[found.length - 1] = last ? `${last} ${word}` : word;
  }
  return found;
}

// The plane, and beside it the charts, with what is said of the step below.
export function picture(player, title) {
  const style = getComputedStyle(player.element);
  const charts = [player.race.element, player.narrowing.element].filter((chart) => chart.checkVisibility());
  const wide = charts.length ? 1060 : 620;
  const said = lines(player.said.textContent, charts.length ? 125 : 75);
  const high = 620 + 22 * said.length + 10;
  const drawn = svg("svg", { xmlns: "http://www.w3.org/2000/svg", width: wide, height: high, viewBox: `0 0 ${wide} ${high}` },
    svg("title", {}, title),
    svg("rect", { width: wide, height: high, fill: style.backgroundColor }));
  const put = (element, x, y, width, height) => {
    const copy = alone(element);
    for (const [name, value] of Object.entries({ x, y, width, height })) copy.setAttribute(name, value);
    drawn.append(copy);
  };
  put(player.plane.element, 10, 10, 600, 600);
  const key = svg("text", { x: 680, y: 26, "font-size": 17 });
  if (charts.includes(player.race.element)) {
    for (const part of player.raceKey.querySelectorAll(".quantity .math, .less")) {
      const { color, fontFamily } = getComputedStyle(part);
      key.append(svg("tspan", { fill: color, "font-family": fontFamily, dx: 9 }, part.textContent));
    }
  }
  drawn.append(key);
  charts.forEach((chart, j) => put(chart, 630, 30 + 290 * j, 420, [240, 180][j]));
  const text = { x: 24, fill: style.color, "font-family": style.fontFamily, "font-size": 15 };
  said.forEach((line, j) => drawn.append(svg("text", { ...text, y: 632 + 22 * j }, line)));
  return { text: new XMLSerializer().serializeToString(drawn), wide, high };
}

export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveSvg(player, title) {
  download(new Blob([picture(player, title).text], { type: "image/svg+xml" }), "novikoff.svg");
}

export async function savePng(player, title, density = 2) {
  const { text, wide, high } = picture(player, title);
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: wide * density, height: high * density });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
    download(blob, "novikoff.png");
  } finally {
    URL.revokeObjectURL(address);
  }
}
