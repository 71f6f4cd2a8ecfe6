// A question to the lab, and its answer.

export async function ask(question, told) {
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
