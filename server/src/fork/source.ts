/** Inspects the source of a fork: a url, or a data directory on this machine. */
import { knowsIncarnations, withDatabase } from "@oxbow/sdk/internal/server";
import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type ForkSource, majorVersionOf } from "./driver.ts";
import { readFacts, readTime } from "./postgres.ts";

/** The default superuser of initdb. */
export const USUAL_SUPERUSER = "postgres";
/** Lines of postmaster.pid. */
const [PID, PORT, SOCKETS, ADDRESS] = [0, 3, 4, 5] as const;

export interface SourceOptions {
  /** Name of the database, if the source is a directory. */
  readonly database: string | undefined;
}

/** @throws Error if the source can't be forked. */
export async function inspectSource(given: string, options: SourceOptions): Promise<ForkSource> {
  if (/^postgres(ql)?:\/\//i.test(given)) return inspectServer(given);
  if (/^https?:/i.test(given)) {
    throw new Error(`A server can't fork: give the url of the database, not "${given}".`);
  }
  const dataDir = resolve(given);
  if (!existsSync(join(dataDir, "PG_VERSION"))) {
    throw new Error(
      `"${given}" is neither a url, postgres://..., nor a data directory of Postgres (it has no file PG_VERSION).`,
    );
  }
  const url = urlOfRunning(dataDir, options.database ?? USUAL_SUPERUSER);
  if (url !== undefined) return { ...(await inspectServer(url)), dataDir };
  const bytes = await bytesIn(dataDir);
  return {
    url: undefined,
    database: options.database,
    dataDir,
    majorVersion: majorVersionOf(dataDir),
    clusterBytes: bytes,
    databaseBytes: bytes,
    isStandby: existsSync(join(dataDir, "standby.signal")),
    sessions: 0,
    superuser: USUAL_SUPERUSER,
  };
}

/** The time of a server. */
export const timeAt = (url: string): Promise<Date> => withDatabase(url, readTime);

async function inspectServer(url: string): Promise<ForkSource> {
  return withDatabase(url, async (client) => {
    const { backend, dataDir, ...facts } = await readFacts(client);
    if (!(await knowsIncarnations(client))) {
      throw new Error(
        `Oxbow isn't installed in "${facts.database}", or is older than this command, so a copy would not be held. Run \`oxbow migrate\` on it.`,
      );
    }
    return {
      ...facts,
      url,
      dataDir: dataDir !== null && isOurs(dataDir, backend) ? dataDir : undefined,
    };
  });
}

/** Whether the directory is on this machine, belongs to this server, and is readable. */
function isOurs(dataDir: string, backend: number): boolean {
  try {
    accessSync(dataDir, constants.R_OK | constants.X_OK);
    const postmaster = readPidFile(dataDir)?.pid;
    // A remote server may have a directory of the same name, so our backend must be a child of this one.
    return postmaster !== undefined && parentOf(backend) === postmaster;
  } catch {
    return false;
  }
}

function parentOf(pid: number): number | undefined {
  const stats = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stats.slice(stats.lastIndexOf(")") + 2).split(" ")[1]);
}

interface PidFile {
  readonly pid: number;
  readonly port: string;
  readonly sockets: string;
  readonly address: string;
}

/** The server that runs on the directory; undefined without a running server. */
export function readPidFile(dataDir: string): PidFile | undefined {
  const path = join(dataDir, "postmaster.pid");
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, "utf8").split("\n");
  const pid = Number(lines[PID]);
  if (!runsIn(dataDir, pid)) return undefined;
  return {
    pid,
    port: lines[PORT] ?? "",
    sockets: lines[SOCKETS] ?? "",
    address: lines[ADDRESS] ?? "",
  };
}

/** In a snapshot of a running cluster, the file names the server of the source, which may be running. */
function runsIn(dataDir: string, pid: number): boolean {
  if (!existsSync("/proc")) return true;
  try {
    // The path may differ if the server runs in a container.
    const [its, ours] = [statSync(`/proc/${pid}/cwd`), statSync(dataDir)];
    return its.dev === ours.dev && its.ino === ours.ino;
  } catch (error) {
    // A process that can't be inspected is assumed to be the server.
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}

function urlOfRunning(dataDir: string, database: string): string | undefined {
  const file = readPidFile(dataDir);
  if (file === undefined) return undefined;
  const host = file.address === "" || file.address === "*" ? "127.0.0.1" : file.address;
  const base = `postgres://${USUAL_SUPERUSER}@${host}:${file.port}/${encodeURIComponent(database)}`;
  return file.address === "" && file.sockets !== ""
    ? `${base}?host=${encodeURIComponent(file.sockets)}`
    : base;
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
