/** Faults of sessions and transactions: timeouts, locks, cancelled statements, no connection to be had. */
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { eventually, isNotEmpty } from "../../helpers/eventually.ts";
import type { Aftermath, Fault, Scene } from "../fault.ts";
import { SOURCE_NAME } from "../workload/definitions.ts";
import { NOTHING } from "../workload/plan.ts";
import type { World } from "../world/world.ts";

/** A parameter of the database for a while, in all sessions of the system. */
async function withSetting(
  world: World,
  setting: string,
  value: string,
  forMs: number,
): Promise<void> {
  const session = await world.connect();
  try {
    await session.query(`alter database audited set ${setting} = '${value}'`);
    await world.endSessions();
    await pause(forMs);
  } finally {
    await session.query(`alter database audited reset ${setting}`);
    await endSessionsFromBefore(session);
    await session.end();
  }
}

/** One that was being started has the parameter already, and is not yet known as one of this database. */
async function endSessionsFromBefore(session: pg.Client): Promise<void> {
  const { rows } = await session.query<{ now: Date }>("select clock_timestamp() as now");
  const endThem = async (): Promise<number | null> => {
    const { rowCount } = await session.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where backend_type = 'client backend' and coalesce(datname, current_database()) = current_database()
         and application_name not in ('auditor', 'fault') and backend_start < $1`,
      [rows[0]?.now],
    );
    return rowCount;
  };
  await eventually(endThem, 0);
}

const settingFault = (setting: string, value: string, forMs = 4_000): Fault => ({
  name: setting,
  injects: `${setting} = ${value} in all sessions for ${forMs / 1_000} s`,
  inject: ({ world }) => withSetting(world, setting, value, forMs),
});

async function often(forMs: number, everyMs: number, act: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    await act();
    await pause(everyMs);
  }
}

/** Does something to the backends of the system, a few at a time. */
const toBackends = (world: World, act: string, forMs: number, everyMs: number): Promise<void> =>
  often(forMs, everyMs, () =>
    world.query(
      `select ${act}(pid) from (
         select pid from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()
           and application_name not in ('auditor', 'fault') and state <> 'idle'
         order by random() limit 3
       ) as s`,
    ),
  );

const HELD_MS = 12_000;
const HELD_LOAD = {
  ...NOTHING,
  runs: { long: 14, chain: 10, nap: 10 },
  stepMs: 1_500,
  overMs: 6_000,
} as const;

interface Holding {
  readonly injects: string;
  /** The statement that locks the run $1. */
  readonly hold: string;
  /** The statement after which the session is left alone. */
  readonly leave?: string;
  readonly release?: string;
}

/** A transaction that locks one executing run for four leases. Other runs must not wait with it. */
const heldFault = (by: string, { injects, hold, leave, release = "commit" }: Holding): Fault => ({
  name: `run held by ${by}`,
  injects: `${injects} for ${HELD_MS / 1_000} s`,
  promises: "other runs make progress while it is held",
  load: HELD_LOAD,
  inject: (scene) =>
    holdRun(
      scene,
      async (session, run) => {
        await session.query("begin");
        await session.query(hold, [run]);
        if (leave !== undefined) await session.query(leave);
      },
      async (session) => void (await session.query(release)),
    ),
});

async function holdRun(
  { world, trial, blame }: Scene,
  lock: (session: pg.Client, run: string) => Promise<void>,
  release: (session: pg.Client) => Promise<void>,
): Promise<Aftermath> {
  const session = await world.connect();
  try {
    const [found] = await eventually(
      () =>
        world.query(
          `select run_id::text as run from queue.workflow_run
       where status = 'running' and workflow_name = 'long' and input ->> 'trial' = $1 limit 1`,
          [trial],
        ),
      isNotEmpty,
    );
    const run = String(found?.["run"]);
    const before = await completed(world, trial);
    await lock(session, run);
    await pause(HELD_MS);
    const after = await completed(world, trial);
    if (after <= before) blame(`no run completed in ${HELD_MS / 1_000} s in which one was held`);
    const waiting = await world.query(
      `select pid from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and application_name <> 'fault'`,
    );
    if (waiting.length > 8) blame(`${waiting.length} sessions wait for one run`);
    await release(session);
    // A held run must not cause the work of others to be repeated.
    return { once: { except: run } };
  } finally {
    await session.end();
  }
}
async function completed(world: World, trial: string): Promise<number> {
  const [row] = await world.query(
    `select count(*)::int as n from queue.workflow_run where status = 'completed' and input ->> 'trial' = $1`,
    [trial],
  );
  return Number(row?.["n"]);
}

const LOCK_RUN = `select from queue.workflow_continuation where msg_id = $1 for update`;

export const SESSION_FAULTS: readonly Fault[] = [
  settingFault("statement_timeout", "8ms"),
  settingFault("lock_timeout", "2ms"),
  settingFault("idle_in_transaction_session_timeout", "5ms"),
  settingFault("default_transaction_isolation", "serializable"),
  {
    ...settingFault("default_transaction_isolation", "repeatable read"),
    name: "repeatable read by default",
  },
  {
    name: "statements cancelled",
    injects: "pg_cancel_backend to three busy sessions, 20 times a second for 4 s",
    inject: ({ world }) => toBackends(world, "pg_cancel_backend", 4_000, 50),
  },
  {
    name: "sessions terminated",
    injects: "pg_terminate_backend to three busy sessions, 20 times a second for 4 s",
    inject: ({ world }) => toBackends(world, "pg_terminate_backend", 4_000, 50),
  },
  {
    name: "all sessions terminated",
    injects: "pg_terminate_backend to all sessions, twice a second for 4 s",
    inject: ({ world }) => often(4_000, 500, () => world.endSessions()),
  },
  {
    name: "data source terminated",
    injects: "pg_terminate_backend to the sessions of a data source, ten times a second for 4 s",
    promises: "no worker ends",
    load: { ...NOTHING, runs: { query: 30, chain: 10 }, stepMs: 300, overMs: 3_000 },
    inject: async ({ world, blame }) => {
      const deaths = (): number => world.workers.reduce((sum, worker) => sum + worker.deaths, 0);
      const before = deaths();
      let terminated = 0;
      await often(4_000, 100, async () => {
        const ended = await world.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where application_name = $1 and state <> 'idle'`,
          [SOURCE_NAME],
        );
        terminated += ended.length;
      });
      if (terminated === 0) blame("no session of the data source was at work");
      if (deaths() > before) blame(`${deaths() - before} workers ended`);
    },
  },
  {
    name: "too many connections",
    injects: "another application holds every connection for 5 s",
    inject: async ({ world }) => {
      const hogs: pg.Client[] = [];
      try {
        const end = performance.now() + 5_000;
        const admin = await world.connect();
        hogs.push(admin);
        while (performance.now() < end) {
          await admin.query(
            `select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and application_name not in ('auditor', 'fault')`,
          );
          // One more each time, until there is no other.
          try {
            for (;;) hogs.push(await world.connect());
          } catch {
            await pause(100);
          }
        }
      } finally {
        await Promise.all(hogs.map((session) => session.end().catch(() => {})));
      }
    },
  },
  {
    name: "deadlocks",
    injects: "three transactions lock pairs of runs in any order for 5 s",
    load: { overMs: 5_000 },
    inject: async ({ world, trial }) => {
      const end = performance.now() + 5_000;
      const quarrel = async (): Promise<void> => {
        const session = await world.connect();
        while (performance.now() < end) {
          try {
            await session.query("begin");
            for (let locked = 0; locked < 2; locked += 1) {
              await session.query(
                `select from queue.workflow_continuation where msg_id = (
                   select run_id from queue.workflow_run
                   where status = 'running' and input ->> 'trial' = $1 order by random() limit 1
                 ) for update`,
                [trial],
              );
              await pause(40);
            }
            await session.query("commit");
          } catch {
            await session.query("rollback");
          }
        }
        await session.end();
      };
      await Promise.all([quarrel(), quarrel(), quarrel()]);
    },
  },
  heldFault("an idle transaction", {
    injects: "a transaction locks one executing run and idles",
    hold: LOCK_RUN,
  }),
  heldFault("a prepared transaction", {
    injects: "a transaction locks one executing run, is prepared, and left alone",
    hold: LOCK_RUN,
    leave: "prepare transaction 'audited'",
    release: "commit prepared 'audited'",
  }),
  heldFault("a signal", {
    injects: "a signal to one executing run is not committed",
    hold: "select queue.workflow_signal($1, 'unwanted', '1')",
  }),
  {
    name: "old snapshot",
    injects: "a REPEATABLE READ transaction stays open through all of it",
    load: { overMs: 6_000, runs: { chain: 40, book: 20, nap: 10 } },
    inject: async ({ world }) => {
      const session = await world.connect();
      await session.query("begin isolation level repeatable read");
      await session.query("select count(*) from queue.workflow_run");
      await pause(6_000);
      await session.query("commit");
      await session.end();
    },
  },
  {
    name: "vacuum full",
    injects: "VACUUM FULL of every table of the schema, one after the other",
    inject: async ({ world }) => {
      const tables = await world.query(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'queue'`,
      );
      for (const { name } of tables) await world.query(`vacuum full ${String(name)}`);
    },
  },
];
