/**
 * The depth of queues while the dashboard is open, between the samples that servers take every minute.
 */
export interface QueueSample {
  /** Seconds since 1970. */
  readonly at: number;
  readonly ready: number;
  readonly inFlight: number;
  readonly delayed: number;
  /** Age of the oldest message, in seconds. */
  readonly oldest: number;
}

const MOST_SAMPLES = 720;
const LEAST_DISTANCE_S = 2;
const samples = new Map<string, readonly QueueSample[]>();

export const samplesOf = (queue: string): readonly QueueSample[] => samples.get(queue) ?? [];

interface QueueCounts {
  readonly name: string;
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
  readonly oldestMessageAge?: number | null | undefined;
}

export function recordSample(queue: QueueCounts, nowMs: number): void {
  const before = samplesOf(queue.name);
  const at = nowMs / 1_000;
  if (at - (before.at(-1)?.at ?? 0) < LEAST_DISTANCE_S) return;
  const sample = {
    at,
    ready: queue.visible,
    inFlight: queue.inFlight,
    delayed: queue.delayed,
    oldest: queue.oldestMessageAge ?? 0,
  };
  samples.set(queue.name, [...before.slice(1 - MOST_SAMPLES), sample]);
}
