import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually } from "../../helpers/eventually.ts";
import { only } from "../../helpers/queues.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";
import {
  commit,
  listening,
  matchesOf,
  newTopic,
  receive,
  runsOf,
  send,
  start,
  type TestEvent,
} from "../../helpers/triggers.ts";
import { documentOf, publishDefinition, saveDraft } from "../../helpers/definitions.ts";
import { publish } from "../../helpers/topics.ts";

const database = await createDatabase();

describe("trigger_receive", () => {
  it("delivers one message a pool, however many definitions want it, with their triggers", async () => {
    const first = await listening(database, { pool: "shared" });
    const second = await listening(database, { pool: "shared", topic: first.topic });
    await send(database, first.topic, { id: 1 });
    const batch = await receive(database, "shared");
    expect(batch.events).toHaveLength(1);
    const names = batch.triggers?.map(({ definition }) => definition);
    expect(names?.toSorted()).toEqual([first.name, second.name].toSorted());
    const ids = new Set(batch.triggers?.map(({ subscriptionId }) => subscriptionId));
    expect(only(batch.events as TestEvent[]).subscriptionIds).toEqual([...ids]);
  });

  it("delivers nothing that the scope or the prefilter excludes", async () => {
    const { topic } = await listening(database, {
      pool: "filtered",
      scope: { org: "o1" },
      prefilter: [{ path: ["incident", "kind"], value: "fire" }],
    });
    await send(database, topic, { org: "o1", incident: { kind: "flood" } });
    await send(database, topic, { org: "o2", incident: { kind: "fire" } });
    await send(database, topic, { org: "o1", incident: { kind: "fire" }, n: 3 });
    const { events } = await receive(database, "filtered");
    expect(events.map(({ message }) => message)).toMatchObject([{ n: 3 }]);
  });

  it("returns the members that the type of a trigger loads", async () => {
    const pool = `loading-${newTopic().slice(2)}`;
    const types = [{ name: "a.loading", topic: "a.loading", loaded: ["severity"] }];
    await database.query("select queue.trigger_declare($1, $2)", [pool, JSON.stringify(types)]);
    const first = await listening(database, { pool, topic: "a.loading" });
    const second = await listening(database, { pool });
    await send(database, "a.loading", {});
    const { triggers } = await receive(database, pool);
    const loads = new Map(triggers?.map((trigger) => [trigger.definition, trigger.loads]));
    expect(loads.get(first.name)).toEqual(["severity"]);
    expect(loads.get(second.name)).toEqual([]);
  });

  it("subscribes nothing if scope and prefilter contradict each other", async () => {
    const { topic } = await listening(database, {
      pool: "contradicting",
      scope: { org: "o1" },
      prefilter: [{ path: ["org"], value: "o2" }],
    });
    expect(await send(database, topic, { org: "o1" })).toBe(0);
  });

  it("returns only the triggers that have changed since the known epoch", async () => {
    const first = await listening(database, { pool: "changing" });
    await send(database, first.topic, {});
    const { epoch } = await receive(database, "changing");
    const second = await listening(database, { pool: "changing", topic: first.topic });
    await send(database, first.topic, {});
    const { triggers } = await receive(database, "changing", epoch);
    expect(triggers).toMatchObject([{ definition: second.name, version: 1 }]);
  });
});

// A publisher may name its headers as Oxbow names its own of events.
describe.each([
  [{ published_at: 1764460800000 }],
  [{ published_at: "30.11.2026" }],
  [{ published_at: "2026-02-30T12:00:00+00:00" }],
  [{ published_at: "2020-01-01T12:00:00+00:00" }],
  [{ published_at: "infinity" }],
  [{ only: true }],
  [{ only: { definition: "other", trigger: "changed", recheck: "no" } }],
  [{ pools: "eu" }],
  [{ pools: ["eu"], published_at: "2026-02-30T12:00:00+00:00" }],
])("an event with the headers %j", (headers) => {
  it("starts a run, and stops no event of its pool", async () => {
    const { name, topic, pool } = await listening(database);
    const other = await listening(database, { pool });
    await publish(database, topic, { n: 1 }, headers);
    await send(database, other.topic, { n: 2 });
    const { events } = await receive(database, pool);
    expect(events).toMatchObject([{ topic, only: null }, { topic: other.topic }]);
    await commit(database, pool, events, [
      start(events[0] as TestEvent, name),
      start(events[1] as TestEvent, other.name),
    ]);
    expect(await runsOf(database, name)).toHaveLength(1);
    expect(await runsOf(database, other.name)).toHaveLength(1);
  });

  // As an older release sent it.
  const sent = async (pool: string, topic: string): Promise<void> => {
    await send(database, topic, { n: 1 });
    const { table } = only(
      await database.query<{ table: string }>(
        "select queue._queue_table(queue._trigger_queue($1))::text as table",
        [pool],
      ),
    );
    await database.query(`update ${table} set headers = headers || $1`, [JSON.stringify(headers)]);
  };

  it("starts a run, although the headers are stored with it", async () => {
    const { name, topic, pool } = await listening(database);
    await sent(pool, topic);
    const event = only((await receive(database, pool)).events);
    expect(event).toMatchObject({ topic, only: null, subscriptionIds: [expect.any(String)] });
    await commit(database, pool, [event], [start(event, name)]);
    expect(await runsOf(database, name)).toHaveLength(1);
  });

  it("moves with its definition, although the headers are stored with it", async () => {
    const { name, topic, pool } = await listening(database);
    await sent(pool, topic);
    const next = `${pool}-2`;
    const document = {
      ...documentOf(name),
      triggers: { changed: { on: topic } },
      settings: { pool: next },
    };
    await publishDefinition(database, name, await saveDraft(database, document, 1), {
      compiled: { references: {}, triggers: [{ id: "changed", on: topic, prefilter: [] }] },
    });
    const event = only((await receive(database, next)).events);
    expect(event.only).toEqual({ definition: name, trigger: "changed" });
    await commit(database, next, [event], [start(event, name, { version: 2 })]);
    expect(await runsOf(database, name)).toHaveLength(1);
    // The sweep takes the copy from the pool that it has left.
    await database.query("select queue.trigger_sweep()");
    expect((await receive(database, pool)).events).toEqual([]);
  });
});

describe("trigger_commit", () => {
  it("starts runs of a definition that was published before the clock was set back", async () => {
    const { name, topic, pool } = await listening(database);
    await database.query(
      `update queue.definition_trigger as t
       set listening_since = t.listening_since + interval '1 hour'
       from queue.definition as d
       where d.definition_id = t.definition_id and d.name = $1`,
      [name],
    );
    await database.query("select queue._record_clock(clock_timestamp() + interval '1 hour')");
    await database.query("select queue._correct_clock_setback()");
    await send(database, topic, {});
    const event = only((await receive(database, pool)).events);
    await commit(database, pool, [event], [start(event, name)]);
    expect(await runsOf(database, name)).toHaveLength(1);
  });

  it("starts one run of a definition that moves to another pool, and records one event", async () => {
    const moved = await listening(database, { pool: "move-from" });
    // Its subscription remains in force.
    const stayed = await listening(database, { pool: "move-from", topic: moved.topic });
    await database.query("select queue.definition_configure($1, pool => 'move-to')", [moved.name]);
    await send(database, moved.topic, {});
    const before = only((await receive(database, "move-from")).events);
    const after = only((await receive(database, "move-to")).events);
    await commit(database, "move-from", [before], [start(before, moved.name)], {
      state: "retry",
      error: "no load",
      delaySeconds: 0,
    });
    await commit(database, "move-to", [after], [start(after, moved.name)]);
    expect(await runsOf(database, moved.name)).toHaveLength(1);
    const recorded = () =>
      database.query("select pool, state from queue.trigger_events(topic => $1)", [moved.topic]);
    expect(await recorded()).toEqual([{ pool: "move-from", state: "retrying" }]);
    const again = only((await receive(database, "move-from")).events);
    await commit(database, "move-from", [again], [start(again, stayed.name)]);
    expect(await runsOf(database, stayed.name)).toHaveLength(1);
    expect(await recorded()).toEqual([{ pool: "move-from", state: "evaluated" }]);
  });

  it("starts runs for the events that wait in the pool that a definition leaves, one each", async () => {
    const { name, topic, pool } = await listening(database);
    const stayed = await listening(database, { topic, pool });
    for (const n of [1, 2, 3]) await send(database, topic, { n });
    const [leased] = (await receive(database, pool, null, 30, 1)).events;
    if (leased === undefined) throw new Error("No event.");
    const recheck = { delaySeconds: 0.1, recheck: true };
    await commit(database, pool, [leased], [start(leased, name, recheck)]);
    const [second] = (await receive(database, pool, null, 1, 1)).events;
    if (second === undefined) throw new Error("No event.");
    const next = `${pool}-2`;
    await database.query("select queue.definition_configure($1, pool => $2)", [name, next]);
    // The old worker ends what it has begun.
    await commit(database, pool, [second], [start(second, name), start(second, stayed.name)]);
    const moved: unknown[] = [];
    await eventually(
      async () => {
        for (const event of (await receive(database, next)).events) {
          moved.push({ id: event.eventId, only: event.only });
          await commit(database, next, [event], [start(event, name, recheck)]);
        }
        return runsOf(database, name);
      },
      { length: 3 },
    );
    const directed = { definition: name, trigger: "changed" };
    expect(moved).toEqual(
      expect.arrayContaining([
        { id: leased.eventId, only: { ...directed, recheck: true } },
        { id: expect.any(String) as string, only: directed },
      ]),
    );
    const times = await database.query(
      `select count(*)::integer as kept from queue.trigger_event as e
       where e.topic = $1 and e.published_at <= e.evaluated_at`,
      [topic],
    );
    expect(times).toEqual([{ kept: 3 }]);
  });

  it("sends the recheck of a delayed event to the pool where its definition is", async () => {
    const { name, topic, pool } = await listening(database);
    await send(database, topic, {});
    const leased = only((await receive(database, pool)).events);
    const next = `${pool}-2`;
    await database.query("select queue.definition_configure($1, pool => $2)", [name, next]);
    const recheck = { delaySeconds: 0, recheck: true };
    await commit(database, pool, [leased], [start(leased, name, { ...recheck, delaySeconds: 1 })]);
    const isRecheck = ({ only: directed }: { readonly only: unknown }): boolean =>
      (directed as { readonly recheck?: boolean } | null)?.recheck === true;
    await eventually(
      async () => {
        for (const event of (await receive(database, next, null, 1)).events) {
          const delaySeconds = isRecheck(event) ? 0 : 1;
          await commit(database, next, [event], [start(event, name, { ...recheck, delaySeconds })]);
        }
        return runsOf(database, name);
      },
      { length: 1 },
    );
  });

  it("gives an event back uncounted for a worker that knows its types", async () => {
    const { topic, pool } = await listening(database);
    await send(database, topic, {});
    for (let delivery = 0; delivery < 3; delivery++) {
      const event = only((await receive(database, pool)).events);
      expect(event.attempts).toBe(1);
      const report = { state: "release", delaySeconds: 0, error: "No worker loads it." };
      await commit(database, pool, [event], [], report);
    }
    const kept = await database.query(
      "select state, error, attempts from queue.trigger_events(topic => $1)",
      [topic],
    );
    expect(kept).toEqual([{ state: "retrying", error: "No worker loads it.", attempts: 0 }]);
  });

  it("starts a run of the version that was evaluated, records it and acknowledges", async () => {
    const { name, topic, pool } = await listening(database);
    await send(database, topic, { id: 7 });
    const { events } = await receive(database, pool);
    const event = only(events);
    await commit(database, pool, [event], [start(event, name, { input: { id: 7 } })]);
    expect(await runsOf(database, name)).toMatchObject([{ input: { id: 7 }, version: 1 }]);
    expect(await matchesOf(database, event)).toMatchObject([
      { outcome: "started", name: "changed" },
    ]);
    expect((await receive(database, pool)).events).toEqual([]);
  });

  it("starts one run, however often an event is delivered", async () => {
    const { name, topic, pool } = await listening(database);
    await send(database, topic, {});
    for (let delivery = 0; delivery < 3; delivery++) {
      const event = only((await receive(database, pool, null, 0)).events);
      await commit(database, pool, [event], [start(event, name)], {
        state: "more",
        delaySeconds: 0,
      });
    }
    expect(await runsOf(database, name)).toHaveLength(1);
  });

  it("does nothing for an event whose lease is lost", async () => {
    const { name, topic, pool } = await listening(database);
    await send(database, topic, {});
    const lost = only((await receive(database, pool, null, 0)).events);
    const held = only((await receive(database, pool)).events);
    expect(await commit(database, pool, [lost], [start(lost, name)])).toEqual([]);
    expect(await runsOf(database, name)).toEqual([]);
    expect(await commit(database, pool, [held], [start(held, name)])).toEqual([held.receipt]);
  });

  it("starts nothing of a definition that is paused or archived since, or was published after the event", async () => {
    const [paused, archived, other] = await Promise.all(
      [1, 2, 3].map(() => listening(database, { pool: "lively" })),
    );
    if (paused === undefined || archived === undefined || other === undefined) throw new Error();
    for (const { topic } of [paused, archived]) await send(database, topic, {});
    const { events } = await receive(database, "lively");
    const [one, two] = events;
    if (one === undefined || two === undefined) throw new Error("Two events were expected.");
    await database.query("select queue.definition_pause($1)", [paused.name]);
    await database.query("select queue.definition_archive($1)", [archived.name]);
    const late = await listening(database, { pool: "lively", topic: paused.topic });
    await commit(
      database,
      "lively",
      [one, two],
      [start(one, paused.name), start(two, archived.name), start(one, late.name)],
    );
    for (const { name } of [paused, archived, late]) {
      expect(await runsOf(database, name)).toEqual([]);
    }
    expect(await matchesOf(database, one)).toMatchObject([{ outcome: "paused" }]);
    expect(await matchesOf(database, two)).toEqual([]);
  });

  it("records nothing of an event whose lease is only extended", async () => {
    const { name, topic, pool } = await listening(database);
    await send(database, topic, {});
    const event = only((await receive(database, pool)).events);
    const more = { state: "more", delaySeconds: 30 };
    expect(await commit(database, pool, [event], [], more)).toEqual([event.receipt]);
    const recorded = () =>
      database.query("select state from queue.trigger_event where event_id = $1", [event.eventId]);
    expect(await recorded()).toEqual([]);
    await commit(database, pool, [event], [start(event, name)], more);
    expect(await recorded()).toEqual([{ state: "evaluated" }]);
  });

  it("keeps the error of a guard with the event", async () => {
    const { name, topic, pool } = await listening(database);
    await send(database, topic, {});
    const event = only((await receive(database, pool)).events);
    const failed = { ...start(event, name), outcome: "failed", error: "no member" };
    await commit(database, pool, [event], [failed]);
    expect(await matchesOf(database, event)).toMatchObject([
      { outcome: "failed", error: "no member", run_id: null },
    ]);
  });

  it("starts one run for a key of once_for, over events, versions and the sweep", async () => {
    const { name, topic, pool } = await listening(database);
    const page = async (version = 1) => {
      await send(database, topic, {});
      const event = only((await receive(database, pool)).events);
      await commit(database, pool, [event], [start(event, name, { version, onceKey: '["i1"]' })]);
      return only(await matchesOf(database, event));
    };
    const first = await page();
    expect(first).toMatchObject({ outcome: "started" });
    expect(await page()).toMatchObject({ outcome: "once", run_id: first["run_id"] });
    const { draft, revision } = only(
      await database.query("select draft, revision from queue.definition_get($1)", [name]),
    ) as { draft: never; revision: number };
    const next = await saveDraft(database, Object.assign(draft, { title: "two" }), revision);
    await publishDefinition(database, name, next);
    expect(await page(2)).toMatchObject({ outcome: "once", version: 2 });
    expect(await runsOf(database, name)).toHaveLength(1);
    // The run and its events are swept.
    await database.query("select queue.workflow_cancel($1)", [first["run_id"]]);
    await database.query(
      `update queue.workflow_run set expires_at = now() - interval '1 second' where run_id = $1`,
      [first["run_id"]],
    );
    await database.query(
      "update queue.trigger_event set expires_at = now() - interval '1 second' where topic = $1",
      [topic],
    );
    await database.query("select queue.workflow_sweep()");
    await database.query("select queue.trigger_sweep(100000)");
    expect(await runsOf(database, name)).toEqual([]);
    expect(await database.query("select from queue.trigger_events(topic => $1)", [topic])).toEqual(
      [],
    );
    expect(await page(2)).toMatchObject({ outcome: "once", run_id: first["run_id"] });
    expect(await runsOf(database, name)).toEqual([]);
    const forget = () =>
      database.query("select queue.once_forget($1, $2) as value", [name, '["i1"]']);
    expect([await forget(), await forget()]).toEqual([[{ value: true }], [{ value: false }]]);
    expect(await page(2)).toMatchObject({ outcome: "started" });
  });

  it("starts one run for a key that a hundred events take at once", async () => {
    const { name, topic, pool } = await listening(database);
    for (let n = 0; n < 100; n++) await send(database, topic, { n });
    const sessions = await Promise.all(Array.from({ length: 10 }, () => openSession(database)));
    const batches = await Promise.all(
      sessions.map((session) => receive(session, pool, null, 30, 10)),
    );
    expect(batches.flatMap(({ events }) => events)).toHaveLength(100);
    await Promise.all(
      batches.map(({ events }, at) =>
        commit(
          sessions[at] ?? database,
          pool,
          events,
          events.map((event) => start(event, name, { onceKey: '["i1"]' })),
        ),
      ),
    );
    expect(await runsOf(database, name)).toHaveLength(1);
    const outcomes = await database.query(
      "select outcome, count(*)::integer, count(run_id)::integer as runs from queue.trigger_match as m join queue.definition as d using (definition_id) where d.name = $1 group by outcome order by outcome",
      [name],
    );
    expect(outcomes).toEqual([
      { outcome: "once", count: 99, runs: 99 },
      { outcome: "started", count: 1, runs: 1 },
    ]);
  });

  it("delivers an event again for a trigger with recheck, and withdraws it if the guard no longer holds", async () => {
    const { name, topic, pool } = await listening(database);
    await send(database, topic, { id: 1 });
    const event = only((await receive(database, pool)).events);
    const delayed = start(event, name, { delaySeconds: 0.1, recheck: true, onceKey: '["i1"]' });
    await commit(database, pool, [event], [delayed]);
    expect(await runsOf(database, name)).toEqual([]);
    expect(await matchesOf(database, event)).toMatchObject([{ outcome: "delayed" }]);
    const again = await eventuallyReceived(pool);
    expect(again).toMatchObject({
      eventId: event.eventId,
      message: { id: 1 },
      only: { definition: name, trigger: "changed", recheck: true },
    });
    await commit(database, pool, [again], [{ ...start(again, name), outcome: "withdrawn" }]);
    expect(await matchesOf(database, event)).toMatchObject([
      { outcome: "withdrawn", run_id: null },
    ]);
    expect(await runsOf(database, name)).toEqual([]);
  });

  it("starts a run after the delay of a trigger with recheck whose guard still holds", async () => {
    const { name, topic, pool } = await listening(database);
    await send(database, topic, { id: 1 });
    const event = only((await receive(database, pool)).events);
    const delayed = { delaySeconds: 0.1, recheck: true };
    await commit(database, pool, [event], [start(event, name, delayed)]);
    const again = await eventuallyReceived(pool);
    await commit(database, pool, [again], [start(again, name, delayed)]);
    expect(await runsOf(database, name)).toHaveLength(1);
    expect(await matchesOf(database, event)).toMatchObject([{ outcome: "started" }]);
  });

  it("takes two rechecks of an event together with the event itself, which is retried", async () => {
    const first = await listening(database);
    const second = await listening(database, { topic: first.topic, pool: first.pool });
    const { pool } = first;
    const names = [first.name, second.name];
    await send(database, first.topic, { id: 1 });
    const event = only((await receive(database, pool)).events);
    const delayed = { delaySeconds: 0.1, recheck: true };
    await commit(
      database,
      pool,
      [event],
      names.map((name) => start(event, name, delayed)),
      { state: "retry", delaySeconds: 2, error: "It is down." },
    );
    const { events } = await eventually(
      () => receive(database, pool, null, 0),
      (batch) => batch.events.length === 3,
    );
    const held = (await receive(database, pool)).events;
    expect(held.map(({ eventId }) => eventId)).toEqual(events.map(() => event.eventId));
    const rechecks = held.filter((each) => each.only !== null);
    const original = only(held.filter((each) => each.only === null));
    const matches = rechecks.map((each) => {
      const { definition } = each.only as { definition: string };
      return start(each, definition, delayed);
    });
    const rows = await database.query<{ held: string }>(
      "select queue.trigger_commit($1, $2, $3)::text as held",
      [
        pool,
        JSON.stringify([
          ...rechecks.map(({ receipt }) => ({ receipt, state: "evaluated" })),
          { receipt: original.receipt, state: "retry", delaySeconds: 60, error: "It is down." },
        ]),
        JSON.stringify(matches),
      ],
    );
    expect(rows).toHaveLength(3);
    for (const name of names) expect(await runsOf(database, name)).toHaveLength(1);
    const states = await database.query(
      "select state, error from queue.trigger_event where event_id = $1",
      [event.eventId],
    );
    expect(states).toEqual([{ state: "retrying", error: "It is down." }]);
  });
});

async function eventuallyReceived(pool: string): Promise<TestEvent> {
  const { events } = await eventually(
    () => receive(database, pool),
    (batch) => batch.events.length > 0,
  );
  return only(events);
}

/** Whether the one trigger of the pool wants each event that is received. */
async function wantedOf(pool: string): Promise<boolean[]> {
  const { triggers, events } = await receive(database, pool);
  const { subscriptionId } = only(triggers ?? []);
  return events.map(({ subscriptionIds }) => subscriptionIds.includes(subscriptionId));
}

it("sends copies of a large event in parts, by its length rather than its compressed size", async () => {
  const { name, topic, pool } = await listening(database);
  await send(database, topic, { text: "x".repeat(500_000) });
  const event = only((await receive(database, pool)).events);
  await commit(database, pool, [event], []);
  const session = await openTransaction(database);
  await session.query("set local track_functions = 'all'");
  await session.query(
    `select queue._record_matches(array(
       select row($1, d.definition_id, d.name, 1, 'changed', 'again', null, null, null, 0, 1, 0, null, null)::queue.trigger_decision
       from queue.definition as d
       cross join generate_series(1, 20)
       where d.name = $2
     ))`,
    [event.eventId, name],
  );
  const [sent] = await session.query<{ parts: number }>(
    "select calls::integer as parts from pg_stat_xact_user_functions where funcname = '_send_messages'",
  );
  await session.query("rollback");
  expect(sent?.parts).toBe(3);
});

describe("subscriptions of triggers", () => {
  it("reach a publish that has found one before it was replaced", async () => {
    const { name, topic, pool } = await listening(database);
    await database.query("select queue.definition_configure($1, scope => $2)", [
      name,
      { org: "o1" },
    ]);
    // send_topic() may have found it before, and reads it now.
    const rows = await database.query<{ kept: boolean }>(
      "select exists (select from queue.subscription where pattern = $1 and filter is null) as kept",
      [topic],
    );
    expect(rows).toEqual([{ kept: true }]);
    await send(database, topic, { org: "o1" });
    expect(await wantedOf(pool)).toEqual([true]);
  });

  it("end with the last trigger that wants them, and can't be ended by hand", async () => {
    const first = await listening(database);
    const second = await listening(database, { topic: first.topic, pool: first.pool });
    const subscriptions = () =>
      database.query<{ id: string; target: string }>(
        "select subscription_id::text as id, target from queue.topic_targets($1, '{}')",
        [first.topic],
      );
    const { id, target } = only(await subscriptions());
    expect(target).toBe(first.pool);
    expect(await database.query("select queue.unsubscribe($1) as value", [id])).toEqual([
      { value: false },
    ]);
    await database.query("select queue.definition_archive($1)", [first.name]);
    expect(await subscriptions()).toHaveLength(1);
    await database.query("select queue.definition_delete($1)", [second.name]);
    expect(await subscriptions()).toEqual([]);
    expect(await database.query("select * from queue.list_subscriptions()")).not.toContainEqual(
      expect.objectContaining({ target_type: "definition" }),
    );
  });

  it("follow the topic of a trigger type", async () => {
    const declare = (topic: string) =>
      database.query("select queue.trigger_declare('typed', $1) as value", [
        JSON.stringify([{ name: "incident.changed", topic, loaded: ["severity"] }]),
      ]);
    expect(await declare("typed.one")).toEqual([{ value: 1 }]);
    expect(await declare("typed.one")).toEqual([{ value: 0 }]);
    expect(await database.query("select * from queue.trigger_types('typed')")).toEqual([
      {
        pool: "typed",
        name: "incident.changed",
        topic: "typed.one",
        loaded: ["severity"],
        event_schema: null,
        declared_at: expect.any(Date) as Date,
      },
    ]);
    await listening(database, {
      pool: "typed",
      topic: "incident.changed",
      prefilter: [
        { path: ["severity", "id"], value: "s1" },
        { path: ["service"], value: "web" },
      ],
    });
    expect(await send(database, "typed.one", { service: "web" })).toBe(1);
    expect(await send(database, "typed.one", { service: "mail" })).toBe(0);
    await receive(database, "typed");
    await declare("typed.two");
    // The subscription that was replaced stays for publishes that have found it: its events match no trigger.
    await send(database, "typed.one", { service: "web" });
    await send(database, "typed.two", { service: "web" });
    expect(await wantedOf("typed")).toEqual([false, true]);
  });

  it("follow the scope of the definition", async () => {
    const { name, topic, pool } = await listening(database);
    expect(await send(database, topic, { org: "o2" })).toBe(1);
    await database.query("select queue.definition_configure($1, scope => $2)", [
      name,
      { org: "o1" },
    ]);
    await receive(database, pool);
    await send(database, topic, { org: "o2" });
    await send(database, topic, { org: "o1" });
    expect(await wantedOf(pool)).toEqual([false, true]);
  });
});
