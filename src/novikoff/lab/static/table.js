// A table of one's own: which two columns, or all of them projected.

import { ask } from "./ask.js";

const find = (selector) => document.querySelector(selector);
const [dialog, file, choices, wrong] = ["#table-dialog", "#table-file", "#table-choices", "#table-error"].map(find);
const LARGEST = 1_500_000;
const PROJECTED = -1;
let table = "";
let known = null;
let take = () => {};

// `loadData` takes the link of the points that were chosen.
export function openTable(loadData) {
  take = loadData;
  wrong.textContent = "";
  dialog.showModal();
}

function options(select, entries, chosen) {
  select.replaceChildren(...entries.map(([text, value]) => new Option(text, value, false, value === chosen)));
}

function fillClasses() {
  const { classes } = known.labels.find(({ column }) => column === Number(find("#table-label").value));
  const entries = classes.map((name) => [name, name]);
  options(find("#table-first"), entries, classes[0]);
  options(find("#table-second"), entries, classes[1]);
  const label = Number(find("#table-label").value);
  const numbers = known.numeric.filter((j) => j !== label);
  const named = numbers.map((j) => [known.header[j], j]);
  const projected = numbers.length > 2 ? [["all, projected onto the plane in which they vary most", PROJECTED]] : [];
  options(find("#table-x"), [...named, ...projected], numbers[0]);
  options(find("#table-y"), named, numbers[1]);
  second();
}

const second = () => { find("#table-y").closest("label").hidden = Number(find("#table-x").value) === PROJECTED; };

file.addEventListener("change", async () => {
  wrong.textContent = "";
  choices.hidden = true;
  const [chosen] = file.files;
  if (!chosen) return;
  if (chosen.size > LARGEST) {
    wrong.textContent = `The file has ${chosen.size.toLocaleString("en")} bytes, but the lab takes ${LARGEST.toLocaleString("en")} at the most.`;
    return;
  }
  try {
    table = await chosen.text();
    known = await ask("columns", { table });
    options(find("#table-label"), known.labels.map(({ column }) => [known.header[column], column]), known.label);
    fillClasses();
    choices.hidden = false;
  } catch (error) {
    wrong.textContent = error.message;
  }
});

find("#table-label").addEventListener("change", fillClasses);
find("#table-x").addEventListener("change", second);
find("#table-take").addEventListener("click", async () => {
  try {
    const [label, x, y] = ["#table-label", "#table-x", "#table-y"].map((id) => Number(find(id).value));
    const told = { table, label, first: find("#table-first").value, second: find("#table-second").value, x, y: x === PROJECTED ? PROJECTED : y };
    const { link } = await ask("choose", told);
    dialog.close();
    await take(link);
  } catch (error) {
    wrong.textContent = error.message;
  }
});
