// The player: a run, step by step. The lab's page and notebooks use this same module.

import { Narrowing, Race } from "./charts.js";
import { html, svg } from "./drawing.js";
import { Plane } from "./plane.js";
import { Vectors } from "./vectors.js";
import { factor, lastStep, number, plural, sentence, stepOf, summand, updateWord, updatesAt, vector } from "./words.js";

const SPEEDS = [["slow", 1], ["steady", 4], ["fast", 12], ["very fast", 40]];

// Drawn, since fonts often lack these signs.
const ICONS = {
  start: "M3 3v10h2V3zM14 3v10L6 8z",
  back: "M12 3v10L4 8z",
  play: "M4 2.5v11L13.5 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M3 3v10l7-5zM11 3v10h2V3z",
  next: "M4 4l8 8M12 4l-8 8",
  end: "M2 3v10l8-5zM11 3v10h2V3z",
};

function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

// Mathematics in its own type: letters between asterisks are slanted.
function math(text) {
  const parts = text.split(/\*([^*]+)\*/).map((part, j) => (j % 2 ? html("i", {}, part) : part));
  return html("span", { class: "math" }, ...parts);
}

function section(name, title, ...content) {
  return html("section", { class: `card ${name}` }, html("h2", {}, title), ...content);
}

export class Player {
  // `keys` is where the keys of the player are listened to.
  constructor(element, { onstep = () => {}, keys = element } = {}) {
    this.onstep = onstep;
    this.step = 0;
    this.timer = null;
    this.plane = new Plane();
    this.vectors = new Vectors();
    this.race = new Race();
    this.narrowing = new Narrowing();
    this.build(element);
    this.listener = (event) => this.key(event);
    this.keys = keys;
    keys.addEventListener("keydown", this.listener);
  }

  // ------------------------------------------------------------ what there is

  build(element) {
    const button = (name, label, key, action) =>
      html("button", { type: "button", class: name, "aria-keyshortcuts": key, onclick: action, title: `${label} (${key})` },
        icon(name), html("span", { class: "label" }, label));
    this.buttons = {
      start: button("start", "Start", "Home", () => this.go(0)),
      back: button("back", "Back", "ArrowLeft", () => this.go(this.step - 1)),
      play: button("play", "Play", "Space", () => this.toggle()),
      forward: button("forward", "Step", "ArrowRight", () => this.go(this.step + 1)),
      mistake: button("next", "Next mistake", "M", () => this.toUpdate()),
      end: button("end", "End", "End", () => this.go(Infinity)),
    };
    this.slider = html("input", { type: "range", min: 0, max: 0, value: 0, step: 1, "aria-label": "Step",
      oninput: () => this.go(Number(this.slider.value)) });
    this.counter = html("output", { class: "counter" });
    this.speed = html("select", { "aria-label": "Speed" },
      ...SPEEDS.map(([name, rate]) => html("option", { value: rate, selected: rate === 4 }, name)));
    this.speed.addEventListener("change", () => this.timer && this.play());
    this.showsVerdict = html("input", { type: "checkbox", checked: true, onchange: () => this.draw() });
    this.said = html("p", { class: "said" });
    this.live = html("p", { class: "unseen", "aria-live": "polite", role: "status" });
    this.formula = html("div", { class: "formula" });
    this.legend = html("ul", { class: "legend", "aria-label": "What is drawn" });
    this.update = html("div", { class: "update" }, this.formula, this.vectors.element);
    this.count = html("p", { class: "count" });
    this.meter = html("div", { class: "meter", role: "meter", "aria-valuemin": 0, "aria-label": "Mistakes so far, against the bound" }, html("div"));
    this.boundNote = html("p", { class: "note bound" });
    this.raceNote = html("p", { class: "note" });
    this.raceKey = html("p", { class: "key" });
    this.bracketNote = html("p", { class: "note ends" });
    this.verdictTold = html("p", { class: "told" });
    this.verdictProof = html("p", { class: "note" });
    this.verdictTable = html("table", { class: "multipliers" });
    this.notes = html("div", { class: "notes" });
    this.controls = html("div", { class: "controls", role: "group", "aria-label": "Steps of the run" },
      html("div", { class: "buttons" }, ...Object.values(this.buttons)),
      html("div", { class: "track" }, this.slider, this.counter,
        html("label", { class: "speed" }, html("span", {}, "Speed "), this.speed)));
    this.stage = html("div", { class: "stage" },
      html("div", { class: "board" }, this.plane.element), this.controls, this.live, this.said,
      html("div", { class: "drawn" }, this.legend,
        html("label", { class: "check" }, this.showsVerdict, " show the verdict in the plane")));
    this.cards = {
      update: section("at-step", "This step", this.update),
      mistakes: section("mistakes", "Mistakes", this.count, this.meter, this.boundNote),
      race: section("proof", "The proof", this.raceKey, this.race.element, this.raceNote),
      bracket: section("margin", "The margin", this.narrowing.element, this.bracketNote),
      verdict: section("verdict", "Can a line do it?", this.verdictTold, this.verdictProof, this.verdictTable),
    };
    const { verdict, ...beside } = this.cards;
    this.beside = html("div", { class: "beside" }, ...Object.values(beside));
    this.under = html("div", { class: "under" }, verdict, this.notes);
    this.element = html("div", { class: "novikoff", tabindex: -1 }, html("div", { class: "player" }, this.stage, this.beside, this.under));
    element.append(this.element);
  }

  // ------------------------------------------------------------ what is shown

  // Show another run, at a step of it.
  show(frames, step = 0) {
    this.pause();
    this.frames = frames;
    this.plane.show(frames);
    const idle = Boolean(frames.wanting);
    for (const card of Object.values(this.cards)) card.hidden = idle;
    for (const button of Object.values(this.buttons)) button.disabled = idle;
    this.slider.disabled = idle;
    this.slider.max = lastStep(frames);
    const word = updateWord(frames);
    this.label("mistake", `Next ${word}`, "M");
    this.cards.mistakes.querySelector("h2").textContent = word === "update" ? "Updates" : "Mistakes";
    this.meter.setAttribute("aria-label", `${word === "update" ? "Updates" : "Mistakes"} so far, against the bound`);
    this.notes.replaceChildren(...(frames.notes || []).map((note) => html("p", { class: "note" }, note)));
    if (!idle) this.showVerdict();
    this.showLegend();
    this.step = Math.max(0, Math.min(step, lastStep(frames)));
    this.draw();
  }

  showLegend() {
    const { frames } = this;
    const [first, second] = frames.classes.map((name) => name.replace(/^-(?=\d)/, "−"));
    const entries = [["negative", first], ["positive", second]];
    if (frames.weights) {
      if (frames.mean) entries.push(["mean", "the mean of all weights, which predicts"]);
      entries.push([frames.mean ? "now beside" : "now", frames.kind === "VotedPerceptron" ? "the line now; earlier ones, by their votes" : "the line now"]);
      entries.push(["before", "before the update"]);
      if (frames.verdict.band) entries.push(["band", "the widest band"]);
      if (frames.verdict.touching) entries.push(["touching", "a line that touches"]);
      if (frames.seen) entries.push(["seen", `small: ${frames.how}`]);
    }
    this.legend.replaceChildren(...entries.map(([name, text]) =>
      html("li", {}, html("span", { class: `sample ${name}`, "aria-hidden": "true" }), text)));
  }

  showVerdict() {
    const { verdict, signs, seen, points } = this.frames;
    const proves = verdict.verdict !== "separable";
    this.cards.verdict.dataset.verdict = verdict.verdict;
    this.verdictTold.textContent = verdict.told;
    this.verdictProof.textContent = verdict.proof;
    const head = html("tr", {}, ...["point", "y", "x", "p"].map((name) => html("th", { scope: "col" }, name)));
    const rows = verdict.rows.map((i, j) => html("tr", {},
      html("th", { scope: "row" }, String(i + 1)), html("td", {}, signs[i] > 0 ? "+1" : "−1"),
      html("td", {}, vector((seen || points)[i])), html("td", {}, verdict.exact[j])));
    this.verdictTable.replaceChildren(html("caption", {}, proves ? "The points of the proof" : "The points that hold the band"),
      html("thead", {}, head), html("tbody", {}, ...rows));
  }

  draw() {
    const { frames, step: t } = this;
    this.plane.at_step(t, { verdict: this.showsVerdict.checked });
    const told = sentence(frames, t);
    this.said.textContent = told;
    const step = frames.weights ? stepOf(frames, t) : null;
    const last = t === lastStep(frames);
    if (!this.timer || last || (step && step.update)) this.live.textContent = told;
    this.slider.value = t;
    this.slider.setAttribute("aria-valuetext", told);
    this.counter.textContent = `${t.toLocaleString("en")} of ${lastStep(frames).toLocaleString("en")}`;
    this.element.dataset.step = t;
    if (frames.wanting) return;
    for (const name of ["start", "back"]) this.buttons[name].setAttribute("aria-disabled", String(t === 0));
    for (const name of ["forward", "mistake", "end"]) this.buttons[name].setAttribute("aria-disabled", String(last));
    this.drawFormula(step);
    this.drawBeside(updatesAt(frames, t));
  }

  drawFormula(step) {
    const { frames } = this;
    const lines = [];
    if (!step) {
      const [w1, w2, b] = frames.weights[0];
      lines.push(math(`*w* = ${vector([w1, w2])}`), math(frames.additive ? `*b* = ${number(b)}` : `*θ* = ${number(-b)}`));
    } else {
      const [w1, w2, b] = step.old;
      const [x1, x2] = step.x;
      const bias = frames.additive ? "*b*" : "*θ*";
      const sum = `${factor(w1)}·${factor(x1)} + ${factor(w2)}·${factor(x2)}${frames.bias ? summand(b) : ""}`;
      const own = step.own ? summand(step.own) : "";
      const left = `⟨*w*, *x*⟩${frames.bias ? (frames.additive ? ` + ${bias}` : ` − ${bias}`) : ""}${own ? " + own feature" : ""}`;
      lines.push(math(`${left} = ${sum}${own} = ${number(step.score)}`));
      const y = step.sign > 0 ? "+1" : "−1";
      const right = step.update ? "right, but by too little" : "right, so nothing changes";
      lines.push(html("span", { class: step.mistake ? "outcome mistake" : "outcome right" },
        math(`*y* = ${y}: `), step.mistake ? "a mistake" : right));
      if (step.update) lines.push(...this.updateLines(step));
    }
    this.formula.replaceChildren(...lines.map((line) => html("div", {}, line)));
    const shown = Boolean(step && step.update && frames.additive);
    this.vectors.element.classList.toggle("away", !shown);
    if (shown) this.vectors.show(step);
  }

  updateLines(step) {
    const { frames } = this;
    const [old, now] = [step.old.slice(0, 2), step.now.slice(0, 2)];
    if (!frames.additive) {
      const times = step.step > 1 ? `× ${number(step.step)}` : `÷ ${number(1 / step.step)}`;
      return [math(`*w*′ = *w* ${times} where *x* = 1`), math(`= ${vector(old)} → ${vector(now)}`)];
    }
    const eta = frames.eta0 === 1 ? "" : "*η*";
    const size = frames.eta0 === 1 ? "" : `${number(Math.abs(step.step))}·`;
    const y = step.sign > 0 ? "+" : "−";
    const lines = [
      math(`*w*′ = *w* + ${eta}*y* *x*`),
      math(`= ${vector(old)} ${y} ${size}${vector(step.x)}`),
      math(`= ${vector(now)}`),
    ];
    if (frames.bias) lines.push(math(`*b*′ = *b* + ${eta}*y* = ${number(step.old[2])}${summand(step.step)} = ${number(step.now[2])}`));
    return lines;
  }

  drawBeside(k) {
    const { theorem, bracket } = this.frames;
    const bound = theorem.bound ?? null;
    this.element.dataset.mistakes = k;
    this.element.dataset.bound = bound === null ? "" : bound;
    const most = bound === null ? null : number(Math.floor(bound + 1e-9), 9);
    this.count.replaceChildren(html("strong", {}, k.toLocaleString("en")), " so far",
      ...(most ? [", at most ", html("strong", {}, most)] : []));
    this.meter.hidden = bound === null;
    if (bound !== null) {
      this.meter.setAttribute("aria-valuemax", bound);
      this.meter.setAttribute("aria-valuenow", k);
      this.meter.firstChild.style.width = `${Math.max(k ? 0.8 : 0, (100 * k) / bound)}%`;
    }
    this.boundNote.replaceChildren(...this.boundWords(bound));
    this.drawRace(k);
    this.drawBracket(bracket, k);
  }

  boundWords(bound) {
    const { theorem } = this.frames;
    if (theorem.disjunction) return [`The labels are “${theorem.disjunction}”: Winnow makes at most 2 + 3r(1 + lg n) mistakes.`];
    if (bound === null) return [theorem.why || ""];
    const { radius, margin, curves } = theorem;
    const tau = this.frames.margin;
    const [stretch, value] = tau ? ["(1 + 2*τ*)", `${number(1 + 2 * tau)}·`] : ["", ""];
    if (curves.simple) return [math(`${stretch}(*R*/*γ*)² = ${value}(${number(radius)} / ${number(margin)})² = ${number(bound, 6)}`)];
    return [math(`*R* = ${number(radius)}, *γ* = ${number(margin)}; with this start and step, ${number(bound, 6)}`)];
  }

  drawRace(k) {
    const { theorem } = this.frames;
    const drawn = Boolean(theorem.curves);
    this.race.element.classList.toggle("away", !drawn);
    this.raceKey.hidden = !drawn;
    if (!drawn) {
      this.raceNote.textContent = theorem.no_curves;
      return;
    }
    const simple = theorem.curves.simple;
    const stretch = this.frames.margin ? "(1 + 2*τ*)" : "";
    const names = [
      ["least", simple ? "*kγ*" : "⟨*w*₀, *u*⟩ + *γ*Σ*η*"], ["progress", "⟨*w*, *u*⟩"], ["length", "‖*w*‖"],
      ["most", simple ? `√${stretch ? `(${stretch}*k*)` : "*k*"} *R*` : `√(‖*w*₀‖² + ${stretch}*R*²Σ*η*²)`]];
    const values = Object.fromEntries(names.map(([name]) => [name, theorem[name][k]]));
    this.raceKey.replaceChildren(...names.flatMap(([name, text], j) => [
      ...(j ? [html("span", { class: "less" }, "≤")] : []),
      html("span", { class: `quantity of-${name}` }, math(text), html("b", {}, number(values[name], 3)))]));
    this.race.show(theorem, k, updateWord(this.frames));
    this.raceNote.textContent = theorem.holds ? "Both lemmas hold at every update." : "A lemma failed at an update.";
  }

  drawBracket(bracket, k) {
    this.cards.bracket.hidden = !bracket;
    if (!bracket) return;
    const margin = this.frames.theorem.margin || null;
    const now = bracket.k.filter((v) => v <= k).length;
    const upper = now ? number(bracket.upper[now - 1]) : "∞";
    const lower = now ? number(bracket.lower[now - 1]) : "0";
    this.bracketNote.replaceChildren(
      math(`${lower} ≤ *γ* ≤ ${upper}`),
      html("small", {}, margin ? ` by this run alone, in its own space; truly ${number(margin)}` : " by this run alone, in its own space"));
    this.narrowing.show(bracket, margin, k, updateWord(this.frames));
  }

  // ------------------------------------------------------------ moving

  go(step) {
    if (!this.frames || this.frames.wanting) return;
    this.step = Math.max(0, Math.min(step, lastStep(this.frames)));
    if (this.step === lastStep(this.frames)) this.pause();
    this.draw();
    this.onstep(this.step);
  }

  toUpdate() {
    const next = this.frames.visits.update.indexOf(1, this.step);
    this.go(next < 0 ? Infinity : next + 1);
  }

  toggle() {
    if (this.timer) this.pause();
    else this.play();
  }

  play() {
    if (this.frames.wanting) return;
    clearInterval(this.timer);
    if (this.step === lastStep(this.frames)) this.go(0);
    this.timer = setInterval(() => this.go(this.step + 1), 1000 / Number(this.speed.value));
    this.label("play", "Pause", "Space", "pause");
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.label("play", "Play", "Space", "play");
  }

  label(name, word, key, drawn) {
    const button = this.buttons[name];
    button.querySelector(".label").textContent = word;
    button.title = `${word} (${key})`;
    if (drawn) button.querySelector(".icon path").setAttribute("d", ICONS[drawn]);
  }

  key(event) {
    const busy = event.target.closest && event.target.closest("input, select, textarea, dialog, [contenteditable]");
    if (busy || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !this.frames) return;
    const pressed = event.target.closest && event.target.closest("button, summary, a");
    if (event.key === " " && pressed) return;
    const actions = {
      ArrowRight: () => this.go(this.step + 1),
      ArrowLeft: () => this.go(this.step - 1),
      Home: () => this.go(0),
      End: () => this.go(Infinity),
      " ": () => this.toggle(),
      m: () => this.toUpdate(),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || this.frames.wanting) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  remove() {
    this.pause();
    this.keys.removeEventListener("keydown", this.listener);
    this.element.remove();
  }
}

// What a notebook calls (anywidget's interface).
function render({ model, el }) {
  const player = new Player(el, {
    onstep: (step) => {
      if (model.get("step") === step) return;
      model.set("step", step);
      model.save_changes();
    },
  });
  player.element.tabIndex = 0;
  player.element.classList.add("framed");
  player.show(model.get("frames"), model.get("step"));
  const moved = () => model.get("step") !== player.step && player.go(model.get("step"));
  const changed = () => player.show(model.get("frames"), model.get("step"));
  model.on("change:step", moved);
  model.on("change:frames", changed);
  return () => {
    model.off("change:step", moved);
    model.off("change:frames", changed);
    player.remove();
  };
}

export default { render };
