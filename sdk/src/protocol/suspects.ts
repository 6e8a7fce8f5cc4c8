/**
 * Suspects are runs and messages that may have ended the processes they were in, because their last leases expired. This
 * process takes one at a time, so that its death is evidence against that one.
 *
 * Promises:
 *   S1  All workers and consumers of a process share the place for a suspect, since they die together.
 *   S2  A process takes a suspect only once it has lived for a lease: one that is restarted all the time, by a deployment
 *       or by a crash at its start, would be evidence against everything that it touched.
 *   S3  Only a suspect that has come holds the place, so a database that doesn't answer keeps the suspects of no other one
 *       waiting. A suspect that comes second is given back.
 *   S4  A run is acquitted by its first commit, a message when its handler has returned or thrown. Then the place is free.
 *   S5  A consumer that has its process to itself, with one message at a time, needs no place: each of its deaths is
 *       evidence.
 */
import type { WorkflowDelivery } from "./worker.ts";

/** Once the leases of so many deliveries of a run have expired in a row, the next one is that of a suspect. */
const HARMLESS_ATTEMPTS = 2;
const SHORTEST_LIFE_MS = 2_000;

export const isSuspect = ({ attempt }: Pick<WorkflowDelivery, "attempt">): boolean =>
  attempt > HARMLESS_ATTEMPTS;

let isTaken = false;
let slots = 0;

/** How long until this process has lived for long enough; Infinity when it has. */
export function untilGrown(leaseMs: number): number {
  const leftMs = Math.max(leaseMs, SHORTEST_LIFE_MS) - performance.now();
  return leftMs > 0 ? leftMs : Number.POSITIVE_INFINITY;
}

/** Whether a suspect may come. */
export const hasPlace = (leaseMs: number): boolean =>
  !isTaken && !Number.isFinite(untilGrown(leaseMs));

/** Takes the place for a suspect that has come; false if it has to be given back, because another one came first. */
export function reserveSuspect(leaseMs: number): boolean {
  if (!hasPlace(leaseMs)) return false;
  isTaken = true;
  return true;
}

/** The place is free again: the suspect was acquitted, or is over in this process. */
export function freeSuspect(): void {
  isTaken = false;
}

/** Adds how many concurrent runs, or messages, a worker or consumer can have. Returns how to take that back. */
export function openSlots(count: number): () => void {
  slots += count;
  return () => {
    slots -= count;
    count = 0;
  };
}

/** Whether this process has one run, or message, at a time. */
export const isSingleSlot = (): boolean => slots === 1;
