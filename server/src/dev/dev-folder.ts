/**
 * The folder `.oxbow` of a project: the data of its embedded database, and its url while `oxbow dev` runs, so that other
 * commands don't need one.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const FOLDER = ".oxbow";
const RUNNING = "running.json";

interface Running {
  readonly url: string;
  /** Urls of shards by name, if there are several databases. */
  readonly shards?: Readonly<Record<string, string>>;
  readonly pid: number;
}

/** Creates the folder, and excludes it from the repository. */
export function makeDevFolder(project: string): string {
  const folder = resolve(project, FOLDER);
  mkdirSync(folder, { recursive: true });
  const ignore = join(folder, ".gitignore");
  if (!existsSync(ignore)) writeFileSync(ignore, "*\n");
  return folder;
}

export function announce(folder: string, url: string, shards?: Running["shards"]): void {
  const running: Running = { url, pid: process.pid, ...(shards === undefined ? {} : { shards }) };
  const path = join(folder, RUNNING);
  // A file that is there, as after a crash, would keep its permissions.
  rmSync(path, { force: true });
  // The url of the developer's own database may contain a password.
  writeFileSync(path, JSON.stringify(running), { mode: 0o600 });
}

/** Removes the url, unless another `oxbow dev` has written its own since. */
export function withdraw(folder: string): void {
  if (readRunning(folder)?.pid === process.pid) rmSync(join(folder, RUNNING), { force: true });
}

/** Url of the database of the `oxbow dev` that runs in a project; undefined if it is not running. */
export const runningDevUrl = (project: string): string | undefined => findRunning(project)?.url;

/** Urls of its databases by the names of their shards; undefined if it has one database. */
export const runningDevShards = (project: string): Running["shards"] =>
  findRunning(project)?.shards;

function findRunning(project: string): Running | undefined {
  const running = readRunning(join(project, FOLDER));
  return running !== undefined && isAlive(running.pid) ? running : undefined;
}

function readRunning(folder: string): Running | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, RUNNING), "utf8")) as Running;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
