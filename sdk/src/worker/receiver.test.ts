import { expect, it } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";
import { Emitter } from "../core/events.ts";
import type { RequestTimes, WorkerTransport, WorkflowDelivery } from "../protocol/worker.ts";
import type { WorkerEvents } from "./events.ts";
import { Receiver } from "./receiver.ts";

const READ_MS = 60;

/** One delivery whose journal is read in pages, each of which takes a while. */
function transportOf(delivery: WorkflowDelivery): WorkerTransport {
  const deliveries = [delivery];
  const transport: Partial<WorkerTransport> = {
    receive: ({ onSent }) => {
      onSent?.();
      return Promise.resolve(deliveries.splice(0));
    },
    getJournalPage: async () => {
      await sleep(READ_MS);
      return [];
    },
    heartbeat: () => Promise.resolve([]),
    nextVisibleIn: () => Promise.resolve(null),
    subscribe: () => ({
      listening: false,
      arm: () => Promise.resolve(),
      disarm: () => {},
      close: () => {},
    }),
  };
  return transport as WorkerTransport;
}

it("reports when the database's clock was read, not when a large journal was", async () => {
  const delivery = { runId: "7", receipt: "9", attempt: 1, journal: [], journalFollows: true };
  let deliver: (times: RequestTimes, leasedAt: number) => void = () => {};
  const delivered = new Promise<{ times: RequestTimes; leasedAt: number }>((resolve) => {
    deliver = (times, leasedAt) => resolve({ times, leasedAt });
  });
  const receiver = new Receiver({
    transport: transportOf(delivery as unknown as WorkflowDelivery),
    versions: new Map([["w", [1]]]),
    leaseMs: 30_000,
    freeSlots: () => 1,
    leavesRoom: () => false,
    heldBytes: () => 0,
    onDelivery: (_delivery, times, leasedAt) => deliver(times, leasedAt),
    onAttention: () => {},
    events: new Emitter<WorkerEvents>(),
  });
  receiver.start();
  const { times, leasedAt } = await delivered;
  await receiver.stop();
  expect(times.sentAt).toBeLessThanOrEqual(times.answeredAt);
  expect(leasedAt - times.answeredAt).toBeGreaterThan(READ_MS / 2);
});
