/** The shard that a database is, straight to the database. */
import type { HintSubscription } from "../../../protocol/hints.ts";
import type {
  Acceptance,
  DrainRequest,
  FleetMap,
  FleetShard,
  KeptRun,
  LeavingGroup,
  OutboxBatch,
  OwnFleetMap,
  RejectedItem,
  RouteHandover,
  RouteHandoverRequest,
  Routes,
  RunWhereabouts,
  ShardCandidate,
  ShardIdentity,
  ShardLag,
  ShardTransport,
} from "../../../protocol/shards.ts";
import type { TransactionClient } from "../../../protocol/transaction.ts";
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

export class PostgresShardTransport implements ShardTransport {
  readonly #queries: Pool;
  readonly #listener: Listening | undefined;

  constructor(queries: Pool, listener: Listening | undefined) {
    this.#queries = queries;
    this.#listener = listener;
  }

  async map(tx?: TransactionClient): Promise<OwnFleetMap | undefined> {
    return (await this.#queries.value(fleetMap, [], { tx })) ?? undefined;
  }

  async identity(
    routes: readonly (string | undefined)[] = [],
    tx?: TransactionClient,
  ): Promise<ShardIdentity | undefined> {
    const values = routes.map((route) => route ?? null);
    const { fleetId, shard, state, homes } = await this.#queries.queryOne(shardIdentity, [values], {
      tx,
    });
    // Nulls in a database that is not part of a fleet.
    if (fleetId === null || shard === null || state === null) return undefined;
    return { fleetId, shard, state, homes };
  }

  candidate(): Promise<ShardCandidate> {
    return this.#queries.queryOne(shardCandidate, []);
  }

  join(name: string, map: FleetMap): Promise<boolean> {
    return this.#queries.value(joinFleet, [name, JSON.stringify(map)]);
  }

  add({ name, number, blocks }: FleetShard): Promise<boolean> {
    return this.#queries.value(addShard, [name, number, blocks]);
  }

  open(name: string): Promise<boolean> {
    return this.#queries.value(openShard, [name]);
  }

  handOver(runId: string, target: string, endsLeases: boolean): Promise<boolean> {
    return this.#queries.value(handOverRun, [runId, target, endsLeases], { repeatable: true });
  }

  handOverRoutes(request: RouteHandoverRequest): Promise<RouteHandover> {
    const { routes, target, after, upTo, onlyRunning, endsLeases } = request;
    const [route, slots] = columnsOf(routes);
    return this.#queries.queryOne(handOverRoute, [
      route,
      slots,
      target,
      after,
      onlyRunning,
      endsLeases,
      upTo,
    ]);
  }

  drainRuns({
    others,
    after,
    upTo,
    onlyRunning,
    endsLeases,
  }: DrainRequest): Promise<RouteHandover> {
    return this.#queries.queryOne(drainRuns, [others, after, onlyRunning, endsLeases, upTo]);
  }

  drain(name: string, drains: boolean): Promise<boolean> {
    return this.#queries.value(drainShard, [name, drains], { repeatable: true });
  }

  obstacles(routes: Routes | undefined, withRuns: boolean): Promise<KeptRun[]> {
    const columns = routes === undefined ? ([null, null] as const) : columnsOf(routes);
    return this.#queries.query(routeObstacles, [...columns, withRuns]);
  }

  async activeDefinitions(max: number): Promise<string[]> {
    const found = await Promise.all(
      ["published", "paused"].map((state) =>
        this.#queries.query(definitionNames, [null, state, null, null, max, null]),
      ),
    );
    return found.flat().map(({ name }) => name);
  }

  giveHome(
    routes: Routes,
    target: string,
    after: string,
    informsTarget: boolean,
  ): Promise<string | null> {
    return "route" in routes
      ? this.#queries.value(pinRoute, [routes.route, target, after, informsTarget])
      : this.#queries.value(moveSlots, [routes.slots, target, after, informsTarget]);
  }

  async whereabouts(runId: string): Promise<RunWhereabouts | undefined> {
    const [found] = await this.#queries.query(runWhereabouts, [runId], { repeatable: true });
    return found;
  }

  async pending(): Promise<string[]> {
    const rows = await this.#queries.query(outboxPending, [], { isPrompt: true });
    return rows.map(({ value }) => value);
  }

  leavingGroups(): Promise<LeavingGroup[]> {
    return this.#queries.query(leavingGroups, [], { isPrompt: true });
  }

  async handOverGroup({ queue, groupId }: LeavingGroup): Promise<boolean> {
    return (await this.#queries.value(handOverGroup, [queue, groupId])) === "moved";
  }

  transaction(work: (tx: TransactionClient) => Promise<void>, signal: AbortSignal): Promise<void> {
    return this.#queries.transaction(work, signal, "relays");
  }

  async take(target: string, tx: TransactionClient): Promise<OutboxBatch | undefined> {
    const [batch] = await this.#queries.query(outboxTake, [target], { tx });
    return batch;
  }

  async done(
    { target, itemIds }: OutboxBatch,
    { tail, outcomes, problems }: Acceptance,
    tx: TransactionClient,
  ): Promise<void> {
    await this.#queries.query(outboxDone, [target, tail, itemIds, outcomes, problems], { tx });
  }

  accept(batch: OutboxBatch): Promise<Acceptance> {
    const { fleetId, source, target, readAt, itemIds, kinds, causes, bodies } = batch;
    return this.#queries.queryOne(
      accept,
      [fleetId, source, target, readAt, itemIds, kinds, causes, bodies],
      // A relay that waits for long is in the way of others, and repeats the batch by itself.
      { isPrompt: true },
    );
  }

  async holdRelays(tx: TransactionClient): Promise<void> {
    await this.#queries.query(holdRelays, [], { tx });
  }

  listen(onHint: () => void): HintSubscription {
    return listenForHints(this.#listener, CHANNEL, onHint);
  }

  lag(): Promise<ShardLag[]> {
    return this.#queries.query(shardLag, []);
  }

  async rejected(maxItems: number): Promise<RejectedItem[]> {
    const pieces = this.#queries.read(outboxRejected, [maxItems]);
    return (await rowsWithin(pieces, LARGEST_PAGE)).rows;
  }

  repeat(ids?: readonly string[]): Promise<number> {
    return this.#queries.value(outboxRepeat, [ids ?? null]);
  }
}

const columnsOf = (routes: Routes): readonly [string | null, readonly number[] | null] =>
  "route" in routes ? [routes.route, null] : [null, routes.slots];
