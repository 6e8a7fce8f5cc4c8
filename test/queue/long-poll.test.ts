import { getEventListeners } from "node:events";
import { createWorkflowClient } from "@oxbow/sdk";
import { describe, expect, it } from "vitest";
import { numbers, setupQueues } from "../helpers/client-queues.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { only, uniqueQueueName } from "../helpers/queues.ts";
import { openTransaction } from "../helpers/session.ts";
import { warningsOf } from "../helpers/warnings.ts";

const { database, connection, client, queues } = await setupQueues();

async function newQueue(fifo = false): Promise<string> {
  const name = uniqueQueueName();
  await queues.create(name, { fifo });
  return name;
}

const isAwaited = (queue: string): Promise<unknown> =>
  eventually(
    () =>
      database.query<{ awaited: boolean }>("select queue._is_awaited($1) as awaited", [
        `queue_${queue}`,
      ]),
    (rows) => rows.every(({ awaited }) => awaited),
  );

async function timed<Value>(work: Promise<Value>): Promise<{ ms: number; value: Value }> {
  const begin = performance.now();
  const value = await work;
  return { ms: performance.now() - begin, value };
}

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

describe("a receive that waits", () => {
  it("resolves as soon as a message arrives", async () => {
    const times: number[] = [];
    for (let n = 0; n < 7; n += 1) {
      const name = await newQueue();
      const receiving = queues.receive(name, { wait: "20s" });
      await isAwaited(name);
      const { ms, value } = await timed(
        Promise.all([database.query("select queue.send($1, '1')", [name]), receiving]),
      );
      expect(value[1]).toHaveLength(1);
      times.push(ms);
    }
    // The safety net would be half a second late as a rule, a busy machine now and then.
    expect(median(times)).toBeLessThan(300);
  });

  it("ends with nothing at the end of its wait", async () => {
    const { ms, value } = await timed(queues.receive(await newQueue(), { wait: 300 }));
    expect(value).toEqual([]);
    expect(ms).toBeGreaterThanOrEqual(299);
    expect(ms).toBeLessThan(10_000);
  });

  it("wakes when a delayed message becomes visible", async () => {
    const name = await newQueue();
    const times: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { ms, value } = await timed(
        queues.send(name, 1, { delay: 400 }).then(() => queues.receive(name, { wait: "20s" })),
      );
      expect(value).toHaveLength(1);
      expect(ms).toBeGreaterThanOrEqual(400);
      times.push(ms);
    }
    // Each may be late on a busy machine; a receive that only polled would always be.
    expect(Math.min(...times)).toBeLessThan(650);
  });

  it("wakes when the message ahead of its group is deleted", async () => {
    const name = await newQueue(true);
    for (const n of [1, 2]) await queues.sendFifo(name, n, { groupId: "a" });
    const head = only(await queues.receive(name));
    const receiving = queues.receive(name, { wait: "20s" });
    await isAwaited(name);
    await queues.delete(name, head);
    expect(only(await receiving).body).toBe(2);
  });

  it("takes matching messages, whatever else waits", async () => {
    const name = await newQueue();
    await queues.sendBatch(name, [{ kind: "a" }, { kind: "a" }]);
    const receiving = queues.receive(name, { wait: "20s", matching: { kind: "b" } });
    await isAwaited(name);
    await queues.send(name, { kind: "b" });
    const { ms, value } = await timed(receiving);
    expect(only(value).body).toEqual({ kind: "b" });
    expect(ms).toBeLessThan(10_000);
  });

  it("ends when its signal aborts, and leaves the messages to the others", async () => {
    const name = await newQueue();
    const controller = new AbortController();
    const aborted = queues.receive(name, { wait: "20s", signal: controller.signal });
    const other = queues.receive(name, { wait: "20s" });
    await isAwaited(name);
    controller.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    await queues.send(name, 1);
    expect(await other).toHaveLength(1);
    await expect(queues.receive(name, { signal: controller.signal })).rejects.toThrow("enough");
  });

  it("is one of many, each of which gets its message", async () => {
    const name = await newQueue();
    const receiving = Array.from({ length: 100 }, () => queues.receive(name, { wait: "20s" }));
    await isAwaited(name);
    await queues.sendBatch(
      name,
      Array.from({ length: 100 }, (_, n) => n),
    );
    const received = await Promise.all(receiving);
    expect(
      received
        .flat()
        .map(({ body }) => body)
        .toSorted((a, b) => Number(a) - Number(b)),
    ).toEqual(numbers(100));
  });

  it("may share its signal with many others, and Node warns of no leak", async () => {
    const name = await newQueue();
    const controller = new AbortController();
    const { signal } = controller;
    const warnings = await warningsOf(async () => {
      const receiving = Array.from({ length: 50 }, () =>
        queues.receive(name, { wait: "20s", signal }),
      );
      await isAwaited(name);
      controller.abort();
      const received = await Promise.allSettled(receiving);
      expect(received).toHaveLength(50);
    });
    expect(warnings).toEqual([]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("asks little of the database while its queue is empty, on one connection for all", async () => {
    const clock = await newQueue();
    const names = await Promise.all(Array.from({ length: 50 }, () => newQueue()));
    const controller = new AbortController();
    const receiving = Promise.allSettled(
      names.map((name) => queues.receive(name, { wait: "1h", signal: controller.signal })),
    );
    for (const name of names) await isAwaited(name);
    const sessions = await database.query(
      "select from pg_stat_activity where datname = current_database() and application_name = 'oxbow listen'",
    );
    expect(sessions).toHaveLength(1);
    const transactions = async () => {
      const rows = await database.query<{ n: number }>(
        "select (xact_commit + xact_rollback)::int as n from pg_stat_database where datname = current_database()",
      );
      return only(rows).n;
    };
    await queues.receive(clock, { wait: "1500ms" });
    const inThreeSeconds = async () => {
      const before = await transactions();
      await queues.receive(clock, { wait: "3s" });
      return (await transactions()) - before;
    };
    // A question a second of each queue would be 150. Sessions report their statistics up to ten seconds late, so
    // that a window may count what was before it.
    await eventually(inThreeSeconds, (n) => n < 110);
    controller.abort();
    await receiving;
  });

  it("rejects when its client is closed, and when its queue is dropped", async () => {
    const name = await newQueue();
    const other = createWorkflowClient(connection);
    const closed = other.queues.receive(name, { wait: "20s" });
    await isAwaited(name);
    await Promise.all([expect(closed).rejects.toThrow(), other.close()]);
    const dropped = queues.receive(name, { wait: "20s" });
    await isAwaited(name);
    // Over HTTP it may know before the drop has been answered.
    await Promise.all([
      expect(dropped).rejects.toThrow(`"${name}" does not exist`),
      queues.drop(name),
    ]);
  });

  it.each([
    ["a receive", (name: string) => queues.receive(name)],
    ["a send", (name: string) => queues.send(name, 1)],
    ["a purge", (name: string) => queues.purge(name)],
  ])("%s rejects when its queue is dropped after the call has found it", async (_, ask) => {
    const name = await newQueue();
    const dropping = await openTransaction(database);
    await dropping.query("select queue.drop_queue($1)", [name]);
    const dropped = async (): Promise<void> => {
      await eventually(
        () =>
          database.query("select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))", [
            dropping.pid,
          ]),
        isNotEmpty,
      );
      await dropping.query("commit");
    };
    await Promise.all([expect(ask(name)).rejects.toThrow(`"${name}" does not exist`), dropped()]);
  });

  it("is correct without a listener", async () => {
    await using polling = createWorkflowClient({ ...connection, listen: false });
    const name = await newQueue();
    const receiving = polling.queues.receive(name, { wait: "20s" });
    await client.queues.send(name, 1);
    expect(await receiving).toHaveLength(1);
    await client.queues.send(name, 2, { delay: 300 });
    const { ms } = await timed(polling.queues.receive(name, { wait: "20s" }));
    expect(ms).toBeLessThan(10_000);
    expect(await polling.queues.receive(name, { wait: 50 })).toEqual([]);
  });
});
