/** The map of a fleet: which databases share work, and what is at home where. */
import type { HintSubscription } from "./hints.ts";
import type { TransactionClient } from "./transaction.ts";

export interface FleetShard {
  readonly number: number;
  readonly name: string;
  /** Blocks of ids that it gives out: an id belongs to block id / 2^36. */
  readonly blocks: readonly number[];
  /** False while it joins: nothing is at home there, and clients need not know its url. */
  readonly isOpen?: boolean;
  /** It is emptied: only runs and messages that have their home there go there. */
  readonly isDraining?: boolean;
}

export interface FleetMap {
  readonly fleetId: string;
  /** Version of the map. */
  readonly epoch: number;
  /** The number of a shard for each slot, as the map was dealt. */
  readonly slots: readonly number[];
  /** For each slot whose routes have moved since, the number of the shard where they are at home. */
  readonly movedSlots?: Readonly<Record<string, number>>;
  /** For each pinned route, the number of the shard where it is at home, whatever its slot. */
  readonly pins?: Readonly<Record<string, number>>;
  /** For each moved slot, the version of the map that has moved it. */
  readonly movedSlotEpochs?: Readonly<Record<string, number>>;
  /** For each pinned route, the version of the map that has pinned it. */
  readonly pinEpochs?: Readonly<Record<string, number>>;
  readonly shards: readonly FleetShard[];
}

/** A shard's copy of the map. */
export interface OwnFleetMap extends FleetMap {
  /** Number of the shard. */
  readonly own: number;
}

/** Which shard a database is. */
export interface ShardIdentity {
  readonly fleetId: string;
  readonly shard: string;
  /** State of its tables: shards of one release have the same. */
  readonly state: string;
  /** Names of the shards where the routes that were asked for are at home, by its copy of the map. */
  readonly homes: readonly (string | null)[];
}

/** What a database brings into a fleet. */
export interface ShardCandidate {
  /** It has given out ids of runs or messages. */
  readonly hasIds: boolean;
  /** The block of the highest. */
  readonly lastBlock: number;
  /** Slots of the idempotency keys, groups of messages and schedules that it has. */
  readonly usedSlots: readonly number[];
}

/** Items for another shard. A relay passes them on as the one database writes and the other reads them. */
export interface OutboxBatch {
  readonly fleetId: string;
  /** Number of the shard that they are from. */
  readonly source: number;
  /** Number of the shard that they are for. */
  readonly target: number;
  readonly readAt: string;
  readonly itemIds: string;
  readonly kinds: string;
  readonly causes: string;
  readonly bodies: string;
  /** How many there are. */
  readonly size: number;
}

/** The answer of a shard to a batch of items. */
interface Acceptance {
  /** Changes whenever the shard may have lost its last commits. */
  readonly tail: string;
  readonly outcomes: string;
  readonly problems: string;
}

/** Items that wait in a shard for another one. */
export interface ShardLag {
  readonly shard: string;
  /** Not delivered yet. 10,000 mean at least as many, here and of rejected items. */
  readonly items: number;
  readonly oldestSeconds: number;
  readonly rejected: number;
}

/** An item that another shard has rejected. */
export interface RejectedItem {
  readonly id: string;
  readonly shard: string;
  readonly kind: string;
  readonly createdAt: Date;
  readonly problem: string;
  readonly body: unknown;
}

/** Where a run has moved to. */
interface RunWhereabouts {
  readonly shard: string;
  /** It has arrived, or has moved on; otherwise it is on its way. */
  readonly hasArrived: boolean;
}

/** A route, or the routes of slots. */
export type Routes = { readonly route: string } | { readonly slots: readonly number[] };

/** The outcome of a call that moves runs of routes. */
export interface RouteHandover {
  /** For the next call; null after the last. */
  readonly lastRunId: string | null;
  /** The newest run that there was, or `upTo` of the call. */
  readonly newestRunId: string;
  readonly moved: number;
  /** Runs in progress that wait for their workers. */
  readonly asked: number;
  /** Runs that can't move, the first because of `problem`. */
  readonly kept: number;
  /** Runs that transactions have locked. */
  readonly busy: number;
  readonly problem: string | null;
}

/** A run in progress that can't move. */
export interface KeptRun {
  readonly runId: string;
  readonly problem: string;
  readonly remedy: string;
}

interface HandoverRequest {
  /** `lastRunId` of the call before. */
  readonly after: string;
  /** `newestRunId` of an earlier call, after which the search ends; null to search all. */
  readonly upTo: string | null;
  readonly onlyRunning: boolean;
  readonly endsLeases: boolean;
}

interface RouteHandoverRequest extends HandoverRequest {
  readonly routes: Routes;
  /** Name of the shard where they are at home. */
  readonly target: string;
}

export interface DrainRequest extends HandoverRequest {
  /** Name of the shard for runs without a home. */
  readonly others: string;
}

/** A message group that is about to leave. */
export interface LeavingGroup {
  readonly queue: string;
  readonly groupId: string;
  /** Its head is in flight. Otherwise hand it over. */
  readonly waits: boolean;
}

/** The calls of a relay. */
export interface RelayTransport {
  /** Names of the shards that items wait for. */
  pending(): Promise<string[]>;
  /**
   * A transaction on the outbox, as `transaction` of the database: on connections of relays, which wait for other
   * databases in it.
   */
  transaction(work: (tx: TransactionClient) => Promise<void>, signal: AbortSignal): Promise<void>;
  /**
   * The oldest items for a shard, which no other relay takes until the transaction ends. Undefined while another one has
   * them.
   */
  take(target: string, tx: TransactionClient): Promise<OutboxBatch | undefined>;
  /** Notes in the same transaction what the target did with them. */
  done(batch: OutboxBatch, acceptance: Acceptance, tx: TransactionClient): Promise<void>;
  /** The first message groups that are about to leave, the ready ones before the others. */
  leavingGroups(): Promise<LeavingGroup[]>;
  /** Moves a message group to the home of its route, unless its head is in flight. Returns whether it has left. */
  handOverGroup(group: LeavingGroup): Promise<boolean>;
  /** Carries out items of another shard, each once. */
  accept(batch: OutboxBatch): Promise<Acceptance>;
  /** Calls `onHint` when items may wait. */
  listen(onHint: () => void): HintSubscription;
}

export interface ShardTransport extends RelayTransport {
  /**
   * Moves a run and its family to another shard. With `endsLeases`, it takes them from their workers; otherwise it asks
   * for them, and they move later. Returns whether they have left.
   */
  handOver(runId: string, target: string, endsLeases: boolean): Promise<boolean>;
  /** Moves runs of routes to the shard where these are at home: some at a call, until `lastRunId` is null. */
  handOverRoutes(request: RouteHandoverRequest): Promise<RouteHandover>;
  /** Moves the runs of the shard to the homes of their routes: some at a call, until `lastRunId` is null. */
  drainRuns(request: DrainRequest): Promise<RouteHandover>;
  /** Records that a shard of the fleet is emptied, or no longer. Returns false if nothing changes. */
  drain(name: string, drains: boolean): Promise<boolean>;
  /**
   * The first runs in progress that are in the way of a move of routes, by default of all that the shard has; without
   * their runs, only those in the way of a change of their home.
   */
  obstacles(routes: Routes | undefined, withRuns: boolean): Promise<KeptRun[]>;
  /** The first names of definitions that start runs, or would if they weren't paused. They don't move. */
  activeDefinitions(max: number): Promise<string[]>;
  /**
   * Makes a shard the home of routes that are at home here; slots that are not are skipped. Takes what the call before has
   * returned, first "0"; returns null when the home has changed. Routes that have left before are announced again, to the
   * target as well if `informsTarget`, which must not come in front of keys that are on their way to it.
   *
   * @throws WrongShard for a route that is at home elsewhere; an error that `isLockTimeout`: repeat the call
   */
  giveHome(
    routes: Routes,
    target: string,
    after: string,
    informsTarget: boolean,
  ): Promise<string | null>;
  /** Where a run has moved to from here; undefined if it has not. */
  whereabouts(runId: string): Promise<RunWhereabouts | undefined>;
  /** Lets nothing of other shards arrive until the transaction ends, which is on a connection of relays. */
  holdRelays(tx: TransactionClient): Promise<void>;
  lag(): Promise<ShardLag[]>;
  /** The oldest ones: with about 64 MiB at most, and one in any case. */
  rejected(maxItems: number): Promise<RejectedItem[]>;
  /** Sends rejected items again; without ids, all. Returns how many. */
  repeat(ids?: readonly string[]): Promise<number>;
  /** Returns the map of the database, or of that of a transaction; undefined if it is not part of a fleet. */
  map(tx?: TransactionClient): Promise<OwnFleetMap | undefined>;
  /** The part of `map` that a start in a transaction needs, however many routes are pinned. */
  identity(
    routes?: readonly (string | undefined)[],
    tx?: TransactionClient,
  ): Promise<ShardIdentity | undefined>;
  candidate(): Promise<ShardCandidate>;
  /** Records a shard that joins. Returns false if it knows it already. */
  add(shard: FleetShard): Promise<boolean>;
  /** Lets starts and moves go to a shard that was added. Returns false if they could already. */
  open(name: string): Promise<boolean>;
  /** Returns false if the database was this shard already. */
  join(name: string, map: FleetMap): Promise<boolean>;
}
