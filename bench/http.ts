/**
 * The cost of a server in between: the scenario `throughput` over direct connections, with workers over HTTP, and with workers
 * and clients over HTTP, by turns. `make bench-http ROUNDS=3`
 */
import { startServer } from "./environment.ts";
import { endAll, runSystem } from "./run-system.ts";
import { median } from "./measure/stats.ts";

const ROUNDS = Number(process.env["ROUNDS"] ?? 3);
/** 10,000 runs: with fewer, each process still compiles its code. */
const SCALE = Number(process.env["SCALE"] ?? 5);
const TITLES = {
  oxbow: "direct",
  "oxbow-http-workers": "workers over HTTP",
  "oxbow-http": "workers and clients over HTTP",
} as const;
const IDS = Object.keys(TITLES) as (keyof typeof TITLES)[];

process.once("SIGINT", () => {
  endAll();
  process.exit(130);
});

const figures = new Map<keyof typeof TITLES, number[]>(IDS.map((system) => [system, []]));
for (let round = 1; round <= ROUNDS; round += 1) {
  for (const system of IDS) {
    const cluster = await startServer();
    try {
      const url = await cluster.createDatabase("bench");
      const outcome = await runSystem({ system, scenario: "throughput", url, scale: SCALE });
      if (outcome.kind === "failed") throw new Error(`${system}: ${outcome.reason}`);
      const figure = outcome.figures[0] ?? Number.NaN;
      figures.get(system)?.push(figure);
      console.log(`${TITLES[system]}, round ${round}: ${figure.toFixed(0)} steps/s`);
    } finally {
      await cluster.stop({ mode: "immediate" });
    }
  }
}

const medians = IDS.map((system) => median(figures.get(system) ?? []));
const [direct = Number.NaN] = medians;
for (const [index, figure] of medians.entries()) {
  const share = `${((100 * figure) / direct).toFixed(0)}% of direct`;
  console.log(`${Object.values(TITLES)[index]}: ${figure.toFixed(0)} steps/s, ${share}`);
}
