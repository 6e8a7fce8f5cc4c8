/**
 * Group commit of a worker: what its runs want to make durable while a commit is in flight goes as the next one,
 * in one statement and one fsync. A lone step goes at once; under load hundreds share. See `core/batcher.ts` for
 * the rules, and `workflow_commit` for what happens to each run.
 */
import type { WorkerTransport } from "../protocol/worker.ts";
import { Batcher, LOCKED } from "../async/batcher.ts";
import { blameFor } from "../protocol/blame.ts";
import type { CommitResult, RunCommit } from "../protocol/commit.ts";
import { isLockTimeout } from "../protocol/sqlstate.ts";
import { MAX_COMMIT_LENGTH, lengthOf } from "./commit-parts.ts";

/** Enough to make the fsync's share nothing, few enough not to make the others wait. */
const MAX_RUNS_A_COMMIT = 500;

export type Committer = Batcher<RunCommit, CommitResult>;

export const makeCommitter = (transport: Pick<WorkerTransport, "commit">): Committer =>
  new Batcher<RunCommit, CommitResult>({
    send: async (items) => {
      const results = await transport.commit(items);
      return results.map((result) => (result.outcome === "busy" ? LOCKED : result));
    },
    maxItems: MAX_RUNS_A_COMMIT,
    weigh: lengthOf,
    maxWeight: MAX_COMMIT_LENGTH,
    // Two overlap the database's work with ours. A run is in one at a time, so they can't overtake each other.
    maxInFlight: 2,
    isShared: (error) => blameFor(error) === "database",
    isLocked: isLockTimeout,
  });
