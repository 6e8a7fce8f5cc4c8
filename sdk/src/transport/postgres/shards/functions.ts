/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import type { OwnFleetMap } from "../../../protocol/shards.ts";
import type { Call } from "../../../protocol/rooms.ts";
import { call, type Numbers, type Texts } from "../connection/call.ts";

export const fleetMap: Call<readonly [], { readonly value: OwnFleetMap | null }> = call(
  "fleet_map",
  `select queue.fleet_map() as value`,
);

export interface ShardIdentityRow {
  readonly fleetId: string;
  readonly shard: string;
  readonly state: string;
  readonly homes: readonly (string | null)[];
}

export const shardIdentity: Call<readonly [routes: Texts | null], ShardIdentityRow> = call(
  "shard_identity",
  `select fleet_id as "fleetId", shard, state, to_jsonb(homes) as "homes"
  from queue.shard_identity(routes => $1::text[]) as answer`,
);

export interface ShardCandidateRow {
  readonly hasIds: boolean;
  readonly lastBlock: number;
  readonly usedSlots: readonly number[];
}

export const shardCandidate: Call<readonly [], ShardCandidateRow> = call(
  "shard_candidate",
  `select has_ids as "hasIds", last_block as "lastBlock", to_jsonb(used_slots) as "usedSlots"
  from queue.shard_candidate() as answer`,
);

export const joinFleet: Call<
  readonly [name: string | null, map: string | null],
  { readonly value: boolean }
> = call("join_fleet", `select queue.join_fleet(name => $1::text, map => $2::jsonb) as value`);

export const handOverRun: Call<
  readonly [runId: string | null, target: string | null, endsLeases: boolean | null],
  { readonly value: boolean }
> = call(
  "hand_over_run",
  `select queue.hand_over_run(
    run_id => $1::bigint, target => $2::text, ends_leases => $3::boolean) as value`,
);

export interface RouteHandoverRow {
  readonly lastRunId: string | null;
  readonly newestRunId: string;
  readonly moved: number;
  readonly asked: number;
  readonly kept: number;
  readonly busy: number;
  readonly problem: string | null;
}

const routeHandoverColumns = `last_run_id::text as "lastRunId", newest_run_id::text as "newestRunId", moved, asked, kept, busy,
    problem`;

export const handOverRoute: Call<
  readonly [
    route: string | null,
    slots: Numbers | null,
    target: string | null,
    after: string | null,
    onlyRunning: boolean | null,
    endsLeases: boolean | null,
    upTo: string | null,
  ],
  RouteHandoverRow
> = call(
  "hand_over_route",
  `select ${routeHandoverColumns}
  from queue.hand_over_route(
    route => $1::text, slots => $2::integer[], target => $3::text, after => $4::bigint,
    only_running => $5::boolean, ends_leases => $6::boolean, up_to => $7::bigint) as answer`,
);

export interface KeptRunRow {
  readonly runId: string;
  readonly problem: string;
  readonly remedy: string;
}

export const routeObstacles: Call<
  readonly [route: string | null, slots: Numbers | null, withRuns: boolean | null],
  KeptRunRow
> = call(
  "route_obstacles",
  `select run_id::text as "runId", problem, remedy
  from queue.route_obstacles(
    route => $1::text, slots => $2::integer[], with_runs => $3::boolean) as answer`,
);

export const pinRoute: Call<
  readonly [
    route: string | null,
    shard: string | null,
    after: string | null,
    informsShard: boolean | null,
  ],
  { readonly value: string | null }
> = call(
  "pin_route",
  `select queue.pin_route(
    route => $1::text, shard => $2::text, after => $3::bigint, informs_shard => $4::boolean)::text as value`,
);

export const moveSlots: Call<
  readonly [
    slots: Numbers | null,
    shard: string | null,
    after: string | null,
    informsShard: boolean | null,
  ],
  { readonly value: string | null }
> = call(
  "move_slots",
  `select queue.move_slots(
    slots => $1::integer[], shard => $2::text, after => $3::bigint, informs_shard => $4::boolean)::text as value`,
);

export const drainShard: Call<
  readonly [name: string | null, drains: boolean | null],
  { readonly value: boolean }
> = call(
  "drain_shard",
  `select queue.drain_shard(name => $1::text, drains => $2::boolean) as value`,
);

export const drainRuns: Call<
  readonly [
    others: string | null,
    after: string | null,
    onlyRunning: boolean | null,
    endsLeases: boolean | null,
    upTo: string | null,
  ],
  RouteHandoverRow
> = call(
  "drain_runs",
  `select ${routeHandoverColumns}
  from queue.drain_runs(
    others => $1::text, after => $2::bigint, only_running => $3::boolean, ends_leases => $4::boolean,
    up_to => $5::bigint) as answer`,
);

export const holdRelays: Call<readonly [], { readonly value: unknown }> = call(
  "hold_relays",
  `select queue.hold_relays() as value`,
);

export const addShard: Call<
  readonly [name: string | null, number: number | null, blocks: Numbers | null],
  { readonly value: boolean }
> = call(
  "add_shard",
  `select queue.add_shard(
    name => $1::text, number => $2::integer, blocks => $3::integer[]) as value`,
);

export const openShard: Call<readonly [name: string | null], { readonly value: boolean }> = call(
  "open_shard",
  `select queue.open_shard(name => $1::text) as value`,
);

export interface RunWhereaboutsRow {
  readonly shard: string;
  readonly hasArrived: boolean;
}

export const runWhereabouts: Call<readonly [runId: string | null], RunWhereaboutsRow> = call(
  "run_whereabouts",
  `select shard, has_arrived as "hasArrived"
  from queue.run_whereabouts(run_id => $1::bigint) as answer`,
);

export interface LeavingMessageGroupRow {
  readonly queue: string;
  readonly groupId: string;
  readonly waits: boolean;
}

export const leavingGroups: Call<readonly [], LeavingMessageGroupRow> = call(
  "leaving_groups",
  `select queue, message_group_id as "groupId", waits
  from queue.leaving_groups() as answer`,
);

export const handOverGroup: Call<
  readonly [queue: string | null, messageGroupId: string | null],
  { readonly value: "moved" | "waiting" | "busy" | "kept" }
> = call(
  "hand_over_group",
  `select queue.hand_over_group(queue => $1::text, message_group_id => $2::text) as value`,
);

export const outboxPending: Call<readonly [], { readonly value: string }> = call(
  "outbox_pending",
  `select value
  from queue.outbox_pending() as answer (value)`,
);

export interface OutboxBatchRow {
  readonly fleetId: string;
  readonly source: number;
  readonly target: number;
  readonly readAt: string;
  readonly itemIds: string;
  readonly kinds: string;
  readonly causes: string;
  readonly bodies: string;
  readonly size: number;
}

export const outboxTake: Call<readonly [target: string | null], OutboxBatchRow> = call(
  "outbox_take",
  `select fleet_id as "fleetId", source, target, read_at::text as "readAt", item_ids::text as "itemIds",
    kinds::text as "kinds", causes::text as "causes", bodies::text as "bodies",
    cardinality(item_ids) as "size"
  from queue.outbox_take(target => $1::text) as answer`,
);

export const outboxDone: Call<
  readonly [
    target: number | null,
    tail: string | null,
    itemIds: string | null,
    outcomes: string | null,
    problems: string | null,
  ],
  { readonly value: unknown }
> = call(
  "outbox_done",
  `select queue.outbox_done(
    target => $1::integer, tail => $2::bigint, item_ids => $3::bigint[], outcomes => $4::text[],
    problems => $5::text[]) as value`,
);

export interface AcceptanceRow {
  readonly tail: string;
  readonly outcomes: string;
  readonly problems: string;
}

export const accept: Call<
  readonly [
    fleetId: string | null,
    source: number | null,
    target: number | null,
    readAt: string | null,
    itemIds: string | null,
    kinds: string | null,
    causes: string | null,
    bodies: string | null,
  ],
  AcceptanceRow
> = call(
  "accept",
  `select tail::text as "tail", outcomes::text as "outcomes", problems::text as "problems"
  from queue.accept(
    fleet_id => $1::uuid, source => $2::integer, target => $3::integer, read_at => $4::timestamptz,
    item_ids => $5::bigint[], kinds => $6::text[], causes => $7::text[], bodies => $8::jsonb[]) as answer`,
);

export interface RejectedItemRow {
  readonly id: string;
  readonly shard: string;
  readonly kind: string;
  readonly createdAt: Date;
  readonly problem: string;
  readonly body: unknown;
}

export const outboxRejected: Call<readonly [maxItems: number | null], RejectedItemRow> = call(
  "outbox_rejected",
  `select item_id::text as "id", shard, kind, created_at as "createdAt", problem, body
  from queue.outbox_rejected(max_items => $1::integer) as answer`,
);

export const outboxRepeat: Call<readonly [itemIds: Texts | null], { readonly value: number }> =
  call("outbox_repeat", `select queue.outbox_repeat(item_ids => $1::bigint[])::float8 as value`);

export interface DefinitionSummaryRow {
  readonly name: string;
}

export const definitionNames: Call<
  readonly [
    folder: string | null,
    state: string | null,
    search: string | null,
    after: string | null,
    maxDefinitions: number | null,
    name: string | null,
  ],
  DefinitionSummaryRow
> = call(
  "definition_names",
  `select name
  from queue.definition_list(
    folder => $1::text, state => $2::text, search => $3::text, after => $4::text,
    max_definitions => $5::integer, name => $6::text) as answer`,
);

export interface ShardLagRow {
  readonly shard: string;
  readonly items: number;
  readonly oldestSeconds: number;
  readonly rejected: number;
}

export const shardLag: Call<readonly [], ShardLagRow> = call(
  "shard_lag",
  `select shard, items::float8 as "items", oldest_seconds as "oldestSeconds",
    rejected::float8 as "rejected"
  from queue.shard_lag() as answer`,
);
