/**
 * The long form itself, which `main.ts` compiles and starts: every fault, each in rounds. Exits 1 when a promise was
 * broken.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endFile } from "../../helpers/file-end.ts";
import { FAULTS } from "../faults/table.ts";
import type { Fault } from "../fault.ts";
import { type Row, rowOf, table, tableHead, tableLine } from "../report.ts";
import { runTrial } from "../trial.ts";
import { Auditor } from "../world/auditor.ts";
import { ROOT } from "../world/program.ts";
import { World } from "../world/world.ts";

const { SEED = "", FAULTS: names = "", ROUNDS = "1" } = process.env;

const seed = SEED === "" ? Math.floor(Math.random() * 1e9) : Number(SEED);
const folder = join(ROOT, ".tmp", "chaos", `seed-${seed}`);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const chosen = choose(names);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
say(
  `seed ${seed}, ${chosen.length} faults, ${ROUNDS} rounds; entries and violations in ${folder}\n`,
);

const auditor = await Auditor.start(folder);
let shared: World | undefined;
const rows: Row[] = [];

// Whatever ends the suite ends what it has started.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => void endFile().then(() => process.exit(130)));
}

say(tableHead());
for (const fault of chosen) {
  const row = await rowOf(fault, Number(ROUNDS), (round) => once(fault, round));
  rows.push(row);
  say(tableLine(row));
  for (const { promise, detail } of row.violations.slice(0, 12)) say(`  - ${promise}: ${detail}`);
}
await shared?.close();
await auditor.stop();
await endFile();

const broken = rows.flatMap(({ fault, violations }) =>
  violations.map(({ promise, detail }) => `${fault.name}: ${promise}: ${detail}`),
);
writeFileSync(join(folder, "violations.txt"), broken.join("\n"));
writeFileSync(join(folder, "table.md"), table(rows));
say(`\n${rows.length} faults, ${broken.length} violations, seed ${seed}`);
process.exit(broken.length > 0 ? 1 : 0);

async function once(fault: Fault, round: number) {
  const trial = `${fault.name.replaceAll(/[^a-z0-9]+/gi, "-")}-${round}`;
  const own = fault.world === undefined ? undefined : await start(fault);
  shared ??= own === undefined ? await start() : undefined;
  const world = own ?? shared;
  if (world === undefined) throw new Error("No world.");
  try {
    const outcome = await runTrial({ fault, world, trial, seed: seed + round * 1_000 });
    if (own === undefined && outcome.violations.length > 0) {
      // Its stuck work would fail every later trial.
      await world.close();
      shared = undefined;
    }
    return outcome;
  } catch (error) {
    if (own === undefined) {
      await world.close();
      shared = undefined;
    }
    throw error;
  } finally {
    await own?.close();
  }
}

function start(fault?: Fault): Promise<World> {
  return World.start({ auditor, folder, ...fault?.world });
}

function choose(text: string): readonly Fault[] {
  const parts = text
    .split(",")
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== "");
  if (parts.length === 0) return FAULTS;
  return FAULTS.filter(({ name }) => parts.some((part) => name.toLowerCase().includes(part)));
}
