/** SQL about runs besides the calls in `functions.ts`. */
import type { SignalOutcome } from "../../../protocol/runs.ts";
import { call } from "../connection/call.ts";

/**
 * Signals a run if its workflow is the given one, or no workflow is given. `workflow`: that of the run; null without a
 * run.
 */
export const signalRunOf = call<
  readonly [
    runId: string,
    workflow: string | null,
    event: string,
    payload: string | null,
    deduplicationId: string | null,
  ],
  { readonly workflow: string | null; readonly outcome: SignalOutcome | null }
>(
  "signal_run_of",
  `select run.workflow,
     case
       when run.workflow = coalesce($2::text, run.workflow) then
         queue.workflow_signal(
           run_id => $1::bigint, event => $3::text, payload => $4::jsonb, deduplication_id => $5::text)
     end as outcome
   from queue.workflow_of(run_id => $1::bigint) as run (workflow)`,
);
