import type { Client } from "pg";

/** The cost of some work to the database. */
export interface DatabaseCost {
  readonly walBytes: number;
  readonly commits: number;
}

/** WAL and commits of the whole server while `work` is under way. */
export async function databaseCost(
  database: Client,
  work: () => Promise<void>,
): Promise<DatabaseCost> {
  await reported();
  const before = await readCounters(database);
  await work();
  await reported();
  const after = await readCounters(database);
  return { walBytes: after.walBytes - before.walBytes, commits: after.commits - before.commits };
}

async function readCounters(database: Client): Promise<DatabaseCost> {
  const { rows } = await database.query<{ wal: number; commits: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal,
       (select xact_commit::float8 from pg_stat_database where datname = current_database()) as commits`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("The server returned no counters.");
  return { walBytes: row.wal, commits: row.commits };
}

/** Sessions report their commits with up to a second's delay. */
const reported = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 1_500);
  });
