/**
 * Before all tests: builds the SQL, starts one Postgres for the run, and installs the schema into one template
 * database, from which each test file's database is copied (`database.ts`). After them: stops it.
 *
 * `OXBOW_TEST_PG_BIN` names the directory of another server's programs, to run the tests on another version.
 */
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
// By path: what runs before the tests doesn't get the condition that leads from package names to their source.
import { migrate } from "../../sdk/src/internal.ts";
import { startPostgres } from "../../sdk/src/testing.ts";

const TEMPLATE = "oxbow_template";
const EXTENSION_DIR = fileURLToPath(new URL("../../extension-sql/dist", import.meta.url));

declare module "vitest" {
  interface ProvidedContext {
    /** Superuser's url of the run's cluster. */
    clusterUrl: string;
    /** Name of the database with the schema installed. */
    templateDatabase: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // To load it is to run it.
  await import("../../extension-sql/build.ts");
  const binDir = process.env["OXBOW_TEST_PG_BIN"];
  const cluster = await startPostgres({
    // `create extension oxbow` works as well, but only PostgreSQL 18 looks for extensions in other directories.
    ...(binDir === undefined ? { extensionDir: EXTENSION_DIR } : { binDir }),
    durable: false,
    settings: {
      // Files run in parallel, each with its own pools and worker processes.
      max_connections: "300",
      // Tests that provoke a deadlock need not wait the usual second for it.
      deadlock_timeout: "100ms",
    },
  });
  try {
    await migrate(await cluster.createDatabase(TEMPLATE));
  } catch (error) {
    await cluster.stop({ mode: "immediate" });
    throw error;
  }
  project.provide("clusterUrl", cluster.url);
  project.provide("templateDatabase", TEMPLATE);
  return () => cluster.stop({ mode: "immediate" });
}
