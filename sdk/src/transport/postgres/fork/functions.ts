/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import { type Call, call } from "../connection/call.ts";

export interface IncarnationRow {
  readonly id: string | null;
  readonly state: "live" | "sandbox" | "held" | null;
}

export const incarnation: Call<readonly [], IncarnationRow> = call(
  "incarnation",
  `select incarnation_id as "id", state
  from queue.incarnation(
    ) as answer`,
);
