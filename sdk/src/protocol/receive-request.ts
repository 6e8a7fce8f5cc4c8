export interface ReceiveRequest {
  /** Workflows, in order of preference, and the versions of each that are served. */
  readonly versions: ReadonlyMap<string, readonly number[]>;
  readonly maxRuns: number;
  readonly leaseMs: number;
  /** Once it aborts, the request isn't sent any more; one that was sent is answered. */
  readonly giveUp?: AbortSignal;
  /** Called each time when the request is sent, at the last moment before. */
  readonly onSent?: () => void;
  /** How many runs that may have ended their workers it takes: 0 or 1; undefined if it doesn't keep track. */
  readonly suspects?: number | undefined;
  /** How large inputs and journals may be together; one run comes in any case; undefined for 64 MiB, without pages. */
  readonly maxBytes?: number | undefined;
}
