/**
 * The workers of this process, by the database that they serve, so that a client can hand a run that it starts to one of
 * them: the start leases the run, and no worker has to receive it.
 *
 * Promises:
 *   H1  A place is a slot of a worker for one start. It is reserved before the start is sent, and then taken or returned. A
 *       start that takes long lets other runs have the slot, and its run may still take the place.
 *   H2  The end of a run that has taken a place is reported after the database has acknowledged the commit that made it.
 *       A run that leaves its worker before (suspended, given back, cut off) is reported as such: the database knows more.
 */
import type { ErrorRecord } from "../core/error-record.ts";
import type { JsonText } from "../core/json.ts";
import type { RequestTimes, WorkflowDelivery } from "./worker.ts";

/** How a run has ended. */
export type RunEnd =
  | { readonly status: "completed"; readonly output?: JsonText | undefined }
  | { readonly status: "failed" | "cancelled"; readonly error: ErrorRecord };

/** A slot of a worker, for one start. */
export interface Place {
  /** Version of the workflow with which the worker executes the run. */
  readonly version: number;
  /** For how long the start leases the run; the worker extends that. */
  readonly leaseMs: number;
  /** The start takes long, for example because its idempotency key is locked: other runs may have the slot. */
  lapse(): void;
  /** The start has leased the run: the worker executes it. Resolves with its end here, undefined if it left the worker; never rejects. */
  take(delivery: WorkflowDelivery, times: RequestTimes): Promise<RunEnd | undefined>;
  /** The start has not leased the run. Without effect on a place that was taken or given back. */
  giveBack(): void;
}

export interface LocalWorker {
  /** The versions of a workflow that it serves. */
  versions(workflow: string): readonly number[];
  /** Undefined if the worker would not receive a run of this version immediately. */
  reserve(workflow: string, version: number): Place | undefined;
}

const workers = new Map<string, Set<LocalWorker>>();

/** Lets clients of a database hand runs to a worker. Returns how to end that. */
export function offerPlaces(database: string, worker: LocalWorker): () => void {
  const offered = workers.get(database) ?? new Set();
  workers.set(database, offered.add(worker));
  return () => {
    offered.delete(worker);
    if (offered.size === 0 && workers.get(database) === offered) workers.delete(database);
  };
}

/**
 * Reserves a place at any worker of this process that serves the database.
 *
 * @param version Undefined for the latest that they serve.
 */
export function reservePlace(
  database: string,
  workflow: string,
  version: number | undefined,
): Place | undefined {
  const local = [...(workers.get(database) ?? [])];
  const wanted = version ?? Math.max(...local.flatMap((worker) => worker.versions(workflow)));
  for (const worker of local) {
    const place = worker.reserve(workflow, wanted);
    if (place !== undefined) return place;
  }
  return undefined;
}
