import { expect, it } from "vitest";
import { migrateRun } from "./migration.ts";

const RECORDING = {
  workflow: "ship",
  version: 1,
  status: "running",
  journal: [],
  waits: [],
  retries: [],
};
const NAMED = { name: "ship", runId: "7", version: 2, waitMs: 60_000 };

it.each(["executing", "advanced"])(
  "a migration that nobody awaits ends, rather than looking without a pause at a run that is %s",
  async (outcome) => {
    const leaving = new AbortController();
    let looks = 0;
    const definitions = {
      config: () => Promise.resolve([]),
      document: (_name: string, version = 2) => Promise.resolve({ version, document: {} }),
      migrate: () => {
        looks += 1;
        if (looks === 2) leaving.abort(new Error("left"));
        return Promise.resolve(outcome);
      },
    };
    const none = { types: () => Promise.resolve([]) };
    const catalog = { nodeTypes: () => Promise.resolve([]) };
    const reader = { definitions, catalog, resources: none, triggers: none };
    const tools = { departureOf: () => Promise.resolve(undefined) };
    const migrated = migrateRun(
      reader as never,
      tools as never,
      NAMED,
      () => Promise.resolve(RECORDING as never),
      leaving.signal,
    );
    await expect(migrated).rejects.toThrow("left");
    expect(looks).toBe(2);
  },
);
