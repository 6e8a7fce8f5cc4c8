/** The database of `oxbow dev --fork-of`: a copy of another one, which is a sandbox, and thrown away in the end. */
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fork } from "../fork/fork.ts";
import { findBinDir } from "../fork/programs.ts";
import { inspectSource } from "../fork/source.ts";
import type { DevDatabase } from "./dev-database.ts";

export interface ForkedDatabaseOptions {
  /** Url or data directory. */
  readonly source: string;
  /** Where the copy goes; nothing may be there. */
  readonly dataDir: string;
  /** Whether its data stays there. */
  readonly isKept: boolean;
}

/** Resolves with a database that is held. */
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
    const binDir = findBinDir(Number(readFileSync(join(dataDir, "PG_VERSION"), "utf8")));
    const cluster = await startPostgres({
      dataDir,
      port: Number(new URL(made.url).port),
      ...(binDir === undefined ? {} : { binDir }),
    });
    return {
      url: made.url,
      place: `forked by ${made.driver}, ${isKept ? `kept in ${dataDir}` : "thrown away in the end"}`,
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
