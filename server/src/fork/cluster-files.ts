/** Files of a cluster that don't belong in a copy. */
import { lstat, readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";

/** Files that are left out: a server recreates them, or they have tasks of the source. */
export const LEFT_OUT: readonly string[] = [
  "postmaster.pid",
  "postmaster.opts",
  "standby.signal",
  "recovery.signal",
  "backup_label.old",
  "log",
  "pg_log",
];
/** Copied as empty folders, as with pg_basebackup. */
export const EMPTIED: readonly string[] = [
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
];

/** Removes these files from a copy: slots of the source would retain its log for ever. */
export async function cleanCluster(dataDir: string): Promise<void> {
  for (const name of LEFT_OUT) await rm(join(dataDir, name), { recursive: true, force: true });
  for (const folder of EMPTIED) {
    for (const name of await readdir(join(dataDir, folder)).catch(() => [])) {
      await rm(join(dataDir, folder, name), { recursive: true, force: true });
    }
  }
}

/** Describes a part of a cluster outside of its directory; undefined for a cluster within its directory. */
export async function partsElsewhere(dataDir: string): Promise<string | undefined> {
  if ((await readdir(join(dataDir, "pg_tblspc"))).length > 0) return "it has tablespaces";
  const log = join(dataDir, "pg_wal");
  return (await lstat(log)).isSymbolicLink() ? `its log is in ${await realpath(log)}` : undefined;
}
