/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import type { Call } from "../../../protocol/rooms.ts";
import { call } from "../connection/call.ts";

export interface IncarnationInfoRow {
  readonly id: string | null;
  readonly parentId: string | null;
  readonly state: "live" | "sandbox" | "held" | null;
  readonly origin: string | null;
  readonly since: Date | null;
  readonly copiedAt: Date | null;
  readonly guarded: boolean | null;
}

export const incarnation: Call<readonly [], IncarnationInfoRow> = call(
  "incarnation",
  `select incarnation_id as "id", parent_id as "parentId", state, origin, became_at as "since",
    copied_at as "copiedAt", guarded
  from queue.incarnation() as answer`,
);

export interface ReleasedIncarnationRow {
  readonly released: boolean;
  readonly id: string | null;
  readonly leases: number | null;
  readonly timers: number | null;
  readonly captured: number | null;
}

export const releaseIncarnation: Call<
  readonly [mode: string | null, timers: string | null],
  ReleasedIncarnationRow
> = call(
  "release_incarnation",
  `select released, incarnation_id as "id", leases::float8 as "leases", timers::float8 as "timers",
    captured::float8 as "captured"
  from queue.release_incarnation(mode => $1::text, timers => $2::text) as answer`,
);
