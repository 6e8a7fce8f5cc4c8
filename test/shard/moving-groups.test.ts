/**
 * Message groups whose routes move between three shards under faults, from a seed, while messages are sent and
 * received: each committed message of a group is received in the order of its sends, however often (X4), no message is
 * lost, no group is in flight twice at a time, and the invariants of all shards hold (X7).
 *
 * `SEED=7 SHARD_SEEDS=1000` begins elsewhere and takes more; `make test-shard-seeds` takes 1,000.
 */
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "@oxbow/fleet/internal";
import type { Transport } from "@oxbow/sdk/internal/server";
import { afterAll, expect, it } from "vitest";
import { Chance } from "../audit/workload/chance.ts";
import type { TestDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { FaultyRelays } from "../helpers/faulty-relays.ts";
import { createFleet } from "../helpers/fleet.ts";
import { moveRoute, persist } from "../helpers/moves-under-faults.ts";

const FIRST_SEED = Number(process.env["SEED"] ?? Math.trunc(Math.random() * 2 ** 31));
const SEEDS = Number(process.env["SHARD_SEEDS"] ?? 2);
const NAMES = ["a", "b", "c"] as const;
const ROUTES = 2;
const GROUPS = 2;
const CONSUMERS = 4;
const MESSAGES = 25;
const QUEUE = "ordered";

/** Messages of each group in the order in which they were received. */
let received: Map<string, number[]>;
/** Groups that a consumer handles. */
let handled: Set<string>;

const databaseOf = (name: string): TestDatabase => fleet.databases[name] as TestDatabase;

const fleet = await createFleet(NAMES.length);
const transport = connect({ shards: fleet.shards });
for (const name of NAMES) {
  await databaseOf(name).query("select queue.create_queue($1, fifo => true)", [QUEUE]);
}

afterAll(() => transport.close());

type Send = Parameters<Transport["queues"]["sendFifo"]>[0];

const send = (request: Send): Promise<unknown> => persist(() => transport.queues.sendFifo(request));

/** One after the other: a send that is repeated has the same deduplication id, wherever its group is by then. */
async function sendAll(chance: Chance, groupId: string): Promise<void> {
  for (let n = 0; n < MESSAGES; n++) {
    const request = {
      queue: QUEUE,
      message: String(n),
      groupId,
      deduplicationId: `${groupId}:${n}`,
      delayMs: chance.next() < 0.1 ? 50 : 0,
      headers: undefined,
    };
    await send(request);
    await delay(chance.between(0, 40));
  }
}

const receive = (signal: AbortSignal): Promise<Message[]> =>
  persist(() =>
    transport.queues.receive({
      queue: QUEUE,
      max: 2,
      visibilityTimeoutMs: 10_000,
      matching: undefined,
      waitMs: 200,
      signal,
    }),
  ).catch((error: unknown) => {
    if (signal.aborted) return [];
    throw error;
  });

async function consume(seed: number, chance: Chance, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const messages = await receive(signal);
    for (const message of messages) await handle(seed, chance, message);
  }
}

type Message = Awaited<ReturnType<Transport["queues"]["receive"]>>[number];

async function handle(seed: number, chance: Chance, message: Message): Promise<void> {
  const groupId = message.groupId ?? "";
  expect(handled.has(groupId), `${groupId} in flight twice, seed ${seed}`).toBe(false);
  handled.add(groupId);
  received.set(groupId, [...(received.get(groupId) ?? []), Number(message.body)]);
  await delay(chance.between(0, 60));
  handled.delete(groupId);
  const { receipt } = message;
  if (chance.next() < 0.15) {
    await persist(() => transport.queues.changeVisibility(QUEUE, receipt, 0));
  } else await persist(() => transport.queues.delete(QUEUE, receipt));
}

/** Whatever waits for a consumer, a relay or a move. */
async function rest(): Promise<unknown[]> {
  const left = await Promise.all(
    NAMES.map((name) =>
      databaseOf(name).query(
        `select $1::text as shard, 'message' as kind, to_jsonb(q) as row from queue.q_${QUEUE} as q where message is not null
         union all select $1, 'leaving', to_jsonb(l) from queue.leaving_group as l
         union all select $1, 'elsewhere', to_jsonb(e) from queue.group_elsewhere as e
         union all select $1, 'item', to_jsonb(o) from queue.outbox as o where delivered_at is null`,
        [name],
      ),
    ),
  );
  return left.flat();
}

async function tryOut(seed: number): Promise<void> {
  const chance = new Chance(seed);
  [received, handled] = [new Map(), new Set()];
  const routes = Array.from({ length: ROUTES }, (_, n) => `g${seed}-${n}`);
  const groups = routes.flatMap((route) =>
    Array.from({ length: GROUPS }, (_, n) => (n === 0 ? route : `${route}/${n}`)),
  );
  const relays = new FaultyRelays(fleet, transport, chance);
  const stop = new AbortController();
  const consumers = Array.from({ length: CONSUMERS }, (_, n) =>
    consume(seed, new Chance(seed * CONSUMERS + n), stop.signal),
  );
  try {
    const sending = Promise.all(
      groups.map((group, n) => sendAll(new Chance(seed * groups.length + n), group)),
    );
    for (let moves = chance.between(4, 8); moves > 0; moves--) {
      await moveRoute(transport, chance.pick(routes), chance.pick(NAMES), false);
      if (chance.next() < 0.5) relays.kill(chance);
      await delay(chance.between(0, 200));
    }
    await sending;
    await Promise.race([eventually(rest, []), Promise.all(consumers)]);
  } finally {
    stop.abort();
    await relays.stop();
    await Promise.all(consumers);
  }
  for (const group of groups) {
    const found = received.get(group) ?? [];
    const once = found.filter((n, index) => n !== found[index - 1]);
    expect(once, `${group}, seed ${seed}`).toEqual(Array.from({ length: MESSAGES }, (_, n) => n));
  }
}

it(
  `are received in their order, under faults (${SEEDS} seeds from ${FIRST_SEED})`,
  async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) await tryOut(seed);
    for (const name of NAMES) {
      expect(await databaseOf(name).query("select * from queue.check_invariants()")).toEqual([]);
    }
  },
  60_000 + SEEDS * 60_000,
);
