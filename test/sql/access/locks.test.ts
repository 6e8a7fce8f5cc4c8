/** Advisory locks, which anyone who may connect can take: where they are left, and what stands still without them. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { createDefinition, documentOf, publishDefinition } from "../../helpers/definitions.ts";
import { newQueue, receiveFifo, sendFifo } from "../../helpers/queues.ts";
import { openSession } from "../../helpers/session.ts";

const database = await createDatabase();
const SOURCE = fileURLToPath(new URL("../../../extension-sql/src", import.meta.url));

/** The files that take advisory locks. SECURITY.md has what each of them stops. */
const REMAINING = [
  "flow_control/admission/_admit_runs.sql",
  "flow_control/flow_charge.sql",
  "flow_control/workflow_set_flow_control.sql",
  "foundation/clock/_correct_clock_setback.sql",
  "foundation/ids/_skip_lost_ids.sql",
  "foundation/locks/_await_lock.sql",
  "foundation/wake/_is_awaited.sql",
  "queue/groups/_lock_groups.sql",
  "queue/groups/_try_lock_groups_shared.sql",
  "queue/groups/_try_lock_promotions.sql",
  "queue/receive/_send_dead_letters.sql",
  "shard/accept/_accept_keys.sql",
  "shard/accept/_accept_run.sql",
  "shard/hand_over_group.sql",
  "shard/routes/_lock_homes.sql",
  "shard/routes/_lock_slots.sql",
];

const stranger = `stranger_${randomBytes(6).toString("hex")}`;

await database.query(`create role ${stranger}`);
const intruder = await openSession(database);
await intruder.query(`set role ${stranger}`);
const owner = await openSession(database);
await owner.query("set lock_timeout = '500ms'");

afterAll(async () => {
  await intruder.query("reset role");
  await database.query(`drop role ${stranger}`);
});

it("advisory locks are taken only where SECURITY.md says so", () => {
  const found = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
    (file) =>
      file.endsWith(".sql") &&
      /pg_(try_)?advisory_(xact_)?lock/.test(
        readFileSync(`${SOURCE}/${file}`, "utf8").split("\ncomment on ")[0] ?? "",
      ),
  );
  expect(found.toSorted()).toEqual(REMAINING);
});

describe("a login without any right", () => {
  it("doesn't stop queues, subscriptions, definitions or samples by locks of these names", async () => {
    const names = ["queue.migrate", "oxbow:publish", "oxbow:queue_depths", "oxbow:relays"];
    const created = ["fresh", "__wf_started", "__wf_declared", "__wf_@default"];
    for (const name of [
      ...names,
      ...created.map((queue) => `oxbow:create:${queue}`),
      "oxbow:subscribe:paid",
    ]) {
      await intruder.query("select pg_advisory_lock(hashtextextended($1, 0))", [name]);
    }
    await owner.query("select queue.migrate(), queue.create_queue('fresh')");
    await owner.query("select queue.subscribe('paid', 'queue', 'fresh')");
    await owner.query("select queue.workflow_start('started')");
    const revision = await createDefinition(owner, documentOf("declared"));
    await publishDefinition(owner, "declared", revision);
    await owner.query("select queue.queue_depths_sample()");
    expect(await owner.query("select from queue.depth_span")).toHaveLength(1);
    await intruder.query("select pg_advisory_unlock_all()");
  });

  it("delays senders of a FIFO queue, which learn who it is", async () => {
    const queue = await newQueue(database, { fifo: true });
    await intruder.query("select pg_advisory_lock($1)", [await keyOf(queue)]);
    await expect(sendFifo(owner, queue, 1, "group")).rejects.toMatchObject({
      code: "55P03",
      message: `message groups of queue "${queue}" stayed locked, by the processes ${intruder.pid}`,
      hint: expect.stringContaining("Repeat") as string,
    });
    const waiting = await openSession(database);
    const sent = sendFifo(waiting, queue, 1, "group");
    await waiting.isBlocked(intruder);
    await intruder.query("select pg_advisory_unlock_all()");
    await sent;
    expect(await waiting.query("show lock_timeout")).toEqual([{ lock_timeout: "0" }]);
  });
});

it("SECURITY.md takes advisory locks from logins that aren't Oxbow's", async () => {
  const closed = await createDatabase();
  const queue = await newQueue(closed, { fifo: true });
  const security = readFileSync(new URL("../../../SECURITY.md", import.meta.url), "utf8");
  await closed.query(/```sql\n(do .*?)```/s.exec(security)?.[1] ?? "");
  const session = await openSession(closed);
  await session.query(`set role ${stranger}`);
  await expect(session.query("select pg_try_advisory_lock(1)")).rejects.toMatchObject({
    code: "42501",
  });
  await session.query("set role oxbow_producer");
  await sendFifo(session, queue, 1, "group");
  await session.query("set role oxbow_worker");
  await session.query("select pg_advisory_lock_shared(queue.wake_key('queue_orders'))");
  expect(await receiveFifo(session, queue)).toHaveLength(1);
});

it("a name is locked until the transaction ends, by one at a time, and leaves no dead row", async () => {
  const [one, other] = [await openSession(database), await openSession(database)];
  await one.query("begin");
  await one.query("select queue._lock_name('n'), queue._lock_name('n')");
  expect(await other.query("select queue._try_lock_name('n') as got")).toEqual([{ got: false }]);
  expect(await other.query("select queue._try_lock_name('m') as got")).toEqual([{ got: true }]);
  const second = other.query("select queue._lock_name('n')");
  await other.isBlocked(one);
  await one.query("rollback");
  await second;
  const [row] = await database.query(
    "select count(*)::integer as rows, pg_relation_size('queue.name_lock')::integer as bytes from queue.name_lock",
  );
  await database.query(
    "do $$ begin for n in 1..2000 loop perform queue._lock_name('n'); end loop; end $$",
  );
  expect(
    await database.query(
      "select 1024 as rows, pg_relation_size('queue.name_lock')::integer as bytes",
    ),
  ).toEqual([row]);
});

async function keyOf(queue: string): Promise<unknown> {
  const [row] = await database.query("select queue._group_lock_key($1, 'group')::text as key", [
    queue,
  ]);
  return row?.["key"];
}
