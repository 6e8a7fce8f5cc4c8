import { describe, expect, it } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunCommit } from "../protocol/commit.ts";
import type { RequestTimes, WorkerTransport, WorkflowDelivery } from "../protocol/worker.ts";
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
    onTrouble: () => {},
  });
  receiver.start();
  const { times, leasedAt } = await delivered;
  await receiver.stop();
  expect(times.sentAt).toBeLessThanOrEqual(times.answeredAt);
  expect(leasedAt - times.answeredAt).toBeGreaterThan(READ_MS / 2);
});

it("passes on the other runs of a receive if the journal of one can't be read, and gives that back", async () => {
  const delivery = {
    runId: "7",
    receipt: "9",
    attempt: 1,
    journal: [],
    journalFollows: true,
    receivedAt: 1_000,
  };
  const large = delivery as unknown as WorkflowDelivery;
  const small = { runId: "8", receipt: "10", attempt: 1, journal: [] };
  const received = [large, small as unknown as WorkflowDelivery, large];
  const transport = {
    ...transportOf(large),
    receive: () => Promise.resolve(received.splice(0)),
    getJournalPage: () => Promise.reject(new Error("canceling statement due to statement timeout")),
    commit: (items: readonly RunCommit[]) => {
      given.push(...items);
      return Promise.resolve([]);
    },
  };
  const given: RunCommit[] = [];
  const told: string[] = [];
  const receiver = new Receiver({
    transport,
    versions: new Map([["w", [1]]]),
    leaseMs: 30_000,
    freeSlots: () => 3,
    leavesRoom: () => false,
    heldBytes: () => 0,
    onDelivery: ({ runId }) => void told.push(runId),
    onAttention: () => {},
    onTrouble: () => void told.push("trouble"),
  });
  receiver.start();
  await until(() => told.length === 3);
  await receiver.stop();
  expect(told).toEqual(["8", "trouble", "trouble"]);
  const back = {
    receipt: "9",
    transition: {
      kind: "release",
      reason: "its journal can't be read: canceling statement due to statement timeout",
    },
  };
  expect(given).toMatchObject([back, back]);
  const resumesAt = given.map(({ transition }) => Reflect.get(transition, "resumeAt") as number);
  expect(Math.min(...resumesAt)).toBeGreaterThan(1_000);
});

/** Runs that become ready one at a time, and the calls that a receiver makes for them. */
class Runs {
  readonly calls: string[] = [];
  readonly #listening: boolean;
  readonly #ready: WorkflowDelivery[] = [];
  #wake: () => void = () => {};

  constructor({ listening }: { listening: boolean }) {
    this.#listening = listening;
  }

  readonly transport = {
    receive: ({ onSent }: { onSent?: () => void }) => {
      onSent?.();
      const received = this.#ready.splice(0);
      this.calls.push(`receive ${received.length}`);
      return Promise.resolve(received);
    },
    nextVisibleIn: () => {
      this.calls.push("look for the next");
      return Promise.resolve(null);
    },
    subscribe: (_names: readonly string[], { onReady }: { onReady: () => void }) => {
      this.#wake = onReady;
      return {
        listening: this.#listening,
        arm: () => Promise.resolve(),
        disarm: () => this.calls.push("disarm"),
        close: () => {},
      };
    },
  } as unknown as WorkerTransport;

  /** One more is ready, and the receiver is notified of it. */
  notify(runId: string): void {
    this.#ready.push({
      runId,
      receipt: runId,
      attempt: 1,
      journal: [],
    } as unknown as WorkflowDelivery);
    this.#wake();
  }
}

function receiverOf(runs: Runs): Receiver {
  return new Receiver({
    transport: runs.transport,
    versions: new Map([["w", [1]]]),
    leaseMs: 30_000,
    freeSlots: () => 10,
    leavesRoom: () => false,
    heldBytes: () => 0,
    onDelivery: () => {},
    onAttention: () => {},
    onTrouble: () => {},
  });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(1);
}

describe("an idle receiver", () => {
  it("receives once for each run that it is notified of, and once more only for what it wasn't", async () => {
    const runs = new Runs({ listening: true });
    const receiver = receiverOf(runs);
    receiver.start();
    // Idle from the start: it looks twice, before and after senders can see it.
    await until(() => runs.calls.includes("look for the next"));
    for (const runId of ["1", "2", "3"]) {
      runs.calls.length = 0;
      runs.notify(runId);
      await until(() => runs.calls.includes("look for the next"));
      receiver.runEnded();
      expect(runs.calls).toEqual(["receive 1", "look for the next"]);
    }
    await receiver.stop();
    expect(runs.calls).toEqual(["receive 1", "look for the next"]);
  });

  it("receives again after the end of a run, if nothing would notify it of those that flow control admits", async () => {
    const runs = new Runs({ listening: false });
    const receiver = receiverOf(runs);
    receiver.start();
    await until(() => runs.calls.includes("look for the next"));
    const before = runs.calls.length;
    receiver.runEnded();
    await until(() => runs.calls.slice(before).includes("receive 0"));
    await receiver.stop();
  });
});
