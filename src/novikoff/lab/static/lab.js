// The page around the player: data, options, undo, links, exports. Python computes; this asks.

import { ask } from "./ask.js";
import { Editor } from "./edit.js";
import { Player } from "./player.js";
import { download, savePng, saveSvg } from "./save.js";
import { openTable } from "./table.js";
import { nameOfClass, nameOfPoint } from "./words.js";

const find = (selector) => document.querySelector(selector);
const form = find("#options");
const FIRST = "data=separable";

// ------------------------------------------------------------ the state

let frames = null;
let pending = null; // the newest question that waits for the last one to be answered
let busy = false;
const [past, future] = [[], []];
let lastTag = { tag: null, time: 0 };

function written(value) {
  if (typeof value === "boolean") return value ? "1" : "0";
  return Array.isArray(value) ? value.join(",") : String(value);
}

function linkOf({ points, options = frames.options, names = frames.names, classes = frames.classes }) {
  const { x, y, side } = player.plane.view;
  const view = frames.view || !samePoints(points) ? { view: [x, y, side] } : {};
  const parts = { ...options, names, classes, ...view };
  const text = points.map(([x, y, sign]) => `${x},${y},${sign > 0 ? "p" : "n"}`).join(";");
  const told = Object.entries(parts).map(([name, value]) => `${name}=${encodeURIComponent(written(value))}`);
  return [`points=${text}`, ...told].join("&");
}

// A view that fits needs no mention, until a point is moved: then the plane should not jump.
function samePoints(points) {
  return JSON.stringify(points) === JSON.stringify(editor.points);
}

// Ask what a link shows, and show it. Questions do not overtake each other; of those that come
// while one is being answered, the last is asked.
function load(link, options = {}) {
  return new Promise((done) => {
    if (pending) pending.done(false);
    pending = { link, options, done };
    if (!busy) next();
  });
}

async function next() {
  busy = true;
  while (pending) {
    const { link, options, done } = pending;
    pending = null;
    try {
      const found = await ask("run", { state: link });
      accept(found, options);
      done(true);
    } catch (error) {
      complain(error instanceof TypeError ? "The lab does not answer: is it still running?" : error.message);
      if (frames) fillForm();
      done(false);
    }
  }
  busy = false;
}

function accept(found, { keep = true, step = null, tag = null, said = null, focus = false }) {
  complain("");
  if (frames && keep && committed !== found.link) remember(tag);
  if (keep) committed = found.link;
  const at = step ?? (frames ? player.step : found.step);
  frames = found;
  player.show(frames, at);
  editor.refresh({ focus: focus || editor.hadFocus });
  editor.follow();
  fillForm();
  if (keep) address();
  if (said) say(said);
}

let committed = null; // the link of the state that undo would come back to

function remember(tag) {
  const now = Date.now();
  const same = tag && tag === lastTag.tag && now - lastTag.time < 1500;
  lastTag = { tag, time: now };
  future.length = 0;
  if (committed !== null && !same) past.push(committed);
}

async function travel(from, to, word) {
  if (!from.length) return;
  const link = from[from.length - 1];
  const here = committed;
  committed = null;
  const done = await load(link, { keep: false, said: word });
  if (!done) {
    committed = here;
    return;
  }
  from.pop();
  to.push(here);
  committed = frames.link;
  lastTag = { tag: null, time: 0 };
  address();
  fillForm();
}

const undo = () => travel(past, future, "Undone.");
const redo = () => travel(future, past, "Done again.");

let timer = null;

// The address of the page, a little later than the last change: browsers limit how often it changes.
function address() {
  clearTimeout(timer);
  timer = setTimeout(writeAddress, 200);
}

function writeAddress() {
  clearTimeout(timer);
  const step = player.step ? `${frames.link ? "&" : ""}step=${player.step}` : "";
  history.replaceState(null, "", `#${frames.link}${step}`);
}

// ------------------------------------------------------------ saying

function say(text) {
  find("#said").textContent = "";
  setTimeout(() => { find("#said").textContent = text; }, 30);
}

function complain(text) {
  find("#error").textContent = text;
  find("#error").hidden = !text;
}

// ------------------------------------------------------------ the options

function fillForm() {
  const { options } = frames;
  for (const [name, value] of Object.entries(options)) {
    if (name === "coef_init") {
      value.forEach((v, j) => { form.elements[`coef_init_${j}`].value = v; });
      continue;
    }
    const field = form.elements[name];
    if (field.type === "checkbox") field.checked = value;
    else field.value = typeof value === "boolean" ? Number(value) : value;
  }
  const winnow = options.learner === "winnow";
  for (const part of form.querySelectorAll("[data-for]")) part.hidden = (part.dataset.for === "winnow") !== winnow;
  form.elements.random_state.closest("label").hidden = !options.shuffle;
  form.elements.intercept_init.disabled = !options.fit_intercept;
  find("#preset").value = frames.preset || "";
  find("#undo").disabled = !past.length;
  find("#redo").disabled = !future.length;
  for (const [sign, id] of [[-1, "#class-negative"], [1, "#class-positive"]]) find(id).textContent = nameOfClass(frames, sign);
  find("#python").disabled = !frames.code;
  find("#words").textContent = frames.words || "";
  find("#about-run").hidden = !frames.words;
}

function readForm() {
  const options = { ...frames.options };
  for (const name of Object.keys(options)) {
    if (name === "coef_init") options[name] = [0, 1].map((j) => form.elements[`coef_init_${j}`].value.trim() || "0");
    else {
      const field = form.elements[name];
      options[name] = field.type === "checkbox" ? field.checked : field.value.trim();
    }
  }
  if (!options.fit_intercept) options.intercept_init = "0";
  return options;
}

form.addEventListener("change", () => {
  const points = editor.points;
  load(linkOf({ points, options: readForm() }));
});
form.addEventListener("submit", (event) => event.preventDefault());

// ------------------------------------------------------------ the player and the points

const player = new Player(find("#player"), { keys: document, onstep: () => !player.timer && address() });

const editor = new Editor(player.plane, {
  change: (points, said, { live = false, tag = null }) => {
    editor.hadFocus = !live && player.plane.layers.points.contains(document.activeElement);
    load(linkOf({ points }), { keep: !live, tag, said });
  },
  sign: () => Number(find("input[name=class]:checked").value),
  select: (i, said = null) => {
    find("#chosen").textContent = i === null ? "No point is chosen." : `Chosen: ${nameOfPoint(frames, i)}.`;
    for (const id of ["#delete", "#flip"]) find(id).disabled = i === null;
    if (said) say(said);
  },
});

find("#undo").addEventListener("click", undo);
find("#redo").addEventListener("click", redo);
find("#delete").addEventListener("click", () => editor.remove());
find("#flip").addEventListener("click", () => editor.flip());
find("#clear").addEventListener("click", () => {
  editor.chosen = null;
  load(linkOf({ points: [], names: ["x1", "x2"], classes: ["-1", "+1"] }), { step: 0, said: "All points removed." });
});
find("#preset").addEventListener("change", (event) => {
  if (event.target.value) loadData(`data=${event.target.value}`);
});

// Other points, with the learner as it is.
function loadData(link) {
  editor.chosen = null;
  const options = Object.entries(frames.options).map(([name, value]) => `${name}=${encodeURIComponent(written(value))}`);
  return load([link, ...options].join("&"), { step: 0 });
}

document.addEventListener("keydown", (event) => {
  const command = event.ctrlKey || event.metaKey;
  if (!command || event.altKey || event.target.closest("input:not([type=range], [type=checkbox], [type=radio]), textarea, dialog")) return;
  const key = event.key.toLowerCase();
  if (key === "z" || key === "y") {
    event.preventDefault();
    (key === "y" || event.shiftKey ? redo : undo)();
  }
});

// ------------------------------------------------------------ taking it along

const title = () => { writeAddress(); return location.href; };

async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    say(said);
    find("#copied").textContent = said;
    setTimeout(() => { find("#copied").textContent = ""; }, 4000);
  } catch {
    complain("The browser does not allow copying: copy the address from its address bar.");
  }
}

find("#link").addEventListener("click", () => copy(title(), "The link is copied."));
find("#svg").addEventListener("click", () => saveSvg(player, title()));
find("#png").addEventListener("click", () => savePng(player, title()));
find("#python").addEventListener("click", () => {
  find("#code").textContent = frames.code;
  find("#code-dialog").showModal();
});
find("#copy-code").addEventListener("click", () => copy(frames.code, "The program is copied."));
find("#save-code").addEventListener("click", () => download(new Blob([frames.code], { type: "text/x-python" }), "novikoff_lab.py"));
for (const button of document.querySelectorAll("dialog .close")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}
find("#own").addEventListener("click", () => openTable(loadData));

for (const choice of document.querySelectorAll("input[name=theme]")) {
  choice.addEventListener("change", () => { document.documentElement.dataset.theme = choice.value; });
}

// ------------------------------------------------------------ beginning

window.addEventListener("hashchange", () => load(location.hash.slice(1) || FIRST, { step: null }).then(takeStep));

function takeStep(done) {
  if (done) player.go(frames.step);
}

const { presets } = await (await fetch("/api/presets")).json();
find("#preset").append(...presets.map(({ name, title: text }) => new Option(text, name)));
if (!(await load(location.hash.slice(1) || FIRST))) {
  const wrong = find("#error").textContent;
  await load(FIRST, { step: 0 });
  complain(wrong);
}
document.body.classList.add("ready");
