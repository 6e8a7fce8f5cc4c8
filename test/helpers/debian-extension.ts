/**
 * The extension in the directories of Debian's Postgres, which all tests of this machine share: a test that needs it
 * there has them to itself until it is taken out again.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { debianPostgres } from "./debian-postgres.ts";
import { eventually } from "./eventually.ts";

const EXTENSION = fileURLToPath(new URL("../../extension-sql", import.meta.url));
const LOCK = join(tmpdir(), "oxbow-debian-extension.lock");
const OWNER = join(LOCK, "pid");

/** Puts the files in, by `make install`; the function that it resolves with takes them out. */
export async function installDebianExtension(): Promise<() => void> {
  await eventually(tryLock, true);
  make("install");
  return () => {
    make("uninstall");
    rmSync(LOCK, { recursive: true });
  };
}

function make(target: string): void {
  const pgConfig = `PG_CONFIG=${debianPostgres.binDir}/pg_config`;
  execFileSync("make", ["--silent", "-C", EXTENSION, target, pgConfig], { stdio: "pipe" });
}

function tryLock(): boolean {
  try {
    mkdirSync(LOCK);
    writeFileSync(OWNER, String(process.pid));
    return true;
  } catch {
    if (!isOwnerAlive()) rmSync(LOCK, { recursive: true, force: true });
    return false;
  }
}

function isOwnerAlive(): boolean {
  try {
    process.kill(Number(readFileSync(OWNER, "utf8")), 0);
    return true;
  } catch (error) {
    // Whoever has just made the lock hasn't written its pid yet.
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}
