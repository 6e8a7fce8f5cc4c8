/** The database of `oxbow dev --fork-of`: a copy of another one, as a sandbox, which is deleted on exit. */
import { rm } from "node:fs/promises";
import { fork } from "../fork/fork.ts";
import { findBinDir } from "../fork/programs.ts";
import { inspectSource } from "../fork/source.ts";
import type { DevDatabase } from "./started-database.ts";
import { majorVersionOf } from "../fork/driver.ts";

export interface ForkedDatabaseOptions {
  /** Url or data directory. */
  readonly source: string;
  /** Directory of the copy, which must not exist. */
  readonly dataDir: string;
  /** Whether the copy is kept. */
  readonly isKept: boolean;
}

/** Resolves with a held database. */
export async function startForkedDatabase(options: ForkedDatabaseOptions): Promise<DevDatabase> {
  const { dataDir, isKept } = options;
  const source = await inspectSource(options.source, { database: undefined });
  const remove = async (): Promise<void> => {
    if (!isKept) await rm(dataDir, { recursive: true, force: true });
  };
  const made = await fork(
    source,
    { kind: "directory", path: dataDir },
    { driver: undefined, binDir: undefined, port: undefined, isStarted: false },
  );
  try {
    const { startPostgres } = await import("@oxbow/sdk/testing");
    const binDir = findBinDir(majorVersionOf(dataDir));
    const cluster = await startPostgres({
      dataDir,
      port: Number(new URL(made.url).port),
      ...(binDir === undefined ? {} : { binDir }),
    });
    return {
      url: made.url,
      shards: undefined,
      place: `forked by ${made.driver}, ${isKept ? `kept in ${dataDir}` : "deleted on exit"}`,
      stop: async () => {
        await cluster.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
