/**
 * The time of the runtime: milliseconds since the Unix epoch by the database's clock. A worker derives it from the time in
 * each answer and its own monotonic clock, so a wrong wall clock on the worker has no effect.
 *
 * Answers take time, so the exact time is unknown, and two readings bound it: deadlines are computed from the later one
 * and compared with the earlier one, so that no sleep ends early.
 */
export interface Clock {
  /** The database's clock shows this time or a later one: deadlines up to it have passed. */
  now(): number;
  /** The database's clock shows this time or an earlier one: durations count from it. */
  latest(): number;
}
