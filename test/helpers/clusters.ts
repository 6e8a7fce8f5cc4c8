/**
 * Postgres servers of tests. Each begins with a copy of one data directory, in which Oxbow is installed in a template
 * (`test-cluster.ts`): `initdb` and the migration of a database take ten times as long.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "@oxbow/sdk/internal/server";
import { type Cluster, type PostgresOptions, startPostgres } from "@oxbow/sdk/testing";
import { inject } from "vitest";

/** Starts a server, whose data `stop` removes. */
export async function startCluster(
  options: Omit<PostgresOptions, "dataDir"> = {},
): Promise<Cluster> {
  const initial = inject("initialData");
  if (initial === undefined) return startPostgres(options);
  const folder = mkdtempSync(join(tmpdir(), "oxbow-cluster-"));
  // The account of the server goes through it.
  chmodSync(folder, 0o755);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const dataDir = join(folder, "data");
    await copy(initial, dataDir);
    const cluster = await startPostgres({ ...options, dataDir });
    const stop = cluster.stop.bind(cluster);
    cluster.stop = async (how) => {
      await stop(how);
      remove();
    };
    return cluster;
  } catch (error) {
    remove();
    throw error;
  }
}

async function copy(from: string, to: string): Promise<void> {
  const copying = spawn("cp", ["-a", from, to], { stdio: "inherit" });
  await once(copying, "close");
  const { exitCode } = copying;
  if (exitCode !== 0) throw new Error(`Cannot copy ${from} to ${to}: cp ended with ${exitCode}.`);
}

/** Makes a database with Oxbow, and returns its url. */
export async function createInstalled(cluster: Cluster, name: string): Promise<string> {
  if (inject("initialData") !== undefined) {
    return cluster.createDatabase(name, { template: inject("templateDatabase") });
  }
  const url = await cluster.createDatabase(name);
  await migrate(url);
  return url;
}
