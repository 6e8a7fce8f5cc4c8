/** The journal of a run that was delivered without it, since one answer can't hold it. */
import type { WorkerTransport, WorkflowDelivery } from "../protocol/worker.ts";
import type { JournalEntry } from "../protocol/journal.ts";

export interface LoadedDelivery {
  readonly delivery: WorkflowDelivery;
  /** When the request was sent by which the lease began, by `performance.now()`. */
  readonly leasedAt: number;
}

/** Reads the pages one after the other, and keeps the lease meanwhile. Undefined: it is lost. */
export async function loadJournal(
  transport: Pick<WorkerTransport, "getJournalPage" | "heartbeat">,
  delivery: WorkflowDelivery,
  leaseMs: number,
): Promise<LoadedDelivery | undefined> {
  const journal: JournalEntry[] = [];
  let leasedAt = performance.now();
  for (;;) {
    const page = await transport.getJournalPage(delivery.runId, journal.length);
    for (const entry of page) journal.push(entry);
    leasedAt = performance.now();
    const notices = await transport.heartbeat([{ receipt: delivery.receipt }], leaseMs);
    if (notices.some(({ outcome }) => outcome === "lost" || outcome === "cancelled"))
      return undefined;
    if (page.length === 0) return { delivery: { ...delivery, journal }, leasedAt };
  }
}
