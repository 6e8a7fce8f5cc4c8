import { expect, it } from "vitest";
import { readEvents } from "./event-source.ts";

async function read(...pieces: string[]): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of readEvents(ReadableStream.from(pieces))) events.push(event);
  return events;
}

it("reads events in any pieces, without comments", async () => {
  expect(
    await read("event: chu", 'nk\nid: 7\ndata: {"n":1}\n', "\n: beat\n\nevent: end\n\n"),
  ).toEqual([
    { event: "chunk", id: "7", data: { n: 1 } },
    { event: "end", id: undefined, data: null },
  ]);
});

it("reads data whole with U+2028 and U+2029, which JSON leaves in texts", async () => {
  const text = "one\u2028event: two\u2029three";
  const [event] = await read(`event: chunk\ndata: ${JSON.stringify(text)}\n\n`);
  expect(event).toEqual({ event: "chunk", id: undefined, data: text });
});
