/** The database of `oxbow dev`: the given one, or an embedded Postgres with its data in the project. */
import { startForkedDatabase } from "./forked-database.ts";
import { chooseServerUser, isReachable, migrate, releaseIncarnation } from "@oxbow/sdk/internal";
import type { Cluster } from "@oxbow/sdk/testing";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

export interface DevDatabase {
  readonly url: string;
  /** Describes where its data is. */
  readonly place: string;
  stop(): Promise<void>;
}

export interface DevDatabaseOptions {
  readonly url: string | undefined;
  /** Folder `.oxbow` of the project, with the data. */
  readonly folder: string;
  /** Another data directory. */
  readonly dataDir: string | undefined;
  /** Deletes the data at the end. */
  readonly isEphemeral: boolean;
  /** Source of a copy, url or data directory, which is released as a sandbox. */
  readonly forkOf: string | undefined;
  /** How the release treats timers. */
  readonly timers: "fire" | "shift" | "hold";
}

const DATABASE = "oxbow";
/** The same at each start, so that copied urls stay valid. */
const USUAL_PORT = 54_329;
const ALREADY_THERE = "42P04";

/** Resolves once Oxbow is installed in it. */
export async function startDevDatabase(options: DevDatabaseOptions): Promise<DevDatabase> {
  const database = await openDatabase(options);
  try {
    await migrate(database.url);
    if (options.forkOf !== undefined) {
      await releaseIncarnation(database.url, { as: "sandbox", timers: options.timers });
    }
    return database;
  } catch (error) {
    await database.stop();
    throw error;
  }
}

async function openDatabase(options: DevDatabaseOptions): Promise<DevDatabase> {
  const { url, isEphemeral, forkOf } = options;
  if (forkOf !== undefined) {
    return startForkedDatabase({
      source: forkOf,
      dataDir: chooseDataDir(options, `fork-${process.pid}`),
      isKept: options.dataDir !== undefined,
    });
  }
  if (url !== undefined) return { url, place: "your own", stop: async () => {} };
  const dataDir = isEphemeral ? undefined : chooseDataDir(options);
  const cluster = await startCluster(dataDir);
  try {
    await cluster.createDatabase(DATABASE).catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== ALREADY_THERE) throw error;
    });
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return {
    url: cluster.urlOf(DATABASE),
    place: dataDir === undefined ? "deleted on exit" : `kept in ${dataDir}`,
    stop: () => cluster.stop(),
  };
}

async function startCluster(dataDir: string | undefined): Promise<Cluster> {
  const { startPostgres } = await import("@oxbow/sdk/testing");
  try {
    return await startPostgres({
      ...(dataDir === undefined ? {} : { dataDir }),
      preferredPort: USUAL_PORT,
    });
  } catch (error) {
    if (!String(error).includes('"postmaster.pid" already exists')) throw error;
    throw new Error(
      `Another \`oxbow dev\` runs on the data in ${dataDir}. Stop it, or give this one --data <folder> or --ephemeral.`,
      { cause: error },
    );
  }
}

/** Postgres never runs as root, and its account may have no access to root's folders. */
function chooseDataDir({ dataDir, folder }: DevDatabaseOptions, name = "postgres"): string {
  const user = chooseServerUser(dataDir);
  if (dataDir !== undefined) {
    if (user === undefined || existsSync(dataDir) || isReachable(nearestFolder(dataDir), user))
      return dataDir;
    throw new Error(
      `Postgres never runs as root, and the account that runs it (user id ${user.uid}) has no access to ${dataDir}. ` +
        "Give --data a folder that it can access.",
    );
  }
  const wanted = join(folder, name);
  if (user === undefined || existsSync(wanted) || isReachable(folder, user)) return wanted;
  const project = createHash("sha256").update(folder).digest("hex").slice(0, 12);
  mkdirSync(ELSEWHERE, { recursive: true });
  return join(ELSEWHERE, name === "postgres" ? project : `${project}-${name}`);
}

function nearestFolder(path: string): string {
  let folder = path;
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}

const ELSEWHERE = "/var/tmp/oxbow-dev";
