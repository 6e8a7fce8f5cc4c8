/**
 * The one notion of time of the runtime: milliseconds since the Unix epoch *by the database's clock*.
 * A worker derives it from the time that each receive returns plus its own monotonic clock, so that a
 * wrong wall clock on the worker changes nothing.
 *
 * It can't be known exactly, since an answer takes time. So there are two readings: a deadline is set by the later
 * one and has passed by the earlier one, and no sleep ends early.
 */
export interface Clock {
  /** The database's clock shows this time or a later one: what is due by it has passed. */
  now(): number;
  /** The database's clock shows this time or an earlier one: durations count from it. */
  latest(): number;
}
