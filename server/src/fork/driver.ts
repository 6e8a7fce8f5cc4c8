/** A way to copy a database while it works: one file a driver, all behind this interface. */

/** What is to be copied. */
export interface ForkSource {
  /** Undefined: a data directory whose server is down. */
  readonly url: string | undefined;
  /** Name of the database; undefined: whichever of the cluster has Oxbow. */
  readonly database: string | undefined;
  /** The cluster's directory, where this machine has it and this process may read it. */
  readonly dataDir: string | undefined;
  readonly majorVersion: number;
  /** Of the whole cluster; of the database alone. */
  readonly clusterBytes: number;
  readonly databaseBytes: number;
  readonly isStandby: boolean;
  /** Of others to the database. */
  readonly sessions: number;
  /** The role that a cluster begins with. */
  readonly superuser: string;
}

/** Where the copy goes. */
export type ForkTarget =
  /** A new database of the same cluster. */
  | { readonly kind: "database"; readonly name: string }
  /** The data directory of a new cluster. */
  | { readonly kind: "directory"; readonly path: string }
  /** An empty database, anywhere. */
  | { readonly kind: "url"; readonly url: string };

/** Whether a driver can do it, and what that costs, in a sentence; or why not, and what to do. */
export interface ForkPlan {
  readonly isPossible: boolean;
  readonly cost: string;
}

export type DriverName = "snapshot" | "template" | "copy" | "basebackup" | "dump";

/** A copy that is there. One of a directory is cold: nobody has started a server on it. */
export interface ForkedData {
  /** Up to when it has the history of its source. */
  readonly copiedAt: Date;
}

export interface ForkDriver {
  readonly name: DriverName;
  /** Kinds of target that it makes. */
  readonly makes: ForkTarget["kind"];
  /** Programs of Postgres that it calls, or that open what it makes. */
  readonly needs: readonly string[];
  plan(source: ForkSource, target: ForkTarget): Promise<ForkPlan>;
  fork(source: ForkSource, target: ForkTarget, programs: Programs): Promise<ForkedData>;
}

/** Runs a program of Postgres, and resolves with what it printed. */
export type Programs = (
  program: string,
  args: readonly string[],
  options?: { readonly user?: Account | undefined },
) => Promise<string>;

/** Whose process a program is. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export const possible = (cost: string): ForkPlan => ({ isPossible: true, cost });
export const impossible = (why: string): ForkPlan => ({ isPossible: false, cost: why });

export function showBytes(bytes: number): string {
  const MIB = 1_048_576;
  if (bytes >= 1_024 * MIB) return `${(bytes / 1_024 / MIB).toFixed(1)} GiB`;
  return `${Math.max(1, Math.round(bytes / MIB))} MiB`;
}
