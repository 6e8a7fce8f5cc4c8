/** Rows on their way to another shard are those of an older release: the tables that they are of only grow at the end. */
import { describe, expect, it } from "vitest";
import { releasedVersions } from "../../extension-sql/released.ts";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { installRelease } from "../helpers/releases.ts";

/** The columns of tables, in their order, as "name type". */
type Columns = ReadonlyMap<string, readonly string[]>;

/** The tables whose rows cross shards, by this release. */
async function crossingTables(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    "select table_name as name from queue._run_tables() union all select 'schedule'",
  );
  return rows.map(({ name }) => name);
}

async function columnsOf(database: TestDatabase, tables: readonly string[]): Promise<Columns> {
  const rows = await database.query<{ table: string; columns: string[] }>(
    `select c.relname as table,
       array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) order by a.attnum) as columns
     from pg_class as c
     join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'queue'::regnamespace and c.relname = any ($1)
     group by c.relname`,
    [tables],
  );
  return new Map(rows.map(({ table, columns }) => [table, columns]));
}

/** Columns of a release that are not where they were. */
const misplaced = (release: string, before: Columns, after: Columns): string[] =>
  [...before].flatMap(([table, columns]) =>
    columns.flatMap((column, index) => {
      const now = after.get(table)?.[index] ?? "missing";
      return now === column
        ? []
        : `Column ${index + 1} of queue.${table} was "${column}" in ${release}, and is "${now}": keep it, and append columns at the end, since rows of ${release} may arrive from another shard (rule 3 of migrations/README.md).`;
    }),
  );

async function installed(release: string): Promise<TestDatabase> {
  const database = await createDatabase({ empty: true });
  await installRelease(database, release);
  return database;
}

describe.each(releasedVersions())("the tables whose rows cross shards", (release) => {
  it(`begin with the columns that they have in ${release}`, async () => {
    const [old, fresh] = await Promise.all([installed(release), createDatabase()]);
    const tables = await crossingTables(fresh);
    const before = await columnsOf(old, tables);
    expect(before.size).toBeGreaterThan(0);
    expect(misplaced(release, before, await columnsOf(fresh, tables))).toEqual([]);
    const [{ sends } = { sends: false }] = await old.query<{ sends: boolean }>(
      "select to_regprocedure('queue._run_tables()') is not null as sends",
    );
    // A table that leaves the list is one that the other shard would not fill.
    expect(tables).toEqual(expect.arrayContaining(sends ? await crossingTables(old) : []));
  });
});

describe("the columns of a release", () => {
  const table = "workflow_failed_attempt";

  it.each([
    ["dropped", "drop column attempt", "step_name text"],
    ["renamed", "rename column attempt to call", "call integer"],
    ["of another type", "alter column attempt type bigint", "attempt bigint"],
  ])("are missed if one is %s", async (_, change, instead) => {
    const database = await createDatabase();
    const before = await columnsOf(database, [table]);
    await database.query(`alter table queue.${table} add column appended text`);
    expect(misplaced("1.0.0", before, await columnsOf(database, [table]))).toEqual([]);
    await database.query(`alter table queue.${table} ${change}`);
    expect(misplaced("1.0.0", before, await columnsOf(database, [table]))).toContainEqual(
      expect.stringContaining(
        `Column 4 of queue.${table} was "attempt integer" in 1.0.0, and is "${instead}": keep it`,
      ),
    );
  });
});
