/**
 * Starts of runs that a worker of this process can execute immediately: the start leases the run to it, and its result
 * comes back in the process. All other starts leave the run to any worker.
 */
import { unref } from "../core/host.ts";
import { readStored } from "../core/json.ts";
import { type Place, type RunEnd, reservePlace } from "../protocol/local-workers.ts";
import type { StartedRun, StartLease, StartRequest } from "../protocol/runs.ts";
import type { WorkflowDelivery } from "../protocol/worker.ts";

/** After that, a start lets other runs have the slots that it has reserved. */
const LONGEST_LOAN_MS = 250;

/** A started run, and its end if a worker of this process executes it: undefined once it leaves that worker. */
export interface LocalStart {
  readonly started: StartedRun;
  readonly end?: Promise<RunEnd | undefined>;
}

/**
 * Starts runs in one request.
 *
 * @param database Of the transport that sends the request.
 * @param send Starts the runs, and returns them in their order.
 */
export async function startLocally(
  database: string | undefined,
  requests: readonly StartRequest[],
  send: (requests: readonly StartRequest[]) => Promise<readonly StartedRun[]>,
): Promise<LocalStart[]> {
  const places = requests.map((request) => placeFor(database, request));
  const loan = places.some((place) => place !== undefined) ? lend(places) : undefined;
  try {
    const found = await send(
      requests.map((request, index) => {
        const place = places[index];
        return place === undefined ? request : withLease(request, place);
      }),
    );
    return found.map((started, index) => {
      const [request, place] = [requests[index], places[index]];
      const { lease } = started;
      if (request === undefined || place === undefined || lease === undefined) return { started };
      const delivery = toDelivery(request, place.version, started.runId, lease);
      return { started, end: place.take(delivery, lease.times) };
    });
  } finally {
    clearTimeout(loan);
    // Without effect on taken ones.
    for (const place of places) place?.giveBack();
  }
}

/** A start may wait for a locked idempotency key for as long as the lock lasts: its slots are free in the meantime. */
function lend(places: readonly (Place | undefined)[]): NodeJS.Timeout {
  const timer = setTimeout(() => {
    for (const place of places) place?.lapse();
  }, LONGEST_LOAN_MS);
  return unref(timer);
}

/** The database decides when a start in the future begins. */
function placeFor(
  database: string | undefined,
  { workflow, version, delayMs, startAt }: StartRequest,
): Place | undefined {
  if (database === undefined) return undefined;
  if (startAt !== undefined || (delayMs ?? 0) > 0) return undefined;
  return reservePlace(database, workflow, version);
}

/** The database decides which version a start by name gets. */
const withLease = (request: StartRequest, { leaseMs, version }: Place): StartRequest => ({
  ...request,
  leaseMs,
  ...(request.version === undefined ? { leaseVersion: version } : {}),
});

/** The delivery that a worker would receive. */
function toDelivery(
  { workflow, input, trace }: StartRequest,
  version: number,
  runId: string,
  { receipt, startedAt, deadline }: StartLease,
): WorkflowDelivery {
  return {
    runId,
    receipt,
    name: workflow,
    version,
    attempt: 1,
    input: input === undefined ? undefined : readStored(input),
    journal: [],
    continuation: { waits: [], retries: [] },
    startedAt,
    receivedAt: startedAt,
    ...(trace === undefined ? {} : { trace }),
    ...(deadline === undefined ? {} : { deadline }),
    bytes: input?.length ?? 0,
  };
}
