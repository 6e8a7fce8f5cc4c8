import { readFileSync } from "node:fs";
import { createWorkflowClient } from "@oxbow/sdk";
import { connect } from "@oxbow/sdk/internal/declared";
import { partsOf } from "@oxbow/sdk/internal/rooms";
import { expect, it } from "vitest";
import { CATALOG, DEFINITIONS, RESOURCES, TRIGGER_HOOKS, TRIGGERS } from "./rooms.ts";

const ROOMS = [CATALOG, DEFINITIONS, RESOURCES, TRIGGER_HOOKS, TRIGGERS];
const URL_OF_NOTHING = "postgres://127.0.0.1:1/none";

it("are refused over several shards, as the guide says", async () => {
  await using client = createWorkflowClient({ shards: { a: URL_OF_NOTHING } });
  const { transport } = partsOf(client);
  const guide = readFileSync(
    new URL("../../../docs/guides/shards.md", import.meta.url),
    "utf8",
  ).toLowerCase();
  const [, section = ""] = guide.split("## not supported yet");
  for (const room of ROOMS) {
    const calls = transport.room<unknown>(room) as Record<string, () => Promise<unknown>>;
    await expect(calls["anything"]?.()).rejects.toThrow(`${room.title} over several shards`);
    expect(section).toContain(room.title.toLowerCase());
  }
});

it.each(["postgres", "http"])("are opened once by a transport over %s", async (scheme) => {
  const transport = connect({ url: URL_OF_NOTHING.replace("postgres", scheme) });
  for (const room of ROOMS) {
    expect(transport.room<unknown>(room)).toBe(transport.room<unknown>(room));
  }
  await transport.close();
});

it("are opened again by a transport that acts for a caller", async () => {
  const transport = connect({ url: URL_OF_NOTHING });
  const acting = transport.actingFor?.({ actor: "ada", kind: "user" });
  expect(acting?.room(DEFINITIONS)).not.toBe(transport.room(DEFINITIONS));
  expect(acting?.room(DEFINITIONS)).toBe(acting?.room(DEFINITIONS));
  await transport.close();
});
