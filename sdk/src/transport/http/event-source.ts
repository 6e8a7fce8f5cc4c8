/** Reads server-sent events, and sets the stream up again when it breaks. */
import { sleep } from "../../core/sleep.ts";
import type { HttpConnection } from "./connection.ts";

const RETRY_MS = 500;

export interface ServerEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

/** The events of one connection; ends when it does. */
export async function* readEvents(response: Response): AsyncGenerator<ServerEvent, void> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = field(block, "event");
      if (event === undefined) continue;
      yield { event, id: field(block, "id"), data: JSON.parse(field(block, "data") ?? "null") };
    }
  }
}

const field = (block: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];

/** Calls back for every event until the signal aborts, over as many connections as it takes. */
export async function followEvents(
  connection: HttpConnection,
  path: string,
  signal: AbortSignal,
  on: { event(event: ServerEvent): void; connected(isConnected: boolean): void },
): Promise<void> {
  while (!signal.aborted) {
    try {
      const response = await connection.open(path, { method: "GET", signal, waitMs: 2 ** 30 });
      on.connected(true);
      for await (const event of readEvents(response)) on.event(event);
    } catch {
      // A hint that is lost is made up for by polling.
    }
    on.connected(false);
    await sleep(RETRY_MS, signal);
  }
}
