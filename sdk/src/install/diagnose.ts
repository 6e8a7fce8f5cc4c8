/**
 * Looks for what makes durable workflows less durable, or slow, or not work at all. Reads only; `oxbow doctor`
 * shows what it finds.
 */
import type pg from "pg";
import { withClient } from "./connect.ts";
import { readIncarnation } from "./incarnation.ts";
import {
  findInstallation,
  type Installation,
  isOlder,
  readValue,
  releaseVersion,
} from "./installation.ts";

/** One thing that was looked at. A `problem` must be mended, a `warning` be known. */
export interface Finding {
  readonly level: "fine" | "warning" | "problem";
  /** A sentence: what was found and, unless that is fine, what to do. */
  readonly text: string;
}

const fine = (text: string): Finding => ({ level: "fine", text });
const warning = (text: string): Finding => ({ level: "warning", text });
const problem = (text: string): Finding => ({ level: "problem", text });

const OLDEST_SERVER = 15;
const SHOWN_VIOLATIONS = 5;
const SHOWN_TABLES = 10;

/** Examines a database; answers in the order in which one would ask. */
export async function diagnose(database: string | pg.ClientBase): Promise<Finding[]> {
  return withClient(database, async (client) => {
    const installation = await findInstallation(client);
    return [
      await serverVersion(client),
      await installedVersion(installation),
      ...(await settings(client)),
      ...(await collation(client)),
      ...(await vacuumHolders(client)),
      ...(installation === undefined ? [] : await tables(client)),
    ];
  });
}

async function serverVersion(client: pg.ClientBase): Promise<Finding> {
  const number = Number(await readValue(client, "show server_version_num"));
  const version = `${Math.trunc(number / 10_000)}.${number % 10_000}`;
  if (number >= OLDEST_SERVER * 10_000) return fine(`PostgreSQL ${version}.`);
  return problem(`PostgreSQL ${version} is too old: Oxbow needs ${OLDEST_SERVER} or newer.`);
}

async function installedVersion(installation: Installation | undefined): Promise<Finding> {
  if (installation === undefined) return problem("Oxbow is not installed: run `oxbow migrate`.");
  const { installedBy, version } = installation;
  const release = await releaseVersion();
  if (version === release) return fine(`Oxbow ${version}, installed by ${installedBy}.`);
  if (!isOlder(version, release)) {
    return warning(
      `The database has Oxbow ${version}, this is ${release}: upgrade what connects to it.`,
    );
  }
  const remedy =
    installedBy === "extension"
      ? "run `oxbow migrate`, or ALTER EXTENSION oxbow UPDATE and SELECT queue.migrate()"
      : "run `oxbow migrate`";
  return warning(`The database has Oxbow ${version}, this is ${release}: ${remedy}.`);
}

const UNWANTED_SETTINGS: readonly (Finding & { readonly when: string })[] = [
  {
    when: "pg_is_in_recovery()",
    ...problem("This is a standby, which takes no writes: connect to the primary."),
  },
  {
    when: "to_regnamespace('oxbow_test') is not null",
    ...problem(
      "This database has the clock of a test (schema oxbow_test), so its times may be false: use it for nothing else.",
    ),
  },
  {
    when: "current_setting('fsync') = 'off'",
    ...problem("fsync is off: a crash of the machine loses commits, or all data. Switch it on."),
  },
  {
    when: "current_setting('full_page_writes') = 'off'",
    ...problem("full_page_writes is off: a crash of the machine can destroy pages. Switch it on."),
  },
  {
    when: "current_setting('synchronous_commit') = 'off'",
    ...warning("synchronous_commit is off: a crash forgets the last steps, and runs them again."),
  },
  {
    when: "current_setting('autovacuum') = 'off'",
    ...problem("autovacuum is off: queues grow and slow down without end. Switch it on."),
  },
];

async function settings(client: pg.ClientBase): Promise<Finding[]> {
  const conditions = UNWANTED_SETTINGS.map(({ when }) => when).join(", ");
  const answers = (await readValue(client, `select array[${conditions}]`)) as boolean[];
  const found = UNWANTED_SETTINGS.filter((_, index) => answers[index] === true);
  if (found.length === 0) return [fine("Every commit is durable, and autovacuum is on.")];
  return found.map(({ level, text }) => ({ level, text }));
}

/**
 * An index on text is in the order of the operating system's rules, or of ICU's. A newer version of those may have
 * another one: the entry that is looked for is not found where it should be.
 *
 * @see https://wiki.postgresql.org/wiki/Locale_data_changes
 */
async function collation(client: pg.ClientBase): Promise<Finding[]> {
  const { rows } = await client.query<{ name: string; then: string; now: string }>(
    `select quote_ident(d.datname) as name, d.datcollversion as then,
       pg_database_collation_actual_version(d.oid) as now
     from pg_database as d
     where d.datname = current_database()
       and d.datcollversion <> pg_database_collation_actual_version(d.oid)`,
  );
  return rows.map(({ name, then, now }) =>
    problem(
      `This database was made with version ${then} of the rules that sort text, the system has ${now}: an index may miss existing rows, such as an idempotency key. Run REINDEX DATABASE ${name}, then ALTER DATABASE ${name} REFRESH COLLATION VERSION.`,
    ),
  );
}

/** Sessions that keep vacuum from removing dead rows, in any database of the server, are reported after this time. */
const PATIENCE_MINUTES = 10;

const VACUUM_HOLDERS = `
  select format('A transaction is open for %s minutes (pid %s, "%s", %s)',
    floor(extract(epoch from clock_timestamp() - a.xact_start) / 60), a.pid, a.application_name, a.state) as what
  from pg_stat_activity as a
  where a.backend_type = 'client backend'
    and a.pid <> pg_backend_pid()
    and a.xact_start < clock_timestamp() - make_interval(mins => $1)
  union all
  -- Without pg_read_all_stats, a role sees only the snapshots of other sessions.
  select format('Session %s ("%s") holds a snapshot that is %s transactions old', a.pid, a.application_name,
    age(a.backend_xmin))
  from pg_stat_activity as a
  where a.xact_start is null
    and age(a.backend_xmin) > 100000
  union all
  select format('Prepared transaction "%s" waits for %s minutes', p.gid,
    floor(extract(epoch from clock_timestamp() - p.prepared) / 60))
  from pg_prepared_xacts as p
  where p.prepared < clock_timestamp() - make_interval(mins => $1)
  union all
  select format('Replication slot "%s", which nobody reads from, keeps old rows', s.slot_name)
  from pg_replication_slots as s
  where not s.active
    and coalesce(s.xmin, s.catalog_xmin) is not null
  union all
  select format('Replication slot "%s" keeps rows of the last %s transactions', s.slot_name,
    greatest(age(s.xmin), age(s.catalog_xmin)))
  from pg_replication_slots as s
  where s.active
    and greatest(age(s.xmin), age(s.catalog_xmin)) > 100000
  union all
  -- What a standby with hot_standby_feedback reads is kept here for it.
  select format('Standby "%s" (hot_standby_feedback) holds a snapshot that is %s transactions old', r.application_name,
    age(r.backend_xmin))
  from pg_stat_replication as r
  where age(r.backend_xmin) > 100000`;

async function vacuumHolders(client: pg.ClientBase): Promise<Finding[]> {
  const { rows } = await client.query<{ what: string }>(VACUUM_HOLDERS, [PATIENCE_MINUTES]);
  if (rows.length === 0) {
    return [fine(`Nothing has held vacuum back for more than ${PATIENCE_MINUTES} minutes.`)];
  }
  return rows.map(({ what }) =>
    warning(`${what}: while that lasts, vacuum removes nothing, and queues grow on disk.`),
  );
}

async function tables(client: pg.ClientBase): Promise<Finding[]> {
  const members = [...(await memberTables(client)), ...(await bloat(client))];
  try {
    return [
      ...(await incarnation(client)),
      ...members,
      ...(await backlog(client)),
      ...(await refusals(client)),
      ...(await nodeTypes(client)),
      ...(await invariants(client)),
    ];
  } catch (error) {
    const { code, message, hint = "" } = error as pg.DatabaseError;
    // Functions of an older release lack some that are asked here.
    if (code === "42883") {
      return [...members, warning("The rest can be examined after the upgrade.")];
    }
    if (code === "OX006") return [...members, problem(`${message}: ${hint}`)];
    if (code === "42P01") {
      return [
        ...members,
        problem(`A table of Oxbow is missing: ${message}. \`oxbow migrate\` reports what to do.`),
      ];
    }
    if (code !== "42501") throw error;
    return [
      ...members,
      warning(
        `The invariants can't be checked: ${message}. Be a member of oxbow_reader, or the owner.`,
      ),
    ];
  }
}

/** Nothing to say where the tables are older than copies that hold still. */
async function incarnation(client: pg.ClientBase): Promise<Finding[]> {
  const found = await readIncarnation(client);
  if (found?.state === "held") {
    return [
      problem(
        `This database is a copy (${found.origin}), and held: no run is received. Run \`oxbow fork release --as live\`, or --as sandbox.`,
      ),
    ];
  }
  return found?.state === "sandbox"
    ? [warning("This database is a sandbox: what it would send to urls is captured instead.")]
    : [];
}

/** A table that an extension script makes becomes a member, and pg_dump leaves out the rows of members. */
async function memberTables(client: pg.ClientBase): Promise<Finding[]> {
  const { rows } = await client.query<{ name: string; kind: string }>(
    `select c.oid::regclass::text as name, case c.relkind when 'S' then 'sequence' else 'table' end as kind
     from pg_depend as d
     join pg_class as c on c.oid = d.objid
     where d.classid = 'pg_class'::regclass
       and d.refclassid = 'pg_extension'::regclass
       and d.deptype = 'e'
       and c.relnamespace = 'queue'::regnamespace
       and c.relkind in ('r', 'p', 'S')
     order by name`,
  );
  return rows.map(({ name, kind }) =>
    problem(
      `${name} belongs to the extension, so a dump leaves out its rows: run ALTER EXTENSION oxbow DROP ${kind} ${name}.`,
    ),
  );
}

/** Dead rows are normal: vacuum takes them. These are more than it lets pile up while nothing holds it back. */
const MANY_DEAD_ROWS = 20_000;

async function bloat(client: pg.ClientBase): Promise<Finding[]> {
  const { rows } = await client.query<{
    name: string;
    dead: number;
    live: number;
    size: string;
    vacuumed: string | null;
  }>(
    `select s.relid::regclass::text as name, s.n_dead_tup::float8 as dead, s.n_live_tup::float8 as live,
       pg_size_pretty(pg_total_relation_size(s.relid)) as size,
       floor(extract(epoch from clock_timestamp() - greatest(s.last_vacuum, s.last_autovacuum)) / 60)::text as vacuumed
     from pg_stat_user_tables as s
     where s.schemaname = 'queue'
       and s.n_dead_tup > greatest($1, 2 * s.n_live_tup)
     order by s.n_dead_tup desc
     limit $2`,
    [MANY_DEAD_ROWS, SHOWN_TABLES],
  );
  if (rows.length === 0) return [fine("No table has more dead rows than vacuum lets pile up.")];
  return rows.map(({ name, dead, live, size, vacuumed }) =>
    warning(
      `${name} has ${dead} dead rows and ${live} live ones (${size} on disk, ${
        vacuumed === null ? "never vacuumed" : `vacuumed ${vacuumed} minutes ago`
      }): if something holds vacuum back, end that first, then run VACUUM ${name}.`,
    ),
  );
}

/** Runs that are ready for longer than this have no worker, or too few. */
const BACKLOG_SECONDS = 60;

async function backlog(client: pg.ClientBase): Promise<Finding[]> {
  const { rows } = await client.query<{
    name: string;
    version: number;
    ready: number;
    minutes: number;
  }>(
    `select name, version, ready::float8, floor(extract(epoch from oldest_ready) / 60)::float8 as minutes
     from queue.workflow_backlog()
     where oldest_ready > make_interval(secs => $1)
     order by oldest_ready desc
     limit $2`,
    [BACKLOG_SECONDS, SHOWN_TABLES],
  );
  if (rows.length === 0) return [fine("Every version that has runs to execute is served.")];
  return rows.map(({ name, version, ready, minutes }) =>
    warning(
      `${ready === 1 ? "1 run" : `${ready} runs`} of "${name}" in version ${version} ${
        ready === 1 ? "is" : "are"
      } ready, the oldest for ${minutes} minutes: no worker serves that version, or too few do. Start one.`,
    ),
  );
}

/** Runs that the workers of a pool have given back for longer than this wait for a worker that can execute them. */
const REFUSAL_SECONDS = 60;

async function refusals(client: pg.ClientBase): Promise<Finding[]> {
  const { rows } = await client.query<{
    name: string;
    version: number;
    pool: string;
    runs: number;
    reason: string;
  }>(
    `select name, version, pool, runs::float8, reason
     from queue.workflow_refusals()
     where since < clock_timestamp() - make_interval(secs => $1)
     order by since
     limit $2`,
    [REFUSAL_SECONDS, SHOWN_TABLES],
  );
  return rows.map(({ name, version, pool, runs, reason }) =>
    warning(
      `The workers of pool "${pool}" can't execute ${runs === 1 ? "1 run" : `${runs} runs`} of "${name}" in version ${version}: ${reason}`,
    ),
  );
}

/** Runs of a version wait while no worker knows one of its node types. */
async function nodeTypes(client: pg.ClientBase): Promise<Finding[]> {
  const { rows } = await client.query<{
    pool: string;
    type: string;
    seen: string | null;
    definition: string;
    version: number;
    others: number;
  }>(
    `select pool, type, to_char(max(last_seen_at) at time zone 'utc', 'YYYY-MM-DD HH24:MI "UTC"') as seen,
       min(definition) as definition, (array_agg(version order by definition, version))[1] as version,
       count(*)::float8 - 1 as others
     from queue.node_types_missing()
     group by pool, type
     order by pool, type
     limit $1`,
    [SHOWN_TABLES],
  );
  if (rows.length === 0) return [fine("Every node type that definitions use is served.")];
  return rows.map(({ pool, type, seen, definition, version, others }) => {
    const uses = `version ${version} of definition "${definition}"${others === 0 ? "" : ` and ${others} more`}`;
    const since = seen === null ? "has registered" : "serves";
    const last = seen === null ? "" : ` (seen last on ${seen})`;
    return warning(
      `No worker of pool "${pool}" ${since} node type "${type}"${last}, which ${uses} use${others === 0 ? "s" : ""}: runs wait. Start a worker with that type.`,
    );
  });
}

async function invariants(client: pg.ClientBase): Promise<Finding[]> {
  const { rows } = await client.query<{ invariant: string; subject: string; detail: string }>(
    "select invariant, subject, detail from queue.check_invariants() limit $1",
    [SHOWN_VIOLATIONS],
  );
  if (rows.length === 0) return [fine("All invariants hold.")];
  return rows.map(({ invariant, subject, detail }) =>
    problem(`Broken invariant "${invariant}": ${subject}, ${detail}. Please report it.`),
  );
}
