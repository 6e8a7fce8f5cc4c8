/** The database of `oxbow dev`: the given one, or an embedded Postgres with its data in the project. */
import { startForkedDatabase } from "./forked-database.ts";
import type { DevDatabase } from "./started-database.ts";
import { chooseServerUser, isReachable } from "@oxbow/sdk/internal/testing";
import { initFleet, readFleet } from "@oxbow/fleet/internal";
import { migrate, releaseIncarnation } from "@oxbow/sdk/internal/server";
import type { Cluster } from "@oxbow/sdk/testing";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

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
  /** The number of databases; with more than one, they are the shards of a fleet. */
  readonly shards: number;
}

const DATABASE = "oxbow";
/** The same at each start, so that copied urls stay valid. */
const USUAL_PORT = 54_329;
const ALREADY_THERE = "42P04";

/** Resolves once Oxbow is installed in it. */
export async function startDevDatabase(options: DevDatabaseOptions): Promise<DevDatabase> {
  const database = await openDatabase(options);
  try {
    for (const url of Object.values(database.shards ?? { one: database.url })) await migrate(url);
    if (database.shards !== undefined) {
      await initFleet(Object.entries(database.shards).map(([name, url]) => ({ name, url })));
    } else if (options.url === undefined && options.forkOf === undefined) {
      await requireNoFleet(database);
    }
    if (options.forkOf !== undefined) {
      await releaseIncarnation(database.url, { as: "sandbox", timers: options.timers });
    }
    return database;
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** Without the other databases of a fleet, the first would hide their runs. */
async function requireNoFleet({ url, place }: DevDatabase): Promise<void> {
  const [found] = await readFleet([{ name: FIRST_SHARD, url }]);
  if (found?.state === "alone") return;
  throw new Error(
    `The data, ${place}, is that of a fleet: give --shards with its number of databases, or --data another folder.`,
  );
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
  if (url !== undefined) return { url, shards: undefined, place: "your own", stop: async () => {} };
  const dataDir = isEphemeral ? undefined : chooseDataDir(options);
  const cluster = await startCluster(dataDir);
  const names = Array.from({ length: options.shards }, (_, index) =>
    index === 0 ? DATABASE : `${DATABASE}_${shardName(index)}`,
  );
  try {
    for (const name of names) await createDatabase(cluster, name);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return {
    url: cluster.urlOf(DATABASE),
    shards:
      names.length === 1
        ? undefined
        : Object.fromEntries(
            names.map((name, index) => [shardName(index), cluster.urlOf(name)] as const),
          ),
    place: dataDir === undefined ? "deleted on exit" : `kept in ${dataDir}`,
    stop: () => cluster.stop(),
  };
}

const FIRST_SHARD = "a";

/** a, b, c … */
const shardName = (index: number): string =>
  String.fromCodePoint((FIRST_SHARD.codePointAt(0) ?? 0) + index);

async function createDatabase(cluster: Cluster, name: string): Promise<void> {
  await cluster.createDatabase(name).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== ALREADY_THERE) throw error;
  });
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
