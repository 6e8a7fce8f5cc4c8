import { randomBytes } from "node:crypto";
import { migrate } from "@oxbow/sdk/internal/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually } from "../../helpers/eventually.ts";
import {
  acknowledge,
  messages,
  newMortalQueue,
  newQueue,
  only,
  receive,
  receiveFifo,
  send,
  sendFifo,
} from "../../helpers/queues.ts";
import { openSession, type Session } from "../../helpers/session.ts";
import { publish, subscribe } from "../../helpers/topics.ts";

const database = await createDatabase();
const ROLES = ["oxbow_producer", "oxbow_worker", "oxbow_reader", "oxbow_admin"];
const DENIED = { code: "42501" };

/** A session that has the rights of a role. */
async function as(role: string): Promise<Session> {
  const session = await openSession(database);
  await session.query(`set role "${role}"`);
  return session;
}

/** A unique role that may not log in. */
async function newRole(memberOf?: string): Promise<string> {
  const role = `test'"${randomBytes(6).toString("hex")}`;
  const quoted = `"${role.replaceAll('"', '""')}"`;
  await database.query(`create role ${quoted}`);
  if (memberOf !== undefined) await database.query(`grant ${memberOf} to ${quoted}`);
  onTestFinished(async () => {
    await database.query(`drop owned by ${quoted}`);
    await database.query(`drop role ${quoted}`);
  });
  return role.replaceAll('"', '""');
}

describe("the matrix of privileges", () => {
  it("names every function for callers, and no other but the former name of wake_key", async () => {
    const rows = await database.query(
      `select p.proname as function, m.function_name is not null as is_granted
       from pg_proc as p
       left join (select distinct function_name from queue._privileges()) as m
         on m.function_name = p.proname
       where p.pronamespace = 'queue'::regnamespace
         and (m.function_name is not null) <> (p.proname !~ '^_')`,
    );
    expect(rows.map((row) => String(row["function"])).toSorted()).toEqual([
      "_wake_key",
      "create_roles",
    ]);
    expect(
      await database.query(
        `select m.function_name from queue._privileges() as m
         where not exists (
           select from pg_proc as p
           where p.pronamespace = 'queue'::regnamespace and p.proname = m.function_name
         )`,
      ),
    ).toEqual([]);
  });

  it("goes with functions that run as their owner, and with no right to any table", async () => {
    await newQueue(database);
    expect(
      await database.query(
        `select p.proname from pg_proc as p
         where p.pronamespace = 'queue'::regnamespace
           -- A trigger function can't be called, and PostgreSQL asks for no right to it when it fires.
           and p.proname <> '_guard_resource'
           and p.prosecdef <> (p.proname !~ '^_' and p.proname not in ('version', 'protocol_version', 'create_roles', 'wake_key'))`,
      ),
    ).toEqual([]);
    expect(
      await database.query(
        `select r.role, c.relname
         from unnest($1::text[]) as r (role), pg_class as c
         where c.relnamespace = 'queue'::regnamespace
           and c.relkind in ('r', 'S', 'v', 'm')
           and case c.relkind
             when 'S' then has_sequence_privilege(r.role, c.oid, 'usage, select, update')
             else has_any_column_privilege(r.role, c.oid, 'select, insert, update')
               or has_table_privilege(r.role, c.oid, 'delete, truncate, references, trigger')
           end`,
        [ROLES],
      ),
    ).toEqual([]);
  });
});

it("peek is for readers, workers and administrators, and for those with the right to receive", async () => {
  const queue = await newQueue(database);
  await send(database, queue, 1);
  const granted = await newRole();
  await database.query("select queue.grant_queue($1, $2, 'receive')", [
    queue,
    granted.replaceAll('""', '"'),
  ]);
  for (const role of ["oxbow_reader", "oxbow_worker", "oxbow_admin", granted]) {
    const session = await as(role);
    expect(await session.query("select message from queue.peek($1)", [queue])).toEqual([
      { message: 1 },
    ]);
  }
  const producer = await as("oxbow_producer");
  await expect(producer.query("select queue.peek($1)", [queue])).rejects.toMatchObject(DENIED);
  const another = await newQueue(database);
  const stranger = await as(granted);
  await expect(stranger.query("select queue.peek($1)", [another])).rejects.toMatchObject(DENIED);
});

describe("a producer", () => {
  it("sends, publishes, starts, signals and cancels, in any queue", async () => {
    const [queue, fifo] = [await newQueue(database), await newQueue(database, { fifo: true })];
    await subscribe(database, "by.producer", { queue });
    const producer = await as("oxbow_producer");
    await send(producer, queue, 1);
    await sendFifo(producer, fifo, 1, "group", "once");
    expect(await publish(producer, "by.producer", {})).toBe(1);
    const { run_id: runId } = only(
      await producer.query("select run_id from queue.workflow_start('by-producer', '{}')"),
    );
    expect(
      await producer.query("select queue.workflow_signal($1, 'e', '{}') as outcome", [runId]),
    ).toEqual([{ outcome: "buffered" }]);
    expect(await producer.query("select queue.workflow_cancel($1) as cancelled", [runId])).toEqual([
      { cancelled: true },
    ]);
  });

  it("doesn't receive, commit, or change a queue", async () => {
    const queue = await newQueue(database);
    const producer = await as("oxbow_producer");
    for (const call of [
      `queue.receive('${queue}')`,
      `queue.delete('${queue}', 1)`,
      "queue.workflow_receive(array['w'])",
      `queue.drop_queue('${queue}')`,
      "queue.create_queue('another')",
      "queue.workflow_list()",
      "queue.migrate()",
    ]) {
      await expect(producer.query(`select ${call}`)).rejects.toMatchObject(DENIED);
    }
  });
});

describe("a worker", () => {
  it("receives, acknowledges and moves dead letters, which it may not send itself", async () => {
    const letters = await newQueue(database);
    const queue = await newMortalQueue(database, letters);
    await send(database, queue, 1);
    const worker = await as("oxbow_worker");
    only(await receive(worker, queue));
    expect(await receive(worker, queue)).toEqual([]);
    const letter = only(await receive(worker, letters));
    expect(await acknowledge(worker, letters, letter)).toBe(true);
    await expect(send(worker, letters, 1)).rejects.toMatchObject(DENIED);
  });

  it("carries runs from step to step", async () => {
    await database.query("select queue.workflow_start('by-worker', '{}')");
    const worker = await as("oxbow_worker");
    const run = only(
      await worker.query("select * from queue.workflow_receive(array['by-worker'])"),
    );
    await worker.query("select queue.workflow_complete_step($1, 'a', '1', null, null, null, $2)", [
      run["run_id"],
      run["receipt"],
    ]);
    expect(
      only(await worker.query("select status from queue.workflow_get($1)", [run["run_id"]])),
    ).toEqual({ status: "completed" });
    await expect(
      worker.query("select queue.workflow_start('by-worker', '{}')"),
    ).rejects.toMatchObject(DENIED);
  });
});

it("a reader looks, and changes nothing", async () => {
  const queue = await newQueue(database);
  const reader = await as("oxbow_reader");
  expect(await reader.query("select visible from queue.queue_stats($1)", [queue])).toEqual([
    { visible: "0" },
  ]);
  expect(await reader.query("select * from queue.check_invariants()")).toEqual([]);
  await reader.query("select * from queue.workflow_list()");
  await expect(send(reader, queue, 1)).rejects.toMatchObject(DENIED);
  await expect(receive(reader, queue)).rejects.toMatchObject(DENIED);
});

describe("grant_queue", () => {
  const grant = "select queue.grant_queue($1, $2, 'send') as is_new";
  const unquoted = async (): Promise<string> => (await newRole()).replaceAll('""', '"');

  it("waits for another that grants the same functions, and lets the installation wait", async () => {
    const [queue, first, second] = [await newQueue(database), await unquoted(), await unquoted()];
    const [one, another] = [await openSession(database), await openSession(database)];
    await one.query("begin");
    await one.query(grant, [queue, first]);
    const waiting = [another.query(grant, [queue, second]), migrate(database.url)];
    await eventually(
      () =>
        database.query(
          "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        ),
      Array.from({ length: 2 }, () => ({})),
    );
    await one.query("commit");
    await Promise.all(waiting);
  });

  it("gives back what a role has lost, though its right to the queue is recorded", async () => {
    const [queue, role] = [await newQueue(database), await unquoted()];
    await database.query(grant, [queue, role]);
    const quoted = `"${role.replaceAll('"', '""')}"`;
    await database.query(`revoke execute on function queue.send from ${quoted}`);
    expect(await database.query(grant, [queue, role])).toEqual([{ is_new: false }]);
    await send(await as(quoted.slice(1, -1)), queue, 1);
  });
});

describe("a role that was granted one queue", () => {
  it("sends to it, or receives from it, and to no other", async () => {
    const [mine, other] = [await newQueue(database), await newQueue(database)];
    const role = await newRole();
    const name = role.replaceAll('""', '"');
    const session = await as(role);
    await expect(send(session, mine, 1)).rejects.toMatchObject(DENIED);

    expect(
      await database.query("select queue.grant_queue($1, $2, 'send') as is_new", [mine, name]),
    ).toEqual([{ is_new: true }]);
    await send(session, mine, 1);
    await expect(send(session, other, 1)).rejects.toMatchObject({
      ...DENIED,
      message: expect.stringContaining(`may not send to queue "${other}"`) as string,
      hint: expect.stringContaining("queue.grant_queue") as string,
    });
    await expect(receive(session, mine)).rejects.toMatchObject(DENIED);
    expect(await session.query("select name from queue.list_queues()")).toEqual([{ name: mine }]);

    await database.query("select queue.grant_queue($1, $2, 'receive')", [mine, name]);
    expect(messages(await receive(session, mine))).toEqual([1]);
    await expect(receive(session, other)).rejects.toMatchObject(DENIED);
    expect(await session.query("select visible from queue.queue_stats($1)", [mine])).toHaveLength(
      1,
    );
    await expect(session.query("select queue.queue_stats($1)", [other])).rejects.toMatchObject(
      DENIED,
    );
  });

  it("loses it by revoke_queue, and with the queue", async () => {
    const queue = await newQueue(database, { fifo: true });
    const role = await newRole();
    const name = role.replaceAll('""', '"');
    const session = await as(role);
    await database.query("select queue.grant_queue($1, $2, 'send')", [queue, name]);
    await sendFifo(session, queue, 1, "group");
    expect(
      await database.query("select queue.revoke_queue($1, $2, 'send') as had", [queue, name]),
    ).toEqual([{ had: true }]);
    await expect(sendFifo(session, queue, 1, "group")).rejects.toMatchObject(DENIED);

    await database.query("select queue.grant_queue($1, $2, 'send')", [queue, name]);
    await database.query("select queue.drop_queue($1)", [queue]);
    await database.query("select queue.create_queue($1)", [queue]);
    await expect(send(session, queue, 1)).rejects.toMatchObject(DENIED);
  });

  it("passes it on to its members", async () => {
    const queue = await newQueue(database);
    const role = await newRole();
    const member = await newRole(`"${role}"`);
    await database.query("select queue.grant_queue($1, $2, 'receive')", [
      queue,
      role.replaceAll('""', '"'),
    ]);
    await send(database, queue, 1);
    const session = await as(member);
    expect(messages(await receive(session, queue))).toEqual([1]);
  });

  it("exists, as do the queue and the privilege", async () => {
    const queue = await newQueue(database);
    for (const [arguments_, code] of [
      [`'no-such-queue', 'oxbow_reader', 'send'`, "OX001"],
      [`'${queue}', 'no such role', 'send'`, "42704"],
      [`'${queue}', 'oxbow_reader', 'drop'`, "OX004"],
    ] as const) {
      await expect(database.query(`select queue.grant_queue(${arguments_})`)).rejects.toMatchObject(
        {
          code,
        },
      );
    }
  });
});

describe("any other role", () => {
  it("may call nothing, not even look", async () => {
    const session = await as(await newRole());
    await expect(session.query("select queue.version()")).rejects.toMatchObject(DENIED);
  });

  it("can't reach a function of the owner through its own search path", async () => {
    const role = await newRole("oxbow_producer");
    await database.query(`grant create on schema public to "${role}"`);
    const session = await as(role);
    await session.query(
      `create function public.clock_timestamp() returns timestamptz language plpgsql
       as $$ begin raise 'hijacked'; end $$`,
    );
    await session.query("set search_path = public, pg_catalog");
    const queue = await newQueue(database);
    await send(session, queue, 1);
  });
});

it("a FIFO queue is received from by a worker, with its groups' locks", async () => {
  const queue = await newQueue(database, { fifo: true });
  await sendFifo(database, queue, 1, "group");
  await sendFifo(database, queue, 2, "group");
  const worker = await as("oxbow_worker");
  const head = only(await receiveFifo(worker, queue));
  expect(await acknowledge(worker, queue, head)).toBe(true);
  expect(messages(await receiveFifo(worker, queue))).toEqual([2]);
});
