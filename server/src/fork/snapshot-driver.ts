/**
 * Takes a btrfs snapshot of the cluster's subvolume: the state of all files at one moment, as after a loss of power.
 *
 * The source makes no checkpoint; the server of the fork replays the log since the last one. Promises:
 *   N1  A cluster with parts in other places or subvolumes is rejected: they would have the state of another moment.
 *   N2  Tasks of the source are not copied; a fork that fails leaves no subvolume.
 */
import { readdir, rm, stat } from "node:fs/promises";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { cleanCluster, partsElsewhere } from "./cluster-files.ts";
import { type ForkDriver, impossible, possible } from "./driver.ts";
import { mountOf } from "./mounts.ts";
import { runProgram } from "./programs.ts";
import { timeAt } from "./source.ts";

/** Id of the root of each subvolume. */
const ROOT_INODE = 256;
const FOLDERS = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/local/sbin"];

export const snapshotDriver: ForkDriver = {
  name: "snapshot",
  makes: "directory",
  needs: ["pg_ctl"],

  async plan({ dataDir, isStandby }, target) {
    if (dataDir === undefined) {
      return impossible("the data directory of the source is not on this machine, or not readable");
    }
    if (target.kind !== "directory") return impossible("it makes a directory");
    const { system, device } = await mountOf(dataDir);
    if (system !== "btrfs" || (await stat(dataDir)).ino !== ROOT_INODE) {
      return impossible(
        "the data directory of the source is not a subvolume of btrfs (with ZFS or LVM, make a snapshot, then use `oxbow fork adopt`)",
      );
    }
    if (isStandby) return impossible("the source is a standby: fork it by basebackup");
    const elsewhere = (await partsElsewhere(dataDir)) ?? (await subvolumeWithin(dataDir));
    if (elsewhere !== undefined)
      return impossible(`a snapshot has one directory, but ${elsewhere}`);
    if ((await mountOf(dirname(target.path))).device !== device) {
      return impossible("the target is in another file system than the source");
    }
    if (findBtrfs() === undefined) return impossible("the program btrfs is not installed");
    return possible(
      "a snapshot, which takes no time and no space whatever the size; the source isn't asked for anything, and the fork replays its log since the last checkpoint",
    );
  },

  async fork({ dataDir, url }, target) {
    const btrfs = findBtrfs();
    if (dataDir === undefined || target.kind !== "directory" || btrfs === undefined) {
      throw new Error("Expected a plan.");
    }
    try {
      await runProgram(btrfs, ["subvolume", "snapshot", dataDir, target.path]);
      const copiedAt =
        url === undefined
          ? (await stat(join(dataDir, "global", "pg_control"))).mtime
          : await timeAt(url);
      await cleanCluster(target.path);
      return { copiedAt };
    } catch (error) {
      await rm(target.path, { recursive: true, force: true });
      throw error;
    }
  },
};

const findBtrfs = (): string | undefined =>
  FOLDERS.map((folder) => join(folder, "btrfs")).find((path) => existsSync(path));

/** A snapshot has an empty folder where another subvolume is. */
async function subvolumeWithin(dataDir: string): Promise<string | undefined> {
  const { dev } = await stat(dataDir);
  const names = [
    ...(await readdir(dataDir)),
    ...(await readdir(join(dataDir, "base"))).map((name) => join("base", name)),
  ];
  for (const name of names) {
    // A file has vanished.
    const found = await stat(join(dataDir, name)).catch(() => ({ dev }));
    if (found.dev !== dev) return `${name} is another subvolume`;
  }
  return undefined;
}
