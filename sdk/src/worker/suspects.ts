/**
 * Suspects are runs whose last leases expired without a commit: they may be what ended their workers. This process
 * executes one at a time, so that its death says something about that one.
 *
 * Promises:
 *   S1  All workers of a process share the place, since they die together.
 *   S2  A process takes a suspect only once it has lived for a lease: one that is restarted all the time, by a deployment
 *       or by a crash at its start, would bear witness against every run that it touched.
 *   S3  A suspect is acquitted by its first commit, and the place is free.
 */
import type { WorkflowDelivery } from "../protocol/worker.ts";

/** Once the leases of so many deliveries have expired in a row, the next one is that of a suspect. */
const HARMLESS_ATTEMPTS = 2;
const SHORTEST_LIFE_MS = 2_000;

export const isSuspect = ({ attempt }: Pick<WorkflowDelivery, "attempt">): boolean =>
  attempt > HARMLESS_ATTEMPTS;

let isTaken = false;

/** How long until this process has lived for long enough; Infinity when it has. */
export function untilGrown(leaseMs: number): number {
  const leftMs = Math.max(leaseMs, SHORTEST_LIFE_MS) - performance.now();
  return leftMs > 0 ? leftMs : Number.POSITIVE_INFINITY;
}

/** Takes the place for a suspect; false when it is taken, or this process is too young. */
export function reserveSuspect(leaseMs: number): boolean {
  if (isTaken || Number.isFinite(untilGrown(leaseMs))) return false;
  isTaken = true;
  return true;
}

/** The reserved place is free again: no suspect came, or it was acquitted, or is over on this worker. */
export function freeSuspect(): void {
  isTaken = false;
}
