/** Reads server-sent events, and sets the stream up again when it breaks. */
import { sleep } from "../../async/sleep.ts";
import type { HttpConnection } from "./connection.ts";

const RETRY_MS = 500;

export interface ServerEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

/** The events of one connection; ends when it does. */
export async function* readEvents(
  pieces: AsyncIterable<string>,
): AsyncGenerator<ServerEvent, void> {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = field(block, "event");
      if (event === undefined) continue;
      yield { event, id: field(block, "id"), data: JSON.parse(field(block, "data") ?? "null") };
    }
  }
}

/** Not by a pattern, for which U+2028 in a text would end the line. */
const field = (block: string, name: string): string | undefined =>
  block
    .split("\n")
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);

/** Calls back for every event until the signal aborts, over as many connections as it takes. */
export async function followEvents(
  connection: HttpConnection,
  path: string,
  signal: AbortSignal,
  on: { event(event: ServerEvent): void; connected(isConnected: boolean): void },
): Promise<void> {
  while (!signal.aborted) {
    try {
      const pieces = await connection.stream(path, { method: "GET", signal });
      on.connected(true);
      for await (const event of readEvents(pieces)) on.event(event);
    } catch {
      // A hint that is lost is made up for by polling.
    }
    on.connected(false);
    await sleep(RETRY_MS, signal);
  }
}
