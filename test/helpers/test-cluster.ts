/**
 * Before all tests: builds the SQL, makes the data of a Postgres with the schema in one template database, and starts one
 * for the run. Each test file's database is a copy of the template (`database.ts`), and the data of each further server a
 * copy of all (`clusters.ts`). After them: stops it.
 *
 * `OXBOW_TEST_PG_BIN` names the directory of another server's programs, to run the tests on another version.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { TestProject } from "vitest/node";
// Imported by path: what runs before the tests doesn't get the condition that leads from package names to their source.
import { migrate } from "../../sdk/src/internal/server.ts";
import { type PostgresOptions, startPostgres } from "../../sdk/src/testing.ts";

const TEMPLATE = "oxbow_template";
const EXTENSION_DIR = fileURLToPath(new URL("../../extension-sql/dist", import.meta.url));

declare module "vitest" {
  interface ProvidedContext {
    /** Superuser's url of the run's cluster. */
    clusterUrl: string;
    /** Name of the database with the schema installed. */
    templateDatabase: string;
    /** Data directory of a server that is down, of the embedded Postgres. */
    initialData: string | undefined;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // To load it is to run it.
  await import("../../extension-sql/build.ts");
  const folder = project.getProvidedContext().folderOfRun;
  const [initialData, dataDir] = [join(folder, "initial-data"), join(folder, "data")];
  const binDir = process.env["OXBOW_TEST_PG_BIN"];
  const programs = binDir === undefined ? {} : { binDir };
  await makeInitialData({ ...programs, dataDir: initialData });
  execFileSync("cp", ["-a", initialData, dataDir]);
  const cluster = await startPostgres({
    ...programs,
    // `create extension oxbow` works as well, but only PostgreSQL 18 looks for extensions in other directories.
    ...(binDir === undefined ? { extensionDir: EXTENSION_DIR } : {}),
    dataDir,
    durable: false,
    settings: {
      // Files run in parallel, each with its own pools and worker processes.
      max_connections: "500",
      // Tests that provoke a deadlock need not wait the usual second for it.
      deadlock_timeout: "100ms",
    },
  });
  await keepCatalogCache(cluster.url);
  project.provide("clusterUrl", cluster.url);
  project.provide("templateDatabase", TEMPLATE);
  project.provide("initialData", binDir === undefined ? initialData : undefined);
  return () => cluster.stop({ mode: "immediate" });
}

/**
 * Postgres deletes its file of the catalog's cache when it starts, and the first session of each database makes it again,
 * which takes a third of a connect. With the template's, copies have it from the start.
 */
async function keepCatalogCache(clusterUrl: string): Promise<void> {
  const url = new URL(clusterUrl);
  url.pathname = TEMPLATE;
  await within(url.href, async () => {});
}

/**
 * Migrations leave the catalog a third larger than its rows, and with maps of free and visible pages. Each copy of the template
 * would have the dead rows and the 70 files, and cost a fifth more.
 */
async function compactCatalog(url: string): Promise<void> {
  await within(url, async (client) => {
    const { rows } = await client.query<{ tables: string }>(
      `select string_agg(c.oid::regclass::text, ', ') as tables
       from pg_class as c
       where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind = 'r' and not c.relisshared`,
    );
    await client.query(`vacuum full ${rows[0]?.tables}`);
  });
}

async function within(url: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}

async function makeInitialData(options: PostgresOptions): Promise<void> {
  // Its log is short, and so is each copy of it.
  const settings = { wal_recycle: "off", wal_init_zero: "off" };
  const cluster = await startPostgres({ ...options, durable: false, settings });
  try {
    const url = await cluster.createDatabase(TEMPLATE);
    await migrate(url);
    await compactCatalog(url);
  } finally {
    await cluster.stop();
  }
}
