import { readFileSync } from "node:fs";
import { InvalidArgument } from "@oxbow/sdk";
import { diagnose, migrate } from "@oxbow/sdk/internal/server";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { VERSION } from "../helpers/version.ts";

async function setup(): Promise<TestDatabase> {
  return createDatabase({ empty: true });
}

async function tables(database: TestDatabase): Promise<unknown[]> {
  return database.query("select tablename from pg_tables where schemaname = 'queue'");
}

describe("migrate", () => {
  it("installs everything, and does nothing the second time", async () => {
    const { url } = await setup();
    const first = await migrate(url);
    expect(first).toMatchObject({ installedBy: "script", to: VERSION });
    expect(first.from).toBeUndefined();
    expect(first.applied).toBeGreaterThan(0);
    expect(await migrate(url)).toEqual({
      installedBy: "script",
      from: VERSION,
      to: VERSION,
      applied: 0,
      migrations: [],
    });
  });

  it("refuses a database with another encoding than UTF8", async () => {
    const database = await setup();
    const name = `${database.name}_latin1`;
    await database.query(
      `create database ${name} encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0`,
    );
    const url = new URL(database.url);
    url.pathname = name;
    try {
      const reason = `"${name}" has the encoding LATIN1, and Oxbow needs UTF8`;
      await expect(migrate(url.href)).rejects.toThrow(InvalidArgument);
      await expect(migrate(url.href)).rejects.toThrow(reason);
      // As psql runs the script.
      const script = readFileSync(new URL("../../sdk/sql/oxbow.sql", import.meta.url), "utf8");
      const client = new pg.Client(url.href);
      await client.connect();
      const [guard = ""] = script.split("$guard$;", 1);
      await expect(client.query(`begin; ${guard}$guard$`)).rejects.toThrow(reason);
      await client.end();
    } finally {
      await database.query(`drop database ${name} with (force)`);
    }
  });

  it("runs over a client of the caller's", async () => {
    const database = await setup();
    await migrate(await database.connect());
    expect(await tables(database)).not.toEqual([]);
  });

  it("reports in a dry run what it would do, and leaves nothing", async () => {
    const database = await setup();
    const report = await migrate(database.url, { dryRun: true });
    expect(report.applied).toBeGreaterThan(0);
    expect(await database.query("select to_regnamespace('queue') as schema")).toEqual([
      { schema: null },
    ]);
  });

  it("may be called by many concurrently: one of them does the work", async () => {
    const { url } = await setup();
    const reports = await Promise.all([1, 2, 3, 4].map(() => migrate(url)));
    expect(reports.filter((report) => report.applied > 0)).toHaveLength(1);
  });

  it("replaces the functions of an older version, and applies only what is missing", async () => {
    const database = await createDatabase();
    await database.query(
      "create or replace function queue.version() returns text language sql as $$ select '0.0.9' $$",
    );
    expect(await migrate(database.url)).toMatchObject({ from: "0.0.9", to: VERSION, applied: 0 });
  });

  it("takes over an empty schema that an administrator made for it", async () => {
    const database = await setup();
    await database.query("create schema queue");
    expect(await migrate(database.url)).toMatchObject({ to: VERSION });
  });

  it("refuses a schema that isn't Oxbow's", async () => {
    const database = await setup();
    await database.query("create schema queue create table job (id int)");
    await expect(migrate(database.url)).rejects.toMatchObject({
      code: "OX006",
      message: 'schema "queue" exists, but is not Oxbow\'s',
    });
  });

  it.each([
    ["with", /^A table of Oxbow is missing: /],
    ["without", /not installed/],
  ])(
    "explains what to do where the tables were dropped by hand, %s the functions",
    async (functions, finding) => {
      const database = await createDatabase();
      await database.query("select queue.create_queue('orders')");
      await database.query(`do $$ declare v_object text; begin
        for v_object in
          select format('drop table %s cascade', c.oid::regclass)
          from pg_class as c where c.relnamespace = 'queue'::regnamespace and c.relkind = 'r'
          union all
          select format('drop function %s cascade', p.oid::regprocedure)
          from pg_proc as p where p.pronamespace = 'queue'::regnamespace and '${functions}' = 'without'
        loop
          execute v_object;
        end loop;
      end $$`);
      await expect(migrate(database.url)).rejects.toMatchObject({
        code: "OX006",
        message: 'the tables of schema "queue" were dropped, but not its types',
        hint: expect.stringContaining("DROP SCHEMA queue CASCADE") as string,
      });
      const findings = (await diagnose(database.url)).map(({ text }) => text);
      expect(findings).toContainEqual(expect.stringMatching(finding));
      await database.query("drop schema queue cascade");
      expect(await migrate(database.url)).toMatchObject({ to: VERSION });
    },
  );

  it("refuses a database of a newer release", async () => {
    const database = await createDatabase();
    await database.query(
      "create or replace function queue.version() returns text language sql as $$ select '0.10.0' $$",
    );
    await expect(migrate(database.url)).rejects.toMatchObject({
      code: "OX006",
      message: `the database has Oxbow 0.10.0, which is newer than ${VERSION}`,
    });
  });

  it("lets no role call a function without a grant", async () => {
    const database = await createDatabase();
    expect(
      await database.query(
        `select p.oid::regprocedure::text as function
         from pg_proc as p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
         where p.pronamespace = 'queue'::regnamespace and a.grantee = 0`,
      ),
    ).toEqual([]);
  });
});
