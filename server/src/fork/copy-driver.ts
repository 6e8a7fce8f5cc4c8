/**
 * Copies the files of a running cluster, between the two calls of an online backup.
 *
 * On btrfs, XFS and APFS the files are cloned, which copies no bytes. The log, which is copied last, repairs files that
 * changed during the copy; a slot retains it until then. Promises:
 *   P1  The copy has no link to the log or the tablespaces of the source, and doesn't have its slots.
 *   P2  A copy that fails ends its backup, and leaves no folder.
 */
import { withDatabase } from "@oxbow/sdk/internal/server";
import { chown, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { accountOf, type ForkDriver, impossible, possible, showBytes } from "./driver.ts";
import { EMPTIED, LEFT_OUT } from "./cluster-files.ts";
import { canClone, copyFolder } from "./file-copy.ts";
import { beginBackup, endBackup, mayBackUp } from "./postgres.ts";

/** The log is copied last. */
const WITHOUT = new Set([...LEFT_OUT, "pg_wal"]);
const EMPTY = new Set(EMPTIED);

export const copyDriver: ForkDriver = {
  name: "copy",
  makes: "directory",
  needs: ["pg_ctl"],

  async plan(source, target) {
    const { dataDir, clusterBytes, isStandby, url } = source;
    if (dataDir === undefined) {
      return impossible("the data directory of the source is not on this machine, or not readable");
    }
    if (isStandby) return impossible("the source is a standby: fork it by basebackup");
    if ((await readdir(join(dataDir, "pg_tblspc"))).length > 0) {
      return impossible(
        "the source has tablespaces, whose files are elsewhere: fork it by template or dump",
      );
    }
    if (target.kind !== "directory") return impossible("it makes a directory");
    if (url !== undefined && !(await withDatabase(url, mayBackUp))) {
      return impossible(
        "the role of the url may not make backups: it requires REPLICATION, and EXECUTE on pg_backup_start and pg_backup_stop",
      );
    }
    const size = showBytes(clusterBytes);
    const pause =
      url === undefined ? "" : ", after a checkpoint of the source, which stays available";
    return (await canClone(join(dataDir, "PG_VERSION"), dirname(target.path)))
      ? possible(`clones the files of the cluster (${size}), which takes no space${pause}`)
      : possible(`copies the whole cluster: reads and writes ${size}${pause}`);
  },

  async fork(source, target) {
    const { dataDir, url } = source;
    if (dataDir === undefined || target.kind !== "directory") throw new Error("Expected a plan.");
    const owner = await accountOf(dataDir);
    const log = await realpath(join(dataDir, "pg_wal"));
    const copyData = (): Promise<void> =>
      copyFolder(dataDir, target.path, { owner, without: WITHOUT, emptied: EMPTY });
    const copyLog = (): Promise<void> => copyFolder(log, join(target.path, "pg_wal"), { owner });
    try {
      if (url === undefined) {
        await copyData();
        await copyLog();
        return { copiedAt: (await stat(join(dataDir, "global", "pg_control"))).mtime };
      }
      return await withDatabase(url, async (client) => {
        await beginBackup(client);
        await copyData();
        const { label, now } = await endBackup(client);
        const file = join(target.path, "backup_label");
        await writeFile(file, label, { mode: 0o600 });
        if (owner !== undefined) await chown(file, owner.uid, owner.gid);
        await copyLog();
        return { copiedAt: now };
      });
    } catch (error) {
      await rm(target.path, { recursive: true, force: true });
      throw error;
    }
  },
};
