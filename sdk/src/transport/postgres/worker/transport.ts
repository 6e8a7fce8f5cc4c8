/** Calls of workers, straight to the database. */
import { toRelease } from "../../../protocol/commit.ts";
import type { CommitAnswer, WorkerRelay } from "../../../protocol/relay.ts";
import type { JournalEntry } from "../../../protocol/journal.ts";
import type { NextVisible, WorkerTransport } from "../../../protocol/worker.ts";
import type { ContendedCalls } from "../connection/contended-calls.ts";
import type { Listening } from "../connection/listener.ts";
import type { Pool } from "../connection/pool.ts";
import { workflowNextVisible, workflowNextVisibleIn, workflowReceiveOrNext } from "./calls.ts";
import {
  aloneIn,
  commitArguments,
  type CommitParameters,
  commitResults,
  writtenArguments,
} from "./commit.ts";
import { readDeliveries, receiveArguments, toDelivery } from "./delivery.ts";
import {
  workflowCommit,
  workflowCommitTx,
  workflowHeartbeat,
  workflowJournalPage,
  workflowReceive,
  workflowReportProgress,
} from "./functions.ts";
import { subscribeToWork } from "./work-subscription.ts";

export function workerOverPostgres(
  pool: Pool,
  contended: ContendedCalls,
  listener: Listening | undefined,
): WorkerTransport & { readonly relay: WorkerRelay } {
  /** @param runId The run, if it is one: it waits for what another transaction has locked. */
  const commitWritten = async (
    values: CommitParameters,
    runId: string | undefined,
    onWait?: () => void,
  ): Promise<CommitAnswer | undefined> => {
    const options = { repeatable: true, onWait };
    const [answer] = await contended.query(runId, workflowCommit, values, options);
    return answer;
  };

  const commit: WorkerTransport["commit"] = async (items, onWait) => {
    const answer = await commitWritten(commitArguments(items), aloneIn(items)?.runId, onWait);
    return commitResults(items, answer);
  };

  return {
    receive: async (request) => {
      const { onSent, giveUp } = request;
      const options = { repeatable: true, onSent, giveUp };
      const found = await pool.query(workflowReceive, receiveArguments(request), options);
      return found.map(toDelivery);
    },

    getJournalPage: async (runId, after) => {
      const page = await pool.value(workflowJournalPage, [runId, after], { repeatable: true });
      return (page as JournalEntry[] | null) ?? [];
    },

    commit,

    commitTx: ({ runId, receipt, step, attempts, durationMs, ...written }, tx) => {
      const { output = null, decisions = null, chunks = null } = written;
      const known = JSON.stringify(written.known);
      return pool.value(
        workflowCommitTx,
        [runId, receipt, step, output, attempts, durationMs, known, decisions, chunks],
        tx === undefined ? { repeatable: true } : { tx },
      );
    },

    heartbeat: (leases, leaseMs) =>
      pool.query(
        workflowHeartbeat,
        [
          leases.map(({ receipt }) => receipt),
          leaseMs === null ? null : leaseMs / 1000,
          leases.map(({ known = {} }) => JSON.stringify(known)),
        ],
        { repeatable: true },
      ),

    reportProgress: async (worker, reports) => {
      await pool.query(workflowReportProgress, [
        reports.map(({ receipt }) => receipt),
        worker,
        reports.map(({ steps }) =>
          JSON.stringify(
            steps.map(({ step, attempt, forMs }) => ({ step, attempt, for_ms: forMs })),
          ),
        ),
      ]);
    },

    nextVisibleIn: async (versions) => {
      const options = { repeatable: true };
      return (await pool.queryOne(workflowNextVisibleIn, namesAndVersions(versions), options))
        .delay;
    },

    receiveOrLook: async (request) => {
      const { onSent, giveUp } = request;
      const options = { repeatable: true, onSent, giveUp };
      const rows = await pool.query(workflowReceiveOrNext, receiveArguments(request), options);
      const deliveries = rows.flatMap((row) => (row.runId === null ? [] : [toDelivery(row)]));
      return { deliveries, next: toNextVisible(rows[0]) };
    },

    nextVisible: async (versions) => {
      const options = { repeatable: true };
      return toNextVisible(
        await pool.queryOne(workflowNextVisible, namesAndVersions(versions), options),
      );
    },

    subscribe: (workflows, wakeListener) => subscribeToWork(listener, workflows, wakeListener),

    relay: {
      commit: async ({ values, runId }, onWait) =>
        (await commitWritten(writtenArguments(values), runId, onWait)) ?? {
          runs: 0,
          exceptions: null,
        },
      receive: (request) =>
        pool.queryWritten(workflowReceive, receiveArguments(request), { repeatable: true }),
      giveBack: async (received) => {
        const items = readDeliveries(received).map(toRelease);
        if (items.length > 0) await commit(items);
      },
    },
  };
}

const namesAndVersions = (
  versions: ReadonlyMap<string, readonly number[]>,
): readonly [string[], string] => [
  [...versions.keys()],
  JSON.stringify(Object.fromEntries(versions)),
];

const toNextVisible = (
  row: { readonly nextAt: number | null; readonly isDue: boolean | null } | undefined,
): NextVisible => ({ at: row?.nextAt ?? null, isDue: row?.isDue === true });
