/** The depth of a queue over time: what servers have sampled every minute, and what this page has seen since. */
import { readQuery } from "./queries.ts";
import type { QueueSample } from "./queue-samples.ts";

const REFRESH_MS = 60_000;

export const queueDepthsQuery = (name: string, since: string) => ({
  ...readQuery(["queue-depths", name, since], "/v1/queues/{name}/depths", {
    path: { name },
    query: { since },
  }),
  refetchInterval: REFRESH_MS,
});

interface Depth {
  readonly sampledAt: string;
  readonly visible: number | null;
  readonly inFlight: number | null;
  readonly delayed: number | null;
  readonly oldestAt: string | null;
}

/** Null if not known from then on. */
export type ShownSample = {
  readonly [Key in keyof QueueSample]: Key extends "at" ? number : number | null;
};

/** A server samples every minute, and writes no sample where nothing has changed. */
const LONGEST_STEP_S = 90;

/**
 * Samples from an instant on. Where no sample was written for long, the depth has stayed, and its messages have aged.
 */
export function depthsOverTime(
  depths: readonly Depth[],
  seen: readonly QueueSample[],
  sinceMs: number,
): ShownSample[] {
  const since = sinceMs / 1_000;
  const all = [...depths.map(toSample), ...seen].toSorted((one, other) => one.at - other.at);
  const before = all.findLast(({ at }) => at < since);
  const shown = all.filter(({ at }) => at >= since);
  const from = before === undefined ? shown : [sampleAt(since, before), ...shown];
  return from.flatMap((sample, index) => {
    const next = from[index + 1];
    return next === undefined || next.at - sample.at <= LONGEST_STEP_S
      ? [sample]
      : [sample, sampleAt(next.at - 1, sample)];
  });
}

function toSample({ sampledAt, visible, inFlight, delayed, oldestAt }: Depth): ShownSample {
  const ms = Date.parse(sampledAt);
  return {
    at: ms / 1_000,
    ready: visible,
    inFlight,
    delayed,
    oldest: ageOf(oldestAt, ms, visible),
  };
}

/** The oldest message may have come a moment after the sample began. */
function ageOf(oldestAt: string | null, ms: number, visible: number | null): number | null {
  if (oldestAt === null) return visible === null ? null : 0;
  return Math.max(0, (ms - Date.parse(oldestAt)) / 1_000);
}

/** The same depth at a later time. */
function sampleAt(laterS: number, sample: ShownSample): ShownSample {
  const { at: sampledS, ready, inFlight, delayed, oldest } = sample;
  const isEmpty = ready === 0 && inFlight === 0 && delayed === 0;
  const isKnown = oldest !== null && !isEmpty;
  return { ...sample, at: laterS, oldest: isKnown ? oldest + laterS - sampledS : oldest };
}
