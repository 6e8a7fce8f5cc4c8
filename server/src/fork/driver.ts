/** The interface of drivers, which copy running databases: one driver per file. */

import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";

/** The database to copy. */
export interface ForkSource {
  /** Undefined for a data directory without a running server. */
  readonly url: string | undefined;
  /** Name of the database; undefined for the one of the cluster with Oxbow. */
  readonly database: string | undefined;
  /** Directory of the cluster, if it is on this machine and readable. */
  readonly dataDir: string | undefined;
  readonly majorVersion: number;
  /** Sizes of the cluster and of the database. */
  readonly clusterBytes: number;
  readonly databaseBytes: number;
  readonly isStandby: boolean;
  /** Other sessions of the database. */
  readonly sessions: number;
  /** The bootstrap superuser. */
  readonly superuser: string;
}

/** Target of the copy. */
export type ForkTarget =
  /** A new database of the same cluster. */
  | { readonly kind: "database"; readonly name: string }
  /** The data directory of a new cluster. */
  | { readonly kind: "directory"; readonly path: string }
  /** An empty database of any cluster. */
  | { readonly kind: "url"; readonly url: string };

/** Whether a driver can copy, with its cost; or the reason and a remedy. */
export interface ForkPlan {
  readonly isPossible: boolean;
  readonly cost: string;
}

export type DriverName = "snapshot" | "template" | "copy" | "basebackup" | "dump";

/** A finished copy. A directory is cold: no server has been started on it. */
interface ForkedData {
  /** Time up to which it has the history of its source. */
  readonly copiedAt: Date;
}

export interface ForkDriver {
  readonly name: DriverName;
  /** Kinds of targets that it supports. */
  readonly makes: ForkTarget["kind"];
  /** Programs of Postgres that it requires. */
  readonly needs: readonly string[];
  plan(source: ForkSource, target: ForkTarget): Promise<ForkPlan>;
  fork(source: ForkSource, target: ForkTarget, programs: Programs): Promise<ForkedData>;
}

/** Runs a program of Postgres, and resolves with its output. */
export type Programs = (
  program: string,
  args: readonly string[],
  options?: { readonly user?: Account | undefined },
) => Promise<string>;

/** Postgres never runs as root, but as the owner of its directory. Undefined if that is who we are. */
export async function accountOf(dataDir: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = await stat(dataDir);
  return { uid, gid };
}

/** The account that runs a program. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export const possible = (cost: string): ForkPlan => ({ isPossible: true, cost });
export const impossible = (why: string): ForkPlan => ({ isPossible: false, cost: why });

/** The major version of the Postgres that made a data directory. */
export const majorVersionOf = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, "PG_VERSION"), "utf8"));

export function showBytes(bytes: number): string {
  const MIB = 1_048_576;
  if (bytes >= 1_024 * MIB) return `${(bytes / 1_024 / MIB).toFixed(1)} GiB`;
  return `${Math.max(1, Math.round(bytes / MIB))} MiB`;
}
