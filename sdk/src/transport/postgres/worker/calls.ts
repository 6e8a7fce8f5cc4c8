/** SQL that workers send besides the calls in `functions.ts`. */
import { call, type ParametersOf } from "../connection/call.ts";
import { type WorkflowDeliveryRow, workflowReceive } from "./functions.ts";

/** Null if nothing becomes visible within the seconds that a worker sleeps. */
export const workflowNextVisibleIn = call<
  readonly [names: readonly string[], versions: string],
  { readonly delay: number | null }
>(
  "workflow_next_visible_in",
  `select case
     when next.at <= clock_timestamp() then 0
     when next.at < 'infinity' then greatest(0, extract(epoch from next.at - clock_timestamp())::float8 * 1000)
   end as delay
   from (select queue.workflow_next_visible_at(names => $1, versions => $2::jsonb, within_seconds => 2) as at) as next`,
);

interface NextVisibleRow {
  readonly nextAt: number | null;
  readonly isDue: boolean | null;
}

/** Null if all runs wait for signals only, which is infinity. */
const NEXT_VISIBLE = `
  select extract(epoch from nullif(at, 'infinity'))::float8 * 1000 as "nextAt", at <= clock_timestamp() as "isDue"
  from queue.workflow_next_visible_at(names => $1::text[], versions => $2::jsonb) as at`;

export const workflowNextVisible = call<
  readonly [names: readonly string[], versions: string],
  NextVisibleRow
>("workflow_next_visible", NEXT_VISIBLE);

/** A delivery; or if there is none, one row without it. */
type ReceivedOrNextRow = NextVisibleRow &
  (WorkflowDeliveryRow | { readonly [Name in keyof WorkflowDeliveryRow]: null });

/** What is next is read in the snapshot of the statement, so it is right only if nothing is received. */
export const workflowReceiveOrNext = call<ParametersOf<typeof workflowReceive>, ReceivedOrNextRow>(
  "workflow_receive_or_next",
  `select * from (${NEXT_VISIBLE}) as next left join lateral (${workflowReceive.text}) as received on true`,
);
