/**
 * The shards of a fleet, and which of them a call goes to.
 *
 * Promises:
 *   F1  A call goes to a database, or to its standby, only after that has shown a map in which it is the shard that its url
 *       was given for, in the fleet of the others. The connections check this at their first use, so that it is true of
 *       workers, services and metrics as well, which use a lane without the fleet.
 *   F2  What has a home goes there or fails. Only calls without a home go by turns, and skip shards that can't be
 *       reached.
 */
import { ConnectionFailed, InvalidArgument, WrongShard } from "@oxbow/sdk";
import {
  type FleetMap,
  type FleetShard,
  noSuchShard,
  type ShardLane,
  type TransactionClient,
  type Transport,
} from "@oxbow/sdk/internal/fleet";
import { requireShard } from "./require-shard.ts";
import { homeOf, shardOfId, shardOfReceipt, shardsBeyond } from "./shard-map.ts";

/** For how long a shard that could not be reached is asked last. */
const AWAY_MS = 10_000;
/** For how long a shard that was added is taken for one that is not open yet. */
const CLOSED_MS = 5_000;
/** For how long what has no home may go to a shard that is being drained. */
export const MAP_AGE_MS = 10_000;

export type Lane = ShardLane;

/** Knowledge of the shards, by their names. */
interface Knowledge {
  readonly maps: Map<string, Promise<FleetMap>>;
  /** The latest version of the maps that were read. */
  newest: FleetMap | undefined;
  readAt: number;
  readonly awayUntil: Map<string, number>;
  turn: number;
}

export class Fleet {
  readonly lanes: readonly Lane[];
  readonly #known: Knowledge;

  constructor(lanes: readonly Lane[], known?: Knowledge) {
    this.lanes = lanes;
    this.#known = known ?? {
      maps: new Map(),
      newest: undefined,
      readAt: 0,
      awayUntil: new Map(),
      // Clients that start one run each shall not all start it in the first shard.
      turn: Math.floor(Math.random() * lanes.length),
    };
  }

  /** The same shards with other transports to them, which share what is known. */
  over(toTransport: (transport: Transport) => Transport): Fleet {
    const lanes = this.lanes.map(({ name, transport }) => ({
      name,
      transport: toTransport(transport),
    }));
    return new Fleet(lanes, this.#known);
  }

  /**
   * The latest map that a shard has shown; the first time, of whichever shows it first. Without shards that are not open,
   * unless their urls are known; as long as there are any, it is read again every few seconds.
   */
  async map(): Promise<FleetMap> {
    if (this.#known.newest?.shards.some(isClosed) === true) await this.#refresh(CLOSED_MS);
    const map = this.#known.newest ?? (await this.#firstMap());
    const unknown = shardsBeyond(map, this.lanes);
    if (unknown.length === 0) return map;
    const missing = unknown.filter((shard) => !isClosed(shard));
    if (missing.length === 0) {
      return { ...map, shards: map.shards.filter((shard) => !unknown.includes(shard)) };
    }
    const names = missing.map(({ name }) => `"${name}"`).join(", ");
    throw new InvalidArgument(
      `The fleet has shards that \`shards\` lacks: ${names}. Give the urls of all of them, or a client could not find their runs.`,
    );
  }

  /** Reads the map again if it is older, and a shard answers. */
  async #refresh(olderThanMs: number): Promise<void> {
    const { newest, readAt } = this.#known;
    if (newest === undefined || performance.now() <= readAt + olderThanMs) return;
    this.#known.readAt = performance.now();
    this.#known.maps.clear();
    await this.#firstMap().catch(() => {});
  }

  async #firstMap(): Promise<FleetMap> {
    try {
      return await Promise.any(this.lanes.map((lane) => this.#mapOf(lane)));
    } catch (error) {
      throw error instanceof AggregateError ? error.errors[0] : error;
    }
  }

  /** Reads the map of a shard again, which has contradicted what is known. */
  async readAgain(lane: Lane): Promise<void> {
    this.#known.maps.delete(lane.name);
    await this.#mapOf(lane);
  }

  /** The lane of a shard, once its database has shown that it is that. */
  async named(name: string): Promise<Lane> {
    const lane = this.require(name);
    await this.#mapOf(lane);
    return lane;
  }

  /** @throws InvalidArgument for an unknown shard. */
  require(name: string): Lane {
    const lane = this.#lane(name);
    if (lane !== undefined) return lane;
    throw noSuchShard(
      name,
      this.lanes.map((one) => one.name),
    );
  }

  /** @throws InvalidArgument */
  async home(route: string): Promise<string> {
    if (typeof route !== "string") {
      throw new InvalidArgument(`Invalid route ${JSON.stringify(route)}: give a text.`);
    }
    return homeOf(await this.map(), route);
  }

  /** The lane of the shard that has given out the id of a run, where it is or was; any if no shard has. */
  async ofRun(runId: string): Promise<Lane> {
    const map = await this.map();
    return this.named(shardOfId(map, runId) ?? this.#firstOf(map));
  }

  /** The lane of the message that a receipt proves. @throws WrongShard */
  async ofReceipt(receipt: string, tx?: TransactionClient): Promise<Lane> {
    const map = await this.map();
    const name = shardOfReceipt(map, receipt) ?? this.#firstOf(map);
    await this.requireTx(name, `The message of receipt ${receipt}`, tx);
    return this.named(name);
  }

  /** The lane of a transaction's database. @throws InvalidArgument if it is not part of the fleet. */
  async ofTx(tx: TransactionClient): Promise<Lane> {
    return (await this.placeOfTx(tx, [])).lane;
  }

  /** The same, with the homes of routes by that database's copy of the map. */
  async placeOfTx(
    tx: TransactionClient,
    routes: readonly (string | undefined)[],
  ): Promise<{ readonly lane: Lane; readonly homes: readonly (string | null)[] }> {
    const [any] = this.lanes;
    const own = await any?.transport.shards?.identity(routes, tx);
    const { fleetId } = await this.map();
    if (own?.fleetId !== fleetId) {
      throw new InvalidArgument(
        "The transaction is in a database that is no shard of this fleet: open it in the database of one of its shards.",
      );
    }
    return { lane: await this.named(own.shard), homes: own.homes };
  }

  /** @throws WrongShard unless the transaction, if there is one, is in a shard. */
  async requireTx(home: string, what: string, tx: TransactionClient | undefined): Promise<void> {
    if (tx === undefined) return;
    const { name } = await this.ofTx(tx);
    if (name === home) return;
    throw new WrongShard(
      `${what} is at home in shard "${home}", but the transaction is in "${name}": open the transaction there, or call it without.`,
      { facts: { home, shard: name } },
    );
  }

  /** Calls all shards concurrently; rejects if one fails, since less than all would be no answer. */
  async all<Value>(call: (transport: Transport) => Promise<Value>): Promise<[Value, ...Value[]]> {
    const map = await this.map();
    const answers = await Promise.all(
      map.shards.map(async ({ name }) => call((await this.named(name)).transport)),
    );
    // A fleet has shards.
    return answers as [Value, ...Value[]];
  }

  /** All lanes, beginning with another one each time; shards that could not be reached lately come last. */
  inTurn(): Lane[] {
    const first = this.#known.turn++ % this.lanes.length;
    const turned = [...this.lanes.slice(first), ...this.lanes.slice(0, first)];
    const now = performance.now();
    const isAway = ({ name }: Lane): boolean => (this.#known.awayUntil.get(name) ?? 0) > now;
    return [...turned.filter((lane) => !isAway(lane)), ...turned.filter(isAway)];
  }

  /**
   * Calls the shard whose turn it is, or the next if that can't be reached; skips shards that are closed or being
   * drained.
   */
  async byTurns<Value>(call: (transport: Transport) => Promise<Value>): Promise<Value> {
    await this.#refresh(MAP_AGE_MS);
    const { shards } = await this.map();
    const open = new Set(shards.filter(takesMore).map(({ name }) => name));
    let failure: unknown = new InvalidArgument(NOTHING_OPEN);
    for (const { name } of this.inTurn()) {
      if (!open.has(name)) continue;
      try {
        const value = await call((await this.named(name)).transport);
        this.noteAnswer(name);
        return value;
      } catch (error) {
        if (!isUnsent(error)) throw error;
        this.noteFailure(name);
        failure = error;
      }
    }
    throw failure;
  }

  /** Whether the last that was noted of a shard is a failure. */
  hasFailed({ name }: Lane): boolean {
    return this.#known.awayUntil.has(name);
  }

  noteFailure(name: string): void {
    this.#known.awayUntil.set(name, performance.now() + AWAY_MS);
  }

  noteAnswer(name: string): void {
    this.#known.awayUntil.delete(name);
  }

  #lane(name: string): Lane | undefined {
    return this.lanes.find((lane) => lane.name === name);
  }

  #firstOf(map: FleetMap): string {
    const [first] = map.shards;
    if (first === undefined) throw new Error("The map has no shards.");
    return first.name;
  }

  #mapOf(lane: Lane): Promise<FleetMap> {
    const known = this.#known.maps.get(lane.name);
    if (known !== undefined) return known;
    const reading = readMap(lane).then((map) => {
      // After two concurrent changes, each shard knows one first: the one that was read last counts.
      if (map.epoch >= (this.#known.newest?.epoch ?? 0)) this.#known.newest = map;
      this.#known.readAt = performance.now();
      return map;
    });
    this.#known.maps.set(lane.name, reading);
    // Asked again at the next call.
    reading.catch(() => this.#known.maps.delete(lane.name));
    return reading;
  }
}

const readMap = async ({ name, transport }: Lane): Promise<FleetMap> =>
  requireShard(await transport.shards?.map(), name);

const NOTHING_OPEN =
  "All shards of the fleet are being drained: end that for one, with `oxbow shards drain <shard> --undo`.";

const takesMore = (shard: FleetShard): boolean => !isClosed(shard) && shard.isDraining !== true;

const isClosed = ({ isOpen }: FleetShard): boolean => isOpen === false;

/** The request was not sent, so it is safe to send it elsewhere. */
const isUnsent = (error: unknown): boolean =>
  error instanceof ConnectionFailed && error.facts["sent"] === false;
