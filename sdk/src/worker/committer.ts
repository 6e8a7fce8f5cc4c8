/**
 * Group commit of a worker: commits that its runs submit while another one is in flight share the next statement, and
 * its fsync. A single step is committed immediately; under load, hundreds share. See `async/batcher.ts` for the rules,
 * and `workflow_commit` for the transition of each run.
 */
import type { WorkerTransport } from "../protocol/worker.ts";
import { Batcher, LOCKED } from "../async/batcher.ts";
import type { Turns } from "../async/turns.ts";
import { blameFor } from "../protocol/blame.ts";
import type { CommitResult, RunCommit } from "../protocol/commit.ts";
import { isLockTimeout } from "../protocol/sqlstate.ts";
import { MAX_COMMIT_LENGTH, lengthOf } from "./commit-parts.ts";

/** Enough to make the share of the fsync negligible, and few enough not to delay the next batch. */
const MAX_RUNS_A_COMMIT = 500;

export type Committer = Batcher<RunCommit, CommitResult>;

export const makeCommitter = (
  transport: Pick<WorkerTransport, "commit">,
  turns: Turns,
): Committer =>
  new Batcher<RunCommit, CommitResult>({
    send: async (items, onWait) => {
      const results = await transport.commit(items, onWait);
      return results.map((result) => (result.outcome === "busy" ? LOCKED : result));
    },
    maxItems: MAX_RUNS_A_COMMIT,
    weigh: lengthOf,
    maxWeight: MAX_COMMIT_LENGTH,
    // Two overlap the database's work with the worker's. A run is in one batch at a time, so commits keep their order.
    maxInFlight: 2,
    isShared: (error) => blameFor(error) === "database",
    isLocked: isLockTimeout,
    within: (answer) => turns.now(answer),
  });
