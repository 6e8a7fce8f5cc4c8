import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { publishDefinition, saveDraft, type TestDocument } from "../../helpers/definitions.ts";
import { eventually } from "../../helpers/eventually.ts";
import { only } from "../../helpers/queues.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";
import {
  commit,
  listening,
  matchesOf,
  receive,
  runsOf,
  send,
  start,
  type TestBatch,
  type TestEvent,
} from "../../helpers/triggers.ts";

const database = await createDatabase();

/** Publishes a second version with another guard, perhaps for another pool. */
async function republish(name: string, more: object, pool?: string): Promise<void> {
  const { draft, revision } = only(
    await database.query("select draft, revision from queue.definition_get($1)", [name]),
  ) as unknown as {
    draft: TestDocument & { readonly triggers: { changed: object } };
    revision: number;
  };
  const document = {
    ...draft,
    triggers: { changed: { ...draft.triggers.changed, ...more } },
    settings: pool === undefined ? draft.settings : { pool },
  };
  await publishDefinition(database, name, await saveDraft(database, document, revision));
}

const received = (pool: string, lease?: number): Promise<readonly TestEvent[]> =>
  receive(database, pool, null, lease).then(({ events }) => events);

const tableOf = async (pool: string): Promise<string> =>
  only(
    await database.query<{ table: string }>(
      "select queue._queue_table(queue._trigger_queue($1))::text as table",
      [pool],
    ),
  ).table;

/** Evaluates what a pool has received as its workers would, by the triggers that the batch lists. */
async function evaluate(pool: string, { events, triggers }: TestBatch): Promise<void> {
  for (const event of events) {
    const directed = event.only as { readonly definition: string } | null;
    const wanting = (triggers ?? []).filter(({ definition, subscriptionId }) =>
      directed === null
        ? event.subscriptionIds.includes(subscriptionId)
        : directed.definition === definition,
    );
    const matches = wanting.map(({ definition, version }) => start(event, definition, { version }));
    await commit(database, pool, [event], matches);
  }
}

describe("an event whose definition has another scope when a guard accepts it", () => {
  const limit = (name: string, scope: object): Promise<unknown> =>
    database.query("select queue.definition_configure($1, scope => $2)", [name, scope]);

  it("starts nothing, unless it is within the new scope", async () => {
    const { name, topic, pool } = await listening(database);
    await send(database, topic, { org: "o1" });
    await send(database, topic, { org: "o2" });
    const events = await received(pool);
    await limit(name, { org: "o1" });
    await commit(
      database,
      pool,
      events,
      events.map((event) => start(event, name)),
    );
    expect(await runsOf(database, name)).toHaveLength(1);
    const [inside, outside] = await Promise.all(events.map((each) => matchesOf(database, each)));
    expect([inside, outside]).toMatchObject([[{ outcome: "started" }], []]);
  });

  it("starts nothing if it was sent again for another version", async () => {
    const { name, topic, pool } = await listening(database);
    await send(database, topic, { org: "o2" });
    const before = only(await received(pool));
    await republish(name, { when: "true" });
    await commit(database, pool, [before], [start(before, name)]);
    const again = only(await received(pool));
    await limit(name, { org: "o1" });
    await commit(database, pool, [again], [start(again, name, { version: 2 })]);
    expect(await runsOf(database, name)).toEqual([]);
    expect(await received(pool)).toEqual([]);
  });

  it("is withdrawn if it is asked again after a delay", async () => {
    const { name, topic, pool } = await listening(database);
    await send(database, topic, { org: "o2" });
    const recheck = { recheck: true, delaySeconds: 0.1 };
    const first = only(await received(pool));
    await commit(database, pool, [first], [start(first, name, recheck)]);
    const asked = await eventually(() => received(pool), { length: 1 }).then(only);
    await limit(name, { org: "o1" });
    await commit(database, pool, [asked], [start(asked, name, recheck)]);
    expect(await runsOf(database, name)).toEqual([]);
    expect(await matchesOf(database, asked)).toMatchObject([{ outcome: "withdrawn" }]);
  });
});

describe("an event that a guard has accepted while another version was published", () => {
  it("is delivered again, and starts a run only if the new guard accepts it", async () => {
    const { name, topic, pool } = await listening(database);
    await send(database, topic, { n: 1 });
    const [before] = await received(pool);
    if (before === undefined) throw new Error("No event.");
    await republish(name, { when: "false" });
    await commit(database, pool, [before], [start(before, name)]);
    expect(await runsOf(database, name)).toEqual([]);
    const again = only(await received(pool));
    expect(again).toMatchObject({
      eventId: before.eventId,
      message: { n: 1 },
      only: { definition: name, trigger: "changed" },
    });
    expect(await matchesOf(database, again)).toEqual([]);
    await commit(database, pool, [again], [start(again, name, { version: 2 })]);
    expect(await runsOf(database, name)).toMatchObject([{ version: 2 }]);
    expect(await received(pool)).toEqual([]);
  });

  it("stays a recheck if it was one", async () => {
    const { name, topic, pool } = await listening(database);
    await send(database, topic, {});
    const [first] = await received(pool);
    if (first === undefined) throw new Error("No event.");
    const recheck = { recheck: true, delaySeconds: 0.1 };
    await commit(database, pool, [first], [start(first, name, recheck)]);
    const next = (): Promise<TestEvent> =>
      eventually(() => received(pool), { length: 1 }).then(only);
    const asked = await next();
    await republish(name, { when: "true" });
    const withdrawn = { ...start(asked, name, recheck), outcome: "withdrawn" };
    await commit(database, pool, [asked], [withdrawn]);
    expect(await matchesOf(database, asked)).toMatchObject([{ outcome: "delayed" }]);
    const again = await next();
    expect(again.only).toEqual({ definition: name, trigger: "changed", recheck: true });
    await commit(database, pool, [again], [start(again, name, { ...recheck, version: 2 })]);
    expect(await runsOf(database, name)).toMatchObject([{ version: 2 }]);
  });

  it("isn't for a trigger whose topic the new version changes", async () => {
    const { name, topic, pool } = await listening(database);
    await send(database, topic, {});
    const [before] = await received(pool);
    if (before === undefined) throw new Error("No event.");
    await republish(name, { when: "true" });
    await commit(database, pool, [before], [start(before, name)]);
    const again = only(await received(pool));
    await republish(name, { on: `${topic}.other` });
    await commit(database, pool, [again], [start(again, name, { version: 3 })]);
    expect(await received(pool)).toEqual([]);
    expect(await runsOf(database, name)).toEqual([]);
  });
});

describe("a definition that moves to another pool", () => {
  it("is decided only by the workers of that pool, from then on", async () => {
    const { name, topic, pool } = await listening(database);
    const stayed = await listening(database, { topic, pool });
    await send(database, topic, {});
    const known = await receive(database, pool);
    await evaluate(pool, known);
    expect(await runsOf(database, name)).toHaveLength(1);

    const next = `${pool}-2`;
    await republish(name, { when: "false" }, next);
    await send(database, topic, {});
    const { triggers, events } = await receive(database, pool, known.epoch);
    expect(triggers).toMatchObject([{ definition: name, subscriptionId: null, isGone: true }]);
    // A worker that has not heard of it.
    await commit(database, pool, events, [
      start(only(events), name),
      start(only(events), stayed.name),
    ]);
    expect(await runsOf(database, name)).toHaveLength(1);
    expect(await runsOf(database, stayed.name)).toHaveLength(2);
    // One copy of the event, which the publish sent.
    const own = only(await received(next));
    await commit(database, next, [own], []);
    expect(await received(next)).toEqual([]);
    expect(await runsOf(database, name)).toHaveLength(1);
  });

  it("gets the events of publishes that were in progress, once each", async () => {
    const { name, topic, pool } = await listening(database);
    const stayed = await listening(database, { topic, pool });
    const next = `${pool}-2`;
    const publishing = await openTransaction(database);
    await publishing.query("select queue.send_topic($1, $2)", [topic, JSON.stringify({ n: 1 })]);
    await republish(name, {}, next);
    await publishing.query("commit");
    expect(await received(next)).toEqual([]);
    for (const [definition, where] of [
      [stayed.name, pool],
      [name, next],
    ] as const) {
      const batch = await receive(database, where);
      expect(batch.events).toHaveLength(1);
      await evaluate(where, batch);
      expect(await runsOf(database, definition)).toHaveLength(1);
      expect(await received(where)).toEqual([]);
    }
    expect(await runsOf(database, name)).toMatchObject([{ version: 2 }]);
  });

  it("gets them once, when they are acknowledged, however often they are given back", async () => {
    const { name, topic, pool } = await listening(database);
    await listening(database, { topic, pool });
    const next = `${pool}-2`;
    const publishing = await openTransaction(database);
    await publishing.query("select queue.send_topic($1, '{}')", [topic]);
    await republish(name, {}, next);
    await publishing.query("commit");
    for (const state of ["release", "retry", "release", "more"]) {
      const given = await received(pool);
      expect(given).toHaveLength(1);
      await commit(database, pool, given, [], { state, delaySeconds: 0 });
      expect(await received(next)).toEqual([]);
    }
    await commit(database, pool, await received(pool), []);
    const batch = await receive(database, next);
    expect(batch.events).toHaveLength(1);
    await evaluate(next, batch);
    expect(await runsOf(database, name)).toHaveLength(1);
  });

  it("starts one run for an event that reaches its new pool twice at once", async () => {
    const { name, topic, pool } = await listening(database);
    const next = `${pool}-2`;
    await send(database, topic, {});
    // One copy is moved, and the other forwarded by a worker that reads the event only now.
    await republish(name, {}, next);
    await commit(database, pool, await received(pool), []);
    const both = await received(next);
    expect(both).toHaveLength(2);
    const matches = both.map((event) => start(event, name, { version: 2 }));
    expect(await commit(database, next, both, matches)).toHaveLength(2);
    expect(await runsOf(database, name)).toHaveLength(1);
    expect(await matchesOf(database, only(both.slice(1)))).toMatchObject([{ outcome: "started" }]);
  });

  it("keeps its events if it returns while its pool is swept", async () => {
    const earlier = await listening(database, { pool: "p-returned-1" });
    const { name, topic, pool } = await listening(database, { pool: "p-returned-2" });
    await republish(earlier.name, {}, "p-elsewhere");
    await republish(name, {}, "p-elsewhere");
    const [blocking, sweeping] = [await openSession(database), await openSession(database)];
    await blocking.query("begin");
    await blocking.query(`lock table ${await tableOf(earlier.pool)}`);
    const swept = sweeping.query("select queue.trigger_sweep()");
    await sweeping.isBlocked(blocking);
    await republish(name, { title: "Back." }, pool);
    await send(database, topic, {});
    await blocking.query("commit");
    await swept;
    // Until the lease of the sweep ends.
    const kept = `select m.headers ->> 'topic' as topic from ${await tableOf(pool)} as m where m.message is not null`;
    expect(await database.query(kept)).toEqual([{ topic }]);
  });

  it("gets them also from a pool that has no workers any more", async () => {
    const { name, topic, pool } = await listening(database);
    const next = `${pool}-2`;
    const publishing = await openTransaction(database);
    await publishing.query("select queue.send_topic($1, '{}')", [topic]);
    await republish(name, {}, next);
    await publishing.query("commit");
    await database.query("select queue.trigger_sweep()");
    await evaluate(next, await receive(database, next));
    expect(await runsOf(database, name)).toHaveLength(1);
    await database.query("select queue.trigger_sweep()");
    expect(await received(next)).toEqual([]);
    expect(await received(pool)).toEqual([]);
  });

  it("gets all of them from a pool that it left days ago, whose subscription ends", async () => {
    const { name, topic, pool } = await listening(database);
    const next = `${pool}-2`;
    const COUNT = 150;
    const publishing = await openTransaction(database);
    await publishing.query(
      "select queue.send_topic($1, to_jsonb(n)) from generate_series(1, $2) as n",
      [topic, COUNT],
    );
    await republish(name, {}, next);
    await publishing.query("commit");
    await database.query(
      "update queue.definition_former_pool set left_at = left_at - interval '2 days' where pool = $1",
      [pool],
    );
    await database.query(
      `update ${await tableOf(pool)} set enqueued_at = enqueued_at - interval '2 days'`,
    );
    await database.query(
      `update queue.subscription
       set options = jsonb_build_object('unused_since', now() - interval '11 minutes')
       where target = $1`,
      [pool],
    );
    const sweep = async (): Promise<unknown> =>
      only(await database.query("select queue.trigger_sweep() as swept"))["swept"];
    expect([await sweep(), await sweep(), await sweep()]).toEqual([100, 50, 0]);
    const subscribed = await database.query(
      "select target from queue.subscription where pattern = $1",
      [topic],
    );
    expect(subscribed).toEqual([{ target: next }]);
    expect((await receive(database, next, null, 30, 1_000)).events).toHaveLength(COUNT);
  });

  it("is visited by sweeps no longer once its former pool is empty for a day", async () => {
    const { name, topic, pool } = await listening(database);
    const kept = await listening(database);
    await send(database, kept.topic, {});
    for (const one of [name, kept.name]) await republish(one, {}, `${pool}-2`);
    const former = () =>
      database.query("select pool from queue.definition_former_pool where pool = any ($1)", [
        [pool, kept.pool],
      ]);
    const leave = (days: number) =>
      database.query(
        "update queue.definition_former_pool set left_at = now() - make_interval(days => $2) where pool = any ($1)",
        [[pool, kept.pool], days],
      );
    // Its events are leased by a worker that may be dead.
    await received(kept.pool, 600);
    await database.query("select queue.trigger_sweep()");
    expect(await former()).toHaveLength(2);
    await leave(2);
    await database.query("select queue.trigger_sweep()");
    expect(await former()).toEqual([{ pool: kept.pool }]);
    // Nothing goes there any more.
    await send(database, topic, {});
    expect(await runsOf(database, name)).toEqual([]);
    await evaluate(`${pool}-2`, await receive(database, `${pool}-2`, null, 30, 10));
    expect(await runsOf(database, name)).toHaveLength(1);
  });

  it("gets a recheck that was sent while it moved", async () => {
    const { name, topic, pool } = await listening(database);
    await listening(database, { topic, pool });
    await send(database, topic, {});
    const event = only(await received(pool));
    const next = `${pool}-2`;
    const deciding = await openTransaction(database);
    await commit(
      deciding,
      pool,
      [event],
      [start(event, name, { recheck: true, delaySeconds: 0.1 })],
    );
    await republish(name, {}, next);
    await deciding.query("commit");
    const late = await eventually(() => received(pool), { length: 1 });
    await commit(database, pool, late, []);
    const asked = only(await received(next));
    expect(asked.only).toEqual({ definition: name, trigger: "changed", recheck: true });
    await commit(
      database,
      next,
      [asked],
      [start(asked, name, { version: 2, recheck: true, delaySeconds: 0.1 })],
    );
    expect(await runsOf(database, name)).toHaveLength(1);
  });

  it("gets a recheck that waits in a pool that it left by way of the archive", async () => {
    const { name, topic, pool } = await listening(database);
    await listening(database, { topic, pool });
    await send(database, topic, {});
    const event = only(await received(pool));
    const recheck = { recheck: true, delaySeconds: 0.1 };
    await commit(database, pool, [event], [start(event, name, recheck)]);
    const next = `${pool}-2`;
    await database.query("select queue.definition_archive($1)", [name]);
    await republish(name, {}, next);
    const late = await eventually(() => received(pool), { length: 1 });
    await commit(database, pool, late, []);
    const asked = only(await received(next));
    await commit(database, next, [asked], [start(asked, name, { ...recheck, version: 2 })]);
    expect(await runsOf(database, name)).toMatchObject([{ version: 2 }]);
  });

  it("starts each of many events once, while they are published and it moves to and fro", async () => {
    const { name, topic, pool } = await listening(database);
    const stayed = await listening(database, { topic, pool });
    const pools = [pool, `${pool}-2`] as const;
    const COUNT = 30;
    const state = { isPublishing: true };
    const publishing = Promise.all(
      Array.from({ length: 3 }, async (_, part) => {
        for (let n = 0; n < COUNT / 3; n += 1) await send(database, topic, { part, n });
      }),
    ).finally(() => {
      state.isPublishing = false;
    });
    const working = pools.map(async (where) => {
      await eventually(
        async () => {
          await evaluate(where, await receive(database, where, null, 5, 10));
          const counts = await Promise.all(
            [name, stayed.name].map(async (each) => (await runsOf(database, each)).length),
          );
          return counts;
        },
        ([one, other]) => !state.isPublishing && one === COUNT && other === COUNT,
      );
    });
    for (let moves = 0; state.isPublishing || moves < 4; moves += 1) {
      await republish(name, { title: `${moves}` }, pools[(moves + 1) % 2]);
    }
    await publishing;
    await Promise.all(working);
    expect(await runsOf(database, name)).toHaveLength(COUNT);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });
});
