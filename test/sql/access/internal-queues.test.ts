/** Internal queues: no role uses them by the functions of queues. */
import { beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { newQueue, only } from "../../helpers/queues.ts";
import { createSchedule } from "../../helpers/schedules.ts";
import { openSession, type Session } from "../../helpers/session.ts";
import { publish, subscribe } from "../../helpers/topics.ts";

const database = await createDatabase();
const INTERNAL = ["__http", "__topic_dead_letters", "__schedules", "__wf_ship"];
const ROLES = ["oxbow_producer", "oxbow_worker", "oxbow_reader", "oxbow_admin", undefined];

/** Every function that takes the name of a queue and does something with it. */
const CALLS: Readonly<Record<string, string>> = {
  send: "queue.send($1, '{}')",
  send_batch: "queue.send_batch($1, array['{}'::jsonb])",
  send_fifo: "queue.send_fifo($1, '{}', 'group')",
  send_fifo_batch: "queue.send_fifo_batch($1, array['{}'::jsonb], '{group}')",
  receive: "queue.receive($1)",
  receive_fifo: "queue.receive_fifo($1)",
  peek: "queue.peek($1)",
  receive_arrays: "queue.receive_arrays($1)",
  change_visibility: "queue.change_visibility($1, 1, 0)",
  change_visibility_batch: "queue.change_visibility_batch($1, '{1}', 0)",
  give_back_batch: "queue.give_back_batch($1, '{1}')",
  delete: "queue.delete($1, 1)",
  delete_batch: "queue.delete_batch($1, '{1}')",
  purge_queue: "queue.purge_queue($1)",
  drop_queue: "queue.drop_queue($1)",
  move_messages: "queue.move_messages($1, 'elsewhere')",
  alter_queue: "queue.alter_queue($1, '{}')",
  expire_messages: "queue.expire_messages($1)",
  grant_queue: "queue.grant_queue($1, 'oxbow_producer', 'send')",
  create_queue: "queue.create_queue('letters', max_receives => 1, dead_letter_queue => $1)",
  subscribe: "queue.subscribe('#', 'queue', $1)",
};
/** They only read, or take back. */
const HARMLESS = [
  "get_queue",
  "queue_stats",
  "queue_depths",
  "queue_depths_sample",
  "next_visible_at",
  "revoke_queue",
  "hand_over_group",
  // They don't find internal queues: see test/sql/sqs.
  "sqs_create_queue",
  "sqs_find_queue",
  "sqs_purge_queue",
  "sqs_tag_queue",
];

async function as(role: string | undefined): Promise<Session> {
  const session = await openSession(database);
  if (role !== undefined) await session.query(`set role "${role}"`);
  return session;
}

async function codeOf(session: Session, call: string, queue: string): Promise<unknown> {
  try {
    await session.query(`select ${call}`, [queue]);
    return "not refused";
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

const contents = () =>
  database.query(
    `select q.name, s.visible, s.in_flight, s.delayed, s.total_sent
     from queue.list_queues() as q cross join queue.queue_stats(q.name) as s where q.name like '\\_\\_%'`,
  );

beforeAll(async () => {
  await subscribe(database, "hook", { http: "https://example.org/hook" });
  await publish(database, "hook", { n: 1 });
  await createSchedule(database, { name: "s", workflow: "w", every_seconds: 60 });
  await database.query("select queue.workflow_start('ship', '{}')");
});

describe("an internal queue", () => {
  it("is refused by every function that takes the name of a queue", async () => {
    const before = await contents();
    for (const role of ROLES) {
      const session = await as(role);
      for (const [name, call] of Object.entries(CALLS)) {
        for (const queue of INTERNAL) {
          const code = await codeOf(session, call, queue);
          // Only who may call the function at all learns why.
          const isAllowed = role === undefined || (await mayCall(role, name));
          expect([role, name, queue, code]).toEqual([
            role,
            name,
            queue,
            isAllowed ? "OX007" : "42501",
          ]);
        }
      }
    }
    expect(await contents()).toEqual(before);
  });

  it("is the concern of no other function", async () => {
    const rows = await database.query<{ name: string }>(
      `select distinct p.proname as name
       from pg_proc as p
       where p.pronamespace = 'queue'::regnamespace
         and p.proname !~ '^_'
         and p.prokind = 'f'
         and (p.proargnames && array['queue', 'queue_name', 'dead_letter_queue']
           or p.proname like '%queue' or p.proname like 'queue%')`,
    );
    const known = new Set([...Object.keys(CALLS), ...HARMLESS, "redrive"]);
    expect(rows.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
  });

  it("has tables and functions that no role of Oxbow may touch", async () => {
    expect(
      await database.query(
        `select r.role, p.proname
         from unnest($1::text[]) as r (role), pg_proc as p
         where p.pronamespace = 'queue'::regnamespace
           and p.proname ~ '^_(send|receive|groups|delete)_q_'
           and has_function_privilege(r.role, p.oid, 'execute')`,
        [ROLES.filter((role) => role !== undefined)],
      ),
    ).toEqual([]);
  });

  it("is read by statistics", async () => {
    const reader = await as("oxbow_reader");
    expect(
      await reader.query(
        "select (queue.queue_stats('__http')).visible, queue.next_visible_at('__http')",
      ),
    ).toMatchObject([{ visible: "1" }]);
  });

  it("can't be reached by way of a dead letter queue, nor a topic of Oxbow's own", async () => {
    const producer = await as("oxbow_producer");
    await expect(publish(producer, "oxbow.subscription.disabled", {})).rejects.toMatchObject({
      code: "OX004",
    });
  });
});

it("deliveries to urls are only for the administrator's role, which servers have", async () => {
  for (const call of [
    "queue.deliveries_receive()",
    "queue.deliveries_succeeded('{1}', '{1}')",
    "queue.deliveries_give_back('{1}')",
    "queue.delivery_failed(1, 'forged', '0')",
    "queue.delivery_retry(1, 1)",
    "queue.delivery_abandon(1, 'forged')",
    "queue.deliveries_list()",
    "queue.deliveries_get(1)",
    "queue.deliveries_resend('{1}')",
    "queue.deliveries_sweep(0)",
    "queue.topic_dead_letters()",
    "queue.redrive_topic_dead_letters()",
    "queue.delete_topic_dead_letters('{1}')",
  ]) {
    for (const role of ["oxbow_producer", "oxbow_worker", "oxbow_reader"]) {
      const session = await as(role);
      await expect(session.query(`select ${call}`)).rejects.toMatchObject({ code: "42501" });
    }
  }
  const admin = await as("oxbow_admin");
  expect(only(await admin.query("select url from queue.deliveries_receive(10)"))).toEqual({
    url: "https://example.org/hook",
  });
});

describe("dead letters of topics", () => {
  it("are listed in pages, redriven and deleted, all or those of one subscription", async () => {
    const fifo = await newQueue(database, { fifo: true });
    const broken = await subscribe(
      database,
      "letter",
      { queue: fifo },
      { options: { group: "g" } },
    );
    const other = await subscribe(
      database,
      "letter",
      { queue: fifo },
      { options: { group: "h" }, filter: {} },
    );
    for (const n of [1, 2, 3]) await publish(database, "letter", { n }, { trace: "t" });
    const list = (after: string | null, max: number, subscription: string | null) =>
      database.query<{ letter_id: string; message: { n: number } }>(
        "select * from queue.topic_dead_letters($1, $2, $3)",
        [after, max, subscription],
      );
    const all = await list(null, 100, null);
    expect(all).toHaveLength(6);
    expect(all[0]).toMatchObject({
      subscription_id: broken,
      target_type: "queue",
      target: fifo,
      topic: "letter",
      reason: expect.stringContaining("g"),
      attempts: null,
      message: { n: 1 },
      headers: { trace: "t" },
    });
    const first = await list(null, 2, other);
    const second = await list(first[1]?.letter_id ?? "", 2, other);
    expect([...first, ...second].map(({ message }) => message.n)).toEqual([1, 2, 3]);

    await database.query(
      `update queue.subscription set options = '{}' where subscription_id = $1`,
      [broken],
    );
    const redriven = await database.query("select queue.redrive_topic_dead_letters(10, $1) as n", [
      broken,
    ]);
    expect(redriven).toEqual([{ n: "3" }]);
    expect(await list(null, 100, broken)).toEqual([]);
    const letters = await list(null, 100, null);
    expect(letters).toHaveLength(3);
    const ids = letters.map(({ letter_id: id }) => id);
    expect(
      await database.query("select queue.delete_topic_dead_letters($1)", [[...ids, "987654321"]]),
    ).toHaveLength(3);
    expect(await list(null, 100, null)).toEqual([]);
    await expect(list(null, 0, null)).rejects.toMatchObject({ code: "OX004" });
  });

  it("don't exist before the first subscription", async () => {
    const empty = await createDatabase();
    expect(await empty.query("select * from queue.topic_dead_letters()")).toEqual([]);
    expect(await empty.query("select queue.redrive_topic_dead_letters() as n")).toEqual([
      { n: "0" },
    ]);
    expect(await empty.query("select queue.delete_topic_dead_letters('{1}')")).toEqual([]);
    expect(await empty.query("select * from queue.deliveries_receive()")).toEqual([]);
    expect(await empty.query("select * from queue.schedule_receive()")).toEqual([]);
  });
});

/** Looks into the matrix. */
async function mayCall(role: string, name: string): Promise<boolean> {
  const rows = await database.query(
    "select from queue._privileges() where grantee = $1 and function_name = $2",
    [role, name],
  );
  return rows.length > 0;
}
