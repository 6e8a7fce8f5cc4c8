import { readFileSync, statSync } from "node:fs";

/** The account that Postgres runs under; `undefined` means the one that runs this process. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

const NOBODY: ServerUser = { uid: 65_534, gid: 65_534 };

/**
 * Postgres refuses to run as root, as which most containers run everything. Then it gets the owner of the given
 * data directory, else the account `postgres` if it exists, else the account `nobody`.
 */
export function chooseServerUser(dataDir: string | undefined): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return ownerOf(dataDir) ?? accountNamed("postgres") ?? NOBODY;
}

function ownerOf(path: string | undefined): ServerUser | undefined {
  const stats = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  return stats === undefined || stats.uid === 0 ? undefined : { uid: stats.uid, gid: stats.gid };
}

function accountNamed(name: string): ServerUser | undefined {
  for (const line of readFileSync("/etc/passwd", "utf8").split("\n")) {
    const [account, , uid, gid] = line.split(":");
    if (account === name) return { uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
}
