/**
 * Requests to itself before a server listens, so that its first clients find code that is compiled and schemas that are
 * ready: the busiest routes, over a socket of this machine, with a transport that answers immediately. Nothing of it
 * reaches the database, the metrics or the log.
 */
import { connect, type RunCommit, type Transport } from "@oxbow/sdk/internal/server";
import type { App } from "./http/app.ts";

/** A longer one gains little, and delays the start of the server. */
const WARM_UP_MS = 250;
const CLIENTS = 4;
const RUNS = 50;

/** @param makeApp Makes an app with all routes over the transport, open to anyone on this machine. */
export async function warmUp(makeApp: (transport: Transport) => Promise<App>): Promise<void> {
  const app = await makeApp(answering());
  try {
    await useFor(WARM_UP_MS, await app.listen({ host: "127.0.0.1", port: 0 }));
  } finally {
    app.server.closeAllConnections();
    await app.close();
  }
}

async function useFor(durationMs: number, url: string): Promise<void> {
  const client = connect({ url });
  const endsAt = performance.now() + durationMs;
  const work = async (): Promise<void> => {
    while (performance.now() < endsAt) await useOnce(client);
  };
  try {
    await Promise.all(Array.from({ length: CLIENTS }, work));
  } finally {
    await client.close();
  }
}

/** The commonest requests of consumers and workers. Starts are left out: they would be traced. */
async function useOnce({ queues, worker }: Transport): Promise<void> {
  await queues.send({ queue: "q", message: '{"n":1}', headers: undefined, delayMs: 0 });
  const received = await queues.receive({
    queue: "q",
    max: 10,
    visibilityTimeoutMs: 30_000,
    matching: undefined,
    waitMs: 0,
    signal: undefined,
  });
  await queues.deleteBatch(
    "q",
    received.map(({ receipt }) => receipt),
  );
  await worker.receive({ versions: new Map([["w", [1]]]), maxRuns: RUNS, leaseMs: 30_000 });
  await worker.commit(COMMITS);
}

const COMMITS = Array.from({ length: RUNS }, (_, index): RunCommit => ({
  workflow: "w",
  runId: String(index + 1),
  receipt: String(index + 1),
  journaled: 1,
  known: { step: "before" },
  steps: [{ name: "s", kind: "run", output: "1", attempts: 1, durationMs: 1 }],
  transition: { kind: "keep" },
  restartsCount: false,
}));

/** A transport that has done everything already. */
function answering(): Transport {
  const moment = new Date(0);
  const queues = {
    // A client sends batches, also of one message.
    sendBatch: ({ messages }: { readonly messages: readonly unknown[] }) =>
      Promise.resolve(messages.map(() => "1")),
    receive: () =>
      Promise.resolve([
        {
          id: "1",
          receipt: "1",
          body: { n: 1 },
          headers: null,
          receiveCount: 1,
          groupId: null,
          enqueuedAt: moment,
          visibleAt: moment,
          isSuspect: false,
        },
      ]),
    deleteBatch: (_queue: string, receipts: readonly string[]) => Promise.resolve([...receipts]),
  };
  const worker = {
    relay: {
      receive: () => Promise.resolve({ columns: [], rows: [] }),
      commit: () => Promise.resolve({ runs: RUNS, exceptions: null }),
    },
  };
  return { queues, worker, room: () => ({}) } as unknown as Transport;
}
