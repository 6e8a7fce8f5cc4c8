/** What of the directory of a cluster is not for a copy of it. */
import { lstat, readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";

/** Left out: what a server writes anew, and what says what the source was to do. */
export const LEFT_OUT: readonly string[] = [
  "postmaster.pid",
  "postmaster.opts",
  "standby.signal",
  "recovery.signal",
  "backup_label.old",
  "log",
  "pg_log",
];
/** Emptied, as pg_basebackup does. */
export const EMPTIED: readonly string[] = [
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
];

/** Takes from a copy that is there what is not for it: slots of the source would keep its log for ever. */
export async function cleanCluster(dataDir: string): Promise<void> {
  for (const name of LEFT_OUT) await rm(join(dataDir, name), { recursive: true, force: true });
  for (const folder of EMPTIED) {
    for (const name of await readdir(join(dataDir, folder)).catch(() => [])) {
      await rm(join(dataDir, folder, name), { recursive: true, force: true });
    }
  }
}

/** Says what of a cluster is elsewhere, so that its directory alone is no copy; undefined: nothing is. */
export async function partsElsewhere(dataDir: string): Promise<string | undefined> {
  if ((await readdir(join(dataDir, "pg_tblspc"))).length > 0) return "it has tablespaces";
  const log = join(dataDir, "pg_wal");
  return (await lstat(log)).isSymbolicLink() ? `its log is in ${await realpath(log)}` : undefined;
}
