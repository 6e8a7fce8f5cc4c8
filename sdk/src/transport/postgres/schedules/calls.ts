/** SQL that the ticker sends besides the calls in `functions.ts`. */
import { call } from "../connection/call.ts";

export const scheduleNextIn = call<readonly [], { readonly delay: number | null }>(
  "schedule_next_in",
  `select extract(epoch from queue.schedule_next_tick_at() - clock_timestamp())::float8 * 1000 as delay`,
);
