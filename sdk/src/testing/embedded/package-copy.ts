/**
 * Makes the programs of an npm package fit to run.
 *
 * Two things may be missing. npm packages hold no symbolic links, so the package lists them in
 * `pg-symlinks.json` and makes them in an install script, which many set-ups forbid: we make them. And the
 * account that the server runs under may have no way into `node_modules` (a clone in root's home): then it gets
 * a copy in the temporary directory, made once a version, whole or not at all, however many processes try.
 */
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  chmodSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { isReachable } from "./reachable.ts";
import type { ServerUser } from "./server-user.ts";

/** A directory with `bin`, `lib` and `share` that the account can run: the package's own if possible. */
export function preparePackage(
  native: string,
  version: string,
  user: ServerUser | undefined,
): string {
  const links = missingLinks(native);
  const canStay =
    isReachable(native, user) && (links.length === 0 || isWritable(join(native, "lib")));
  if (!canStay) return sharedCopy(native, version);
  makeLinks(native, links);
  return native;
}

function sharedCopy(native: string, version: string): string {
  const owner = process.getuid?.() ?? 0;
  const copy = join(
    tmpdir(),
    `oxbow-postgres-${version}-${process.platform}-${process.arch}-${owner}`,
  );
  if (isOurs(copy)) return copy;

  const draft = mkdtempSync(`${copy}.`);
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  makeLinks(draft, missingLinks(draft));
  chmodSync(draft, 0o755);
  try {
    renameSync(draft, copy);
    return copy;
  } catch (cause) {
    rmSync(draft, { recursive: true, force: true });
    if (isOurs(copy)) return copy;
    throw new Error(`${copy} exists, but isn't ours to run programs from. Remove it.`, { cause });
  }
}

/** The temporary directory is everyone's: what others put there is not run. */
function isOurs(directory: string): boolean {
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  return (
    stats?.isDirectory() === true &&
    (stats.uid === process.getuid?.() || process.platform === "win32")
  );
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A link as the package lists it; both paths begin with `native/`. */
interface Link {
  readonly source: string;
  readonly target: string;
}

function missingLinks(native: string): Link[] {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return [];
  const links = JSON.parse(readFileSync(list, "utf8")) as Link[];
  return links.filter((link) => !existsSync(pathIn(native, link.target)));
}

function makeLinks(native: string, links: readonly Link[]): void {
  for (const { source, target } of links) {
    const path = pathIn(native, target);
    try {
      symlinkSync(relative(dirname(target), source), path);
    } catch (error) {
      // Another process has made it since.
      if (!existsSync(path)) throw error;
    }
  }
}

function pathIn(native: string, listed: string): string {
  return join(native, relative("native", listed));
}
