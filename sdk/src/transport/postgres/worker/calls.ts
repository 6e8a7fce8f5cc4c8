/** SQL that workers send besides the calls in `functions.ts`. */
import { call } from "../connection/call.ts";

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
