/** Loads the journal of a run that was delivered without it because it exceeds the size of an answer. */
import { messageOf } from "../core/error-record.ts";
import { toRelease } from "../protocol/commit.ts";
import type { JournalEntry } from "../protocol/journal.ts";
import type { WorkerTransport, WorkflowDelivery } from "../protocol/worker.ts";
import type { Lease } from "./runs-in-progress.ts";
import { awayMs } from "./unresolved-runs.ts";

interface Loaded {
  readonly delivery: WorkflowDelivery;
  readonly lease: Lease;
}

/**
 * The deliveries in the order in which to pass them on. Reading a large journal takes long, and may fail: no other run waits
 * for it.
 */
export const largeLast = (deliveries: readonly WorkflowDelivery[]): WorkflowDelivery[] => [
  ...deliveries.filter((one) => !isLarge(one)),
  ...deliveries.filter(isLarge),
];

const isLarge = ({ journalFollows }: WorkflowDelivery): boolean => journalFollows === true;

/**
 * Reads the pages of a journal that follows its delivery, and extends the lease by `leaseMs` after each. Returns undefined if
 * the lease is lost. A run whose journal can't be read is given back with the reason, since that is no fault of the run.
 *
 * @throws The error of the reading.
 */
export async function loadJournal(
  transport: Pick<WorkerTransport, "commit" | "getJournalPage" | "heartbeat">,
  delivery: WorkflowDelivery,
  lease: Lease,
  leaseMs: number,
): Promise<Loaded | undefined> {
  if (!isLarge(delivery)) return { delivery, lease };
  const startedAt = performance.now();
  try {
    return await readPages(transport, delivery, leaseMs);
  } catch (error) {
    const reason = `its journal can't be read: ${messageOf(error)}`.slice(0, 1_000);
    const resumeAt = Math.ceil(delivery.receivedAt + performance.now() - startedAt + awayMs());
    const transition = { kind: "release", reason, resumeAt } as const;
    // Otherwise it is received again when its lease expires.
    await transport.commit([{ ...toRelease(delivery), transition }]).catch(() => {});
    throw error;
  }
}

async function readPages(
  transport: Pick<WorkerTransport, "getJournalPage" | "heartbeat">,
  delivery: WorkflowDelivery,
  leaseMs: number,
): Promise<Loaded | undefined> {
  const journal: JournalEntry[] = [];
  for (;;) {
    const page = await transport.getJournalPage(delivery.runId, journal.length);
    for (const entry of page) journal.push(entry);
    const leasedAt = performance.now();
    const notices = await transport.heartbeat([{ receipt: delivery.receipt }], leaseMs);
    if (notices.some(({ outcome }) => outcome === "lost" || outcome === "cancelled"))
      return undefined;
    if (page.length === 0) {
      return { delivery: { ...delivery, journal }, lease: { leasedAt, leaseMs } };
    }
  }
}
