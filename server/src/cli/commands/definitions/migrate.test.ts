import { expect, it, vi } from "vitest";
import { migrateAll, type MigrationClient } from "./migrate.ts";

it("finishes the runs under way, and counts them, if the others can't be listed", async () => {
  vi.spyOn(console, "log").mockImplementation(() => {});
  const lost = new Error("The server is away.");
  let onLost = (): void => {};
  const isLost = new Promise<void>((resolve) => {
    onLost = resolve;
  });
  async function* listed(): AsyncGenerator<string> {
    yield* ["1", "2"];
    await Promise.resolve();
    setTimeout(onLost, 20);
    throw lost;
  }
  const migrate = async (_name: string, runId: string): Promise<object> => {
    await isLost;
    return { runId, migrated: runId === "1", from: 1, to: 2 };
  };
  const client = { definitions: { migrate } } as unknown as MigrationClient;
  expect(await migrateAll(client, "page", listed(), {})).toEqual({
    moved: 1,
    unchanged: 1,
    refused: 0,
    failures: [],
    stoppedBy: lost,
  });
  vi.restoreAllMocks();
});
