/** Message groups that move with the home of their routes. Relays and consumers are those of the test. */
import { describe, expect, it, onTestFinished } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { eventually, isNotEmpty } from "../../helpers/eventually.ts";
import { createFleet, routesAt } from "../../helpers/fleet.ts";
import { accept, acceptOnly, move } from "../../helpers/outbox.ts";
import { createReusedFleet } from "../../helpers/reused-fleet.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";
import { value } from "../../helpers/value.ts";

const CREATE_ORDERS = "select queue.create_queue('orders', fifo => true)";

const { a, b, c } = await createReusedFleet(
  3,
  `${CREATE_ORDERS};
   select queue.create_queue('dead');
   select queue.create_queue('mail', fifo => true, max_receives => 1, dead_letter_queue => 'dead');
   select queue.create_queue('unread', fifo => true);
   select queue.create_queue('post', fifo => true, max_receives => 1, dead_letter_queue => 'unread');
   select queue._create_internal_queue('__topic_dead_letters', 'standard')`,
);
const routes = await routesAt(a, "a");
const [route] = routes;
const group = `${route}/7`;

const pin = (database: TestDatabase, target: string, what = route): Promise<unknown> =>
  database.query("select queue.pin_route($1, $2)", [what, target]);

const send = (
  database: TestDatabase,
  body: number,
  { dedup = null as string | null, delay = 0, to = group } = {},
): Promise<string> =>
  value(database, "queue.send_fifo('orders', to_jsonb($1::int), $2, $3, $4)::text", [
    body,
    to,
    dedup,
    delay,
  ]);

interface Received {
  readonly receipt: string;
  readonly message: number;
  readonly read_ct: number;
}

const receive = (database: TestDatabase, seconds = 30): Promise<Received[]> =>
  database.query<Received & Record<string, unknown>>(
    "select receipt::text, message, read_ct from queue.receive_fifo('orders', 10, $1)",
    [seconds],
  );

const ack = (database: TestDatabase, message: Received | undefined): Promise<unknown> =>
  value(database, "queue.delete('orders', $1)", [message?.receipt]);

/** Receives and acknowledges until nothing is left. */
async function drain(database: TestDatabase): Promise<number[]> {
  const bodies: number[] = [];
  for (;;) {
    const messages = await receive(database);
    if (messages.length === 0) return bodies;
    for (const message of messages) {
      bodies.push(message.message);
      expect(await ack(database, message)).toBe(true);
    }
  }
}

/** As a relay does, once. */
async function handOver(database: TestDatabase): Promise<unknown[]> {
  const found = await database.query<{ queue: string; id: string }>(
    "select queue, message_group_id as id from queue.leaving_groups() where not waits",
  );
  const outcomes: unknown[] = [];
  for (const { queue, id } of found) {
    const [row] = await database.query("select queue.hand_over_group($1, $2) as outcome", [
      queue,
      id,
    ]);
    outcomes.push(row?.["outcome"]);
  }
  return outcomes;
}

const rows = async (database: TestDatabase, table: string): Promise<number> =>
  (await database.query(`select from queue.${table}`)).length;

const nothingIsLeft = async (): Promise<void> => {
  for (const database of [a, b, c]) {
    expect(await rows(database, "leaving_group")).toBe(0);
    expect(await rows(database, "group_elsewhere")).toBe(0);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  }
};

/** Until the test ends. */
async function dropOrders(database: TestDatabase): Promise<void> {
  await database.query("select queue.drop_queue('orders')");
  onTestFinished(async () => {
    await database.query(CREATE_ORDERS);
  });
}

const shardOf = (id: string): number => Number(BigInt(id) >> 36n);

describe("a message group", () => {
  it("moves with its route, in its order, and takes messages there", async () => {
    for (const body of [1, 2, 3]) await send(a, body);
    await pin(a, "b");
    expect(await handOver(a)).toEqual(["moved"]);
    expect(await rows(a, "q_orders")).toBe(0);
    await move(a, b, "b");
    expect(shardOf(await send(b, 4))).toBe(1);
    expect(await drain(b)).toEqual([1, 2, 3, 4]);
    await move(a, c, "c");
    await nothingIsLeft();
  });

  it("keeps headers, delays, times and receives", async () => {
    await a.query(
      `select queue.send_fifo('orders', 'null', $1, headers => '{"of": "café"}'), queue.send_fifo('orders', '{"b": [1]}', $1, null, 3600)`,
      [group],
    );
    await receive(a, 0);
    await receive(a, 0);
    const read =
      "select message, headers, read_ct, enqueued_at, visible_at > clock_timestamp() + interval '59 minutes' as later from queue.q_orders order by msg_id";
    const before = await a.query(read);
    expect(before).toMatchObject([
      { message: null, headers: { of: "café" }, read_ct: 2, later: false },
      { message: { b: [1] }, headers: null, read_ct: 0, later: true },
    ]);
    await pin(a, "b");
    await handOver(a);
    await move(a, b, "b");
    expect(await b.query(read)).toEqual(before);
  });

  it("waits until its head isn't in flight, and gives no other message out until then", async () => {
    for (const body of [1, 2, 3]) await send(a, body);
    const [head] = await receive(a);
    await pin(a, "b");
    await handOver(a);
    await move(a, b, "b");
    // A message that is sent in between comes behind it.
    await send(a, 4);
    expect(await receive(b)).toEqual([]);
    await expect(send(b, 5)).rejects.toMatchObject({
      code: "OX028",
      message: `message group "${group}" of queue "orders" is in shard "a", not in "b"`,
      detail: '{"home": "a", "epoch": 2, "shard": "b"}',
    });
    expect(await ack(a, head)).toBe(true);
    expect(await receive(a)).toEqual([]);
    await handOver(a);
    await move(a, b, "b");
    await expect(send(a, 5)).rejects.toMatchObject({
      code: "OX028",
      detail: '{"home": "b", "epoch": 2, "shard": "a"}',
    });
    await send(b, 5);
    expect(await drain(b)).toEqual([2, 3, 4, 5]);
    await move(a, c, "c");
    await nothingIsLeft();
  });

  it("is received again there if its consumer fails", async () => {
    await send(a, 1);
    await send(a, 2);
    const [head] = await receive(a, 1);
    await pin(a, "b");
    await handOver(a);
    await a.query("select queue.change_visibility('orders', $1, 0)", [head?.receipt]);
    await handOver(a);
    await move(a, b, "b");
    expect(await ack(a, head)).toBe(false);
    expect(await receive(b)).toMatchObject([{ message: 1, read_ct: 2 }]);
  });

  it("takes its deduplication ids along, of messages that are gone as well", async () => {
    await send(a, 1, { dedup: "one" });
    expect(await drain(a)).toEqual([1]);
    await send(a, 2, { dedup: "two" });
    await send(a, 3, { dedup: "other", to: `${route}/8` });
    await pin(a, "b");
    await handOver(a);
    await move(a, b, "b");
    await send(b, 1, { dedup: "one" });
    const again = await send(b, 2, { dedup: "two" });
    expect(shardOf(again)).toBe(1);
    await send(b, 3, { dedup: "other", to: `${route}/8` });
    expect(new Set(await drain(b))).toEqual(new Set([2, 3]));
    await move(a, c, "c");
    await nothingIsLeft();
  });

  it("stays if its home comes back before it has left", async () => {
    for (const body of [1, 2]) await send(a, body);
    const [head] = await receive(a);
    await pin(a, "b");
    await handOver(a);
    await move(a, b, "b");
    await send(a, 3);
    await pin(b, "a");
    await move(b, a, "a");
    expect(await ack(a, head)).toBe(true);
    await send(a, 4);
    expect(await drain(a)).toEqual([2, 3, 4]);
    await move(a, c, "c");
    await move(b, c, "c");
    await nothingIsLeft();
  });

  it("comes back before messages that are sent after it", async () => {
    await send(a, 1);
    await pin(a, "b");
    // Known to the other shard before the group leaves.
    await move(a, b, "b");
    await handOver(a);
    await pin(b, "a");
    await move(b, a, "a");
    await expect(send(a, 2)).rejects.toMatchObject({ code: "OX028" });
    await expect(send(b, 2)).rejects.toMatchObject({ code: "OX028" });
    await move(a, b, "b");
    await move(b, a, "a");
    await send(a, 2);
    expect(await drain(a)).toEqual([1, 2]);
    await move(a, c, "c");
    await move(b, c, "c");
    await nothingIsLeft();
  });

  it("follows its home to a third shard", async () => {
    await send(a, 1);
    const [head] = await receive(a);
    await pin(a, "b");
    await move(a, b, "b");
    await pin(b, "c");
    await move(b, c, "c");
    // The first shard has not heard of it.
    await send(a, 2);
    await expect(send(c, 3)).rejects.toMatchObject({
      detail: expect.stringContaining('"home": "a"'),
    });
    await ack(a, head);
    await handOver(a);
    await move(a, b, "b");
    await move(b, c, "c");
    await send(c, 3);
    expect(await drain(c)).toEqual([2, 3]);
    await move(a, c, "c");
    await move(b, a, "a");
    await nothingIsLeft();
  });

  it("with many messages is received where it is until few enough are left", async () => {
    // One by one, they take ten times as long.
    await a.query(
      `select queue._send_fifo('orders', array(select to_jsonb(n) from generate_series(1, 10001) as n),
         array_fill($1::text, array[10001]), '0', null)`,
      [group],
    );
    const [head] = await receive(a);
    await pin(a, "b");
    expect(await handOver(a)).toEqual(["waiting"]);
    expect(await ack(a, head)).toBe(true);
    const [next] = await receive(a);
    expect(next?.message).toBe(2);
    await a.query("select queue.change_visibility('orders', $1, 0)", [next?.receipt]);
    expect(await handOver(a)).toEqual(["moved"]);
    const answer = await move(a, b, "b");
    expect(answer.outcomes).toEqual(["ok", "ok", "ok"]);
    expect(
      await b.query(
        "select count(*)::int, min(message::int), max(message::int) from queue.q_orders",
      ),
    ).toEqual([{ count: 10_000, min: 2, max: 10_001 }]);
  });

  it("that grows while it rests is received where it is again", async () => {
    for (const body of [1, 2]) await send(a, body);
    const [head] = await receive(a);
    await pin(a, "b");
    expect(await handOver(a)).toEqual(["waiting"]);
    await a.query(
      "select queue.send_fifo('orders', to_jsonb(repeat('x', 6000000)), $1) from generate_series(3, 5) as n",
      [group],
    );
    await ack(a, head);
    expect(await receive(a)).toEqual([]);
    expect(await handOver(a)).toEqual(["waiting"]);
    expect(await receive(a)).toMatchObject([{ message: 2 }]);
  });

  it("arrives once, however often its items do", async () => {
    await send(a, 1, { dedup: "one" });
    await pin(a, "b");
    await handOver(a);
    const batch = await acceptOnly(a, b, "b");
    await accept(b, batch);
    expect(await drain(b)).toEqual([1]);
    await accept(b, batch);
    expect(await drain(b)).toEqual([]);
  });

  it("stays behind a transaction that sends to it, and takes its message along", async () => {
    await send(a, 1);
    const sender = await openTransaction(a);
    await sender.query("select queue.send_fifo('orders', '2', $1)", [group]);
    await expect(pin(a, "b")).rejects.toMatchObject({ code: "55P03" });
    await sender.query("commit");
    await pin(a, "b");
    await handOver(a);
    await move(a, b, "b");
    expect(await drain(b)).toEqual([1, 2]);
  });

  it("moves without its queue, if that was dropped", async () => {
    await send(a, 1);
    await receive(a);
    await pin(a, "b");
    await a.query("select queue.purge_queue('orders')");
    await dropOrders(a);
    await handOver(a);
    await move(a, b, "b");
    await send(b, 2);
    expect(await drain(b)).toEqual([2]);
  });

  it("stays with other routes, and with pinned ones when a slot moves", async () => {
    await send(a, 1);
    await pin(a, "a");
    await a.query("select queue.move_slots(array(select generate_series(0, 1023)), 'b')");
    await handOver(a);
    await move(a, b, "b");
    expect(await rows(b, "group_elsewhere")).toBe(0);
    await send(a, 2);
    expect(await drain(a)).toEqual([1, 2]);
  });
});

describe("messages that no client sends again", () => {
  const receiveFrom = (database: TestDatabase, queue: string): Promise<Received[]> =>
    database.query<Received & Record<string, unknown>>(
      "select receipt::text, message, read_ct from queue.receive_fifo($1, 10, 0)",
      [queue],
    );
  const sendTo = (database: TestDatabase, queue: string, body: number): Promise<unknown> =>
    database.query("select queue.send_fifo($1, to_jsonb($2::int), $3)", [queue, body, group]);

  it("follow their group: dead letters that are sent back", async () => {
    await sendTo(a, "mail", 1);
    await receiveFrom(a, "mail");
    expect(await receiveFrom(a, "mail")).toEqual([]);
    expect(await rows(a, "q_dead")).toBe(1);
    await sendTo(a, "mail", 2);
    await pin(a, "b");
    await handOver(a);
    await move(a, b, "b");
    expect(await a.query("select queue.redrive('dead')::int as sent")).toEqual([{ sent: 1 }]);
    expect(await rows(a, "q_mail")).toBe(0);
    await move(a, b, "b");
    await sendTo(b, "mail", 3);
    expect(await b.query("select message from queue.q_mail order by msg_id")).toEqual([
      { message: 2 },
      { message: 1 },
      { message: 3 },
    ]);
    await move(a, c, "c");
    await nothingIsLeft();
  });

  it("follow their group while it is on its way", async () => {
    await sendTo(a, "mail", 1);
    await receiveFrom(a, "mail");
    await receiveFrom(a, "mail");
    await sendTo(a, "mail", 2);
    await pin(a, "b");
    await handOver(a);
    // Behind the group in the same outbox.
    await a.query("select queue.redrive('dead')");
    await move(a, b, "b");
    expect(await b.query("select message from queue.q_mail order by msg_id")).toEqual([
      { message: 2 },
      { message: 1 },
    ]);
    await nothingIsLeft();
  });

  it("come back to a group that has not left", async () => {
    await sendTo(a, "mail", 1);
    const [head] = await a.query<{ receipt: string }>(
      "select receipt::text from queue.receive_fifo('mail', 1, 60)",
    );
    await pin(a, "b");
    await move(a, b, "b");
    // A topic of the other shard.
    await b.query(`select queue.subscribe('news', 'queue', 'mail', options => '{"group": "g"}')`);
    await b.query("select queue.send_topic('news', jsonb_build_object('g', $1::text))", [group]);
    expect(await rows(b, "q_mail")).toBe(0);
    await move(b, a, "a");
    expect(await a.query("select message from queue.q_mail order by msg_id")).toEqual([
      { message: 1 },
      { message: { g: group } },
    ]);
    await a.query("select queue.delete('mail', $1)", [head?.receipt]);
    await handOver(a);
    await move(a, b, "b");
    expect(await receiveFrom(b, "mail")).toMatchObject([{ message: { g: group } }]);
    await move(a, c, "c");
    await nothingIsLeft();
  });

  it("of a dead letter queue with groups leave with theirs", async () => {
    await sendTo(a, "post", 1);
    await sendTo(a, "post", 2);
    const receipt = "select receipt::text from queue.receive_fifo('post', 1, 60)";
    const [head] = await a.query<{ receipt: string }>(receipt);
    await pin(a, "b");
    await move(a, b, "b");
    await a.query("select queue.change_visibility('post', $1, 0)", [head?.receipt]);
    // Received once already.
    await a.query(receipt);
    expect(await rows(a, "q_unread")).toBe(0);
    await move(a, b, "b");
    expect(await b.query("select message, message_group_id from queue.q_unread")).toEqual([
      { message: 1, message_group_id: group },
    ]);
  });

  it("that are moved to another queue follow their group there, with their delays", async () => {
    await sendTo(a, "post", 1);
    await a.query("select queue.send_fifo('post', '2', $1, delay_seconds => 3600)", [group]);
    const [head] = await a.query<{ receipt: string }>(
      "select receipt::text from queue.receive_fifo('post', 1, 60)",
    );
    await sendTo(a, "mail", 0);
    await pin(a, "b");
    await handOver(a);
    await move(a, b, "b");
    // This one has waited for its consumer.
    await a.query("select queue.change_visibility('post', $1, 0)", [head?.receipt]);
    expect(await a.query("select queue.move_messages('post', 'mail')::int as moved")).toEqual([
      { moved: 2 },
    ]);
    expect([await rows(a, "q_post"), await rows(a, "q_mail")]).toEqual([0, 0]);
    await move(a, b, "b");
    expect(
      await b.query(
        "select message, visible_at - clock_timestamp() between interval '55 minutes' and interval '1 hour' as later from queue.q_mail order by msg_id",
      ),
    ).toEqual([
      { message: 0, later: false },
      { message: 1, later: false },
      { message: 2, later: true },
    ]);
  });
});

describe("a group that can't be handed over", () => {
  it("is in no other's way: its queue was created again as another kind", async () => {
    for (const database of [a, b]) {
      await database.query("select queue.create_queue('second', fifo => true)");
      onTestFinished(async () => {
        await database.query("select queue.drop_queue('second')");
      });
    }
    await a.query("select queue.send_fifo('second', '1', $1)", [group]);
    await send(a, 1);
    await pin(a, "b");
    await a.query("select queue.drop_queue('second')");
    await a.query("select queue.create_queue('second')");
    expect(await handOver(a)).toEqual(["moved", "moved"]);
    await move(a, b, "b");
    expect(await drain(b)).toEqual([1]);
    expect(await rows(b, "group_elsewhere")).toBe(0);
  });

  it("arrives later if the other shard lacks its queue, and takes no messages before", async () => {
    await dropOrders(b);
    await send(a, 1);
    await pin(a, "b");
    await handOver(a);
    expect((await move(a, b, "b")).problems.filter((problem) => problem !== null)).toEqual([
      `FIFO queue "orders" does not exist, to which message group "${group}" belongs`,
    ]);
    await b.query(CREATE_ORDERS);
    await expect(send(b, 2)).rejects.toMatchObject({ code: "OX028" });
    await a.query("select queue.outbox_repeat()");
    await move(a, b, "b");
    await send(b, 2);
    expect(await drain(b)).toEqual([1, 2]);
    await move(a, c, "c");
    await nothingIsLeft();
  });

  it("waits for a transaction that has locked its head, for a moment", async () => {
    await send(a, 1);
    const [head] = await receive(a, 1);
    const consumer = await openTransaction(a);
    await consumer.query("select queue.delete('orders', $1)", [head?.receipt]);
    await pin(a, "b");
    expect(await handOver(a)).toEqual(["busy"]);
    await consumer.query("rollback");
  });

  it("stays with a copy of its shard that is released as a sandbox", async () => {
    const { a: copy } = (await createFleet(3)).databases;
    await copy.query(CREATE_ORDERS);
    for (const body of [1, 2]) await send(copy, body);
    const [head] = await receive(copy);
    await pin(copy, "b");
    await handOver(copy);
    await ack(copy, head);
    expect(await receive(copy)).toEqual([]);
    await copy.query("select queue.hold_incarnation('copied')");
    expect(await handOver(copy)).toEqual([]);
    await copy.query("select queue.release_incarnation('sandbox')");
    await send(copy, 3);
    expect(await drain(copy)).toEqual([2, 3]);
    expect(await copy.query("select * from queue.check_invariants()")).toEqual([]);
  });
});

describe("a leaving group", () => {
  it("is received where it is until a relay looks at it", async () => {
    await send(a, 1);
    const [head] = await receive(a);
    await pin(a, "b");
    await send(a, 2);
    await ack(a, head);
    const [next] = await receive(a);
    expect(next?.message).toBe(2);
    await ack(a, next);
    await send(a, 3);
    expect(await drain(a)).toEqual([3]);
  });

  it("comes to rest, also if messages are sent one by one while it is in flight", async () => {
    await send(a, 1);
    const [head] = await receive(a);
    await pin(a, "b");
    expect(await handOver(a)).toEqual(["waiting"]);
    // It has been asked.
    expect(await handOver(a)).toEqual([]);
    await send(a, 2, { delay: 3600 });
    await send(a, 3);
    await ack(a, head);
    expect(await receive(a)).toEqual([]);
    expect(await a.query("select * from queue.check_invariants()")).toEqual([]);
    const counted =
      "select visible::int, in_flight::int, delayed::int from queue.queue_stats('orders')";
    expect(await a.query(counted)).toEqual([{ visible: 2, in_flight: 0, delayed: 0 }]);
    expect(await handOver(a)).toEqual(["moved"]);
    await move(a, b, "b");
    expect(await b.query(counted)).toEqual([{ visible: 1, in_flight: 0, delayed: 1 }]);
  });

  it("is handed over before those in flight, however many these are", async () => {
    await a.query(
      "select queue.send_fifo('orders', '1', $1 || '/x' || n) from generate_series(1, 150) as n",
      [route],
    );
    await a.query("select count(*) from queue.receive_fifo('orders', 150, 60)");
    await send(a, 1);
    await pin(a, "b");
    expect((await handOver(a))[0]).toBe("moved");
  });

  it("leaves although it was sent after the move had looked for groups", async () => {
    await send(a, 1);
    const blocker = await openTransaction(a);
    await blocker.query("insert into queue.leaving_group values (null, null, 'orders', $1)", [
      group,
    ]);
    const mover = await openSession(a);
    const pinning = mover.query("select queue.pin_route($1, 'b')", [route]);
    await eventually(
      () =>
        a.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%pin_route%'",
        ),
      isNotEmpty,
    );
    const [late, gone] = [`${route}/late`, `${route}/gone`];
    await send(a, 2, { to: late });
    await send(a, 3, { to: gone, dedup: "gone" });
    await a.query(
      "select queue.delete('orders', receipt) from queue.receive_fifo('orders', 10) where message_group_id = $1",
      [gone],
    );
    await blocker.query("rollback");
    await pinning;
    expect(await a.query("select * from queue.check_invariants()")).toEqual([]);
    expect(await a.query("select message_group_id from queue.leaving_group order by 1")).toEqual(
      [group, gone, late]
        .toSorted((one, other) => (one < other ? -1 : 1))
        .map((id) => ({ message_group_id: id })),
    );
  });
});

describe("a crash", () => {
  /** The answer of each call is lost once, after its effect: the caller repeats it. */
  it("after any effect neither loses, doubles nor reorders messages", async () => {
    const callsFor = (moved: string): (() => Promise<unknown>)[] => [
      () => pin(a, "b", moved),
      () => handOver(a),
      () => move(a, b, "b", 1),
      () => move(a, b, "b"),
      () => handOver(a),
      () => move(a, b, "b"),
      () => pin(b, "c", moved),
      () => handOver(b),
      () => move(b, c, "c"),
      () => move(b, a, "a"),
      () => pin(c, "a", moved),
      () => handOver(c),
      () => move(c, a, "a"),
      () => move(a, b, "b"),
      () => move(a, c, "c"),
      () => move(c, b, "b"),
    ];
    const { length } = callsFor(route);
    for (let crash = 0; crash < length + 3; crash++) {
      // Each has another route: deduplication ids go along.
      const moved = routes[crash] ?? "";
      const calls = callsFor(moved);
      const to = `${moved}/crash`;
      for (const body of [1, 2, 3]) await send(a, body, { to, dedup: `${to}:${body}` });
      const [head] = await receive(a);
      let isAcknowledged: unknown;
      for (const [n, call] of calls.entries()) {
        // Items that are accepted, whose delivery is not noted.
        if (crash === length) await acceptOnly(a, b, "b");
        if (crash === length + 1) await acceptOnly(b, c, "c");
        if (crash === length + 2) await acceptOnly(c, a, "a");
        await call();
        if (n === crash) await call();
        if (n === 3) isAcknowledged = await ack(a, head);
      }
      expect(isAcknowledged).toBe(true);
      for (const body of [2, 3, 4]) await send(a, body, { to, dedup: `${to}:${body}` });
      expect(await drain(a), `crash ${crash}`).toEqual([2, 3, 4]);
      await nothingIsLeft();
    }
  });
});

describe("a send", () => {
  it("is refused in the wrong shard", async () => {
    await expect(send(b, 1)).rejects.toMatchObject({
      code: "OX028",
      detail: '{"home": "a", "epoch": 1, "shard": "b"}',
    });
  });

  it("is not judged in a standalone database", async () => {
    const alone = await createDatabase();
    await alone.query(CREATE_ORDERS);
    await send(alone, 1, { dedup: "one" });
    expect(await alone.query("select message_group_id from queue.deduplication")).toEqual([
      { message_group_id: null },
    ]);
  });
});
