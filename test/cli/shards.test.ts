import { createWorkflowClient } from "@oxbow/sdk";
import { describe, expect, it } from "vitest";
import { documents, oxbow } from "../helpers/command.ts";
import { createDatabase } from "../helpers/database.ts";
import { createFleet } from "../helpers/fleet.ts";

describe("oxbow shards", () => {
  it("makes a fleet of a database with runs and an empty one, and shows it", async () => {
    const [first, second] = [await createDatabase(), await createDatabase({ empty: true })];
    const key = { idempotencyKey: "kept" };
    await using alone = createWorkflowClient({ url: first.url });
    const before = await alone.start("greet", {}, key);

    const shards = [`a=${first.url}`, `b=${second.url}`];
    const made = await oxbow(["shards", "init", ...shards, "--json"]);
    expect(made.code).toBe(0);
    expect(documents(made)).toMatchObject([{ joined: ["a", "b"], keptSlots: 1 }]);
    const again = await oxbow(["shards", "init", ...shards]);
    expect(again).toMatchObject({ code: 0, stderr: "All of them were in the fleet already." });
    const status = await oxbow(["shards", "status", ...shards, "--json"]);
    expect(documents(status)).toEqual([
      [
        { name: "a", state: "joined", slots: 512, blocks: [0] },
        { name: "b", state: "joined", slots: 512, blocks: [1] },
      ],
    ]);

    await using client = createWorkflowClient({ shards: { a: first.url, b: second.url } });
    const found = await client.start("greet", {}, key);
    expect(found).toMatchObject({ runId: before.runId, created: false });
  });

  it("refuses a second shard with runs, before it changes anything", async () => {
    const [first, second] = [await createDatabase(), await createDatabase()];
    await using alone = createWorkflowClient({ url: second.url });
    await alone.start("greet");
    const shards = [`a=${first.url}`, `b=${second.url}`];
    const refused = await oxbow(["shards", "init", ...shards]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('shard "b" has runs or messages');
    const status = await oxbow(["shards", "status", ...shards]);
    expect(status.code).toBe(1);
    expect(status.stdout.match(/alone/g)).toHaveLength(2);
  });

  it("refuses another set of shards, names that can't be, and no shards", async () => {
    const [first, second] = [await createDatabase(), await createDatabase()];
    expect((await oxbow(["shards", "init", `a=${first.url}`])).code).toBe(0);
    const more = await oxbow(["shards", "init", `a=${first.url}`, `b=${second.url}`]);
    expect(more.stderr).toContain("can't be added to a fleet yet");
    expect((await oxbow(["shards", "init", `A=${first.url}`])).stderr).toContain(
      'Invalid name "A"',
    );
    expect((await oxbow(["shards", "status"])).stderr).toContain("QUEUE_SHARDS");
    expect((await oxbow(["shards", "status", "b"])).stderr).toContain('Invalid shard "b"');
  });
});

it("lets other commands use the shards of QUEUE_SHARDS", async () => {
  const { shards } = await createFleet();
  const env = { QUEUE_SHARDS: `a=${shards["a"]} b=${shards["b"]}` };
  for (let n = 0; n < 4; n++) expect((await oxbow(["start", "greet"], { env })).code).toBe(0);
  const listed = documents(await oxbow(["runs", "list", "--json"], { env }));
  expect(listed).toHaveLength(4);
});
