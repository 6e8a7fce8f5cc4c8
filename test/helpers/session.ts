/**
 * Sessions for tests of their effects on each other: one waits, the other continues, and the test knows which
 * by asking Postgres, never by the clock.
 */
import type pg from "pg";
import type { TestDatabase } from "./database.ts";
import { eventually } from "./eventually.ts";
import { only } from "./queues.ts";

export interface Session {
  /** The process of the session's backend. */
  readonly pid: number;
  /** Runs a statement; returns the rows. */
  query<Row extends pg.QueryResultRow = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
  /**
   * Returns when the session's statement waits for a lock; where another session is named, for one that this session
   * holds, or that is held by one that waits for it in turn.
   */
  isBlocked(by?: Session): Promise<void>;
}

/** Opens a session; it ends with the test file. */
export async function openSession(database: TestDatabase): Promise<Session> {
  const client = await database.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const { pid } = only(rows);
  return {
    pid,
    query: async <Row extends pg.QueryResultRow>(
      text: string,
      values: readonly unknown[] = [],
    ): Promise<Row[]> => (await client.query<Row>(text, [...values])).rows,
    isBlocked: async (by) => {
      await eventually(
        () =>
          database.query(
            `with recursive blocking (pid) as (
               select unnest(pg_blocking_pids($1))
               union
               select unnest(pg_blocking_pids(pid)) from blocking
             )
             select from pg_stat_activity
             where pid = $1 and wait_event_type = 'Lock'
               and ($2::int is null or $2 in (select pid from blocking))`,
            [pid, by?.pid],
          ),
        { length: 1 },
      );
    },
  };
}

/** Opens a session, and a transaction in it. */
export async function openTransaction(
  database: TestDatabase,
  isolation: "read committed" | "repeatable read" | "serializable" = "read committed",
): Promise<Session> {
  const session = await openSession(database);
  await session.query(`begin isolation level ${isolation}`);
  return session;
}
