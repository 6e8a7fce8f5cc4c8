/**
 * Continuations: deadlines are ISO strings in the database, where people read them, and milliseconds in the runtime.
 */
import type { ErrorRecord } from "../../../core/error-record.ts";
import type { Continuation, Retry, Wait } from "../../../protocol/continuation.ts";

/** The body of a continuation. Whoever writes SQL by hand may leave out what is empty. */
export interface ContinuationRow {
  readonly waits?: readonly WaitRow[];
  readonly retries?: readonly RetryRow[];
  readonly revision?: number;
  readonly failure?: ErrorRecord;
  readonly seen?: number;
  readonly cancelled?: { readonly reason?: string };
  readonly item?: true;
}

interface WaitRow {
  readonly kind: "sleep" | "event" | "invoke";
  readonly step: string;
  readonly event?: string;
  readonly match?: unknown;
  readonly since?: string;
  readonly until?: string;
  readonly isDate?: true;
  readonly expired?: true;
  readonly approval?: true;
  readonly route?: string;
  readonly detached?: true;
}

interface RetryRow {
  readonly step: string;
  readonly attempts: number;
  readonly since?: string;
  readonly until: string;
  readonly error: ErrorRecord;
}

export const toContinuation = (row: ContinuationRow): Continuation => ({
  waits: (row.waits ?? []).map(toWait),
  retries: (row.retries ?? []).map(({ since, until, ...retry }): Retry => ({
    ...retry,
    ...(since === undefined ? {} : { since: Date.parse(since) }),
    until: Date.parse(until),
  })),
  ...(row.failure === undefined ? {} : { failure: row.failure }),
  ...(row.seen === undefined ? {} : { seen: row.seen }),
  ...(row.revision === undefined ? {} : { revision: row.revision }),
  ...(row.cancelled === undefined ? {} : { cancelled: row.cancelled }),
  ...(row.item === undefined ? {} : { item: row.item }),
});

const toWait = (row: WaitRow): Wait => {
  const { until, since, ...rest } = row;
  const times = {
    ...(since === undefined ? {} : { since: roundedUp(since) }),
    ...(until === undefined ? {} : { until: Date.parse(until) }),
  };
  return { ...rest, ...times } as Wait;
};

/** Rounds the microseconds of the database up: rounded down, a wait would begin before the step that led to it had ended. */
const roundedUp = (text: string): number =>
  Date.parse(text) + (/\.\d{3}\d*[1-9]/.test(text) ? 1 : 0);

export const iso = (ms: number): string => new Date(ms).toISOString();

export const continuationText = (
  continuation: Continuation,
  journaled: number,
  revision: number | undefined,
): string =>
  JSON.stringify({
    waits: continuation.waits.map((wait) => ({
      ...wait,
      since: wait.since === undefined ? undefined : iso(wait.since),
      asked: wait.asked === undefined ? undefined : iso(wait.asked),
      until: wait.until === undefined ? undefined : iso(wait.until),
    })),
    retries: continuation.retries.map((retry) => ({
      ...retry,
      since: retry.since === undefined ? undefined : iso(retry.since),
      until: iso(retry.until),
    })),
    failure: continuation.failure,
    seen: continuation.seen,
    journaled,
    revision,
  });
