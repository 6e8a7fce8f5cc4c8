/**
 * Starts, child runs and cancellations that cross shards under faults, from a seed: transactions in both shards commit or
 * roll back, while relays die at any point and sessions are ended. Afterwards every committed cause has one effect, no
 * other cause has any (X2), each run is in one shard (X1), and the invariants of each shard hold (X7).
 *
 * `SEED=7 SHARD_SEEDS=1000` begins elsewhere and takes more; `make test-shard-seeds` takes 1,000.
 */
import { connect } from "@oxbow/fleet/internal";
import type pg from "pg";
import { afterAll, expect } from "vitest";
import { Chance } from "../audit/workload/chance.ts";
import type { TestDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { FaultyRelays } from "../helpers/faulty-relays.ts";
import { createFleet } from "../helpers/fleet.ts";
import { useSession } from "../helpers/idle-sessions.ts";
import {
  CLIENTS,
  itHasOneEffectForEveryCause,
  type Name,
  NAMES,
  otherOf,
} from "../helpers/shard-seeds.ts";

type Kind = "start" | "child" | "doomed-child" | "cancel";

interface Cause {
  readonly id: number;
  readonly kind: Kind;
  readonly from: Name;
  readonly to: Name;
  /** Key of a start, if it has one. */
  readonly key: string | null;
  /** The parent, or the run to cancel. */
  readonly run: string;
  readonly commits: boolean;
}

const routes = {} as Record<Name, string>;
let causes: Cause[] = [];
let nextId = 0;

const databaseOf = (name: Name): TestDatabase => fleet.databases[name];

const fleet = await createFleet();
const transport = connect({ shards: fleet.shards });
const homes = await databaseOf("a").query<{ route: string; home: Name }>(
  "select 'r' || n as route, queue.home_of('r' || n) as home from generate_series(1, 40) as n",
);
for (const { route, home } of homes) routes[home] = route;

afterAll(() => transport.close());

/** Those of one client, in both shards. */
const useSessions = (use: (sessions: Record<Name, pg.Client>) => Promise<void>): Promise<void> =>
  useSession(databaseOf("a"), (a) => useSession(databaseOf("b"), (b) => use({ a, b })));

async function start(name: Name, workflow: string): Promise<{ run: string; receipt: string }> {
  const [row] = await databaseOf(name).query<{ run: string; receipt: string }>(
    `select run_id::text as run, receipt::text from queue.workflow_start_batch($1, array[null::jsonb], lease_seconds => array[600])`,
    [workflow],
  );
  if (row === undefined) throw new Error("A start returned no run.");
  return row;
}

const INVOKE = `select queue.workflow_commit(array['parent'], array[$1::bigint], array[$2::bigint], array['suspend'],
  array[jsonb_build_object('waits', jsonb_build_array(jsonb_build_object('kind', 'invoke', 'step', 's', 'route', $3::text)),
    'retries', jsonb_build_array(), 'journaled', 0)],
  array[null::timestamptz], effect_items => array[1], effect_kinds => array['invoke'], effect_steps => array['s'],
  effect_targets => array[$4], effect_events => array[$3::text], effect_values => array[to_jsonb($5::integer)],
  effect_versions => array[null::integer], effect_retention => array[null::integer])`;

/** A transaction with one cause, which commits or rolls back. */
async function act(seed: number, session: pg.Client, from: Name, chance: Chance): Promise<void> {
  const kind = chance.pick<Kind>(["start", "start", "child", "doomed-child", "cancel"]);
  const to = otherOf(from);
  const id = nextId++;
  const route = routes[to];
  const commits = chance.next() < 0.8;
  let key: string | null = null;
  let run = "";
  let statement: [string, unknown[]];
  if (kind === "start") {
    if (chance.next() < 0.5) key = `${route}/${seed}-${chance.between(0, 3)}`;
    statement = [
      `select queue.workflow_start_elsewhere($1, 'started', to_jsonb($2::integer), idempotency_key => $3)`,
      [route, id, key],
    ];
  } else if (kind === "cancel") {
    ({ run } = await start(to, "doomed"));
    statement = ["select queue.workflow_cancel($1, $2)", [run, `by ${id}`]];
  } else {
    const parent = await start(from, "parent");
    ({ run } = parent);
    statement = [INVOKE, [run, parent.receipt, route, kind, id]];
  }
  await session.query("begin");
  await session.query(...statement);
  // For so long that later ids commit first, and are delivered.
  if (chance.next() < 0.2) await session.query("select pg_sleep($1)", [chance.next() * 0.2]);
  await session.query(commits ? "commit" : "rollback");
  causes.push({ id, kind, from, to, key, run, commits });
  if (commits && kind === "child" && chance.next() < 0.3) {
    // As after a lost answer.
    await session.query(...statement);
  }
  if (commits && kind === "doomed-child") {
    await session.query("select queue.workflow_cancel($1)", [run]);
  }
}

async function client(
  seed: number,
  chance: Chance,
  sessions: Record<Name, pg.Client>,
): Promise<void> {
  for (let n = chance.between(2, 5); n > 0; n--) {
    const from = chance.pick(NAMES);
    await act(seed, sessions[from], from, chance);
  }
}

/** Completes what is ready of the children in a shard, with their input as the output. Returns whether there was any. */
async function work(name: Name): Promise<boolean> {
  const ready = await databaseOf(name).query<{ run: string; receipt: string; input: number }>(
    `select run_id::text as run, receipt::text, input from queue.workflow_receive(array['child'], max_runs => 10)`,
  );
  for (const { run, receipt, input } of ready) {
    await databaseOf(name).query(
      `select queue.workflow_commit(array['child'], array[$1::bigint], array[$2::bigint], array['complete'],
         array[$3::jsonb], array[null::timestamptz])`,
      [run, receipt, JSON.stringify(input)],
    );
  }
  return ready.length > 0;
}

async function isQuiet(): Promise<boolean> {
  const pending = await Promise.all(
    NAMES.map(async (name) => transport.fleet?.shard(name).shards?.pending()),
  );
  // Last, since what has just arrived is ready.
  const worked = await Promise.all(NAMES.map(work));
  return pending.every((names) => names?.length === 0) && !worked.includes(true);
}

interface Found {
  readonly run: string;
  readonly workflow: string;
  readonly input: number | null;
  readonly key: string | null;
  readonly status: string;
  readonly parent: string | null;
  readonly reason: string | null;
  readonly output: number | null;
}

const runsIn = (name: Name): Promise<(Found & Record<string, unknown>)[]> =>
  databaseOf(name).query(
    `select r.run_id::text as run, r.workflow_name as workflow, r.input, r.idempotency_key as key, r.status::text,
       r.parent_run_id::text as parent, r.error ->> 'message' as reason, s.output
     from queue.workflow_run as r
     left join queue.workflow_step as s on s.run_id = r.run_id
     where r.started_at > $1::timestamptz`,
    [begunAt[name]],
  );

/** Times by the clock of the shard. */
const begunAt: Record<Name, string> = { a: "", b: "" };

function check(seed: number, found: Record<Name, Found[]>): void {
  for (const name of NAMES) {
    const here = causes.filter(({ to }) => to === name);
    const committed = here.filter(({ commits }) => commits);
    const of = (workflow: string): Found[] =>
      found[name].filter((run) => run.workflow === workflow);
    const ids = (kind: Kind): number[] =>
      committed.filter((one) => one.kind === kind).map(({ id }) => id);

    const keyless = committed.filter(({ kind, key }) => kind === "start" && key === null);
    const started = of("started");
    expect(
      numbers(started.filter(({ key }) => key === null).map(({ input }) => input ?? -1)),
      `starts in ${name}, seed ${seed}`,
    ).toEqual(numbers(keyless.map(({ id }) => id)));
    const keys = new Set(committed.flatMap(({ key }) => key ?? []));
    const keyed = started.filter(({ key }) => key !== null);
    expect(keyed.map(({ key }) => key ?? "").toSorted(), `keys in ${name}, seed ${seed}`).toEqual(
      [...keys].toSorted(),
    );
    for (const { key, input } of keyed) {
      expect(committed.filter((one) => one.key === key).map(({ id }) => id)).toContain(input);
    }

    for (const kind of ["child", "doomed-child"] as const) {
      expect(
        numbers(of(kind).map(({ input }) => input ?? -1)),
        `runs of ${kind} in ${name}, seed ${seed}`,
      ).toEqual(numbers(ids(kind)));
    }
    expect(new Set(of("doomed-child").map(({ status }) => status)).has("running")).toBe(false);
    for (const { id, run, kind, from } of committed) {
      const parent = found[from].find((one) => one.run === run);
      if (kind === "child") {
        expect(parent?.output, `end of ${id}, seed ${seed}`).toBe(id);
        expect(of("child").find(({ input }) => input === id)?.parent).toBe(run);
      }
    }
    for (const { id, run, kind, commits } of here) {
      if (kind !== "cancel") continue;
      const doomed = found[name].find((one) => one.run === run);
      expect(
        { status: doomed?.status, reason: doomed?.reason },
        `cancellation ${id}, seed ${seed}`,
      ).toEqual(
        commits ? { status: "cancelled", reason: `by ${id}` } : { status: "running", reason: null },
      );
    }
  }
  const shared = found.a.filter(({ run }) => found.b.some((other) => other.run === run));
  expect(shared, `runs in both shards, seed ${seed}`).toEqual([]);
}

const numbers = (values: readonly number[]): number[] =>
  values.toSorted((one, other) => one - other);

async function tryOut(seed: number): Promise<void> {
  const chance = new Chance(seed);
  causes = [];
  for (const name of NAMES) {
    const [row] = await databaseOf(name).query<{ now: string }>(
      "select clock_timestamp()::text as now",
    );
    begunAt[name] = row?.now ?? "";
  }
  const relays = new FaultyRelays(fleet, transport, chance);
  try {
    const acting = Promise.all(
      Array.from({ length: CLIENTS }, (_, n) =>
        useSessions((sessions) => client(seed, new Chance(seed * CLIENTS + n), sessions)),
      ),
    );
    for (let kills = chance.between(0, 3); kills > 0; kills--) {
      await databaseOf("a").query("select pg_sleep($1)", [chance.next() * 0.02]);
      relays.kill(chance);
    }
    await acting;
    await eventually(isQuiet, true);
  } finally {
    await relays.stop();
  }
  check(seed, { a: await runsIn("a"), b: await runsIn("b") });
}

itHasOneEffectForEveryCause(tryOut, databaseOf);
