/** Batches of starts, some of whose keys have runs in other shards than the home of their route. */
import { RunMoved } from "@oxbow/sdk";
import type { StartedRun, StartRequest } from "@oxbow/sdk/internal/fleet";

interface Starts {
  readonly requests: readonly StartRequest[];
  /** Leads to the run of its key, wherever that is. */
  readonly startOne: (request: StartRequest) => Promise<StartedRun>;
  readonly startAll: (requests: readonly StartRequest[]) => Promise<StartedRun[]>;
}

/**
 * Starts all in one shard, in one transaction. Keys that it refuses, since their runs are elsewhere, are started one by one
 * before: they have runs, as a rule, so a call that fails in between may be repeated.
 */
export async function startSplit({ requests, startOne, startAll }: Starts): Promise<StartedRun[]> {
  const apart = new Map<string, StartedRun>();
  const isApart = ({ idempotencyKey }: StartRequest): boolean =>
    idempotencyKey !== undefined && apart.has(idempotencyKey);
  for (;;) {
    const rest = requests.filter((request) => !isApart(request));
    try {
      const started = rest.length === 0 ? [] : await startAll(rest);
      return inOrder(requests, apart, started);
    } catch (error) {
      const keys = keysElsewhere(error);
      const led = rest.filter(({ idempotencyKey }) => keys.has(idempotencyKey));
      if (led.length === 0) throw error;
      for (const request of led) apart.set(request.idempotencyKey ?? "", await startOne(request));
    }
  }
}

function inOrder(
  requests: readonly StartRequest[],
  apart: ReadonlyMap<string, StartedRun>,
  started: readonly StartedRun[],
): StartedRun[] {
  const rest = started.values();
  return requests.map(({ idempotencyKey = "" }) => {
    const run = apart.get(idempotencyKey) ?? rest.next().value;
    if (run === undefined) throw new Error("A batch has returned fewer runs than it has starts.");
    return run;
  });
}

function keysElsewhere(error: unknown): ReadonlySet<unknown> {
  const keys = error instanceof RunMoved ? error.facts["keys"] : undefined;
  return new Set(Array.isArray(keys) ? keys : []);
}
