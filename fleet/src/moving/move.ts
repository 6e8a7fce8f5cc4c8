/** A move of routes under way: what its phases have in common. */
import {
  type FleetAccess,
  type OwnFleetMap,
  type Routes,
  type ShardTransport,
  sleep,
  type Transport,
} from "@oxbow/sdk/internal/fleet";
import { type Relay, relaysOf } from "../relay/relay.ts";
import { callsOf, requireShard } from "../transport/require-shard.ts";

export interface Place {
  readonly name: string;
  readonly transport: Transport;
  readonly shard: ShardTransport;
}

export interface MovedRoutes {
  /** Runs that have left their shards. */
  readonly moved: number;
  /** Runs in progress that wait for their workers. */
  readonly waiting: number;
  /** Runs that can't move, and stay. */
  readonly kept: number;
  /** Why the first of them stays. */
  readonly problem: string | undefined;
}

export interface Move {
  readonly routes: Routes;
  readonly target: Place;
  /** The other shards of the fleet. */
  readonly sources: readonly Place[];
  /** False: only their home changes. */
  readonly withRuns: boolean;
  /** Takes runs from the workers that execute them, which may call a callback again. */
  readonly endsLeases: boolean;
  readonly onProgress: (progress: MovedRoutes) => void;
  /** What it waits for, again and again while it does. */
  readonly onWait: (reason: string) => void;
}

/** Immediately moves what waits in a shard for another one, by a relay of this process. */
export type Delivery = (source: Place, target: Place) => Promise<void>;

const LOOK_EVERY_MS = 100;
const REPORT_AFTER_MS = 2000;
const REPORT_EVERY_MS = 5000;

export const pause = (ms = LOOK_EVERY_MS): Promise<void> => sleep(ms, new AbortController().signal);

/** The shards of a fleet. */
export const placesOf = ({ lanes }: FleetAccess): Place[] =>
  lanes.map((lane) => ({ ...lane, shard: callsOf(lane) }));

/** One of them. @throws InvalidArgument for an unknown name */
export function placeNamed(fleet: FleetAccess, places: readonly Place[], name: string): Place {
  // It names an unknown one.
  fleet.shard(name);
  const place = places.find((one) => one.name === name);
  if (place === undefined) throw new Error(`There is no lane "${name}".`);
  return place;
}

/** A shard's copy of the map. @throws InvalidArgument if its database is another shard, or no shard */
export const mapOf = async ({ name, shard }: Place): Promise<OwnFleetMap> =>
  requireShard(await shard.map(), name);

/** Does some work while items cross: workers relay as well, but there may be no running worker. */
export async function withRelays<Value>(
  { lanes }: FleetAccess,
  onTrouble: (doing: string, error: unknown) => void,
  work: (relays: readonly Relay[]) => Promise<Value>,
): Promise<Value> {
  const relays = relaysOf(lanes, onTrouble);
  for (const relay of relays) relay.start();
  try {
    return await work(relays);
  } finally {
    await Promise.all(relays.map((relay) => relay.stop()));
  }
}

/** The same, and ends when what is on its way has crossed: shards that the work does not wait for hear of it too. */
export const whileRelaying = <Value>(
  fleet: FleetAccess,
  onTrouble: (doing: string, error: unknown) => void,
  work: (deliver: Delivery) => Promise<Value>,
): Promise<Value> =>
  withRelays(fleet, onTrouble, async (relays) => {
    const bySource = new Map(fleet.lanes.map(({ name }, at) => [name, relays[at]]));
    const value = await work(async (source, target) =>
      bySource.get(source.name)?.deliver(target.name),
    );
    await Promise.all(relays.map((relay) => relay.finish()));
    return value;
  });

/** No run has moved yet. */
export const NO_RUNS: MovedRoutes = { moved: 0, waiting: 0, kept: 0, problem: undefined };

/** Reports a reason to wait that stays, every few seconds. */
export class Waiting {
  readonly #since = performance.now();
  readonly #move: Pick<Move, "onWait">;
  #reportAt = this.#since + REPORT_AFTER_MS;

  constructor(move: Pick<Move, "onWait">) {
    this.#move = move;
  }

  get ms(): number {
    return performance.now() - this.#since;
  }

  async rest(reason: string): Promise<void> {
    if (performance.now() > this.#reportAt) {
      this.#reportAt = performance.now() + REPORT_EVERY_MS;
      this.#move.onWait(reason);
    }
    await pause();
  }
}

export const textOf = (routes: Routes): string =>
  "route" in routes ? `route "${routes.route}"` : `slots ${rangeOf(routes.slots)}`;

const rangeOf = (slots: readonly number[]): string =>
  slots.length === 1 ? String(slots[0]) : `${slots[0]}-${slots.at(-1)}`;
