/** The dashboard's requests: JSON, and server-sent events. The token is kept in this tab alone. */

const KEY = "oxbow-token";
const RETRY_MS = 2_000;

export class Problem extends Error {
  constructor(status, { code, detail }) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

let asking;

/** Asks once, however many requests were refused. */
function askForToken(reason) {
  asking ??= new Promise((resolve) => {
    const dialog = document.querySelector("#token-dialog");
    const input = document.querySelector("#token");
    document.querySelector("#token-reason").textContent = reason;
    input.value = "";
    dialog.addEventListener(
      "close",
      () => {
        if (input.value !== "") sessionStorage.setItem(KEY, input.value.trim());
        input.value = "";
        asking = undefined;
        resolve();
        dispatchEvent(new Event("oxbow-token"));
      },
      { once: true },
    );
    dialog.showModal();
  });
  return asking;
}

export function authorization() {
  const token = sessionStorage.getItem(KEY);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

async function send(path, { method = "GET", body, headers, signal } = {}) {
  for (;;) {
    const token = sessionStorage.getItem(KEY);
    const response = await fetch(path, {
      method,
      signal,
      cache: "no-store",
      headers: {
        ...headers,
        ...authorization(),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.ok) return response;
    const problem = new Problem(
      response.status,
      await response.json().catch(() => ({ code: "UNKNOWN", detail: response.statusText })),
    );
    if (problem.status !== 401) throw problem;
    // Another request may have been given a token since.
    if (sessionStorage.getItem(KEY) === token)
      await askForToken(token === null ? "The server asks who you are." : problem.message);
  }
}

/** The answer, as JSON. */
export async function ask(path, options) {
  const response = await send(path, options);
  return response.status === 204 ? undefined : response.json();
}

/**
 * Events as they come, until the signal or an event "end". After a lost connection it continues after the last event.
 * EventSource can't send a token.
 */
export async function* follow(path, signal) {
  let last;
  while (!signal.aborted) {
    try {
      const headers = last === undefined ? {} : { "last-event-id": last };
      const response = await send(path, { headers, signal });
      for await (const event of parse(response.body)) {
        last = event.id ?? last;
        yield event;
        if (event.name === "end") return;
      }
    } catch (error) {
      if (signal.aborted || (error instanceof Problem && error.status < 500)) return;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, RETRY_MS);
    });
  }
}

async function* parse(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      const blocks = text.split("\n\n");
      text = blocks.pop();
      for (const block of blocks) {
        const fields = Object.fromEntries(
          block.split("\n").map((line) => {
            const colon = line.indexOf(": ");
            return [line.slice(0, colon), line.slice(colon + 2)];
          }),
        );
        if (fields.event !== undefined) {
          yield { name: fields.event, id: fields.id, data: JSON.parse(fields.data ?? "null") };
        }
      }
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}
