/** All that forks ask of the Postgres of a source, which is the only SQL of the server: that of Oxbow is in the SDK. */
import type { withDatabase } from "@oxbow/sdk/internal/server";

type Client = Parameters<Parameters<typeof withDatabase>[1]>[0];

export interface ServerFacts {
  readonly database: string;
  readonly majorVersion: number;
  readonly clusterBytes: number;
  readonly databaseBytes: number;
  readonly isStandby: boolean;
  /** Other clients in the database. */
  readonly sessions: number;
  readonly superuser: string;
  /** Null if the role may not know it. */
  readonly dataDir: string | null;
  /** The process of this session. */
  readonly backend: number;
}

export const readFacts = (client: Client): Promise<ServerFacts> =>
  one<ServerFacts>(
    client,
    `select current_database() as database, current_setting('server_version_num')::int / 10000 as "majorVersion",
       (select sum(case when has_database_privilege(d.oid, 'connect') then pg_database_size(d.oid) else 0 end)::float8
        from pg_database as d) as "clusterBytes",
       pg_database_size(current_database())::float8 as "databaseBytes", pg_is_in_recovery() as "isStandby",
       (select count(*)::int from pg_stat_activity as a
        where a.datname = current_database() and a.pid <> pg_backend_pid() and a.backend_type = 'client backend'
       ) as sessions,
       (select r.rolname from pg_roles as r where r.oid = 10) as superuser,
       case when pg_has_role('pg_read_all_settings', 'member') then current_setting('data_directory') end as "dataDir",
       pg_backend_pid() as backend`,
  );

export async function readTime(client: Client): Promise<Date> {
  return (await one<{ now: Date }>(client, "select clock_timestamp() as now")).now;
}

export async function mayReplicate(client: Client): Promise<boolean> {
  const text =
    "select rolreplication or rolsuper as may from pg_roles where rolname = current_user";
  return (await one<{ may: boolean }>(client, text)).may;
}

export async function mayBackUp(client: Client): Promise<boolean> {
  const { may } = await one<{ may: boolean }>(
    client,
    `select rolsuper or rolreplication
       and has_function_privilege('pg_backup_start(text, boolean)', 'execute')
       and has_function_privilege('pg_backup_stop(boolean)', 'execute') as may
     from pg_roles
     where rolname = current_user`,
  );
  return may;
}

/** Keeps the write-ahead log from here on. */
export async function beginBackup(client: Client): Promise<void> {
  // Temporary: it is dropped with the session.
  await client.query(
    "select pg_create_physical_replication_slot('oxbow_fork_' || pg_backend_pid(), true, true)",
  );
  await client.query("select pg_backup_start('oxbow fork', true)");
}

/** Returns the content of the file backup_label. */
export const endBackup = (
  client: Client,
): Promise<{ readonly label: string; readonly now: Date }> =>
  one(client, "select labelfile as label, clock_timestamp() as now from pg_backup_stop(false)");

/** The databases of a cluster, without templates. */
export async function databaseNames(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "select datname as name from pg_database where datallowconn and not datistemplate order by oid",
  );
  return rows.map(({ name }) => name);
}

/** Copies a database within its cluster. */
export async function copyDatabase(
  client: Client,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await client.query(`create database ${quoted(to)} template ${quoted(from)} strategy file_copy`);
}

/** How files are copied from here on. Since PostgreSQL 18. */
export async function setCopyMethod(client: Client, method: "clone" | "copy"): Promise<void> {
  await client.query(`set file_copy_method = ${method}`);
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

async function one<Row extends object>(client: Client, text: string): Promise<Row> {
  const { rows } = await client.query<Row>(text);
  const [row] = rows;
  if (row === undefined) throw new Error("Expected a row.");
  return row;
}
