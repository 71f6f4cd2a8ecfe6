// A question to the lab, and its answer. The page says that it is waiting while there is any.

let open = 0;

export async function ask(question, told) {
  open += 1;
  document.body.classList.add("waiting");
  try {
    return await answered(question, told);
  } finally {
    open -= 1;
    if (!open) document.body.classList.remove("waiting");
  }
}

async function answered(question, told) {
  const answer = await fetch(`/api/${question}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(told),
  });
  const kind = answer.headers.get("content-type") || "";
  const said = kind.includes("json") ? await answer.json() : { error: await answer.text() };
  if (!answer.ok) throw new Error(said.error || `The lab answered with status ${answer.status}.`);
  return said;
}
