/**
 * The calls of a trial's clients, with their times. Only the seed decides, so a client that takes over repeats the same
 * calls.
 */
import type { Item, Kind, Lane } from "../record.ts";
import { Chance } from "./chance.ts";
import { BOOKED_QUEUE, ORDERED_QUEUE } from "./queues.ts";

/** How much of what. */
export interface Load {
  /** Runs of each kind. */
  readonly runs: Partial<Readonly<Record<Kind, number>>>;
  /** Messages in each of two ordered queues. */
  readonly messages: number;
  /** Message groups that these are spread over. */
  readonly groups: number;
  /** Messages that are published. */
  readonly notes: number;
  /** How many runs of kind `wait` are cancelled instead of signalled. */
  readonly cancels: number;
  /** All of it begins within this time. */
  readonly overMs: number;
  /** How long a callback takes, on average. */
  readonly stepMs: number;
  /** How many clients make each start concurrently, with one idempotency key. */
  readonly starters: number;
  /** How many signals a waiting run gets, of which its first is the one that counts. */
  readonly signals: number;
  readonly filler: number;
  readonly steps: number;
  readonly blocks: boolean;
  /** Clients reconnect after this many starts, like clients that live for one request; 0: never. */
  readonly startsPerConnection: number;
}

export const USUAL: Load = {
  runs: {
    chain: 14,
    fan: 6,
    nap: 8,
    wait: 8,
    family: 4,
    undo: 4,
    book: 10,
    flaky: 4,
    stream: 2,
    renew: 6,
    order: 8,
    query: 8,
  },
  messages: 40,
  groups: 5,
  notes: 8,
  cancels: 2,
  overMs: 4_000,
  stepMs: 15,
  starters: 1,
  signals: 1,
  filler: 0,
  steps: 5,
  blocks: false,
  startsPerConnection: 0,
};

/** A load without anything, to add to. */
export const NOTHING: Load = { ...USUAL, runs: {}, messages: 0, notes: 0, cancels: 0 };

export interface PlannedCall {
  /** Names the call in all of its repetitions; the idempotency key where there is one. */
  readonly op: string;
  readonly verb: "start" | "send" | "publish";
  readonly lane: Lane;
  readonly item: Item;
  readonly afterMs: number;
  /** For a start: what comes after its acknowledgement. */
  readonly follow?: "signal" | "cancel";
}

export function plan(
  trial: string,
  seed: number,
  load: Load,
  lanes: readonly Lane[],
): PlannedCall[] {
  const chance = new Chance(seed);
  const calls: PlannedCall[] = [];
  const when = (): number => Math.floor(chance.next() * load.overMs);
  const add = (
    verb: PlannedCall["verb"],
    name: string,
    item: Item,
    more: Partial<PlannedCall> = {},
  ): void => {
    calls.push({
      op: `${trial}:${name}`,
      verb,
      lane: chance.pick(lanes),
      item,
      afterMs: when(),
      ...more,
    });
  };

  let cancels = load.cancels;
  let number = 0;
  for (const [kind, count] of Object.entries(load.runs) as [Kind, number][]) {
    for (let n = 0; n < count; n += 1) {
      number += 1;
      const input = {
        trial,
        number,
        ms: load.stepMs,
        steps: load.steps,
        ...(load.filler === 0 ? {} : { filler: load.filler }),
        ...(load.blocks ? { blocks: true } : {}),
      };
      const item: Item = { what: "run", workflow: kind, input };
      const isCancelled = kind === "wait" && cancels > 0;
      if (isCancelled) cancels -= 1;
      const follow = isCancelled ? "cancel" : "signal";
      const more = kind === "wait" ? ({ follow } as const) : {};
      for (let starter = 0; starter < load.starters; starter += 1) {
        add("start", `${kind}-${number}`, item, starter === 0 ? more : {});
      }
    }
  }
  for (const queue of [ORDERED_QUEUE, BOOKED_QUEUE]) {
    for (let n = 0; n < load.messages; n += 1) {
      const group = `${trial}-${n % load.groups}`;
      const of = Math.floor(n / load.groups);
      // Those of a group are sent one after the other, in the order of their numbers.
      add("send", `${queue}-${group}-${of}`, { what: "message", queue, group, number: of });
    }
  }
  for (let n = 0; n < load.notes; n += 1) add("publish", `note-${n}`, { what: "note", number: n });
  return calls.toSorted((a, b) => a.afterMs - b.afterMs);
}
