/**
 * A fleet that is restored to a checkpoint, which was taken while signals, children and runs crossed between its shards:
 * nothing is lost, invented or doubled (X1, X2). Restore points that were created one after the other show that the same
 * checks find what goes wrong without a hold.
 */
import { setTimeout as delay } from "node:timers/promises";
import { createWorkflowClient } from "@oxbow/sdk";
import { guardIncarnation, releaseIncarnation, type Transport } from "@oxbow/sdk/internal/server";
import { connect, createRestorePoints, initFleet, whileRelaysAreHeld } from "@oxbow/fleet/internal";
import { createWorker, type Worker, workflow } from "@oxbow/sdk/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { ArchivedServer } from "../helpers/archived-server.ts";
import { askOnce } from "../helpers/ask-once.ts";
import { hasClocks } from "../helpers/clock-ahead.ts";
import { documents, oxbow } from "../helpers/command.ts";
import { eventually } from "../helpers/eventually.ts";
import { silent } from "../helpers/silent-logger.ts";

const NAMES = ["a", "b"] as const;
const MAILBOXES = 8;
/** How far the clock of "b" is ahead, where libfaketime is installed. */
const AHEAD = "3s";
/** How far apart restore points are created, much longer than an item takes. */
const APART_MS = 400;

type Name = (typeof NAMES)[number];
type Shards = Readonly<Record<Name, string>>;

const otherOf = (name: Name): Name => (name === "a" ? "b" : "a");
const oneOf = <Item>(items: readonly Item[]): Item =>
  items[Math.trunc(Math.random() * items.length)] as Item;

const child = workflow({
  name: "child",
  run: (_ctx, { n }: { n: number }) => Promise.resolve(n * 2),
});
const parent = workflow({
  name: "parent",
  run: (ctx, { n, there }: { n: number; there: string }) =>
    ctx.step.invoke("child", child, { n }, { route: there }),
});

const serve = (shards: Shards): Worker =>
  createWorker({ shards, workflows: [parent, child], localStarts: false, logger: silent });

let isAhead: boolean;
let servers: Readonly<Record<Name, ArchivedServer>>;
/** What the shards are restored to, by how the checkpoint was taken. */
let targets: Readonly<Record<"apart" | "held" | "named" | "timed", Target>>;

type Target = Readonly<Record<string, string>>;

const named = (name: string): Target => ({ recovery_target_name: name });

/** Signals, each with a row of its transaction; runs that move; and parents whose children are in the other shard. */
async function load(shards: Shards, signal: AbortSignal): Promise<void> {
  await using client = createWorkflowClient({ shards });
  const routes = Object.fromEntries(
    await Promise.all(NAMES.map(async (name) => [name, await routeAt(client, name)] as const)),
  ) as Record<Name, string>;
  const mailboxes: string[] = [];
  for (let n = 0; n < MAILBOXES; n += 1) {
    const run = await client.start("mailbox", {}, { route: routes[NAMES[n % 2] ?? "a"] });
    mailboxes.push(run.runId);
  }
  const send = async (): Promise<void> => {
    while (!signal.aborted) {
      await servers[oneOf(NAMES)].query(
        `with sent as (
           insert into sent (run_id) values ($1) returning run_id, n
         )
         select queue.workflow_signal(run_id, 'go', to_jsonb(n)) from sent`,
        [oneOf(mailboxes)],
      );
    }
  };
  const move = async (): Promise<void> => {
    while (!signal.aborted) {
      const name = oneOf(NAMES);
      await servers[name].query(
        `select queue.hand_over_run(run_id, $1) from queue.workflow_run
         where workflow_name = 'mailbox' order by random() limit 1`,
        [otherOf(name)],
      );
      await delay(5);
    }
  };
  const invoke = async (): Promise<void> => {
    for (let n = 1; !signal.aborted; n += 1) {
      const name = oneOf(NAMES);
      const input = { n, there: routes[otherOf(name)] };
      await client.start(parent, input, { route: routes[name] });
      await delay(10);
    }
  };
  await Promise.all([send(), send(), move(), invoke()]);
}

async function routeAt(client: { home(route: string): Promise<string | undefined> }, name: Name) {
  for (let n = 0; ; n += 1) if ((await client.home(`r${n}`)) === name) return `r${n}`;
}

/** Without a hold: so much later in the second shard that a signal of the time in between has arrived there. */
async function createApart(name: string): Promise<void> {
  const create = "select pg_create_restore_point($1)";
  await servers.a.query(create, [name]);
  // In another statement, whose snapshot is later than the restore point: it has all signals before that.
  const [row] = await servers.a.query("select max(n)::text as n from sent");
  await eventually(
    () =>
      servers.b.query(
        `select from queue.workflow_buffered_signal
         where payload::bigint % 2 = 0 and payload::bigint > $1 limit 1`,
        [row?.["n"]],
      ),
    { length: 1 },
  );
  await servers.b.query(create, [name]);
}

async function createHeld(transport: Transport, name: string): Promise<void> {
  const { fleet } = transport;
  if (fleet === undefined) throw new Error("It is a fleet.");
  await whileRelaysAreHeld(fleet, async (held) => {
    for (const shard of held) {
      await createRestorePoints([shard], name);
      await delay(APART_MS);
    }
  });
}

/** Takes a checkpoint by the command. */
async function checkpoint(args: readonly string[], env: Record<string, string>) {
  const end = await oxbow(["shards", "checkpoint", ...args, "--json"], { env });
  if (end.code !== 0) throw new Error(end.stderr);
  const [made] = documents(end) as { readonly time?: string }[];
  return made ?? {};
}

beforeAll(async () => {
  const [a, b] = await Promise.all([ArchivedServer.start(), ArchivedServer.start(AHEAD)]);
  servers = { a, b };
  const [clock] = await b.query("select clock_timestamp()::text as now");
  const [behind] = await a.query("select $1::timestamptz - clock_timestamp() > '2 s' as behind", [
    clock?.["now"],
  ]);
  isAhead = behind?.["behind"] === true;
  const shards = { a: a.url, b: b.url };
  const env = { QUEUE_SHARDS: `a=${a.url} b=${b.url}` };
  await initFleet(NAMES.map((name) => ({ name, url: shards[name] })));
  for (const [n, name] of NAMES.entries()) {
    // Numbers of one shard are even, those of the other odd.
    await servers[name].query(
      `create table sent (
         n bigint primary key generated always as identity (start ${2 - n} increment 2), run_id bigint not null
       )`,
    );
    await guardIncarnation(shards[name], true);
    await servers[name].backUp();
  }

  const transport = connect({ shards, maxConnections: 2 });
  const worker = serve(shards);
  const stop = new AbortController();
  const loading = load(shards, stop.signal);
  try {
    await eventually(() => servers.b.query("select from queue.workflow_buffered_signal limit 20"), {
      length: 20,
    });
    await createApart("apart");
    await delay(APART_MS);
    await createHeld(transport, "held");
    await delay(APART_MS);
    await checkpoint(["--name", "named"], env);
    await delay(APART_MS);
    const { time } = await checkpoint(["--by-time"], env);
    targets = {
      apart: named("apart"),
      held: named("held"),
      named: named("named"),
      timed: { recovery_target_time: time ?? "" },
    };
    await delay(2 * APART_MS);
  } finally {
    stop.abort();
    await loading;
    await worker.stop();
    await transport.close();
    await Promise.all(Object.values(servers).map((server) => server.end()));
  }
}, 480_000);

/** Restores both shards, lets everything that is under way end, and returns what is wrong. */
async function restore(target: Target): Promise<Record<string, unknown[]>> {
  const [a, b] = await Promise.all(NAMES.map((name) => servers[name].restore(target)));
  const shards: Shards = { a: a ?? "", b: b ?? "" };
  for (const name of NAMES) {
    expect(await releaseIncarnation(shards[name], { as: "live", timers: "fire" })).toBeDefined();
  }
  const both = async (text: string): Promise<Record<string, unknown>[]> =>
    (await Promise.all(NAMES.map((name) => askOnce(shards[name])(text)))).flat();
  const worker = serve(shards);
  try {
    await eventually(
      async () =>
        both(`select run_id::text from queue.workflow_run where workflow_name <> 'mailbox' and status = 'running'
              union all
              select item_id::text from queue.outbox where delivered_at is null and problem is null`),
      [],
      { withinMs: 30_000 },
    ).catch(() => []);
  } finally {
    await worker.stop();
  }
  const count = async (text: string): Promise<Map<string, number>> => {
    const counts = new Map<string, number>();
    for (const { value } of await both(text)) {
      counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
    }
    return counts;
  };
  const sent = await count("select n as value from sent");
  const received = await count("select payload as value from queue.workflow_buffered_signal");
  const parents = await count(
    "select input ->> 'n' as value from queue.workflow_run where workflow_name = 'parent'",
  );
  const children = await count(
    "select input ->> 'n' as value from queue.workflow_run where workflow_name = 'child'",
  );
  const runs = await count("select run_id as value from queue.workflow_run");
  expect(sent.size).toBeGreaterThan(20);
  expect(children.size).toBeGreaterThan(5);
  const missing = (of: Map<string, number>, among: Map<string, number>): string[] =>
    [...of.keys()].filter((value) => !among.has(value));
  const twice = (counts: Map<string, number>): string[] =>
    [...counts].filter(([, times]) => times > 1).map(([value]) => value);
  const mailboxes = await both(
    "select distinct run_id from queue.workflow_run where workflow_name = 'mailbox'",
  );
  return {
    lostSignals: missing(sent, received),
    inventedSignals: missing(received, sent),
    doubledSignals: twice(received),
    lostChildren: missing(parents, children),
    inventedChildren: missing(children, parents),
    doubledChildren: twice(children),
    runsInTwoShards: twice(runs),
    lostMailboxes: Array.from({
      length: MAILBOXES - new Set(mailboxes.map((m) => m["run_id"])).size,
    }),
    wrongOutputs: await both(
      `select run_id from queue.workflow_run
       where workflow_name = 'parent'
         and (status <> 'completed' or output is distinct from to_jsonb((input ->> 'n')::integer * 2))`,
    ),
    violations: await both("select * from queue.check_invariants()"),
    undelivered: await both(
      "select kind, problem from queue.outbox where delivered_at is null or problem is not null",
    ),
  };
}

const problemsOf = (found: Record<string, unknown[]>): Record<string, unknown[]> =>
  Object.fromEntries(Object.entries(found).filter(([, values]) => values.length > 0));

describe("two shards that are restored", { timeout: 120_000 }, () => {
  it("to restore points that were created while relays were held agree, however long that took", async () => {
    expect(problemsOf(await restore(targets.held))).toEqual({});
  });

  it("to the restore points of `oxbow shards checkpoint` agree", async () => {
    expect(problemsOf(await restore(targets.named))).toEqual({});
  });

  it("to the time of `oxbow shards checkpoint --by-time` agree, though their clocks differ", async () => {
    expect(isAhead).toBe(hasClocks);
    expect(problemsOf(await restore(targets.timed))).toEqual({});
  });

  it("to restore points without a hold have effects without a cause, which the same checks find", async () => {
    const found = problemsOf(await restore(targets.apart));
    expect(found["inventedSignals"]?.length).toBeGreaterThan(0);
  });
});
