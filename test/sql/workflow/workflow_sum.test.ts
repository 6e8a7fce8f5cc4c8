import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";

const database = await createDatabase();

/** A run with tags that has published a value. */
async function publish(name: string, tags: unknown, value: unknown, key = "usage"): Promise<void> {
  await database.query(
    `with started as (
       select run_id from queue.workflow_start($1, 'null', tags => $2::jsonb)
     )
     insert into queue.workflow_run_state (run_id, set_at, key, value)
     select run_id, clock_timestamp(), $4, $3::jsonb from started`,
    [name, JSON.stringify(tags), JSON.stringify(value), key],
  );
}

const sum = (
  key: string | null,
  filter: unknown,
  byTag: string | null = null,
  maxGroups: number | null = 1_000,
): Promise<unknown[]> =>
  database.query("select tag, runs::int, sums from queue.workflow_sum($1, $2::jsonb, $3, $4)", [
    key,
    JSON.stringify(filter),
    byTag,
    maxGroups,
  ]);

describe("sums of a published value", () => {
  it("are grouped by a tag, the group with the most runs first", async () => {
    await publish("agent", { tenant: "acme" }, { calls: 2, cost: 0.1 });
    await publish("agent", { tenant: "acme" }, { calls: 3, cost: 0.2 });
    await publish("agent", { tenant: "b" }, { calls: 1, cost: 4 });
    await publish("agent", {}, { calls: 7 });
    await publish("another", { tenant: "acme" }, { calls: 100 });
    await database.query("select queue.workflow_start('agent', 'null')");
    expect(await sum("usage", { name: "agent" }, "tenant")).toEqual([
      { tag: "acme", runs: 2, sums: { calls: 5, cost: 0.3 } },
      { tag: "b", runs: 1, sums: { calls: 1, cost: 4 } },
      { tag: null, runs: 1, sums: { calls: 7 } },
    ]);
    expect(await sum("usage", { name: "agent" }, "tenant", 1)).toHaveLength(1);
    expect(await sum("usage", { name: "agent", tags: { tenant: "b" } })).toEqual([
      { tag: null, runs: 1, sums: { calls: 1, cost: 4 } },
    ]);
    expect(await sum("usage", { name: "nothing" })).toEqual([]);
  });

  it("count what is a number, and nothing else", async () => {
    await publish("mixed", {}, { a: 1, b: "2", c: null, d: [3] });
    await publish("mixed", {}, 4);
    await publish("mixed", {}, "5");
    await publish("mixed", {}, null);
    await publish("mixed", {}, { a: 1e300 });
    expect(await sum("usage", { name: "mixed" })).toEqual([
      { tag: null, runs: 5, sums: { "": 4, a: 1e300 } },
    ]);
  });

  it.each([
    [null, null, 1, /invalid key/],
    ["", null, 1, /invalid key ""/],
    ["usage", null, 0, /invalid max_groups 0/],
    ["usage", null, null, /invalid max_groups/],
  ])("of key %o by %o, at most %o, are refused", async (key, tag, groups, message) => {
    await expect(sum(key, {}, tag, groups)).rejects.toThrow(message);
  });
});
