/**
 * Adopts a data directory that is a snapshot of a running cluster: of ZFS, LVM, or a volume.
 *
 * It is marked as held before clients can connect to it, like a fork.
 */
import { findFreePort } from "@oxbow/sdk/internal/testing";
import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { cleanCluster, partsElsewhere } from "./cluster-files.ts";
import { isRunning, quarantine, startCluster } from "./cold-cluster.ts";
import { majorVersionOf } from "./driver.ts";
import { findPrograms } from "./programs.ts";
import { USUAL_SUPERUSER } from "./source.ts";

export interface AdoptOptions {
  readonly database: string | undefined;
  readonly binDir: string | undefined;
  readonly port: number | undefined;
}

export interface Adopted {
  readonly url: string;
  readonly dataDir: string;
  readonly copiedAt: Date;
}

/** @throws Error if the directory can't be adopted; nothing in it is changed. */
export async function adopt(given: string, options: AdoptOptions): Promise<Adopted> {
  const dataDir = resolve(given);
  if (!existsSync(join(dataDir, "PG_VERSION"))) {
    throw new Error(`"${given}" is not a data directory of Postgres: it has no file PG_VERSION.`);
  }
  if (isRunning(dataDir)) {
    throw new Error(
      `A server runs on ${dataDir}: give a snapshot of it, on which no server has been started.`,
    );
  }
  if (!["postmaster.pid", "backup_label"].some((name) => existsSync(join(dataDir, name)))) {
    throw new Error(
      `${dataDir} was shut down cleanly, so it may be the source itself: copy it with \`oxbow fork ${given} <target>\`.`,
    );
  }
  const elsewhere = await partsElsewhere(dataDir);
  if (elsewhere !== undefined) {
    throw new Error(
      `${dataDir} is not a whole cluster: ${elsewhere}, which may belong to the source. Fork the source by basebackup, template or dump.`,
    );
  }
  const programs = findPrograms(majorVersionOf(dataDir), options.binDir);
  await programs("pg_ctl", ["--version"]);
  const copiedAt = await lastWriteTo(join(dataDir, "pg_wal"));
  await cleanCluster(dataDir);
  const cluster = { dataDir, superuser: USUAL_SUPERUSER, programs };
  const port = options.port ?? (await findFreePort());
  const [first] = await quarantine(cluster, { port, copiedAt });
  await startCluster(cluster);
  const database = encodeURIComponent(options.database ?? first ?? USUAL_SUPERUSER);
  return { url: `postgres://${USUAL_SUPERUSER}@127.0.0.1:${port}/${database}`, dataDir, copiedAt };
}

/** Replays the log of the source. */
async function lastWriteTo(log: string): Promise<Date> {
  const times = await Promise.all(
    (await readdir(log)).map(async (name) => (await stat(join(log, name))).mtimeMs),
  );
  return new Date(Math.max(...times, 0));
}
