import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { ServerUser } from "./server-user.ts";

const READ_AND_SEARCH = 0o5;
const SEARCH = 0o1;

/** Returns whether the server's account may read a directory, which takes the right to pass through all above it. */
export function isReachable(directory: string, user: ServerUser | undefined): boolean {
  if (user === undefined) return true;
  let path = resolve(directory);
  if (!allows(path, user, READ_AND_SEARCH)) return false;
  while (path !== dirname(path)) {
    path = dirname(path);
    if (!allows(path, user, SEARCH)) return false;
  }
  return true;
}

function allows(path: string, user: ServerUser, wanted: number): boolean {
  const { mode, uid, gid } = statSync(path);
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
  return ((mode >> shift) & wanted) === wanted;
}
