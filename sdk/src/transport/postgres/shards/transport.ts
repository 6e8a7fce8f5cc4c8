/** The shard that a database is, straight to the database. */
import type { Routes, ShardTransport } from "../../../protocol/shards.ts";
import { LARGEST_PAGE } from "../../../protocol/runs.ts";
import { listenForHints } from "../connection/hints.ts";
import type { Listening } from "../connection/listener.ts";
import { rowsWithin } from "../connection/paced-cursor.ts";
import type { Pool } from "../connection/pool.ts";
import {
  accept,
  addShard,
  drainRuns,
  definitionNames,
  drainShard,
  fleetMap,
  handOverGroup,
  handOverRoute,
  handOverRun,
  holdRelays,
  joinFleet,
  leavingGroups,
  moveSlots,
  openShard,
  outboxDone,
  outboxPending,
  outboxRejected,
  outboxRepeat,
  outboxTake,
  pinRoute,
  routeObstacles,
  runWhereabouts,
  shardCandidate,
  shardIdentity,
  shardLag,
} from "./functions.ts";

const CHANNEL = "shard_outbox";

export const shardsOverPostgres = (
  pool: Pool,
  listener: Listening | undefined,
): ShardTransport => ({
  map: async (tx) => (await pool.value(fleetMap, [], { tx })) ?? undefined,

  identity: async (routes = [], tx) => {
    const values = routes.map((route) => route ?? null);
    const { fleetId, shard, state, homes } = await pool.queryOne(shardIdentity, [values], { tx });
    // Nulls in a database that is not part of a fleet.
    return fleetId === null || shard === null || state === null
      ? undefined
      : { fleetId, shard, state, homes };
  },

  candidate: () => pool.queryOne(shardCandidate, []),

  join: (name, map) => pool.value(joinFleet, [name, JSON.stringify(map)]),

  add: ({ name, number, blocks }) => pool.value(addShard, [name, number, blocks]),

  open: (name) => pool.value(openShard, [name]),

  handOver: (runId, target, endsLeases) =>
    pool.value(handOverRun, [runId, target, endsLeases], { repeatable: true }),

  handOverRoutes: ({ routes, target, after, upTo, onlyRunning, endsLeases }) => {
    const which = [...columnsOf(routes), target, after] as const;
    return pool.queryOne(handOverRoute, [...which, onlyRunning, endsLeases, upTo]);
  },

  drainRuns: ({ others, after, upTo, onlyRunning, endsLeases }) =>
    pool.queryOne(drainRuns, [others, after, onlyRunning, endsLeases, upTo]),

  drain: (name, drains) => pool.value(drainShard, [name, drains], { repeatable: true }),

  obstacles: (routes, withRuns) => {
    const columns = routes === undefined ? ([null, null] as const) : columnsOf(routes);
    return pool.query(routeObstacles, [...columns, withRuns]);
  },

  activeDefinitions: async (max) => {
    const found = await Promise.all(
      ["published", "paused"].map((state) =>
        pool.query(definitionNames, [null, state, null, null, max, null]),
      ),
    );
    return found.flat().map(({ name }) => name);
  },

  giveHome: (routes, target, after, informsTarget) =>
    "route" in routes
      ? pool.value(pinRoute, [routes.route, target, after, informsTarget])
      : pool.value(moveSlots, [routes.slots, target, after, informsTarget]),

  whereabouts: async (runId) =>
    (await pool.query(runWhereabouts, [runId], { repeatable: true }))[0],

  pending: async () => {
    const rows = await pool.query(outboxPending, [], { isPrompt: true });
    return rows.map(({ value }) => value);
  },

  leavingGroups: () => pool.query(leavingGroups, [], { isPrompt: true }),

  handOverGroup: async ({ queue, groupId }) =>
    (await pool.value(handOverGroup, [queue, groupId])) === "moved",

  transaction: (work, signal) => pool.transaction(work, signal, "relays"),

  take: async (target, tx) => (await pool.query(outboxTake, [target], { tx }))[0],

  done: async ({ target, itemIds }, { tail, outcomes, problems }, tx) => {
    await pool.query(outboxDone, [target, tail, itemIds, outcomes, problems], { tx });
  },

  // A relay that waits for long is in the way of others, and repeats the batch by itself.
  accept: ({ fleetId, source, target, readAt, itemIds, kinds, causes, bodies }) =>
    pool.queryOne(accept, [fleetId, source, target, readAt, itemIds, kinds, causes, bodies], {
      isPrompt: true,
    }),

  holdRelays: async (tx) => {
    await pool.query(holdRelays, [], { tx });
  },

  listen: (onHint) => listenForHints(listener, CHANNEL, onHint),

  lag: () => pool.query(shardLag, []),

  rejected: async (maxItems) =>
    (await rowsWithin(pool.read(outboxRejected, [maxItems]), LARGEST_PAGE)).rows,

  repeat: (ids) => pool.value(outboxRepeat, [ids ?? null]),
});

const columnsOf = (routes: Routes): readonly [string | null, readonly number[] | null] =>
  "route" in routes ? [routes.route, null] : [null, routes.slots];
