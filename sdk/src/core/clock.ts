/**
 * The one notion of time of the runtime: milliseconds since the Unix epoch *by the database's clock*.
 * A worker derives it from the time that each receive returns plus its own monotonic clock, so that a
 * wrong wall clock on the worker changes nothing.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch, by the database's clock. */
  now(): number;
}
