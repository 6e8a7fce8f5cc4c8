/** The identity of a database, which may be a copy of another one. */

interface DatabaseIncarnation {
  readonly id: string;
  /** The incarnation that it is a copy of. */
  readonly parentId: string | null;
  readonly state: "live" | "sandbox" | "held";
  /** How it came into that state, for people. */
  readonly origin: string | null;
  readonly since: Date | null;
  /** Up to when it has the history of its source. */
  readonly copiedAt: Date | null;
  /** Whether a promotion, or a recovery from an archive, holds it. */
  readonly guarded: boolean;
}

interface IncarnationRelease {
  readonly as: "live" | "sandbox";
  /** What happens to sleeps, timeouts, retries, delayed starts and schedules. */
  readonly timers: "fire" | "hold" | "shift";
}

interface ReleasedIncarnation {
  /** The new identity. */
  readonly id: string;
  /** Runs whose worker was in the source. */
  readonly leases: number;
  /** Timers that were shifted, or whose run was paused. */
  readonly timers: number;
  readonly captured: number;
}

export interface ForkTransport {
  /** Undefined if the database has no tables of Oxbow's. */
  incarnation(): Promise<DatabaseIncarnation | undefined>;
  /** Undefined if the database was not held. */
  release(request: IncarnationRelease): Promise<ReleasedIncarnation | undefined>;
}
