// Numbers and sentences: how what Python computed is written on the page.

const MINUS = "\u2212";

// A number with a few significant digits: "−1.25", "0.001", "1.2e+7".
export function number(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const sign = value < 0 ? MINUS : "";
  if (size >= 1e7 || size < 1e-4) return sign + size.toExponential(2);
  const text = String(Number(size.toPrecision(Math.max(digits, Math.ceil(Math.log10(size))))));
  return sign + text;
}

// The same with a sign in any case.
export function signed(value) {
  return value < 0 ? number(value) : "+" + number(value);
}

// As the next summand of a sum: " + 2" or " − 2".
export function summand(value) {
  return (value < 0 ? ` ${MINUS} ` : " + ") + number(Math.abs(value));
}

// In a product or a list, where a leading minus wants brackets.
export function factor(value) {
  return value < 0 ? `(${number(value)})` : number(value);
}

export function vector(values) {
  return `(${values.map((v) => number(v)).join(",\u00a0")})`;
}

export function plural(n, word) {
  return `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
}

export function nameOfClass(frames, sign) {
  return frames.classes[sign > 0 ? 1 : 0].replace(/^-(?=\d)/, MINUS);
}

export function nameOfPoint(frames, i) {
  return `point ${i + 1} of class ${nameOfClass(frames, frames.signs[i])}`;
}

// What is known of the step that led here: number t, counted from 1; null at the start.
export function stepOf(frames, t) {
  if (t < 1) return null;
  const v = frames.visits;
  const i = v.example[t - 1];
  const k = v.before[t - 1];
  const update = v.update[t - 1] === 1;
  return {
    i,
    k,
    update,
    mistake: v.mistake[t - 1] === 1,
    epoch: v.epoch[t - 1],
    score: v.score[t - 1],
    own: v.own ? v.own[t - 1] : 0,
    sign: frames.signs[i],
    x: (frames.seen || frames.points)[i],
    old: frames.weights[k],
    now: frames.weights[k + (update ? 1 : 0)],
    step: update ? frames.steps[k] : 0,
  };
}

// How many updates the first t steps made.
export function updatesAt(frames, t) {
  const step = stepOf(frames, t);
  return step === null ? 0 : step.k + (step.update ? 1 : 0);
}

// What an update is called: a mistake, unless a margin is asked for.
export function updateWord(frames) {
  return frames.margin ? "update" : "mistake";
}

export function lastStep(frames) {
  return frames.visits ? frames.visits.example.length : 0;
}

// How the run ended, for its last step.
export function ending(frames) {
  const word = updateWord(frames);
  const made = plural(frames.steps.length, word);
  const wrong = frames.margin ? ` (${plural(frames.mistakes, "mistake")})` : "";
  if (frames.converged) {
    const bound = frames.theorem.bound;
    const allowed = bound ? `; the theorem allows ${number(Math.floor(bound), 6)}` : "";
    return `Converged: an epoch without ${word === "update" ? "an update" : "a mistake"}. ${made}${wrong} in all${allowed}.`;
  }
  return `Not converged: ${made}${wrong} in ${plural(frames.epochs, "epoch")}, and still some in the last.`;
}

// A step in words, for everyone and for screen readers.
export function sentence(frames, t) {
  if (frames.wanting) return frames.wanting;
  const step = stepOf(frames, t);
  const last = t === lastStep(frames);
  if (step === null) {
    const [w1, w2, b] = frames.weights[0];
    const bias = frames.additive ? `b = ${number(b)}` : `θ = ${number(-b)}`;
    const start = `Start: w = ${vector([w1, w2])}, ${bias}. Nothing has been visited yet.`;
    return last ? `${start} ${ending(frames)}` : start;
  }
  const where = frames.visits.complete
    ? `Epoch ${step.epoch + 1}, visit ${t.toLocaleString("en")}`
    : `Update ${t.toLocaleString("en")}`;
  const visited = `${where}: ${nameOfPoint(frames, step.i)} has score ${number(step.score)}`;
  const tie = step.score === 0;
  const [w1, w2, b] = step.now;
  const why = step.mistake ? (tie ? "a tie, which counts as a mistake" : "a mistake") : "right, but by too little";
  const outcome = step.update
    ? `${why}${frames.margin ? `. Update ${step.k + 1}` : `, number ${step.k + 1}`}. ` +
      `The weights become ${vector([w1, w2])}${frames.additive && frames.bias ? `, the bias ${number(b)}` : ""}.`
    : `${tie ? "a tie, which counts as right" : "right"}. Nothing changes.`;
  return `${visited}: ${outcome}${last ? " " + ending(frames) : ""}`;
}
