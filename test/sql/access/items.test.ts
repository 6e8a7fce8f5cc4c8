/** Items between shards: only roles that may move them can, and they reach nothing that is Oxbow's own. */
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { createFleet } from "../../helpers/fleet.ts";
import { startIn } from "../../helpers/outbox.ts";
import { openSession } from "../../helpers/session.ts";
import { subscribe } from "../../helpers/topics.ts";

const MOVE = [
  "queue.accept(null, 1, 1, clock_timestamp(), array[1], array['cancel'], array['c'], array['{}'::jsonb])",
  "queue.outbox_take('a')",
  "queue.outbox_done(0, 0, array[1], array['ok'], array[null])",
  "queue.outbox_pending()",
  "queue.leaving_groups()",
  "queue.hand_over_group('orders', 'g')",
];
const ROLES = [
  "oxbow_producer",
  "oxbow_worker",
  "oxbow_reader",
  "oxbow_author",
  "oxbow_publisher",
] as const;

const alone = await createDatabase();
await subscribe(alone, "hook", { http: "https://example.org/hook" });
const { a: shard } = (await createFleet()).databases;
await subscribe(shard, "hook", { http: "https://example.org/hook" });
const [row] = await shard.query<{ id: string }>("select fleet_id as id from queue.fleet");
const fleetId = row?.id ?? "";

/** Arguments of `accept` for one item; each may be replaced. */
function acceptOf(
  kind: string,
  body: unknown,
  changed: Readonly<Record<string, string>> = {},
): string {
  const given = {
    fleet_id: `'${fleetId}'`,
    source: "1",
    target: "0",
    read_at: "clock_timestamp()",
    item_ids: "array[900001]",
    kinds: `array['${kind}']`,
    causes: `array['forged:${kind}']`,
    bodies: `array['${JSON.stringify(body)}'::jsonb]`,
    ...changed,
  };
  return `select * from queue.accept(${Object.entries(given)
    .map(([name, value]) => `${name} => ${value}`)
    .join(", ")})`;
}

const letter = { message: { type: "forged" }, sentAt: "2026-01-01T00:00:00Z", receives: 0 };

describe("items", () => {
  it.each(ROLES)("are moved by no member of %s", async (role) => {
    const session = await openSession(shard);
    await session.query(`set role ${role}`);
    for (const call of MOVE) {
      await expect(session.query(`select ${call}`)).rejects.toMatchObject({ code: "42501" });
    }
  });

  it("are accepted by no database that is in no fleet, whatever is null", async () => {
    const run = await startIn(alone);
    for (const changed of [
      { fleet_id: "null", target: "null" },
      { fleet_id: "null" },
      { fleet_id: "null", target: "null", source: "null", read_at: "null" },
    ]) {
      for (const [kind, body] of [
        ["cancel", { run }],
        ["start", { workflow: "forged" }],
        ["group", { queue: "__http", group: "g", messages: [letter] }],
      ] as const) {
        await expect(alone.query(acceptOf(kind, body, changed))).rejects.toMatchObject({
          code: "OX028",
        });
      }
    }
    expect(await alone.query("select status from queue.workflow_get($1)", [run])).toEqual([
      { status: "running" },
    ]);
  });

  it.each([
    ["fleet_id", "OX028"],
    ["target", "OX028"],
    ["source", "OX004"],
    ["read_at", "OX004"],
    ["item_ids", "OX004"],
    ["kinds", "OX004"],
    ["causes", "OX004"],
    ["bodies", "OX004"],
  ])("are refused with %s null", async (name, code) => {
    const run = await startIn(shard);
    await expect(
      shard.query(acceptOf("cancel", { run }, { [name]: "null" })),
    ).rejects.toMatchObject({ code });
  });

  it.each([
    ["kinds", "array[null]::text[]"],
    ["causes", "array['a', 'b']"],
    ["bodies", "array[]::jsonb[]"],
    ["item_ids", "array[null]::bigint[]"],
  ])("are refused with %s that don't fit the others", async (name, value) => {
    const run = await startIn(shard);
    await expect(shard.query(acceptOf("cancel", { run }, { [name]: value }))).rejects.toMatchObject(
      { code: "OX004" },
    );
  });

  it.each(["__http", "__topic_dead_letters", "__schedules", "__wf_crossed"])(
    "never write to %s",
    async (queue) => {
      await startIn(shard);
      const sizes = "select (queue.queue_stats($1)).total_sent";
      const before = await shard.query(sizes, [queue]).catch(() => []);
      const [group] = await shard.query(
        acceptOf(
          "group",
          { queue, group: "g", messages: [letter] },
          { causes: `array['${queue}']` },
        ),
      );
      expect(group).toMatchObject({
        outcomes: ["rejected"],
        problems: [`queue "${queue}" belongs to Oxbow`],
      });
      const [groups] = await shard.query(
        acceptOf("groups", { groups: [[1, queue, "g"]] }, { causes: `array['${queue}:groups']` }),
      );
      expect(groups).toMatchObject({ outcomes: ["rejected"] });
      expect(await shard.query(sizes, [queue]).catch(() => [])).toEqual(before);
    },
  );
});
