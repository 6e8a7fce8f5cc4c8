/**
 * `make bench`: the machine's limit, only Oxbow's queues, and every scenario of every system. In each round the systems
 * take turns scenario by scenario, each on a fresh database of the same server, so that whatever disturbs the machine
 * disturbs them all. QUICK=1: Oxbow and the limit, once, smaller, and nothing is saved.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { choose } from "./choice.ts";
import { prepare, startServer } from "./environment.ts";
import { type Figure, readable, spreadOf, type Summary, summarize } from "./figure.ts";
import { describeMachine } from "./machine.ts";
import { type Cell, readSystemPart, writePart } from "./parts.ts";
import { writeReport } from "./report.ts";
import { endAll, nodeForSystems, runSystem } from "./run-system.ts";
import { machineLimit } from "./scenarios/machine-limit.ts";
import { oxbowQueues } from "./scenarios/oxbow-queues.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { whyNever, whyNotHere } from "./systems/absence.ts";
import type { SystemFacts } from "./systems/catalog.ts";

const choice = choose();
const { isQuick, rounds, scale } = choice;
// Figures of other sizes are no figures: they must not mix with published ones.
const results = new URL(scale === 1 ? "results/" : "../.tmp/bench-results/", import.meta.url);

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    endAll();
    // The server's watchdog sees that we are gone, and ends the server.
    process.exit(130);
  });
}
process.on("exit", endAll);

console.log(`\n  ${describeMachine()}\n`);
const ownFigures = new Map<string, Figure[][]>();
const measured = new Map<string, Map<string, number[]>>();
const failures = new Map<string, Map<string, string>>();

for (let round = 1; round <= rounds; round += 1) {
  await measureOwnParts();
  await compare(round);
}
report();

async function measureOwnParts(): Promise<void> {
  if (choice.parts.size === 0) return;
  await using environment = await prepare();
  for (const part of choice.parts) {
    const figures =
      part === "machine"
        ? await machineLimit(environment)
        : await oxbowQueues(environment, scale < 1);
    ownFigures.set(part, [...(ownFigures.get(part) ?? []), figures]);
  }
}

async function compare(round: number): Promise<void> {
  await using cluster = await startServer();
  for (const scenario of choice.scenarios) {
    for (const system of choice.systems) {
      if ((whyNever(system, scenario) ?? whyNotHere(system)) !== undefined) continue;
      // A scenario that failed once, perhaps after minutes, would only fail again.
      if (failures.get(system.id)?.has(scenario.id) === true) continue;
      const database = `${system.id}_${scenario.id}_${round}`.replaceAll("-", "_");
      const url = await cluster.createDatabase(database);
      const startedAt = performance.now();
      const outcome = await runSystem({ system: system.id, scenario: scenario.id, url, scale });
      await cluster.dropDatabase(database);
      const label = `  ${round}/${rounds}  ${scenario.id.padEnd(14)} ${system.title.padEnd(16)}`;
      const took = `(${((performance.now() - startedAt) / 1_000).toFixed(0)} s)`;
      if (outcome.kind === "failed") {
        note(failures, system.id, scenario.id, outcome.reason);
        console.log(`${label} failed: ${outcome.reason} ${took}`);
        continue;
      }
      const texts = scenario.rows.map(({ id, unit }, index) => {
        const value = outcome.figures[index] ?? Number.NaN;
        const ofSystem = measured.get(system.id) ?? new Map<string, number[]>();
        measured.set(system.id, ofSystem.set(id, [...(ofSystem.get(id) ?? []), value]));
        return `${readable(value)} ${unit}`.trim();
      });
      console.log(`${label} ${texts.join(", ")} ${took}`);
    }
  }
}

function note(
  map: Map<string, Map<string, string>>,
  system: string,
  scenario: string,
  reason: string,
): void {
  map.set(system, (map.get(system) ?? new Map<string, string>()).set(scenario, reason));
}

function report(): void {
  const measuredAt = new Date().toISOString();
  const machine = describeMachine();
  for (const [name, all] of ownFigures) {
    const figures = summarize(all);
    console.log();
    print(figures);
    if (!isQuick) writePart(results, name, { measuredAt, machine, figures });
  }
  if (isQuick) return;
  const node = execFileSync(nodeForSystems(), ["--version"], { encoding: "utf8" }).trim();
  for (const system of choice.systems) {
    const before = readSystemPart(results, system.id);
    const cells = Object.fromEntries(
      choice.scenarios.flatMap((scenario) => cellsOf(system, scenario, measuredAt)),
    );
    if (before !== undefined && Object.keys(cells).length === 0) continue;
    const version = versionOf(system);
    // Figures of another version or machine don't belong with these.
    const isSame =
      before?.version === version && before.node === node && before.machine === machine;
    const kept = isSame ? before.cells : {};
    writePart(results, system.id, { version, node, machine, cells: { ...kept, ...cells } });
  }
  const files = writeReport(results);
  console.log(`\n  ${files.map((file) => file.pathname).join("\n  ")}`);
}

function cellsOf(system: SystemFacts, scenario: Scenario, measuredAt: string): [string, Cell][] {
  const reason = failures.get(system.id)?.get(scenario.id);
  return scenario.rows.flatMap((row): [string, Cell][] => {
    if (whyNever(system, scenario, row) !== undefined) return [];
    const { id } = row;
    if (reason !== undefined) return [[id, { kind: "failed", reason, measuredAt }]];
    const values = measured.get(system.id)?.get(id) ?? [];
    if (values.length === 0) return [];
    return [[id, { kind: "measured", ...spreadOf(values), measuredAt }]];
  });
}

function print(summaries: readonly Summary[]): void {
  for (const { name, value, lowest, highest, unit } of summaries) {
    const spread = `${readable(lowest)} … ${readable(highest)}`;
    console.log(`  ${name.padEnd(66)} ${`${readable(value)} ${unit}`.padStart(14)}   ${spread}`);
  }
}

function versionOf({ package: name, needs }: SystemFacts): string {
  const parts = [
    name === undefined ? "" : packageVersion(name),
    needs && fileVersion(needs.variable),
  ];
  return parts.filter((part) => part !== undefined && part !== "").join(", ");
}

/** A system installed from a file is identified by its hash. */
function fileVersion(variable: string): string {
  const path = process.env[variable] ?? "";
  if (path === "") return "";
  const hash = createHash("sha256").update(readFileSync(path)).digest("hex");
  return `${basename(path)} of sha256 ${hash.slice(0, 12)}`;
}

function packageVersion(name: string): string {
  const path =
    name === "@oxbow/sdk" ? "../sdk/package.json" : `peers/node_modules/${name}/package.json`;
  const text = readFileSync(new URL(path, import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
