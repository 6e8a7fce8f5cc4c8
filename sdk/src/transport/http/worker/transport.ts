/** Calls of workers, through the server. */
import { linkSignals } from "../../../async/linked-signal.ts";
import { startTimer } from "../../../async/timer.ts";
import { InvalidArgument } from "../../../core/errors.ts";
import type { BusyCommit, CommitResult, RunCommit } from "../../../protocol/commit.ts";
import type { WorkerTransport } from "../../../protocol/worker.ts";
import type { CommitAnswer, WrittenCommit, WrittenRows } from "../../../protocol/relay.ts";
import { parameterText } from "../../postgres/connection/arguments.ts";
import { aloneIn, commitArguments, commitResults } from "../../postgres/worker/commit.ts";
import { readDeliveries } from "../../postgres/worker/delivery.ts";
import type { HttpConnection } from "../connection.ts";
import { followEvents } from "../event-source.ts";
import { RelayLine } from "./relay-line.ts";
import { askingFor, NO_TX } from "../requests.ts";

const NEXT_VISIBLE = "/v1/worker/next-visible";

/** Characters. In JSON they may take four times that, of which a frame has at most 64 MiB. */
const LONGEST_RELAYED = 16 * 1024 * 1024;
/** A commit of one run without an answer by then is taken to wait for another transaction. */
const WAITS_AFTER_MS = 200;

export function workerOverHttp(connection: HttpConnection): WorkerTransport {
  const askFor = askingFor(connection);
  const relay = new RelayLine(connection);

  const receive: WorkerTransport["receive"] = async ({ versions, onSent, giveUp, ...rest }) => {
    const body = { versions: Object.fromEntries(versions), ...rest };
    const rows = await relay.ask<WrittenRows>("receive", () => body, { onSent, giveUp });
    if (rows !== undefined) return readDeliveries(rows);
    const options = { body: JSON.stringify(body), onSent, giveUp };
    return askFor("deliveries", "/v1/worker/receive", options);
  };

  const nextVisible: WorkerTransport["nextVisible"] = async (versions) => {
    const body = { versions: Object.fromEntries(versions), everything: true };
    const { inMs, at = null } = await connection.ask<{
      readonly inMs: number | null;
      readonly at?: number | null;
    }>(NEXT_VISIBLE, { body: JSON.stringify(body), repeatable: true });
    return { at, isDue: inMs === 0 };
  };

  const commit = async (items: readonly RunCommit[]): Promise<(CommitResult | BusyCommit)[]> => {
    const options = { repeatable: true };
    const answer = await relay.ask<CommitAnswer>("commit", () => written(items), options);
    if (answer !== undefined) return commitResults(items, answer);
    const body = JSON.stringify({ items, skipLocked: true });
    return askFor("results", "/v1/worker/commit", { body, repeatable: true });
  };

  return {
    receive,

    getJournalPage: (runId, after) =>
      askFor("journal", "/v1/worker/journal-page", {
        body: JSON.stringify({ runId, after }),
        repeatable: true,
      }),

    commit: async (items, onWait = () => {}) => {
      if (items.length > 1) return commit(items);
      // A server doesn't report that an item waits. One that does holds no connection that others need.
      const stopTimer = startTimer(WAITS_AFTER_MS, onWait, { keepsAlive: false });
      try {
        return await commit(items);
      } finally {
        stopTimer();
      }
    },

    commitTx: () => Promise.reject(new InvalidArgument(NO_TX)),

    heartbeat: async (leases, leaseMs) => {
      if (leases.length === 0) return [];
      const receipts = leases.map(({ receipt }) => receipt);
      const known = leases.map(({ known: has = {} }) => has);
      const body = JSON.stringify({ receipts, known, leaseMs });
      return askFor("notices", "/v1/worker/heartbeat", { body, repeatable: true });
    },

    reportProgress: async (worker, reports) => {
      await connection.ask("/v1/worker/progress", { body: JSON.stringify({ worker, reports }) });
    },

    nextVisibleIn: (versions) =>
      askFor("inMs", NEXT_VISIBLE, {
        body: JSON.stringify({ versions: Object.fromEntries(versions) }),
        repeatable: true,
      }),

    receiveOrLook: async (request) => {
      const [deliveries, next] = await Promise.all([
        receive(request),
        nextVisible(request.versions),
      ]);
      return { deliveries, next };
    },

    nextVisible,

    subscribe: (workflows, listener) => {
      const ending = new AbortController();
      const { signal, unlink } = linkSignals([ending.signal, connection.closing]);
      let isConnected = false;
      void followEvents(
        connection,
        `/v1/worker/wake?workflows=${encodeURIComponent(workflows.join(","))}`,
        signal,
        {
          connected: (now) => {
            isConnected = now;
          },
          event: ({ event, data }) => {
            if (event === "attention") listener.onAttention((data as { runId: string }).runId);
            else listener.onReady();
          },
        },
      ).finally(unlink);
      return {
        get listening() {
          return isConnected;
        },
        // The server waits on our behalf for as long as the stream is open.
        arm: async () => {},
        disarm: () => {},
        close: () => ending.abort(),
      };
    },
  };
}

/** Undefined if it is too long for a message. */
function written(items: readonly RunCommit[]): WrittenCommit | undefined {
  const values = commitArguments(items).map(parameterText);
  const length = values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
  return length > LONGEST_RELAYED ? undefined : { values, runId: aloneIn(items)?.runId };
}
