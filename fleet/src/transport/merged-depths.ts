/** The depth of a queue over time in all shards together. */
import type { QueueDepth } from "@oxbow/sdk/internal/fleet";
import { sum } from "./merging.ts";

const EMPTY = { visible: 0, inFlight: 0, delayed: 0, oldestAt: null, isEstimate: false } as const;
const UNKNOWN = { ...EMPTY, visible: null, inFlight: null, delayed: null } as const;

/**
 * Each shard's depth holds until its next sample, so each sample of any of them makes one of all. Where the depth of one is
 * not known, that of all is not.
 */
export function mergedDepths(shards: readonly (readonly QueueDepth[])[]): QueueDepth[] {
  const latest: Omit<QueueDepth, "sampledAt">[] = shards.map(() => EMPTY);
  const samples = shards.flatMap((depths, shard) => depths.map((depth) => ({ shard, depth })));
  samples.sort((one, other) => one.depth.sampledAt.getTime() - other.depth.sampledAt.getTime());
  return samples.map(({ shard, depth }) => {
    latest[shard] = depth;
    if (latest.some(({ visible }) => visible === null)) {
      return { ...UNKNOWN, sampledAt: depth.sampledAt };
    }
    const oldest = latest.flatMap(({ oldestAt }) => oldestAt?.getTime() ?? []);
    return {
      sampledAt: depth.sampledAt,
      visible: sum(latest.map(({ visible }) => visible)),
      inFlight: sum(latest.map(({ inFlight }) => inFlight)),
      delayed: sum(latest.map(({ delayed }) => delayed)),
      oldestAt: oldest.length === 0 ? null : new Date(Math.min(...oldest)),
      isEstimate: latest.some(({ isEstimate }) => isEstimate),
    };
  });
}
