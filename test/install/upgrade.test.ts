import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { diagnose, migrate } from "@oxbow/sdk/internal/server";
import type { Cluster } from "@oxbow/sdk/testing";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { releasedScript, releasedVersions } from "../../extension-sql/released.ts";
import { startCluster } from "../helpers/clusters.ts";
import { connectTo } from "../helpers/connected.ts";
import { createDatabase } from "../helpers/database.ts";
import { installRelease } from "../helpers/releases.ts";
import { expectSurvivors, fillWithSurvivors } from "../helpers/survivors.ts";
import { catalogSnapshot } from "./catalog-snapshot.ts";

const EXTENSION = fileURLToPath(new URL("../../extension-sql", import.meta.url));
const RELEASES = releasedVersions();

/** A role of this test, which is dropped with what it owns and was granted in a database. */
async function newRole(client: pg.Client): Promise<string> {
  const role = `"upgrade ${randomBytes(4).toString("hex")}"`;
  await client.query(`create role ${role}`);
  onTestFinished(async () => {
    await client.query(`reset role; drop owned by ${role} cascade; drop role ${role}`);
  });
  return role;
}

/** Installs a release as a role that may do nothing else. */
async function installAs(
  role: string,
  client: pg.Client,
  install: () => Promise<unknown>,
): Promise<void> {
  await client.query(
    `do $$ begin execute format('grant create on database %I to ${role}', current_database()); end $$`,
  );
  await client.query(`set role ${role}`);
  await install();
  await client.query("select queue.create_queue('jobs')");
}

/** Functions and tables of others. */
async function expectOwner(role: string, client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select p.oid::regprocedure::text from pg_proc as p
     where p.pronamespace = 'queue'::regnamespace and p.proowner <> '${role}'::regrole
     union all
     select c.oid::regclass::text from pg_class as c
     where c.relnamespace = 'queue'::regnamespace and c.relowner <> '${role}'::regrole`,
  );
  expect(rows).toEqual([]);
  await client.query("select queue.send('jobs', '1'); select queue.workflow_start('one', '1')");
  await client.query("select * from queue.check_invariants()");
}

/** Functions that upgrades have dropped and made again. */
const GRANTED = ["send", "receive", "workflow_start"];

async function grantFunctions(role: string, client: pg.Client): Promise<void> {
  const functions = GRANTED.map((name) => `queue.${name}`).join(", ");
  await client.query(`grant execute on function ${functions} to ${role} with grant option`);
}

async function expectGranted(role: string, client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select p.proname as name
     from pg_proc as p cross join lateral aclexplode(p.proacl) as a
     where p.pronamespace = 'queue'::regnamespace and a.grantee = '${role}'::regrole and a.is_grantable`,
  );
  expect(rows.map(({ name }) => name).toSorted()).toEqual(GRANTED.toSorted());
}

/** How many migrations came after a release. */
function newMigrations(release: string): number {
  const steps = [...releasedScript(release).matchAll(/\bv_current < (\d+) then/g)].map(
    ([, number]) => Number(number),
  );
  const all = readdirSync(`${EXTENSION}/../migrations`).filter((name) => name.endsWith(".sql"));
  return all.length - Math.max(...steps);
}

const NEEDS_MIGRATE = {
  code: "OX006",
  hint: expect.stringContaining("queue.migrate()") as string,
};

describe.each(RELEASES)("a plain installation of %s", (release) => {
  it("is brought up by the script, with everything in flight, to what a new one is", async () => {
    const [old, fresh] = [
      await createDatabase({ empty: true }),
      await createDatabase({ empty: true }),
    ];
    const client = await connectTo(old.url);
    await installRelease(old, release);
    await fillWithSurvivors(client);
    expect(await migrate(old.url)).toMatchObject({ installedBy: "script", from: release });
    await expectSurvivors(old.url, client);

    for (const queue of ["orders", "letters", "steps"])
      await client.query("select queue.drop_queue($1)", [queue]);
    await client.query(
      "drop view queue.q___wf_survivor; delete from queue.queue where kind = 'workflow'",
    );
    await migrate(fresh.url);
    expect(await catalogSnapshot(client)).toEqual(
      await catalogSnapshot(await connectTo(fresh.url)),
    );
  });

  it("still has its owner after an upgrade by a superuser, and what users have granted", async () => {
    const database = await createDatabase({ empty: true });
    const client = await connectTo(database.url);
    const [owner, user] = [await newRole(client), await newRole(client)];
    await installAs(owner, client, () => installRelease(client, release));
    await grantFunctions(user, client);
    await migrate(database.url);
    await expectOwner(owner, client);
    await expectGranted(user, client);
  });
});

describe.each(RELEASES)("the extension of %s", (release) => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ durable: false, extensionDir: `${EXTENSION}/dist` });
  });
  afterAll(() => cluster.stop({ mode: "immediate" }));

  async function setup(name: string): Promise<{ url: string; client: pg.Client }> {
    const url = await cluster.createDatabase(name);
    const client = await connectTo(url);
    await client.query(`create extension oxbow version '${release}'`);
    await client.query("select queue.migrate()");
    return { url, client };
  }

  it("is brought up by ALTER EXTENSION; the tables follow at the next call that writes", async () => {
    const { url, client } = await setup("upgraded");
    await fillWithSurvivors(client);
    await client.query("alter extension oxbow update");
    const read = client.query("select * from queue.list_subscriptions()");
    // Until then, readers of older tables learn what to do.
    const outcome = newMigrations(release) > 0 ? NEEDS_MIGRATE : { code: "read" };
    expect(await read.then(() => ({ code: "read" }), Object)).toMatchObject(outcome);
    await expectSurvivors(url, client);
  });

  it("is brought up by `oxbow migrate`, which updates the extension first", async () => {
    const { url, client } = await setup("migrated");
    await fillWithSurvivors(client);
    const before = (await diagnose(url)).map(({ text }) => text).join("\n");
    expect(before).toMatch(/run `oxbow migrate`, or ALTER EXTENSION oxbow UPDATE/);
    const report = await migrate(url);
    expect(report).toMatchObject({ installedBy: "extension", from: release });
    expect(report.to).not.toBe(release);
    expect(report.applied).toBe(newMigrations(release));
    await expectSurvivors(url, client);
  });

  it("still has its owner after an upgrade by a superuser, and what users have granted", async () => {
    const client = await connectTo(await cluster.createDatabase("owned"));
    const [owner, user] = [await newRole(client), await newRole(client)];
    await installAs(owner, client, async () => {
      await client.query(`create extension oxbow version '${release}'`);
      await client.query("select queue.migrate()");
    });
    await grantFunctions(user, client);
    await client.query("reset role");
    await client.query("alter extension oxbow update");
    await client.query("select queue.migrate()");
    await expectOwner(owner, client);
    await expectGranted(user, client);
  });

  it("becomes what a new one is, and still owns no table", async () => {
    const { client } = await setup("compared");
    await client.query("alter extension oxbow update");
    await client.query("select queue.migrate()");
    const fresh = await connectTo(await cluster.createDatabase("fresh"));
    await fresh.query("create extension oxbow");
    await fresh.query("select queue.migrate()");
    expect(await catalogSnapshot(client)).toEqual(await catalogSnapshot(fresh));
    const { rows } = await client.query(
      `select c.relname
       from pg_depend as d join pg_class as c on c.oid = d.objid and d.classid = 'pg_class'::regclass
       where d.refclassid = 'pg_extension'::regclass and d.deptype = 'e' and c.relkind <> 'c'
         and c.relnamespace = 'queue'::regnamespace`,
    );
    expect(rows).toEqual([]);
  });
});
