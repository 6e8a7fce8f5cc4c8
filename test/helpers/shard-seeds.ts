/** What the model tests of items between two shards have in common: their seeds, and the promise that they end with. */
import { expect, it } from "vitest";
import type { TestDatabase } from "./database.ts";

const FIRST_SEED = Number(process.env["SEED"] ?? Math.trunc(Math.random() * 2 ** 31));
const SEEDS = Number(process.env["SHARD_SEEDS"] ?? 4);

export const NAMES = ["a", "b"] as const;
export const CLIENTS = 4;

export type Name = (typeof NAMES)[number];

export const otherOf = (name: Name): Name => (name === "a" ? "b" : "a");

/** Tries out each seed, one after the other, and then the invariants of both shards. */
export function itHasOneEffectForEveryCause(
  tryOut: (seed: number) => Promise<void>,
  databaseOf: (name: Name) => TestDatabase,
): void {
  it(
    `has one effect for every cause, under faults (${SEEDS} seeds from ${FIRST_SEED})`,
    async () => {
      for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) await tryOut(seed);
      for (const name of NAMES) {
        expect(await databaseOf(name).query("select * from queue.check_invariants()")).toEqual([]);
      }
    },
    60_000 + SEEDS * 5_000,
  );
}
