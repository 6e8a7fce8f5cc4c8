/** Relays between the shards of a fleet that fail at any point, from a seed. */
import { Relay } from "@oxbow/fleet/internal";
import type { Transport } from "@oxbow/sdk/internal/server";
import type { Chance } from "../audit/workload/chance.ts";
import type { TestDatabase } from "./database.ts";
import type { TestFleet } from "./fleet.ts";

const FAULTS = 6;

/** Ends the sessions of relays in a shard: a transaction on its outbox, or an accept under way. */
async function endSessions(database: TestDatabase | undefined): Promise<void> {
  await database?.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'oxbow'`,
  );
}

type Place = ConstructorParameters<typeof Relay>[0]["source"];

/** A shard as relays reach it: items are not sent, answers of items and groups are lost, and sessions end, a few times. */
function unreliable(
  fleet: TestFleet,
  transport: Transport,
  name: string,
  chance: Chance,
  faults: { left: number },
): Place {
  const shards = transport.fleet?.shard(name).shards;
  if (shards === undefined) throw new Error("A shard is a database.");
  const accept: typeof shards.accept = async (batch) => {
    const fault = faults.left > 0 ? chance.next() : 1;
    if (fault < 0.8) faults.left -= 1;
    if (fault < 0.2) throw new Error("A fault: never sent.");
    if (fault < 0.4) void endSessions(fleet.databases[name]);
    const answer = await shards.accept(batch);
    if (fault >= 0.4 && fault < 0.6) throw new Error("A fault: the answer is lost.");
    if (fault >= 0.6 && fault < 0.8)
      for (const one of Object.values(fleet.databases))
        if (one !== fleet.databases[name]) await endSessions(one);
    return answer;
  };
  const handOverGroup: typeof shards.handOverGroup = async (group) => {
    const fault = faults.left > 0 ? chance.next() : 1;
    if (fault < 0.6) faults.left -= 1;
    if (fault < 0.2) void endSessions(fleet.databases[name]);
    const hasLeft = await shards.handOverGroup(group);
    if (fault >= 0.2 && fault < 0.4) throw new Error("A fault: the answer is lost.");
    if (fault >= 0.4 && fault < 0.6) await endSessions(fleet.databases[name]);
    return hasLeft;
  };
  const methods = { accept, handOverGroup } as Partial<typeof shards>;
  const relayed = new Proxy(shards, {
    get: (of, key: keyof typeof shards) => methods[key] ?? of[key].bind(of),
  });
  return { name, transport: { shards: relayed } };
}

/** Relays between the shards, two for each way, each of which dies of its first trouble, and is replaced. */
export class FaultyRelays {
  readonly #living = new Set<Relay>();
  readonly #dead: Promise<void>[] = [];
  readonly #places: readonly Place[];
  #isOver = false;

  /** A few items are not sent, answers are lost, and sessions end. */
  constructor(fleet: TestFleet, transport: Transport, chance: Chance) {
    const faults = { left: FAULTS };
    const places = Object.keys(fleet.databases).map((name) =>
      unreliable(fleet, transport, name, chance, faults),
    );
    this.#places = places;
    for (const source of [...places, ...places]) this.#begin(source);
  }

  /** One dies in the middle of whatever it does. */
  kill(chance: Chance): void {
    const living = [...this.#living];
    if (living.length > 0) this.#end(chance.pick(living));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    for (const relay of this.#living) this.#dead.push(relay.stop());
    await Promise.all(this.#dead);
  }

  #begin(source: Place): void {
    const relay = new Relay({
      source,
      targets: this.#places.filter((place) => place !== source),
      onTrouble: () => this.#end(relay),
    });
    this.#sources.set(relay, source);
    this.#living.add(relay);
    relay.start();
  }

  readonly #sources = new Map<Relay, Place>();

  #end(relay: Relay): void {
    if (this.#isOver || !this.#living.delete(relay)) return;
    this.#dead.push(relay.stop());
    const source = this.#sources.get(relay);
    if (source !== undefined) this.#begin(source);
  }
}
