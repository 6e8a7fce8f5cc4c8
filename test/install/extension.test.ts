/** The installation as an extension, by what docs/operate/install.md shows. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate } from "@oxbow/sdk/internal/server";
import type { Cluster } from "@oxbow/sdk/testing";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCluster } from "../helpers/clusters.ts";
import { connectTo } from "../helpers/connected.ts";
import { VERSION } from "../helpers/version.ts";

const BUILT = fileURLToPath(new URL("../../extension-sql/dist", import.meta.url));

describe("the extension", () => {
  let cluster: Cluster;

  beforeAll(async () => {
    const extensionDir = mkdtempSync(join(tmpdir(), "oxbow-extensions-"));
    cpSync(BUILT, extensionDir, { recursive: true });
    addHastyExtension(join(extensionDir, "extension"));
    cluster = await startCluster({ durable: false, extensionDir });
    rmSync(extensionDir, { recursive: true });
  });

  afterAll(() => cluster.stop({ mode: "immediate" }));

  async function setup(name: string): Promise<{ url: string; client: pg.Client }> {
    const url = await cluster.createDatabase(name);
    const client = await connectTo(url);
    await client.query("create extension oxbow");
    return { url, client };
  }

  it("is refused by a database with another encoding than UTF8, which its error names", async () => {
    const admin = await connectTo(cluster.url);
    await admin.query(
      "create database latin1 encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0",
    );
    const url = new URL(cluster.url);
    url.pathname = "latin1";
    const client = await connectTo(url.href);
    await expect(client.query("create extension oxbow")).rejects.toMatchObject({
      code: "OX006",
      message: 'database "latin1" has the encoding LATIN1, and Oxbow needs UTF8',
    });
  });

  it("contains no table", async () => {
    const { client } = await setup("no_table");
    const { rows } = await client.query("select from pg_tables where schemaname = 'queue'");
    expect(rows).toEqual([]);
  });

  it("gets its tables from the library's migrate as well", async () => {
    const { url } = await setup("by_library");
    const report = await migrate(url);
    expect(report).toMatchObject({ installedBy: "extension", from: VERSION, to: VERSION });
    expect(report.applied).toBeGreaterThan(0);
  });

  it("makes tables that belong to the owner of the functions, whichever role calls first", async () => {
    const { client } = await setup("by_visitor");
    await client.query(
      `create role visitor;
       grant oxbow_admin to visitor;
       set role visitor`,
    );
    await client.query("select queue.create_queue('orders')");
    await client.query("reset role");
    const { rows } = await client.query(
      `select distinct c.relowner = 'visitor'::regrole as is_visitors
       from pg_class as c
       where c.relnamespace = 'queue'::regnamespace and c.relkind = 'r'`,
    );
    expect(rows).toEqual([{ is_visitors: false }]);
  });

  it("makes no table inside the script of an extension, to which it would belong", async () => {
    const { client } = await setup("hasty");
    await expect(client.query("create extension hasty")).rejects.toMatchObject({
      code: "OX006",
      message: 'an extension script may not migrate schema "queue"',
    });
  });

  it("is dropped without its queues, and continues with them when it is created again", async () => {
    const { client } = await setup("dropped");
    await client.query("select queue.create_queue('letters', true)");
    await client.query("select queue.send_fifo('letters', '1', 'group')");
    await client.query("drop extension oxbow");
    await client.query("create extension oxbow");
    const { rows } = await client.query(
      "select message, queue.delete('letters', receipt) as deleted from queue.receive_fifo('letters')",
    );
    expect(rows).toEqual([{ message: 1, deleted: true }]);
  });

  it("is not installed over a schema that holds something of its name", async () => {
    const client = await connectTo(await cluster.createDatabase("squatted"));
    await client.query("create schema queue");
    await client.query(
      "create function queue.version() returns text language sql as $$ select 'mine' $$",
    );
    await expect(client.query("create extension oxbow")).rejects.toThrow("already exists");
  });
});

/** An extension that builds on ours and calls migrate() in its script. */
function addHastyExtension(directory: string): void {
  writeFileSync(join(directory, "hasty.control"), "default_version = '1'\nrequires = 'oxbow'\n");
  writeFileSync(join(directory, "hasty--1.sql"), "select queue.migrate();\n");
}
