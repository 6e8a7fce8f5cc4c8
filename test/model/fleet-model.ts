/**
 * Shards in memory that do what `queue.move_slots()` and `queue._accept_home()` do, with the faults between them: links
 * that hold items back, shards that don't answer, shards that are restored from a backup. Time is that of fake timers.
 *
 * Clients start runs by idempotency keys all the while, wherever a shard takes itself for the home. What must hold:
 *   - A shard that has the latest home knows all keys that were used before, wherever that was. Otherwise a key would
 *     start two runs.
 *   - A shard gives a home only when nothing that was sent to the target before is still on its way.
 */
import type { FleetMap, OwnFleetMap, Routes } from "@oxbow/sdk/internal/fleet";
import type { Chance } from "../audit/workload/chance.ts";

/** The slots that move; the others of 1024 stay where they are. */
export const SLOTS = [0, 1];
const ALL_AT_FIRST: readonly number[] = Array.from({ length: 1024 }, () => 0);

interface Home {
  readonly shard: number;
  readonly epoch: number;
}

type Item = { readonly sentAt: number } & (
  | { readonly kind: "other" }
  | { readonly kind: "keys"; readonly slot: number; readonly keys: readonly string[] }
  | { readonly kind: "home"; readonly slot: number; readonly home: Home }
);

export class ShardDown extends Error {}

class LockTimeout extends Error {
  readonly code = "55P03";
}

export class ModelShard {
  readonly name: string;
  readonly number: number;
  epoch = 1;
  homes = new Map<number, Home>(SLOTS.map((slot) => [slot, { shard: 0, epoch: 1 }]));
  readonly keys = new Map<number, Set<string>>(SLOTS.map((slot) => [slot, new Set()]));
  /** How many keys of a slot, from the first that was used, it is known to know: it never forgets one. */
  readonly knownKeys = new Map<number, number>();
  /** Items for each shard, by its number. */
  readonly outbox = new Map<number, Item[]>();
  isDown = false;
  restoredAt = Number.NEGATIVE_INFINITY;
  #backup: Pick<ModelShard, "epoch" | "homes"> | undefined;

  constructor(name: string, number: number) {
    this.name = name;
    this.number = number;
  }

  homeOf(slot: number): Home {
    return this.homes.get(slot) ?? { shard: 0, epoch: 1 };
  }

  backUp(): void {
    this.#backup = { epoch: this.epoch, homes: new Map(this.homes) };
  }

  restore(): void {
    if (this.#backup === undefined) return;
    this.epoch = this.#backup.epoch;
    this.homes = new Map(this.#backup.homes);
    this.outbox.clear();
    this.restoredAt = performance.now();
  }

  learn(slot: number, home: Home): void {
    this.epoch = Math.max(this.epoch, home.epoch);
    if (this.homeOf(slot).epoch < home.epoch) this.homes.set(slot, home);
  }
}

export class ModelFleet {
  readonly shards: readonly ModelShard[];
  readonly violations: string[] = [];
  /** Links, as "source target", that deliver nothing. */
  readonly held = new Set<string>();
  readonly #chance: Chance;
  /** Keys with which runs were started, for each slot, in their order. */
  readonly #used = new Map<number, string[]>(SLOTS.map((slot) => [slot, []]));
  /** Since when moves have been under way. */
  movingSince = 0;

  constructor(names: readonly string[], chance: Chance) {
    this.shards = names.map((name, number) => new ModelShard(name, number));
    this.#chance = chance;
  }

  shard(at: number): ModelShard {
    const shard = this.shards[at];
    if (shard === undefined) throw new Error(`There is no shard ${at}.`);
    return shard;
  }

  /** As the shard knows it that has the latest version. */
  latestHome(slot: number): Home {
    return this.shards
      .map((shard) => shard.homeOf(slot))
      .reduce((latest, home) => (home.epoch > latest.epoch ? home : latest));
  }

  send(source: ModelShard, target: ModelShard, item: Item): void {
    source.outbox.set(target.number, [...(source.outbox.get(target.number) ?? []), item]);
  }

  /** Moves what waits in a shard for another one. */
  deliver(source: ModelShard, target: ModelShard): void {
    if (source.isDown || target.isDown || this.held.has(linkOf(source, target))) return;
    const items = source.outbox.get(target.number) ?? [];
    source.outbox.set(target.number, []);
    for (const item of items) {
      if (item.kind === "home") target.learn(item.slot, item.home);
      if (item.kind === "keys") for (const key of item.keys) target.keys.get(item.slot)?.add(key);
    }
  }

  deliverAll(): void {
    for (const source of this.shards) {
      for (const target of this.shards) if (source !== target) this.deliver(source, target);
    }
  }

  /** Starts a run by a new key in each shard that takes itself for the home of a slot. */
  start(key: string): void {
    for (const slot of SLOTS) {
      for (const shard of this.shards) {
        const isHome = this.latestHome(slot).shard === shard.number;
        if (shard.isDown || shard.homeOf(slot).shard !== shard.number || !isHome) continue;
        const known = shard.keys.get(slot);
        const used = this.#used.get(slot) ?? [];
        let first = shard.knownKeys.get(slot) ?? 0;
        while (first < used.length && known?.has(used[first] ?? "") === true) first += 1;
        shard.knownKeys.set(slot, first);
        if (first < used.length) {
          this.violations.push(
            `Shard ${shard.name} starts runs of slot ${slot} without key ${used[first]}.`,
          );
        }
        known?.add(key);
        used.push(key);
      }
    }
  }

  map(shard: ModelShard): OwnFleetMap {
    const map: FleetMap = {
      fleetId: "fleet",
      epoch: shard.epoch,
      slots: ALL_AT_FIRST,
      movedSlots: Object.fromEntries(SLOTS.map((slot) => [slot, shard.homeOf(slot).shard])),
      movedSlotEpochs: Object.fromEntries(SLOTS.map((slot) => [slot, shard.homeOf(slot).epoch])),
      shards: this.shards.map(({ name, number }) => ({ name, number, blocks: [number] })),
    };
    return { ...map, own: shard.number };
  }

  /** As `queue._hand_over_home()`. */
  giveHome(
    giver: ModelShard,
    slots: readonly number[],
    targetName: string,
    after: string,
    informsTarget: boolean,
  ): string | null {
    const target = this.shards.find(({ name }) => name === targetName) ?? this.shard(0);
    const sentAt = performance.now();
    const own = slots.filter(
      (slot) => giver.homeOf(slot).shard === giver.number && giver !== target,
    );
    if (own.length === 0) {
      for (const slot of slots) this.#announce(giver, slot, target, informsTarget);
      return null;
    }
    if (this.#chance.next() < 0.2) throw new LockTimeout("canceling statement due to lock timeout");
    if (after === "0") {
      const waits = (giver.outbox.get(target.number) ?? []).find(
        (item) => item.sentAt < this.movingSince,
      );
      if (waits !== undefined) {
        this.violations.push(`Shard ${giver.name} gives a home behind an item that waits.`);
      }
    }
    for (const slot of own) {
      const keys = [...(giver.keys.get(slot) ?? [])];
      this.send(giver, target, { kind: "keys", sentAt, slot, keys });
    }
    // Others have come since then.
    if (after === "0" && this.#chance.next() < 0.5) return "1";
    giver.epoch += 1;
    for (const slot of own) giver.learn(slot, { shard: target.number, epoch: giver.epoch });
    for (const slot of own) this.#announce(giver, slot, target, true);
    return null;
  }

  /** Gives homes in one go. */
  giveHomes(giver: ModelShard, slots: readonly number[], target: ModelShard): void {
    if (slots.every((slot) => giver.homeOf(slot).shard !== giver.number)) return;
    for (let after: string | null = "0"; after !== null;) {
      try {
        after = this.giveHome(giver, slots, target.name, after, true);
      } catch (error) {
        if (!(error instanceof LockTimeout)) throw error;
      }
    }
  }

  /** Lets links deliver nothing, each from one shard to another. */
  hold(...links: readonly (readonly [number, number])[]): void {
    for (const [source, target] of links) {
      this.held.add(linkOf(this.shard(source), this.shard(target)));
    }
  }

  /** As `queue._send_homes()`. */
  #announce(teller: ModelShard, slot: number, target: ModelShard, informsTarget: boolean): void {
    const home = teller.homeOf(slot);
    if (home.shard !== target.number) return;
    for (const shard of this.shards) {
      if (shard === teller || (shard === target && !informsTarget)) continue;
      this.send(teller, shard, { kind: "home", sentAt: performance.now(), slot, home });
    }
  }

  /** The calls of a shard that moves use. */
  calls(shard: ModelShard): object {
    const asked = async <Value>(answer: () => Value): Promise<Value> => {
      await this.#way(shard);
      const value = answer();
      await this.#way(shard);
      return value;
    };
    return {
      map: () => asked(() => this.map(shard)),
      identity: () => asked(() => {}),
      lag: () =>
        asked(() =>
          [...shard.outbox].map(([number, items]) => ({
            shard: this.shard(number).name,
            items: items.length,
            oldestSeconds: (performance.now() - (items[0]?.sentAt ?? 0)) / 1_000,
            rejected: 0,
          })),
        ),
      giveHome: (routes: Routes, target: string, after: string, informsTarget: boolean) =>
        asked(() =>
          this.giveHome(shard, "slots" in routes ? routes.slots : [], target, after, informsTarget),
        ),
    };
  }

  /** A request or an answer takes up to 20 ms, and is lost if the shard is down. */
  async #way(shard: ModelShard): Promise<void> {
    await pause(this.#chance.next() * 20);
    if (shard.isDown) throw new ShardDown(`Shard ${shard.name} doesn't answer.`);
  }
}

/** A pause of fake timers. */
export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

export const linkOf = (source: ModelShard, target: ModelShard): string =>
  `${source.name} ${target.name}`;
