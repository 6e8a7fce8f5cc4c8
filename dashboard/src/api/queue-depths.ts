/** The depth of a queue over time: what servers have sampled every minute, and what this page has seen since. */
import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client.ts";
import type { QueueSample } from "./queue-samples.ts";

const REFRESH_MS = 60_000;

export const queueDepthsQuery = (name: string, since: string) =>
  queryOptions({
    queryKey: ["queue-depths", name, since],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/v1/queues/{name}/depths", {
          params: { path: { name }, query: { since } },
          signal,
        }),
      ),
    refetchInterval: REFRESH_MS,
  });

interface Depth {
  readonly sampledAt: string;
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
  readonly oldestAt: string | null;
}

/** A server samples every minute, and writes no sample where nothing has changed. */
const LONGEST_STEP_S = 90;

/** Samples from an instant on. Where none was taken for long, the depth stayed as it was, and its messages grew older. */
export function depthsOverTime(
  depths: readonly Depth[],
  seen: readonly QueueSample[],
  sinceMs: number,
): QueueSample[] {
  const since = sinceMs / 1_000;
  const all = [...depths.map(toSample), ...seen].toSorted((one, other) => one.at - other.at);
  const before = all.findLast(({ at }) => at < since);
  const shown = all.filter(({ at }) => at >= since);
  const from = before === undefined ? shown : [at(since, before), ...shown];
  return from.flatMap((sample, index) => {
    const next = from[index + 1];
    return next === undefined || next.at - sample.at <= LONGEST_STEP_S
      ? [sample]
      : [sample, at(next.at - 1, sample)];
  });
}

function toSample({ sampledAt, visible, inFlight, delayed, oldestAt }: Depth): QueueSample {
  const ms = Date.parse(sampledAt);
  return {
    at: ms / 1_000,
    ready: visible,
    inFlight,
    delayed,
    oldest: oldestAt === null ? 0 : (ms - Date.parse(oldestAt)) / 1_000,
  };
}

/** The same depth at a later time. */
const at = (later: number, { oldest, ...sample }: QueueSample): QueueSample => ({
  ...sample,
  at: later,
  oldest: sample.ready + sample.inFlight + sample.delayed === 0 ? 0 : oldest + later - sample.at,
});
