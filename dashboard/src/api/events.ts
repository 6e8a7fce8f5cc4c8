/** Server-sent events. EventSource can't send a token. */
import { authorizedFetch } from "./client.ts";
import { Problem, toProblem } from "./problem.ts";

export interface ServerEvent {
  readonly name: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

const RETRY_MS = 2_000;

/**
 * Yields events until the signal, or until an event "end". After a lost connection it continues after the last event.
 *
 * @throws Problem if the server refuses.
 */
export async function* follow(path: string, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  let last: string | undefined;
  while (!signal.aborted) {
    try {
      const headers = new Headers(last === undefined ? {} : { "last-event-id": last });
      const response = await authorizedFetch(new Request(path, { headers, signal }));
      if (!response.ok) throw toProblem(response, await response.json().catch(() => null));
      for await (const event of eventsIn(response)) {
        last = event.id ?? last;
        yield event;
        if (event.name === "end") return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isRefusal(error)) throw error;
    }
    await pause(RETRY_MS, signal);
  }
}

/**
 * Reads until the server answers or refuses, as `follow` does: what follows events survives the same failures as they do.
 *
 * @throws Problem if the server refuses.
 */
export async function untilAnswered<Value>(
  read: () => Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (signal.aborted || isRefusal(error)) throw error;
    }
    await pause(RETRY_MS, signal);
    signal.throwIfAborted();
  }
}

/** A session that has ended may be renewed by another request. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Problem && error.status < 500 && error.status !== 401;

/** Joins what arrives within a time of the first one, so that a burst is shown as one change. */
export async function* inBatches<Each>(
  source: AsyncIterator<Each>,
  withinMs: number,
  signal: AbortSignal,
): AsyncGenerator<Each[]> {
  const ask = (): Promise<IteratorResult<Each>> => {
    const asked = source.next();
    // It is thrown when it is awaited, which may be later or never.
    asked.catch(() => {});
    return asked;
  };
  let next = ask();
  for (;;) {
    const first = await next;
    if (first.done === true) return;
    const batch = [first.value];
    const deadline = pause(withinMs, signal);
    next = ask();
    for (;;) {
      const more = await Promise.race([next, deadline]);
      if (more === undefined || more.done === true) break;
      batch.push(more.value);
      next = ask();
    }
    yield batch;
  }
}

async function* eventsIn({ body }: Response): AsyncGenerator<ServerEvent> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

/** The event of a block; undefined for a comment, which only keeps the connection open. */
function parseEvent(block: string): ServerEvent | undefined {
  const fields = new Map(
    block.split("\n").map((line) => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
  const name = fields.get("event");
  if (name === undefined) return undefined;
  return { name, id: fields.get("id"), data: JSON.parse(fields.get("data") ?? "null") as unknown };
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
