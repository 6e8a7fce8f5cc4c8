/**
 * The agreement of shards about homes (N1 to N10 of fleet/src/moving/homes.ts), over a fleet in memory with faults. The
 * model can fail: each mutant has one promise broken, and the same scenarios find it.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { moveHomes } from "../../fleet/src/moving/homes.ts";
import type { Move, Place } from "../../fleet/src/moving/move.ts";
import { Chance } from "../audit/workload/chance.ts";
import { linkOf, pause, ModelFleet, type ModelShard, ShardDown, SLOTS } from "./fleet-model.ts";

type MoveHomes = typeof moveHomes;

/** How many random scenarios. Each mutant that no scene finds is found by an early one. */
const SCENARIOS = 150;
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SOURCE = join(ROOT, "fleet/src/moving/homes.ts");
/** No move takes longer, whatever the faults of a scenario. */
const LONGEST_MS = 100_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"], now: 0 });
  return () => void vi.useRealTimers();
});

it("holds in random scenarios", async () => {
  expect(await violationsOf(moveHomes)).toEqual([]);
});

/** Outcomes of moves in fixed scenes, each with the expected one. */
const SCENES: Readonly<Record<string, (move: MoveHomes) => Promise<readonly [unknown, unknown]>>> =
  {
    "ends with what each shard knows, if a shard hears nothing for a minute": async (move) => {
      const scene = new Scene(move, 1, ["a", "b", "c"]);
      scene.fleet.hold([0, 2], [1, 2]);
      const outcome = await scene.outcome(scene.move(1, true));
      return [outcome, expect.stringMatching(/contradict each other.*"a" by shard "c"/)];
    },
    "ends immediately if the latest home doesn't answer": async (move) => {
      const scene = new Scene(move, 1, ["a", "b", "c"]);
      scene.fleet.shard(0).isDown = true;
      const outcome = await scene.outcome(scene.move(1, true), 1_000);
      return [outcome, "Error: Shard a doesn't answer."];
    },
    "waits until the latest home has heard that it is": async (move) => {
      const scene = new Scene(move, 1, ["a", "b", "c"]);
      const { fleet } = scene;
      fleet.hold([0, 2]);
      fleet.giveHomes(fleet.shard(0), SLOTS, fleet.shard(2));
      scene.at(3_000, () => fleet.held.clear());
      return [await scene.outcome(scene.move(1, true)), undefined];
    },
    "does not end before each shard has answered, if runs move": async (move) => {
      const scene = new Scene(move, 1, ["a", "b", "c"]);
      scene.fleet.shard(2).isDown = true;
      return [await scene.outcome(scene.move(1, true)), "Error: Shard c doesn't answer."];
    },
    "asks a shard that was restored, and takes itself for the home, for its keys too": async (
      move,
    ) => {
      const scene = new Scene(move, 1, ["a", "b", "c"]);
      const { fleet } = scene;
      const [restored, target] = [fleet.shard(0), fleet.shard(1)];
      restored.backUp();
      await scene.outcome(scene.move(2, true));
      restored.restore();
      restored.keys.get(0)?.add("started since");
      fleet.hold([2, 0], [1, 0]);
      await scene.outcome(scene.move(1, false));
      return [target.keys.get(0)?.has("started since"), true];
    },
  };

it.each(Object.entries(SCENES))("%s", async (_, scene) => {
  const [outcome, expected] = await scene(moveHomes);
  expect(outcome).toEqual(expected);
});

/** The promise, and the change of source that breaks it. */
const MUTANTS: readonly (readonly [string, string, string])[] = [
  ["N1: the earliest home counts", "other.since > latest.since", "other.since < latest.since"],
  [
    "N2: asks only the latest home",
    "isNew && homes.some(({ home }) => home === place.name)",
    "isNew && latest.some(({ home }) => home === place.name)",
  ],
  ["N3: returns before the target has the home", "if (other === undefined) return;", "return;"],
  [
    "N4: waits for a home that does not answer",
    "await requireAnswers(move, known, elsewhere);",
    "",
  ],
  [
    "N5: forgets what a shard has answered",
    "answers.set(place, { ...knowledge, isNew: false })",
    "answers.delete(knowledge.place)",
  ],
  [
    "N6: gives behind what waits",
    "await untilDelivered(move, giver, target, DELIVERY_PATIENCE_MS);\n        await",
    "await",
  ],
  ["N7: informs the target in front of the keys", "if (await mayTell(move, known))", "if (true)"],
  [
    "N8: does not wait for the sources",
    "withRuns ? known : known.filter(({ place }) => place === target)",
    "known.filter(({ place }) => place === target)",
  ],
  ["N8: does not wait for each answer", "if (silent.length === 0) return;", "return;"],
  ["N9: sends nothing again", "performance.now() > sentAt + REPEAT_MS", "false"],
  ["N10: never gives up", "PATIENCE_MS = 60_000", "PATIENCE_MS = 60_000_000"],
];

describe("finds a move that breaks its promises", () => {
  const folder = mutantFolder();

  it.each(MUTANTS)("%s", async (_, part, instead) => {
    const mutant = await mutated(folder, part, instead);
    for (const scene of Object.values(SCENES)) {
      const [outcome, expected] = await scene(mutant);
      try {
        expect(outcome).toEqual(expected);
      } catch {
        return;
      }
    }
    expect(await violationsOf(mutant, true)).not.toEqual([]);
  });
});

/** A fleet, the moves in it, and the clients and relays that work while they last. */
class Scene {
  readonly fleet: ModelFleet;
  readonly #moveHomes: MoveHomes;
  readonly #events: { readonly at: number; readonly happen: () => void }[] = [];
  #keys = 0;

  constructor(move: MoveHomes, seed: number, names: readonly string[]) {
    this.#moveHomes = move;
    this.fleet = new ModelFleet(names, new Chance(seed));
  }

  at(ms: number, happen: () => void): void {
    this.#events.push({ at: performance.now() + ms, happen });
  }

  /** Returns the error of a move, or undefined. */
  async move(target: number, withRuns: boolean): Promise<Error | undefined> {
    const { fleet } = this;
    const shards = new Map<Place, ModelShard>(
      fleet.shards.map((shard) => [
        { name: shard.name, transport: {}, shard: fleet.calls(shard) } as Place,
        shard,
      ]),
    );
    const places = [...shards.keys()];
    const place = places[target];
    if (place === undefined) throw new Error(`There is no shard ${target}.`);
    const move: Move & { deliver: (source: Place, to: Place) => Promise<void> } = {
      routes: { slots: SLOTS },
      target: place,
      sources: places.filter((one) => one !== place),
      withRuns,
      endsLeases: false,
      onProgress: () => {},
      onWait: () => {},
      deliver: (source, to) => {
        const [one, other] = [shards.get(source), shards.get(to)];
        if (one !== undefined && other !== undefined) fleet.deliver(one, other);
        return Promise.resolve();
      },
    };
    try {
      await this.#moveHomes(move);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  /** The error of a move as text; undefined if it has none, or does not end in time. */
  async outcome(move: Promise<Error | undefined>, ms = LONGEST_MS): Promise<string | undefined> {
    let outcome: string | undefined;
    let hasEnded = false;
    void move.then((error) => {
      hasEnded = true;
      outcome = error === undefined ? undefined : String(error);
    });
    await this.run(ms, () => hasEnded);
    return outcome;
  }

  /** Lets time pass: clients start runs, relays deliver, and faults come and go. */
  async run(ms: number, until: () => boolean = () => false): Promise<void> {
    const endsAt = performance.now() + ms;
    while (performance.now() < endsAt && !until()) {
      await vi.advanceTimersByTimeAsync(10);
      for (const event of this.#events) if (event.at <= performance.now()) event.happen();
      this.#events.splice(
        0,
        this.#events.length,
        ...this.#events.filter(({ at }) => at > performance.now()),
      );
      this.fleet.start(`key ${(this.#keys += 1)}`);
      if (this.#keys % 5 === 0) this.fleet.deliverAll();
    }
  }
}

/** Violations in random scenarios; of a mutant, only after the first with any. */
async function violationsOf(move: MoveHomes, onlyFirst = false): Promise<string[]> {
  const found: string[] = [];
  for (let seed = 1; seed <= SCENARIOS; seed += 1) {
    const violations = await play(move, seed);
    found.push(...violations.map((violation) => `Scenario ${seed}: ${violation}`));
    if (onlyFirst && found.length > 0) break;
  }
  return found;
}

async function play(move: MoveHomes, seed: number): Promise<string[]> {
  const chance = new Chance(seed);
  const scene = new Scene(move, seed, ["a", "b", "c", "d"].slice(0, chance.between(3, 4)));
  const { fleet } = scene;
  await history(scene, chance);
  const homes = SLOTS.map((slot) => fleet.latestHome(slot).shard);
  const { number: target } = chance.pick(fleet.shards);
  fleet.movingSince = performance.now();
  plan(scene, chance, [...homes, target]);

  const withRuns = chance.next() < 0.7;
  let problem: string | undefined;
  let hasEnded = false;
  const attempts = async (): Promise<void> => {
    let error = await scene.move(target, withRuns);
    while (error instanceof ShardDown) {
      // A person repeats the command.
      await pause(500);
      error = await scene.move(target, withRuns);
    }
    problem = error === undefined ? differenceFrom(fleet, target, withRuns) : String(error);
    hasEnded = true;
  };
  void attempts();
  await scene.run(LONGEST_MS, () => hasEnded);
  if (!hasEnded) return [`The move to ${fleet.shard(target).name} does not end.`];
  await scene.run(500);
  return [...fleet.violations, ...(problem === undefined ? [] : [problem])];
}

/** The slots have had other homes, and shards have backups from that time. */
async function history(scene: Scene, chance: Chance): Promise<void> {
  const { fleet } = scene;
  for (let moves = chance.between(0, 2); moves > 0; moves -= 1) {
    for (const shard of fleet.shards) if (chance.next() < 0.5) shard.backUp();
    const slots = chance.next() < 0.5 ? SLOTS : SLOTS.slice(0, 1);
    const target = chance.pick(fleet.shards);
    for (const giver of fleet.shards) if (giver !== target) fleet.giveHomes(giver, slots, target);
    await scene.run(200);
  }
  for (const shard of fleet.shards) if (chance.next() < 0.5) shard.backUp();
}

/** Faults of the next seconds. */
function plan(scene: Scene, chance: Chance, neverRestored: readonly number[]): void {
  const { fleet } = scene;
  for (const source of fleet.shards) {
    for (const other of fleet.shards) {
      if (source === other || chance.next() < 0.5) continue;
      const from = chance.next() < 0.5 ? 0 : chance.next() * 1_000;
      const link = linkOf(source, other);
      if (chance.next() < 0.3)
        fleet.send(source, other, { kind: "other", sentAt: performance.now() - 5 });
      scene.at(from, () => void fleet.held.add(link));
      scene.at(from + chance.next() * 12_000, () => void fleet.held.delete(link));
    }
  }
  for (const shard of fleet.shards) {
    if (chance.next() < 0.7) continue;
    const from = 200 + chance.next() * 3_000;
    scene.at(from, () => {
      shard.isDown = true;
    });
    scene.at(from + 500 + chance.next() * 3_000, () => {
      shard.isDown = false;
    });
  }
  // Keys that a home or the target loses with a backup are lost for any move.
  for (const shard of fleet.shards) {
    if (neverRestored.includes(shard.number) || chance.next() < 0.6) continue;
    scene.at(chance.next() * 2_000, () => shard.restore());
  }
}

/** Differences from N3 and N8 as soon as a move has ended. */
function differenceFrom(fleet: ModelFleet, target: number, withRuns: boolean): string | undefined {
  for (const slot of SLOTS) {
    const latest = fleet.latestHome(slot);
    if (latest.shard !== target) return `Slot ${slot} is at home in shard ${latest.shard}.`;
    const unaware = fleet.shards.find(
      (shard) =>
        (withRuns || shard.number === target) &&
        performance.now() - shard.restoredAt > 300 &&
        shard.homeOf(slot).shard !== target,
    );
    if (unaware !== undefined) {
      return `Shard ${unaware.name} does not know the home of slot ${slot}.`;
    }
  }
  return undefined;
}

function mutantFolder(): string {
  mkdirSync(join(ROOT, ".tmp"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, ".tmp/homes-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The source with one change. */
async function mutated(folder: string, part: string, instead: string): Promise<MoveHomes> {
  const source = readFileSync(SOURCE, "utf8");
  expect(source.split(part)).toHaveLength(2);
  const path = join(folder, `${MUTANTS.findIndex((mutant) => mutant[1] === part)}.ts`);
  writeFileSync(
    path,
    source.replace(part, instead).replaceAll(/from "(\.[^"]+)"/g, (_, target: string) => {
      return `from ${JSON.stringify(join(dirname(SOURCE), target))}`;
    }),
  );
  const module = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as {
    moveHomes: MoveHomes;
  };
  return module.moveHomes;
}
