/**
 * The directories of one cluster: a temporary one for what never outlives it (socket, log, extension files), and
 * the data directory, in there unless the caller has given one to keep.
 */
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isReachable } from "./reachable.ts";
import type { ServerUser } from "./server-user.ts";

export interface Workspace {
  /** To be removed in the end. */
  readonly temporaryDir: string;
  readonly dataDir: string;
  /** True when the data directory was not made yet. */
  readonly isNew: boolean;
  readonly socketDir: string;
  readonly logFile: string;
  /** Where the server finds extension control files besides its own. */
  readonly extensionDir: string | undefined;
}

export interface WorkspaceOptions {
  readonly dataDir: string | undefined;
  readonly extensionDir: string | undefined;
  readonly user: ServerUser | undefined;
}

export function createWorkspace({ dataDir, extensionDir, user }: WorkspaceOptions): Workspace {
  if (extensionDir !== undefined && !existsSync(join(extensionDir, "extension"))) {
    throw new Error(`${extensionDir} holds no directory "extension". Was it built?`);
  }
  const temporaryDir = mkdtempSync(join(temporaryRoot(user), "oxbow-"));
  giveTo(user, temporaryDir);
  const socketDir = join(temporaryDir, "socket");
  // Whoever reaches the socket is let in without a password: it is the server's account's own.
  mkdirSync(socketDir, { mode: 0o700 });
  giveTo(user, socketDir);
  return {
    temporaryDir,
    dataDir: dataDir === undefined ? join(temporaryDir, "data") : adopt(dataDir, user),
    isNew: dataDir === undefined || !existsSync(join(dataDir, "PG_VERSION")),
    socketDir,
    logFile: join(temporaryDir, "log"),
    extensionDir:
      extensionDir === undefined ? undefined : copyExtension(extensionDir, temporaryDir),
  };
}

/** The account may have no way into a temporary directory that the environment names (one in root's home). */
function temporaryRoot(user: ServerUser | undefined): string {
  return isReachable(tmpdir(), user) ? tmpdir() : "/tmp";
}

function adopt(dataDir: string, user: ServerUser | undefined): string {
  if (!existsSync(dataDir)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    giveTo(user, dataDir);
  }
  return resolve(dataDir);
}

/** A copy, since the account may not be able to read the original. */
function copyExtension(extensionDir: string, temporaryDir: string): string {
  const copy = join(temporaryDir, "share");
  cpSync(extensionDir, copy, { recursive: true });
  chmodSync(copy, 0o755);
  return copy;
}

function giveTo(user: ServerUser | undefined, path: string): void {
  if (user !== undefined) chownSync(path, user.uid, user.gid);
}
