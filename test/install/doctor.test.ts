import { fileURLToPath } from "node:url";
import { diagnose, type Finding, migrate } from "@oxbow/sdk/internal/server";
import type { Cluster } from "@oxbow/sdk/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startCluster } from "../helpers/clusters.ts";
import { connectTo } from "../helpers/connected.ts";
import { eventually, including } from "../helpers/eventually.ts";

const BUILT = fileURLToPath(new URL("../../extension-sql/dist", import.meta.url));

const texts = (findings: readonly Finding[]): string[] => findings.map(({ text }) => text);

describe("the doctor", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({
      durable: false,
      extensionDir: BUILT,
      settings: { max_prepared_transactions: "2", wal_level: "logical" },
    });
  });
  afterAll(() => cluster.stop({ mode: "immediate" }));

  async function setup(name: string): Promise<pg.Client> {
    return connectTo(await cluster.createDatabase(name));
  }

  it("finds tables that belong to the extension, and prints how to release them", async () => {
    const client = await setup("members");
    await client.query("create extension oxbow; select queue.migrate()");
    await client.query("select queue.create_queue('orders')");
    await client.query("alter extension oxbow add table queue.q_orders");
    const problem = texts(await diagnose(client)).find((text) => text.includes("dump"));
    expect(problem).toContain("queue.q_orders belongs to the extension");
    const remedy = /run (.*)\.$/.exec(problem ?? "")?.[1] ?? "";
    await client.query(remedy);
    expect(texts(await diagnose(client)).filter((text) => text.includes("dump"))).toEqual([]);
  });

  it("finds tables that are older than the functions", async () => {
    const client = await setup("older");
    await client.query("create extension oxbow version '0.1.0'; select queue.migrate()");
    await client.query("alter extension oxbow update");
    expect(texts(await diagnose(client)).join("\n")).toMatch(
      /the tables are older than Oxbow .*: Call queue.migrate\(\)/,
    );
    await client.query("select queue.migrate()");
    expect(texts(await diagnose(client))).toContain("All invariants hold.");
  });

  it("finds that text is sorted by other rules than when the database was made", async () => {
    const admin = await setup("admin");
    await admin.query(
      "create database sorted template template0 locale_provider icu icu_locale 'en-US'",
    );
    const url = new URL(cluster.url);
    url.pathname = "sorted";
    const sorting = async () =>
      texts(await diagnose(url.href)).filter((text) => text.includes("sort text"));
    expect(await sorting()).toEqual([]);
    await admin.query("update pg_database set datcollversion = '1.0' where datname = 'sorted'");
    expect(await sorting()).toEqual([
      expect.stringMatching(
        /version 1\.0 .* Run REINDEX DATABASE sorted, then ALTER DATABASE sorted/,
      ),
    ]);
  });

  it("finds node types that definitions use and no worker serves", async () => {
    const client = await setup("node_types");
    await client.query("create extension oxbow; select queue.migrate()");
    const nodeTypes = async () =>
      texts(await diagnose(client)).filter((text) => text.includes("node type"));
    expect(await nodeTypes()).toEqual(["Every node type that definitions use is served."]);
    for (const name of ["first", "second"]) {
      const document = { format: 1, name, nodes: { a: { type: "mail@2", params: {} } } };
      await client.query("select queue.definition_create($1, $2)", [name, document]);
      await client.query("select queue.definition_publish($1, 1)", [name]);
    }
    expect(await nodeTypes()).toEqual([
      'No worker of pool "default" has registered node type "mail@2", which version 1 of definition "first" and 1 more use: runs wait. Start a worker with that type.',
    ]);
    await client.query("select queue.node_types_register('default', $1)", [
      JSON.stringify([{ type: "mail@2", params: {} }]),
    ]);
    expect(await nodeTypes()).toEqual(["Every node type that definitions use is served."]);
    await client.query("update queue.node_type set last_seen_at = '2026-01-02 03:04Z'");
    expect(await nodeTypes()).toEqual([
      'No worker of pool "default" serves node type "mail@2" (seen last on 2026-01-02 03:04 UTC), which version 1 of definition "first" and 1 more use: runs wait. Start a worker with that type.',
    ]);
  });

  it("finds a replication slot without a reader", async () => {
    const client = await setup("slots");
    await client.query("create extension oxbow; select queue.migrate()");
    await client.query("select pg_create_logical_replication_slot('forgotten', 'pgoutput')");
    onTestFinished(async () => {
      await client.query("select pg_drop_replication_slot('forgotten')");
    });
    expect(texts(await diagnose(client)).join("\n")).toContain('Replication slot "forgotten"');
  });
});

it("the doctor of a database at work finds versions without a worker, dead rows, and sessions that hold vacuum back", async () => {
  await using cluster = await startCluster({ durable: false, settings: { autovacuum: "off" } });
  const client = new pg.Client(cluster.url);
  client.on("error", () => {});
  await client.connect();
  await migrate(client);
  await client.query("select queue.workflow_start('greet', version => 2)");
  await client.query("select queue.create_queue('busy')");
  await client.query(
    "select queue.send_batch('busy', array(select '1'::jsonb from generate_series(1, 21000)))",
  );
  await client.query("delete from queue.q_busy");
  await client.query(
    "update queue.q___wf_greet set visible_at = visible_at - interval '3 minutes'",
  );
  const found = await eventually(
    async () => texts(await diagnose(client)).join("\n"),
    including("has 21000 dead rows"),
  );
  expect(found).toMatch(
    /1 run of "greet" in version 2 is ready, the oldest for 3 minutes: no worker/,
  );
  expect(found).toMatch(/queue\.q_busy has 21000 dead rows and 0 live ones \(.*, never vacuumed\)/);
});

it("dropping the extension takes the functions; the tables stay, and keep working with the next one", async () => {
  await using cluster = await startCluster({ durable: false, extensionDir: BUILT });
  const client = new pg.Client(cluster.url);
  await client.connect();
  await client.query("create extension oxbow");
  await client.query("select queue.create_queue('orders')");
  await client.query("select queue.send('orders', '1')");
  await client.query("drop extension oxbow");
  await expect(client.query("select queue.receive('orders')")).rejects.toMatchObject({
    code: "42883",
  });
  await client.query("create extension oxbow");
  const { rows } = await client.query("select message from queue.receive('orders')");
  expect(rows).toEqual([{ message: 1 }]);
  await client.end();
});

it("every table has a primary key, as logical replication asks for", async () => {
  await using cluster = await startCluster({ durable: false, extensionDir: BUILT });
  const client = new pg.Client(cluster.url);
  await client.connect();
  await client.query(
    "create extension oxbow; select queue.create_queue('a'); select queue.create_queue('b', true); select queue.workflow_start('c')",
  );
  const { rows } = await client.query(
    `select c.relname from pg_class as c
       where c.relnamespace = 'queue'::regnamespace and c.relkind = 'r'
         and not exists (select from pg_index as i where i.indrelid = c.oid and i.indisprimary)`,
  );
  expect(rows).toEqual([]);
  await client.end();
});

it("the doctor without rights reports what it can't read, and reads as a reader", async () => {
  await using cluster = await startCluster({ durable: false, extensionDir: BUILT });
  const client = new pg.Client(cluster.url);
  await client.connect();
  await client.query("create extension oxbow; select queue.create_queue('a')");
  await client.query("create role stranger; grant usage on schema queue to stranger");
  await client.query("grant execute on function queue.version() to stranger; set role stranger");
  const denied = await diagnose(client);
  expect(denied.map(({ text }) => text).join("\n")).toContain("oxbow_reader");
  await client.query("reset role; grant oxbow_reader to stranger; set role stranger");
  const allowed = await diagnose(client);
  expect(allowed.map(({ text }) => text)).toContain("All invariants hold.");
  await client.end();
});
