/**
 * A shard that is drained under load, by a command that is killed in between: all that it has moves to the others, each key
 * has one run, each tick starts one run, no step is called twice, and nothing new comes to it.
 */
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "@oxbow/fleet/internal";
import type { Transport } from "@oxbow/sdk/internal/server";
import { beforeEach, describe, expect, it } from "vitest";
import { OXBOW, oxbow } from "../helpers/command.ts";
import type { TestDatabase } from "../helpers/database.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { createFleet, pairsOf, startRequest, type TestFleet } from "../helpers/fleet.ts";
import { startMovingWorker } from "../helpers/moving-workers.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const NAMES = ["a", "b", "c"] as const;
const TENANTS = 12;
const STEPS = 3;

let fleet: TestFleet;
let transport: Transport;

beforeEach(async () => {
  fleet = await createFleet(NAMES.length);
  transport = connect({ shards: fleet.shards });
  const own = transport;
  atFileEnd(() => own.close());
});

const databaseOf = (name: string): TestDatabase => fleet.databases[name] as TestDatabase;
const pairs = (): string[] => pairsOf(fleet.shards);

const start = async (route: string | undefined, key: string | undefined): Promise<string> => {
  const request = startRequest({
    workflow: "moving",
    input: JSON.stringify({ steps: STEPS, ms: 5 }),
    idempotencyKey: key,
    route,
  });
  return (await transport.runs.start(request)).runId;
};

const ORDERS = {
  name: "orders",
  fifo: true,
  visibilityTimeoutMs: 30_000,
  maxReceives: undefined,
  deadLetterQueue: undefined,
  retentionMs: undefined,
  delayMs: 0,
  deduplicationScope: "queue" as const,
};

/** Runs by key, and runs without one. */
interface Started {
  readonly byKey: Map<string, string>;
  readonly keyless: string[];
}

/** Starts runs with new keys, with keys that have one, and without a home, until it is stopped. */
async function load({ byKey, keyless }: Started, signal: AbortSignal): Promise<void> {
  for (let n = 0; !signal.aborted; n += 1) {
    const tenant = `tenant-${n % TENANTS}`;
    const key = `${tenant}/${Math.floor(n / 2)}`;
    const run = await start(tenant, key);
    expect(run, `key ${key}`).toBe(byKey.get(key) ?? run);
    byKey.set(key, run);
    keyless.push(await start(undefined, undefined));
    await transport.queues.sendFifo({
      queue: "orders",
      message: String(n),
      groupId: `${tenant}/orders`,
      deduplicationId: String(n),
      delayMs: 0,
      headers: undefined,
    });
    await delay(10);
  }
}

/** Receives what `load` sends, until it is stopped. Returns it by group. */
async function consume(signal: AbortSignal): Promise<Map<string, number[]>> {
  const received = new Map<string, number[]>();
  const request = { queue: "orders", max: 3, visibilityTimeoutMs: 30_000, matching: undefined };
  for (;;) {
    const messages = await transport.queues.receive({ ...request, waitMs: 100, signal: undefined });
    if (messages.length === 0 && signal.aborted) return received;
    await delay(20);
    for (const { groupId, body, receipt } of messages) {
      received.set(groupId ?? "", [...(received.get(groupId ?? "") ?? []), Number(body)]);
      expect(await transport.queues.delete("orders", receipt)).toBe(true);
    }
  }
}

const createSchedule = (name: string): Promise<unknown> =>
  transport.schedules.create({
    name,
    workflow: "moving",
    version: undefined,
    cron: undefined,
    everySeconds: 1,
    timeZone: undefined,
    input: '{"steps":0,"ms":0}',
    tags: undefined,
    retentionDays: undefined,
    jitterMs: undefined,
    catchUp: "backfill",
    catchUpLimit: 1000,
    graceMs: undefined,
    overlap: undefined,
  });

async function valuesOf<Value>(name: string, sql: string): Promise<Value[]> {
  return (await databaseOf(name).query<{ value: Value }>(sql)).map(({ value }) => value);
}

async function ofAll<Value>(sql: string): Promise<Value[]> {
  return (await Promise.all(NAMES.map((name) => valuesOf<Value>(name, sql)))).flat();
}

/** The command, which is killed after some of these times, and repeated. */
async function drain(name: string, kills: readonly number[]): Promise<string> {
  const args = ["shards", "drain", name, ...pairs()];
  for (const ms of kills) {
    const command = startWorkerProcess(OXBOW, { args });
    await delay(ms);
    await command.kill();
  }
  const command = startWorkerProcess(OXBOW, { args });
  const { code } = await command.end();
  const output = command.output.join("\n");
  expect({ code, output }).toMatchObject({ code: 0 });
  return output;
}

describe("a shard", { timeout: 600_000 }, () => {
  it("is drained under load by a command that is killed, and gets nothing new", async () => {
    await databaseOf("a").query("create table call (run_id bigint, step text)");
    await databaseOf("a")
      .query("select queue.pin_route('tenant-0', 'a')")
      .catch(() => {});
    const schedules = Array.from({ length: TENANTS }, (_, n) => `tenant-${n}/each-second`);
    for (const name of schedules) await createSchedule(name);
    expect(await valuesOf("a", "select name as value from queue.schedule")).not.toEqual([]);
    const worker = await startMovingWorker("30s", fleet.shards);
    const started: Started = { byKey: new Map(), keyless: [] };
    const stop = new AbortController();
    await transport.queues.create(ORDERS);
    const consumed = new AbortController();
    const consuming = consume(consumed.signal);
    const loading = load(started, stop.signal);
    await delay(1000);
    const output = await drain("a", [1500, 3000]);
    expect(output).toContain('No route is at home in "a".');
    // Not a line for each of its parts.
    expect(output.match(/Slots at home/g)?.length ?? 0).toBeLessThan(5);
    const before = started.keyless.length;
    await delay(1000);
    stop.abort();
    await loading;
    await eventually(
      () => ofAll("select msg_id::text as value from queue.q_orders where message is not null"),
      [],
    );
    consumed.abort();
    const received = await consuming;
    for (const [group, numbers] of received) {
      expect(numbers, `group ${group}`).toEqual(
        numbers.map((_, n) => (numbers[0] ?? 0) + n * TENANTS),
      );
    }
    expect([...received.values()].flat()).toHaveLength(started.keyless.length);
    expect(started.keyless.length).toBeGreaterThan(before);
    for (const name of schedules) await transport.schedules.delete(name);
    const running = "select run_id::text as value from queue.workflow_run where status = 'running'";
    await eventually(() => ofAll(running), []);

    for (const table of ["workflow_run", "schedule", "departing", "leaving_group"]) {
      expect(await valuesOf("a", `select t::text as value from queue.${table} as t`)).toEqual([]);
    }
    for (const name of NAMES) {
      expect(await databaseOf(name).query("select * from queue.check_invariants()")).toEqual([]);
      const [homes] = await databaseOf(name).query(
        `select count(*)::integer as homes from queue._homes_of(array(select 'r' || n from generate_series(1, 5000) as n)) where shard = 0`,
      );
      expect(homes).toEqual({ homes: 0 });
    }
    const ends = await ofAll<string>(
      `select run_id::text as value from queue.workflow_run where status = 'completed' and scheduled_at is null`,
    );
    expect(ends.toSorted()).toEqual([...started.byKey.values(), ...started.keyless].toSorted());
    for (const name of schedules) {
      const ticks = (
        await ofAll<string>(
          `select extract(epoch from scheduled_at)::bigint::text as value from queue.workflow_run
           where tags ->> 'schedule' = '${name}'`,
        )
      )
        .map(Number)
        .toSorted((one, other) => one - other);
      const [first = 0] = ticks;
      expect(ticks, `ticks of ${name}`).toEqual(ticks.map((_, index) => first + index));
    }
    expect(
      await databaseOf("a").query(
        "select run_id, step from call group by run_id, step having count(*) > 1",
      ),
    ).toEqual([]);

    const status = await oxbow(["shards", "status", ...pairs()]);
    expect(status).toMatchObject({ code: 0 });
    expect(status.stdout).toMatch(/^a +draining +0\/1024 +0 /m);
    const back = await oxbow(["shards", "move", "--slots", "5", "--to", "a", ...pairs()]);
    expect(back.stderr).toContain('Shard "a" is being drained');
    expect((await oxbow(["shards", "drain", "a", "--undo", ...pairs()])).code).toBe(0);
    await eventually(async () => {
      await start(undefined, undefined);
      return valuesOf("a", "select run_id as value from queue.workflow_run");
    }, isNotEmpty);
    await worker.kill();
  });

  it("that has what can't move is not drained, and the command names that", async () => {
    const a = databaseOf("a");
    const [run] = await a.query<{ run: string }>(
      "select run_id::text as run from queue.workflow_start('limited')",
    );
    await a.query(`select queue.workflow_set_flow_control('limited', '{"concurrency": 1}')`);
    const refused = await oxbow(["shards", "drain", "a", ...pairs()]);
    expect(refused.code).not.toBe(0);
    for (const text of ["nothing has moved", `run ${run?.run}: its workflow has flow control`]) {
      expect(refused.stderr).toContain(text);
    }
    expect(await ofAll("select true as value from queue.fleet_shard where is_draining")).toEqual(
      [],
    );
    for (const [args, message] of [
      [["d"], 'There is no shard "d"'],
      [["a", "--to", "a"], "it is the same"],
      [["a", "--undo", "--now"], "Give --undo without other options"],
    ] as const) {
      const { code, stderr } = await oxbow(["shards", "drain", ...args, ...pairs()]);
      expect(stderr).toContain(message);
      expect(code).not.toBe(0);
    }
  });
});
