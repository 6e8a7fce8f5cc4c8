import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { newQueue, only, send, uniqueQueueName } from "../../helpers/queues.ts";
import { openSession } from "../../helpers/session.ts";

const database = await createDatabase();

describe("create_queue", () => {
  it("is idempotent with the same settings, and returns whether it made the queue", async () => {
    const name = uniqueQueueName();
    const create = "select queue.create_queue($1, true, 60) as created";
    expect(await database.query(create, [name])).toEqual([{ created: true }]);
    expect(await database.query(create, [name])).toEqual([{ created: false }]);
  });

  it("names every setting in which an existing queue differs", async () => {
    const deadLetterQueue = await newQueue(database);
    const name = await newQueue(database, { maxReceives: 3, deadLetterQueue });
    await expect(
      database.query("select queue.create_queue($1, true, 60)", [name]),
    ).rejects.toMatchObject({
      code: "OX002",
      message:
        `queue "${name}" exists with other settings: it is a standard queue, not fifo, ` +
        `visibility_timeout is 30, not 60, max_receives is 3, not null, ` +
        `dead_letter_queue is "${deadLetterQueue}", not null`,
      hint: expect.any(String) as string,
    });
  });

  it.each([
    "",
    "UPPER",
    "with space",
    "-dash-first",
    'quote"',
    "it's",
    "semi;colon",
    "dot.ted",
    "bäh",
    "line\nbreak",
    "trailing\n",
    "a".repeat(49),
    "x); drop table queue.queue; --",
  ])("refuses the name %j", async (name) => {
    await expect(database.query("select queue.create_queue($1)", [name])).rejects.toMatchObject({
      code: "OX003",
    });
  });

  it("refuses a name that is missing, or in Oxbow's own room", async () => {
    await expect(database.query("select queue.create_queue(null)")).rejects.toMatchObject({
      code: "OX003",
    });
    await expect(database.query("select queue.create_queue('__wf_mine')")).rejects.toMatchObject({
      code: "OX003",
      message: 'invalid queue name "__wf_mine"',
    });
  });

  it("takes a name of 48 characters, and names that look like those of its indexes", async () => {
    for (const name of ["b".repeat(48), "c", "c_pkey", "c_msg_id_seq", "_", "0"]) {
      await database.query("select queue.create_queue($1, true)", [name]);
      await database.query("select queue.send_fifo($1, '1', 'group')", [name]);
      const rows = await database.query("select message from queue.receive_fifo($1)", [name]);
      expect(rows).toEqual([{ message: 1 }]);
    }
  });

  it.each([
    ["visibility_timeout => -1", "invalid visibility timeout of -1 seconds"],
    ["visibility_timeout => null", "invalid visibility timeout of null seconds"],
    ["max_receives => 3", "max_receives and dead_letter_queue require each other"],
    ["dead_letter_queue => 'elsewhere'", "max_receives and dead_letter_queue require each other"],
    ["max_receives => 0, dead_letter_queue => 'elsewhere'", "invalid max_receives 0"],
    [
      "max_receives => 1, dead_letter_queue => 'refused'",
      'queue "refused" cannot be its own dead letter queue',
    ],
  ])("refuses %s", async (settings, message) => {
    await expect(
      database.query(`select queue.create_queue('refused', ${settings})`),
    ).rejects.toMatchObject({ code: "OX004", message });
  });

  it("wants the dead letter queue to exist, and to be able to take the messages", async () => {
    const fifo = await newQueue(database, { fifo: true });
    const create = "select queue.create_queue($1, max_receives => 1, dead_letter_queue => $2)";
    await expect(database.query(create, [uniqueQueueName(), "nowhere"])).rejects.toMatchObject({
      code: "OX001",
      message: 'queue "nowhere" does not exist',
    });
    await expect(database.query(create, [uniqueQueueName(), fifo])).rejects.toMatchObject({
      code: "OX007",
      message: `queue "${fifo}" is a fifo queue`,
    });
  });

  it("succeeds in two transactions at once", async () => {
    const name = uniqueQueueName();
    const first = await openSession(database);
    const second = await openSession(database);
    const create = "select queue.create_queue($1) as created";

    await first.query("begin");
    expect(await first.query(create, [name])).toEqual([{ created: true }]);
    const secondCreate = second.query(create, [name]);
    await second.isBlocked();
    await first.query("commit");

    expect(await secondCreate).toEqual([{ created: false }]);
    await send(second, name, "usable");
  });

  it("makes the tables at the first call of any role", async () => {
    const fresh = await createDatabase();
    await fresh.query(
      `do $$
       declare v_table regclass; v_sequence regclass; v_marker regtype;
       begin
         for v_table in
           select c.oid from pg_class as c
           where c.relnamespace = 'queue'::regnamespace and c.relkind = 'r'
         loop
           execute format('drop table %s cascade', v_table);
         end loop;
         for v_sequence in
           select c.oid from pg_class as c
           where c.relnamespace = 'queue'::regnamespace and c.relkind = 'S'
         loop
           execute format('drop sequence %s', v_sequence);
         end loop;
         for v_marker in
           select t.oid from pg_type as t
           where t.typnamespace = 'queue'::regnamespace and t.typname ~ '^state_'
         loop
           execute format('drop type %s', v_marker);
         end loop;
         drop type if exists queue.workflow_status cascade;
       end $$`,
    );
    await expect(fresh.query("select queue.send('early', '1')")).rejects.toMatchObject({
      code: "OX001",
    });
    expect(await fresh.query("select * from queue.list_queues()")).toEqual([]);

    const sessions = await Promise.all([openSession(fresh), openSession(fresh)]);
    const created = await Promise.all(
      sessions.map((session) => session.query("select queue.create_queue('early') as created")),
    );
    expect(new Set(created.map((rows) => only(rows)["created"]))).toEqual(new Set([true, false]));
  });

  it("describes the queue's table in the catalog", async () => {
    const name = await newQueue(database, { fifo: true });
    const [row] = await database.query(
      `select obj_description(format('queue.%I', 'q_' || $1::text)::regclass) as comment`,
      [name],
    );
    expect(row?.["comment"]).toContain(`Messages of the fifo queue "${name}".`);
  });
});
