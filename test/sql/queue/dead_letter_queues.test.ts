import { describe, expect, it } from "vitest";
import { codeOf } from "../../helpers/definitions.ts";
import { createDatabase } from "../../helpers/database.ts";
import { newMortalQueue, newQueue, receive, send } from "../../helpers/queues.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";

const database = await createDatabase();

const MANY = 60;

/** Queues that take dead letters of others; every tenth holds some. */
const queues = (
  await database.query<{ letters: string }>(
    `with made as (
       select format('dead-%s', lpad(i::text, 3, '0')) as letters, queue.create_queue(format('dead-%s', lpad(i::text, 3, '0')))
       from generate_series(1, $1::integer) as i
     )
     select letters from made order by letters`,
    [MANY],
  )
).map(({ letters }) => letters);
for (const letters of queues) {
  await database.query(
    "select queue.create_queue('own-' || $1, max_receives => 1, dead_letter_queue => $1)",
    [letters],
  );
}
const holding = queues.filter((_name, at) => at % 10 === 9);
for (const letters of holding) await send(database, letters, "dead");

const listed = (arguments_ = "") =>
  database.query(`select * from queue.dead_letter_queues(${arguments_})`);

describe("dead_letter_queues", () => {
  it("lists queues that hold messages, wherever their names are in the order", async () => {
    expect(await listed()).toEqual(holding.map((name) => ({ name, messages: 1, has_more: false })));
    expect(holding.at(-1)).toBe("dead-060");
  });

  it("lists page by page", async () => {
    expect(await listed("2")).toMatchObject(holding.slice(0, 2).map((name) => ({ name })));
    expect(await listed(`2, '${holding[1]}'`)).toMatchObject(
      holding.slice(2, 4).map((name) => ({ name })),
    );
    expect(await listed(`2, '${holding.at(-1)}'`)).toEqual([]);
  });

  it("leaves out queues that no other one names, and queues that were emptied", async () => {
    const plain = await newQueue(database);
    await send(database, plain, "message");
    const letters = await newQueue(database);
    const queue = await newMortalQueue(database, letters);
    const after = `1000, '${letters < plain ? letters : plain}'`;
    expect(await listed(after)).not.toContainEqual(expect.objectContaining({ name: plain }));
    await send(database, queue, "dies");
    await receive(database, queue);
    await receive(database, queue);
    const found = async () => (await listed("1000")).filter(({ name }) => name === letters);
    expect(await found()).toEqual([{ name: letters, messages: 1, has_more: false }]);
    await database.query("select queue.redrive($1)", [letters]);
    expect(await found()).toEqual([]);
  });

  it("counts at most 10,000 messages of a queue", async () => {
    const [letters] = queues;
    await database.query(
      "select queue.send_batch($1, array(select to_jsonb(i) from generate_series(1, 10000) as i))",
      [letters],
    );
    expect((await listed("1"))[0]).toEqual({ name: letters, messages: 10_000, has_more: false });
    await send(database, letters ?? "", "one more");
    expect((await listed("1"))[0]).toEqual({ name: letters, messages: 10_000, has_more: true });
    await database.query("select queue.purge_queue($1)", [letters]);
  });

  it("leaves out a queue that is dropped while it lists", async () => {
    const fresh = await createDatabase();
    for (const name of ["a", "b"]) {
      await fresh.query("select queue.create_queue($1)", [name]);
      await fresh.query(
        "select queue.create_queue('own-' || $1, max_receives => 1, dead_letter_queue => $1)",
        [name],
      );
      await send(fresh, name, "dead");
    }
    const locking = await openTransaction(fresh);
    await locking.query("lock table queue.q_b in access exclusive mode");
    const listing = await openSession(fresh);
    const found = listing.query("select name from queue.dead_letter_queues()");
    // It has looked at the first queue, and is about to look at the second.
    await listing.isBlocked(locking);
    await fresh.query("select queue.drop_queue('own-a')");
    await fresh.query("select queue.drop_queue('a')");
    await locking.query("commit");
    expect(await found).toEqual([{ name: "b" }]);
  });

  it.each(["0", "1001", "null"])("refuses to list %s queues", async (max) => {
    expect(await codeOf(listed(max))).toBe("OX004");
  });
});
